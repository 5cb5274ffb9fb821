//! Shared virtual memory, coarse-grained (OpenCL API §5.6.1): host memory at the addresses that kernels see,
//! also on devices that have their own memory.
//!
//! If host and device use the same memory at the same addresses, it is simply that memory. Otherwise the
//! process reserves pages at the address that the device gave the buffer (`engine::host_mirror`), and bytes
//! are copied when host and device take turns ([`Command::bring_to_host`], [`Command::take_to_device`]).
#![expect(unsafe_code, reason = "pointers to the application's memory come in here")]

use crate::engine::buffer::{BufferInner, check_size};
use crate::engine::command::Command;
use crate::objects::buffer::Buffer;
use crate::objects::device::Device;
use crate::vulkan::error::Result;
use crate::vulkan::memory::MemoryUse;
use std::ptr::NonNull;
use std::sync::Arc;

/// Where memory is that host and kernels use in place ([`Buffer::in_place`]).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InPlace {
    /// In the host's memory. Kernels access it over the bus.
    Host,
    /// In the device's memory, if the host can map that. The host accesses it over the bus.
    Device,
}

impl Buffer {
    /// A buffer of `size` bytes with undefined contents that host and kernels find at the same address
    /// ([`Buffer::shared_pointer`]).
    ///
    /// # Errors
    /// As for [`Buffer::new`]; [`crate::Error::SharedAddress`] if no address suits both, which is always so
    /// on devices without buffer addresses.
    pub fn at_shared_address(device: &Device, size: u64) -> Result<Self> {
        if device.has_direct_access() {
            let buffer = Buffer::new(device, size)?;
            if buffer.shared_pointer().is_some() {
                return Ok(buffer);
            }
        }
        check_size(device.limits(), size)?;
        let inner = BufferInner::mirrored(&device.shared.heap, size)?;
        Ok(Buffer::whole(device, Arc::new(inner)))
    }

    /// A buffer of `size` bytes with undefined contents that host and kernels use in place at the same
    /// address ([`Buffer::host_pointer`], [`Buffer::address`]), without any copies. Small ones share pages.
    ///
    /// # Errors
    /// As for [`Buffer::new`]; [`crate::Error::SharedAddress`] if the device has no such memory.
    pub fn in_place(device: &Device, size: u64, place: InPlace) -> Result<Self> {
        if device.shares_memory() {
            return Buffer::at_shared_address(device, size);
        }
        check_size(device.limits(), size)?;
        let heap = &device.shared.heap;
        let offers = |purpose| heap.allocator.offers(!0, purpose);
        let (pool, purpose) = match place {
            InPlace::Device if offers(MemoryUse::Shared) => (1, MemoryUse::Shared),
            InPlace::Device | InPlace::Host => (0, MemoryUse::Download),
        };
        let pinned = &device.shared.pinned;
        let (inner, offset) = device.shared.placed[pool].allocate(heap, pinned, size, purpose)?;
        Buffer::whole(device, inner).part(offset, size)
    }

    /// Lets go of the buffer like a drop, but its memory lives until all launches so far that may access any
    /// memory ([`Command::reaching_anything`]) are done.
    pub fn retire(self) {
        self.device().stream().retire(self.inner());
    }

    /// The first byte, if it has the same address for the host and for kernels. The host sees only what
    /// [`Command::bring_to_host`] has copied, and kernels see only what [`Command::take_to_device`] has
    /// copied.
    #[must_use]
    pub fn shared_pointer(&self) -> Option<NonNull<u8>> {
        if let Some(mirrored) = self.other_side(0) {
            return Some(mirrored);
        }
        self.host_pointer().filter(|pointer| self.address() == Some(pointer.addr().get() as u64))
    }

    /// The host's copy of the byte at `offset`, which lies in the buffer; `None` if host and device share one
    /// copy.
    fn other_side(&self, offset: u64) -> Option<NonNull<u8>> {
        self.inner().mirror_at(self.base() + offset)
    }
}

impl Command {
    /// Lets the host see at [`Buffer::shared_pointer`] what kernels have written.
    ///
    /// # Errors
    /// [`crate::Error::OutOfRange`].
    ///
    /// # Safety
    /// Nobody accesses those bytes of the host until the command's event is complete or failed.
    pub unsafe fn bring_to_host(buffer: &Buffer, offset: u64, size: u64) -> Result<Command> {
        buffer.check_range("read", offset, size)?;
        match buffer.other_side(offset) {
            // SAFETY: the command keeps the buffer, and so its mirror; the rest is as the caller promises.
            Some(place) => unsafe { Command::read_buffer(buffer, offset, place, size) },
            None => Ok(Command::marker()),
        }
    }

    /// Lets kernels see what the host has written at [`Buffer::shared_pointer`].
    ///
    /// # Errors
    /// [`crate::Error::OutOfRange`].
    ///
    /// # Safety
    /// Nobody changes those bytes of the host until the command's event is complete or failed.
    pub unsafe fn take_to_device(buffer: &Buffer, offset: u64, size: u64) -> Result<Command> {
        buffer.check_range("write", offset, size)?;
        match buffer.other_side(offset) {
            // SAFETY: the command keeps the buffer, and so its mirror; the rest is as the caller promises.
            Some(place) => unsafe { Command::write_buffer(buffer, offset, place, size) },
            None => Ok(Command::marker()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::host_mirror::{HostMirror, page_size, tests::free_address};
    use crate::objects::command_queue::{CommandQueue, QueueOptions};
    use crate::vulkan::error::Error;

    /// The place is not the device's address, which works on devices that map all memory anyway.
    #[test]
    fn host_and_device_use_the_same_memory_where_it_is_placed() {
        let device = Device::staged();
        let heap = &device.shared.heap;
        let Some(granule) = heap.placed_map_alignment else {
            eprintln!("skipped: {} does not place mappings", device.info());
            return;
        };
        let wish = free_address(1 << 43, 1 << 20);
        let placed = BufferInner::placed_at(heap, 10_000, MemoryUse::Download, |_| wish).expect("a buffer");
        assert!(placed.raw_size >= 10_000 && placed.raw_size.is_multiple_of(granule));
        let place = placed.pointer().expect("it is mapped");
        assert_eq!(place.addr().get() as u64, wish);
        let buffer = Buffer::whole(&device, Arc::new(placed));
        let other = Buffer::new(&device, 10_000).expect("a buffer");
        // SAFETY: no command uses the buffer while the host does.
        unsafe { place.write_bytes(3, 10_000) };
        buffer.copy_to(0, &other, 0, 10_000).expect("copied");
        let mut bytes = [0; 10_000];
        other.read(0, &mut bytes).expect("read");
        assert!(bytes == [3; 10_000], "the device does not see what the host wrote");
        other.fill(0x0707_0707).expect("filled");
        other.copy_to(0, &buffer, 0, 5000).expect("copied");
        device.finish().expect("done");
        // SAFETY: as above.
        assert_eq!([4999, 5000].map(|at| unsafe { place.add(at).read() }), [7, 3]);
        assert!(HostMirror::at(wish, granule).is_none(), "the mapping holds the place");
        drop(buffer);
        device.finish().expect("done");
    }

    /// The pages are not at the device's address, which works on any device that stages.
    #[test]
    fn both_sides_of_a_mirror_take_turns() {
        let device = Device::staged();
        let mut inner = BufferInner::of_pages(&device.shared.heap, 10_000, page_size()).expect("a buffer");
        assert!(inner.raw_size.is_multiple_of(page_size()) && inner.raw_size >= 10_000);
        inner.mirror = HostMirror::at(free_address(1 << 45, inner.raw_size as usize), inner.raw_size);
        let buffer = Buffer::whole(&device, Arc::new(inner));
        let part = buffer.part(1000, 5000).expect("a part");
        let start = part.shared_pointer().expect("it has a mirror");
        let queue = CommandQueue::new(&device, QueueOptions::default());
        let run = |command: Result<Command>| {
            let event = queue.enqueue(command.expect("a command"), &[]).expect("it is enqueued");
            event.wait().expect("it completes");
        };
        buffer.fill(0x0101_0101).expect("filled");
        // SAFETY: host and device take turns: every command is waited for.
        unsafe {
            assert_eq!(start.read(), 0, "nothing was brought yet");
            run(Command::bring_to_host(&part, 16, 4000));
            assert_eq!([15, 16, 4015, 4016].map(|at| start.add(at).read()), [0, 1, 1, 0]);
            start.add(100).write_bytes(5, 200);
            run(Command::take_to_device(&part, 150, 100));
        }
        let mut bytes = [0; 10_000];
        buffer.read(0, &mut bytes).expect("read");
        let mut expected = [1; 10_000];
        expected[1150..1250].fill(5);
        assert!(bytes == expected, "other bytes were taken");
        // SAFETY: the commands are refused.
        let outside = unsafe { Command::bring_to_host(&part, 4999, 2) };
        assert!(matches!(outside, Err(Error::OutOfRange { .. })));
    }
}
