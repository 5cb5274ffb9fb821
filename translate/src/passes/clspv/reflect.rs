//! What the host is told.

use crate::passes::Context;
use clvk_interface::clspv::{
    ArgumentInformation, ArgumentPlace, ClspvLaunch, Descriptor, ReflectedArgument, ReflectedKernel,
    ReflectedVariables, Reflection, VariablesPlace,
};
use clvk_interface::{ArgumentKind, KernelInterface, PROGRAM_VARIABLES_TAG, ProgramVariables};
use clvk_ir::{
    AddressSpace, Function, KernelInfo, KernelParam, KernelParamKind, Op, VariableSpace, descriptor,
};
use rustc_hash::FxHashSet;
use std::fmt::Write;

pub(super) fn run(context: &Context<'_, '_>, launch: &ClspvLaunch) -> Reflection {
    let convention = &context.clspv;
    let kernels = context.module.kernels().zip(&context.interface.kernels).zip(&convention.kernels);
    let kernels = kernels.map(|((kernel, interface), plan)| {
        let function = &context.module.functions[kernel];
        let (used, read) = (used_descriptors(function), read_offsets(function));
        let arguments = plan.places.iter().copied().enumerate();
        let arguments = arguments.filter(|&(_, place)| is_used(place, &used));
        ReflectedKernel {
            name: interface.name.clone(),
            attributes: attributes(&plan.info),
            argument_count: plan.info.params.len() as u32,
            required_work_group_size: plan.info.required_work_group_size,
            arguments: arguments
                .map(|(ordinal, place)| {
                    let (param, space) = (&plan.info.params[ordinal], plan.spaces[ordinal]);
                    ReflectedArgument {
                        ordinal: ordinal as u32,
                        name: param.name.clone(),
                        information: launch.argument_information.then(|| information(param, space)),
                        place: with_element_size(place, interface, ordinal),
                    }
                })
                .collect(),
            words: plan.words.iter().copied().filter(|word| read.contains(&word.offset)).collect(),
        }
    });
    let is_constant = !context.module.globals.iter().any(|(_, data)| data.space == AddressSpace::Global);
    let variables = context.interface.program_variables.as_ref().zip(convention.variables);
    Reflection {
        kernels: kernels.collect(),
        samplers: convention.samplers.clone(),
        variables: variables.map(|(variables, place)| ReflectedVariables {
            constant: is_constant,
            data: contents(variables, place),
            place,
        }),
        launch_words: convention.words.clone(),
        work_dim: convention.work_dim,
        global_offset: convention.global_offset,
    }
}

/// The size of a local argument's elements is known only when memory was lowered.
fn with_element_size(place: ArgumentPlace, interface: &KernelInterface, ordinal: usize) -> ArgumentPlace {
    match (place, &interface.arguments[ordinal].kind) {
        (ArgumentPlace::Workgroup { spec_id, .. }, &ArgumentKind::Local { element_size, .. }) => {
            ArgumentPlace::Workgroup { spec_id, element_size }
        }
        _ => place,
    }
}

/// The descriptors that a kernel uses. The host is not told about others, so it need not bind them.
fn used_descriptors(function: &Function) -> FxHashSet<u32> {
    let mut used = FxHashSet::default();
    function.walk(|_, data| match data.op {
        Op::ImageBinding { binding } | Op::SamplerBinding { binding } => {
            used.insert(binding);
        }
        Op::ElementPointer(variable) => {
            if let VariableSpace::StorageBuffer { binding, .. } = function.variables[variable].space {
                used.insert(binding);
            }
        }
        _ => {}
    });
    used
}

/// The offsets in the push constants that a kernel reads from.
fn read_offsets(function: &Function) -> FxHashSet<u32> {
    let mut read = FxHashSet::default();
    function.walk(|_, data| {
        if let Op::PushConstant { offset } = data.op {
            read.insert(offset);
        }
    });
    read
}

fn is_used(place: ArgumentPlace, used: &FxHashSet<u32>) -> bool {
    match place {
        ArgumentPlace::StorageBuffer(Descriptor { set, binding }) => {
            used.contains(&descriptor::of(set, binding))
        }
        // Images and samplers are bound in any case, because words about them may be wanted.
        _ => true,
    }
}

/// The attributes, as clang prints them.
fn attributes(info: &KernelInfo) -> String {
    let mut text = String::new();
    let sizes = [
        ("work_group_size_hint", info.work_group_size_hint),
        ("reqd_work_group_size", info.required_work_group_size),
    ];
    for (name, size) in sizes {
        if let Some([x, y, z]) = size {
            let _ = write!(text, "__attribute__(({name}({x}, {y}, {z})))");
        }
    }
    if let Some(hint) = &info.vec_type_hint {
        let _ = write!(text, "__attribute__((vec_type_hint({hint})))");
    }
    text + "__kernel"
}

/// The answers of `clGetKernelArgInfo`, with OpenCL's numbers. To clspv, as to clang, images are in global
/// memory.
fn information(param: &KernelParam, space: Option<AddressSpace>) -> ArgumentInformation {
    let address = match (&param.kind, space) {
        (KernelParamKind::Image(_), _) | (_, Some(AddressSpace::Global)) => 0x119b,
        (_, Some(AddressSpace::Local)) => 0x119c,
        (_, Some(AddressSpace::Constant)) => 0x119d,
        _ => 0x119e,
    };
    let access = match &param.kind {
        KernelParamKind::Image(image) => match (image.readable, image.writable) {
            (true, true) => 0x11a2,
            (false, true) => 0x11a1,
            _ => 0x11a0,
        },
        _ => 0x11a3,
    };
    let qualifiers = match param.kind {
        KernelParamKind::Buffer { read_only, restrict, volatile }
        | KernelParamKind::Local { read_only, restrict, volatile } => {
            u32::from(read_only) | u32::from(restrict) << 1 | u32::from(volatile) << 2
        }
        _ => 0,
    };
    ArgumentInformation { type_name: param.type_name.clone(), address, access, qualifiers }
}

/// The contents of the program's variables at the start.
fn contents(variables: &ProgramVariables, place: VariablesPlace) -> Vec<u8> {
    let mut data = vec![0; variables.size as usize];
    for part in &variables.contents {
        let start = part.offset as usize;
        data[start..start + part.bytes.len()].copy_from_slice(&part.bytes);
    }
    if let VariablesPlace::StorageBuffer(_) = place {
        for pointer in &variables.pointers {
            let stored = u64::from(PROGRAM_VARIABLES_TAG) << 32 | pointer.target & 0xffff_ffff;
            let start = pointer.offset as usize;
            data[start..start + 8].copy_from_slice(&stored.to_le_bytes());
        }
    }
    data
}
