//! Images in device memory.
//!
//! An image has Vulkan's optimal tiling and is always in the layout `GENERAL`. Data goes through staging
//! buffers.

use crate::engine::hazard::Access;
use crate::engine::transfer::{Pitches, Shape};
use crate::vulkan::capabilities::Limits;
use crate::vulkan::error::{Error, Result};
use crate::vulkan::format::ImageFormat;
use crate::vulkan::format_support::RawFormat;
use crate::vulkan::handle::{Owned, next_number};
use crate::vulkan::memory::{Heap, Memory, MemoryUse};
use crate::vulkan::physical_device::DeviceInfo;
use ash::vk;
use clvk_interface::{ImageDimension, MOST_LEVELS};
use smallvec::{SmallVec, smallvec};
use std::fmt;

/// Shape and format of an image.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ImageDescription {
    /// Shape.
    pub dimension: ImageDimension,
    /// Format of a pixel.
    pub format: ImageFormat,
    /// Pixels in a row.
    pub width: u32,
    /// Rows; 1 for one-dimensional images.
    pub height: u32,
    /// Slices; 1 except for three-dimensional images.
    pub depth: u32,
    /// Layers of an array; 1 for other images.
    pub layers: u32,
    /// Levels of detail, each half the size of the one before; 1 for an image without others.
    pub levels: u32,
}

impl ImageDescription {
    /// A two-dimensional image.
    #[must_use]
    pub fn planar(format: ImageFormat, width: u32, height: u32) -> Self {
        ImageDescription {
            dimension: ImageDimension::D2,
            format,
            width,
            height,
            depth: 1,
            layers: 1,
            levels: 1,
        }
    }

    /// A three-dimensional image.
    #[must_use]
    pub fn spatial(format: ImageFormat, width: u32, height: u32, depth: u32) -> Self {
        ImageDescription { dimension: ImageDimension::D3, format, width, height, depth, layers: 1, levels: 1 }
    }

    /// Bytes of all pixels, level after level, row after row, slice after slice, without padding.
    #[must_use]
    pub fn byte_size(&self) -> u64 {
        (0..self.levels).map(|level| self.level_size(level)).fold(0, u64::saturating_add)
    }

    /// Bytes of all pixels of a level.
    #[must_use]
    pub fn level_size(&self, level: u32) -> u64 {
        let pixel = u64::from(self.format.pixel_size());
        self.sizes(level).iter().fold(pixel, |size, &factor| size.saturating_mul(u64::from(factor)))
    }

    /// Sizes of a level as OpenCL counts them: the layers of an array are its last dimension.
    #[must_use]
    pub fn sizes(&self, level: u32) -> [u32; 3] {
        let lesser = |size: u32| size.checked_shr(level).unwrap_or(0).max(1);
        let [width, height, depth] = [self.width, self.height, self.depth].map(lesser);
        match self.dimension {
            ImageDimension::D1Array => [width, self.layers, 1],
            ImageDimension::D2Array => [width, height, self.layers],
            _ => [width, height, depth],
        }
    }

    /// Levels of detail that an image of this size can have: down to one pixel.
    #[must_use]
    pub fn most_levels(&self) -> u32 {
        let largest = self.width.max(self.height).max(self.depth);
        (largest.max(1).ilog2() + 1).min(MOST_LEVELS)
    }
}

/// A part of an image, in pixels. Sizes are OpenCL's: the layers of an array are its last dimension, which is
/// the second one of an array of one-dimensional images. Dimensions that an image lacks have origin 0 and
/// extent 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ImageRegion {
    /// First pixel, row and slice or layer.
    pub origin: [u32; 3],
    /// Number of them.
    pub extent: [u32; 3],
    /// Level of detail.
    pub level: u32,
}

impl fmt::Display for ImageDescription {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}×{}", self.width, self.height)?;
        if self.depth > 1 {
            write!(f, "×{}", self.depth)?;
        }
        if self.layers > 1 {
            write!(f, " with {} layers", self.layers)?;
        }
        if self.levels > 1 {
            write!(f, " with {} levels", self.levels)?;
        }
        write!(f, " of {}", self.format)
    }
}

/// The part of an image that in-flight work keeps alive.
pub(crate) struct ImageInner {
    // Destroyed in this order: views, image, memory.
    /// For kernels that only read.
    view: Owned<vk::ImageView>,
    /// Of the first level of detail, for kernels that only read; none if the view above serves.
    first_level: Option<Owned<vk::ImageView>>,
    /// For kernels that may write, of each level of detail; empty if the view above serves.
    written_levels: Vec<Owned<vk::ImageView>>,
    raw: Owned<vk::Image>,
    _memory: Memory,
    usage: vk::ImageUsageFlags,
    dimension: ImageDimension,
    pixel_size: u32,
    id: u64,
}

impl ImageInner {
    /// An image whose shape and format were checked ([`check_shape`], [`usable_format`]), in no layout yet.
    pub(crate) fn new(heap: &Heap, description: &ImageDescription, format: &RawFormat) -> Result<Self> {
        let logical = &heap.logical;
        let (kind, view_kind) = kinds(description.dimension);
        let info = vk::ImageCreateInfo::default()
            .flags(format.flags)
            .image_type(kind)
            .format(format.format)
            .extent(vk::Extent3D {
                width: description.width,
                height: description.height,
                depth: description.depth,
            })
            .mip_levels(description.levels)
            .array_layers(description.layers)
            .samples(vk::SampleCountFlags::TYPE_1)
            .tiling(vk::ImageTiling::OPTIMAL)
            .usage(format.usage)
            .sharing_mode(vk::SharingMode::EXCLUSIVE)
            .initial_layout(vk::ImageLayout::UNDEFINED);
        // SAFETY: the create info has no pointers; shape, format and usage were checked against the device.
        let raw =
            unsafe { logical.raw().create_image(&info, None) }.map_err(Error::vulkan("create an image"))?;
        // SAFETY: just created from this device.
        let raw = unsafe { Owned::new(logical, raw) };
        // SAFETY: the image is of this device.
        let requirements = unsafe { logical.raw().get_image_memory_requirements(raw.get()) };
        let memory = heap.allocator.allocate("an image", requirements, false, MemoryUse::Device)?;
        let (object, offset) = memory.location();
        // SAFETY: the memory was allocated for this image's requirements and outlives it by the order of the
        // fields.
        unsafe { logical.raw().bind_image_memory(raw.get(), object, offset) }
            .map_err(Error::vulkan("bind memory to an image"))?;
        let view_of = |format: vk::Format, usage: vk::ImageUsageFlags, first: u32, count: u32| {
            let mut usage = vk::ImageViewUsageCreateInfo::default().usage(usage);
            let info = vk::ImageViewCreateInfo::default()
                .image(raw.get())
                .view_type(view_kind)
                .format(format)
                .subresource_range(part(first, count, description.layers))
                .push_next(&mut usage);
            // SAFETY: the image is bound. The view has its format, or the other one that it was created for,
            // and only usages of the image that this format supports. It covers levels and layers of the
            // image.
            let view = unsafe { logical.raw().create_image_view(&info, None) }
                .map_err(Error::vulkan("create an image view"))?;
            // SAFETY: just created from this device.
            Ok(unsafe { Owned::new(logical, view) })
        };
        let (sampled, storage) = (vk::ImageUsageFlags::SAMPLED, vk::ImageUsageFlags::STORAGE);
        let (levels, written) = (description.levels, format.written);
        let one_view = levels == 1 && format.format == written;
        let usage = if one_view { format.usage } else { format.usage & !storage };
        let usage = usage & (sampled | storage);
        // An image that is only written has only the views for writing.
        let (view_format, usage) = if usage.is_empty() { (written, storage) } else { (format.format, usage) };
        let view = view_of(view_format, usage, 0, levels)?;
        let is_apart = levels > 1 && usage.contains(sampled);
        let first_level = is_apart.then(|| view_of(view_format, usage, 0, 1)).transpose()?;
        let separate = !one_view && format.usage.contains(storage);
        let written_levels = (0..if separate { levels } else { 0 })
            .map(|level| view_of(written, storage, level, 1))
            .collect::<Result<_>>()?;
        Ok(ImageInner {
            view,
            first_level,
            written_levels,
            raw,
            _memory: memory,
            usage: format.usage,
            dimension: description.dimension,
            pixel_size: description.format.pixel_size(),
            id: next_number(),
        })
    }

    /// What it can be used for.
    pub(crate) fn usage(&self) -> vk::ImageUsageFlags {
        self.usage
    }

    pub(crate) fn raw(&self) -> vk::Image {
        self.raw.get()
    }

    /// Of all of it, for kernels that only read.
    pub(crate) fn view(&self) -> vk::ImageView {
        self.view.get()
    }

    /// Of the first level of detail, for kernels that only read.
    pub(crate) fn first_level(&self) -> vk::ImageView {
        self.first_level.as_ref().unwrap_or(&self.view).get()
    }

    /// Of a level of detail, or of the last one that there is, for kernels that may write.
    pub(crate) fn written_level(&self, level: u32) -> vk::ImageView {
        let views = &self.written_levels;
        views.get(level as usize).or(views.last()).map_or_else(|| self.view(), Owned::get)
    }

    /// All of it.
    pub(crate) fn whole(&self) -> vk::ImageSubresourceRange {
        part(0, vk::REMAINING_MIP_LEVELS, vk::REMAINING_ARRAY_LAYERS)
    }

    pub(crate) fn dimension(&self) -> ImageDimension {
        self.dimension
    }

    /// Whether its second dimension counts layers.
    pub(crate) fn is_array_of_rows(&self) -> bool {
        self.dimension == ImageDimension::D1Array
    }

    /// The bytes of a part.
    pub(crate) fn shape(&self, region: &ImageRegion) -> Shape {
        let [width, rows, slices] = region.extent.map(u64::from);
        Shape { row: width * u64::from(self.pixel_size), rows, slices }
    }

    /// Alignment of the offsets of pixels in buffers.
    pub(crate) fn offset_alignment(&self) -> u64 {
        u64::from(self.pixel_size)
    }

    /// A part in Vulkan's terms.
    pub(crate) fn place(
        &self,
        region: &ImageRegion,
    ) -> (vk::ImageSubresourceLayers, vk::Offset3D, vk::Extent3D) {
        let ([x, y, z], [width, height, depth]) = (region.origin, region.extent);
        let (first, layers, [y, z], [height, depth]) = match self.dimension {
            ImageDimension::D1Array => (y, height, [0, 0], [1, 1]),
            ImageDimension::D2Array => (z, depth, [y, 0], [height, 1]),
            _ => (0, 1, [y, z], [height, depth]),
        };
        let subresource = vk::ImageSubresourceLayers {
            aspect_mask: vk::ImageAspectFlags::COLOR,
            mip_level: region.level,
            base_array_layer: first,
            layer_count: layers,
        };
        let offset = vk::Offset3D { x: x.cast_signed(), y: y.cast_signed(), z: z.cast_signed() };
        (subresource, offset, vk::Extent3D { width, height, depth })
    }

    /// The copy of a part from or to a buffer that holds it without padding.
    pub(crate) fn buffer_copy(&self, region: &ImageRegion, offset: u64) -> vk::BufferImageCopy {
        let (layers, origin, extent) = self.place(region);
        vk::BufferImageCopy::default()
            .buffer_offset(offset)
            .image_subresource(layers)
            .image_offset(origin)
            .image_extent(extent)
    }

    /// The copies of a part from or to a buffer where its rows and slices have these pitches, which are
    /// multiples of the pixel's size.
    pub(crate) fn pitched_copies(
        &self,
        region: &ImageRegion,
        offset: u64,
        pitches: Pitches,
    ) -> SmallVec<[vk::BufferImageCopy; 1]> {
        let shape = self.shape(region);
        if pitches.is_packed(shape) {
            return smallvec![self.buffer_copy(region, offset)];
        }
        // Slices of one row are like rows.
        let (row, height) = match (shape.rows, shape.slices) {
            (_, 1) => (pitches.row, Some(0)),
            (1, _) => (pitches.slice, Some(1)),
            _ if pitches.slice.is_multiple_of(pitches.row) => {
                (pitches.row, u32::try_from(pitches.slice / pitches.row).ok())
            }
            _ => (pitches.row, None),
        };
        // A copy can step over rows of less than 2^31 bytes, and over slices of whole rows.
        if let (Ok(row), Some(height)) = (i32::try_from(row), height) {
            let length = row.cast_unsigned() / self.pixel_size;
            let copy = self.buffer_copy(region, offset).buffer_row_length(length).buffer_image_height(height);
            return smallvec![copy];
        }
        let [x, y, z] = region.origin;
        let row = |(slice, row): (u32, u32)| {
            let origin = [x, y + row, z + slice];
            let part = ImageRegion { origin, extent: [region.extent[0], 1, 1], level: region.level };
            let start = u64::from(slice) * pitches.slice + u64::from(row) * pitches.row;
            self.buffer_copy(&part, offset + start)
        };
        let slices = 0..region.extent[2];
        slices.flat_map(|slice| (0..region.extent[1]).map(move |row| (slice, row))).map(row).collect()
    }

    /// A use of the whole image: parts of images are not tracked separately.
    pub(crate) fn access(&self, write: bool) -> Access {
        if write { Access::write(self.id, 0..1) } else { Access::read(self.id, 0..1) }
    }
}

/// This many levels, and all layers.
fn part(first_level: u32, levels: u32, layers: u32) -> vk::ImageSubresourceRange {
    vk::ImageSubresourceRange {
        aspect_mask: vk::ImageAspectFlags::COLOR,
        base_mip_level: first_level,
        level_count: levels,
        base_array_layer: 0,
        layer_count: layers,
    }
}

fn kinds(dimension: ImageDimension) -> (vk::ImageType, vk::ImageViewType) {
    match dimension {
        ImageDimension::D1 | ImageDimension::D1Buffer => (vk::ImageType::TYPE_1D, vk::ImageViewType::TYPE_1D),
        ImageDimension::D1Array => (vk::ImageType::TYPE_1D, vk::ImageViewType::TYPE_1D_ARRAY),
        ImageDimension::D2 => (vk::ImageType::TYPE_2D, vk::ImageViewType::TYPE_2D),
        ImageDimension::D2Array => (vk::ImageType::TYPE_2D, vk::ImageViewType::TYPE_2D_ARRAY),
        ImageDimension::D3 => (vk::ImageType::TYPE_3D, vk::ImageViewType::TYPE_3D),
    }
}

/// Checks the shape against itself and the device's limits.
pub(crate) fn check_shape(limits: &Limits, description: &ImageDescription) -> Result<()> {
    let refuse = |limit: String| Err(Error::Size { what: "an image", size: description.to_string(), limit });
    let (edge, name, layers) = match description.dimension {
        ImageDimension::D1 => (limits.max_image_1d, "maxImageDimension1D", 1),
        ImageDimension::D1Array => (limits.max_image_1d, "maxImageDimension1D", limits.max_image_layers),
        ImageDimension::D2 => (limits.max_image_2d, "maxImageDimension2D", 1),
        ImageDimension::D2Array => (limits.max_image_2d, "maxImageDimension2D", limits.max_image_layers),
        ImageDimension::D3 => (limits.max_image_3d, "maxImageDimension3D", 1),
        ImageDimension::D1Buffer => return refuse("images made from buffers are not supported".to_owned()),
    };
    let one_dimensional = matches!(description.dimension, ImageDimension::D1 | ImageDimension::D1Array);
    let sizes = [description.width, description.height, description.depth, description.layers];
    if sizes.contains(&0) {
        return refuse("every size must be at least 1".to_owned());
    }
    if one_dimensional && description.height != 1
        || description.dimension != ImageDimension::D3 && description.depth != 1
    {
        return refuse(format!(
            "an image of shape {:?} must have size 1 in its other dimensions",
            description.dimension
        ));
    }
    if sizes[..3].iter().any(|&size| size > edge) {
        return refuse(format!("the device's limit ({name}) is {edge}"));
    }
    if description.layers > layers {
        return refuse(format!("it can have at most {layers} layers"));
    }
    let levels = description.most_levels();
    if description.levels == 0 || description.levels > levels {
        return refuse(format!("it must have 1 to {levels} levels of detail"));
    }
    Ok(())
}

/// How Vulkan holds an image that kernels can read or write.
pub(crate) fn usable_format(device: &DeviceInfo, format: ImageFormat) -> Result<RawFormat> {
    let refuse = |reason: &str| Error::ImageFormat { format: format.to_string(), reason: reason.to_owned() };
    if format.vulkan().is_none() {
        return Err(refuse("this combination of channel order and type does not exist"));
    }
    let raw = device.raw_format(format).ok_or_else(|| refuse("it cannot copy such images"))?;
    if !raw.usage.intersects(vk::ImageUsageFlags::SAMPLED | vk::ImageUsageFlags::STORAGE) {
        return Err(refuse("kernels can neither read nor write such images"));
    }
    Ok(raw)
}
