//! Conversion of one lane's constant to text and back.

use crate::Scalar;
use half::f16;

/// The text of a lane's bits, without its type.
pub(super) fn lane_to_string(scalar: Scalar, bits: u64) -> String {
    let hex = || format!("0x{bits:x}");
    if bits & !scalar.mask() != 0 {
        return hex();
    }
    let float = match scalar {
        Scalar::Bool => return if bits == 1 { "true" } else { "false" }.into(),
        Scalar::I8 | Scalar::I16 | Scalar::I32 | Scalar::I64 => {
            return scalar.sign_extend(bits).to_string();
        }
        Scalar::F16 => {
            let value = f16::from_bits(bits as u16).to_f32();
            value.is_finite().then(|| format!("{value:?}"))
        }
        Scalar::F32 => {
            let value = f32::from_bits(bits as u32);
            value.is_finite().then(|| format!("{value:?}"))
        }
        Scalar::F64 => {
            let value = f64::from_bits(bits);
            value.is_finite().then(|| format!("{value:?}"))
        }
    };
    float.unwrap_or_else(hex)
}

/// The bits of a lane of type `scalar`, from a number token.
pub(super) fn lane_from_str(scalar: Scalar, text: &str) -> Result<u64, String> {
    if let Some(digits) = text.strip_prefix("0x") {
        let bits = u64::from_str_radix(digits, 16)
            .map_err(|error| format!("`{text}` is not a bit pattern: {error}"))?;
        if bits & !scalar.mask() != 0 {
            return Err(format!("`{text}` has more than {} bits", scalar.bits()));
        }
        return Ok(bits);
    }
    match scalar {
        Scalar::Bool => Err("truth values are written `true` and `false`".into()),
        Scalar::I8 | Scalar::I16 | Scalar::I32 | Scalar::I64 => {
            let value: i128 = text.parse().map_err(|_| format!("`{text}` is not an integer"))?;
            let modulus = 1_i128 << scalar.bits();
            if value < -modulus / 2 || value >= modulus {
                return Err(format!("`{text}` does not fit into {} bits", scalar.bits()));
            }
            Ok(value as u64 & scalar.mask())
        }
        Scalar::F16 => Ok(u64::from(f16::from_f64(parse_float(text)?).to_bits())),
        Scalar::F32 => {
            text.parse::<f32>().map(|value| u64::from(value.to_bits())).map_err(|_| no_float(text))
        }
        Scalar::F64 => Ok(parse_float(text)?.to_bits()),
    }
}

fn parse_float(text: &str) -> Result<f64, String> {
    text.parse().map_err(|_| no_float(text))
}

fn no_float(text: &str) -> String {
    format!("`{text}` is not a floating-point number")
}
