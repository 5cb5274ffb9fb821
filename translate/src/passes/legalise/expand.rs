//! Replaces operations that Vulkan lacks on every device, or has only for 32 bits, by others.

use super::half;
use super::int_to_float::{self, Magnitude};
use super::round_double;
use crate::passes::cursor::{Cursor, replace_where};
use crate::passes::float_bits;
use clvk_interface::{DeviceProfile, Quirk};
use clvk_ir::{
    BinaryOp, CompareOp, ConvertOp, Function, Inst, MathOp, Op, PackedDot, RoundingMode, Scalar, Type,
    UnaryOp, Value,
};

/// Expands them in a function.
pub fn expand(function: &mut Function, profile: &DeviceProfile) {
    replace_where(function, |cursor, inst| expanded(cursor, inst, profile));
}

fn expanded(cursor: &mut Cursor<'_>, inst: Inst, profile: &DeviceProfile) -> Option<Value> {
    let op = cursor.function.insts[inst].op.clone();
    if !matches!(op, Op::Unary(_) | Op::Binary(_) | Op::Convert(_) | Op::Math(_) | Op::PackedDot(_)) {
        return None;
    }
    let operands = cursor.operands(inst);
    if let Op::PackedDot(signs) = op {
        return (!profile.integer_dot_product).then(|| packed_dot(cursor, signs, operands[0], operands[1]));
    }
    let ty = cursor.function.ty(cursor.result(inst));
    let bits = ty.scalar()?.bits();
    match op {
        Op::Unary(op @ (UnaryOp::PopCount | UnaryOp::CountLeadingZeros | UnaryOp::CountTrailingZeros))
            if bits != 32 =>
        {
            Some(if bits == 64 {
                count_wide(cursor, op, operands[0])
            } else {
                count_narrow(cursor, op, operands[0])
            })
        }
        Op::Binary(op @ (BinaryOp::SMulHi | BinaryOp::UMulHi)) if ty != Type::I32 => {
            Some(multiply_high(cursor, op, operands[0], operands[1]))
        }
        // For negative operands Vulkan leaves the remainder undefined, but not the quotient. Split words have
        // their own division.
        Op::Binary(BinaryOp::SRem) if bits < 64 || profile.int64 => {
            let quotient = cursor.binary(BinaryOp::SDiv, operands[0], operands[1]);
            let product = cursor.binary(BinaryOp::Mul, quotient, operands[1]);
            Some(cursor.binary(BinaryOp::Sub, operands[0], product))
        }
        Op::Convert(ConvertOp::FloatToSigned { saturating }) => {
            float_to_int(cursor, operands[0], ty, (true, saturating), profile)
        }
        Op::Convert(ConvertOp::FloatToUnsigned { saturating }) => {
            float_to_int(cursor, operands[0], ty, (false, saturating), profile)
        }
        Op::Convert(ConvertOp::Float(mode)) if ty.scalar() == Some(Scalar::F16) => {
            round_to_half(cursor, operands[0], ty, mode)
        }
        Op::Convert(ConvertOp::Float(mode))
            if ty.scalar() == Some(Scalar::F32)
                && cursor.function.ty(operands[0]).scalar() == Some(Scalar::F64)
                && (mode != RoundingMode::NearestEven || !profile.rounding_rte_f32) =>
        {
            Some(round_double::to_single(cursor, operands[0], mode))
        }
        Op::Binary(_) | Op::Math(_) if ty.scalar() == Some(Scalar::F16) && profile.native_half() => {
            half_arithmetic(cursor, &op, &operands, ty)
        }
        // The bits of doubles become 64-bit integers, which later become words.
        Op::Math(op) if float_bits::is_on_bits(op) && !profile.int64 => {
            let is_double = cursor.function.ty(operands[0]).scalar() == Some(Scalar::F64);
            is_double.then(|| float_bits::on_bits(cursor, op, &operands, profile.int16))
        }
        Op::Convert(op @ (ConvertOp::SignedToFloat(mode) | ConvertOp::UnsignedToFloat(mode))) => {
            let from = cursor.function.ty(operands[0]);
            if from.scalar()?.bits() >= 32 {
                return round_int(cursor, op, operands[0], mode, ty);
            }
            let extend = match op {
                ConvertOp::SignedToFloat(_) => ConvertOp::SignExtend,
                _ => ConvertOp::ZeroExtend,
            };
            let wide = cursor.convert(extend, operands[0], from.with_scalar(Scalar::I32));
            // Types larger than half precision hold small integers exactly.
            let mode = if ty.scalar() == Some(Scalar::F16) { mode } else { RoundingMode::NearestEven };
            Some(match round_int(cursor, op, wide, mode, ty) {
                Some(value) => value,
                None => cursor.convert(with_mode(op, mode), wide, ty),
            })
        }
        _ => None,
    }
}

/// The device rounds to nearest even, and from double precision perhaps twice. Other roundings are done in
/// single precision.
fn round_to_half(cursor: &mut Cursor<'_>, value: Value, ty: Type, mode: RoundingMode) -> Option<Value> {
    let from = cursor.function.ty(value);
    let float = match (from.scalar()?, mode) {
        (Scalar::F64, _) => half::from_double(cursor, value),
        (_, RoundingMode::NearestEven) => return None,
        _ => value,
    };
    let rounded = half::round(cursor, float, mode);
    Some(cursor.convert(ConvertOp::Float(RoundingMode::NearestEven), rounded, ty))
}

/// Operations that the device does not round correctly in half precision are computed in single precision, so
/// that only one rounding remains.
fn half_arithmetic(cursor: &mut Cursor<'_>, op: &Op, operands: &[Value], ty: Type) -> Option<Value> {
    let float_type = ty.with_scalar(Scalar::F32);
    let to_float = ConvertOp::Float(RoundingMode::NearestEven);
    let single =
        |cursor: &mut Cursor<'_>, position: usize| cursor.convert(to_float, operands[position], float_type);
    let exact = match op {
        Op::Binary(BinaryOp::FDiv) => {
            let (a, b) = (single(cursor, 0), single(cursor, 1));
            half::divide(cursor, a, b)
        }
        Op::Math(MathOp::Sqrt) => {
            let a = single(cursor, 0);
            half::square_root(cursor, a)
        }
        Op::Math(MathOp::Fma) => {
            let (a, b, c) = (single(cursor, 0), single(cursor, 1), single(cursor, 2));
            half::fused(cursor, a, b, c)
        }
        _ => return None,
    };
    Some(cursor.convert(ConvertOp::Float(RoundingMode::NearestEven), exact, ty))
}

/// A conversion from integers with another rounding.
pub fn with_mode(op: ConvertOp, mode: RoundingMode) -> ConvertOp {
    match op {
        ConvertOp::SignedToFloat(_) => ConvertOp::SignedToFloat(mode),
        _ => ConvertOp::UnsignedToFloat(mode),
    }
}

/// Rounds conversions of 32- and 64-bit integers in ways that the device does not.
fn round_int(
    cursor: &mut Cursor<'_>,
    op: ConvertOp,
    value: Value,
    mode: RoundingMode,
    ty: Type,
) -> Option<Value> {
    let from = cursor.function.ty(value);
    let nearest = mode == RoundingMode::NearestEven;
    match ty.scalar()? {
        Scalar::F16 if !nearest || from.scalar() == Some(Scalar::I64) => {
            // Integers too large for a float are beyond the largest half.
            let op = with_mode(op, RoundingMode::NearestEven);
            let single = cursor.convert(op, value, ty.with_scalar(Scalar::F32));
            let rounded = half::round(cursor, single, mode);
            Some(cursor.convert(ConvertOp::Float(RoundingMode::NearestEven), rounded, ty))
        }
        Scalar::F32 if !nearest => {
            let words = from.with_scalar(Scalar::I32);
            let signed = matches!(op, ConvertOp::SignedToFloat(_));
            let last = i64::from(from.scalar()?.bits()) - 1;
            let sign = match signed {
                true => cursor.binary_int(BinaryOp::AShr, value, last),
                false => cursor.function.zero(from),
            };
            let flipped = cursor.binary(BinaryOp::Xor, value, sign);
            let magnitude = cursor.binary(BinaryOp::Sub, flipped, sign);
            let (low, high) = match from.scalar()? {
                Scalar::I64 => halves(cursor, magnitude),
                _ => (magnitude, cursor.function.zero(words)),
            };
            let sign = cursor.convert(ConvertOp::Truncate, sign, words);
            Some(int_to_float::to_single(cursor, Magnitude { high, low }, sign, mode))
        }
        Scalar::F64 if !nearest && from.scalar() == Some(Scalar::I64) => {
            let words = halves(cursor, value);
            Some(round_double::from_words(cursor, op, words, mode, ty))
        }
        _ => None,
    }
}

/// The sum of the products of four bytes each.
fn packed_dot(cursor: &mut Cursor<'_>, signs: PackedDot, a: Value, b: Value) -> Value {
    let byte = |cursor: &mut Cursor<'_>, word: Value, index: i64, signed: bool| {
        if signed {
            let top = cursor.binary_int(BinaryOp::Shl, word, 24 - 8 * index);
            return cursor.binary_int(BinaryOp::AShr, top, 24);
        }
        let low = cursor.binary_int(BinaryOp::LShr, word, 8 * index);
        cursor.binary_int(BinaryOp::And, low, 0xff)
    };
    let (a_signed, b_signed) = (signs != PackedDot::Unsigned, signs == PackedDot::Signed);
    let mut sum = cursor.int(Type::I32, 0);
    for index in 0..4 {
        let (x, y) = (byte(cursor, a, index, a_signed), byte(cursor, b, index, b_signed));
        let product = cursor.binary(BinaryOp::Mul, x, y);
        sum = cursor.binary(BinaryOp::Add, sum, product);
    }
    sum
}

fn unary(cursor: &mut Cursor<'_>, op: UnaryOp, value: Value) -> Value {
    let ty = cursor.function.ty(value);
    cursor.value(Op::Unary(op), &[value], ty)
}

/// Counts the bits of 8- and 16-bit integers in 32 bits.
fn count_narrow(cursor: &mut Cursor<'_>, op: UnaryOp, value: Value) -> Value {
    let ty = cursor.function.ty(value);
    let bits = i64::from(ty.scalar().expect("integers").bits());
    let wide_type = ty.with_scalar(Scalar::I32);
    let wide = cursor.convert(ConvertOp::ZeroExtend, value, wide_type);
    let count = match op {
        UnaryOp::CountTrailingZeros => {
            // A bit above the top one stops the count at the width.
            let stop = cursor.binary_int(BinaryOp::Or, wide, 1 << bits);
            unary(cursor, op, stop)
        }
        UnaryOp::CountLeadingZeros => {
            let count = unary(cursor, op, wide);
            cursor.binary_int(BinaryOp::Sub, count, 32 - bits)
        }
        _ => unary(cursor, op, wide),
    };
    cursor.convert(ConvertOp::Truncate, count, ty)
}

/// Low and high words of 64-bit integers.
fn halves(cursor: &mut Cursor<'_>, value: Value) -> (Value, Value) {
    let ty = cursor.function.ty(value).with_scalar(Scalar::I32);
    let shifted = cursor.binary_int(BinaryOp::LShr, value, 32);
    (cursor.convert(ConvertOp::Truncate, value, ty), cursor.convert(ConvertOp::Truncate, shifted, ty))
}

/// Counts the bits of 64-bit integers by halves.
fn count_wide(cursor: &mut Cursor<'_>, op: UnaryOp, value: Value) -> Value {
    let ty = cursor.function.ty(value);
    let (low, high) = halves(cursor, value);
    let (of_low, of_high) = (unary(cursor, op, low), unary(cursor, op, high));
    let count = match op {
        UnaryOp::PopCount => cursor.binary(BinaryOp::Add, of_low, of_high),
        _ => {
            let (first, of_first, of_second) = match op {
                UnaryOp::CountLeadingZeros => (high, of_high, of_low),
                _ => (low, of_low, of_high),
            };
            let zero = cursor.function.zero(cursor.function.ty(first));
            let empty = cursor.compare(CompareOp::Eq, first, zero);
            let beyond = cursor.binary_int(BinaryOp::Add, of_second, 32);
            cursor.select(empty, beyond, of_first)
        }
    };
    cursor.convert(ConvertOp::ZeroExtend, count, ty)
}

/// The high half of products: lane by lane for vectors, in 32 bits for small integers, by words for 64 bits.
fn multiply_high(cursor: &mut Cursor<'_>, op: BinaryOp, a: Value, b: Value) -> Value {
    let ty = cursor.function.ty(a);
    let scalar = ty.scalar().expect("integers");
    if ty.lanes() > 1 {
        let lanes: Vec<Value> = (0..ty.lanes())
            .map(|lane| {
                let (a, b) = (cursor.extract(a, lane), cursor.extract(b, lane));
                multiply_high(cursor, op, a, b)
            })
            .collect();
        return cursor.construct(&lanes);
    }
    match scalar.bits() {
        32 => cursor.value(Op::Binary(op), &[a, b], ty),
        64 => multiply_high_64(cursor, op, a, b),
        bits => {
            let extend = if op == BinaryOp::SMulHi { ConvertOp::SignExtend } else { ConvertOp::ZeroExtend };
            let (a, b) = (cursor.convert(extend, a, Type::I32), cursor.convert(extend, b, Type::I32));
            let product = cursor.binary(BinaryOp::Mul, a, b);
            let high = cursor.binary_int(BinaryOp::LShr, product, i64::from(bits));
            cursor.convert(ConvertOp::Truncate, high, ty)
        }
    }
}

/// The high half of a product of 64-bit integers, from four products of words; a signed one is the unsigned
/// one, corrected for negative factors. Drivers multiply extended words once, and masked numbers in full.
pub fn multiply_high_64(cursor: &mut Cursor<'_>, op: BinaryOp, a: Value, b: Value) -> Value {
    let low_word = |cursor: &mut Cursor<'_>, value| {
        let word = cursor.convert(ConvertOp::Truncate, value, Type::I32);
        cursor.convert(ConvertOp::ZeroExtend, word, Type::I64)
    };
    let high_word = |cursor: &mut Cursor<'_>, value| {
        let high = cursor.binary_int(BinaryOp::LShr, value, 32);
        low_word(cursor, high)
    };
    let (al, ah) = (low_word(cursor, a), high_word(cursor, a));
    let (bl, bh) = (low_word(cursor, b), high_word(cursor, b));
    let low = cursor.binary(BinaryOp::Mul, al, bl);
    let cross = cursor.binary(BinaryOp::Mul, ah, bl);
    let carried = high_word(cursor, low);
    let middle = cursor.binary(BinaryOp::Add, cross, carried);
    let other_cross = cursor.binary(BinaryOp::Mul, al, bh);
    let middle_low = low_word(cursor, middle);
    let other = cursor.binary(BinaryOp::Add, other_cross, middle_low);
    let high = cursor.binary(BinaryOp::Mul, ah, bh);
    let middle_high = high_word(cursor, middle);
    let other_high = high_word(cursor, other);
    let sum = cursor.binary(BinaryOp::Add, high, middle_high);
    let mut result = cursor.binary(BinaryOp::Add, sum, other_high);
    if op == BinaryOp::SMulHi {
        for (sign_of, other) in [(a, b), (b, a)] {
            let sign = cursor.binary_int(BinaryOp::AShr, sign_of, 63);
            let correction = cursor.binary(BinaryOp::And, sign, other);
            result = cursor.binary(BinaryOp::Sub, result, correction);
        }
    }
    result
}

/// Conversions to small integers go through 32 bits. Saturating ones first clamp a number of single
/// precision to their limits, if these are exact. Others compare with the powers of two beyond the limits,
/// which are exact in every type that reaches them.
fn float_to_int(
    cursor: &mut Cursor<'_>,
    value: Value,
    ty: Type,
    (signed, saturating): (bool, bool),
    profile: &DeviceProfile,
) -> Option<Value> {
    let bits = ty.scalar()?.bits();
    if !saturating && bits >= 32 {
        return None;
    }
    let from = cursor.function.ty(value);
    let value = match from.scalar()? {
        // Its range is smaller than that of the integers.
        Scalar::F16 => {
            cursor.convert(ConvertOp::Float(RoundingMode::NearestEven), value, from.with_scalar(Scalar::F32))
        }
        _ => value,
    };
    let magnitude = if signed { bits - 1 } else { bits };
    // In single precision the limits of up to 24 bits are exact.
    let exact = cursor.function.ty(value).scalar() == Some(Scalar::F32) && magnitude <= 24;
    let clamps = saturating && exact && !profile.has(Quirk::SlowExtremes);
    let clamped = if clamps { clamp(cursor, value, magnitude, signed) } else { value };
    let wide_type = if bits < 32 { ty.with_scalar(Scalar::I32) } else { ty };
    // In 32 bits a signed conversion holds all small unsigned numbers too.
    let convert = match signed || bits < 32 {
        true => ConvertOp::FloatToSigned { saturating: false },
        false => ConvertOp::FloatToUnsigned { saturating: false },
    };
    let wide = cursor.value(Op::Convert(convert), &[clamped], wide_type);
    let result = cursor.convert(ConvertOp::Truncate, wide, ty);
    Some(match (saturating, clamps, signed) {
        (false, ..) | (_, true, false) => result,
        (_, true, true) => zero_if_nan(cursor, value, result),
        _ => saturate(cursor, value, result, signed),
    })
}

/// Clamps a number to the range of integers whose limits its type has. NaN becomes the lower limit, which is
/// zero for unsigned integers.
fn clamp(cursor: &mut Cursor<'_>, value: Value, magnitude: u32, signed: bool) -> Value {
    let ty = cursor.function.ty(value);
    let limit = (magnitude as f64).exp2();
    let least = cursor.function.float(ty, if signed { -limit } else { 0.0 });
    let greatest = cursor.function.float(ty, limit - 1.0);
    let raised = cursor.value(Op::Math(MathOp::FMax), &[value, least], ty);
    cursor.value(Op::Math(MathOp::FMin), &[raised, greatest], ty)
}

fn zero_if_nan(cursor: &mut Cursor<'_>, value: Value, result: Value) -> Value {
    let is_nan_type = cursor.function.ty(value).with_scalar(Scalar::Bool);
    let is_nan = cursor.value(Op::Math(MathOp::IsNan), &[value], is_nan_type);
    let zero = cursor.int(cursor.function.ty(result), 0);
    cursor.select(is_nan, zero, result)
}

fn saturate(cursor: &mut Cursor<'_>, value: Value, result: Value, signed: bool) -> Value {
    let (from, ty) = (cursor.function.ty(value), cursor.function.ty(result));
    let bits = ty.scalar().expect("integers").bits();
    let magnitude = if signed { bits - 1 } else { bits };
    let limit = (magnitude as f64).exp2();
    let above = cursor.function.float(from, limit);
    let below = cursor.function.float(from, if signed { -limit } else { 0.0 });
    let ones = u64::MAX >> (64 - magnitude);
    let greatest = cursor.int(ty, ones as i64);
    let least = cursor.int(ty, if signed { !ones as i64 } else { 0 });
    let too_large = cursor.compare(CompareOp::FOGe, value, above);
    let too_small = cursor.compare(CompareOp::FOLt, value, below);
    let result = cursor.select(too_large, greatest, result);
    let result = cursor.select(too_small, least, result);
    zero_if_nan(cursor, value, result)
}
