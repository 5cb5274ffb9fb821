//! Commands that move bytes between buffers and the memory of the host.
#![expect(unsafe_code, reason = "pointers to the application's memory come in here")]

use crate::engine::buffer::BufferInner;
use crate::engine::command::{Command, Kind, PinnedUse};
use crate::engine::transfer::{DeviceMemory, HostMemory, Pitches, Shape, Transfer};
use crate::objects::buffer::Buffer;
use crate::objects::command::buffer::{Rectangle, check_box, check_pitches, shape_of};
use crate::vulkan::error::Result;
use smallvec::smallvec;
use std::ptr::NonNull;
use std::sync::Arc;

impl Command {
    /// Writes host memory to a buffer.
    ///
    /// # Errors
    /// [`crate::Error::OutOfRange`].
    ///
    /// # Safety
    /// `data` points to `size` bytes that stay readable and unchanged until the command's event is complete
    /// or failed.
    pub unsafe fn write_buffer(buffer: &Buffer, offset: u64, data: NonNull<u8>, size: u64) -> Result<Self> {
        // SAFETY: as the caller promises.
        unsafe { linear_transfer(buffer, "write", offset, data, size) }
    }

    /// Reads a buffer to host memory.
    ///
    /// # Errors
    /// [`crate::Error::OutOfRange`].
    ///
    /// # Safety
    /// `data` points to `size` bytes that stay writable, and that nothing else accesses, until the command's
    /// event is complete or failed.
    pub unsafe fn read_buffer(buffer: &Buffer, offset: u64, data: NonNull<u8>, size: u64) -> Result<Self> {
        // SAFETY: as the caller promises.
        unsafe { linear_transfer(buffer, "read", offset, data, size) }
    }

    /// Writes a box of `region` bytes × rows × slices of host memory to a buffer; `host` is counted from
    /// `data`.
    ///
    /// # Errors
    /// [`crate::Error::OutOfRange`] or [`crate::Error::Pitch`].
    ///
    /// # Safety
    /// The box at `data` stays readable and unchanged until the command's event is complete or failed.
    pub unsafe fn write_rectangle(
        buffer: &Buffer,
        place: &Rectangle,
        data: NonNull<u8>,
        host: &Rectangle,
        region: [u64; 3],
    ) -> Result<Self> {
        // SAFETY: as the caller promises.
        unsafe { rectangular_transfer(buffer, "write", place, data, host, region) }
    }

    /// Reads a box of `region` bytes × rows × slices of a buffer to host memory; `host` is counted from
    /// `data`.
    ///
    /// # Errors
    /// [`crate::Error::OutOfRange`] or [`crate::Error::Pitch`].
    ///
    /// # Safety
    /// The box at `data` stays writable, and nothing else accesses it, until the command's event is complete
    /// or failed.
    pub unsafe fn read_rectangle(
        buffer: &Buffer,
        place: &Rectangle,
        data: NonNull<u8>,
        host: &Rectangle,
        region: [u64; 3],
    ) -> Result<Self> {
        // SAFETY: as the caller promises.
        unsafe { rectangular_transfer(buffer, "read", place, data, host, region) }
    }
}

/// # Safety
/// See [`Command::write_buffer`] and [`Command::read_buffer`].
unsafe fn linear_transfer(
    buffer: &Buffer,
    operation: &'static str,
    offset: u64,
    data: NonNull<u8>,
    size: u64,
) -> Result<Command> {
    let place = Rectangle { offset, row_pitch: size, slice_pitch: size };
    let host = Rectangle { offset: 0, ..place };
    buffer.check_range(operation, offset, size)?;
    // SAFETY: as the caller promises.
    unsafe { rectangular_transfer(buffer, operation, &place, data, &host, [size, 1, 1]) }
}

/// # Safety
/// See [`Command::write_rectangle`] and [`Command::read_rectangle`].
unsafe fn rectangular_transfer(
    buffer: &Buffer,
    operation: &'static str,
    place: &Rectangle,
    data: NonNull<u8>,
    host: &Rectangle,
    region: [u64; 3],
) -> Result<Command> {
    let Some(shape) = shape_of(region) else { return Ok(Command::marker()) };
    check_pitches(place, shape)?;
    check_pitches(host, shape)?;
    check_box(buffer, operation, (place.offset, place.pitches()), shape)?;
    // SAFETY: inside what the caller promises.
    let pointer = unsafe { data.add(host.offset as usize) };
    let offset = buffer.base() + place.offset;
    let write = operation == "write";
    let there = (buffer.inner(), offset, place.pitches());
    if let Some((pinned, start)) = pinned_source(buffer, pointer, host.pitches(), shape) {
        let here = (pinned, start, host.pitches());
        let (from, to) = if write { (here, there) } else { (there, here) };
        let mut command = Command::copy_boxes(buffer.device().id(), from, to, shape);
        command.pinned = Some(if write { PinnedUse::Read } else { PinnedUse::Written });
        return Ok(command);
    }
    let device = DeviceMemory::Buffer { buffer: there.0, offset, pitches: there.2 };
    let transfer = Transfer { host: HostMemory { pointer, pitches: host.pitches() }, device, shape };
    let accesses = smallvec![transfer.access(write)];
    let kind = if write { Kind::Write(transfer) } else { Kind::Read(transfer) };
    Ok(Command::new(buffer.device().id(), kind, accesses))
}

/// The pinned buffer that holds the host's box, and the offset in it; then the device moves the data itself.
/// `None` if it is `buffer`, or if the host can access `buffer`.
fn pinned_source(
    buffer: &Buffer,
    pointer: NonNull<u8>,
    pitches: Pitches,
    shape: Shape,
) -> Option<(Arc<BufferInner>, u64)> {
    if buffer.host_pointer().is_some() {
        return None;
    }
    buffer.device().shared.pinned.find(pointer, pitches.extent(shape))
}
