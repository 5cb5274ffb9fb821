//! Values of literals (C99 §6.4.4 and §6.4.5, OpenCL C §6.1 and cl_khr_fp16): numbers, characters, strings.
//!
//! Floating-point literals are rounded correctly, and only once, to the requested precision.

use crate::token::{FloatSuffix, IntSuffix};
use half::f16;

/// A number as written.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Number<'a> {
    Int(u64, IntSuffix),
    /// The spelling without the suffix.
    Float(&'a str, FloatSuffix),
}

/// Reads a pp-number.
///
/// # Errors
/// Says what is wrong with it.
pub(super) fn number(text: &str) -> Result<Number<'_>, String> {
    let is_hex = matches!(text.as_bytes(), [b'0', b'x' | b'X', ..]);
    let exponent: &[char] = if is_hex { &['p', 'P'] } else { &['e', 'E'] };
    let is_binary = matches!(text.as_bytes(), [b'0', b'b' | b'B', ..]);
    if !is_binary && (text.contains('.') || text.contains(exponent)) {
        float(text, is_hex)
    } else {
        integer(text)
    }
}

/// A number of C++: without its digit separators, and without a suffix that the program defines ([lex.ext]).
pub(super) fn cxx_number(text: &str) -> (std::borrow::Cow<'_, str>, Option<&str>) {
    // Such a suffix begins with `_`, which no number contains.
    let (number, suffix) = match text.find('_') {
        Some(at) if at > 0 => (&text[..at], Some(&text[at..])),
        _ => (text, None),
    };
    match number.contains('\'') && separates(number) {
        true => (number.replace('\'', "").into(), suffix),
        false => (number.into(), suffix),
    }
}

/// Whether each separator is between two digits; the `x` and `b` of a prefix are not digits.
fn separates(number: &str) -> bool {
    let bytes = number.as_bytes();
    let is_prefix = |at: usize| at == 1 && bytes[0] == b'0' && matches!(bytes[1], b'x' | b'X' | b'b' | b'B');
    let is_digit = |at: usize| bytes.get(at).is_some_and(u8::is_ascii_hexdigit) && !is_prefix(at);
    let mut separators = (0..bytes.len()).filter(|&at| bytes[at] == b'\'');
    separators.all(|at| at > 0 && is_digit(at - 1) && is_digit(at + 1))
}

fn integer(text: &str) -> Result<Number<'_>, String> {
    let (radix, digits) = match text.as_bytes() {
        [b'0', b'x' | b'X', ..] => (16, &text[2..]),
        [b'0', b'b' | b'B', ..] => (2, &text[2..]),
        [b'0', _, ..] => (8, &text[1..]),
        _ => (10, text),
    };
    // The suffix starts at the first character that cannot be part of a number in this notation.
    let is_digit = |c: char| if radix == 16 { c.is_ascii_hexdigit() } else { c.is_ascii_digit() };
    let (digits, suffix) = digits.split_at(digits.find(|c| !is_digit(c)).unwrap_or(digits.len()));
    let (unsigned, long) = match suffix {
        "" => (false, false),
        "u" | "U" => (true, false),
        "l" | "L" => (false, true),
        "ul" | "uL" | "Ul" | "UL" | "lu" | "lU" | "Lu" | "LU" => (true, true),
        // The suffixes of `long long`, which has 64 bits here (`parse::specifiers`).
        "ll" | "LL" => (false, true),
        "ull" | "uLL" | "Ull" | "ULL" | "llu" | "llU" | "LLu" | "LLU" => (true, true),
        _ => return Err(bad_integer_suffix(suffix, radix)),
    };
    if digits.is_empty() && radix != 8 {
        return Err("there are no digits after the prefix of this integer literal".to_owned());
    }
    let mut value: u64 = 0;
    for digit in digits.chars() {
        let Some(digit) = digit.to_digit(radix) else {
            let notation = if radix == 8 { "octal" } else { "binary" };
            return Err(format!("invalid digit '{digit}' in {notation} literal"));
        };
        value = value
            .checked_mul(u64::from(radix))
            .and_then(|value| value.checked_add(u64::from(digit)))
            .ok_or("integer literal is too large to be represented in any integer type")?;
    }
    Ok(Number::Int(value, IntSuffix { unsigned, long, decimal: radix == 10 }))
}

fn bad_integer_suffix(suffix: &str, radix: u32) -> String {
    if suffix.eq_ignore_ascii_case("f") && radix == 10 {
        return format!("a literal with the suffix '{suffix}' needs a '.' or an exponent");
    }
    format!("invalid suffix '{}' on integer literal", crate::diagnostic::shorten(suffix))
}

fn float(text: &str, is_hex: bool) -> Result<Number<'_>, String> {
    let bytes = text.as_bytes();
    let digits = |mut at: usize, hex: bool| {
        let start = at;
        while bytes.get(at).is_some_and(|b| if hex { b.is_ascii_hexdigit() } else { b.is_ascii_digit() }) {
            at += 1;
        }
        (at, at - start)
    };
    let (mut at, mut count) = digits(if is_hex { 2 } else { 0 }, is_hex);
    if bytes.get(at) == Some(&b'.') {
        let (end, fraction) = digits(at + 1, is_hex);
        (at, count) = (end, count + fraction);
    }
    if count == 0 {
        return Err("floating-point literal has no digits".to_owned());
    }
    let marker = if is_hex { b'p' } else { b'e' };
    if bytes.get(at).is_some_and(|byte| byte.to_ascii_lowercase() == marker) {
        let sign = usize::from(matches!(bytes.get(at + 1), Some(b'+' | b'-')));
        let (end, exponent) = digits(at + 1 + sign, false);
        if exponent == 0 {
            return Err("exponent of floating-point literal has no digits".to_owned());
        }
        at = end;
    } else if is_hex {
        return Err("hexadecimal floating-point literal needs an exponent, as in 0x1.8p0".to_owned());
    }
    let suffix = match &text[at..] {
        "" => FloatSuffix::None,
        "f" | "F" => FloatSuffix::Float,
        "h" | "H" => FloatSuffix::Half,
        suffix => {
            let suffix = crate::diagnostic::shorten(suffix);
            return Err(format!("invalid suffix '{suffix}' on floating-point literal"));
        }
    };
    Ok(Number::Float(&text[..at], suffix))
}

/// The value of a floating-point literal without its suffix, as a `double`; infinity if it is too large. It
/// also accepts `inf` and `nan`, the spellings of the language's macros.
#[must_use]
pub fn float64(text: &str) -> f64 {
    match hexadecimal(text) {
        Some(value) => value.round(53, -1022, 1023),
        None => text.parse().expect("the lexer checked the literal"),
    }
}

/// Like [`float64`], rounded once to single precision.
#[must_use]
pub fn float32(text: &str) -> f32 {
    match hexadecimal(text) {
        // Exact, because it is already rounded.
        Some(value) => value.round(24, -126, 127) as f32,
        None => text.parse().expect("the lexer checked the literal"),
    }
}

/// Like [`float64`], rounded to half precision: hexadecimal literals once, decimal ones by way of `double`,
/// which differs only for decimal fractions within 2⁻⁵³ of the midpoint between two halves.
#[must_use]
pub fn float16(text: &str) -> f16 {
    f16::from_f64(match hexadecimal(text) {
        Some(value) => value.round(11, -14, 15),
        None => float64(text),
    })
}

/// `significand × 2^exponent`, and whether it is a little more than that.
struct Hexadecimal {
    significand: u64,
    exponent: i64,
    sticky: bool,
}

fn hexadecimal(text: &str) -> Option<Hexadecimal> {
    let digits = text.strip_prefix("0x").or_else(|| text.strip_prefix("0X"))?;
    let (digits, exponent) = digits.split_once(['p', 'P'])?;
    let mut value = Hexadecimal { significand: 0, exponent: 0, sticky: false };
    let mut in_fraction = false;
    for digit in digits.chars() {
        let Some(digit) = digit.to_digit(16) else {
            in_fraction = true;
            continue;
        };
        if value.significand < 1 << 59 {
            value.significand = value.significand << 4 | u64::from(digit);
            value.exponent -= if in_fraction { 4 } else { 0 };
        } else {
            value.sticky |= digit != 0;
            value.exponent += if in_fraction { 0 } else { 4 };
        }
    }
    let (negative, magnitude) = match exponent.strip_prefix('-') {
        Some(magnitude) => (true, magnitude),
        None => (false, exponent.strip_prefix('+').unwrap_or(exponent)),
    };
    // An exponent beyond this is effectively infinite: no literal has that many digits.
    let magnitude = magnitude.parse().unwrap_or(i64::MAX / 4).min(i64::MAX / 4);
    value.exponent += if negative { -magnitude } else { magnitude };
    Some(value)
}

impl Hexadecimal {
    /// Rounds to nearest even with this many bits of precision and these exponents of the smallest and
    /// largest normal number.
    fn round(&self, precision: i64, min_exponent: i64, max_exponent: i64) -> f64 {
        if self.significand == 0 {
            return 0.0;
        }
        let bits = 64 - i64::from(self.significand.leading_zeros());
        let magnitude = self.exponent + bits - 1;
        let kept = if magnitude < min_exponent { precision - (min_exponent - magnitude) } else { precision };
        if kept < 0 {
            return 0.0;
        }
        let drop = bits - kept;
        let (significand, exponent) = if drop <= 0 {
            (self.significand, self.exponent)
        } else {
            let wide = u128::from(self.significand);
            let (quotient, rest, half) = (wide >> drop, wide & ((1 << drop) - 1), 1_u128 << (drop - 1));
            let up = rest > half || rest == half && (self.sticky || quotient & 1 == 1);
            ((quotient + u128::from(up)) as u64, self.exponent + drop)
        };
        let magnitude = exponent + 63 - i64::from(significand.leading_zeros());
        if significand != 0 && magnitude > max_exponent {
            return f64::INFINITY;
        }
        // The significand has at most 53 bits, so it is exact. There are two factors, because a single one
        // might be subnormal.
        let half = exponent.clamp(-1200, 1200) / 2;
        significand as f64 * power_of_two(half) * power_of_two(exponent.clamp(-1200, 1200) - half)
    }
}

fn power_of_two(exponent: i64) -> f64 {
    f64::from_bits(((1023 + exponent) as u64) << 52)
}

/// The value of a character literal with its quotes (C99 §6.4.4.4), and whether it has more than one
/// character.
///
/// # Errors
/// Says what is wrong with it.
pub(super) fn character(text: &str) -> Result<(i32, bool), String> {
    let bytes = unescape(&text[1..text.len() - 1])?;
    match bytes[..] {
        [] => Err("empty character literal".to_owned()),
        // `char` is signed.
        [byte] => Ok((i32::from(byte as i8), false)),
        _ if bytes.iter().any(|byte| !byte.is_ascii()) => {
            Err("character is too large for a character literal: a 'char' has 8 bits".to_owned())
        }
        _ => Ok((bytes.iter().fold(0_i32, |value, &byte| value << 8 | i32::from(byte)), true)),
    }
}

/// The bytes of a string literal with its quotes.
///
/// # Errors
/// Says what is wrong with it.
pub(super) fn string(text: &str) -> Result<Vec<u8>, String> {
    unescape(&text[1..text.len() - 1])
}

fn unescape(text: &str) -> Result<Vec<u8>, String> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.bytes().peekable();
    while let Some(byte) = rest.next() {
        if byte != b'\\' {
            bytes.push(byte);
            continue;
        }
        let escape = rest.next().ok_or("the escape sequence at the end is incomplete")?;
        bytes.push(match escape {
            b'n' => b'\n',
            b't' => b'\t',
            b'r' => b'\r',
            b'a' => 7,
            b'b' => 8,
            b'v' => 11,
            b'f' => 12,
            // Escape, from GNU C and clang.
            b'e' => 27,
            b'\\' | b'\'' | b'"' | b'?' => escape,
            b'0'..=b'7' => {
                let mut value = u32::from(escape - b'0');
                for _ in 0..2 {
                    let Some(digit) = rest.next_if(|next| matches!(next, b'0'..=b'7')) else { break };
                    value = value * 8 + u32::from(digit - b'0');
                }
                u8::try_from(value).map_err(|_| "octal escape sequence out of range")?
            }
            b'x' => hexadecimal_escape(&mut rest)?,
            b'u' | b'U' => {
                let count = if escape == b'u' { 4 } else { 8 };
                let digits: String =
                    (0..count).filter_map(|_| rest.next_if(u8::is_ascii_hexdigit)).map(char::from).collect();
                let character = universal_character(&digits, count)
                    .ok_or("incomplete or invalid universal character name")?;
                bytes.extend(character.encode_utf8(&mut [0; 4]).bytes());
                continue;
            }
            _ => {
                let name = char::from(escape).escape_default();
                return Err(format!("unknown escape sequence '\\{name}'"));
            }
        });
    }
    Ok(bytes)
}

/// The character of a universal character name (C99 §6.4.3) with this many digits.
fn universal_character(digits: &str, count: usize) -> Option<char> {
    let character = char::from_u32(u32::from_str_radix(digits, 16).ok().filter(|_| digits.len() == count)?)?;
    (character >= '\u{a0}' || matches!(character, '$' | '@' | '`')).then_some(character)
}

/// An identifier with its universal character names replaced by their characters.
///
/// # Errors
/// The first universal character name that an identifier must not contain.
pub(super) fn identifier(text: &str) -> Result<String, &str> {
    let mut parts = text.split('\\');
    let mut name = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let count = if part.starts_with('u') { 4 } else { 8 };
        let digits = part.get(1..=count).unwrap_or_default();
        let character = universal_character(digits, count).filter(|character| character.is_alphanumeric());
        name.push(character.ok_or(part)?);
        name.push_str(&part[1 + count..]);
    }
    Ok(name)
}

fn hexadecimal_escape(rest: &mut std::iter::Peekable<impl Iterator<Item = u8>>) -> Result<u8, &'static str> {
    let (mut value, mut count) = (0_u32, 0);
    while let Some(digit) = rest.next_if(u8::is_ascii_hexdigit) {
        value = (value << 4 | char::from(digit).to_digit(16).unwrap_or(0)).min(0x100);
        count += 1;
    }
    match (count, u8::try_from(value)) {
        (0, _) => Err("\\x needs hexadecimal digits after it"),
        (_, Ok(byte)) => Ok(byte),
        (_, Err(_)) => Err("hex escape sequence out of range"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hexadecimal_literals_round_once() {
        assert_eq!(float64("0x1.8p1").to_bits(), 3.0_f64.to_bits());
        assert_eq!(float64("0x1p-1074").to_bits(), 1);
        assert_eq!(float64("0x1p-1075").to_bits(), 0, "a tie goes to even");
        assert_eq!(float64("0x1.0000000000000001p-1075").to_bits(), 1, "more than a tie goes up");
        assert_eq!(float64("0x1.fffffffffffffp1023"), f64::MAX);
        assert_eq!(float64("0x1.fffffffffffff8p1023"), f64::INFINITY);
        assert_eq!(float64("0x1p99999999999999999999"), f64::INFINITY);
        assert_eq!(float64("0x1p-99999999999999999999"), 0.0);
        assert_eq!(float64("0x.00000000000000000000000000000001p0"), 2.0_f64.powi(-128));
        assert_eq!(float64("0x100000000000000000000000000000000p0"), 2.0_f64.powi(128));
        // 1 + 2^-24 + a bit beyond double precision: rounded twice, it would be 1.
        assert_eq!(float32("0x1.00000100000000000000000001p0"), 1.0 + f32::EPSILON);
        assert_eq!(float32("0x1.000001p0"), 1.0, "a tie goes to even");
        assert_eq!(float32("0x1.fffffep127"), f32::MAX);
        assert_eq!(float32("0x1p-149").to_bits(), 1);
        assert_eq!(float16("0x1.ffcp15"), f16::MAX);
        assert_eq!(float16("0x1p16"), f16::INFINITY);
        assert_eq!(float16("0x1p-24").to_bits(), 1);
        assert_eq!(float16("0x1.00200000000000000001p0").to_bits(), 0x3c01);
    }

    #[test]
    fn the_spelling_rounds_to_single_precision_once() {
        // This is just above the midpoint of two floats, and rounds to the midpoint as a double.
        let text = "1.00000005960464477539062500000001";
        assert_eq!(float32(text), 1.0 + f32::EPSILON);
        assert_eq!(float64(text) as f32, 1.0);
    }

    #[test]
    fn integers_have_their_notation_and_suffix() {
        let int =
            |value, unsigned, long, decimal| Ok(Number::Int(value, IntSuffix { unsigned, long, decimal }));
        assert_eq!(number("0"), int(0, false, false, true));
        assert_eq!(number("017"), int(15, false, false, false));
        assert_eq!(number("0xFFul"), int(255, true, true, false));
        assert_eq!(number("0b101"), int(5, false, false, false));
        assert_eq!(number("18446744073709551615"), int(u64::MAX, false, false, true));
        assert_eq!(number("0x1e"), int(0x1e, false, false, false));
        assert_eq!(number("1ll"), int(1, false, true, true));
        assert_eq!(number("0x7fLLu"), int(127, true, true, false));
        for bad in ["18446744073709551616", "08", "0x", "1lL", "1lul", "1f", "1u1", "0b2", "12abc", "1_000"] {
            assert!(number(bad).is_err(), "{bad}");
        }
        for bad in ["1e", "1e+", "0x1.0", "0x.p1", "1.0l", "1.0.0", "1.0ff"] {
            assert!(number(bad).is_err(), "{bad}");
        }
        assert_eq!(number("1.5e-3f"), Ok(Number::Float("1.5e-3", FloatSuffix::Float)));
        assert_eq!(number(".5h"), Ok(Number::Float(".5", FloatSuffix::Half)));
        assert_eq!(number("1."), Ok(Number::Float("1.", FloatSuffix::None)));
    }

    #[test]
    fn characters_are_signed_bytes() {
        assert_eq!(character("'a'"), Ok((97, false)));
        assert_eq!(character(r"'\xff'"), Ok((-1, false)));
        assert_eq!(character(r"'\0'"), Ok((0, false)));
        assert_eq!(character("'ab'"), Ok((0x6162, true)));
        assert!(character("''").is_err());
        assert!(character("'é'").is_err());
        assert!(character(r"'\400'").is_err());
        assert_eq!(string(r#""\u00e9\U0001F600\e""#), Ok("é😀\u{1b}".as_bytes().to_vec()));
        for bad in [r#""\u12""#, r#""\ud800""#, r#""\U00110000""#, r#""\u0041""#] {
            assert!(string(bad).is_err(), "{bad}");
        }
        assert_eq!(string(r#""a\101\x42\n""#), Ok(b"aAB\n".to_vec()));
    }
}
