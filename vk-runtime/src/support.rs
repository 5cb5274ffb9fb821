//! Which image formats a device has.

use crate::format::ImageFormat;
use crate::physical::DeviceInfo;
use ash::vk;

/// What images of a format can be used for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ImageSupport {
    /// Kernels read them.
    pub read: bool,
    /// Kernels read them with interpolation.
    pub linear: bool,
    /// Kernels write them.
    pub write: bool,
    /// Kernels read them where they are a buffer's memory.
    pub read_from_buffer: bool,
    /// Kernels write them where they are a buffer's memory.
    pub write_to_buffer: bool,
}

impl DeviceInfo {
    /// What images of a format can be used for on this device.
    #[must_use]
    pub fn image_support(&self, format: ImageFormat) -> ImageSupport {
        use vk::FormatFeatureFlags as F;
        let Some(raw) = format.vulkan() else { return ImageSupport::default() };
        // SAFETY: the physical device is of this instance.
        let properties =
            unsafe { self.instance.raw().get_physical_device_format_properties(self.handle, raw) };
        let (image, buffer) = (properties.optimal_tiling_features, properties.buffer_features);
        let transfers = image.contains(F::TRANSFER_SRC | F::TRANSFER_DST);
        ImageSupport {
            read: transfers && image.contains(F::SAMPLED_IMAGE),
            linear: transfers && image.contains(F::SAMPLED_IMAGE | F::SAMPLED_IMAGE_FILTER_LINEAR),
            write: transfers && image.contains(F::STORAGE_IMAGE),
            read_from_buffer: buffer.contains(F::UNIFORM_TEXEL_BUFFER),
            write_to_buffer: buffer.contains(F::STORAGE_TEXEL_BUFFER),
        }
    }
}
