//! Questions about the bits of floating-point numbers: whether one is a NaN or infinite, and its sign.
//!
//! Drivers may assume that no number is a NaN or infinite, but only in floating-point comparisons, and
//! few outputs have `copysign`. So these operations become operations on integers of the same width.
//! Where the device has halves and no 16-bit integers, they are done in single precision. Where it lacks
//! 64-bit integers, [`legalise`](super::legalise) does this for doubles before it splits their bits.

use super::{Context, cursor::Cursor};
use crate::TranslateError;
use clvk_ir::{BinaryOp, CompareOp, ConvertOp, Function, MathOp, Op, RoundingMode, Scalar, Type, Value};

/// See the module.
///
/// # Errors
/// None.
pub fn run(context: &mut Context<'_, '_>) -> Result<(), Vec<TranslateError>> {
    for function in context.module.bodies_mut() {
        replace(function, context.profile.int16);
    }
    Ok(())
}

fn replace(function: &mut Function, int16: bool) {
    let mut found = false;
    function.walk(|_, data| found |= matches!(data.op, Op::Math(op) if is_on_bits(op)));
    if !found {
        return;
    }
    let mut cursor = Cursor::new(function);
    while let Some(inst) = cursor.advance() {
        match cursor.function.insts[inst].op {
            Op::Math(op) if is_on_bits(op) => {
                let operands = cursor.operands(inst);
                let value = on_bits(&mut cursor, op, &operands, int16);
                cursor.replace_result(inst, value);
            }
            _ => cursor.keep(inst),
        }
    }
}

/// Whether an operation is one of these.
pub fn is_on_bits(op: MathOp) -> bool {
    matches!(op, MathOp::CopySign | MathOp::IsNan | MathOp::IsInf)
}

/// One of these operations, on the bits of its operands.
pub fn on_bits(cursor: &mut Cursor<'_>, op: MathOp, operands: &[Value], int16: bool) -> Value {
    let ty = cursor.function.ty(operands[0]);
    if ty.scalar() == Some(Scalar::F16) && !int16 {
        let widen = ConvertOp::Float(RoundingMode::NearestEven);
        let wide = ty.with_scalar(Scalar::F32);
        let operands: Vec<Value> =
            operands.iter().map(|&operand| cursor.convert(widen, operand, wide)).collect();
        let value = on_bits(cursor, op, &operands, int16);
        return match op {
            MathOp::CopySign => cursor.convert(widen, value, ty),
            _ => value,
        };
    }
    match op {
        MathOp::CopySign => copy_sign(cursor, operands[0], operands[1]),
        MathOp::IsNan => classify(cursor, CompareOp::UGt, operands[0]),
        _ => classify(cursor, CompareOp::Eq, operands[0]),
    }
}

/// The integer type for the bits of a floating-point type, and the bit of the sign.
pub fn layout(ty: Type) -> (Type, i64) {
    let bits = ty.scalar().expect("numbers are scalars or vectors").bits();
    (ty.with_scalar(Scalar::int(bits)), 1 << (bits - 1))
}

/// Compares a number's magnitude with infinity.
fn classify(cursor: &mut Cursor<'_>, comparison: CompareOp, number: Value) -> Value {
    let ty = cursor.function.ty(number);
    let (integers, sign) = layout(ty);
    let bits = cursor.bitcast(number, integers);
    let magnitude = cursor.binary_int(BinaryOp::And, bits, !sign);
    let infinity = cursor.int(integers, infinity(ty));
    cursor.compare(comparison, magnitude, infinity)
}

/// The magnitude of one number with the sign of another.
fn copy_sign(cursor: &mut Cursor<'_>, magnitude: Value, signed: Value) -> Value {
    let ty = cursor.function.ty(magnitude);
    let (integers, sign) = layout(ty);
    let [magnitude, signed] = [magnitude, signed].map(|number| cursor.bitcast(number, integers));
    let magnitude = cursor.binary_int(BinaryOp::And, magnitude, !sign);
    let sign = cursor.binary_int(BinaryOp::And, signed, sign);
    let bits = cursor.binary(BinaryOp::Or, magnitude, sign);
    cursor.bitcast(bits, ty)
}

/// The bits of positive infinity.
fn infinity(ty: Type) -> i64 {
    match ty.scalar() {
        Some(Scalar::F16) => 0x7c00,
        Some(Scalar::F32) => 0x7f80_0000,
        _ => 0x7ff0_0000_0000_0000,
    }
}
