//! What makes a memory object an image.

use super::memory::Memory;
use crate::border::In;
use crate::cl::*;
use crate::code::{self, Result, ensure};
use crate::handle::Handle;
use crate::info::{self, Answer};
use clvk_ir::{ImageDimension, ImageType};
use std::sync::Arc;
use vk_runtime::{ChannelOrder, ImageDescription, ImageFormat, Rectangle};

/// Shape and format of an image.
#[derive(Clone)]
pub struct Image {
    /// As the application gave it.
    pub format: cl_image_format,
    /// The runtime's.
    pub pixel: ImageFormat,
    /// `CL_MEM_OBJECT_IMAGE2D` and so on.
    pub object_type: cl_mem_object_type,
    /// Pixels in a row.
    pub width: usize,
    /// Rows; 0 where the type has none.
    pub height: usize,
    /// Slices; 0 where the type has none.
    pub depth: usize,
    /// Layers; 0 where the type has none.
    pub array_size: usize,
    /// Bytes from row to row in host memory.
    pub row_pitch: usize,
    /// Bytes from slice to slice or layer to layer in host memory; 0 if the type has neither.
    pub slice_pitch: usize,
    /// Levels of detail, as the application gave them: 0 for an image without any.
    pub levels: u32,
    /// The buffer that holds its pixels.
    pub buffer: Option<Arc<Memory>>,
    /// The position of a device in the context, if the buffer is memory that was imported for this image
    /// there. The application does not know such a buffer.
    pub imported_on: Option<usize>,
}

/// Where a region of an image begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Origin {
    /// First pixel, row or layer, and slice or layer.
    pub pixel: [usize; 3],
    /// Level of detail.
    pub level: u32,
}

/// Least alignment of images in buffers and of their pitches, in bytes. The copies need only that of the
/// pixels, but Khronos' tests demand that one byte more is refused.
pub const LEAST_ALIGNMENT: usize = 2;

/// Whether images of a type may have a format: depth images are two-dimensional (OpenCL C §6.3.3).
pub fn has_shape(format: ImageFormat, image_type: cl_mem_object_type) -> bool {
    format.order != ChannelOrder::Depth
        || matches!(image_type, CL_MEM_OBJECT_IMAGE2D | CL_MEM_OBJECT_IMAGE2D_ARRAY)
}

impl Image {
    /// The buffer that the application created it from.
    pub fn parent(&self) -> Option<&Arc<Memory>> {
        self.buffer.as_ref().filter(|_| self.imported_on.is_none())
    }

    /// Bytes of a pixel.
    pub fn pixel_size(&self) -> usize {
        self.pixel.pixel_size() as usize
    }

    /// The shape as kernels see it.
    pub fn dimension(&self) -> ImageDimension {
        match self.object_type {
            CL_MEM_OBJECT_IMAGE1D => ImageDimension::D1,
            CL_MEM_OBJECT_IMAGE1D_ARRAY => ImageDimension::D1Array,
            CL_MEM_OBJECT_IMAGE1D_BUFFER => ImageDimension::D1Buffer,
            CL_MEM_OBJECT_IMAGE2D_ARRAY => ImageDimension::D2Array,
            CL_MEM_OBJECT_IMAGE3D => ImageDimension::D3,
            _ => ImageDimension::D2,
        }
    }

    /// Whether it can be an argument for this parameter.
    pub fn fits(&self, parameter: &ImageType) -> bool {
        let is_depth = self.pixel.order == ChannelOrder::Depth;
        self.dimension() == parameter.dimension.without_depth() && is_depth == parameter.dimension.is_depth()
    }

    /// Pixels, rows or layers, and slices or layers of the first level: the bounds of origins and regions.
    pub fn extent(&self) -> [usize; 3] {
        self.extent_of(0)
    }

    /// The same for a level.
    fn extent_of(&self, level: u32) -> [usize; 3] {
        let lesser = |size: usize| size.checked_shr(level).unwrap_or(0).max(usize::from(size > 0));
        let [width, height, depth] = [self.width, self.height, self.depth].map(lesser);
        match self.object_type {
            CL_MEM_OBJECT_IMAGE1D | CL_MEM_OBJECT_IMAGE1D_BUFFER => [width, 1, 1],
            CL_MEM_OBJECT_IMAGE1D_ARRAY => [width, self.array_size, 1],
            CL_MEM_OBJECT_IMAGE2D_ARRAY => [width, height, self.array_size],
            CL_MEM_OBJECT_IMAGE3D => [width, height, depth],
            _ => [width, height, 1],
        }
    }

    /// The origin that an application gives. For images with levels of detail, the level follows the
    /// coordinates (cl_khr_mipmap_image).
    pub fn origin(&self, given: In<usize>) -> Result<Origin> {
        let mut pixel = given.triple()?;
        if self.levels < 2 {
            return Ok(Origin { pixel, level: 0 });
        }
        let axis = match self.object_type {
            CL_MEM_OBJECT_IMAGE1D => 1,
            CL_MEM_OBJECT_IMAGE1D_ARRAY | CL_MEM_OBJECT_IMAGE2D => 2,
            _ => 3,
        };
        let level = match pixel.get_mut(axis) {
            Some(place) => std::mem::take(place),
            None => given.fourth()?,
        };
        let level = u32::try_from(level).ok().filter(|&level| level < self.levels);
        Ok(Origin { pixel, level: level.ok_or(code::INVALID_MIP_LEVEL)? })
    }

    /// Bytes of all pixels in linear memory; the largest number if there are more.
    pub fn host_size(&self) -> usize {
        let [width, height, depth] = self.extent();
        match self.object_type {
            CL_MEM_OBJECT_IMAGE1D | CL_MEM_OBJECT_IMAGE1D_BUFFER => width.saturating_mul(self.pixel_size()),
            CL_MEM_OBJECT_IMAGE1D_ARRAY => self.slice_pitch.saturating_mul(self.array_size),
            CL_MEM_OBJECT_IMAGE2D => self.row_pitch.saturating_mul(height),
            _ => self.slice_pitch.saturating_mul(depth),
        }
    }

    /// Where a pixel, and the rows and slices after it, lie in the image's buffer.
    pub fn place_in_buffer(&self, origin: [usize; 3]) -> Rectangle {
        self.rectangle(self.host_offset(origin), [self.row_pitch, self.slice_pitch])
    }

    /// Pixels from a byte of linear memory on, with these pitches. Layers of rows are like rows.
    pub fn rectangle(&self, offset: usize, [row, slice]: [usize; 2]) -> Rectangle {
        let of_rows = self.object_type == CL_MEM_OBJECT_IMAGE1D_ARRAY;
        Rectangle {
            offset: offset as u64,
            row_pitch: if of_rows { slice } else { row } as u64,
            slice_pitch: slice as u64,
        }
    }

    /// A region in bytes, rows and slices.
    pub fn byte_region(&self, [width, rows, slices]: [usize; 3]) -> [u64; 3] {
        [(width * self.pixel_size()) as u64, rows as u64, slices as u64]
    }

    /// The runtime's description.
    pub fn description(&self) -> ImageDescription {
        let positive = |size: usize| size.max(1) as u32;
        ImageDescription {
            dimension: match self.dimension().without_depth() {
                ImageDimension::D1 => clvk_interface::ImageDimension::D1,
                ImageDimension::D1Array => clvk_interface::ImageDimension::D1Array,
                ImageDimension::D1Buffer => clvk_interface::ImageDimension::D1Buffer,
                ImageDimension::D2 => clvk_interface::ImageDimension::D2,
                ImageDimension::D2Array => clvk_interface::ImageDimension::D2Array,
                _ => clvk_interface::ImageDimension::D3,
            },
            format: self.pixel,
            width: positive(self.width),
            height: positive(self.height),
            depth: positive(self.depth),
            layers: positive(self.array_size),
            levels: self.levels.max(1),
        }
    }

    /// Checks an origin and a region of a transfer (OpenCL API §5.3.3).
    pub fn check_region(&self, Origin { pixel: origin, level }: Origin, region: [usize; 3]) -> Result<()> {
        let extent = self.extent_of(level);
        for axis in 0..3 {
            ensure(region[axis] > 0, code::INVALID_VALUE)?;
            let end = origin[axis].checked_add(region[axis]).ok_or(code::INVALID_VALUE)?;
            ensure(end <= extent[axis], code::INVALID_VALUE)?;
        }
        Ok(())
    }

    /// Checks the pitches of a transfer of this region, and replaces zeros by their meaning.
    pub fn pitches(&self, region: [usize; 3], row: usize, slice: usize) -> Result<[usize; 2]> {
        let row_bytes = region[0] * self.pixel_size();
        ensure(row == 0 || row >= row_bytes, code::INVALID_VALUE)?;
        let row = if row == 0 { row_bytes } else { row };
        // The slice pitch is the distance between layers.
        if self.object_type == CL_MEM_OBJECT_IMAGE1D_ARRAY {
            ensure(slice == 0 || slice >= row, code::INVALID_VALUE)?;
            return Ok([row, if slice == 0 { row } else { slice }]);
        }
        let has_slices = matches!(self.object_type, CL_MEM_OBJECT_IMAGE3D | CL_MEM_OBJECT_IMAGE2D_ARRAY);
        ensure(slice == 0 || has_slices, code::INVALID_VALUE)?;
        ensure(slice == 0 || slice >= row * region[1], code::INVALID_VALUE)?;
        Ok([row, if slice == 0 { row * region[1] } else { slice }])
    }

    /// The offset of a pixel in host memory.
    pub fn host_offset(&self, [x, y, z]: [usize; 3]) -> usize {
        let start = x * self.pixel_size();
        match self.object_type {
            CL_MEM_OBJECT_IMAGE1D_ARRAY => start + y * self.slice_pitch,
            _ => start + y * self.row_pitch + z * self.slice_pitch,
        }
    }

    /// Bytes from the start to the end of a region with these pitches.
    pub fn bytes(&self, region: [usize; 3], [row, slice]: [usize; 2]) -> usize {
        let line = region[0] * self.pixel_size();
        match self.object_type {
            CL_MEM_OBJECT_IMAGE1D_ARRAY => (region[1] - 1) * slice + line,
            _ => (region[2] - 1) * slice + (region[1] - 1) * row + line,
        }
    }

    /// Answers a query.
    pub fn query(&self, name: cl_image_info) -> Result<Answer> {
        match name {
            CL_IMAGE_FORMAT => info::value(self.format),
            CL_IMAGE_ELEMENT_SIZE => info::value(self.pixel_size()),
            CL_IMAGE_ROW_PITCH => info::value(self.row_pitch),
            CL_IMAGE_SLICE_PITCH => info::value(self.slice_pitch),
            CL_IMAGE_WIDTH => info::value(self.width),
            CL_IMAGE_HEIGHT => info::value(self.height),
            CL_IMAGE_DEPTH => info::value(self.depth),
            CL_IMAGE_ARRAY_SIZE => info::value(self.array_size),
            CL_IMAGE_BUFFER => info::value(self.parent().map_or(Handle::NULL, Handle::of)),
            CL_IMAGE_NUM_MIP_LEVELS => info::value(self.levels),
            CL_IMAGE_NUM_SAMPLES => info::value(0u32),
            _ => Err(code::INVALID_VALUE),
        }
    }
}

/// The pixels of the application's memory without padding.
pub fn packed(bytes: &[u8], image: &ImageDescription, row_pitch: usize, slice_pitch: usize) -> Vec<u8> {
    let row = image.width as usize * image.format.pixel_size() as usize;
    let planar = slice_pitch == 0;
    // Layers of one-dimensional images are one row each.
    let rows = image.height as usize;
    let slices = (image.depth * image.layers) as usize;
    let mut out = Vec::with_capacity(row * rows * slices);
    for slice in 0..slices {
        for line in 0..rows {
            let start = if planar { line * row_pitch } else { slice * slice_pitch + line * row_pitch };
            out.extend_from_slice(&bytes[start..start + row]);
        }
    }
    out
}
