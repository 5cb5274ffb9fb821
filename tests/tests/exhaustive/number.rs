//! The scalar types of OpenCL C, their values as exact numbers, and rounding, all in integers, without the
//! processor's conversions.

use clvk_interface::{Feature, FeatureSet, ScalarType};

/// A scalar type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Kind {
    /// Its name in OpenCL C.
    pub name: &'static str,
    /// Its size.
    pub bits: u32,
    /// The meaning of its bits.
    pub class: Class,
    /// Its type in buffers.
    pub scalar: ScalarType,
}

/// The meaning of a type's bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Class {
    Unsigned,
    Signed,
    Float(Format),
}

/// A binary floating-point format.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Format {
    /// Number of significant bits, including the hidden one.
    pub digits: u32,
    /// The exponent of the smallest number.
    pub least_unit: i32,
}

/// Every scalar type of arithmetic.
pub const KINDS: [Kind; 11] = {
    use Class::{Float, Signed, Unsigned};
    const fn kind(name: &'static str, bits: u32, class: Class, scalar: ScalarType) -> Kind {
        Kind { name, bits, class, scalar }
    }
    [
        kind("char", 8, Signed, ScalarType::I8),
        kind("uchar", 8, Unsigned, ScalarType::U8),
        kind("short", 16, Signed, ScalarType::I16),
        kind("ushort", 16, Unsigned, ScalarType::U16),
        kind("int", 32, Signed, ScalarType::I32),
        kind("uint", 32, Unsigned, ScalarType::U32),
        kind("long", 64, Signed, ScalarType::I64),
        kind("ulong", 64, Unsigned, ScalarType::U64),
        kind("half", 16, Float(Format { digits: 11, least_unit: -24 }), ScalarType::F16),
        kind("float", 32, Float(Format { digits: 24, least_unit: -149 }), ScalarType::F32),
        kind("double", 64, Float(Format { digits: 53, least_unit: -1074 }), ScalarType::F64),
    ]
};

/// The types that a device with these features offers.
pub fn offered(features: &FeatureSet) -> Vec<Kind> {
    KINDS
        .into_iter()
        .filter(|kind| match kind.name {
            "half" => features.contains(Feature::Fp16),
            "double" => features.contains(Feature::Fp64),
            _ => true,
        })
        .collect()
}

/// The pragmas that a program with these types needs.
pub fn pragmas(kinds: &[Kind]) -> String {
    let pragma = |name: &str, extension: &str| {
        let used = kinds.iter().any(|kind| kind.name == name);
        if used { format!("#pragma OPENCL EXTENSION {extension} : enable\n") } else { String::new() }
    };
    pragma("half", "cl_khr_fp16") + &pragma("double", "cl_khr_fp64")
}

/// A direction of rounding.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    Nearest,
    Zero,
    Up,
    Down,
}

impl Mode {
    /// All directions, with their suffixes.
    pub const SUFFIXES: [(&'static str, Mode); 4] =
        [("_rte", Mode::Nearest), ("_rtz", Mode::Zero), ("_rtp", Mode::Up), ("_rtn", Mode::Down)];
}

/// A number of any type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Number {
    /// ± `significand` · 2^`exponent`.
    Finite {
        negative: bool,
        significand: u64,
        exponent: i32,
    },
    Infinite {
        negative: bool,
    },
    Nan,
}

impl Format {
    /// The exponent of the unit in the last place of the largest numbers: exponents are symmetric about 0.
    fn greatest_unit(self) -> i32 {
        let greatest_exponent = 2 - self.least_unit - self.digits as i32;
        greatest_exponent - self.digits as i32 + 1
    }

    fn sign_bit(self, negative: bool) -> u64 {
        let exponent_bits = (self.greatest_unit() - self.least_unit + 2).ilog2() + 1;
        u64::from(negative) << (self.digits - 1 + exponent_bits)
    }

    /// The bits of infinity without its sign.
    fn infinity(self) -> u64 {
        ((self.greatest_unit() - self.least_unit + 2) as u64) << (self.digits - 1)
    }

    fn number(self, bits: u64) -> Number {
        let negative = bits & self.sign_bit(true) != 0;
        let magnitude = bits & !self.sign_bit(true);
        let hidden = 1u64 << (self.digits - 1);
        match (magnitude / hidden, magnitude % hidden) {
            _ if magnitude == self.infinity() => Number::Infinite { negative },
            _ if magnitude > self.infinity() => Number::Nan,
            (0, significand) => Number::Finite { negative, significand, exponent: self.least_unit },
            (exponent, significand) => Number::Finite {
                negative,
                significand: significand | hidden,
                exponent: self.least_unit + exponent as i32 - 1,
            },
        }
    }

    /// The bits of a number rounded to the format (IEEE 754, without flushing).
    fn round(self, number: Number, mode: Mode) -> u64 {
        let (negative, significand, exponent) = match number {
            Number::Nan => return self.infinity() | 1,
            Number::Infinite { negative } => return self.sign_bit(negative) | self.infinity(),
            Number::Finite { negative, significand, exponent } => (negative, significand, exponent),
        };
        let sign = self.sign_bit(negative);
        if significand == 0 {
            return sign;
        }
        let top = exponent + significand.ilog2() as i32 + 1;
        let mut unit = (top - self.digits as i32).max(self.least_unit);
        let mut count = round_to(significand, exponent, unit, negative, mode) as u64;
        if count == 1 << self.digits {
            count >>= 1;
            unit += 1;
        }
        if unit > self.greatest_unit() {
            let away = match mode {
                Mode::Nearest => true,
                Mode::Zero => false,
                Mode::Up => !negative,
                Mode::Down => negative,
            };
            return sign | (self.infinity() - u64::from(!away));
        }
        // The hidden bit, where set, adds one to the exponent field.
        sign | ((((unit - self.least_unit) as u64) << (self.digits - 1)) + count)
    }
}

/// A magnitude as a multiple of 2^`unit`, rounded; at most 2^100, which represents anything beyond all types.
fn round_to(significand: u64, exponent: i32, unit: i32, negative: bool, mode: Mode) -> u128 {
    const MANY: u128 = 1 << 100;
    if significand == 0 {
        return 0;
    }
    let shift = unit - exponent;
    let many = significand.ilog2() as i32 - shift >= 100;
    let significand = u128::from(significand);
    if many || shift <= 0 {
        return if many { MANY } else { significand << -shift };
    }
    // 2^100 is more than twice any significand: only the fact that something remains matters.
    let shift = shift.min(100);
    let (whole, rest, half) = (significand >> shift, significand & ((1 << shift) - 1), 1 << (shift - 1));
    let away = match mode {
        Mode::Nearest => rest > half || rest == half && whole & 1 == 1,
        Mode::Zero => false,
        Mode::Up => rest != 0 && !negative,
        Mode::Down => rest != 0 && negative,
    };
    whole + u128::from(away)
}

impl Kind {
    pub fn size(self) -> usize {
        self.bits as usize / 8
    }

    pub fn is_float(self) -> bool {
        matches!(self.class, Class::Float(_))
    }

    /// All bits of the type's values.
    pub fn mask(self) -> u64 {
        u64::MAX >> (64 - self.bits)
    }

    /// The smallest and largest value of an integer type.
    pub fn range(self) -> (i128, i128) {
        match self.class {
            Class::Signed => (-(1 << (self.bits - 1)), (1 << (self.bits - 1)) - 1),
            _ => (0, i128::from(self.mask())),
        }
    }

    /// The value that an integer type's bits represent.
    pub fn integer(self, bits: u64) -> i128 {
        let value = i128::from(bits & self.mask());
        if value > self.range().1 { value - (1 << self.bits) } else { value }
    }

    /// The number that bits represent.
    pub fn number(self, bits: u64) -> Number {
        match self.class {
            Class::Float(format) => format.number(bits),
            _ => {
                let value = self.integer(bits);
                let significand = value.unsigned_abs() as u64;
                Number::Finite { negative: value < 0, significand, exponent: 0 }
            }
        }
    }

    pub fn is_nan(self, bits: u64) -> bool {
        self.number(bits) == Number::Nan
    }

    /// Whether bits are a subnormal single-precision number. Devices need not support those (OpenCL C §7.2).
    pub fn is_subnormal_float(self, bits: u64) -> bool {
        self.name == "float" && bits & 0x7f80_0000 == 0 && bits & 0x007f_ffff != 0
    }

    /// The bits of a number converted to this type (OpenCL C §6.4.3); `None` where the specification leaves
    /// it open.
    pub fn convert(self, number: Number, mode: Mode, saturating: bool) -> Option<u64> {
        if let Class::Float(format) = self.class {
            return Some(format.round(number, mode));
        }
        let (low, high) = self.range();
        let value = match number {
            Number::Nan => return saturating.then_some(0),
            Number::Infinite { negative } => {
                if negative {
                    i128::MIN
                } else {
                    i128::MAX
                }
            }
            Number::Finite { negative, significand, exponent } => {
                let count = round_to(significand, exponent, 0, negative, mode) as i128;
                if negative { -count } else { count }
            }
        };
        (saturating || (low..=high).contains(&value)).then(|| value.clamp(low, high) as u64 & self.mask())
    }

    /// Reads the value at an index.
    pub fn read(self, bytes: &[u8], index: usize) -> u64 {
        let mut all = [0; 8];
        all[..self.size()].copy_from_slice(&bytes[index * self.size()..][..self.size()]);
        u64::from_le_bytes(all)
    }

    /// Values as bytes.
    pub fn bytes(self, values: impl IntoIterator<Item = u64>) -> Vec<u8> {
        values.into_iter().flat_map(|value| value.to_le_bytes().into_iter().take(self.size())).collect()
    }
}

/// Compares the reference with the processor's conversions, where it has them, and with the crate `half`.
///
/// # Errors
/// The first difference.
pub fn check_reference() -> Result<(), String> {
    let random = clvk_tests::random::Random::new(7);
    let [.., half, float, double] = KINDS;
    let (int, ulong) = (KINDS[4], KINDS[7]);
    let same = |name: &str, input: u64, ours: Option<u64>, theirs: u64| {
        if ours == Some(theirs) {
            Ok(())
        } else {
            Err(format!("{name} of {input:#x}: {ours:x?} and {theirs:x}"))
        }
    };
    for bits in 0..=u16::MAX {
        let value = half::f16::from_bits(bits);
        if !value.is_nan() {
            let number = half.number(u64::from(bits));
            same(
                "half to float",
                bits.into(),
                float.convert(number, Mode::Nearest, false),
                value.to_f32().to_bits().into(),
            )?;
        }
    }
    for index in 0..100_000 {
        let bits = random.bits(index) >> random.below(index, 48);
        let wide = f64::from_bits(bits);
        if !wide.is_nan() {
            let number = double.number(bits);
            same(
                "double to float",
                bits,
                float.convert(number, Mode::Nearest, false),
                (wide as f32).to_bits().into(),
            )?;
            same("double to int", bits, int.convert(number, Mode::Zero, true), (wide as i32 as u32).into())?;
        }
        let narrow = f32::from_bits(bits as u32);
        if !narrow.is_nan() {
            let number = float.number(u64::from(narrow.to_bits()));
            let expected = half::f16::from_f32(narrow).to_bits();
            same(
                "float to half",
                bits & 0xffff_ffff,
                half.convert(number, Mode::Nearest, false),
                expected.into(),
            )?;
            same(
                "float to ulong",
                bits & 0xffff_ffff,
                ulong.convert(number, Mode::Zero, true),
                narrow as u64,
            )?;
        }
        let number = ulong.number(bits);
        same(
            "ulong to float",
            bits,
            float.convert(number, Mode::Nearest, false),
            (bits as f32).to_bits().into(),
        )?;
        same("ulong to double", bits, double.convert(number, Mode::Nearest, false), (bits as f64).to_bits())?;
    }
    Ok(())
}
