//! From the text of a file to preprocessing tokens: translation phases 2 and 3 of C99 §5.1.1.2.
//!
//! Positions always refer to the text as written; only the spelling of a token has its splices removed.

use super::literal;
use super::pp_token::{Flags, PpKind, PpToken};
use super::scan::{self, Scanned};
use crate::Span;
use crate::symbol::Interner;
use crate::token::Punct;
use std::sync::Arc;

/// Reads one file.
pub(super) struct Lexer {
    text: Arc<str>,
    /// Position of the first byte in the source map.
    base: u32,
    at: usize,
    line_start: bool,
    /// Offset of a `/*` that is not closed.
    open_comment: Option<usize>,
    /// C++: `R"(…)"` is a string.
    has_raw_strings: bool,
}

impl Lexer {
    pub fn new(text: Arc<str>, base: u32) -> Lexer {
        let at = if text.starts_with('\u{feff}') { '\u{feff}'.len_utf8() } else { 0 };
        Lexer { text, base, at, line_start: true, open_comment: None, has_raw_strings: false }
    }

    /// With the raw strings of C++, or without.
    pub fn with_raw_strings(self, has_raw_strings: bool) -> Lexer {
        Lexer { has_raw_strings, ..self }
    }

    /// Position of the next byte.
    pub fn position(&self) -> u32 {
        self.base + self.at as u32
    }

    /// The place of a comment that is not closed at the end of the file; returned once.
    pub fn take_open_comment(&mut self) -> Option<Span> {
        let start = self.base + self.open_comment.take()? as u32;
        Some(Span::new(start, start + 2))
    }

    /// The next token of the file; after the last one, always an end token.
    pub fn next(&mut self, interner: &mut Interner) -> PpToken {
        let mut flags = Flags { line_start: self.line_start, ..Flags::default() };
        self.skip_space(&mut flags, false);
        self.token(flags, interner)
    }

    /// The next token of the line; after the last one, always an end token.
    pub fn next_in_line(&mut self, interner: &mut Interner) -> PpToken {
        let mut flags = Flags::default();
        self.skip_space(&mut flags, true);
        if self.text.as_bytes().get(self.at) == Some(&b'\n') {
            return PpToken::end(self.position());
        }
        self.token(flags, interner)
    }

    /// Reads a header name, `"name"` or `<name>`, if one is here (C99 §6.4.7): whether it is quoted, the
    /// name, and its place.
    pub fn header_name(&mut self) -> Option<(bool, String, Span)> {
        self.skip_space(&mut Flags::default(), true);
        let rest = &self.text[self.at..];
        let line = &rest[..rest.find('\n').unwrap_or(rest.len())];
        let close = match line.as_bytes().first()? {
            b'<' => '>',
            b'"' => '"',
            _ => return None,
        };
        let length = line[1..].find(close)?;
        let name = line[1..=length].to_owned();
        let start = self.position();
        self.at += length + 2;
        Some((close == '"', name, Span::new(start, self.position())))
    }

    /// Goes to the end of the line; returns the rest of its text.
    pub fn skip_line(&mut self) -> &str {
        let start = self.at;
        let bytes = self.text.as_bytes();
        let end = loop {
            let Some(offset) = self.text[self.at..].find('\n') else { break bytes.len() };
            let newline = self.at + offset;
            if !ends_in_splice(bytes, start, newline) {
                break newline;
            }
            self.at = newline + 1;
        };
        self.at = end;
        self.text[start..end].trim()
    }

    /// Skips the text of a group that is not compiled, up to and including the next `#` at the start of a
    /// line; false at the end of the file.
    pub fn skip_to_directive(&mut self) -> bool {
        loop {
            let mut flags = Flags { line_start: self.line_start, ..Flags::default() };
            self.skip_space(&mut flags, false);
            if self.at >= self.text.len() {
                return false;
            }
            let start = self.at;
            let (kind, end) = scan::token(&self.text, start, false);
            self.line_start = false;
            self.at = end;
            let is_hash = kind == Scanned::Punct(Punct::Hash)
                || kind == Scanned::Spliced && self.text[start..end] == *"#";
            if flags.line_start && is_hash {
                return true;
            }
            self.skip_plain_line();
        }
    }

    /// Goes to the end of a line whose tokens do not matter; comments may span several lines.
    fn skip_plain_line(&mut self) {
        while let Some(&byte) = self.text.as_bytes().get(self.at) {
            match byte {
                b'\n' => return,
                b'/' | b'"' | b'\'' => match scan::token(&self.text, self.at, false) {
                    (Scanned::LineComment | Scanned::BlockComment, _) => {
                        self.skip_space(&mut Flags::default(), true);
                    }
                    (_, end) => self.at = end.max(self.at + 1),
                },
                b'\\' => self.at = scan::splice(self.text.as_bytes(), self.at).unwrap_or(self.at + 1),
                _ => self.at += 1,
            }
        }
    }

    /// Skips white space, splices and comments; with `in_line` not past the end of the line.
    fn skip_space(&mut self, flags: &mut Flags, in_line: bool) {
        while let Some(&byte) = self.text.as_bytes().get(self.at) {
            match byte {
                b' ' | b'\t' | b'\r' | 0x0b | 0x0c => self.at += 1,
                b'\n' if in_line => return,
                b'\n' => {
                    self.at += 1;
                    flags.line_start = true;
                }
                b'\\' => match scan::splice(self.text.as_bytes(), self.at) {
                    // A splice alone is not white space.
                    Some(next) => {
                        self.at = next;
                        continue;
                    }
                    None => return,
                },
                b'/' => {
                    if !self.skip_comment() {
                        return;
                    }
                }
                _ => return,
            }
            flags.space = true;
        }
    }

    /// Skips a comment, if one starts here.
    fn skip_comment(&mut self) -> bool {
        let bytes = self.text.as_bytes();
        let mut opening = self.at + 1;
        while let Some(next) = scan::splice(bytes, opening) {
            opening = next;
        }
        match bytes.get(opening) {
            Some(b'/') => {
                self.at = opening + 1;
                self.skip_line();
                true
            }
            Some(b'*') => {
                self.skip_block_comment(opening + 1);
                true
            }
            _ => false,
        }
    }

    fn skip_block_comment(&mut self, body: usize) {
        let bytes = self.text.as_bytes();
        let mut at = body;
        while let Some(offset) = self.text.get(at..).and_then(|rest| rest.find('*')) {
            at += offset + 1;
            let mut close = at;
            while let Some(next) = scan::splice(bytes, close) {
                close = next;
            }
            if bytes.get(close) == Some(&b'/') {
                self.at = close + 1;
                return;
            }
        }
        self.open_comment = Some(self.at);
        self.at = bytes.len();
    }

    fn token(&mut self, flags: Flags, interner: &mut Interner) -> PpToken {
        self.line_start = flags.line_start && self.at >= self.text.len();
        if self.at >= self.text.len() {
            return PpToken { flags, ..PpToken::end(self.position()) };
        }
        let start = self.at;
        if self.has_raw_strings
            && let Some((spelling, end)) = scan::raw_string(&self.text, start)
        {
            self.at = end;
            self.line_start = false;
            let kind = PpKind::Str(interner.intern(&spelling));
            return PpToken { kind, flags, span: Span::new(self.base + start as u32, self.position()) };
        }
        let (kind, end) = scan::token(&self.text, start, false);
        let kind = if kind == Scanned::Spliced {
            self.spliced_token(interner)
        } else {
            self.at = end;
            pp_kind(kind, &self.text[start..end], interner)
        };
        self.line_start = false;
        PpToken { kind, flags, span: Span::new(self.base + start as u32, self.position()) }
    }

    /// A token that contains a splice: its text is joined in a buffer, which grows until the token ends
    /// before the buffer does.
    fn spliced_token(&mut self, interner: &mut Interner) -> PpKind {
        let mut capacity = 64;
        loop {
            let (joined, ends, is_all) = self.join(capacity);
            let (kind, end) = scan::token(&joined, 0, true);
            if end + 4 < joined.len() || is_all {
                self.at = ends[end.max(1) - 1];
                return pp_kind(kind, &joined[..end], interner);
            }
            capacity *= 2;
        }
    }

    /// At least `capacity` bytes from here without splices, unless the line ends before; for each byte, the
    /// offset after it in the file; and whether the text ended.
    fn join(&self, capacity: usize) -> (String, Vec<usize>, bool) {
        let bytes = self.text.as_bytes();
        let (mut joined, mut ends) = (String::new(), Vec::new());
        let mut at = self.at;
        while joined.len() < capacity {
            if let Some(next) = scan::splice(bytes, at) {
                at = next;
                continue;
            }
            let Some(character) = self.text[at..].chars().next().filter(|&c| c != '\n') else {
                return (joined, ends, true);
            };
            joined.push(character);
            at += character.len_utf8();
            ends.extend(std::iter::repeat_n(at, character.len_utf8()));
        }
        (joined, ends, false)
    }
}

/// Whether the line that ends at `newline` continues on the next.
fn ends_in_splice(bytes: &[u8], start: usize, newline: usize) -> bool {
    let line = &bytes[start..newline];
    let last = line.iter().rposition(|byte| !matches!(byte, b' ' | b'\t' | b'\r'));
    last.is_some_and(|last| line[last] == b'\\')
}

/// The kind of the token with this spelling.
pub(super) fn pp_kind(kind: Scanned, spelling: &str, interner: &mut Interner) -> PpKind {
    match kind {
        Scanned::Identifier if spelling.contains('\\') => match literal::identifier(spelling) {
            Ok(name) => PpKind::Identifier(interner.intern(&name)),
            Err(_) => PpKind::Other('\\'),
        },
        Scanned::Identifier => PpKind::Identifier(interner.intern(spelling)),
        Scanned::Number => PpKind::Number(interner.intern(spelling)),
        Scanned::Str => PpKind::Str(interner.intern(spelling)),
        Scanned::Char => PpKind::Char(interner.intern(spelling)),
        Scanned::Unterminated => PpKind::Unterminated(interner.intern(spelling)),
        Scanned::Punct(punct) => PpKind::Punct(punct),
        Scanned::Other(character) => PpKind::Other(character),
        Scanned::LineComment | Scanned::BlockComment | Scanned::Spliced => {
            unreachable!("comments and splices are gone when a token is made")
        }
    }
}
