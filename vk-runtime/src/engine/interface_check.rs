//! Whether the interface of a module can be used. It may come from a file, so nothing in it is trusted.
//!
//! An accepted interface has every location inside its block, and needs nothing that the device lacks.

use crate::vulkan::error::{Error, Result};
use clvk_interface::{
    AddressingMode, ArgumentKind, BufferLocation, DeviceProfile, ImageAccess, ImageDimension, ImplicitBuffer,
    KernelInterface, MOST_LEVELS, ModuleInterface, ProgramVariables, SamplerSource, SpecConstants,
    ValueLocation,
};
use rustc_hash::FxHashSet;

/// Refuses an interface that contradicts itself or the device.
pub(crate) fn check_interface(module: &ModuleInterface, profile: &DeviceProfile) -> Result<()> {
    if module.addressing == AddressingMode::Physical && !profile.buffer_device_address {
        return Err(Error::InvalidProgram(
            "it uses physical addresses, which this device does not have; compile it with this device's profile"
                .to_owned(),
        ));
    }
    let mut names = FxHashSet::default();
    if let Some(variables) = &module.program_variables {
        check_variables(variables)
            .map_err(|reason| Error::InvalidProgram(format!("its program-scope variables: {reason}")))?;
    }
    for kernel in &module.kernels {
        if kernel.implicit_buffer(ImplicitBuffer::ProgramVariables).is_some()
            && module.program_variables.is_none()
        {
            return Err(Error::InvalidProgram(format!(
                "kernel `{}` uses program-scope variables, but the module has none",
                kernel.name
            )));
        }
        if !names.insert(&kernel.name) {
            return Err(Error::InvalidProgram(format!("it has two kernels called `{}`", kernel.name)));
        }
        check_kernel(kernel, profile, module.addressing)
            .map_err(|reason| Error::InvalidProgram(format!("kernel `{}`: {reason}", kernel.name)))?;
    }
    Ok(())
}

/// Refuses initial contents outside the buffer.
fn check_variables(variables: &ProgramVariables) -> Result<(), String> {
    let size = variables.size;
    let inside = |offset: u64, bytes: u64| offset.checked_add(bytes).is_some_and(|end| end <= size);
    if size == 0 {
        return Err("the buffer is empty".to_owned());
    }
    let contents = variables.contents.iter().map(|part| (part.offset, part.bytes.len() as u64));
    let pointers = variables.pointers.iter().map(|pointer| (pointer.offset, 8));
    match contents.chain(pointers).find(|&(offset, bytes)| !inside(offset, bytes)) {
        Some((offset, bytes)) => Err(format!("{bytes} bytes at {offset} lie outside {size} bytes")),
        None => Ok(()),
    }
}

fn check_kernel(
    kernel: &KernelInterface,
    profile: &DeviceProfile,
    addressing: AddressingMode,
) -> Result<(), String> {
    let push = kernel.push_constant_size;
    if !push.is_multiple_of(4) {
        return Err(format!("its push constants have {push} bytes, which is not a multiple of 4"));
    }
    if push > profile.max_push_constants {
        return Err(format!(
            "it needs {push} bytes of push constants, but the device has {}; compile it with this device's profile",
            profile.max_push_constants
        ));
    }
    if kernel.hook.is_some() && !kernel.arguments.is_empty() {
        return Err("it has arguments, but the runtime launches it by itself".to_owned());
    }
    let spilled = kernel.argument_buffer.map_or(0, |buffer| buffer.size);
    let physical = addressing == AddressingMode::Physical && profile.buffer_device_address;
    if !physical
        && kernel.buffer_locations().any(|location| matches!(location, BufferLocation::Address { .. }))
    {
        return Err(
            "it reaches a buffer by its address, which needs physical addresses; the program or the device lacks them"
                .to_owned(),
        );
    }
    if kernel.argument_buffer.is_some_and(|buffer| buffer.size == 0 || buffer.size > LARGEST_ARGUMENT_BUFFER)
    {
        return Err(format!(
            "its argument buffer of {spilled} bytes is not between 1 and {LARGEST_ARGUMENT_BUFFER}"
        ));
    }
    let inside = |location: ValueLocation, size: u32| {
        let (offset, block) = match location {
            ValueLocation::PushConstant { offset } => (offset, push),
            ValueLocation::ArgumentBuffer { offset } => (offset, spilled),
        };
        if offset.checked_add(size).is_some_and(|end| end <= block) {
            Ok(())
        } else {
            Err(format!("{size} bytes at {location:?} lie outside a block of {block} bytes"))
        }
    };
    let words = [
        (kernel.global_offset, 12),
        (kernel.global_size, 12),
        (kernel.work_dim, 4),
        (kernel.command_number, 4),
        (kernel.zero, 4),
        (kernel.group_offset, 12),
    ];
    for (offset, size) in words {
        if let Some(offset) = offset {
            inside(ValueLocation::PushConstant { offset }, size)?;
        }
    }
    let (mut bindings, mut constants) = (FxHashSet::default(), FxHashSet::default());
    let mut bind = |binding: u32| {
        let fresh = binding < MOST_BINDINGS && bindings.insert(binding);
        if fresh { Ok(()) } else { Err(format!("binding {binding} is used twice or is too large")) }
    };
    for location in kernel.buffer_locations() {
        match location {
            BufferLocation::Address { offset } => inside(ValueLocation::PushConstant { offset }, 8)?,
            BufferLocation::Descriptor { binding } => bind(binding)?,
        }
    }
    kernel.samplers.iter().try_for_each(|sampler| bind(sampler.binding))?;
    for sampler in &kernel.texel_samplers {
        bind(sampler.binding)?;
        let is_there = match sampler.of {
            SamplerSource::Argument(index) => {
                let argument = kernel.arguments.get(index as usize);
                argument.is_some_and(|argument| matches!(argument.kind, ArgumentKind::Sampler { .. }))
            }
            SamplerSource::Program(index) => (index as usize) < kernel.samplers.len(),
        };
        if !is_there {
            return Err(format!("the sampler {:?} does not exist", sampler.of));
        }
    }
    for argument in &kernel.arguments {
        match argument.kind {
            ArgumentKind::BufferAddress { location, .. } => inside(location, 8)?,
            ArgumentKind::StorageBuffer { binding, offset_location, .. } => {
                bind(binding)?;
                inside(offset_location, 4)?;
            }
            ArgumentKind::Value { location, size } => inside(location, size)?,
            ArgumentKind::Local { spec_id, .. } => {
                let reserved =
                    spec_id < SpecConstants::FIRST_LOCAL_ARGUMENT || spec_id == SpecConstants::OFFSET_MASK;
                if reserved || !constants.insert(spec_id) {
                    return Err(format!("specialisation constant {spec_id} is used twice or is reserved"));
                }
            }
            ArgumentKind::Image { binding, dimension, access, levels, ref words } => {
                let is_storage = access != ImageAccess::ReadOnly && dimension != ImageDimension::D1Buffer;
                if levels != 1 && !(is_storage && levels == MOST_LEVELS) {
                    return Err(format!("an image has {levels} levels of detail, not 1 or {MOST_LEVELS}"));
                }
                (0..levels).try_for_each(|level| bind(binding.saturating_add(level)))?;
                words.iter().try_for_each(|&(_, location)| inside(location, 4))?;
            }
            ArgumentKind::Sampler { binding, word_location: word } => {
                bind(binding)?;
                word.map_or(Ok(()), |location| inside(location, 4))?;
            }
        }
    }
    Ok(())
}

/// Arguments take at most some kilobytes; a larger size means a damaged interface.
const LARGEST_ARGUMENT_BUFFER: u32 = 1 << 20;

/// A binding number above this means a damaged interface, and drivers allocate memory by binding number.
const MOST_BINDINGS: u32 = 4096;

#[cfg(test)]
mod tests {
    use super::*;
    use clvk_interface::{Argument, ScalarType};

    fn interface(location: ValueLocation) -> ModuleInterface {
        ModuleInterface {
            addressing: AddressingMode::Physical,
            kernels: vec![KernelInterface {
                push_constant_size: 8,
                arguments: vec![Argument {
                    name: "a".to_owned(),
                    type_name: "float".to_owned(),
                    element: ScalarType::F32,
                    lanes: 1,
                    kind: ArgumentKind::Value { location, size: 4 },
                }],
                ..KernelInterface::new("k")
            }],
            program_variables: None,
            print_formats: Vec::new(),
            print_strings: Vec::new(),
        }
    }

    #[test]
    fn a_location_outside_its_block_is_refused() {
        let profile = DeviceProfile::preset("nvidia-h200").unwrap();
        let check = |location| check_interface(&interface(location), &profile);
        check(ValueLocation::PushConstant { offset: 4 }).unwrap();
        for location in [
            ValueLocation::PushConstant { offset: 5 },
            ValueLocation::PushConstant { offset: u32::MAX },
            ValueLocation::ArgumentBuffer { offset: 0 },
        ] {
            assert!(matches!(check(location), Err(Error::InvalidProgram(_))), "{location:?}");
        }
    }

    #[test]
    fn physical_addresses_need_the_feature() {
        let profile =
            DeviceProfile { buffer_device_address: false, ..DeviceProfile::preset("nvidia-h200").unwrap() };
        let error =
            check_interface(&interface(ValueLocation::PushConstant { offset: 0 }), &profile).unwrap_err();
        assert!(error.to_string().contains("physical addresses"), "{error}");
    }
}
