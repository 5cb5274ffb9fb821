//! Transfers between the host, images and buffers.

use super::recipe::{CopyPixels, FillImage, image_for, runtime_region, shape};
use super::recorder::recipes;
use super::transfer::{Direction, transfers};
use crate::border::{HostMemory, In, Out};
use crate::cl::*;
use crate::code::{self, Result, ensure};
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
            // SAFETY: the application vouches for the pixels until the command is complete (OpenCL API
            // §5.3.3).
            let command = unsafe { direction.bytes(buffer, offset, data, size) };
            let blocking = self.blocking != CL_FALSE;
            return queue.enqueue(kind, command?, &order, blocking, &[&memory]).map(drop);
        }
        let on_device = memory.image_on(index, writes)?;
        let (place, row, slice) = (runtime_region(origin, region), row as u64, slice as u64);
        let command = match direction {
            // SAFETY: the application vouches for the pixels until the command is complete (OpenCL API
            // §5.3.3).
            Direction::Read => unsafe { Command::read_image(on_device, &place, data, row, slice) },
            // SAFETY: as above.
            Direction::Write => unsafe { Command::write_image(on_device, &place, data, row, slice) },
        };
        queue.enqueue(kind, command?, &order, self.blocking != CL_FALSE, &[&memory]).map(drop)
    }
}

transfers! {
    clEnqueueReadImage, clEnqueueWriteImage(
        image: Handle<Memory>,
        blocking: cl_bool,
        origin: In<usize>,
        region: In<usize>,
        row_pitch: usize,
        slice_pitch: usize,
        host: HostMemory,
    ) |queue| Transfer { queue, image, blocking, origin, region, pitches: [row_pitch, slice_pitch], host };
}

recipes! {
    clEnqueueFillImage, clCommandFillImageKHR(
        image: Handle<Memory>,
        color: In<c_void>,
        origin: In<usize>,
        region: In<usize>,
    ) |queue| FillImage::new(queue, image, color, origin, region);

    clEnqueueCopyImage, clCommandCopyImageKHR(
        source: Handle<Memory>,
        destination: Handle<Memory>,
        source_origin: In<usize>,
        destination_origin: In<usize>,
        region: In<usize>,
    ) |queue| {
        let origins = [source_origin, destination_origin];
        CopyPixels::between_images(queue, [source, destination], origins, region)
    };

    clEnqueueCopyImageToBuffer, clCommandCopyImageToBufferKHR(
        source: Handle<Memory>,
        destination: Handle<Memory>,
        origin: In<usize>,
        region: In<usize>,
        offset: usize,
    ) |queue| CopyPixels::to_buffer(queue, [source, destination], origin, region, offset);

    clEnqueueCopyBufferToImage, clCommandCopyBufferToImageKHR(
        source: Handle<Memory>,
        destination: Handle<Memory>,
        offset: usize,
        origin: In<usize>,
        region: In<usize>,
    ) |queue| CopyPixels::from_buffer(queue, [source, destination], offset, origin, region);
}
