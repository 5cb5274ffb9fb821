//! Integers converted to single precision, rounded in software: for integers of two words, and for roundings
//! that the device lacks.

use crate::passes::cursor::Cursor;
use clvk_ir::{
    BinaryOp, CompareOp, ConvertOp, FastMath, Function, Op, RoundingMode, Scalar, Type, UnaryOp, Value,
};

/// Splits conversions of words, which a device without control of its rounding may round to either neighbour,
/// into two exact conversions and a sum.
pub fn round_once(function: &mut Function) {
    let mut cursor = Cursor::new(function);
    while let Some(inst) = cursor.advance() {
        let Op::Convert(op @ (ConvertOp::SignedToFloat(_) | ConvertOp::UnsignedToFloat(_))) =
            cursor.function.insts[inst].op
        else {
            cursor.keep(inst);
            continue;
        };
        let value = cursor.operands(inst)[0];
        let ty = cursor.function.ty(cursor.result(inst));
        let words = cursor.function.ty(value).scalar() == Some(Scalar::I32);
        if !words || ty.scalar() != Some(Scalar::F32) || is_exact(cursor.function, value) {
            cursor.keep(inst);
            continue;
        }
        let fast_math = cursor.set_fast_math(FastMath::empty());
        let shift = if matches!(op, ConvertOp::SignedToFloat(_)) { BinaryOp::AShr } else { BinaryOp::LShr };
        let (high, low) =
            (cursor.binary_int(shift, value, 16), cursor.binary_int(BinaryOp::And, value, 0xffff));
        let (high, low) = (cursor.convert(op, high, ty), cursor.convert(op, low, ty));
        let factor = cursor.function.float(ty, 65536.0);
        let high = cursor.value(Op::Binary(BinaryOp::FMul), &[high, factor], ty);
        let sum = cursor.value(Op::Binary(BinaryOp::FAdd), &[high, low], ty);
        cursor.set_fast_math(fast_math);
        cursor.replace_result(inst, sum);
    }
}

/// Whether an integer is known to have at most 24 significant bits.
fn is_exact(function: &Function, value: Value) -> bool {
    let Some(inst) = function.defining_inst(value) else { return false };
    let operands = &function.insts[inst].operands;
    let constant = || function.as_bits(operands[1]);
    match function.insts[inst].op {
        Op::Binary(BinaryOp::And) => constant().is_some_and(|mask| mask < 1 << 24),
        Op::Binary(BinaryOp::LShr | BinaryOp::AShr) => constant().is_some_and(|count| count >= 8),
        Op::Convert(ConvertOp::ZeroExtend | ConvertOp::SignExtend) => true,
        _ => false,
    }
}

/// A whole number from 0 to 2^64 - 1, scalars or vectors of words.
#[derive(Clone, Copy)]
pub struct Magnitude {
    /// Upper word.
    pub high: Value,
    /// Lower word.
    pub low: Value,
}

/// The number closest to `magnitude`, negated where `sign` is all ones (and not where it is zero).
pub fn to_single(cursor: &mut Cursor<'_>, magnitude: Magnitude, sign: Value, mode: RoundingMode) -> Value {
    let ty = cursor.function.ty(sign);
    let Magnitude { high, low } = magnitude;
    let zero = cursor.function.zero(ty);
    // Shift the first one bit to the top.
    let empty = cursor.compare(CompareOp::Eq, high, zero);
    let first = cursor.select(empty, low, high);
    let second = cursor.select(empty, zero, low);
    let leading = cursor.value(Op::Unary(UnaryOp::CountLeadingZeros), &[first], ty);
    let count = cursor.binary_int(BinaryOp::And, leading, 31);
    let top = cursor.binary(BinaryOp::Shl, first, count);
    let last = cursor.int(ty, 31);
    let complement = cursor.binary(BinaryOp::Sub, last, count);
    let over = cursor.binary_int(BinaryOp::LShr, second, 1);
    let over = cursor.binary(BinaryOp::LShr, over, complement);
    let top = cursor.binary(BinaryOp::Or, top, over);
    let rest = cursor.binary(BinaryOp::Shl, second, count);
    // 24 significant bits, 8 more, and whether any bit of the rest is set.
    let significand = cursor.binary_int(BinaryOp::LShr, top, 8);
    let dropped = cursor.binary_int(BinaryOp::And, top, 0xff);
    let dropped = cursor.binary_int(BinaryOp::Shl, dropped, 1);
    let sticky = cursor.compare(CompareOp::Ne, rest, zero);
    let one = cursor.int(ty, 1);
    let sticky = cursor.select(sticky, one, zero);
    let dropped = cursor.binary(BinaryOp::Or, dropped, sticky);
    let up = round_up(cursor, significand, dropped, sign, mode);
    // The significand's first bit is implied: it counts as one more in the exponent.
    let (high_exponent, low_exponent) = (cursor.int(ty, 127 + 62), cursor.int(ty, 127 + 30));
    let exponent = cursor.select(empty, low_exponent, high_exponent);
    let exponent = cursor.binary(BinaryOp::Sub, exponent, leading);
    let exponent = cursor.binary_int(BinaryOp::Shl, exponent, 23);
    let bits = cursor.binary(BinaryOp::Add, exponent, significand);
    let bits = cursor.binary(BinaryOp::Add, bits, up);
    let sign_bit = cursor.binary_int(BinaryOp::And, sign, 0x8000_0000);
    let bits = cursor.binary(BinaryOp::Or, bits, sign_bit);
    let nothing = cursor.compare(CompareOp::Eq, first, zero);
    let bits = cursor.select(nothing, zero, bits);
    cursor.bitcast(bits, ty.with_scalar(Scalar::F32))
}

/// 1 where the significand grows by one: `dropped` has nine bits.
fn round_up(
    cursor: &mut Cursor<'_>,
    significand: Value,
    dropped: Value,
    sign: Value,
    mode: RoundingMode,
) -> Value {
    let ty: Type = cursor.function.ty(sign);
    let (zero, one) = (cursor.function.zero(ty), cursor.int(ty, 1));
    let up = match mode {
        RoundingMode::TowardZero => return zero,
        RoundingMode::NearestEven => {
            // Ties round up from odd significands only.
            let odd = cursor.binary_int(BinaryOp::And, significand, 1);
            let sum = cursor.binary(BinaryOp::Add, dropped, odd);
            let half = cursor.int(ty, 0x100);
            cursor.compare(CompareOp::UGt, sum, half)
        }
        RoundingMode::TowardPositive | RoundingMode::TowardNegative => {
            let toward = if mode == RoundingMode::TowardPositive { CompareOp::Eq } else { CompareOp::Ne };
            let outward = cursor.compare(toward, sign, zero);
            let inexact = cursor.compare(CompareOp::Ne, dropped, zero);
            let bools = cursor.function.ty(outward);
            cursor.value(Op::Binary(BinaryOp::And), &[outward, inexact], bools)
        }
    };
    cursor.select(up, one, zero)
}
