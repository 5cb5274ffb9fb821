//! Samplers (OpenCL C §6.15.15.1).

use crate::vulkan::error::{Error, Result};
use crate::vulkan::handle::Owned;
use crate::vulkan::logical_device::LogicalDevice;
use ash::vk;
use clvk_interface::{SamplerAddressing, SamplerLevels, sampler_word};
use std::sync::Arc;

/// What a coordinate outside the image reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum AddressingMode {
    /// Undefined; the kernel promises that coordinates stay inside the image.
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

/// How a coordinate selects pixels.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FilterMode {
    /// The nearest one.
    Nearest,
    /// Linear interpolation between the nearest ones.
    Linear,
}

/// Properties of a sampler.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct SamplerDescription {
    /// Beyond the edge.
    pub addressing: AddressingMode,
    /// Between the pixels.
    pub filter: FilterMode,
    /// Whether coordinates run from 0 to 1 instead of to the size of the image.
    pub normalized_coordinates: bool,
    /// Levels of detail.
    pub levels: SamplerLevels,
}

/// The part of a sampler that in-flight work keeps alive: a sampler object for normalised coordinates, or one
/// for texels. Through the former, kernels read at other coordinates, too, which they convert.
pub(crate) struct SamplerInner(Owned<vk::Sampler>);

impl SamplerDescription {
    /// The word that describes its properties to a kernel.
    pub(crate) fn word(&self) -> u32 {
        let SamplerDescription { addressing, filter, normalized_coordinates, levels } = *self;
        let addressing = match addressing {
            AddressingMode::None => SamplerAddressing::None,
            AddressingMode::ClampToEdge => SamplerAddressing::ClampToEdge,
            AddressingMode::Clamp => SamplerAddressing::Clamp,
            AddressingMode::Repeat => SamplerAddressing::Repeat,
            AddressingMode::MirroredRepeat => SamplerAddressing::MirroredRepeat,
        };
        sampler_word(addressing, filter == FilterMode::Linear, normalized_coordinates) | levels.word()
    }
}

impl SamplerInner {
    /// For normalised coordinates.
    pub(crate) fn new(device: &Arc<LogicalDevice>, description: &SamplerDescription) -> Result<Self> {
        let filter = match description.filter {
            FilterMode::Nearest => vk::Filter::NEAREST,
            FilterMode::Linear => vk::Filter::LINEAR,
        };
        let mode = match description.addressing {
            AddressingMode::None | AddressingMode::ClampToEdge => vk::SamplerAddressMode::CLAMP_TO_EDGE,
            AddressingMode::Clamp => vk::SamplerAddressMode::CLAMP_TO_BORDER,
            AddressingMode::Repeat => vk::SamplerAddressMode::REPEAT,
            AddressingMode::MirroredRepeat => vk::SamplerAddressMode::MIRRORED_REPEAT,
        };
        // Kernels choose the level.
        create(device, &described(filter, mode).max_lod(vk::LOD_CLAMP_NONE))
    }

    /// For coordinates in texels, whose results OpenCL defines for the nearest filter without repetition.
    pub(crate) fn of_texels(device: &Arc<LogicalDevice>, description: &SamplerDescription) -> Result<Self> {
        let mode = match description.addressing {
            AddressingMode::Clamp => vk::SamplerAddressMode::CLAMP_TO_BORDER,
            _ => vk::SamplerAddressMode::CLAMP_TO_EDGE,
        };
        create(device, &described(vk::Filter::NEAREST, mode).unnormalized_coordinates(true))
    }

    pub(crate) fn raw(&self) -> vk::Sampler {
        self.0.get()
    }
}

fn described(filter: vk::Filter, mode: vk::SamplerAddressMode) -> vk::SamplerCreateInfo<'static> {
    vk::SamplerCreateInfo::default()
        .min_filter(filter)
        .mag_filter(filter)
        .mipmap_mode(vk::SamplerMipmapMode::NEAREST)
        .address_mode_u(mode)
        .address_mode_v(mode)
        .address_mode_w(mode)
        // Formats without alpha read alpha as one.
        .border_color(vk::BorderColor::FLOAT_TRANSPARENT_BLACK)
}

fn create(logical: &Arc<LogicalDevice>, info: &vk::SamplerCreateInfo<'_>) -> Result<SamplerInner> {
    // SAFETY: the create info has no pointers and asks for no feature that has to be enabled. Where it is for
    // coordinates in texels, it has what Vulkan demands of these: one filter, the edge or the border, and the
    // first level.
    let sampler =
        unsafe { logical.raw().create_sampler(info, None) }.map_err(Error::vulkan("create a sampler"))?;
    // SAFETY: just created from this device.
    Ok(SamplerInner(unsafe { Owned::new(logical, sampler) }))
}
