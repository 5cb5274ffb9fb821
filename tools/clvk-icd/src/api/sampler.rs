//! Samplers.

use crate::border::{In, Out};
use crate::cl::*;
use crate::code::{self, Result, ensure};
use crate::entry::{creation, status};
use crate::handle::Handle;
use crate::info::Request;
use crate::object::context::Context;
use crate::object::sampler::{Levels, Sampler, addressing, filter};
use std::ffi::c_void;
use std::sync::Arc;
use vk_runtime::{AddressingMode, FilterMode, SamplerDescription, SamplerLevels};

/// Samplers need devices with images.
fn check_images(context: &Arc<Context>) -> Result<()> {
    let has = |device: &Arc<crate::object::device::Device>| device.has(clvk_interface::Feature::Images);
    ensure(context.devices().iter().any(has), code::INVALID_OPERATION)
}

fn truth(value: u64) -> Result<bool> {
    ensure(value <= 1, code::INVALID_VALUE)?;
    Ok(value == 1)
}

/// A level of detail: the bits of a `cl_float`.
fn level(value: u64) -> Result<f32> {
    let level = f32::from_bits(word(value)?);
    ensure(level >= 0.0, code::INVALID_VALUE)?;
    Ok(level)
}

fn word(value: u64) -> Result<u32> {
    u32::try_from(value).map_err(|_| code::INVALID_VALUE)
}

creation! {
    /// `clCreateSamplerWithProperties`.
    fn clCreateSamplerWithProperties(context: Handle<Context>, list: In<u64>) -> Handle<Sampler> {
        let context = context.get()?;
        let given = list.properties();
        let mut description = SamplerDescription {
            addressing: AddressingMode::Clamp,
            filter: FilterMode::Nearest,
            normalized_coordinates: true,
            levels: SamplerLevels::default(),
        };
        let mut levels = Levels::default();
        let mut seen = Vec::new();
        for &(name, value) in &given {
            ensure(!seen.contains(&name), code::INVALID_VALUE)?;
            seen.push(name);
            match u32::try_from(name) {
                Ok(CL_SAMPLER_NORMALIZED_COORDS) => description.normalized_coordinates = truth(value)?,
                Ok(CL_SAMPLER_ADDRESSING_MODE) => description.addressing = addressing(word(value)?)?,
                Ok(CL_SAMPLER_MIP_FILTER_MODE) => levels.filter = filter(word(value)?)?,
                Ok(CL_SAMPLER_LOD_MIN) => levels.first = level(value)?,
                Ok(CL_SAMPLER_LOD_MAX) => levels.last = level(value)?,
                Ok(CL_SAMPLER_FILTER_MODE) => description.filter = filter(word(value)?)?,
                _ => return Err(code::INVALID_VALUE),
            }
        }
        check_images(&context)?;
        let kept = if list.is_null() {
            Vec::new()
        } else {
            given.into_iter().flat_map(|(name, value)| [name, value]).chain([0]).collect()
        };
        Ok(Handle::publish(Sampler::new(context, description, levels, kept)?))
    }

    /// `clCreateSampler`.
    fn clCreateSampler(
        context: Handle<Context>,
        normalized: cl_bool,
        addressing_mode: cl_addressing_mode,
        filter_mode: cl_filter_mode,
    ) -> Handle<Sampler> {
        let context = context.get()?;
        let description = SamplerDescription {
            addressing: addressing(addressing_mode)?,
            filter: filter(filter_mode)?,
            normalized_coordinates: truth(u64::from(normalized))?,
            levels: SamplerLevels::default(),
        };
        check_images(&context)?;
        Ok(Handle::publish(Sampler::new(context, description, Levels::default(), Vec::new())?))
    }
}

status! {
    /// `clRetainSampler`.
    fn clRetainSampler(sampler: Handle<Sampler>) {
        sampler.retain()
    }

    /// `clReleaseSampler`.
    fn clReleaseSampler(sampler: Handle<Sampler>) {
        sampler.release()
    }

    /// `clGetSamplerInfo`.
    fn clGetSamplerInfo(
        sampler: Handle<Sampler>,
        name: cl_sampler_info,
        size: usize,
        value: Out<c_void>,
        size_ret: Out<usize>,
    ) {
        Request { size, value, size_ret }.answer(sampler.get()?.query(name)?)
    }
}
