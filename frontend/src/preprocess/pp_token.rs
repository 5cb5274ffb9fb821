//! Preprocessing tokens (C99 §6.4): small `Copy` values whose text is an interned symbol.

use crate::Span;
use crate::symbol::{Interner, Symbol};
use crate::token::Punct;

/// A preprocessing token.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct PpToken {
    pub kind: PpKind,
    pub flags: Flags,
    pub span: Span,
}

/// Properties of a token besides its kind.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Flags {
    /// Whether white space precedes it.
    pub space: bool,
    /// Whether it is the first token of its line in the file.
    pub line_start: bool,
    /// Whether it names a macro that was being expanded when the token was read; then it never expands (C99
    /// §6.10.3.4).
    pub no_expand: bool,
}

/// Values that no literal can spell, for the language's macros.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum SpecialValue {
    /// `INFINITY`, `HUGE_VALF`.
    Infinity,
    /// `HUGE_VAL`.
    DoubleInfinity,
    /// `NAN`.
    Nan,
}

/// Kinds of preprocessing tokens.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum PpKind {
    Identifier(Symbol),
    /// A pp-number (C99 §6.4.8), not interpreted.
    Number(Symbol),
    /// With its quotes.
    Char(Symbol),
    /// With its quotes.
    Str(Symbol),
    /// From an unclosed quote to the end of the line.
    Unterminated(Symbol),
    Punct(Punct),
    /// A character that cannot begin a token.
    Other(char),
    Special(SpecialValue),
    /// A pragma that the parser must see, by index into the preprocessor's list.
    Pragma(u32),
    /// End of the file, directive or argument.
    End,
}

impl PpToken {
    /// An end token at a place.
    pub fn end(position: u32) -> PpToken {
        PpToken { kind: PpKind::End, flags: Flags::default(), span: Span::new(position, position) }
    }

    /// The symbol of an identifier.
    pub fn identifier(&self) -> Option<Symbol> {
        match self.kind {
            PpKind::Identifier(symbol) => Some(symbol),
            _ => None,
        }
    }

    /// Whether it is this operator.
    pub fn is(&self, punct: Punct) -> bool {
        self.kind == PpKind::Punct(punct)
    }

    /// Whether it is an end token.
    pub fn is_end(&self) -> bool {
        self.kind == PpKind::End
    }
}

impl PpKind {
    /// Appends the token's spelling.
    pub fn write(self, out: &mut String, interner: &Interner) {
        match self {
            PpKind::Identifier(symbol)
            | PpKind::Number(symbol)
            | PpKind::Char(symbol)
            | PpKind::Str(symbol)
            | PpKind::Unterminated(symbol) => out.push_str(interner.text(symbol)),
            PpKind::Punct(punct) => out.push_str(punct.text()),
            PpKind::Other(character) => out.push(character),
            PpKind::Special(SpecialValue::Infinity) => out.push_str("INFINITY"),
            PpKind::Special(SpecialValue::DoubleInfinity) => out.push_str("HUGE_VAL"),
            PpKind::Special(SpecialValue::Nan) => out.push_str("NAN"),
            PpKind::Pragma(_) | PpKind::End => {}
        }
    }
}
