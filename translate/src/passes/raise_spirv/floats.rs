//! Floating-point numbers.

use crate::passes::cursor::Cursor;
use clvk_ir::fold::to_f64;
use clvk_ir::{
    BinaryOp, CompareOp, Constant, ConvertOp, Function, Inst, MathOp, Op, RoundingMode, Scalar, Type, Value,
};

/// Compares for order: whether both operands are numbers, or one is not. A NaN is not equal to itself.
pub fn compare(cursor: &mut Cursor<'_>, inst: Inst, op: CompareOp) -> Option<Value> {
    let (of_one, of_both) = match op {
        CompareOp::FOrd => (CompareOp::FOEq, BinaryOp::And),
        CompareOp::FUno => (CompareOp::FUNe, BinaryOp::Or),
        _ => return None,
    };
    let [a, b] = [0, 1].map(|position| {
        let operand = cursor.operand(inst, position);
        cursor.compare(of_one, operand, operand)
    });
    Some(cursor.binary(of_both, a, b))
}

/// A number clamped between two constants: devices have an operation for that, and clamping to 0 and 1 is
/// often free.
pub fn clamp(cursor: &mut Cursor<'_>, inst: Inst, op: MathOp) -> Option<Value> {
    if op != MathOp::FMin {
        return None;
    }
    let function = &*cursor.function;
    let (raised, high) = (cursor.operand(inst, 0), cursor.operand(inst, 1));
    let maximum = &function.insts[function.defining_inst(raised)?];
    if maximum.op != Op::Math(MathOp::FMax) {
        return None;
    }
    let (number, low) = (maximum.operands[0], maximum.operands[1]);
    let ty = function.ty(high);
    let scalar = ty.scalar()?;
    let (lower, upper) = (function.as_constant(low)?, function.as_constant(high)?);
    let at = |constant: &Constant, lane| constant.lane(lane).map(|bits| to_f64(scalar, bits));
    let in_order = (0..ty.lanes() as usize).all(|lane| match (at(lower, lane), at(upper, lane)) {
        (Some(low), Some(high)) => low <= high,
        _ => false,
    });
    // The clamp may assume only what both operations may assume.
    let both = maximum.fast_math & function.insts[inst].fast_math;
    in_order.then(|| {
        cursor.set_fast_math(both);
        cursor.value(Op::Math(MathOp::FClamp), &[number, low, high], ty)
    })
}

/// The device rounds to nearest even. Any other rounding that remains has nothing to round.
///
/// # Panics
/// If there is something to round.
pub fn set_rounding(function: &mut Function, inst: Inst, op: ConvertOp, from: Type, to: Type) {
    let nearest = RoundingMode::NearestEven;
    let (mode, op) = match op {
        ConvertOp::SignedToFloat(mode) => (mode, ConvertOp::SignedToFloat(nearest)),
        ConvertOp::UnsignedToFloat(mode) => (mode, ConvertOp::UnsignedToFloat(nearest)),
        ConvertOp::Float(mode) => (mode, ConvertOp::Float(nearest)),
        _ => return,
    };
    assert!(
        mode == nearest || significant_bits(from) <= significant_bits(to),
        "`legalise` left a conversion from {from} to {to} that rounds {mode:?}, in the kernel `{}`",
        function.name
    );
    function.insts[inst].op = Op::Convert(op);
}

/// The number of bits up to which all integers are exact.
fn significant_bits(ty: Type) -> u32 {
    match ty.scalar() {
        Some(Scalar::F16) => 11,
        Some(Scalar::F32) => 24,
        Some(Scalar::F64) => 53,
        Some(scalar) => scalar.bits(),
        None => 0,
    }
}
