//! What the samples of all languages do: they run each kernel once with made-up arguments, and print the
//! first values of what it may have written.
//!
//! Buffers have 4096 elements, and images 16 pixels in each dimension. Element N holds N % 16, halved in
//! floating-point numbers. Scalar integers are 16, real numbers 2. A launch has 16 work-items, and 16 in each
//! dimension of an image; where a kernel requires a work-group size, as many more as that needs.

use crate::export::signature::{Kernel, Kind};
use clvk::interface::{ImageDimension, ScalarType};

/// Elements of a buffer.
pub const ELEMENTS: u64 = 4096;
/// Pixels along each dimension of an image.
pub const PIXELS: u32 = 16;
/// Elements of a local argument.
pub const LOCAL_ELEMENTS: u32 = 256;

/// Bytes of a structure that the interface does not describe.
const OPAQUE_BYTES: u64 = 16;

/// The global size of the launch in each of its dimensions, as literals.
pub fn range(kernel: &Kernel) -> Vec<String> {
    let images = kernel.parameters.iter().filter_map(|parameter| match parameter.kind {
        Kind::Image { dimension, .. } => Some(axes(dimension)),
        _ => None,
    });
    let required = kernel.required_local_size.unwrap_or([1; 3]);
    let of_group = (1..=3).rev().find(|&d| required[d as usize - 1] > 1).unwrap_or(1);
    let dimensions = images.max().unwrap_or(1).max(of_group);
    let size = |of_group: &u32| u64::from(PIXELS).next_multiple_of(u64::from(*of_group).max(1)).to_string();
    required.iter().take(dimensions as usize).map(size).collect()
}

fn axes(dimension: ImageDimension) -> u32 {
    match dimension {
        ImageDimension::D1 | ImageDimension::D1Buffer => 1,
        ImageDimension::D1Array | ImageDimension::D2 => 2,
        ImageDimension::D2Array | ImageDimension::D3 => 3,
    }
}

/// Bytes of a buffer of these elements.
pub fn buffer_bytes(element: ScalarType, lanes: u32) -> u64 {
    let stored = super::signature::stored_lanes(lanes);
    element.size().map_or(ELEMENTS * OPAQUE_BYTES, |size| ELEMENTS * u64::from(size) * u64::from(stored))
}

/// Width, height, depth and layers of an image.
pub fn image_sizes(dimension: ImageDimension) -> [u32; 4] {
    match dimension {
        ImageDimension::D1 | ImageDimension::D1Buffer => [PIXELS, 1, 1, 1],
        ImageDimension::D1Array => [PIXELS, 1, 1, PIXELS],
        ImageDimension::D2 => [PIXELS, PIXELS, 1, 1],
        ImageDimension::D2Array => [PIXELS, PIXELS, 1, PIXELS],
        ImageDimension::D3 => [PIXELS, PIXELS, PIXELS, 1],
    }
}

/// The channel type of an image, as its name in OpenCL, and the elements of its channels. Every device has
/// images of these types, with four channels.
pub fn image_channel(element: ScalarType) -> (&'static str, ScalarType) {
    match element {
        ScalarType::I32 => ("SIGNED_INT32", ScalarType::I32),
        ScalarType::U32 => ("UNSIGNED_INT32", ScalarType::U32),
        _ => ("UNORM_INT8", ScalarType::U8),
    }
}
