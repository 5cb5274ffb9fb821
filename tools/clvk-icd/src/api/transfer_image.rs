//! Transfers between the host, images and buffers.

use super::recipe::{self, CopyPixels, FillImage, image_for, runtime_region, shape};
use super::transfer::Direction;
use crate::border::{HostMemory, In, Out};
use crate::cl::*;
use crate::code::{self, Result, ensure};
use crate::entry::status;
use crate::handle::Handle;
use crate::object::event::Event;
use crate::object::memory::Memory;
use crate::object::queue::Queue;
use std::ffi::c_void;
use vk_runtime::Command;

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
        let (origin, region) = (image.origin(self.origin)?, self.region.triple()?);
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
            let (offset, size) = memory.texel_range(origin.pixel, region)?;
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
        let fill = FillImage::new(&queue, image, color, origin, region)?;
        recipe::enqueue(&queue, &fill, count, waits, event)
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
        let origins = [source_origin, destination_origin];
        let copy = CopyPixels::between_images(&queue, [source, destination], origins, region)?;
        recipe::enqueue(&queue, &copy, count, waits, event)
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
        let copy = CopyPixels::to_buffer(&queue, [source, destination], origin, region, offset)?;
        recipe::enqueue(&queue, &copy, count, waits, event)
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
        let copy = CopyPixels::from_buffer(&queue, [source, destination], offset, origin, region)?;
        recipe::enqueue(&queue, &copy, count, waits, event)
    }
}
