//! Literals of scalars and vectors, and their conversion to a type.

use clvk::interface::ScalarType;
use half::f16;

/// A number as written.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Number {
    /// An integer.
    Int(i128),
    /// A floating-point number.
    Float(f64),
}

impl Number {
    /// Reads a literal: decimal or `0x` integer with `u`, `l`, `ul`; decimal float with `f`, `h`; `inf`,
    /// `nan`.
    pub fn parse(text: &str) -> Option<Number> {
        let lower = text.trim().to_ascii_lowercase();
        let (negative, digits) = match lower.strip_prefix(['-', '+']) {
            Some(rest) => (lower.starts_with('-'), rest),
            None => (false, lower.as_str()),
        };
        if let Some(value) = integer(digits) {
            return Some(Number::Int(if negative { -value } else { value }));
        }
        let number = match digits {
            "inf" | "infinity" => f64::INFINITY,
            "nan" => f64::NAN,
            _ if !digits.starts_with(|c: char| c.is_ascii_digit() || c == '.') => return None,
            _ => {
                digits.trim_end_matches(['f', 'h']).parse().ok().filter(|number: &f64| number.is_finite())?
            }
        };
        Some(Number::Float(if negative { -number } else { number }))
    }

    /// The bytes of the number in a type; an error text if the type has no such value.
    pub fn to_bytes(self, ty: ScalarType) -> Result<Vec<u8>, String> {
        let float = self.to_f64();
        let (half, single) = (f16::from_f64(float), float as f32);
        let overflows = match ty {
            ScalarType::F16 => half.is_infinite(),
            ScalarType::F32 => single.is_infinite(),
            _ => false,
        };
        if overflows && float.is_finite() {
            return Err(format!("{self} is too large for it; an infinity is written `inf`"));
        }
        Ok(match ty {
            ScalarType::F16 => half.to_le_bytes().to_vec(),
            ScalarType::F32 => single.to_le_bytes().to_vec(),
            ScalarType::F64 => float.to_le_bytes().to_vec(),
            ScalarType::Opaque => return Err("a structure is passed as `in:FILE`".to_owned()),
            _ => {
                let value = self.whole().ok_or_else(|| format!("{self} is not a whole number"))?;
                let (low, high) = range(ty);
                if value < low || value > high {
                    return Err(format!("{self} does not fit: its values go from {low} to {high}"));
                }
                let size = ty.size().expect("integers have a size") as usize;
                value.to_le_bytes()[..size].to_vec()
            }
        })
    }

    /// Its value, rounded.
    pub fn to_f64(self) -> f64 {
        match self {
            Number::Int(value) => value as f64,
            Number::Float(value) => value,
        }
    }

    fn whole(self) -> Option<i128> {
        match self {
            Number::Int(value) => Some(value),
            Number::Float(value) if value.fract() == 0.0 && value.abs() < 2f64.powi(100) => {
                Some(value as i128)
            }
            Number::Float(_) => None,
        }
    }
}

impl std::fmt::Display for Number {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Number::Int(value) => value.fmt(f),
            // With an exponent where the digits would be mostly zeros.
            Number::Float(value)
                if value.is_finite() && !(1e-5..1e16).contains(&value.abs()) && *value != 0.0 =>
            {
                write!(f, "{value:e}")
            }
            Number::Float(value) => value.fmt(f),
        }
    }
}

fn integer(digits: &str) -> Option<i128> {
    let (digits, radix) = match digits.strip_prefix("0x") {
        Some(hex) => (hex, 16),
        None => (digits, 10),
    };
    let digits = digits.strip_suffix("ul").unwrap_or(digits).trim_end_matches(['u', 'l']);
    // i128::from_str_radix takes a second sign, which is not a literal.
    let plain = digits.starts_with(|c: char| c.is_digit(radix));
    i128::from_str_radix(digits, radix).ok().filter(|_| plain)
}

fn range(ty: ScalarType) -> (i128, i128) {
    let bits = ty.size().unwrap_or(0) * 8;
    match ty {
        ScalarType::I8 | ScalarType::I16 | ScalarType::I32 | ScalarType::I64 => {
            (-(1 << (bits - 1)), (1 << (bits - 1)) - 1)
        }
        _ => (0, (1 << bits) - 1),
    }
}

/// A scalar or vector type as OpenCL C spells it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ElementType {
    /// Scalar.
    pub scalar: ScalarType,
    /// Lanes.
    pub lanes: u32,
}

const NAMES: &[(&str, ScalarType)] = &[
    ("char", ScalarType::I8),
    ("uchar", ScalarType::U8),
    ("short", ScalarType::I16),
    ("ushort", ScalarType::U16),
    ("int", ScalarType::I32),
    ("uint", ScalarType::U32),
    ("long", ScalarType::I64),
    ("ulong", ScalarType::U64),
    ("half", ScalarType::F16),
    ("float", ScalarType::F32),
    ("double", ScalarType::F64),
];

impl ElementType {
    /// Reads the name of a type.
    pub fn parse(text: &str) -> Option<ElementType> {
        let stem = text.trim_end_matches(|c: char| c.is_ascii_digit());
        let lanes = match &text[stem.len()..] {
            "" => 1,
            digits => digits.parse().ok().filter(|lanes| [2, 3, 4, 8, 16].contains(lanes))?,
        };
        let (_, scalar) = NAMES.iter().find(|(name, _)| *name == stem)?;
        Some(ElementType { scalar: *scalar, lanes })
    }

    /// Scalars that an element takes in memory: a vector of 3 takes 4 (OpenCL C §6.3.5).
    pub fn stride(self) -> u32 {
        self.lanes.next_power_of_two()
    }

    /// Size of an element in memory in bytes; `None` for structures.
    pub fn size(self) -> Option<u32> {
        Some(self.scalar.size()? * self.stride())
    }
}

impl std::fmt::Display for ElementType {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let name = NAMES.iter().find(|(_, scalar)| *scalar == self.scalar).map_or("struct", |(name, _)| name);
        match self.lanes {
            1 => write!(f, "{name}"),
            lanes => write!(f, "{name}{lanes}"),
        }
    }
}

/// The elements of a byte array as text, for people.
pub fn elements(bytes: &[u8], ty: ScalarType) -> Vec<String> {
    macro_rules! decode {
        ($type:ty) => {
            bytes
                .chunks_exact(size_of::<$type>())
                .map(|chunk| <$type>::from_le_bytes(chunk.try_into().expect("chunks are exact")).to_string())
                .collect()
        };
    }
    match ty {
        ScalarType::I8 => decode!(i8),
        ScalarType::U8 | ScalarType::Opaque => decode!(u8),
        ScalarType::I16 => decode!(i16),
        ScalarType::U16 => decode!(u16),
        ScalarType::I32 => decode!(i32),
        ScalarType::U32 => decode!(u32),
        ScalarType::I64 => decode!(i64),
        ScalarType::U64 => decode!(u64),
        ScalarType::F16 => decode!(f16),
        ScalarType::F32 => decode!(f32),
        ScalarType::F64 => decode!(f64),
    }
}

/// The elements of a byte array as numbers.
pub fn numbers(bytes: &[u8], ty: ScalarType) -> Vec<Number> {
    macro_rules! decode {
        ($type:ty, $variant:ident, $as:ty) => {
            bytes
                .chunks_exact(size_of::<$type>())
                .map(|chunk| {
                    let value = <$type>::from_le_bytes(chunk.try_into().expect("chunks are exact"));
                    Number::$variant(<$as>::from(value))
                })
                .collect()
        };
    }
    match ty {
        ScalarType::I8 => decode!(i8, Int, i128),
        ScalarType::U8 | ScalarType::Opaque => decode!(u8, Int, i128),
        ScalarType::I16 => decode!(i16, Int, i128),
        ScalarType::U16 => decode!(u16, Int, i128),
        ScalarType::I32 => decode!(i32, Int, i128),
        ScalarType::U32 => decode!(u32, Int, i128),
        ScalarType::I64 => decode!(i64, Int, i128),
        ScalarType::U64 => decode!(u64, Int, i128),
        ScalarType::F16 => decode!(f16, Float, f64),
        ScalarType::F32 => decode!(f32, Float, f64),
        ScalarType::F64 => decode!(f64, Float, f64),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn literals_have_the_forms_of_the_language() {
        assert_eq!(Number::parse("7u"), Some(Number::Int(7)));
        assert_eq!(Number::parse("-0x10ul"), Some(Number::Int(-16)));
        assert_eq!(Number::parse("2.5f"), Some(Number::Float(2.5)));
        assert_eq!(Number::parse("-1e-3"), Some(Number::Float(-0.001)));
        assert_eq!(Number::parse("-inf"), Some(Number::Float(f64::NEG_INFINITY)));
        for wrong in ["", "x", "1e400", "1.5x", "--3", "0x", "f", "1,2"] {
            assert_eq!(Number::parse(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn numbers_are_shown_as_people_write_them() {
        for text in ["1e99", "-1.5e300", "1e-7", "0.001", "65504", "2.5", "0", "1e16", "inf", "-3"] {
            assert_eq!(Number::parse(text).unwrap().to_string(), text);
        }
    }

    #[test]
    fn conversions_that_lose_are_refused() {
        assert_eq!(Number::Float(3.0).to_bytes(ScalarType::U8), Ok(vec![3]));
        assert!(Number::Float(2.5).to_bytes(ScalarType::I32).is_err());
        assert!(Number::Int(-1).to_bytes(ScalarType::U32).is_err());
        assert!(Number::Int(256).to_bytes(ScalarType::U8).is_err());
        assert_eq!(Number::Int(-1).to_bytes(ScalarType::I16), Ok(vec![255, 255]));
        assert_eq!(Number::Int(1).to_bytes(ScalarType::F16), Ok(vec![0, 0x3c]));
        assert!(Number::Int(70_000).to_bytes(ScalarType::F16).is_err());
        assert!(Number::Float(1e39).to_bytes(ScalarType::F32).is_err());
        let infinity = f32::NEG_INFINITY.to_le_bytes().to_vec();
        assert_eq!(Number::Float(f64::NEG_INFINITY).to_bytes(ScalarType::F32), Ok(infinity));
    }

    #[test]
    fn type_names_round_trip() {
        for name in ["float", "uchar4", "double16", "ulong3"] {
            assert_eq!(ElementType::parse(name).unwrap().to_string(), name);
        }
        assert_eq!(ElementType::parse("float3").unwrap().size(), Some(16));
        assert_eq!(ElementType::parse("float5"), None);
        assert_eq!(ElementType::parse("flot"), None);
    }
}
