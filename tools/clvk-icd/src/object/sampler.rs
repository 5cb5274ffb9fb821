//! Samplers.

use super::context::Context;
use crate::cl::*;
use crate::code::{self, Code, Result, ensure};
use crate::handle::{self, Handle, Header, object};
use crate::info::{self, Answer};
use std::sync::{Arc, OnceLock};
use vk_runtime::{AddressingMode, FilterMode, SamplerDescription, SamplerLevels};

/// A sampler.
#[repr(C)]
pub struct Sampler {
    header: Header<Sampler>,
    context: Arc<Context>,
    description: SamplerDescription,
    levels: Levels,
    /// As the application gave them, with the zero at the end; empty if it gave none.
    properties: Vec<u64>,
    /// One for each device of the context, made when it is needed.
    on_devices: Vec<OnceLock<Result<vk_runtime::Sampler>>>,
}

object!(Sampler, code::INVALID_SAMPLER);

/// The runtime's addressing mode.
pub fn addressing(mode: cl_addressing_mode) -> Result<AddressingMode> {
    Ok(match mode {
        CL_ADDRESS_NONE => AddressingMode::None,
        CL_ADDRESS_CLAMP_TO_EDGE => AddressingMode::ClampToEdge,
        CL_ADDRESS_CLAMP => AddressingMode::Clamp,
        CL_ADDRESS_REPEAT => AddressingMode::Repeat,
        CL_ADDRESS_MIRRORED_REPEAT => AddressingMode::MirroredRepeat,
        _ => return Err(code::INVALID_VALUE),
    })
}

/// The runtime's filter mode.
pub fn filter(mode: cl_filter_mode) -> Result<FilterMode> {
    match mode {
        CL_FILTER_NEAREST => Ok(FilterMode::Nearest),
        CL_FILTER_LINEAR => Ok(FilterMode::Linear),
        _ => Err(code::INVALID_VALUE),
    }
}

/// Levels of detail, as the application gave them (cl_khr_mipmap_image).
#[derive(Clone, Copy)]
pub struct Levels {
    /// Between two levels.
    pub filter: FilterMode,
    /// The lowest one.
    pub first: f32,
    /// The highest one.
    pub last: f32,
}

impl Default for Levels {
    fn default() -> Self {
        Levels { filter: FilterMode::Nearest, first: 0.0, last: f32::MAX }
    }
}

fn filter_value(filter: FilterMode) -> cl_filter_mode {
    match filter {
        FilterMode::Nearest => CL_FILTER_NEAREST,
        FilterMode::Linear => CL_FILTER_LINEAR,
    }
}

impl Sampler {
    /// A sampler. Repeating needs normalised coordinates.
    pub fn new(
        context: Arc<Context>,
        mut description: SamplerDescription,
        levels: Levels,
        properties: Vec<u64>,
    ) -> Result<Arc<Self>> {
        let linear = levels.filter == FilterMode::Linear;
        description.levels = SamplerLevels::new(linear, levels.first, levels.last);
        let repeats =
            matches!(description.addressing, AddressingMode::Repeat | AddressingMode::MirroredRepeat);
        ensure(!repeats || description.normalized_coordinates, code::INVALID_VALUE)?;
        let on_devices = context.devices().iter().map(|_| OnceLock::new()).collect();
        Ok(Arc::new(Sampler { header: Header::new(), context, description, levels, properties, on_devices }))
    }

    /// Its context.
    pub fn context(&self) -> &Arc<Context> {
        &self.context
    }

    /// The runtime's sampler on the device of this position in the context.
    pub fn on_device(&self, index: usize) -> Result<&vk_runtime::Sampler> {
        let device = self.context.devices()[index].open()?;
        let make = || vk_runtime::Sampler::new(device, self.description).map_err(Code::from);
        self.on_devices[index].get_or_init(make).as_ref().map_err(|&code| code)
    }

    /// Answers a query.
    pub fn query(&self, name: cl_sampler_info) -> Result<Answer> {
        match name {
            CL_SAMPLER_REFERENCE_COUNT => info::value(handle::references(self)),
            CL_SAMPLER_CONTEXT => info::value(Handle::of(&self.context)),
            CL_SAMPLER_NORMALIZED_COORDS => info::truth(self.description.normalized_coordinates),
            CL_SAMPLER_ADDRESSING_MODE => info::value(match self.description.addressing {
                AddressingMode::None => CL_ADDRESS_NONE,
                AddressingMode::ClampToEdge => CL_ADDRESS_CLAMP_TO_EDGE,
                AddressingMode::Clamp => CL_ADDRESS_CLAMP,
                AddressingMode::Repeat => CL_ADDRESS_REPEAT,
                AddressingMode::MirroredRepeat => CL_ADDRESS_MIRRORED_REPEAT,
            }),
            CL_SAMPLER_FILTER_MODE => info::value(filter_value(self.description.filter)),
            CL_SAMPLER_MIP_FILTER_MODE => info::value(filter_value(self.levels.filter)),
            CL_SAMPLER_LOD_MIN => info::bytes(&self.levels.first.to_ne_bytes()),
            CL_SAMPLER_LOD_MAX => info::bytes(&self.levels.last.to_ne_bytes()),
            CL_SAMPLER_PROPERTIES => info::list(&self.properties),
            _ => Err(code::INVALID_VALUE),
        }
    }
}
