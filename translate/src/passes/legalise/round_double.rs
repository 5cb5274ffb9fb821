//! Roundings of conversions from and to double precision that devices lack: they round to nearest even, or to
//! either neighbour.

use crate::passes::cursor::Cursor;
use clvk_ir::{BinaryOp, CompareOp, ConvertOp, FastMath, MathOp, Op, RoundingMode, Scalar, Type, Value};

/// Bits of doubles: the smallest that is normal in single precision, and infinity.
const LEAST_NORMAL: i64 = (1023 - 126) << 52;
const INFINITY: i64 = 0x7ff << 52;
/// The number of bits of a double's significand that a float lacks, and those bits.
const SURPLUS_BITS: i64 = 29;
const SURPLUS: i64 = (1 << SURPLUS_BITS) - 1;
/// The difference of the exponent fields, at the position of a float's exponent.
const BIAS: i64 = (1023 - 127) << 23;
/// Bits of the float that follows the largest one.
const SINGLE_INFINITY: i64 = 0x7f80_0000;

/// A double rounded to a float as `mode` says, however the device rounds.
pub fn to_single(cursor: &mut Cursor<'_>, value: Value, mode: RoundingMode) -> Value {
    let fast_math = cursor.set_fast_math(FastMath::empty());
    let ty = cursor.function.ty(value);
    let (wide, words) = (ty.with_scalar(Scalar::I64), ty.with_scalar(Scalar::I32));
    let bits = cursor.bitcast(value, wide);
    let magnitude = cursor.binary_int(BinaryOp::And, bits, i64::MAX);
    let zero = cursor.function.zero(wide);
    let negative = cursor.compare(CompareOp::SLt, bits, zero);
    let normal = round_normal(cursor, magnitude, negative, mode);
    let subnormal = round_subnormal(cursor, magnitude, negative, mode);
    let least = cursor.int(wide, LEAST_NORMAL);
    let is_subnormal = cursor.compare(CompareOp::ULt, magnitude, least);
    let rounded = cursor.select(is_subnormal, subnormal, normal);
    let infinity = cursor.int(wide, INFINITY);
    let is_nan = cursor.compare(CompareOp::UGt, magnitude, infinity);
    let nan = cursor.int(words, 0x7fc0_0000);
    let rounded = cursor.select(is_nan, nan, rounded);
    let (set, clear) = (cursor.int(words, 0x8000_0000), cursor.function.zero(words));
    let sign = cursor.select(negative, set, clear);
    let result = cursor.binary(BinaryOp::Or, rounded, sign);
    let result = cursor.bitcast(result, ty.with_scalar(Scalar::F32));
    cursor.set_fast_math(fast_math);
    result
}

/// `outward` for the sign that a mode rounds away from zero, `inward` for the other.
fn away(
    cursor: &mut Cursor<'_>,
    negative: Value,
    mode: RoundingMode,
    outward: Value,
    inward: Value,
) -> Value {
    match mode {
        RoundingMode::NearestEven | RoundingMode::TowardZero => inward,
        RoundingMode::TowardPositive => cursor.select(negative, inward, outward),
        RoundingMode::TowardNegative => cursor.select(negative, outward, inward),
    }
}

/// The bits, without the sign, of numbers that are not subnormal in single precision.
fn round_normal(cursor: &mut Cursor<'_>, magnitude: Value, negative: Value, mode: RoundingMode) -> Value {
    let wide = cursor.function.ty(magnitude);
    let words = wide.with_scalar(Scalar::I32);
    let addend = if mode == RoundingMode::NearestEven {
        let odd = cursor.binary_int(BinaryOp::LShr, magnitude, SURPLUS_BITS);
        let odd = cursor.binary_int(BinaryOp::And, odd, 1);
        cursor.binary_int(BinaryOp::Add, odd, SURPLUS >> 1)
    } else {
        let (all, none) = (cursor.int(wide, SURPLUS), cursor.function.zero(wide));
        away(cursor, negative, mode, all, none)
    };
    let sum = cursor.binary(BinaryOp::Add, magnitude, addend);
    let rounded = cursor.binary_int(BinaryOp::LShr, sum, SURPLUS_BITS);
    let rounded = cursor.binary_int(BinaryOp::Sub, rounded, BIAS);
    let single_infinity = cursor.int(wide, SINGLE_INFINITY);
    let too_large = cursor.compare(CompareOp::SGe, rounded, single_infinity);
    let rounded = cursor.convert(ConvertOp::Truncate, rounded, words);
    let infinite = cursor.int(words, SINGLE_INFINITY);
    let overflow = if mode == RoundingMode::NearestEven {
        infinite
    } else {
        let largest = cursor.int(words, SINGLE_INFINITY - 1);
        let finite = away(cursor, negative, mode, infinite, largest);
        let infinity = cursor.int(wide, INFINITY);
        let is_infinite = cursor.compare(CompareOp::Eq, magnitude, infinity);
        cursor.select(is_infinite, infinite, finite)
    };
    cursor.select(too_large, overflow, rounded)
}

/// The bits, without the sign, of a number that is subnormal in single precision: the number of its units,
/// 2^-149.
fn round_subnormal(cursor: &mut Cursor<'_>, magnitude: Value, negative: Value, mode: RoundingMode) -> Value {
    let wide = cursor.function.ty(magnitude);
    let (ty, words) = (wide.with_scalar(Scalar::F64), wide.with_scalar(Scalar::I32));
    // For numbers that are not subnormal, the number of units might not fit.
    let (least, zero) = (cursor.int(wide, LEAST_NORMAL), cursor.function.zero(wide));
    let is_subnormal = cursor.compare(CompareOp::ULt, magnitude, least);
    let small = cursor.select(is_subnormal, magnitude, zero);
    let small = cursor.bitcast(small, ty);
    let units = cursor.function.float(ty, 149f64.exp2());
    let count = cursor.value(Op::Binary(BinaryOp::FMul), &[small, units], ty);
    let mut whole = |op: MathOp| cursor.value(Op::Math(op), &[count], ty);
    let count = match mode {
        RoundingMode::NearestEven => whole(MathOp::RoundEven),
        RoundingMode::TowardZero => whole(MathOp::Trunc),
        _ => {
            let (up, down) = (whole(MathOp::Ceil), whole(MathOp::Trunc));
            away(cursor, negative, mode, up, down)
        }
    };
    cursor.convert(ConvertOp::FloatToUnsigned { saturating: false }, count, words)
}

/// A 64-bit integer, given by its words, as a double rounded in a direction. `op` says whether it is signed.
pub fn from_words(
    cursor: &mut Cursor<'_>,
    op: ConvertOp,
    (low, high): (Value, Value),
    mode: RoundingMode,
    ty: Type,
) -> Value {
    let fast_math = cursor.set_fast_math(FastMath::empty());
    let nearest = RoundingMode::NearestEven;
    let high_op = super::expand::with_mode(op, nearest);
    let high = cursor.convert(high_op, high, ty);
    let low = cursor.convert(ConvertOp::UnsignedToFloat(nearest), low, ty);
    let factor = cursor.function.float(ty, 4_294_967_296.0);
    let high = cursor.value(Op::Binary(BinaryOp::FMul), &[high, factor], ty);
    let sum = cursor.value(Op::Binary(BinaryOp::FAdd), &[high, low], ty);
    // The exact rounding error of the sum: the first part is zero, or larger than the second.
    let kept = cursor.value(Op::Binary(BinaryOp::FSub), &[sum, high], ty);
    let lost = cursor.value(Op::Binary(BinaryOp::FSub), &[low, kept], ty);
    let result = step(cursor, sum, lost, mode);
    cursor.set_fast_math(fast_math);
    result
}

/// Moves a sum to its neighbour if its rounding error lies on the side that the mode rounds to.
fn step(cursor: &mut Cursor<'_>, sum: Value, lost: Value, mode: RoundingMode) -> Value {
    let ty = cursor.function.ty(sum);
    let wide = ty.with_scalar(Scalar::I64);
    let zero = cursor.function.float(ty, 0.0);
    let negative = cursor.compare(CompareOp::FOLt, sum, zero);
    let more = cursor.compare(CompareOp::FOGt, lost, zero);
    let less = cursor.compare(CompareOp::FOLt, lost, zero);
    let bits = cursor.bitcast(sum, wide);
    let outward = cursor.binary_int(BinaryOp::Add, bits, 1);
    let inward = cursor.binary_int(BinaryOp::Sub, bits, 1);
    let moved = match mode {
        RoundingMode::NearestEven => bits,
        RoundingMode::TowardPositive => {
            let up = cursor.select(negative, inward, outward);
            cursor.select(more, up, bits)
        }
        RoundingMode::TowardNegative => {
            let down = cursor.select(negative, outward, inward);
            cursor.select(less, down, bits)
        }
        RoundingMode::TowardZero => {
            let (of_negative, of_positive) =
                (cursor.select(more, inward, bits), cursor.select(less, inward, bits));
            cursor.select(negative, of_negative, of_positive)
        }
    };
    cursor.bitcast(moved, ty)
}
