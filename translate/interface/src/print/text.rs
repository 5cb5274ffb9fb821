//! Numbers and strings as the conversions of `printf` write them (C99 §7.19.6.1).

use super::spec::{Conversion, Length};

/// A lane of an argument.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Value {
    /// A 32-bit integer, or a 64-bit one if `wide`.
    Int {
        /// The bits.
        bits: u64,
        /// Whether there are 64.
        wide: bool,
    },
    /// A floating-point number, as double precision, which holds every type's values exactly.
    Float(f64),
}

/// Appends a value. If the conversion wants another kind of argument, which the language leaves undefined,
/// the value is converted.
pub fn value(conversion: &Conversion, value: Value, out: &mut Vec<u8>) {
    match (conversion.letter, value) {
        (b'c', Value::Int { bits, .. }) => padded(conversion, &[bits as u8], out),
        (b'p', Value::Int { bits, .. }) => padded(conversion, format!("{bits:#x}").as_bytes(), out),
        (b's', _) => {}
        (_, Value::Int { bits, wide }) if conversion.is_float() => {
            let number = if wide { bits as i64 as f64 } else { f64::from(bits as u32 as i32) };
            float(conversion, number, out);
        }
        (_, Value::Int { bits, wide }) => integer(conversion, bits, wide, out),
        (_, Value::Float(number)) if conversion.is_float() => float(conversion, number, out),
        (_, Value::Float(number)) => integer(conversion, number as i64 as u64, true, out),
    }
}

/// Appends a string.
pub fn string(conversion: &Conversion, bytes: &[u8], out: &mut Vec<u8>) {
    let length = conversion.precision.map_or(bytes.len(), |precision| bytes.len().min(precision as usize));
    padded(conversion, &bytes[..length], out);
}

/// Appends text padded to the field width with spaces, never with zeros.
fn padded(conversion: &Conversion, text: &[u8], out: &mut Vec<u8>) {
    let blanks = (conversion.width.unwrap_or(0) as usize).saturating_sub(text.len());
    let before = if conversion.left { 0 } else { blanks };
    out.extend(std::iter::repeat_n(b' ', before));
    out.extend_from_slice(text);
    out.extend(std::iter::repeat_n(b' ', blanks - before));
}

/// Appends a number: its sign or base prefix, then its digits, with zeros between them if the field is padded
/// with zeros.
fn number(conversion: &Conversion, prefix: &str, digits: &str, zeros: bool, out: &mut Vec<u8>) {
    let mut text = prefix.to_owned();
    if zeros && conversion.zeros && !conversion.left {
        let length = prefix.len() + digits.len();
        let missing = (conversion.width.unwrap_or(0) as usize).saturating_sub(length);
        text.extend(std::iter::repeat_n('0', missing));
    }
    text.push_str(digits);
    padded(conversion, text.as_bytes(), out);
}

fn sign(conversion: &Conversion, negative: bool) -> &'static str {
    match (negative, conversion.plus, conversion.space) {
        (true, ..) => "-",
        (false, true, _) => "+",
        (false, false, true) => " ",
        _ => "",
    }
}

fn integer(conversion: &Conversion, bits: u64, wide: bool, out: &mut Vec<u8>) {
    let signed = matches!(conversion.letter, b'd' | b'i');
    let extended = match (wide, signed) {
        (true, _) => bits,
        (false, true) => i64::from(bits as u32 as i32) as u64,
        (false, false) => bits & 0xffff_ffff,
    };
    let width = match conversion.length {
        Length::Char => 8,
        Length::Short => 16,
        Length::Int => 32,
        // A vector without a length modifier, which the language leaves undefined, is taken with the width of
        // its lanes.
        Length::None if wide && conversion.lanes.is_some() => 64,
        Length::None => 32,
        Length::Long | Length::Size | Length::Difference => 64,
    };
    let shift = 64 - width;
    let (negative, magnitude) = if signed {
        let number = ((extended << shift) as i64) >> shift;
        (number < 0, number.unsigned_abs())
    } else {
        (false, extended << shift >> shift)
    };
    let mut digits = match conversion.letter {
        b'o' => format!("{magnitude:o}"),
        b'x' => format!("{magnitude:x}"),
        b'X' => format!("{magnitude:X}"),
        _ => magnitude.to_string(),
    };
    let least = conversion.precision.unwrap_or(1) as usize;
    if magnitude == 0 {
        digits.clear();
    }
    if digits.len() < least {
        digits.insert_str(0, &"0".repeat(least - digits.len()));
    }
    let prefix = match conversion.letter {
        b'o' if conversion.alternative && !digits.starts_with('0') => "0",
        b'x' if conversion.alternative && magnitude != 0 => "0x",
        b'X' if conversion.alternative && magnitude != 0 => "0X",
        _ if signed => sign(conversion, negative),
        _ => "",
    };
    number(conversion, prefix, &digits, conversion.precision.is_none(), out);
}

fn float(conversion: &Conversion, value: f64, out: &mut Vec<u8>) {
    let upper = conversion.letter.is_ascii_uppercase();
    let prefix = sign(conversion, value.is_sign_negative());
    let magnitude = value.abs();
    if !value.is_finite() {
        let text = if value.is_nan() { "nan" } else { "inf" };
        let text = if upper { text.to_ascii_uppercase() } else { text.to_owned() };
        return number(conversion, prefix, &text, false, out);
    }
    let digits = match conversion.letter.to_ascii_lowercase() {
        b'f' => fixed(magnitude, conversion.precision.unwrap_or(6), conversion.alternative),
        b'e' => scientific(magnitude, conversion.precision.unwrap_or(6), conversion.alternative),
        b'g' => general(magnitude, conversion.precision.unwrap_or(6).max(1), conversion.alternative),
        _ => {
            let digits = hexadecimal(magnitude, conversion.precision, conversion.alternative);
            let prefix = format!("{prefix}0x");
            let (prefix, digits) = if upper {
                (prefix.to_ascii_uppercase(), digits.to_ascii_uppercase())
            } else {
                (prefix, digits)
            };
            return number(conversion, &prefix, &digits, true, out);
        }
    };
    let digits = if upper { digits.to_ascii_uppercase() } else { digits };
    number(conversion, prefix, &digits, true, out);
}

fn fixed(value: f64, precision: u32, point: bool) -> String {
    let mut text = format!("{value:.*}", precision as usize);
    if point && precision == 0 {
        text.push('.');
    }
    text
}

/// The digits of a number, and its decimal exponent.
fn decimal(value: f64, precision: u32) -> (String, i32) {
    let text = format!("{value:.*e}", precision as usize);
    let (digits, exponent) = text.split_once('e').expect("this form of a number has an exponent");
    (digits.to_owned(), exponent.parse().expect("an exponent is an integer"))
}

fn scientific(value: f64, precision: u32, point: bool) -> String {
    let (mut digits, exponent) = decimal(value, precision);
    if point && precision == 0 {
        digits.push('.');
    }
    format!("{digits}e{}", exponent_text(exponent))
}

fn exponent_text(exponent: i32) -> String {
    format!("{}{:02}", if exponent < 0 { '-' } else { '+' }, exponent.unsigned_abs())
}

fn general(value: f64, precision: u32, alternative: bool) -> String {
    let (_, exponent) = decimal(value, precision - 1);
    let digits = i64::from(precision);
    let is_fixed = (-4..digits).contains(&i64::from(exponent));
    let text = if is_fixed {
        // The precision is not negative, and is below the largest precision plus 5.
        fixed(value, (digits - 1 - i64::from(exponent)) as u32, alternative)
    } else {
        scientific(value, precision - 1, alternative)
    };
    if alternative {
        return text;
    }
    let (number, rest) = text.split_at(text.find('e').unwrap_or(text.len()));
    let number =
        if number.contains('.') { number.trim_end_matches('0').trim_end_matches('.') } else { number };
    format!("{number}{rest}")
}

/// The text after `0x`.
fn hexadecimal(value: f64, precision: Option<u32>, point: bool) -> String {
    const DIGITS: u32 = 13;
    let bits = value.to_bits();
    let biased = (bits >> 52) as i32;
    // One digit before the point, 13 after it.
    let mut significand = bits & ((1 << 52) - 1) | u64::from(biased > 0) << 52;
    let exponent = match (biased, significand) {
        (0, 0) => 0,
        (0, _) => -1022,
        _ => biased - 1023,
    };
    let kept = precision.unwrap_or(DIGITS).min(DIGITS);
    let dropped = 4 * (DIGITS - kept);
    if dropped > 0 {
        let half = 1u64 << (dropped - 1);
        let is_odd = significand >> dropped & 1;
        significand = (significand + half - 1 + is_odd) >> dropped << dropped;
    }
    let fraction = significand & ((1 << 52) - 1);
    let mut digits = format!("{fraction:013x}");
    digits.truncate(kept as usize);
    match precision {
        None => digits.truncate(digits.trim_end_matches('0').len()),
        Some(precision) => {
            let missing = (precision as usize).saturating_sub(digits.len());
            digits.extend(std::iter::repeat_n('0', missing));
        }
    }
    let separator = if point || !digits.is_empty() { "." } else { "" };
    let exponent_sign = if exponent < 0 { '-' } else { '+' };
    format!("{:x}{separator}{digits}p{exponent_sign}{}", significand >> 52, exponent.unsigned_abs())
}
