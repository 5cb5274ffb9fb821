//! Images and samplers.

use clvk_interface::ImageQuery;
use serde::{Deserialize, Serialize};

/// An image operation. The image is the first operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum ImageOp {
    /// (image, sampler, coordinates, level as `F32`) → 4 lanes of `F32`, interpolated by the device's sampler
    /// in a level of detail. Coordinates are `F32` and normalised, except the layer of an array, which comes
    /// last. They are a scalar or a vector with
    /// [`ImageDimension::coordinate_lanes`](crate::ImageDimension::coordinate_lanes) lanes.
    SampledRead,
    /// (image, sampler, coordinates of `F32` in texels) → 4 lanes of `F32`: the texel of the first level at
    /// these coordinates, or what the sampler has beyond the edge. Of images of one or two dimensions that
    /// are not arrays. The image's other levels are not read elsewhere in the kernel.
    SampledTexel,
    /// (image, coordinates of `I32`) or (image, coordinates, level as `I32`) → 4 lanes, read without a
    /// sampler from the first level of detail or from the given one.
    Read {
        /// Texels are signed integers.
        signed: bool,
    },
    /// (image, coordinates of `I32`, 4 lanes) or (image, coordinates, 4 lanes, level as `I32`): writes to the
    /// first level of detail or to the given one.
    Write {
        /// Texels are signed integers.
        signed: bool,
    },
    /// (image) → `I32`: what the host says about the image.
    Query(ImageQuery),
}

/// The properties of a sampler as `sampler_t` is initialised (OpenCL C §6.15.15.1): one of the
/// `CLK_NORMALIZED_COORDS_` macros, one of the `CLK_ADDRESS_` and one of the `CLK_FILTER_`, as SPIR numbers
/// them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct SamplerWord(u32);

impl SamplerWord {
    /// The word, if it is valid. A missing filter means the nearest pixel.
    #[must_use]
    pub fn new(word: u32) -> Option<SamplerWord> {
        let known = word & !0x3F == 0 && word & 0xE <= 8 && word & 0x30 != 0x30;
        let filter = if word & 0x30 == 0 { 0x10 } else { 0 };
        known.then_some(SamplerWord(word | filter))
    }

    /// The word.
    #[must_use]
    pub fn bits(self) -> u32 {
        self.0
    }

    /// The `CLK_ADDRESS_` macro's value.
    #[must_use]
    pub fn addressing(self) -> u32 {
        self.0 & 0xE
    }
}
