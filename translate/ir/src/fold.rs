//! Constant folding: the results of operations on constant operands.
//!
//! Results are those of the abstract operation: IEEE arithmetic rounded to nearest even, with subnormal
//! numbers preserved. An undefined operand counts as zero, which is one of the values that it may have.
//! Operations at the device's own precision (`Native…`) are not folded, so that a result does not depend on
//! whether its operand is known.

use crate::{BinaryOp, CompareOp, Constant, ConvertOp, MathOp, Op, RoundingMode, Scalar, Type, UnaryOp};
use half::f16;

/// The value of an operation on constants of the given types, if it is determined.
#[must_use]
pub fn fold(op: &Op, operands: &[(&Constant, Type)], result: Type) -> Option<Constant> {
    let lane = |operand: usize, lane: usize| operands[operand].0.lane(lane).unwrap_or(0);
    let lanes = result.lanes() as usize;
    if let Op::Convert(ConvertOp::Bitcast) = op {
        return bitcast(operands[0].0, operands[0].1, result);
    }
    let to = match (op, result) {
        (_, Type::Scalar(scalar) | Type::Vector(scalar, _)) => scalar,
        _ => return None,
    };
    let from = operands.first()?.1.scalar();
    let one = |index: usize| -> Option<u64> {
        match op {
            Op::Unary(op) => Some(unary(*op, from?, lane(0, index))),
            Op::Binary(op) => binary(*op, from?, lane(0, index), lane(1, index)),
            Op::Compare(op) => {
                Some(u64::from(compare(*op, from.unwrap_or(Scalar::I64), lane(0, index), lane(1, index))))
            }
            Op::Convert(op) => convert(*op, from?, to, lane(0, index)),
            Op::Math(op) => {
                let values: Vec<_> = (0..operands.len()).map(|operand| lane(operand, index)).collect();
                math(*op, from?, &values)
            }
            Op::Select => Some(if lane(0, index) != 0 { lane(1, index) } else { lane(2, index) }),
            Op::Construct => Some(lane(index, 0)),
            Op::Extract(position) => Some(lane(0, usize::from(*position))),
            Op::ExtractDynamic => {
                let position = lane(1, 0);
                Some(if position < u64::from(operands[0].1.lanes()) { lane(0, position as usize) } else { 0 })
            }
            Op::Insert(position) => {
                Some(if usize::from(*position) == index { lane(1, 0) } else { lane(0, index) })
            }
            Op::Shuffle(mask) => {
                let width = operands[0].1.lanes() as usize;
                Some(match usize::from(mask[index]) {
                    at if at < width => lane(0, at),
                    at if at < 2 * width => lane(1, at - width),
                    _ => 0,
                })
            }
            _ => None,
        }
    };
    let bits = (0..lanes).map(one).collect::<Option<Vec<u64>>>()?;
    Some(if lanes == 1 { Constant::Bits(bits[0] & to.mask()) } else { Constant::Lanes(bits.into()) })
}

/// A constant's bytes as another type.
fn bitcast(constant: &Constant, from: Type, to: Type) -> Option<Constant> {
    let (from_scalar, to_scalar) = (from.scalar()?, to.scalar()?);
    let mut bytes = Vec::new();
    for lane in 0..from.lanes() as usize {
        let bits = constant.lane(lane).unwrap_or(0);
        bytes.extend_from_slice(&bits.to_le_bytes()[..from_scalar.size() as usize]);
    }
    let lanes: Vec<u64> = bytes
        .chunks(to_scalar.size() as usize)
        .map(|chunk| {
            let mut bits = [0; 8];
            bits[..chunk.len()].copy_from_slice(chunk);
            u64::from_le_bytes(bits)
        })
        .collect();
    (lanes.len() == to.lanes() as usize)
        .then(|| if lanes.len() == 1 { Constant::Bits(lanes[0]) } else { Constant::Lanes(lanes.into()) })
}

/// An operation on the bits of a scalar.
#[must_use]
pub fn unary(op: UnaryOp, scalar: Scalar, a: u64) -> u64 {
    let bits = u64::from(scalar.bits());
    let result = match op {
        UnaryOp::Neg => a.wrapping_neg(),
        UnaryOp::Not => !a,
        UnaryOp::FNeg => a ^ (1 << (bits - 1)),
        UnaryOp::PopCount => u64::from(a.count_ones()),
        UnaryOp::CountLeadingZeros => u64::from(a.leading_zeros()) - (64 - bits),
        UnaryOp::CountTrailingZeros => u64::from(a.trailing_zeros()).min(bits),
        UnaryOp::HighestBit => a.checked_ilog2().map_or(u64::MAX, u64::from),
        UnaryOp::LowestBit if a == 0 => u64::MAX,
        UnaryOp::LowestBit => u64::from(a.trailing_zeros()),
    };
    result & scalar.mask()
}

/// An operation on the bits of two scalars; `None` if its result is up to the device.
/// Quotients by zero are zero.
#[must_use]
pub fn binary(op: BinaryOp, scalar: Scalar, a: u64, b: u64) -> Option<u64> {
    use BinaryOp::*;
    let (sa, sb) = (scalar.sign_extend(a), scalar.sign_extend(b));
    let count = (b % u64::from(scalar.bits())) as u32;
    let result = match op {
        Add => a.wrapping_add(b),
        Sub => a.wrapping_sub(b),
        Mul => a.wrapping_mul(b),
        SDiv => sa.checked_div(sb).unwrap_or(0) as u64,
        UDiv => a.checked_div(b).unwrap_or(0),
        SRem => sa.checked_rem(sb).unwrap_or(0) as u64,
        URem => a.checked_rem(b).unwrap_or(0),
        Shl => a << count,
        LShr => a >> count,
        AShr => (sa >> count) as u64,
        And => a & b,
        Or => a | b,
        Xor => a ^ b,
        SMin => sa.min(sb) as u64,
        SMax => sa.max(sb) as u64,
        UMin => a.min(b),
        UMax => a.max(b),
        SMulHi => ((i128::from(sa) * i128::from(sb)) >> scalar.bits()) as u64,
        UMulHi => ((u128::from(a) * u128::from(b)) >> scalar.bits()) as u64,
        FAdd | FSub | FMul | FDiv => return float_binary(op, scalar, a, b),
    };
    Some(result & scalar.mask())
}

fn float_binary(op: BinaryOp, scalar: Scalar, a: u64, b: u64) -> Option<u64> {
    macro_rules! arithmetic {
        ($a:expr, $b:expr) => {
            match op {
                BinaryOp::FAdd => $a + $b,
                BinaryOp::FSub => $a - $b,
                BinaryOp::FMul => $a * $b,
                BinaryOp::FDiv => $a / $b,
                _ => return None,
            }
        };
    }
    Some(match scalar {
        // Single precision is exact enough that the second rounding gives the same result as one rounding
        // would.
        Scalar::F16 => {
            let (a, b) = (half_of(a).to_f32(), half_of(b).to_f32());
            u64::from(f16::from_f32(arithmetic!(a, b)).to_bits())
        }
        Scalar::F32 => u64::from(arithmetic!(single(a), single(b)).to_bits()),
        Scalar::F64 => arithmetic!(f64::from_bits(a), f64::from_bits(b)).to_bits(),
        _ => return None,
    })
}

fn half_of(bits: u64) -> f16 {
    f16::from_bits(bits as u16)
}

fn single(bits: u64) -> f32 {
    f32::from_bits(bits as u32)
}

/// The exact value of a floating-point number.
#[must_use]
pub fn to_f64(scalar: Scalar, bits: u64) -> f64 {
    match scalar {
        Scalar::F16 => half_of(bits).to_f64(),
        Scalar::F32 => f64::from(single(bits)),
        _ => f64::from_bits(bits),
    }
}

/// The nearest floating-point number.
#[must_use]
pub fn from_f64(scalar: Scalar, value: f64) -> u64 {
    match scalar {
        Scalar::F16 => u64::from(f16::from_f64(value).to_bits()),
        Scalar::F32 => u64::from((value as f32).to_bits()),
        _ => value.to_bits(),
    }
}

/// Whether a comparison of the bits of two scalars holds.
#[must_use]
pub fn compare(op: CompareOp, scalar: Scalar, a: u64, b: u64) -> bool {
    use CompareOp::*;
    let (sa, sb) = (scalar.sign_extend(a), scalar.sign_extend(b));
    match op {
        Eq => return a == b,
        Ne => return a != b,
        SLt => return sa < sb,
        SLe => return sa <= sb,
        SGt => return sa > sb,
        SGe => return sa >= sb,
        ULt => return a < b,
        ULe => return a <= b,
        UGt => return a > b,
        UGe => return a >= b,
        _ => {}
    }
    let (x, y) = (to_f64(scalar, a), to_f64(scalar, b));
    let unordered = x.is_nan() || y.is_nan();
    match op {
        FOEq => x == y,
        FONe => !unordered && x != y,
        FOLt => x < y,
        FOLe => x <= y,
        FOGt => x > y,
        FOGe => x >= y,
        FUEq => unordered || x == y,
        FUNe => x != y,
        FULt => unordered || x < y,
        FULe => unordered || x <= y,
        FUGt => unordered || x > y,
        FUGe => unordered || x >= y,
        FOrd => !unordered,
        _ => unordered,
    }
}

fn convert(op: ConvertOp, from: Scalar, to: Scalar, a: u64) -> Option<u64> {
    let result = match op {
        ConvertOp::Truncate | ConvertOp::ZeroExtend => a,
        ConvertOp::SignExtend => from.sign_extend(a) as u64,
        ConvertOp::SignedToFloat(rounding) => int_to_float(i128::from(from.sign_extend(a)), to, rounding),
        ConvertOp::UnsignedToFloat(rounding) => int_to_float(i128::from(a), to, rounding),
        ConvertOp::FloatToSigned { .. } => {
            let limit = i64::MAX >> (64 - to.bits());
            // The cast saturates and gives zero for NaN, which is right for both kinds.
            (to_f64(from, a) as i64).clamp(-limit - 1, limit) as u64
        }
        ConvertOp::FloatToUnsigned { .. } => (to_f64(from, a) as u64).min(to.mask()),
        ConvertOp::Float(rounding) => {
            let exact = to_f64(from, a);
            let nearest = from_f64(to, exact);
            let rounded = to_f64(to, nearest);
            if exact.is_nan() { nearest } else { adjust(to, nearest, rounding, rounded.partial_cmp(&exact)?) }
        }
        _ => return None,
    };
    Some(result & to.mask())
}

fn int_to_float(value: i128, to: Scalar, rounding: RoundingMode) -> u64 {
    let nearest = match to {
        // Numbers beyond the exact range of double precision are infinite as halves.
        Scalar::F16 => from_f64(to, value as f64),
        Scalar::F32 => u64::from((value as f32).to_bits()),
        _ => (value as f64).to_bits(),
    };
    let rounded = to_f64(to, nearest);
    let ordering = if rounded.is_infinite() {
        if rounded > 0.0 { std::cmp::Ordering::Greater } else { std::cmp::Ordering::Less }
    } else {
        (rounded as i128).cmp(&value)
    };
    adjust(to, nearest, rounding, ordering)
}

/// Moves the nearest number to the side that the rounding asks for, given how it compares with the exact
/// value.
fn adjust(scalar: Scalar, nearest: u64, rounding: RoundingMode, ordering: std::cmp::Ordering) -> u64 {
    use std::cmp::Ordering::{Greater, Less};
    let negative = nearest >> (scalar.bits() - 1) & 1 == 1;
    let toward_zero = |bits: u64| bits - 1;
    let away_from_zero = |bits: u64| bits + 1;
    let smallest = |sign: u64| sign << (scalar.bits() - 1) | 1;
    let is_zero = nearest & (scalar.mask() >> 1) == 0;
    let (up, down) = match rounding {
        RoundingMode::NearestEven => return nearest,
        RoundingMode::TowardPositive => (true, false),
        RoundingMode::TowardNegative => (false, true),
        RoundingMode::TowardZero => (negative || (is_zero && ordering == Greater), !negative),
    };
    match ordering {
        // A zero from underflow moves away from zero only in a directed rounding.
        Less if up && is_zero => {
            if rounding == RoundingMode::TowardZero {
                nearest
            } else {
                smallest(0)
            }
        }
        Greater if down && is_zero => {
            if rounding == RoundingMode::TowardZero {
                nearest
            } else {
                smallest(1)
            }
        }
        Less if up => {
            if negative {
                toward_zero(nearest)
            } else {
                away_from_zero(nearest)
            }
        }
        Greater if down => {
            if negative {
                away_from_zero(nearest)
            } else {
                toward_zero(nearest)
            }
        }
        _ => nearest,
    }
}

fn math(op: MathOp, scalar: Scalar, values: &[u64]) -> Option<u64> {
    let a = values[0];
    let sign = 1u64 << (scalar.bits() - 1);
    let x = to_f64(scalar, a);
    let result = match op {
        MathOp::FAbs => a & !sign,
        MathOp::CopySign => (a & !sign) | (values[1] & sign),
        MathOp::IsNan => u64::from(x.is_nan()),
        MathOp::IsInf => u64::from(x.is_infinite()),
        MathOp::NeverPositive => u64::from(x.is_nan() || x <= 0.0),
        MathOp::FMin => from_f64(scalar, x.min(to_f64(scalar, values[1]))),
        MathOp::FMax => from_f64(scalar, x.max(to_f64(scalar, values[1]))),
        MathOp::FClamp => from_f64(scalar, x.max(to_f64(scalar, values[1])).min(to_f64(scalar, values[2]))),
        MathOp::Floor => from_f64(scalar, x.floor()),
        MathOp::Ceil => from_f64(scalar, x.ceil()),
        MathOp::Trunc => from_f64(scalar, x.trunc()),
        MathOp::RoundEven => from_f64(scalar, x.round_ties_even()),
        MathOp::Sqrt if scalar == Scalar::F32 => u64::from(single(a).sqrt().to_bits()),
        MathOp::Sqrt if scalar == Scalar::F64 => x.sqrt().to_bits(),
        MathOp::Fma if scalar == Scalar::F32 => {
            u64::from(single(a).mul_add(single(values[1]), single(values[2])).to_bits())
        }
        MathOp::Fma if scalar == Scalar::F64 => {
            x.mul_add(f64::from_bits(values[1]), f64::from_bits(values[2])).to_bits()
        }
        _ => return None,
    };
    Some(result)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scalar(op: Op, from: Type, values: &[u64], to: Type) -> u64 {
        let constants: Vec<_> = values.iter().map(|&bits| Constant::Bits(bits)).collect();
        let operands: Vec<_> = constants.iter().map(|constant| (constant, from)).collect();
        fold(&op, &operands, to).unwrap().lane(0).unwrap()
    }

    #[test]
    fn narrow_signed_arithmetic_wraps() {
        assert_eq!(scalar(Op::Binary(BinaryOp::Add), Type::I8, &[0x7f, 1], Type::I8), 0x80);
        assert_eq!(scalar(Op::Binary(BinaryOp::SDiv), Type::I8, &[0x80, 2], Type::I8), 0xc0);
        assert_eq!(scalar(Op::Binary(BinaryOp::SDiv), Type::I32, &[5, 0], Type::I32), 0);
        assert_eq!(
            scalar(Op::Binary(BinaryOp::SMulHi), Type::I32, &[0xffff_ffff, 5], Type::I32),
            0xffff_ffff
        );
        assert_eq!(scalar(Op::Binary(BinaryOp::Shl), Type::I32, &[1, 33], Type::I32), 2);
        assert_eq!(scalar(Op::Unary(UnaryOp::CountLeadingZeros), Type::I16, &[1], Type::I16), 15);
    }

    #[test]
    fn conversions_round_as_asked() {
        let convert = |rounding, value: i64| {
            let bits = scalar(
                Op::Convert(ConvertOp::SignedToFloat(rounding)),
                Type::I64,
                &[value as u64],
                Type::F32,
            );
            f32::from_bits(bits as u32)
        };
        let odd = (1 << 24) + 1;
        assert_eq!(convert(RoundingMode::NearestEven, odd), 16_777_216.0);
        assert_eq!(convert(RoundingMode::TowardPositive, odd), 16_777_218.0);
        assert_eq!(convert(RoundingMode::TowardNegative, -odd), -16_777_218.0);
        assert_eq!(convert(RoundingMode::TowardZero, -odd), -16_777_216.0);
        let narrow = |rounding, value: f64| {
            let bits =
                scalar(Op::Convert(ConvertOp::Float(rounding)), Type::F64, &[value.to_bits()], Type::F32);
            f32::from_bits(bits as u32)
        };
        assert_eq!(narrow(RoundingMode::TowardPositive, 1e-300), f32::from_bits(1));
        assert_eq!(narrow(RoundingMode::TowardZero, 1e-300), 0.0);
        assert_eq!(narrow(RoundingMode::TowardZero, 1e300), f32::MAX);
        assert_eq!(narrow(RoundingMode::TowardNegative, -1e300), f32::NEG_INFINITY);
    }

    #[test]
    fn saturating_conversion_clamps_and_maps_nan_to_zero() {
        let convert = |value: f32, to| {
            let op = Op::Convert(ConvertOp::FloatToSigned { saturating: true });
            scalar(op, Type::F32, &[u64::from(value.to_bits())], to)
        };
        assert_eq!(convert(300.0, Type::I8), 127);
        assert_eq!(convert(-300.0, Type::I8), 0x80);
        assert_eq!(convert(f32::NAN, Type::I32), 0);
    }

    #[test]
    fn bitcast_joins_lanes() {
        let pair = Constant::Lanes(vec![0x1111, 0x2222].into());
        let joined =
            fold(&Op::Convert(ConvertOp::Bitcast), &[(&pair, Type::Vector(Scalar::I16, 2))], Type::I32);
        assert_eq!(joined, Some(Constant::Bits(0x2222_1111)));
    }

    #[test]
    fn comparisons_with_nan() {
        let nan = u64::from(f32::NAN.to_bits());
        assert_eq!(scalar(Op::Compare(CompareOp::FOLt), Type::F32, &[nan, 0], Type::BOOL), 0);
        assert_eq!(scalar(Op::Compare(CompareOp::FUGe), Type::F32, &[nan, 0], Type::BOOL), 1);
        assert_eq!(scalar(Op::Compare(CompareOp::FONe), Type::F32, &[nan, 0], Type::BOOL), 0);
        assert_eq!(scalar(Op::Compare(CompareOp::SLt), Type::I8, &[0xff, 0], Type::BOOL), 1);
    }
}
