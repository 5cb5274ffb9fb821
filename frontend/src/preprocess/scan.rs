//! Finds where a preprocessing token ends: pure functions over bytes, without state, splices or interning.

use crate::token::Punct;

/// What starts at a place.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Scanned {
    Identifier,
    Number,
    Str,
    Char,
    /// A quote that is not closed on its line.
    Unterminated,
    Punct(Punct),
    /// A character that cannot begin a token.
    Other(char),
    LineComment,
    BlockComment,
    /// The token contains a line splice, so the text must be joined first.
    Spliced,
}

/// Whether the backslash at `at` joins this line and the next (C99 §5.1.1.2, phase 2); returns the start of
/// the next line. As in other compilers, blanks may follow the backslash.
pub(super) fn splice(bytes: &[u8], at: usize) -> Option<usize> {
    if bytes.get(at) != Some(&b'\\') {
        return None;
    }
    let blanks = bytes[at + 1..].iter().take_while(|byte| matches!(byte, b' ' | b'\t' | b'\r')).count();
    let newline = at + 1 + blanks;
    (bytes.get(newline) == Some(&b'\n')).then_some(newline + 1)
}

/// The token that starts at `at`, and its end. `joined` means that splices are already removed. Comments end
/// after their opening.
pub(super) fn token(text: &str, at: usize, joined: bool) -> (Scanned, usize) {
    let bytes = text.as_bytes();
    let (kind, end) = match bytes[at] {
        b'a'..=b'z' | b'A'..=b'Z' | b'_' | b'$' => (Scanned::Identifier, identifier(text, at)),
        b'0'..=b'9' => (Scanned::Number, number(text, at)),
        b'.' if bytes.get(at + 1).is_some_and(u8::is_ascii_digit) => (Scanned::Number, number(text, at)),
        b'"' => quoted(bytes, at, b'"', joined),
        b'\'' => quoted(bytes, at, b'\'', joined),
        b'\\' if universal_name(bytes, at).is_some() => (Scanned::Identifier, identifier(text, at)),
        first if first < 0x80 => punct(bytes, at),
        _ => {
            let character = text[at..].chars().next().unwrap_or('\u{fffd}');
            if character.is_alphabetic() {
                (Scanned::Identifier, identifier(text, at))
            } else {
                (Scanned::Other(character), at + character.len_utf8())
            }
        }
    };
    let is_spliced = !joined && bytes.get(end) == Some(&b'\\') && splice(bytes, end).is_some();
    let can_go_on = !matches!(kind, Scanned::Str | Scanned::Char | Scanned::Other(_));
    let comment = matches!(kind, Scanned::LineComment | Scanned::BlockComment);
    if is_spliced && can_go_on && !comment { (Scanned::Spliced, end) } else { (kind, end) }
}

fn identifier(text: &str, start: usize) -> usize {
    let bytes = text.as_bytes();
    let mut at = start;
    while let Some(&byte) = bytes.get(at) {
        if byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'$' {
            at += 1;
        } else if let Some(end) = universal_name(bytes, at) {
            at = end;
        } else if byte >= 0x80 {
            let Some(character) = text[at..].chars().next().filter(|c| c.is_alphanumeric()) else { break };
            at += character.len_utf8();
        } else {
            break;
        }
    }
    at
}

/// The end of the universal character name that starts at `at` (C99 §6.4.3).
fn universal_name(bytes: &[u8], at: usize) -> Option<usize> {
    let count = match bytes.get(at..at + 2)? {
        b"\\u" => 4,
        b"\\U" => 8,
        _ => return None,
    };
    let digits = bytes.get(at + 2..at + 2 + count)?;
    digits.iter().all(u8::is_ascii_hexdigit).then_some(at + 2 + count)
}

fn number(text: &str, start: usize) -> usize {
    let bytes = text.as_bytes();
    let mut at = start + 1;
    while let Some(&byte) = bytes.get(at) {
        let is_sign = matches!(byte, b'+' | b'-') && matches!(bytes[at - 1], b'e' | b'E' | b'p' | b'P');
        // A digit separator of C++ ([lex.icon]); in C nothing useful could follow.
        let is_separator = byte == b'\''
            && bytes[at - 1].is_ascii_alphanumeric()
            && bytes.get(at + 1).is_some_and(u8::is_ascii_alphanumeric);
        if !(byte.is_ascii_alphanumeric() || byte == b'.' || byte == b'_' || is_sign || is_separator) {
            break;
        }
        at += 1;
    }
    at
}

fn quoted(bytes: &[u8], start: usize, quote: u8, joined: bool) -> (Scanned, usize) {
    let mut at = start + 1;
    while let Some(&byte) = bytes.get(at) {
        match byte {
            b'\n' => break,
            b'\\' if !joined && splice(bytes, at).is_some() => return (Scanned::Spliced, at),
            b'\\' if bytes.get(at + 1).is_some_and(|&next| next != b'\n') => at += 2,
            _ if byte == quote => {
                let kind = if quote == b'"' { Scanned::Str } else { Scanned::Char };
                return (kind, at + 1);
            }
            _ => at += 1,
        }
    }
    (Scanned::Unterminated, at.min(bytes.len()))
}

/// A raw string of C++ ([lex.string]) as the string literal that has the same contents, and its end.
pub(super) fn raw_string(text: &str, start: usize) -> Option<(String, usize)> {
    let rest = text.get(start..)?.strip_prefix("R\"")?;
    let open = rest.find('(')?;
    let delimiter = &rest[..open];
    let is_delimiter = delimiter.len() <= 16
        && !delimiter.contains(|c: char| c.is_whitespace() || matches!(c, ')' | '\\' | '"'));
    if !is_delimiter {
        return None;
    }
    let closing = format!("){delimiter}\"");
    let length = rest[open + 1..].find(&closing)?;
    let contents = &rest[open + 1..open + 1 + length];
    let mut spelling = String::from("\"");
    for character in contents.chars() {
        match character {
            '"' | '\\' | '?' => spelling.extend(['\\', character]),
            '\n' => spelling.push_str("\\n"),
            '\r' => {}
            character => spelling.push(character),
        }
    }
    spelling.push('"');
    Some((spelling, start + 2 + open + 1 + length + closing.len()))
}

/// The longest operator or the start of a comment (C99 §6.4.6, with digraphs).
fn punct(bytes: &[u8], at: usize) -> (Scanned, usize) {
    let byte = |offset: usize| bytes.get(at + offset).copied().unwrap_or(0);
    let (one, two, three) = (byte(0), byte(1), byte(2));
    let (punct, length) = match (one, two, three) {
        (b'/', b'/', _) => return (Scanned::LineComment, at + 2),
        (b'/', b'*', _) => return (Scanned::BlockComment, at + 2),
        (b'%', b':', b'%') if byte(3) == b':' => (Punct::HashHash, 4),
        (b'.', b'.', b'.') => (Punct::Ellipsis, 3),
        (b'<', b'<', b'=') => (Punct::ShiftLeftEqual, 3),
        (b'>', b'>', b'=') => (Punct::ShiftRightEqual, 3),
        (b'#', b'#', _) => (Punct::HashHash, 2),
        (b'%', b':', _) => (Punct::Hash, 2),
        (b'<', b':', _) => (Punct::LeftBracket, 2),
        (b':', b'>', _) => (Punct::RightBracket, 2),
        (b'<', b'%', _) => (Punct::LeftBrace, 2),
        (b'%', b'>', _) => (Punct::RightBrace, 2),
        (b'-', b'>', _) => (Punct::Arrow, 2),
        (b'+', b'+', _) => (Punct::PlusPlus, 2),
        (b'-', b'-', _) => (Punct::MinusMinus, 2),
        (b'<', b'<', _) => (Punct::ShiftLeft, 2),
        (b'>', b'>', _) => (Punct::ShiftRight, 2),
        (b'<', b'=', _) => (Punct::LessEqual, 2),
        (b'>', b'=', _) => (Punct::GreaterEqual, 2),
        (b'=', b'=', _) => (Punct::EqualEqual, 2),
        (b'!', b'=', _) => (Punct::NotEqual, 2),
        (b'&', b'&', _) => (Punct::AndAnd, 2),
        (b'|', b'|', _) => (Punct::OrOr, 2),
        (b'*', b'=', _) => (Punct::StarEqual, 2),
        (b'/', b'=', _) => (Punct::SlashEqual, 2),
        (b'%', b'=', _) => (Punct::PercentEqual, 2),
        (b'+', b'=', _) => (Punct::PlusEqual, 2),
        (b'-', b'=', _) => (Punct::MinusEqual, 2),
        (b'&', b'=', _) => (Punct::AndEqual, 2),
        (b'^', b'=', _) => (Punct::CaretEqual, 2),
        (b'|', b'=', _) => (Punct::OrEqual, 2),
        _ => match single(one) {
            Some(punct) => (punct, 1),
            None => return (Scanned::Other(char::from(one)), at + 1),
        },
    };
    (Scanned::Punct(punct), at + length)
}

fn single(byte: u8) -> Option<Punct> {
    Some(match byte {
        b'(' => Punct::LeftParen,
        b')' => Punct::RightParen,
        b'[' => Punct::LeftBracket,
        b']' => Punct::RightBracket,
        b'{' => Punct::LeftBrace,
        b'}' => Punct::RightBrace,
        b'.' => Punct::Dot,
        b'&' => Punct::Ampersand,
        b'*' => Punct::Star,
        b'+' => Punct::Plus,
        b'-' => Punct::Minus,
        b'~' => Punct::Tilde,
        b'!' => Punct::Exclaim,
        b'/' => Punct::Slash,
        b'%' => Punct::Percent,
        b'<' => Punct::Less,
        b'>' => Punct::Greater,
        b'^' => Punct::Caret,
        b'|' => Punct::Pipe,
        b'?' => Punct::Question,
        b':' => Punct::Colon,
        b';' => Punct::Semicolon,
        b'=' => Punct::Equal,
        b',' => Punct::Comma,
        b'#' => Punct::Hash,
        b'@' => Punct::At,
        _ => return None,
    })
}
