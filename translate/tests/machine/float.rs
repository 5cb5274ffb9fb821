//! Floating-point numbers: exact values, and one rounding at the end of each operation.
//!
//! An operation that IEEE 754 rounds once is computed here by the processor, in its own type or in a wider
//! one, and rounded by [`Format::round`]. What OpenCL C leaves open (the bits of a NaN, the sign of a minimum
//! of zeros, the last places of a quotient) depends on a number that the caller chooses.

use clvk_ir::{BinaryOp, MathOp, RoundingMode, Scalar};

/// The encoding of a floating-point type.
#[derive(Clone, Copy, Debug)]
pub struct Format {
    /// Number of stored bits of the significand.
    fraction: u32,
    /// The smallest exponent of normal numbers, which is also that of subnormal ones.
    least: i32,
}

/// An exact number: `magnitude × 2^exponent`, negative or not.
#[derive(Clone, Copy, Debug)]
pub struct Exact {
    pub negative: bool,
    pub magnitude: u128,
    pub exponent: i32,
}

/// The value that a number's bits encode.
#[derive(Clone, Copy, Debug)]
pub enum Number {
    Nan,
    Infinity { negative: bool },
    Finite(Exact),
}

impl Format {
    /// The format of a floating-point type.
    pub fn of(scalar: Scalar) -> Format {
        match scalar {
            Scalar::F16 => Format { fraction: 10, least: -14 },
            Scalar::F32 => Format { fraction: 23, least: -126 },
            Scalar::F64 => Format { fraction: 52, least: -1022 },
            other => panic!("{other:?} is not a floating-point type"),
        }
    }

    fn exponent_bits(self) -> u32 {
        (1 - self.least).ilog2() + 2
    }

    fn infinity(self) -> u64 {
        ((1 << self.exponent_bits()) - 1) << self.fraction
    }

    fn sign(self, negative: bool) -> u64 {
        u64::from(negative) << (self.fraction + self.exponent_bits())
    }

    /// A quiet NaN whose other bits come from `any`.
    pub fn nan(self, any: u64) -> u64 {
        let quiet = 1 << (self.fraction - 1);
        self.infinity() | quiet | (any & (quiet - 1)) | self.sign(any >> 63 != 0)
    }

    /// Decodes the bits of a number.
    pub fn decode(self, bits: u64) -> Number {
        let negative = bits & self.sign(true) != 0;
        let fraction = bits & ((1 << self.fraction) - 1);
        let field = (bits & self.infinity()) >> self.fraction;
        if bits & self.infinity() == self.infinity() {
            return if fraction == 0 { Number::Infinity { negative } } else { Number::Nan };
        }
        let implied = if field == 0 { 0 } else { 1 << self.fraction };
        let exponent = self.least - self.fraction as i32 + (field.max(1) as i32 - 1);
        Number::Finite(Exact { negative, magnitude: u128::from(fraction | implied), exponent })
    }

    /// The bits of an exact number after rounding.
    pub fn round(self, exact: Exact, mode: RoundingMode) -> u64 {
        let Exact { negative, magnitude, exponent } = exact;
        let sign = self.sign(negative);
        if magnitude == 0 {
            return sign;
        }
        // The exponent of the last place: of a normal number of this size, or of subnormal ones.
        let top = exponent + magnitude.ilog2() as i32;
        let unit = top.max(self.least) - self.fraction as i32;
        let (mut whole, rest, half) = match unit - exponent {
            drop if drop <= 0 => (magnitude << -drop, 0, 1),
            drop if drop > 127 => (0, 1, 2),
            drop => (magnitude >> drop, magnitude & ((1 << drop) - 1), 1u128 << (drop - 1)),
        };
        let up = match mode {
            RoundingMode::NearestEven => rest > half || (rest == half && whole & 1 == 1),
            RoundingMode::TowardZero => false,
            RoundingMode::TowardPositive => rest != 0 && !negative,
            RoundingMode::TowardNegative => rest != 0 && negative,
        };
        whole += u128::from(up);
        // A significand that became too large carries into the exponent, as in the encoding.
        let bits = match whole >> self.fraction {
            0 => whole as u64,
            _ => (((unit + self.fraction as i32 - self.least) as u64) << self.fraction) + whole as u64,
        };
        if bits < self.infinity() {
            return sign | bits;
        }
        let inward = match mode {
            RoundingMode::NearestEven => false,
            RoundingMode::TowardZero => true,
            RoundingMode::TowardPositive => negative,
            RoundingMode::TowardNegative => !negative,
        };
        sign | (self.infinity() - u64::from(inward))
    }

    /// The bits in this format of a number from another one.
    pub fn convert(self, from: Format, bits: u64, mode: RoundingMode, any: u64) -> u64 {
        match from.decode(bits) {
            Number::Nan => self.nan(any),
            Number::Infinity { negative } => self.sign(negative) | self.infinity(),
            Number::Finite(exact) => self.round(exact, mode),
        }
    }
}

/// The value as a double, which holds every number of the three formats.
pub fn value(scalar: Scalar, bits: u64) -> f64 {
    match scalar {
        Scalar::F64 => f64::from_bits(bits),
        Scalar::F32 => f64::from(f32::from_bits(bits as u32)),
        _ => {
            let wide =
                Format::of(Scalar::F64).convert(Format::of(scalar), bits, RoundingMode::NearestEven, 0);
            f64::from_bits(wide)
        }
    }
}

/// The bits of a double that is exact, or that may be rounded once more without harm.
fn encode(scalar: Scalar, number: f64, any: u64) -> u64 {
    let (to, from) = (Format::of(scalar), Format::of(Scalar::F64));
    to.convert(from, number.to_bits(), RoundingMode::NearestEven, any)
}

/// Moves a single-precision number by up to two units in the last place, for operations that may err by that
/// much.
fn inaccurate(bits: u64, any: u64) -> u64 {
    let number = f32::from_bits(bits as u32);
    if !number.is_normal() {
        return bits;
    }
    let moved = (bits as u32).wrapping_add_signed((any % 5) as i32 - 2);
    if f32::from_bits(moved).is_normal() { u64::from(moved) } else { bits }
}

/// A sum, difference, product, quotient or remainder.
pub fn binary(op: BinaryOp, scalar: Scalar, a: u64, b: u64, any: u64) -> u64 {
    let (x, y) = (value(scalar, a), value(scalar, b));
    let (x32, y32) = (x as f32, y as f32);
    let wide = match (op, scalar) {
        // Doubles have more than twice the bits of a float, plus two, so rounding to a double first does no
        // harm (except to subnormal numbers).
        (BinaryOp::FAdd, Scalar::F32) => f64::from(x32 + y32),
        (BinaryOp::FSub, Scalar::F32) => f64::from(x32 - y32),
        (BinaryOp::FMul, Scalar::F32) => f64::from(x32 * y32),
        (BinaryOp::FDiv, Scalar::F32) => {
            let quotient = encode(scalar, f64::from(x32 / y32), any);
            return inaccurate(quotient, any);
        }
        (BinaryOp::FAdd, _) => x + y,
        (BinaryOp::FSub, _) => x - y,
        (BinaryOp::FMul, _) => x * y,
        (BinaryOp::FDiv, _) => x / y,
        (other, _) => panic!("{other:?} is not of floating-point numbers"),
    };
    encode(scalar, wide, any)
}

/// A function of one to three numbers, which returns a number.
pub fn math(op: MathOp, scalar: Scalar, operands: &[u64], any: u64) -> Result<u64, String> {
    let x = value(scalar, operands[0]);
    let y = operands.get(1).map_or(0.0, |&bits| value(scalar, bits));
    let format = Format::of(scalar);
    let rough = |number: f64| {
        let bits = encode(scalar, number, any);
        if scalar == Scalar::F32 { inaccurate(bits, any) } else { bits }
    };
    Ok(match op {
        MathOp::FAbs => operands[0] & !format.sign(true),
        MathOp::CopySign => operands[0] & !format.sign(true) | operands[1] & format.sign(true),
        MathOp::FMin | MathOp::FMax => {
            let first = match op {
                _ if x.is_nan() && y.is_nan() => return Ok(format.nan(any)),
                _ if x.is_nan() || y.is_nan() => y.is_nan(),
                _ if x == y => any & 1 == 0,
                MathOp::FMin => x < y,
                _ => x > y,
            };
            operands[usize::from(!first)]
        }
        MathOp::FClamp => {
            let raised = math(MathOp::FMax, scalar, &operands[..2], any)?;
            return math(MathOp::FMin, scalar, &[raised, operands[2]], any);
        }
        MathOp::Floor => encode(scalar, x.floor(), any),
        MathOp::Ceil => encode(scalar, x.ceil(), any),
        MathOp::Trunc => encode(scalar, x.trunc(), any),
        MathOp::RoundEven => encode(scalar, x.round_ties_even(), any),
        MathOp::Fma => fused(scalar, operands, any),
        MathOp::Sqrt | MathOp::NativeSqrt if scalar == Scalar::F32 => rough(f64::from((x as f32).sqrt())),
        MathOp::Sqrt => encode(scalar, x.sqrt(), any),
        MathOp::NativeRsqrt => rough(1.0 / x.sqrt()),
        MathOp::NativeDivide => rough(x / y),
        other => return Err(format!("{other:?} is not interpreted")),
    })
}

/// `a × b + c`, rounded once.
fn fused(scalar: Scalar, operands: &[u64], any: u64) -> u64 {
    let [x, y, z] = [0, 1, 2].map(|index| value(scalar, operands[index]));
    match scalar {
        Scalar::F64 => encode(scalar, x.mul_add(y, z), any),
        Scalar::F32 => encode(scalar, f64::from((x as f32).mul_add(y as f32, z as f32)), any),
        _ => {
            // Halves are multiples of 2^-24, and their products multiples of 2^-48 below 2^33, so sums of
            // those fit into 128-bit integers.
            let product = x * y;
            let sum = product + z;
            if !sum.is_finite() || product == 0.0 || z == 0.0 {
                return encode(scalar, sum, any);
            }
            let units = |number: f64| (number * 2f64.powi(48)) as i128;
            let exact = units(product) + units(z);
            if exact == 0 {
                return encode(scalar, sum, any);
            }
            let exact = Exact { negative: exact < 0, magnitude: exact.unsigned_abs(), exponent: -48 };
            Format::of(scalar).round(exact, RoundingMode::NearestEven)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rounding_agrees_with_the_processor() {
        let (single, double) = (Format::of(Scalar::F32), Format::of(Scalar::F64));
        let mut state = 0x1234_5678_9abc_def1_u64;
        for _ in 0..20_000 {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            // Exponents near those of single precision.
            let bits = state & !(0x7ff << 52) | ((1023 - 160 + (state >> 5) % 300) << 52);
            let number = f64::from_bits(bits);
            let found = single.convert(double, bits, RoundingMode::NearestEven, 0);
            assert_eq!(found, u64::from((number as f32).to_bits()), "{number:e}");
            let integer = Exact { negative: false, magnitude: u128::from(state), exponent: 0 };
            let found = single.round(integer, RoundingMode::NearestEven);
            assert_eq!(found, u64::from((state as f32).to_bits()), "{state}");
        }
    }

    #[test]
    fn directions_enclose_a_number() {
        let half = Format::of(Scalar::F16);
        let third = Exact { negative: false, magnitude: 0x5555_5555, exponent: -32 };
        assert_eq!(half.round(third, RoundingMode::TowardZero), 0x3555);
        assert_eq!(half.round(third, RoundingMode::TowardPositive), 0x3556);
        let large = Exact { negative: true, magnitude: 70_000, exponent: 0 };
        assert_eq!(half.round(large, RoundingMode::TowardZero), 0xfbff);
        assert_eq!(half.round(large, RoundingMode::NearestEven), 0xfc00);
        let tiny = Exact { negative: false, magnitude: 1, exponent: -200 };
        assert_eq!(half.round(tiny, RoundingMode::TowardPositive), 1);
        assert_eq!(half.round(tiny, RoundingMode::NearestEven), 0);
    }
}
