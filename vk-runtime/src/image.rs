//! Images in device memory.
//!
//! An image is in Vulkan's optimal tiling and between operations in the layout `GENERAL`; data goes through staging
//! buffers.

use crate::batch::Op;
use crate::device::{Device, next_resource_id};
use crate::error::{Error, Result};
use crate::format::ImageFormat;
use crate::handle::Owned;
use crate::hazard::Access;
use crate::memory::{Memory, MemoryUse};
use crate::queue::submit;
use crate::staging::{self, CHUNK};
use ash::vk;
use clvk_interface::{ImageAccess, ImageDimension};
use std::fmt;
use std::ops::Range;
use std::sync::Arc;

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
}

impl ImageDescription {
    /// A two-dimensional image.
    #[must_use]
    pub fn planar(format: ImageFormat, width: u32, height: u32) -> Self {
        ImageDescription { dimension: ImageDimension::D2, format, width, height, depth: 1, layers: 1 }
    }

    /// A three-dimensional image.
    #[must_use]
    pub fn spatial(format: ImageFormat, width: u32, height: u32, depth: u32) -> Self {
        ImageDescription { dimension: ImageDimension::D3, format, width, height, depth, layers: 1 }
    }

    /// Bytes of all pixels, row after row, slice after slice, without padding.
    #[must_use]
    pub fn byte_size(&self) -> u64 {
        [self.height, self.depth, self.layers]
            .iter()
            .fold(u64::from(self.width) * u64::from(self.format.pixel_size()), |size, &factor| {
                size.saturating_mul(u64::from(factor))
            })
    }

    fn row_size(&self) -> usize {
        self.width as usize * self.format.pixel_size() as usize
    }

    /// Bytes of a slice or layer.
    fn slice_size(&self) -> usize {
        self.row_size() * self.height as usize
    }
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
        write!(f, " of {}", self.format)
    }
}

/// An image on a device.
pub struct Image {
    inner: Arc<ImageInner>,
    device: Device,
    description: ImageDescription,
}

impl Image {
    /// An image with undefined contents.
    ///
    /// # Errors
    /// [`Error::Size`], [`Error::ImageFormat`], [`Error::OutOfMemory`], or a failure of Vulkan.
    pub fn new(device: &Device, description: &ImageDescription) -> Result<Self> {
        check_shape(device, description)?;
        let (format, usage) = usable_format(device, description.format)?;
        let inner = Arc::new(ImageInner::new(device, description, format, usage)?);
        submit(device, vec![Op::prepare_image(&inner)], false)?;
        Ok(Image { inner, device: device.clone(), description: *description })
    }

    /// Shape and format.
    #[must_use]
    pub fn description(&self) -> &ImageDescription {
        &self.description
    }

    /// The device it is on.
    #[must_use]
    pub fn device(&self) -> &Device {
        &self.device
    }

    /// Writes all pixels: row after row, slice after slice, without padding.
    ///
    /// # Errors
    /// [`Error::ImageDataSize`], or a failure of the device.
    pub fn write(&self, data: &[u8]) -> Result<()> {
        self.check_size(data.len())?;
        let slice_size = self.description.slice_size();
        for part in self.parts() {
            let bytes = &data[part.slices.start as usize * slice_size..part.slices.end as usize * slice_size];
            staging::upload(&self.device, bytes, part.granule, |chunk, range| {
                let size = range.len() as u64;
                Op::buffer_to_image(chunk, size, &self.inner, self.region(&part, range))
            })?;
        }
        Ok(())
    }

    /// Reads all pixels, in the order of [`Image::write`].
    ///
    /// # Errors
    /// [`Error::ImageDataSize`], [`Error::Timeout`], or a failure of the device.
    pub fn read(&self, data: &mut [u8]) -> Result<()> {
        self.check_size(data.len())?;
        let slice_size = self.description.slice_size();
        for part in self.parts() {
            let bytes =
                &mut data[part.slices.start as usize * slice_size..part.slices.end as usize * slice_size];
            staging::download(&self.device, bytes, part.granule, |chunk, range| {
                let size = range.len() as u64;
                Op::image_to_buffer(&self.inner, chunk, size, self.region(&part, range))
            })?;
        }
        Ok(())
    }

    fn check_size(&self, given: usize) -> Result<()> {
        let expected = self.description.byte_size();
        if given as u64 == expected {
            return Ok(());
        }
        Err(Error::ImageDataSize { expected, given: given as u64, description: self.description.to_string() })
    }

    /// The transfers that make up the whole image: whole slices where one fits a staging buffer, else rows.
    fn parts(&self) -> Vec<Part> {
        let description = &self.description;
        let slices = description.depth.max(description.layers);
        if description.slice_size() <= CHUNK {
            vec![Part { slices: 0..slices, granule: description.slice_size(), by_slice: true }]
        } else {
            let granule = description.row_size();
            (0..slices).map(|slice| Part { slices: slice..slice + 1, granule, by_slice: false }).collect()
        }
    }

    /// The pixels that a range of a part's bytes holds.
    fn region(&self, part: &Part, range: Range<usize>) -> vk::BufferImageCopy {
        let description = &self.description;
        // Granules fit 32 bits, for there are no more than the image has slices or rows.
        let (first, count) = ((range.start / part.granule) as u32, (range.len() / part.granule) as u32);
        let (slice, slices) = if part.by_slice { (first, count) } else { (part.slices.start, 1) };
        let (row, rows) = if part.by_slice { (0, description.height) } else { (first, count) };
        let is_array = description.dimension != ImageDimension::D3;
        let (layer, layers, z, depth) =
            if is_array { (slice, slices, 0, 1) } else { (0, 1, slice.cast_signed(), slices) };
        vk::BufferImageCopy::default()
            .image_subresource(vk::ImageSubresourceLayers {
                aspect_mask: vk::ImageAspectFlags::COLOR,
                mip_level: 0,
                base_array_layer: layer,
                layer_count: layers,
            })
            .image_offset(vk::Offset3D { x: 0, y: row.cast_signed(), z })
            .image_extent(vk::Extent3D { width: description.width, height: rows, depth })
    }

    /// What to bind for a kernel argument of this kind; the error is the reason why not.
    pub(crate) fn argument(
        &self,
        dimension: ImageDimension,
        access: ImageAccess,
    ) -> Result<Arc<ImageInner>, String> {
        if dimension != self.description.dimension {
            return Err(format!(
                "an image of shape {dimension:?} is needed, but it is {:?}",
                self.description.dimension
            ));
        }
        let (usage, what) = match access {
            ImageAccess::ReadOnly => (vk::ImageUsageFlags::SAMPLED, "read"),
            ImageAccess::WriteOnly | ImageAccess::ReadWrite => (vk::ImageUsageFlags::STORAGE, "write"),
        };
        if !self.inner.usage.contains(usage) {
            return Err(format!(
                "kernels on this device cannot {what} images of format {}",
                self.description.format
            ));
        }
        Ok(Arc::clone(&self.inner))
    }
}

impl fmt::Debug for Image {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Image({})", self.description)
    }
}

/// Slices that are transferred together.
struct Part {
    slices: Range<u32>,
    /// Bytes of a slice or of a row.
    granule: usize,
    by_slice: bool,
}

/// What in-flight work holds of an image.
pub(crate) struct ImageInner {
    // Destroyed in this order: view, image, memory.
    view: Owned<vk::ImageView>,
    raw: Owned<vk::Image>,
    _memory: Memory,
    usage: vk::ImageUsageFlags,
    id: u64,
}

impl ImageInner {
    fn new(
        device: &Device,
        description: &ImageDescription,
        format: vk::Format,
        usage: vk::ImageUsageFlags,
    ) -> Result<Self> {
        let logical = &device.shared.logical;
        let (kind, view_kind) = kinds(description.dimension);
        let info = vk::ImageCreateInfo::default()
            .image_type(kind)
            .format(format)
            .extent(vk::Extent3D {
                width: description.width,
                height: description.height,
                depth: description.depth,
            })
            .mip_levels(1)
            .array_layers(description.layers)
            .samples(vk::SampleCountFlags::TYPE_1)
            .tiling(vk::ImageTiling::OPTIMAL)
            .usage(usage)
            .sharing_mode(vk::SharingMode::EXCLUSIVE)
            .initial_layout(vk::ImageLayout::UNDEFINED);
        // SAFETY: the create info has no pointers; shape, format and usage were checked against the device.
        let raw =
            unsafe { logical.raw().create_image(&info, None) }.map_err(Error::vulkan("create an image"))?;
        // SAFETY: just created from this device.
        let raw = unsafe { Owned::new(logical, raw) };
        // SAFETY: the image is of this device.
        let requirements = unsafe { logical.raw().get_image_memory_requirements(raw.get()) };
        let memory = device.shared.allocator.allocate("an image", requirements, false, MemoryUse::Device)?;
        let (object, offset) = memory.location();
        // SAFETY: the memory was allocated for this image's requirements and outlives it by the order of the fields.
        unsafe { logical.raw().bind_image_memory(raw.get(), object, offset) }
            .map_err(Error::vulkan("bind memory to an image"))?;
        let info = vk::ImageViewCreateInfo::default()
            .image(raw.get())
            .view_type(view_kind)
            .format(format)
            .subresource_range(whole(description.layers));
        // SAFETY: the image is bound, and the view has its format and covers all of it.
        let view = unsafe { logical.raw().create_image_view(&info, None) }
            .map_err(Error::vulkan("create a view of an image"))?;
        // SAFETY: just created from this device.
        let view = unsafe { Owned::new(logical, view) };
        Ok(ImageInner { view, raw, _memory: memory, usage, id: next_resource_id() })
    }

    pub(crate) fn raw(&self) -> vk::Image {
        self.raw.get()
    }

    pub(crate) fn view(&self) -> vk::ImageView {
        self.view.get()
    }

    /// All of it.
    pub(crate) fn whole(&self) -> vk::ImageSubresourceRange {
        whole(vk::REMAINING_ARRAY_LAYERS)
    }

    /// A use of the whole image: parts of images are not told apart.
    pub(crate) fn access(&self, write: bool) -> Access {
        if write { Access::write(self.id, 0..1) } else { Access::read(self.id, 0..1) }
    }
}

fn whole(layers: u32) -> vk::ImageSubresourceRange {
    vk::ImageSubresourceRange {
        aspect_mask: vk::ImageAspectFlags::COLOR,
        base_mip_level: 0,
        level_count: 1,
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
fn check_shape(device: &Device, description: &ImageDescription) -> Result<()> {
    let refuse = |limit: String| Err(Error::Size { what: "an image", size: description.to_string(), limit });
    let limits = device.limits();
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
            "an image of shape {:?} has size 1 in its other dimensions",
            description.dimension
        ));
    }
    if sizes[..3].iter().any(|&size| size > edge) {
        return refuse(format!("the device's limit ({name}) is {edge}"));
    }
    if description.layers > layers {
        return refuse(format!("it can have at most {layers} layers"));
    }
    Ok(())
}

/// The Vulkan format and what the device lets images of it be used for.
fn usable_format(device: &Device, format: ImageFormat) -> Result<(vk::Format, vk::ImageUsageFlags)> {
    let refuse = |reason: &str| Error::ImageFormat { format: format.to_string(), reason: reason.to_owned() };
    let raw =
        format.vulkan().ok_or_else(|| refuse("there is no such combination of channel order and type"))?;
    let info = device.info();
    // SAFETY: the physical device is of this instance.
    let properties = unsafe { info.instance.raw().get_physical_device_format_properties(info.handle, raw) };
    let features = properties.optimal_tiling_features;
    let transfer = vk::FormatFeatureFlags::TRANSFER_SRC | vk::FormatFeatureFlags::TRANSFER_DST;
    if !features.contains(transfer) {
        return Err(refuse("it cannot copy them"));
    }
    let mut usage = vk::ImageUsageFlags::TRANSFER_SRC | vk::ImageUsageFlags::TRANSFER_DST;
    let uses = [
        (vk::FormatFeatureFlags::SAMPLED_IMAGE, vk::ImageUsageFlags::SAMPLED),
        (vk::FormatFeatureFlags::STORAGE_IMAGE, vk::ImageUsageFlags::STORAGE),
    ];
    for (feature, flag) in uses {
        if features.contains(feature) {
            usage |= flag;
        }
    }
    if !usage.intersects(vk::ImageUsageFlags::SAMPLED | vk::ImageUsageFlags::STORAGE) {
        return Err(refuse("kernels can neither read nor write them"));
    }
    Ok((raw, usage))
}
