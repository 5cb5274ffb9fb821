//! Entry points: kernels, their execution modes, and what hosts ask about their arguments
//! (`clGetKernelArgInfo`).

use super::Module;
use super::callees;
use super::function::{self, Written};
use crate::emit::writer::instruction;
use clvk_ir::{Func, KernelInfo, KernelParam, KernelParamKind, ProgramHook};
use rspirv::{
    dr::Operand,
    spirv::{self, Capability, ExecutionMode, Word},
};
use rustc_hash::FxHashMap;

/// Kernels that the host launches by itself are in SPIR-V since this version.
const HOOKS: (u32, u32) = (1, 1);

/// Writes a kernel, after the functions that it calls.
pub fn write(module: &mut Module<'_>, func: Func, functions: &FxHashMap<Func, Written>) {
    let ir = module.ir;
    let kernel = &ir.functions[func];
    let info = kernel.kernel.as_ref().expect("it is a kernel");
    let entry = module.writer.id();
    let mut written = function::write(module, func, entry, Some(info));
    for callee in ir.reachable(callees(ir, func)) {
        let Some(other) = functions.get(&callee) else { continue };
        written.inputs.extend(&other.inputs);
        written.keeps_roundings |= other.keeps_roundings;
    }
    let mut operands = vec![
        Operand::ExecutionModel(spirv::ExecutionModel::Kernel),
        Operand::IdRef(entry),
        Operand::LiteralString(kernel.name.clone()),
    ];
    operands.extend(written.inputs.iter().copied().map(Operand::IdRef));
    module.writer.module.entry_points.push(instruction(spirv::Op::EntryPoint, None, None, operands));
    modes(module, entry, info, written.keeps_roundings);
    arguments(module, &kernel.name, &info.params);
}

fn modes(module: &mut Module<'_>, entry: Word, info: &KernelInfo, keeps_roundings: bool) {
    let mut mode = |mode: ExecutionMode, extra: &[u32]| {
        let mut operands = vec![Operand::IdRef(entry), Operand::ExecutionMode(mode)];
        operands.extend(extra.iter().copied().map(Operand::LiteralBit32));
        let modes = &mut module.writer.module.execution_modes;
        modes.push(instruction(spirv::Op::ExecutionMode, None, None, operands));
    };
    if let Some(size) = &info.required_work_group_size {
        mode(ExecutionMode::LocalSize, size);
    }
    if let Some(size) = &info.work_group_size_hint {
        mode(ExecutionMode::LocalSizeHint, size);
    }
    if let Some(hint) = info.vec_type_hint.as_deref().and_then(vector_type) {
        mode(ExecutionMode::VecTypeHint, &[hint]);
    }
    if keeps_roundings {
        mode(ExecutionMode::ContractionOff, &[]);
    }
    match info.hook {
        Some(ProgramHook::Initializer) => mode(ExecutionMode::Initializer, &[]),
        Some(ProgramHook::Finalizer) => mode(ExecutionMode::Finalizer, &[]),
        None => {}
    }
    if let Some(count) = info.required_sub_groups {
        mode(ExecutionMode::SubgroupsPerWorkgroup, &[count]);
        module.writer.require(Capability::SubgroupDispatch);
    }
    if info.hook.is_some() {
        module.writer.needs_version(HOOKS);
    }
}

/// A vector type as `VecTypeHint` numbers it (SPIR-V §3.6): lanes above, the kind of number below.
fn vector_type(name: &str) -> Option<u32> {
    let digits = name.find(|letter: char| letter.is_ascii_digit()).unwrap_or(name.len());
    let (number, lanes) = name.split_at(digits);
    let lanes: u32 = if lanes.is_empty() { 1 } else { lanes.parse().ok()? };
    let kind = match number {
        "char" | "uchar" => 0,
        "short" | "ushort" => 1,
        "int" | "uint" => 2,
        "long" | "ulong" => 3,
        "half" => 4,
        "float" => 5,
        "double" => 6,
        _ => return None,
    };
    Some(lanes << 16 | kind)
}

/// The names of the arguments' types and their qualifiers, in the strings in which LLVM's translator leaves
/// them and in which drivers look for them.
fn arguments(module: &mut Module<'_>, kernel: &str, params: &[KernelParam]) {
    let list =
        |of: fn(&KernelParam) -> String| -> String { params.iter().map(|param| of(param) + ",").collect() };
    let types = list(|param| param.type_name.clone());
    let qualifiers = list(qualifiers);
    module.writer.string(format!("kernel_arg_type.{kernel}.{types}"));
    module.writer.string(format!("kernel_arg_type_qual.{kernel}.{qualifiers}"));
}

fn qualifiers(param: &KernelParam) -> String {
    let (read_only, restrict, volatile) = match param.kind {
        KernelParamKind::Buffer { read_only, restrict, volatile }
        | KernelParamKind::Local { read_only, restrict, volatile } => (read_only, restrict, volatile),
        _ => return String::new(),
    };
    let words = [("restrict", restrict), ("const", read_only), ("volatile", volatile)];
    let words: Vec<&str> = words.into_iter().filter_map(|(word, applies)| applies.then_some(word)).collect();
    words.join(" ")
}
