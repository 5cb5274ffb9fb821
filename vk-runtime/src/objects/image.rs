//! Images in device memory.
#![expect(unsafe_code, reason = "pointers to the application's memory come in here")]

use crate::engine::command::Command;
use crate::engine::image::{ImageDescription, ImageInner, ImageRegion, check_shape, usable_format};
use crate::engine::transfer::{DeviceMemory, HostMemory, Pitches, Transfer};
use crate::objects::device::Device;
use crate::vulkan::error::{Error, Result};
use ash::vk;
use clvk_interface::{ImageAccess, ImageDimension, ImageInfo, ImageQuery, Interpolation};
use std::fmt;
use std::ptr::NonNull;
use std::sync::Arc;

/// An image on a device. Cloning is cheap and gives the same image.
#[derive(Clone)]
pub struct Image {
    inner: Arc<ImageInner>,
    device: Device,
    description: ImageDescription,
    interpolation: Interpolation,
}

impl Image {
    /// An image with undefined contents.
    ///
    /// # Errors
    /// [`Error::Size`], [`Error::ImageFormat`], [`Error::OutOfMemory`], or a failure of Vulkan.
    pub fn new(device: &Device, description: &ImageDescription) -> Result<Self> {
        check_shape(device.limits(), description)?;
        let format = usable_format(device.info(), description.format)?;
        let inner = Arc::new(ImageInner::new(&device.shared.heap, description, &format)?);
        device.issue(Command::prepare_image(device.id(), &inner))?;
        let interpolation = format.interpolation;
        Ok(Image { inner, device: device.clone(), description: *description, interpolation })
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

    /// Writes all pixels: level after level, row after row, slice after slice, without padding.
    ///
    /// # Errors
    /// [`Error::ImageDataSize`], or a failure of the device.
    pub fn write(&self, data: &[u8]) -> Result<()> {
        self.check_size(data.len())?;
        self.transfer(data.len(), NonNull::from(data).cast(), true)
    }

    /// Reads all pixels, in the order of [`Image::write`].
    ///
    /// # Errors
    /// [`Error::ImageDataSize`], [`Error::Timeout`], or a failure of the device.
    pub fn read(&self, data: &mut [u8]) -> Result<()> {
        self.check_size(data.len())?;
        self.transfer(data.len(), NonNull::from(&mut *data).cast(), false)
    }

    /// Moves all pixels between the image and `size` bytes of host memory.
    fn transfer(&self, size: usize, pointer: NonNull<u8>, write: bool) -> Result<()> {
        let mut offset = 0;
        for level in 0..self.description.levels {
            let region = self.level(level);
            let shape = self.inner.shape(&region);
            assert!(offset + shape.size() <= size as u64, "the size was checked");
            // SAFETY: inside the bytes, as just checked.
            let pointer = unsafe { pointer.add(offset as usize) };
            let host = HostMemory { pointer, pitches: Pitches::packed(shape) };
            let device = DeviceMemory::Image { image: self.inner(), region };
            self.device.transfer(&Transfer { host, device, shape }, write)?;
            offset += shape.size();
        }
        Ok(())
    }

    /// All of its first level of detail.
    #[must_use]
    pub fn whole(&self) -> ImageRegion {
        self.level(0)
    }

    /// All of a level of detail.
    #[must_use]
    pub fn level(&self, level: u32) -> ImageRegion {
        ImageRegion { origin: [0; 3], extent: self.description.sizes(level), level }
    }

    pub(crate) fn check_region(&self, region: &ImageRegion) -> Result<()> {
        let sizes = self.description.sizes(region.level);
        let refuse = |reason: String| Err(Error::ImageRegion(reason));
        if region.level >= self.description.levels {
            return refuse(format!("the image has no level {}", region.level));
        }
        for ((size, origin), extent) in sizes.into_iter().zip(region.origin).zip(region.extent) {
            if extent == 0 {
                return refuse("the region is empty".to_owned());
            }
            if origin.checked_add(extent).is_none_or(|end| end > size) {
                return refuse(format!(
                    "origin {origin} plus extent {extent} exceeds the image's size of {size}"
                ));
            }
        }
        Ok(())
    }

    pub(crate) fn inner(&self) -> Arc<ImageInner> {
        Arc::clone(&self.inner)
    }

    fn check_size(&self, given: usize) -> Result<()> {
        let expected = self.description.byte_size();
        if given as u64 == expected {
            return Ok(());
        }
        Err(Error::ImageDataSize { expected, given: given as u64, description: self.description.to_string() })
    }

    /// The answer to a kernel's query.
    pub(crate) fn word(&self, query: ImageQuery) -> u32 {
        let ImageDescription { format, width, height, depth, layers, .. } = self.description;
        match query {
            ImageQuery::Format => {
                ImageInfo::new(format.order.number(), format.channel.number(), self.interpolation).bits()
            }
            ImageQuery::Width => width,
            ImageQuery::Height => height,
            ImageQuery::Depth => depth,
            ImageQuery::ArraySize => layers,
            ImageQuery::Levels => self.description.levels,
        }
    }

    /// What to bind for a kernel argument of this kind; the error is the reason why not.
    pub(crate) fn argument(
        &self,
        dimension: ImageDimension,
        access: ImageAccess,
    ) -> Result<Arc<ImageInner>, String> {
        if dimension != self.description.dimension {
            return Err(format!(
                "the image must have shape {dimension:?}, but has {:?}",
                self.description.dimension
            ));
        }
        let (usage, what) = match access {
            ImageAccess::ReadOnly => (vk::ImageUsageFlags::SAMPLED, "read"),
            ImageAccess::WriteOnly | ImageAccess::ReadWrite => (vk::ImageUsageFlags::STORAGE, "write"),
        };
        if !self.inner.usage().contains(usage) {
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
