//! Transfers between the host, images and buffers.

use super::recipe::{CopyPixels, FillImage, image_for, runtime_region, shape};
use super::recorder::recipes;
use super::transfer::{Direction, Transfer, transfers};
use crate::border::{HostMemory, In, Out};
use crate::cl::*;
use crate::code::Result;
use crate::handle::Handle;
use crate::object::event::Event;
use crate::object::memory::Memory;
use crate::object::queue::Queue;
use std::ffi::c_void;
use vk_runtime::Command;

/// Transfers a box of pixels. The pitches are those of row and slice in the host's memory.
fn transfer_pixels(
    transfer: Transfer,
    origin: In<usize>,
    region: In<usize>,
    [row, slice]: [usize; 2],
) -> Result<()> {
    let memory = transfer.memory();
    let image = shape(memory)?;
    let (origin, region) = (image.origin(origin)?, region.triple()?);
    image.check_region(origin, region)?;
    let [row, slice] = image.pitches(region, row, slice)?;
    transfer.check_access()?;
    let kinds = [CL_COMMAND_READ_IMAGE, CL_COMMAND_WRITE_IMAGE];
    if memory.lies_in_buffer() {
        let (place, host) = (image.place_in_buffer(origin.pixel), image.rectangle(0, [row, slice]));
        let region = image.byte_region(region);
        return transfer.enqueue_box(kinds, &place, &host, region);
    }
    let [row, slice] = [row as u64, slice as u64];
    let (image, host, place) = (transfer.image()?, transfer.host()?, runtime_region(origin, region));
    let command = match transfer.direction() {
        // SAFETY: the application vouches for the pixels until the command is complete (OpenCL API §5.3.3).
        Direction::Read => unsafe { Command::read_image(image, &place, host, row, slice) },
        // SAFETY: as above.
        Direction::Write => unsafe { Command::write_image(image, &place, host, row, slice) },
    };
    transfer.enqueue(kinds, command?)
}

transfers! {
    clEnqueueReadImage, clEnqueueWriteImage of image_for(
        origin: In<usize>,
        region: In<usize>,
        row_pitch: usize,
        slice_pitch: usize,
    ) |transfer| transfer_pixels(transfer, origin, region, [row_pitch, slice_pitch]);
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
