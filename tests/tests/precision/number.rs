//! The floating-point formats, and errors in units of their last place.

use clvk_frontend::testing::ScalarKind;
use rug::Float;
use rug::float::Round;

/// A floating-point type of OpenCL C. Values of all types are held as `f64`, which represents them exactly.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Format {
    Half,
    Single,
    Double,
}

impl Format {
    pub fn of(kind: ScalarKind) -> Option<Format> {
        match kind {
            ScalarKind::Half => Some(Format::Half),
            ScalarKind::Float => Some(Format::Single),
            ScalarKind::Double => Some(Format::Double),
            _ => None,
        }
    }

    /// Its name in OpenCL C.
    pub fn name(self) -> &'static str {
        match self {
            Format::Half => "half",
            Format::Single => "float",
            Format::Double => "double",
        }
    }

    /// Size of a value in bytes.
    pub fn size(self) -> usize {
        match self {
            Format::Half => 2,
            Format::Single => 4,
            Format::Double => 8,
        }
    }

    /// Number of significant bits, including the hidden one.
    pub fn digits(self) -> i32 {
        match self {
            Format::Half => 11,
            Format::Single => 24,
            Format::Double => 53,
        }
    }

    /// The exponent of the unit in the last place of subnormal numbers.
    fn least_unit(self) -> i32 {
        match self {
            Format::Half => -24,
            Format::Single => -149,
            Format::Double => -1074,
        }
    }

    /// The exponent of the unit in the last place of the largest numbers.
    fn largest_unit(self) -> i32 {
        match self {
            Format::Half => 5,
            Format::Single => 104,
            Format::Double => 971,
        }
    }

    /// The smallest normal number.
    pub fn least_normal(self) -> f64 {
        power_of_two(self.least_unit() + self.digits() - 1)
    }

    /// The largest finite number.
    pub fn largest(self) -> f64 {
        match self {
            Format::Half => 65504.0,
            Format::Single => f64::from(f32::MAX),
            Format::Double => f64::MAX,
        }
    }

    /// The distance from 1 to the next larger number.
    pub fn epsilon(self) -> f64 {
        power_of_two(1 - self.digits())
    }

    /// The precision of the reference in bits: far more than are compared.
    pub fn reference_bits(self) -> u32 {
        match self {
            Format::Half => 64,
            Format::Single => 128,
            Format::Double => 192,
        }
    }

    pub fn is_subnormal(self, value: f64) -> bool {
        value != 0.0 && value.abs() < self.least_normal()
    }

    /// The value of these bits.
    pub fn value(self, bits: u64) -> f64 {
        match self {
            Format::Half => f64::from(half::f16::from_bits(bits as u16)),
            Format::Single => f64::from(f32::from_bits(bits as u32)),
            Format::Double => f64::from_bits(bits),
        }
    }

    /// The bits of a value, which the format can represent.
    pub fn bits(self, value: f64) -> u64 {
        match self {
            Format::Half => u64::from(half::f16::from_f64(value).to_bits()),
            Format::Single => u64::from((value as f32).to_bits()),
            Format::Double => value.to_bits(),
        }
    }

    /// The value at `bytes`.
    pub fn read(self, bytes: &[u8]) -> f64 {
        let mut all = [0; 8];
        all[..self.size()].copy_from_slice(&bytes[..self.size()]);
        self.value(u64::from_le_bytes(all))
    }

    /// Appends a value.
    pub fn write(self, value: f64, bytes: &mut Vec<u8>) {
        bytes.extend_from_slice(&self.bits(value).to_le_bytes()[..self.size()]);
    }

    /// The next number in the direction of positive or negative infinity.
    pub fn neighbour(self, value: f64, up: bool) -> f64 {
        if value == 0.0 {
            let least = power_of_two(self.least_unit());
            return if up { least } else { -least };
        }
        let bits = self.bits(value);
        let away = (value > 0.0) == up;
        self.value(if away { bits + 1 } else { bits - 1 })
    }

    /// The exponent of the unit in the last place of a finite number that is not zero (OpenCL C §7.4).
    fn unit(self, exact: &Float) -> i32 {
        let exponent = exact.get_exp().expect("a finite number that is not zero");
        (exponent - self.digits()).clamp(self.least_unit(), self.largest_unit())
    }

    /// The nearest number; of two equally near ones the even one.
    pub fn round(self, exact: &Float) -> f64 {
        if exact.is_nan() || exact.is_infinite() || exact.is_zero() {
            return exact.to_f64();
        }
        let exponent = exact.get_exp().expect("a finite number that is not zero");
        let unit = (exponent - self.digits()).max(self.least_unit());
        let mut count = Float::with_val(exact.prec().max(64), exact);
        count >>= unit;
        count.round_even_mut();
        if count.is_zero() {
            return 0.0f64.copysign(exact.to_f64_round(Round::AwayZero));
        }
        count <<= unit;
        if count.clone().abs() > self.largest() {
            return f64::INFINITY.copysign(count.to_f64());
        }
        count.to_f64()
    }

    /// The error of `result` in units in the last place of the exact value. Both are finite, or the exact
    /// value is too large for the format. An infinite result counts as the number that would follow the
    /// largest one.
    pub fn error(self, result: f64, exact: &Float) -> f64 {
        let bits = exact.prec() + 64;
        let unit = if exact.is_zero() { self.least_unit() } else { self.unit(exact) };
        let mut difference = Float::with_val(bits, result);
        if result.is_infinite() {
            difference.assign_next_after(self);
            if result < 0.0 {
                difference = -difference;
            }
            // Beyond it, infinity is the nearest.
            if exact.clone().abs() >= difference.clone().abs() && exact.is_sign_negative() == (result < 0.0) {
                return 0.0;
            }
        }
        difference -= exact;
        difference >>= unit;
        difference.abs_mut();
        difference.to_f64_round(Round::Up)
    }
}

trait AssignNext {
    fn assign_next_after(&mut self, format: Format);
}

impl AssignNext for Float {
    /// The number that would follow the largest finite one.
    fn assign_next_after(&mut self, format: Format) {
        let prec = self.prec();
        *self = Float::with_val(prec, 1);
        *self <<= format.largest_unit() + format.digits();
    }
}

/// 2^exponent, which is exact even where it is subnormal.
pub fn power_of_two(exponent: i32) -> f64 {
    if exponent >= -1022 {
        f64::from_bits(((exponent + 1023) as u64) << 52)
    } else {
        f64::from_bits(1 << (exponent + 1074))
    }
}
