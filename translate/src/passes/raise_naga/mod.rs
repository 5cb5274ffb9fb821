//! Replaces operations that naga's IR lacks by operations that it has, so the writer can write each as it is.
//!
//! - [`floats`]: comparisons and extremes that must respect NaN;
//! - [`integers`]: high products;
//! - [`halves`]: conversions between halves and integers;
//! - [`limits`]: what has no translation, and is refused;
//! - here: vectors in the uniform block that WGSL would place elsewhere, and changes of single lanes;
//! - shifts, counts of zeros, and extensions of truth values as for SPIR-V
//!   ([`raise_spirv`]).
//!
//! After it the module is in [`Stage::RaisedForNaga`](clvk_ir::verify::Stage::RaisedForNaga). An operation
//! that other passes should have replaced is an assertion failure here. No simplification may follow, because
//! `simplify` would undo what was raised.

mod floats;
mod halves;
mod integers;
mod limits;

use super::raise_spirv;
use super::{Context, cursor::Cursor};
use crate::TranslateError;
use clvk_interface::{BufferLocation, ImplicitBuffer};
use clvk_ir::{
    BinaryOp, CompareOp, ConvertOp, InputVariable, Inst, Op, Scalar, SubGroupOp, Type, UnaryOp, Value,
};

/// See the module.
///
/// # Errors
/// Kernels that only the runtime for Vulkan can launch, and [`limits`].
pub fn run(context: &mut Context<'_, '_>) -> Result<(), Vec<TranslateError>> {
    let mut errors = Vec::new();
    for interface in &context.interface.kernels {
        if interface.implicit_buffer(ImplicitBuffer::DeviceQueue).is_some() || interface.is_block {
            let kernel = context.module.function(&interface.name);
            let kernel = kernel.expect("each kernel has an interface");
            let problem = "enqueues kernels, which only the runtime for Vulkan can launch";
            errors.push(TranslateError::of_kernel(&context.module.functions[kernel], problem));
        }
        if interface.hook.is_some() {
            let kernel = context.module.function(&interface.name);
            let kernel = kernel.expect("each kernel has an interface");
            let problem = "begins or ends the program, which only the runtime for Vulkan lets it do";
            errors.push(TranslateError::of_kernel(&context.module.functions[kernel], problem));
        }
        if interface.implicit_buffer(ImplicitBuffer::Reports).is_some() {
            let kernel = context.module.function(&interface.name);
            let kernel = kernel.expect("each kernel has an interface");
            let problem = "is sanitized, whose reports only the runtime for Vulkan reads";
            errors.push(TranslateError::of_kernel(&context.module.functions[kernel], problem));
        }
        let by_address = |location| matches!(location, BufferLocation::Address { .. });
        assert!(!interface.buffer_locations().any(by_address), "naga's modules have no addresses");
    }
    for kernel in context.module.kernels() {
        errors.extend(limits::check(&context.module.functions[kernel], context.profile));
    }
    if !errors.is_empty() {
        return Err(errors);
    }
    for function in context.module.kernels_mut() {
        let mut cursor = Cursor::new(function);
        while let Some(inst) = cursor.advance() {
            match raised(&mut cursor, inst) {
                Some(value) => cursor.replace_result(inst, value),
                None => cursor.keep(inst),
            }
        }
    }
    Ok(())
}

fn raised(cursor: &mut Cursor<'_>, inst: Inst) -> Option<Value> {
    let fast_math = cursor.function.insts[inst].fast_math;
    match cursor.function.insts[inst].op.clone() {
        Op::Unary(UnaryOp::Neg) => {
            let value = cursor.operand(inst, 0);
            let ty = cursor.function.ty(value);
            let zero = cursor.function.zero(ty);
            Some(cursor.value(Op::Binary(BinaryOp::Sub), &[zero, value], ty))
        }
        Op::Unary(op) => raise_spirv::integers::count(cursor, inst, op),
        Op::Binary(op @ (BinaryOp::SMulHi | BinaryOp::UMulHi)) => {
            let [a, b] = [0, 1].map(|position| cursor.operand(inst, position));
            Some(integers::multiply_high(cursor, op, a, b))
        }
        Op::Binary(op) => {
            raise_spirv::integers::shift(cursor, inst, op);
            None
        }
        Op::Compare(op) => {
            let [a, b] = [0, 1].map(|position| cursor.operand(inst, position));
            floats::compare(cursor, op, (a, b), fast_math)
        }
        Op::Convert(op) => convert(cursor, inst, op),
        Op::Math(op) => {
            let operands = cursor.operands(inst);
            floats::extreme(cursor, op, &operands, fast_math)
        }
        Op::Insert(lane) => {
            let [vector, scalar] = [0, 1].map(|position| cursor.operand(inst, position));
            let mut lanes = cursor.lanes(vector);
            lanes[usize::from(lane)] = scalar;
            Some(cursor.construct(&lanes))
        }
        Op::InsertDynamic => Some(insert(cursor, inst)),
        Op::Shuffle(mask) => Some(shuffle(cursor, inst, &mask)),
        Op::PushConstant { offset } => member(cursor, inst, offset),
        Op::SubGroup(SubGroupOp::Elect) => Some(is_first(cursor)),
        _ => None,
    }
}

/// A conversion to the operand's own type, of truth values, or whose rounding has nothing to round.
fn convert(cursor: &mut Cursor<'_>, inst: Inst, op: ConvertOp) -> Option<Value> {
    let value = cursor.operand(inst, 0);
    let (from, to) = (cursor.function.ty(value), cursor.function.ty(cursor.result(inst)));
    if from == to {
        return Some(value);
    }
    if from.is_bool() {
        return raise_spirv::integers::of_truth(cursor, op, value, to);
    }
    if let Some(value) = halves::convert(cursor, op, value, to) {
        return Some(value);
    }
    raise_spirv::floats::set_rounding(cursor.function, inst, op, from, to);
    None
}

/// Whether the work-item is the first of its sub-group that is here.
fn is_first(cursor: &mut Cursor<'_>) -> Value {
    let own = cursor.value(Op::Input(InputVariable::SubgroupLocalInvocationId), &[], Type::I32);
    let first = cursor.value(Op::SubGroup(SubGroupOp::BroadcastFirst), &[own], Type::I32);
    cursor.compare(CompareOp::Eq, own, first)
}

/// Replaces the lane with a computed number.
fn insert(cursor: &mut Cursor<'_>, inst: Inst) -> Value {
    let [vector, scalar, index] = [0, 1, 2].map(|position| cursor.operand(inst, position));
    let index_type = cursor.function.ty(index);
    let mut lanes = cursor.lanes(vector);
    for (lane, value) in lanes.iter_mut().enumerate() {
        let lane = cursor.int(index_type, lane as i64);
        let this = cursor.compare(CompareOp::Eq, index, lane);
        *value = cursor.select(this, scalar, *value);
    }
    cursor.construct(&lanes)
}

fn shuffle(cursor: &mut Cursor<'_>, inst: Inst, mask: &[u8; 16]) -> Value {
    let [a, b] = [0, 1].map(|position| cursor.operand(inst, position));
    let count = cursor.function.ty(cursor.result(inst)).lanes() as usize;
    let mut from = cursor.lanes(a);
    from.extend(cursor.lanes(b));
    // A lane whose value does not matter takes the first one.
    let lanes: Vec<Value> =
        mask[..count].iter().map(|&lane| from.get(usize::from(lane)).copied().unwrap_or(from[0])).collect();
    cursor.construct(&lanes)
}

/// A vector in the uniform block that is not at a multiple of its alignment in WGSL is read by lanes.
fn member(cursor: &mut Cursor<'_>, inst: Inst, offset: u32) -> Option<Value> {
    let ty = cursor.function.ty(cursor.result(inst));
    let Type::Vector(scalar, lanes) = ty else { return None };
    let size = scalar.size();
    if offset.is_multiple_of(size * u32::from(lanes).next_power_of_two()) {
        return None;
    }
    assert!(matches!(scalar, Scalar::I32 | Scalar::F32), "`legalise` left {ty} in the push constants");
    let lanes: Vec<Value> = (0..u32::from(lanes))
        .map(|lane| {
            cursor.value(Op::PushConstant { offset: offset + lane * size }, &[], Type::Scalar(scalar))
        })
        .collect();
    Some(cursor.construct(&lanes))
}
