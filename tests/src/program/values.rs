//! Numbers as the headers of programs write them.

use clvk_interface::ScalarType;

/// The scalar type of an OpenCL C name.
pub fn scalar_type(name: &str) -> Result<ScalarType, String> {
    Ok(match name {
        "char" => ScalarType::I8,
        "uchar" | "bool" => ScalarType::U8,
        "short" => ScalarType::I16,
        "ushort" => ScalarType::U16,
        "int" => ScalarType::I32,
        "uint" => ScalarType::U32,
        "long" => ScalarType::I64,
        "ulong" => ScalarType::U64,
        "half" => ScalarType::F16,
        "float" => ScalarType::F32,
        "double" => ScalarType::F64,
        _ => return Err(format!("`{name}` is not a scalar type")),
    })
}

/// Size of a scalar in bytes.
pub fn size(ty: ScalarType) -> usize {
    ty.size().expect("headers name scalars only") as usize
}

/// Appends the bytes of values; `record` lists the types, in turn.
pub fn append(bytes: &mut Vec<u8>, record: &[ScalarType], text: &str) -> Result<(), String> {
    // With several lines for one buffer, each continues in the record where the previous one ended.
    let mut position = 0;
    let mut at = 0;
    while at < bytes.len() {
        at += size(record[position % record.len()]);
        position += 1;
    }
    for word in text.split_whitespace() {
        let mut push = |value: &str| {
            let result = append_one(bytes, record[position % record.len()], value);
            position += 1;
            result
        };
        if let Some((first, last)) = word.split_once("..") {
            let (first, last) = (integer(first)?, integer(last)?);
            for value in first..last {
                push(&value.to_string())?;
            }
        } else if let Some((count, value)) = word.split_once('*') {
            for _ in 0..integer(count)? {
                push(value)?;
            }
        } else {
            push(word)?;
        }
    }
    Ok(())
}

fn integer(text: &str) -> Result<i128, String> {
    text.parse().map_err(|_| format!("`{text}` is not an integer"))
}

fn append_one(bytes: &mut Vec<u8>, ty: ScalarType, text: &str) -> Result<(), String> {
    let size = size(ty);
    let bits = if let Some(digits) = text.strip_prefix("0x") {
        i128::from_str_radix(digits, 16).map_err(|_| format!("`{text}` is not a bit pattern"))?
    } else {
        match ty {
            ScalarType::F32 => i128::from(float::<f32>(text)?.to_bits()),
            ScalarType::F64 => i128::from(float::<f64>(text)?.to_bits()),
            ScalarType::F16 => return Err(format!("`{text}`: halves are written as bit patterns, `0x3c00`")),
            _ => integer(text)?,
        }
    };
    let width = 8 * size as u32;
    if bits < -(1i128 << (width - 1)) || bits >= 1i128 << width {
        return Err(format!("`{text}` does not fit {width} bits"));
    }
    bytes.extend_from_slice(&bits.to_le_bytes()[..size]);
    Ok(())
}

fn float<T: std::str::FromStr>(text: &str) -> Result<T, String> {
    text.parse().map_err(|_| format!("`{text}` is not a number"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bytes(record: &[ScalarType], text: &str) -> Result<Vec<u8>, String> {
        let mut bytes = Vec::new();
        append(&mut bytes, record, text).map(|()| bytes)
    }

    #[test]
    fn ranges_repetitions_patterns_and_records() {
        assert_eq!(bytes(&[ScalarType::I8], "-1 2..5 3*7 0xfe"), Ok(vec![255, 2, 3, 4, 7, 7, 7, 254]));
        let record = [ScalarType::U8, ScalarType::F32];
        assert_eq!(bytes(&record, "1 0.5 2 0x3f800000"), Ok(vec![1, 0, 0, 0, 63, 2, 0, 0, 128, 63]));
        let mut two_lines = vec![9];
        append(&mut two_lines, &record, "0.5").unwrap();
        assert_eq!(two_lines, [9, 0, 0, 0, 63]);
    }

    #[test]
    fn what_does_not_fit_is_an_error() {
        for (ty, text) in [
            (ScalarType::U8, "256"),
            (ScalarType::I8, "-129"),
            (ScalarType::I32, "1.5"),
            (ScalarType::F16, "1"),
        ] {
            assert!(bytes(&[ty], text).is_err(), "{text}");
        }
    }
}
