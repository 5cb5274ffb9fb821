//! Which image formats a device has, and how Vulkan holds them.
//!
//! Vulkan's sRGB formats can be read but hardly ever written. Images of these formats are therefore created
//! so that they can also be viewed as plain numbers. A kernel that may write an image gets that view, and
//! encodes and decodes the colours itself.

use crate::vulkan::format::{ChannelOrder, ChannelType, ImageFormat};
use crate::vulkan::physical_device::{DeviceInfo, DeviceKind};
use ash::vk;
use clvk_interface::{Interpolation, Quirk};
use vk::FormatFeatureFlags as Features;

/// What images of a format can be used for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ImageSupport {
    /// Kernels read them.
    pub read: bool,
    /// Kernels read them with interpolation.
    pub linear: bool,
    /// Kernels write them.
    pub write: bool,
    /// Kernels read them if they are made from a buffer.
    pub read_from_buffer: bool,
    /// Kernels write them if they are made from a buffer.
    pub write_to_buffer: bool,
}

/// How Vulkan holds the pixels of an image.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RawFormat {
    pub(crate) format: vk::Format,
    /// The format that kernels with write access see.
    pub(crate) written: vk::Format,
    /// The flags that such an image needs at its creation.
    pub(crate) flags: vk::ImageCreateFlags,
    pub(crate) usage: vk::ImageUsageFlags,
    /// Where the device's samplers interpolate well enough.
    pub(crate) interpolation: Interpolation,
}

/// Which copies with scaling and conversion (`vkCmdBlitImage`) a device can make of images of a format.
#[derive(Clone, Copy, Debug)]
pub(crate) struct BlitSupport {
    pub(crate) from: bool,
    pub(crate) to: bool,
    /// Whether copies from it can interpolate.
    pub(crate) smooth: bool,
}

impl DeviceInfo {
    /// What images of a format can be used for on this device.
    #[must_use]
    pub fn image_support(&self, format: ImageFormat) -> ImageSupport {
        let Some(raw) = format.vulkan() else { return ImageSupport::default() };
        let properties = self.format_properties(raw);
        let usage = self.raw_format(format).map_or(vk::ImageUsageFlags::empty(), |raw| raw.usage);
        let read = usage.contains(vk::ImageUsageFlags::SAMPLED);
        let buffer = texel_features(format, properties.buffer_features);
        ImageSupport {
            read,
            linear: read
                && properties.optimal_tiling_features.contains(Features::SAMPLED_IMAGE_FILTER_LINEAR),
            write: usage.contains(vk::ImageUsageFlags::STORAGE),
            read_from_buffer: buffer.contains(Features::UNIFORM_TEXEL_BUFFER),
            write_to_buffer: buffer.contains(Features::STORAGE_TEXEL_BUFFER),
        }
    }

    /// How Vulkan holds images of a format; `None` if the format does not exist, or if its images cannot be
    /// copied.
    pub(crate) fn raw_format(&self, format: ImageFormat) -> Option<RawFormat> {
        let (raw, written) = (format.vulkan()?, format.written()?);
        let features_of = |format| self.format_properties(format).optimal_tiling_features;
        let features = features_of(raw);
        if !features.contains(Features::TRANSFER_SRC | Features::TRANSFER_DST) {
            return None;
        }
        let mut usage = vk::ImageUsageFlags::TRANSFER_SRC | vk::ImageUsageFlags::TRANSFER_DST;
        let mut flags = vk::ImageCreateFlags::empty();
        if features.contains(Features::SAMPLED_IMAGE) {
            usage |= vk::ImageUsageFlags::SAMPLED;
        }
        let when_written = if raw == written { features } else { features_of(written) };
        if when_written.contains(Features::STORAGE_IMAGE) {
            let both = vk::ImageCreateFlags::MUTABLE_FORMAT | vk::ImageCreateFlags::EXTENDED_USAGE;
            let needed = if raw == written { flags } else { both };
            let wider = usage | vk::ImageUsageFlags::STORAGE;
            if raw == written || self.has_images(raw, wider, needed) {
                (usage, flags) = (wider, needed);
            }
        }
        let interpolation = match features.contains(Features::SAMPLED_IMAGE_FILTER_LINEAR) {
            true => self.good_interpolation(format),
            false => Interpolation::Never,
        };
        Some(RawFormat { format: raw, written, flags, usage, interpolation })
    }

    /// Where the device's samplers interpolate between texels of a format well enough, if they interpolate at
    /// all.
    fn good_interpolation(&self, format: ImageFormat) -> Interpolation {
        let is_encoded = matches!(format.order, ChannelOrder::Srgba | ChannelOrder::Sbgra);
        let spoilt_by = |quirk| match quirk {
            Quirk::EncodedInterpolation => is_encoded,
            Quirk::CoarseInterpolation => format.channel == ChannelType::UnormInt8,
            Quirk::SignedInterpolation => format.channel == ChannelType::SnormInt8,
            _ => false,
        };
        if self.profile().is_some_and(|profile| profile.quirks.iter().any(|&quirk| spoilt_by(quirk))) {
            return Interpolation::Never;
        }
        // Samplers take normalised coordinates, and texel coordinates do not convert to them exactly. GPUs'
        // samplers round weights to about 8 bits, so at the centre of a texel its neighbours have no weight.
        // Software samplers give the neighbours a weight of 1e-7, which is too much if a neighbour is 1e20.
        let is_float = matches!(format.channel, ChannelType::HalfFloat | ChannelType::Float);
        match is_float && self.kind() == DeviceKind::Cpu {
            true => Interpolation::Normalized,
            false => Interpolation::Always,
        }
    }

    /// Which copies with scaling and conversion the device can make.
    pub(crate) fn blit_support(&self, format: vk::Format) -> BlitSupport {
        let features = self.format_properties(format).optimal_tiling_features;
        BlitSupport {
            from: features.contains(Features::BLIT_SRC),
            to: features.contains(Features::BLIT_DST),
            smooth: features.contains(Features::SAMPLED_IMAGE_FILTER_LINEAR),
        }
    }

    pub(crate) fn format_properties(&self, format: vk::Format) -> vk::FormatProperties {
        // SAFETY: the physical device is of this instance.
        unsafe { self.instance.raw().get_physical_device_format_properties(self.handle, format) }
    }

    /// Whether images of every shape can be created like this.
    fn has_images(
        &self,
        format: vk::Format,
        usage: vk::ImageUsageFlags,
        flags: vk::ImageCreateFlags,
    ) -> bool {
        let kinds = [vk::ImageType::TYPE_1D, vk::ImageType::TYPE_2D, vk::ImageType::TYPE_3D];
        kinds.into_iter().all(|kind| {
            let tiling = vk::ImageTiling::OPTIMAL;
            let instance = self.instance.raw();
            // SAFETY: the physical device is of this instance; usage and flags are of Vulkan 1.1, which every
            // device here has.
            unsafe {
                instance.get_physical_device_image_format_properties(
                    self.handle,
                    format,
                    kind,
                    tiling,
                    usage,
                    flags,
                )
            }
            .is_ok()
        })
    }
}

/// What kernels can do with a buffer's memory as pixels, given Vulkan's features of the format. They cannot
/// write sRGB pixels, because there is no other view of them.
pub(crate) fn texel_features(format: ImageFormat, features: Features) -> Features {
    let texels = Features::UNIFORM_TEXEL_BUFFER | Features::STORAGE_TEXEL_BUFFER;
    let other_view = format.vulkan() != format.written();
    features & if other_view { Features::UNIFORM_TEXEL_BUFFER } else { texels }
}
