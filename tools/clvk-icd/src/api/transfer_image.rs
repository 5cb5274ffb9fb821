//! Transfers between the host, images and buffers.

use super::memory::check_context;
use super::transfer::{Direction, buffer_for};
use crate::border::{HostMemory, In, Out};
use crate::cl::*;
use crate::code::{self, Result, ensure};
use crate::entry::status;
use crate::handle::Handle;
use crate::object::event::Event;
use crate::object::image::Image;
use crate::object::memory::Memory;
use crate::object::pixel;
use crate::object::queue::Queue;
use std::ffi::c_void;
use std::sync::Arc;
use vk_runtime::{Buffer, Command, ImageRegion};

/// An image for a command on a queue.
fn image_for(queue: &Queue, memory: Handle<Memory>) -> Result<Arc<Memory>> {
    let memory = memory.get()?;
    ensure(memory.image().is_some(), code::INVALID_MEM_OBJECT)?;
    check_context(&memory, queue.context())?;
    Ok(memory)
}

/// What an image object is; it was checked that it is one.
fn shape(memory: &Memory) -> Result<&Image> {
    memory.image().ok_or(code::INVALID_MEM_OBJECT)
}

/// The runtime's region; origin and region were checked.
pub fn runtime_region(origin: [usize; 3], region: [usize; 3]) -> ImageRegion {
    ImageRegion { origin: origin.map(|it| it as u32), extent: region.map(|it| it as u32), level: 0 }
}

/// A transfer between the host and an image.
struct Transfer {
    queue: Handle<Queue>,
    image: Handle<Memory>,
    blocking: cl_bool,
    origin: In<usize>,
    region: In<usize>,
    pitches: [usize; 2],
    host: HostMemory,
}

impl Transfer {
    fn enqueue(
        self,
        direction: Direction,
        count: u32,
        waits: In<Handle<Event>>,
        event: Out<Handle<Event>>,
    ) -> Result<()> {
        let queue = self.queue.get()?;
        let memory = image_for(&queue, self.image)?;
        let order = queue.order(count, waits, event)?;
        let image = shape(&memory)?;
        let (origin, region) = (self.origin.triple()?, self.region.triple()?);
        ensure(!self.host.is_null(), code::INVALID_VALUE)?;
        image.check_region(origin, region)?;
        let [row, slice] = image.pitches(region, self.pitches[0], self.pitches[1])?;
        direction.check(&memory)?;
        let (kind, writes) =
            (direction.kind([CL_COMMAND_READ_IMAGE, CL_COMMAND_WRITE_IMAGE]), direction == Direction::Write);
        let index = queue.device_index();
        let data = self.host.place()?;
        if memory.is_texels() {
            let (buffer, base) = memory.buffer_on(index, writes)?;
            let (offset, size) = memory.texel_range(origin, region)?;
            let offset = base + offset;
            // SAFETY: the application vouches for the pixels until the command is complete (OpenCL API §5.3.3).
            let command = unsafe { direction.bytes(buffer, offset, data, size) };
            let blocking = self.blocking != CL_FALSE;
            return queue.enqueue(kind, command?, &order, blocking, &[&memory]).map(drop);
        }
        let on_device = memory.image_on(index, writes)?;
        let (place, row, slice) = (runtime_region(origin, region), row as u64, slice as u64);
        let command = match direction {
            // SAFETY: the application vouches for the pixels until the command is complete (OpenCL API §5.3.3).
            Direction::Read => unsafe { Command::read_image(on_device, &place, data, row, slice) },
            // SAFETY: as above.
            Direction::Write => unsafe { Command::write_image(on_device, &place, data, row, slice) },
        };
        queue.enqueue(kind, command?, &order, self.blocking != CL_FALSE, &[&memory]).map(drop)
    }
}

/// One side of a copy on a device.
enum Place<'a> {
    /// From a byte on.
    Buffer(&'a Buffer, u64),
    /// A region.
    Image(&'a vk_runtime::Image, ImageRegion),
}

impl<'a> Place<'a> {
    /// A region of an image, which may be a buffer's pixels.
    fn of_image(
        memory: &'a Memory,
        index: usize,
        origin: [usize; 3],
        region: [usize; 3],
        writes: bool,
    ) -> Result<Self> {
        if memory.is_texels() {
            let (buffer, base) = memory.buffer_on(index, writes)?;
            return Ok(Place::Buffer(buffer, base + memory.texel_range(origin, region)?.0));
        }
        Ok(Place::Image(memory.image_on(index, writes)?, runtime_region(origin, region)))
    }
}

/// Copies pixels that have so many bytes.
fn copy(from: &Place<'_>, to: &Place<'_>, bytes: u64) -> Result<Command> {
    Ok(match (from, to) {
        (Place::Buffer(from, start), Place::Buffer(to, end)) => {
            Command::copy_buffer(from, *start, to, *end, bytes)
        }
        (Place::Buffer(from, start), Place::Image(to, region)) => {
            Command::copy_buffer_to_image(from, *start, to, region)
        }
        (Place::Image(from, region), Place::Buffer(to, end)) => {
            Command::copy_image_to_buffer(from, region, to, *end)
        }
        (Place::Image(from, region), Place::Image(to, end)) => {
            Command::copy_image(from, region, to, end.origin, 0)
        }
    }?)
}

/// Whether two boxes of the same size have a pixel in common.
fn overlap(a: [usize; 3], b: [usize; 3], region: [usize; 3]) -> bool {
    (0..3).all(|axis| a[axis].abs_diff(b[axis]) < region[axis])
}

status! {
    /// `clEnqueueReadImage`.
    fn clEnqueueReadImage(
        queue: Handle<Queue>,
        image: Handle<Memory>,
        blocking: cl_bool,
        origin: In<usize>,
        region: In<usize>,
        row_pitch: usize,
        slice_pitch: usize,
        host: HostMemory,
        count: u32,
        waits: In<Handle<Event>>,
        event: Out<Handle<Event>>,
    ) {
        let pitches = [row_pitch, slice_pitch];
        let transfer = Transfer { queue, image, blocking, origin, region, pitches, host };
        transfer.enqueue(Direction::Read, count, waits, event)
    }

    /// `clEnqueueWriteImage`.
    fn clEnqueueWriteImage(
        queue: Handle<Queue>,
        image: Handle<Memory>,
        blocking: cl_bool,
        origin: In<usize>,
        region: In<usize>,
        row_pitch: usize,
        slice_pitch: usize,
        host: HostMemory,
        count: u32,
        waits: In<Handle<Event>>,
        event: Out<Handle<Event>>,
    ) {
        let pitches = [row_pitch, slice_pitch];
        let transfer = Transfer { queue, image, blocking, origin, region, pitches, host };
        transfer.enqueue(Direction::Write, count, waits, event)
    }

    /// `clEnqueueFillImage`.
    fn clEnqueueFillImage(
        queue: Handle<Queue>,
        image: Handle<Memory>,
        color: In<c_void>,
        origin: In<usize>,
        region: In<usize>,
        count: u32,
        waits: In<Handle<Event>>,
        event: Out<Handle<Event>>,
    ) {
        let queue = queue.get()?;
        let memory = image_for(&queue, image)?;
        let order = queue.order(count, waits, event)?;
        let image = shape(&memory)?;
        let (origin, region) = (origin.triple()?, region.triple()?);
        image.check_region(origin, region)?;
        let color: [u8; 16] = color.read().ok_or(code::INVALID_VALUE)?;
        let bytes = pixel::encode(image.pixel, color);
        let index = queue.device_index();
        let command = if memory.is_texels() {
            let (buffer, base) = memory.buffer_on(index, true)?;
            let (offset, size) = memory.texel_range(origin, region)?;
            Command::fill_buffer(buffer, base + offset, size, &bytes)?
        } else {
            Command::fill_image(memory.image_on(index, true)?, &runtime_region(origin, region), &bytes)?
        };
        queue.enqueue(CL_COMMAND_FILL_IMAGE, command, &order, false, &[&memory]).map(drop)
    }

    /// `clEnqueueCopyImage`.
    fn clEnqueueCopyImage(
        queue: Handle<Queue>,
        source: Handle<Memory>,
        destination: Handle<Memory>,
        source_origin: In<usize>,
        destination_origin: In<usize>,
        region: In<usize>,
        count: u32,
        waits: In<Handle<Event>>,
        event: Out<Handle<Event>>,
    ) {
        let queue = queue.get()?;
        let source = image_for(&queue, source)?;
        let destination = image_for(&queue, destination)?;
        let order = queue.order(count, waits, event)?;
        let (from, to) = (shape(&source)?, shape(&destination)?);
        let same_order = from.format.image_channel_order == to.format.image_channel_order;
        let same_type = from.format.image_channel_data_type == to.format.image_channel_data_type;
        ensure(same_order && same_type, code::IMAGE_FORMAT_MISMATCH)?;
        let region = region.triple()?;
        let (start, end) = (source_origin.triple()?, destination_origin.triple()?);
        from.check_region(start, region)?;
        to.check_region(end, region)?;
        let overlaps = Arc::ptr_eq(&source, &destination) && overlap(start, end, region);
        ensure(!overlaps, code::MEM_COPY_OVERLAP)?;
        let index = queue.device_index();
        let from = Place::of_image(&source, index, start, region, false)?;
        let to = Place::of_image(&destination, index, end, region, true)?;
        let command = copy(&from, &to, (region.iter().product::<usize>() * shape(&source)?.pixel_size()) as u64)?;
        queue.enqueue(CL_COMMAND_COPY_IMAGE, command, &order, false, &[&source, &destination]).map(drop)
    }

    /// `clEnqueueCopyImageToBuffer`.
    fn clEnqueueCopyImageToBuffer(
        queue: Handle<Queue>,
        source: Handle<Memory>,
        destination: Handle<Memory>,
        origin: In<usize>,
        region: In<usize>,
        offset: usize,
        count: u32,
        waits: In<Handle<Event>>,
        event: Out<Handle<Event>>,
    ) {
        let queue = queue.get()?;
        let source = image_for(&queue, source)?;
        let destination = buffer_for(&queue, destination)?;
        let order = queue.order(count, waits, event)?;
        let image = shape(&source)?;
        let (origin, region) = (origin.triple()?, region.triple()?);
        image.check_region(origin, region)?;
        destination.check_range(offset, region.iter().product::<usize>() * image.pixel_size())?;
        let index = queue.device_index();
        let from = Place::of_image(&source, index, origin, region, false)?;
        let (buffer, base) = destination.buffer_on(index, true)?;
        let bytes = region.iter().product::<usize>() * image.pixel_size();
        let command = copy(&from, &Place::Buffer(buffer, base + offset as u64), bytes as u64)?;
        let uses = [&source, &destination];
        queue.enqueue(CL_COMMAND_COPY_IMAGE_TO_BUFFER, command, &order, false, &uses).map(drop)
    }

    /// `clEnqueueCopyBufferToImage`.
    fn clEnqueueCopyBufferToImage(
        queue: Handle<Queue>,
        source: Handle<Memory>,
        destination: Handle<Memory>,
        offset: usize,
        origin: In<usize>,
        region: In<usize>,
        count: u32,
        waits: In<Handle<Event>>,
        event: Out<Handle<Event>>,
    ) {
        let queue = queue.get()?;
        let source = buffer_for(&queue, source)?;
        let destination = image_for(&queue, destination)?;
        let order = queue.order(count, waits, event)?;
        let image = shape(&destination)?;
        let (origin, region) = (origin.triple()?, region.triple()?);
        image.check_region(origin, region)?;
        source.check_range(offset, region.iter().product::<usize>() * image.pixel_size())?;
        let index = queue.device_index();
        let (buffer, base) = source.buffer_on(index, false)?;
        let to = Place::of_image(&destination, index, origin, region, true)?;
        let bytes = region.iter().product::<usize>() * image.pixel_size();
        let command = copy(&Place::Buffer(buffer, base + offset as u64), &to, bytes as u64)?;
        let uses = [&source, &destination];
        queue.enqueue(CL_COMMAND_COPY_BUFFER_TO_IMAGE, command, &order, false, &uses).map(drop)
    }
}
