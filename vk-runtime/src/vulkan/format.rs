//! Image formats by OpenCL's names (OpenCL C §6.15.15, image channel order and data type).

use ash::vk;
use std::fmt;

/// Which channels a pixel has, in memory order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs)]
pub enum ChannelOrder {
    R,
    Rg,
    Rgba,
    Bgra,
    /// Colours encoded by sRGB's curve.
    Srgba,
    /// sRGB with blue first.
    Sbgra,
    /// The one channel of a depth image.
    Depth,
}

/// What a channel holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs)]
pub enum ChannelType {
    SnormInt8,
    SnormInt16,
    UnormInt8,
    UnormInt16,
    SignedInt8,
    SignedInt16,
    SignedInt32,
    UnsignedInt8,
    UnsignedInt16,
    UnsignedInt32,
    HalfFloat,
    Float,
}

impl ChannelOrder {
    /// OpenCL's number for it (`cl_channel_order`).
    #[must_use]
    pub const fn number(self) -> u16 {
        match self {
            ChannelOrder::R => 0x10B0,
            ChannelOrder::Rg => 0x10B2,
            ChannelOrder::Rgba => 0x10B5,
            ChannelOrder::Bgra => 0x10B6,
            ChannelOrder::Depth => 0x10BD,
            ChannelOrder::Srgba => 0x10C1,
            ChannelOrder::Sbgra => 0x10C2,
        }
    }
}

impl ChannelType {
    /// OpenCL's number for it (`cl_channel_type`).
    #[must_use]
    pub const fn number(self) -> u16 {
        match self {
            ChannelType::SnormInt8 => 0x10D0,
            ChannelType::SnormInt16 => 0x10D1,
            ChannelType::UnormInt8 => 0x10D2,
            ChannelType::UnormInt16 => 0x10D3,
            ChannelType::SignedInt8 => 0x10D7,
            ChannelType::SignedInt16 => 0x10D8,
            ChannelType::SignedInt32 => 0x10D9,
            ChannelType::UnsignedInt8 => 0x10DA,
            ChannelType::UnsignedInt16 => 0x10DB,
            ChannelType::UnsignedInt32 => 0x10DC,
            ChannelType::HalfFloat => 0x10DD,
            ChannelType::Float => 0x10DE,
        }
    }
}

/// Format of an image's pixels.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ImageFormat {
    /// Channels.
    pub order: ChannelOrder,
    /// Type of each.
    pub channel: ChannelType,
}

impl ImageFormat {
    /// A format; not every combination exists (see [`crate::Image::new`]).
    #[must_use]
    pub const fn new(order: ChannelOrder, channel: ChannelType) -> Self {
        ImageFormat { order, channel }
    }

    /// Bytes of a pixel.
    #[must_use]
    pub fn pixel_size(self) -> u32 {
        let channels = match self.order {
            ChannelOrder::R | ChannelOrder::Depth => 1,
            ChannelOrder::Rg => 2,
            ChannelOrder::Rgba | ChannelOrder::Bgra | ChannelOrder::Srgba | ChannelOrder::Sbgra => 4,
        };
        let bytes = match self.channel {
            ChannelType::SnormInt8
            | ChannelType::UnormInt8
            | ChannelType::SignedInt8
            | ChannelType::UnsignedInt8 => 1,
            ChannelType::SnormInt16
            | ChannelType::UnormInt16
            | ChannelType::SignedInt16
            | ChannelType::UnsignedInt16
            | ChannelType::HalfFloat => 2,
            ChannelType::SignedInt32 | ChannelType::UnsignedInt32 | ChannelType::Float => 4,
        };
        channels * bytes
    }

    /// Whether kernels see its channels as real numbers, not as integers.
    pub(crate) fn is_real(self) -> bool {
        !matches!(
            self.channel,
            ChannelType::SignedInt8
                | ChannelType::SignedInt16
                | ChannelType::SignedInt32
                | ChannelType::UnsignedInt8
                | ChannelType::UnsignedInt16
                | ChannelType::UnsignedInt32
        )
    }

    /// The Vulkan format; `None` for combinations that neither OpenCL nor Vulkan has.
    pub(crate) fn vulkan(self) -> Option<vk::Format> {
        use ChannelOrder::{Bgra, Depth, R, Rg, Rgba, Sbgra, Srgba};
        use ChannelType as T;
        use vk::Format as F;
        Some(match (self.channel, self.order) {
            (T::SnormInt8, R) => F::R8_SNORM,
            (T::SnormInt8, Rg) => F::R8G8_SNORM,
            (T::SnormInt8, Rgba) => F::R8G8B8A8_SNORM,
            (T::SnormInt16, R) => F::R16_SNORM,
            (T::SnormInt16, Rg) => F::R16G16_SNORM,
            (T::SnormInt16, Rgba) => F::R16G16B16A16_SNORM,
            (T::UnormInt8, R) => F::R8_UNORM,
            (T::UnormInt8, Rg) => F::R8G8_UNORM,
            (T::UnormInt8, Rgba) => F::R8G8B8A8_UNORM,
            (T::UnormInt8, Bgra) => F::B8G8R8A8_UNORM,
            (T::UnormInt16, R) => F::R16_UNORM,
            (T::UnormInt16, Rg) => F::R16G16_UNORM,
            (T::UnormInt16, Rgba) => F::R16G16B16A16_UNORM,
            (T::SignedInt8, R) => F::R8_SINT,
            (T::SignedInt8, Rg) => F::R8G8_SINT,
            (T::SignedInt8, Rgba) => F::R8G8B8A8_SINT,
            (T::SignedInt16, R) => F::R16_SINT,
            (T::SignedInt16, Rg) => F::R16G16_SINT,
            (T::SignedInt16, Rgba) => F::R16G16B16A16_SINT,
            (T::SignedInt32, R) => F::R32_SINT,
            (T::SignedInt32, Rg) => F::R32G32_SINT,
            (T::SignedInt32, Rgba) => F::R32G32B32A32_SINT,
            (T::UnsignedInt8, R) => F::R8_UINT,
            (T::UnsignedInt8, Rg) => F::R8G8_UINT,
            (T::UnsignedInt8, Rgba) => F::R8G8B8A8_UINT,
            (T::UnsignedInt16, R) => F::R16_UINT,
            (T::UnsignedInt16, Rg) => F::R16G16_UINT,
            (T::UnsignedInt16, Rgba) => F::R16G16B16A16_UINT,
            (T::UnsignedInt32, R) => F::R32_UINT,
            (T::UnsignedInt32, Rg) => F::R32G32_UINT,
            (T::UnsignedInt32, Rgba) => F::R32G32B32A32_UINT,
            (T::HalfFloat, R) => F::R16_SFLOAT,
            (T::HalfFloat, Rg) => F::R16G16_SFLOAT,
            (T::HalfFloat, Rgba) => F::R16G16B16A16_SFLOAT,
            (T::Float, R) => F::R32_SFLOAT,
            (T::Float, Rg) => F::R32G32_SFLOAT,
            (T::Float, Rgba) => F::R32G32B32A32_SFLOAT,
            (T::UnormInt8, Srgba) => F::R8G8B8A8_SRGB,
            (T::UnormInt8, Sbgra) => F::B8G8R8A8_SRGB,
            // Depth images use colour formats, because Vulkan's depth formats cannot be written.
            (T::UnormInt16, Depth) => F::R16_UNORM,
            (T::Float, Depth) => F::R32_SFLOAT,
            (_, Bgra | Srgba | Sbgra | Depth) => return None,
        })
    }
}

impl ImageFormat {
    /// The Vulkan format that kernels with write access see: plain numbers instead of sRGB.
    pub(crate) fn written(self) -> Option<vk::Format> {
        self.vulkan().map(|format| match format {
            vk::Format::R8G8B8A8_SRGB => vk::Format::R8G8B8A8_UNORM,
            vk::Format::B8G8R8A8_SRGB => vk::Format::B8G8R8A8_UNORM,
            other => other,
        })
    }
}

impl fmt::Display for ImageFormat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let order = match self.order {
            ChannelOrder::R => "CL_R",
            ChannelOrder::Rg => "CL_RG",
            ChannelOrder::Rgba => "CL_RGBA",
            ChannelOrder::Bgra => "CL_BGRA",
            ChannelOrder::Srgba => "CL_sRGBA",
            ChannelOrder::Sbgra => "CL_sBGRA",
            ChannelOrder::Depth => "CL_DEPTH",
        };
        let channel = match self.channel {
            ChannelType::SnormInt8 => "CL_SNORM_INT8",
            ChannelType::SnormInt16 => "CL_SNORM_INT16",
            ChannelType::UnormInt8 => "CL_UNORM_INT8",
            ChannelType::UnormInt16 => "CL_UNORM_INT16",
            ChannelType::SignedInt8 => "CL_SIGNED_INT8",
            ChannelType::SignedInt16 => "CL_SIGNED_INT16",
            ChannelType::SignedInt32 => "CL_SIGNED_INT32",
            ChannelType::UnsignedInt8 => "CL_UNSIGNED_INT8",
            ChannelType::UnsignedInt16 => "CL_UNSIGNED_INT16",
            ChannelType::UnsignedInt32 => "CL_UNSIGNED_INT32",
            ChannelType::HalfFloat => "CL_HALF_FLOAT",
            ChannelType::Float => "CL_FLOAT",
        };
        write!(f, "{order} {channel}")
    }
}
