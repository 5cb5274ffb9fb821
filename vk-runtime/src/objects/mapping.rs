//! Device memory mapped for the host (`clEnqueueMapBuffer`, `clEnqueueMapImage`).
//!
//! If the host can access a buffer's memory, a mapping is a pointer into it, and mapping and unmapping only
//! take their place in the order of commands. Otherwise, and for images, it is staging memory that lives as
//! long as the mapping: mapping copies to it, unmapping copies from it.

use crate::engine::buffer::BufferInner;
use crate::engine::command::Command;
use crate::engine::image::ImageRegion;
use crate::engine::transfer::{DeviceMemory, Pitches, Shape};
use crate::objects::buffer::Buffer;
use crate::objects::device::Device;
use crate::objects::image::Image;
use crate::vulkan::error::Result;
use crate::vulkan::handle::lock;
use crate::vulkan::memory::{HostPointer, MemoryUse};
use std::fmt;
use std::ptr::NonNull;
use std::sync::Arc;

/// Staging buffers that a device keeps for the next mappings.
pub(crate) const KEPT_STAGING: usize = 4;

/// A part of a buffer or image that the host can access between a [`Mapping::map`] and a [`Mapping::unmap`].
pub struct Mapping {
    device: Device,
    place: DeviceMemory,
    shape: Shape,
    pitches: Pitches,
    pointer: HostPointer,
    /// Where the host finds the data; `None` if that is the buffer itself.
    staging: Option<Arc<BufferInner>>,
}

impl Mapping {
    /// A mapping of a part of a buffer.
    ///
    /// # Errors
    /// [`crate::Error::OutOfRange`] or [`crate::Error::OutOfMemory`].
    pub fn of_buffer(buffer: &Buffer, offset: u64, size: u64) -> Result<Self> {
        buffer.check_range("map", offset, size)?;
        let shape = Shape::linear(size.max(1));
        let pitches = Pitches::packed(shape);
        let (inner, offset) = (buffer.inner(), buffer.base() + offset);
        let direct = inner.pointer_at(offset);
        let place = DeviceMemory::Buffer { buffer: inner, offset, pitches };
        match direct {
            Some(start) => {
                let pointer = HostPointer(start);
                Ok(Mapping { device: buffer.device().clone(), place, shape, pitches, pointer, staging: None })
            }
            None => Mapping::staged(buffer.device(), place, shape),
        }
    }

    /// A mapping of a part of an image.
    ///
    /// # Errors
    /// [`crate::Error::ImageRegion`] or [`crate::Error::OutOfMemory`].
    pub fn of_image(image: &Image, region: &ImageRegion) -> Result<Self> {
        image.check_region(region)?;
        let inner = image.inner();
        let shape = inner.shape(region);
        Mapping::staged(image.device(), DeviceMemory::Image { image: inner, region: *region }, shape)
    }

    fn staged(device: &Device, place: DeviceMemory, shape: Shape) -> Result<Self> {
        let staging = take_staging(device, shape.size())?;
        let pointer = HostPointer(staging.pointer().expect("staging memory is in the host's reach"));
        let (device, pitches) = (device.clone(), Pitches::packed(shape));
        Ok(Mapping { device, place, shape, pitches, pointer, staging: Some(staging) })
    }

    /// The first byte, for the host. It stays the same as long as the mapping lives.
    #[must_use]
    pub fn pointer(&self) -> NonNull<u8> {
        self.pointer.0
    }

    /// Bytes from one row to the next.
    #[must_use]
    pub fn row_pitch(&self) -> u64 {
        self.pitches.row
    }

    /// Bytes from one slice or layer to the next.
    #[must_use]
    pub fn slice_pitch(&self) -> u64 {
        match &self.place {
            // The layers of an array of one-dimensional images are its rows.
            DeviceMemory::Image { image, .. } if image.is_array_of_rows() => self.pitches.row,
            _ => self.pitches.slice,
        }
    }

    /// Makes the part accessible to the host: with `fetch` including its contents, without it with undefined
    /// contents.
    #[must_use]
    pub fn map(&self, fetch: bool) -> Command {
        self.turn(fetch, false)
    }

    /// Ends the host's access; with `store` the part takes over what the host has written.
    #[must_use]
    pub fn unmap(&self, store: bool) -> Command {
        self.turn(store, true)
    }

    fn turn(&self, copy: bool, store: bool) -> Command {
        let (Some(staging), true) = (&self.staging, copy) else { return Command::marker() };
        let (staging, device, packed) = (Arc::clone(staging), self.device.id(), Pitches::packed(self.shape));
        match &self.place {
            DeviceMemory::Buffer { buffer, offset, pitches } => {
                let (there, here) = ((Arc::clone(buffer), *offset, *pitches), (staging, 0, packed));
                let (from, to) = if store { (here, there) } else { (there, here) };
                Command::copy_boxes(device, from, to, self.shape)
            }
            DeviceMemory::Image { image, region } if store => {
                Command::buffer_to_image(device, staging, (0, packed), Arc::clone(image), *region)
            }
            DeviceMemory::Image { image, region } => {
                Command::image_to_buffer(device, Arc::clone(image), *region, staging, (0, packed))
            }
        }
    }
}

impl fmt::Debug for Mapping {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Mapping({} bytes, staged: {})", self.shape.size(), self.staging.is_some())
    }
}

impl Drop for Mapping {
    fn drop(&mut self) {
        let Some(staging) = self.staging.take() else { return };
        let mut kept = lock(&self.device.shared.mappings);
        if kept.len() == KEPT_STAGING {
            kept.remove(0);
        }
        kept.push(staging);
    }
}

/// Unused staging memory of at least this size.
fn take_staging(device: &Device, size: u64) -> Result<Arc<BufferInner>> {
    let mut kept = lock(&device.shared.mappings);
    let fits = |staging: &Arc<BufferInner>| {
        let suits = staging.size >= size && staging.size / 2 <= size.max(4096);
        suits && Arc::strong_count(staging) == 1 && device.stream().is_finished(*staging.last_use())
    };
    if let Some(index) = kept.iter().position(fits) {
        return Ok(kept.remove(index));
    }
    drop(kept);
    device.create_buffer("a mapping", size, MemoryUse::Download)
}
