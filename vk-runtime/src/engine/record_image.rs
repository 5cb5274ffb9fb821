//! What a slot records for the pixels of images: copies, fills, and the copies around launches whose images
//! lie in buffers.

use crate::engine::arena::Piece;
use crate::engine::arguments::BufferPixels;
use crate::engine::buffer::BufferInner;
use crate::engine::fill::Pattern;
use crate::engine::image::{ImageInner, ImageRegion};
use crate::engine::record::STAGING_ALIGNMENT;
use crate::engine::slot::{DEVICE_ACCESSES, DEVICE_STAGES, DEVICE_WRITES, Keep, Slot};
use crate::engine::transfer::{Pitches, buffer_regions};
use crate::vulkan::error::Result;
use ash::vk;
use vk::ImageLayout as Layout;

/// Bytes of pixels that are uploaded to fill an image.
const PIXELS: u64 = 256 << 10;

impl Slot {
    pub(crate) fn copy_image(
        &mut self,
        source: &ImageInner,
        destination: &ImageInner,
        from: &ImageRegion,
        to: &ImageRegion,
    ) -> Result<()> {
        if source.dimension() != destination.dimension() {
            return self.copy_reshaped(source, destination, from, to);
        }
        let ((src_subresource, src_offset, extent), (dst_subresource, dst_offset, _)) =
            (source.place(from), destination.place(to));
        let region = vk::ImageCopy { src_subresource, src_offset, dst_subresource, dst_offset, extent };
        let (from, to, layout) = (source.raw(), destination.raw(), Layout::GENERAL);
        let device = self.heap.logical.raw();
        // SAFETY: see the module `slot`; the regions lie in the images and do not overlap.
        unsafe { device.cmd_copy_image(self.buffer, from, layout, to, layout, &[region]) };
        Ok(())
    }

    /// Copies through a buffer, since Vulkan does not copy layers to rows.
    fn copy_reshaped(
        &mut self,
        source: &ImageInner,
        destination: &ImageInner,
        from: &ImageRegion,
        to: &ImageRegion,
    ) -> Result<()> {
        let piece = self.upload.take(&self.heap, source.shape(from).size(), STAGING_ALIGNMENT)?;
        self.copy_from_image(source, &piece.buffer, &[source.buffer_copy(from, piece.offset)]);
        self.barrier();
        self.copy_to_image(&piece.buffer, destination, &[destination.buffer_copy(to, piece.offset)]);
        self.hazards.note(&[destination.access(true)], false);
        self.keeps.push(Keep::Buffer(piece.buffer));
        Ok(())
    }

    pub(crate) fn fill_image(
        &mut self,
        image: &ImageInner,
        region: &ImageRegion,
        pixel: &Pattern,
    ) -> Result<()> {
        let shape = image.shape(region);
        let rows = (PIXELS / shape.row).clamp(1, shape.rows) as u32;
        let piece = self.repeated(pixel, shape.row * u64::from(rows))?;
        let mut regions: Vec<vk::BufferImageCopy> = Vec::new();
        // The second dimension of a box counts its rows, also if they are layers.
        for slice in 0..region.extent[2] {
            for row in (0..region.extent[1]).step_by(rows as usize) {
                let [x, y, z] = region.origin;
                let part = ImageRegion {
                    origin: [x, y + row, z + slice],
                    extent: [region.extent[0], rows.min(region.extent[1] - row), 1],
                    level: region.level,
                };
                regions.push(image.buffer_copy(&part, piece.offset));
            }
        }
        self.copy_to_image(&piece.buffer, image, &regions);
        self.keeps.push(Keep::Buffer(piece.buffer));
        Ok(())
    }

    pub(crate) fn copy_to_image(
        &mut self,
        buffer: &BufferInner,
        image: &ImageInner,
        regions: &[vk::BufferImageCopy],
    ) {
        let device = self.heap.logical.raw();
        let (from, to, layout) = (buffer.raw(), image.raw(), Layout::GENERAL);
        // SAFETY: see the module `slot`; the regions lie in the image and the buffer holds them.
        unsafe { device.cmd_copy_buffer_to_image(self.buffer, from, to, layout, regions) }
    }

    pub(crate) fn copy_from_image(
        &mut self,
        image: &ImageInner,
        buffer: &BufferInner,
        regions: &[vk::BufferImageCopy],
    ) {
        let device = self.heap.logical.raw();
        let (from, to, layout) = (image.raw(), buffer.raw(), Layout::GENERAL);
        // SAFETY: see the module `slot`; the regions lie in the image and the buffer has room for them.
        unsafe { device.cmd_copy_image_to_buffer(self.buffer, from, layout, to, regions) }
    }

    /// Intermediate device memory, for offsets that image copies do not accept.
    fn realign(&mut self, image: &ImageInner, region: &ImageRegion, offset: u64) -> Result<Option<Piece>> {
        if offset.is_multiple_of(image.offset_alignment()) {
            return Ok(None);
        }
        self.upload.take(&self.heap, image.shape(region).size(), STAGING_ALIGNMENT).map(Some)
    }

    pub(crate) fn buffer_to_image(
        &mut self,
        buffer: &BufferInner,
        (offset, pitches): (u64, Pitches),
        image: &ImageInner,
        region: &ImageRegion,
    ) -> Result<()> {
        let Some(piece) = self.realign(image, region, offset)? else {
            self.copy_to_image(buffer, image, &image.pitched_copies(region, offset, pitches));
            return Ok(());
        };
        let shape = image.shape(region);
        let packed = (piece.offset, Pitches::packed(shape));
        self.copy_buffer(buffer, &piece.buffer, &buffer_regions((offset, pitches), packed, shape));
        self.barrier();
        self.copy_to_image(&piece.buffer, image, &[image.buffer_copy(region, piece.offset)]);
        self.hazards.note(&[image.access(true)], false);
        self.keeps.push(Keep::Buffer(piece.buffer));
        Ok(())
    }

    pub(crate) fn image_to_buffer(
        &mut self,
        image: &ImageInner,
        region: &ImageRegion,
        buffer: &BufferInner,
        (offset, pitches): (u64, Pitches),
    ) -> Result<()> {
        let Some(piece) = self.realign(image, region, offset)? else {
            self.copy_from_image(image, buffer, &image.pitched_copies(region, offset, pitches));
            return Ok(());
        };
        let shape = image.shape(region);
        self.copy_from_image(image, &piece.buffer, &[image.buffer_copy(region, piece.offset)]);
        self.barrier();
        let packed = (piece.offset, Pitches::packed(shape));
        self.copy_buffer(&piece.buffer, buffer, &buffer_regions(packed, (offset, pitches), shape));
        let end = offset + pitches.extent(shape);
        self.hazards.note(&[buffer.access(offset..end, true)], false);
        self.keeps.push(Keep::Buffer(piece.buffer));
        Ok(())
    }

    /// Brings the pixels of buffers into the images that a launch uses in their place.
    pub(crate) fn load_pixels(&mut self, pixels: &[BufferPixels]) {
        for BufferPixels { buffer, offset, pitches, image, region, .. } in pixels {
            self.copy_to_image(buffer, image, &image.pitched_copies(region, *offset, *pitches));
        }
        self.barrier();
    }

    /// Brings the pixels that a launch may have written back into the buffers.
    pub(crate) fn store_pixels(&mut self, pixels: &[BufferPixels]) {
        if !pixels.iter().any(|pixels| pixels.written) {
            return;
        }
        self.barrier();
        for BufferPixels { buffer, offset, pitches, image, region, .. } in
            pixels.iter().filter(|pixels| pixels.written)
        {
            self.copy_from_image(image, buffer, &image.pitched_copies(region, *offset, *pitches));
        }
    }

    pub(crate) fn prepare_image(&mut self, image: &ImageInner) {
        let barrier = vk::ImageMemoryBarrier::default()
            .image(image.raw())
            .subresource_range(image.whole())
            .old_layout(Layout::UNDEFINED)
            .new_layout(Layout::GENERAL)
            .src_queue_family_index(vk::QUEUE_FAMILY_IGNORED)
            .dst_queue_family_index(vk::QUEUE_FAMILY_IGNORED)
            .src_access_mask(DEVICE_WRITES)
            .dst_access_mask(DEVICE_ACCESSES);
        let (stages, none) = (DEVICE_STAGES, vk::DependencyFlags::empty());
        let device = self.heap.logical.raw();
        // SAFETY: see the module `slot`; the image is new.
        unsafe { device.cmd_pipeline_barrier(self.buffer, stages, stages, none, &[], &[], &[barrier]) }
    }
}
