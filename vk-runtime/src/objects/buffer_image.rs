//! One-dimensional images whose pixels are the contents of a buffer (`image1d_buffer_t`, OpenCL C §6.3.3).

use crate::engine::arguments::Descriptor;
use crate::engine::hazard::Access;
use crate::engine::texel_view::TexelView;
use crate::objects::buffer::Buffer;
use crate::objects::device::Device;
use crate::vulkan::error::{Error, Result};
use crate::vulkan::format::ImageFormat;
use crate::vulkan::format_support::texel_features;
use ash::vk;
use clvk_interface::{ImageAccess, ImageInfo, ImageQuery, Interpolation};
use std::fmt;
use std::sync::Arc;

/// A view of a buffer as pixels. It keeps the buffer alive. Cloning is cheap and gives the same image.
#[derive(Clone)]
pub struct BufferImage {
    inner: Arc<TexelView>,
    device: Device,
    format: ImageFormat,
    width: u32,
    readable: bool,
    writable: bool,
}

impl BufferImage {
    /// The first `width` pixels of a buffer.
    ///
    /// # Errors
    /// [`Error::Size`] if the buffer is too small or not aligned as the device demands for pixels,
    /// [`Error::ImageFormat`], or a failure of Vulkan.
    pub fn new(buffer: &Buffer, format: ImageFormat, width: u32) -> Result<Self> {
        let device = buffer.device();
        let (raw_format, features) = texel_format(device, format)?;
        let bytes = u64::from(width) * u64::from(format.pixel_size());
        let refuse = |limit: String| {
            let size = format!("{width} pixels of {format} in a buffer of {} bytes", buffer.size());
            Err(Error::Size { what: "an image", size, limit })
        };
        let limits = device.limits();
        if width == 0 {
            return refuse("it must have at least one pixel".to_owned());
        }
        if bytes > buffer.size() {
            return refuse(format!("the pixels need {bytes} bytes"));
        }
        if width > limits.max_texel_buffer {
            return refuse(format!(
                "the device's limit (maxTexelBufferElements) is {}",
                limits.max_texel_buffer
            ));
        }
        if !buffer.base().is_multiple_of(limits.min_texel_buffer_alignment) {
            return refuse(format!(
                "the part of the buffer must begin at a multiple of {} bytes (minTexelBufferOffsetAlignment)",
                limits.min_texel_buffer_alignment
            ));
        }
        let range = buffer.base()..buffer.base() + bytes;
        let inner = buffer.inner();
        let view = TexelView::new(&device.shared.heap.logical, inner, raw_format, range)?;
        Ok(BufferImage {
            inner: Arc::new(view),
            device: device.clone(),
            format,
            width,
            readable: features.contains(vk::FormatFeatureFlags::UNIFORM_TEXEL_BUFFER),
            writable: features.contains(vk::FormatFeatureFlags::STORAGE_TEXEL_BUFFER),
        })
    }

    /// The device it is on.
    #[must_use]
    pub fn device(&self) -> &Device {
        &self.device
    }

    /// Format of a pixel.
    #[must_use]
    pub fn format(&self) -> ImageFormat {
        self.format
    }

    /// Number of pixels.
    #[must_use]
    pub fn width(&self) -> u32 {
        self.width
    }

    /// The answer to a kernel's query. Such images are not interpolated.
    pub(crate) fn word(&self, query: ImageQuery) -> u32 {
        let ImageFormat { order, channel } = self.format;
        match query {
            ImageQuery::Format => {
                ImageInfo::new(order.number(), channel.number(), Interpolation::Never).bits()
            }
            ImageQuery::Width => self.width,
            ImageQuery::Height | ImageQuery::Depth | ImageQuery::ArraySize | ImageQuery::Levels => 1,
        }
    }

    /// What to bind for a kernel argument, and what it accesses; the error is the reason why not.
    pub(crate) fn argument(&self, access: ImageAccess) -> std::result::Result<(Descriptor, Access), String> {
        let (usable, what) = match access {
            ImageAccess::ReadOnly => (self.readable, "read"),
            ImageAccess::WriteOnly | ImageAccess::ReadWrite => (self.writable, "write"),
        };
        if !usable {
            return Err(format!(
                "kernels on this device cannot {what} buffers as pixels of format {}",
                self.format
            ));
        }
        let view = Arc::clone(&self.inner);
        let writes = access != ImageAccess::ReadOnly;
        let accessed = view.access(writes);
        let descriptor =
            if writes { Descriptor::StorageTexels(view) } else { Descriptor::UniformTexels(view) };
        Ok((descriptor, accessed))
    }
}

impl fmt::Debug for BufferImage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "BufferImage({} of {})", self.width, self.format)
    }
}

fn texel_format(device: &Device, format: ImageFormat) -> Result<(vk::Format, vk::FormatFeatureFlags)> {
    let refuse = |reason: &str| Error::ImageFormat { format: format.to_string(), reason: reason.to_owned() };
    let raw =
        format.vulkan().ok_or_else(|| refuse("this combination of channel order and type does not exist"))?;
    let features = texel_features(format, device.info().format_properties(raw).buffer_features);
    if !features.is_empty() {
        Ok((raw, features))
    } else {
        Err(refuse("kernels can neither read nor write buffers of this format"))
    }
}
