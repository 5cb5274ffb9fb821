//! Image formats (OpenCL API, image format descriptor).

use crate::cl::*;
use crate::code::{self, Result};
use vk_runtime::{ChannelOrder, ChannelType, ImageFormat};

/// Every channel order that the specification knows, and the runtime's, where it has one.
const ORDERS: &[(cl_channel_order, Option<ChannelOrder>)] = &[
    (CL_R, Some(ChannelOrder::R)),
    (CL_A, None),
    (CL_RG, Some(ChannelOrder::Rg)),
    (CL_RA, None),
    (CL_RGB, None),
    (CL_RGBA, Some(ChannelOrder::Rgba)),
    (CL_BGRA, Some(ChannelOrder::Bgra)),
    (CL_ARGB, None),
    (CL_ABGR, None),
    (CL_INTENSITY, None),
    (CL_LUMINANCE, None),
    (CL_Rx, None),
    (CL_RGx, None),
    (CL_RGBx, None),
    (CL_DEPTH, Some(ChannelOrder::Depth)),
    (CL_sRGB, None),
    (CL_sRGBx, None),
    (CL_sRGBA, Some(ChannelOrder::Srgba)),
    (CL_sBGRA, Some(ChannelOrder::Sbgra)),
];

/// Every channel type that the specification knows, and the runtime's, where it has one.
const TYPES: &[(cl_channel_type, Option<ChannelType>)] = &[
    (CL_SNORM_INT8, Some(ChannelType::SnormInt8)),
    (CL_SNORM_INT16, Some(ChannelType::SnormInt16)),
    (CL_UNORM_INT8, Some(ChannelType::UnormInt8)),
    (CL_UNORM_INT16, Some(ChannelType::UnormInt16)),
    (CL_UNORM_SHORT_565, None),
    (CL_UNORM_SHORT_555, None),
    (CL_UNORM_INT_101010, None),
    (CL_UNORM_INT_101010_2, None),
    (CL_SIGNED_INT8, Some(ChannelType::SignedInt8)),
    (CL_SIGNED_INT16, Some(ChannelType::SignedInt16)),
    (CL_SIGNED_INT32, Some(ChannelType::SignedInt32)),
    (CL_UNSIGNED_INT8, Some(ChannelType::UnsignedInt8)),
    (CL_UNSIGNED_INT16, Some(ChannelType::UnsignedInt16)),
    (CL_UNSIGNED_INT32, Some(ChannelType::UnsignedInt32)),
    (CL_HALF_FLOAT, Some(ChannelType::HalfFloat)),
    (CL_FLOAT, Some(ChannelType::Float)),
];

/// The runtime's format: `CL_INVALID_IMAGE_FORMAT_DESCRIPTOR` for an invalid format,
/// `CL_IMAGE_FORMAT_NOT_SUPPORTED` for one that the runtime lacks.
pub fn of(format: cl_image_format) -> Result<ImageFormat> {
    let order = ORDERS.iter().find(|(order, _)| *order == format.image_channel_order);
    let channel = TYPES.iter().find(|(channel, _)| *channel == format.image_channel_data_type);
    let (Some((_, order)), Some((_, channel))) = (order, channel) else {
        return Err(code::INVALID_IMAGE_FORMAT_DESCRIPTOR);
    };
    match (order, channel) {
        (Some(order), Some(channel)) => Ok(ImageFormat::new(*order, *channel)),
        _ => Err(code::IMAGE_FORMAT_NOT_SUPPORTED),
    }
}

/// All formats that the runtime has names for.
pub fn all() -> impl Iterator<Item = (cl_image_format, ImageFormat)> {
    let orders = ORDERS.iter().filter_map(|&(name, order)| Some((name, order?)));
    orders.flat_map(|(order_name, order)| {
        let types = TYPES.iter().filter_map(|&(name, channel)| Some((name, channel?)));
        types.map(move |(type_name, channel)| {
            let format =
                cl_image_format { image_channel_order: order_name, image_channel_data_type: type_name };
            (format, ImageFormat::new(order, channel))
        })
    })
}
