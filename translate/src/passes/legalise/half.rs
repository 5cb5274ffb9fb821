//! Half precision computed with single precision and integers.
//!
//! A half-precision number is held as the single-precision number of the same value, which can represent all
//! of them. [`expand`] and [`compress`] convert from and to its 16 bits, NaNs included, and [`round`] rounds
//! any single-precision number to one that half precision has.
//!
//! # Why rounding twice is harmless
//! Single precision has 24 significant bits, half precision 11. For sums, differences, products, quotients
//! and square roots, rounding the exact result to 2·11 + 2 or more bits and then to 11 gives the same as
//! rounding once (Figueroa, "When is double rounding innocuous?", 1995). Products of two halves are even
//! exact. Quotients and roots are not taken from the device, whose division is only good to 2.5 ulp: a
//! quotient of few bits is corrected by the sign of its exact remainder, which shows on which side of it the
//! true result lies ([`divide`], [`square_root`]). In a fused multiply-add the product is exact, and the sum
//! is rounded to odd before it is rounded to half precision, which is again the same as rounding once
//! ([`fused`]).
//!
//! No single-precision number here is subnormal except where the input is: the smallest half is 2⁻²⁴.

use crate::passes::cursor::Cursor;
use clvk_ir::{BinaryOp, CompareOp, ConvertOp, FastMath, MathOp, Op, RoundingMode, Scalar, Type, Value};

/// 2^24: the number of halves from 0 to 1, if they were all subnormal.
const SUBNORMALS: f64 = 16_777_216.0;
/// Bits of the smallest normal half as a float, and of 65536, the first number that overflows.
const LEAST_NORMAL: i64 = 0x3880_0000;
const OVERFLOW: i64 = 0x4780_0000;
const INFINITY: i64 = 0x7f80_0000;
/// Bits of the largest half as a float.
const LARGEST: i64 = 0x477f_e000;
/// The bits of a float that a half lacks.
const SURPLUS: i64 = 0x1fff;

/// Makes instructions on single-precision values and their bits, scalars or vectors.
struct Floats<'c, 'f> {
    cursor: &'c mut Cursor<'f>,
}

impl Floats<'_, '_> {
    fn ty(&self, value: Value) -> Type {
        self.cursor.function.ty(value)
    }

    fn bits(&mut self, value: Value) -> Value {
        let ty = self.ty(value).with_scalar(Scalar::I32);
        self.cursor.bitcast(value, ty)
    }

    fn float(&mut self, bits: Value) -> Value {
        let ty = self.ty(bits).with_scalar(Scalar::F32);
        self.cursor.bitcast(bits, ty)
    }

    fn with(&mut self, op: BinaryOp, a: Value, b: i64) -> Value {
        self.cursor.binary_int(op, a, b)
    }

    fn op(&mut self, op: BinaryOp, a: Value, b: Value) -> Value {
        self.cursor.value(Op::Binary(op), &[a, b], self.cursor.function.ty(a))
    }

    fn scaled(&mut self, value: Value, factor: f64) -> Value {
        let factor = self.cursor.function.float(self.ty(value), factor);
        self.op(BinaryOp::FMul, value, factor)
    }

    fn compare(&mut self, op: CompareOp, a: Value, b: i64) -> Value {
        let b = self.cursor.int(self.cursor.function.ty(a), b);
        self.cursor.compare(op, a, b)
    }

    fn splat(&mut self, ty: Type, bits: i64) -> Value {
        self.cursor.int(ty, bits)
    }

    fn math(&mut self, op: MathOp, value: Value) -> Value {
        let ty = self.ty(value);
        self.cursor.value(Op::Math(op), &[value], ty)
    }
}

/// The number with these 16 bits, which are zero-extended to 32.
pub fn expand(cursor: &mut Cursor<'_>, half: Value) -> Value {
    let mut f = Floats { cursor };
    let ty = f.ty(half);
    let magnitude = f.with(BinaryOp::And, half, 0x7fff);
    let sign = f.with(BinaryOp::And, half, 0x8000);
    let sign = f.with(BinaryOp::Shl, sign, 16);
    let shifted = f.with(BinaryOp::Shl, magnitude, 13);
    let special = f.compare(CompareOp::UGe, magnitude, 0x7c00);
    // The exponent's bias grows from 15 to 127, and that of infinities and NaNs from 31 to 255.
    let (normal, infinite) = (f.splat(ty, 112 << 23), f.splat(ty, 224 << 23));
    let bias = f.cursor.select(special, infinite, normal);
    let normal = f.op(BinaryOp::Add, shifted, bias);
    let float_type = ty.with_scalar(Scalar::F32);
    let count =
        f.cursor.convert(ConvertOp::UnsignedToFloat(RoundingMode::NearestEven), magnitude, float_type);
    let subnormal = f.scaled(count, 1.0 / SUBNORMALS);
    let subnormal = f.bits(subnormal);
    let is_subnormal = f.compare(CompareOp::ULt, magnitude, 0x400);
    let bits = f.cursor.select(is_subnormal, subnormal, normal);
    let bits = f.op(BinaryOp::Or, bits, sign);
    f.float(bits)
}

/// The 16 bits of a number that half precision has, zero-extended to 32.
pub fn compress(cursor: &mut Cursor<'_>, value: Value) -> Value {
    let mut f = Floats { cursor };
    let bits = f.bits(value);
    let ty = f.ty(bits);
    let magnitude = f.with(BinaryOp::And, bits, 0x7fff_ffff);
    let sign = f.with(BinaryOp::LShr, bits, 16);
    let sign = f.with(BinaryOp::And, sign, 0x8000);
    let shifted = f.with(BinaryOp::LShr, magnitude, 13);
    let special = f.compare(CompareOp::UGe, magnitude, OVERFLOW);
    let (normal, infinite) = (f.splat(ty, 112 << 10), f.splat(ty, 224 << 10));
    let bias = f.cursor.select(special, infinite, normal);
    let normal = f.op(BinaryOp::Sub, shifted, bias);
    let is_subnormal = f.compare(CompareOp::ULt, magnitude, LEAST_NORMAL);
    // Numbers that are not subnormal are out of the conversion's range.
    let zero = f.splat(ty, 0);
    let small = f.cursor.select(is_subnormal, magnitude, zero);
    let small = f.float(small);
    let count = f.scaled(small, SUBNORMALS);
    let count = f.cursor.convert(ConvertOp::FloatToUnsigned { saturating: false }, count, ty);
    let result = f.cursor.select(is_subnormal, count, normal);
    f.op(BinaryOp::Or, result, sign)
}

/// A float rounded to a half-precision number, as a float.
pub fn round(cursor: &mut Cursor<'_>, value: Value, mode: RoundingMode) -> Value {
    let fast_math = cursor.set_fast_math(FastMath::empty());
    let mut f = Floats { cursor };
    let bits = f.bits(value);
    let ty = f.ty(bits);
    let magnitude = f.with(BinaryOp::And, bits, 0x7fff_ffff);
    let sign = f.with(BinaryOp::And, bits, 0x8000_0000);
    let rounded = round_normal(&mut f, magnitude, sign, mode);
    // Beyond the largest half, rounding away gives infinity.
    let too_large = f.compare(CompareOp::UGe, rounded, OVERFLOW);
    let infinity = f.splat(ty, INFINITY);
    let overflow = match mode {
        RoundingMode::NearestEven => infinity,
        _ => {
            let largest = f.splat(ty, LARGEST);
            let infinite = f.compare(CompareOp::Eq, magnitude, INFINITY);
            let finite = away(&mut f, sign, mode, infinity, largest);
            f.cursor.select(infinite, infinity, finite)
        }
    };
    let rounded = f.cursor.select(too_large, overflow, rounded);
    let is_subnormal = f.compare(CompareOp::ULt, magnitude, LEAST_NORMAL);
    let subnormal = round_subnormal(&mut f, magnitude, sign, mode);
    let rounded = f.cursor.select(is_subnormal, subnormal, rounded);
    let is_nan = f.compare(CompareOp::UGt, magnitude, INFINITY);
    // Quiet, with the payload bits that a half has.
    let nan = f.with(BinaryOp::Or, magnitude, 0x40_0000);
    let nan = f.with(BinaryOp::And, nan, !SURPLUS);
    let rounded = f.cursor.select(is_nan, nan, rounded);
    let rounded = f.op(BinaryOp::Or, rounded, sign);
    let result = f.float(rounded);
    cursor.set_fast_math(fast_math);
    result
}

/// `outward` for the sign that a mode rounds away from zero, `inward` for the other.
fn away(f: &mut Floats<'_, '_>, sign: Value, mode: RoundingMode, outward: Value, inward: Value) -> Value {
    match mode {
        RoundingMode::NearestEven | RoundingMode::TowardZero => inward,
        RoundingMode::TowardPositive | RoundingMode::TowardNegative => {
            let positive = f.compare(CompareOp::Eq, sign, 0);
            match mode {
                RoundingMode::TowardPositive => f.cursor.select(positive, outward, inward),
                _ => f.cursor.select(positive, inward, outward),
            }
        }
    }
}

fn round_normal(f: &mut Floats<'_, '_>, magnitude: Value, sign: Value, mode: RoundingMode) -> Value {
    let ty = f.ty(magnitude);
    let addend = if mode == RoundingMode::NearestEven {
        let odd = f.with(BinaryOp::LShr, magnitude, 13);
        let odd = f.with(BinaryOp::And, odd, 1);
        f.with(BinaryOp::Add, odd, SURPLUS >> 1)
    } else {
        let (all, none) = (f.splat(ty, SURPLUS), f.splat(ty, 0));
        away(f, sign, mode, all, none)
    };
    let sum = f.op(BinaryOp::Add, magnitude, addend);
    f.with(BinaryOp::And, sum, !SURPLUS)
}

/// Rounds to whole multiples of 2^-24.
fn round_subnormal(f: &mut Floats<'_, '_>, magnitude: Value, sign: Value, mode: RoundingMode) -> Value {
    let magnitude = match mode {
        RoundingMode::TowardPositive | RoundingMode::TowardNegative => not_tiny(f, magnitude),
        _ => magnitude,
    };
    let value = f.float(magnitude);
    let count = f.scaled(value, SUBNORMALS);
    let rounded = match mode {
        RoundingMode::NearestEven => f.math(MathOp::RoundEven, count),
        RoundingMode::TowardZero => f.math(MathOp::Trunc, count),
        _ => {
            let (up, down) = (f.math(MathOp::Ceil, count), f.math(MathOp::Trunc, count));
            away(f, sign, mode, up, down)
        }
    };
    let rounded = f.scaled(rounded, 1.0 / SUBNORMALS);
    f.bits(rounded)
}

/// The same number, but not a subnormal float, which the device may flush to zero: for rounding up it only
/// matters that it is not zero.
fn not_tiny(f: &mut Floats<'_, '_>, magnitude: Value) -> Value {
    let ty = f.ty(magnitude);
    let least = f.splat(ty, 0x0080_0000);
    let larger = f.op(BinaryOp::UMax, magnitude, least);
    let is_zero = f.compare(CompareOp::Eq, magnitude, 0);
    f.cursor.select(is_zero, magnitude, larger)
}

/// Moves a number by one unit in the last place toward the exact result. `remainder` has the sign of the
/// exact result's distance, measured along the number's own sign.
fn toward(f: &mut Floats<'_, '_>, value: Value, remainder: Value) -> Value {
    let bits = f.bits(value);
    let zero = f.cursor.function.float(f.ty(remainder), 0.0);
    let moved = one_step(f, bits, remainder, zero);
    f.float(moved)
}

/// The bits of the next larger magnitude where `wanted` is more than `found`, and of the next smaller one
/// where it is less.
fn one_step(f: &mut Floats<'_, '_>, bits: Value, wanted: Value, found: Value) -> Value {
    let more = f.cursor.compare(CompareOp::FOGt, wanted, found);
    let less = f.cursor.compare(CompareOp::FOLt, wanted, found);
    let up = f.with(BinaryOp::Add, bits, 1);
    let down = f.with(BinaryOp::Sub, bits, 1);
    let moved = f.cursor.select(less, down, bits);
    f.cursor.select(more, up, moved)
}

/// Rounded to 12 significant bits: one more than a half has, so that this number and the side of it on which
/// the exact result lies determine the rounding. The exact result is less than one unit in the last place
/// away, even where the device is wrong by some units of the 24th bit.
fn leading(f: &mut Floats<'_, '_>, value: Value) -> Value {
    let bits = f.bits(value);
    let bits = f.with(BinaryOp::Add, bits, 0x800);
    let bits = f.with(BinaryOp::And, bits, !0xfff);
    f.float(bits)
}

/// A quotient of two halves, before rounding.
pub fn divide(cursor: &mut Cursor<'_>, a: Value, b: Value) -> Value {
    let fast_math = cursor.set_fast_math(FastMath::empty());
    let mut f = Floats { cursor };
    let quotient = f.op(BinaryOp::FDiv, a, b);
    let leading = leading(&mut f, quotient);
    // Exact: 12 by 11 bits, and a difference of neighbours.
    let product = f.op(BinaryOp::FMul, leading, b);
    let remainder = f.op(BinaryOp::FSub, a, product);
    // Along the quotient's own sign: |a| - |product|.
    let sign = f.bits(a);
    let sign = f.with(BinaryOp::And, sign, 0x8000_0000);
    let remainder = f.bits(remainder);
    let remainder = f.op(BinaryOp::Xor, remainder, sign);
    let remainder = f.float(remainder);
    let corrected = toward(&mut f, leading, remainder);
    let result = unless_special(&mut f, corrected, quotient);
    cursor.set_fast_math(fast_math);
    result
}

/// A square root of a half, before rounding.
pub fn square_root(cursor: &mut Cursor<'_>, a: Value) -> Value {
    let fast_math = cursor.set_fast_math(FastMath::empty());
    let mut f = Floats { cursor };
    let root = f.math(MathOp::Sqrt, a);
    let leading = leading(&mut f, root);
    let square = f.op(BinaryOp::FMul, leading, leading);
    let remainder = f.op(BinaryOp::FSub, a, square);
    let corrected = toward(&mut f, leading, remainder);
    let result = unless_special(&mut f, corrected, root);
    cursor.set_fast_math(fast_math);
    result
}

/// `corrected`, or `plain` if that is a zero, an infinity or a NaN.
fn unless_special(f: &mut Floats<'_, '_>, corrected: Value, plain: Value) -> Value {
    let bits = f.bits(plain);
    let magnitude = f.with(BinaryOp::And, bits, 0x7fff_ffff);
    // Both ends at once: zero wraps round to the largest number.
    let shifted = f.with(BinaryOp::Sub, magnitude, 1);
    let finite = f.compare(CompareOp::ULt, shifted, INFINITY - 1);
    f.cursor.select(finite, corrected, plain)
}

/// `a * b + c` of halves, before rounding.
pub fn fused(cursor: &mut Cursor<'_>, a: Value, b: Value, c: Value) -> Value {
    let fast_math = cursor.set_fast_math(FastMath::empty());
    let mut f = Floats { cursor };
    let product = f.op(BinaryOp::FMul, a, b);
    let sum = f.op(BinaryOp::FAdd, product, c);
    // The exact rounding error of the sum (Knuth's two-sum).
    let back = f.op(BinaryOp::FSub, sum, product);
    let rest = f.op(BinaryOp::FSub, sum, back);
    let lost_product = f.op(BinaryOp::FSub, product, rest);
    let lost_c = f.op(BinaryOp::FSub, c, back);
    let lost = f.op(BinaryOp::FAdd, lost_product, lost_c);
    // Round to odd: an inexact sum with an even last bit moves toward the part that was lost.
    let bits = f.bits(sum);
    let odd = f.with(BinaryOp::And, bits, 1);
    let is_odd = f.compare(CompareOp::Ne, odd, 0);
    let sign = f.with(BinaryOp::And, bits, 0x8000_0000);
    let lost = f.bits(lost);
    let along = f.op(BinaryOp::Xor, lost, sign);
    let along = f.float(along);
    let moved = toward(&mut f, sum, along);
    let moved = f.cursor.select(is_odd, sum, moved);
    let result = unless_special(&mut f, moved, sum);
    cursor.set_fast_math(fast_math);
    result
}

/// A double as a float, rounded to odd, so that it can be rounded again.
pub fn from_double(cursor: &mut Cursor<'_>, value: Value) -> Value {
    let ty = cursor.function.ty(value);
    let float_type = ty.with_scalar(Scalar::F32);
    let nearest = cursor.convert(ConvertOp::Float(RoundingMode::NearestEven), value, float_type);
    let mut f = Floats { cursor };
    let back = f.cursor.convert(ConvertOp::Float(RoundingMode::NearestEven), nearest, ty);
    let absolute = |f: &mut Floats<'_, '_>, value| f.math(MathOp::FAbs, value);
    let (wanted, found) = (absolute(&mut f, value), absolute(&mut f, back));
    let bits = f.bits(nearest);
    let odd = f.with(BinaryOp::And, bits, 1);
    let is_odd = f.compare(CompareOp::Ne, odd, 0);
    let moved = one_step(&mut f, bits, wanted, found);
    let result = f.cursor.select(is_odd, bits, moved);
    f.float(result)
}
