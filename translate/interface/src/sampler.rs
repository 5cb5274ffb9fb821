//! Samplers (OpenCL C §6.15.15.1).

use crate::MOST_LEVELS;
use serde::{Deserialize, Serialize};

/// What a read at a coordinate outside an image returns (OpenCL C §6.15.15.1).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum SamplerAddressing {
    /// Undefined; the kernel promises not to read outside.
    None,
    /// The nearest pixel of the edge (`CLK_ADDRESS_CLAMP_TO_EDGE`).
    ClampToEdge,
    /// The border colour: zero, with an alpha of one for formats without alpha (`CLK_ADDRESS_CLAMP`).
    Clamp,
    /// The image repeated (`CLK_ADDRESS_REPEAT`); only with normalised coordinates.
    Repeat,
    /// The image repeated, every second time mirrored (`CLK_ADDRESS_MIRRORED_REPEAT`); only with normalised
    /// coordinates.
    MirroredRepeat,
}

/// A sampler that the program declares; the host creates and binds it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct ProgramSampler {
    /// Descriptor binding in set 0.
    pub binding: u32,
    /// What is read beyond the edge.
    pub addressing: SamplerAddressing,
    /// Whether it interpolates between the nearest pixels.
    pub linear: bool,
    /// Whether coordinates run from 0 to 1 rather than to the size of the image.
    pub normalized_coordinates: bool,
}

/// A second descriptor of a sampler of the kernel, through which it reads texels at coordinates in texels:
/// with `unnormalizedCoordinates`, the nearest filter, and the sampler's border or else its edge.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct TexelSampler {
    /// Descriptor binding in set 0.
    pub binding: u32,
    /// Which sampler it is.
    pub of: SamplerSource,
}

/// Where a sampler of a kernel comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum SamplerSource {
    /// The argument with this index.
    Argument(u32),
    /// That of [`KernelInterface::samplers`](crate::KernelInterface::samplers) with this index.
    Program(u32),
}

impl SamplerAddressing {
    /// The value of the `CLK_ADDRESS_` macro.
    #[must_use]
    pub const fn word(self) -> u32 {
        match self {
            SamplerAddressing::None => 0,
            SamplerAddressing::ClampToEdge => 2,
            SamplerAddressing::Clamp => 4,
            SamplerAddressing::Repeat => 6,
            SamplerAddressing::MirroredRepeat => 8,
        }
    }
}

impl ProgramSampler {
    /// The sampler with the properties of a [`sampler_word`].
    #[must_use]
    pub const fn of_word(word: u32, binding: u32) -> Self {
        let addressing = match word & 0xe {
            2 => SamplerAddressing::ClampToEdge,
            4 => SamplerAddressing::Clamp,
            6 => SamplerAddressing::Repeat,
            8 => SamplerAddressing::MirroredRepeat,
            _ => SamplerAddressing::None,
        };
        let (linear, normalized_coordinates) = (word & 0x20 != 0, word & 1 != 0);
        ProgramSampler { binding, addressing, linear, normalized_coordinates }
    }
}

/// The properties of a sampler as a word: the value that initialises a `sampler_t` (OpenCL C §6.15.15.1), in
/// SPIR's numbering.
#[must_use]
pub const fn sampler_word(addressing: SamplerAddressing, linear: bool, normalized_coordinates: bool) -> u32 {
    addressing.word() | if linear { 0x20 } else { 0x10 } | normalized_coordinates as u32
}

/// The levels of detail that a sampler reads, in units of 1/256 level.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct SamplerLevels {
    /// Whether it interpolates between two levels.
    pub linear: bool,
    /// The lowest one, below [`SamplerLevels::END`].
    pub first: u16,
    /// The highest one, below [`SamplerLevels::END`].
    pub last: u16,
}

impl SamplerLevels {
    /// Beyond all levels.
    pub const END: u16 = 256 * MOST_LEVELS as u16;

    /// The levels from `first` to `last`, to the nearest 256th.
    #[must_use]
    pub fn new(linear: bool, first: f32, last: f32) -> Self {
        let steps = |level: f32| (level * 256.0).round().clamp(0.0, f32::from(Self::END - 1)) as u16;
        SamplerLevels { linear, first: steps(first), last: steps(last) }
    }

    /// Its bits of the word about a sampler. Zero bits, as in samplers that programs declare, mean all
    /// levels, without interpolation between them.
    #[must_use]
    pub const fn word(self) -> u32 {
        (self.linear as u32) << 6 | (self.first as u32) << 8 | (Self::END as u32 - 1 - self.last as u32) << 20
    }
}

impl Default for SamplerLevels {
    fn default() -> Self {
        SamplerLevels { linear: false, first: 0, last: Self::END - 1 }
    }
}
