//! From preprocessing tokens to tokens: translation phases 5 and 7 of C99 §5.1.1.2.

use super::Preprocessor;
use super::literal::{self, Number};
use super::pp_token::{PpKind, PpToken, SpecialValue};
use crate::Span;
use crate::diagnostic::{Diagnostic, shorten};
use crate::limits;
use crate::symbol::Symbol;
use crate::token::{FloatSuffix, IntSuffix, Token, TokenKind};

impl Preprocessor<'_> {
    /// All tokens of the translation unit; none if a limit was reached or an included file is missing. Tokens
    /// that cannot be decoded are reported, and such numbers count as 0.
    pub(super) fn decode_all(&mut self) -> Vec<Token> {
        let size = self.files.first().map_or(0, |file| self.sources.file_text(file.id).len());
        let mut tokens = Vec::with_capacity(size / 4);
        loop {
            let token = self.next_expanded();
            if self.stopped {
                return Vec::new();
            }
            if token.is_end() {
                return if self.is_incomplete { Vec::new() } else { tokens };
            }
            if tokens.len() >= limits::TOKENS {
                let message =
                    format!("the program has more than {} tokens after macro expansion", limits::TOKENS);
                self.stop(Diagnostic::error(token.span, message));
                return Vec::new();
            }
            let decoded = self.decode(token);
            tokens.extend(decoded.map(|kind| Token { kind, span: token.span }));
            if let Some(kind) = self.literal_suffix.take() {
                tokens.push(Token { kind, span: token.span });
            }
        }
    }

    fn decode(&mut self, token: PpToken) -> Option<TokenKind> {
        Some(match token.kind {
            PpKind::Identifier(name) => match self.names.keyword(name, self.interner) {
                Some(keyword) => TokenKind::Keyword(keyword),
                None => TokenKind::Identifier(name),
            },
            PpKind::Punct(punct) => TokenKind::Punct(punct),
            PpKind::Number(text) => self.decode_number(text, token.span),
            PpKind::Char(text) => self.decode_character(text, token.span),
            PpKind::Str(text) => match literal::string(self.interner.text(text)) {
                Ok(bytes) => {
                    let text: String = bytes.into_iter().map(char::from).collect();
                    TokenKind::Str(self.interner.intern(&text))
                }
                Err(message) => {
                    self.error(token.span, message);
                    TokenKind::Str(self.interner.intern(""))
                }
            },
            PpKind::Special(value) => self.decode_special(value),
            PpKind::Pragma(index) => TokenKind::Pragma(self.pragmas[index as usize]),
            PpKind::Unterminated(text) => {
                let quote = &self.interner.text(text)[..1];
                let message = format!("the {quote} quote is not closed on its line");
                self.error(Span::new(token.span.start, token.span.start + 1), message);
                return None;
            }
            PpKind::Other('\0') => {
                let error = Diagnostic::error(token.span, "the file is not text: it has a zero byte");
                self.stop(error.note("is it the right file?"));
                return None;
            }
            PpKind::Other(character) => {
                let name: String = character.escape_debug().collect();
                let error = Diagnostic::error(token.span, format!("unexpected character '{name}'"));
                let plain = match name.as_str() {
                    "“" | "”" => Some("\""),
                    "‘" | "’" => Some("'"),
                    "−" | "–" | "—" => Some("-"),
                    "×" => Some("*"),
                    _ => None,
                };
                self.diagnostics.push(match plain {
                    Some(plain) => error.note(format!("write {plain} instead of this typographic character")),
                    None => error,
                });
                return None;
            }
            PpKind::End => unreachable!("the end has no value"),
        })
    }

    fn decode_number(&mut self, symbol: Symbol, span: Span) -> TokenKind {
        let symbol = if self.options.cxx.is_some() { self.cxx_number(symbol) } else { symbol };
        match literal::number(self.interner.text(symbol)) {
            Ok(Number::Int(value, suffix)) => {
                if suffix.decimal && !suffix.unsigned && value > i64::MAX as u64 {
                    self.warning(span, "integer literal is too large for 'long': it is taken as 'ulong'");
                }
                TokenKind::Int(value, suffix)
            }
            Ok(Number::Float(spelling, suffix)) => {
                let value = literal::float64(spelling);
                let is_too_large = match suffix {
                    FloatSuffix::None => value.is_infinite(),
                    FloatSuffix::Float => literal::float32(spelling).is_infinite(),
                    FloatSuffix::Half => literal::float16(spelling).is_infinite(),
                };
                let spelling = spelling.to_owned();
                if is_too_large {
                    let message = format!(
                        "floating-point literal '{}' is too large: it becomes infinity",
                        shorten(&spelling)
                    );
                    self.warning(span, message);
                }
                TokenKind::Float(value, suffix, self.interner.intern(&spelling))
            }
            Err(message) => {
                self.error(span, message);
                TokenKind::Int(0, IntSuffix { unsigned: false, long: false, decimal: true })
            }
        }
    }

    /// A number of C++ as C writes it. A suffix that the program defines is noted.
    fn cxx_number(&mut self, symbol: Symbol) -> Symbol {
        let (number, suffix) = literal::cxx_number(self.interner.text(symbol));
        let (number, suffix) = (number.into_owned(), suffix.map(str::to_owned));
        let number = self.interner.intern(&number);
        if let Some(suffix) = suffix {
            self.literal_suffix = Some(TokenKind::Suffix(number, self.interner.intern(&suffix)));
        }
        number
    }

    fn decode_character(&mut self, text: Symbol, span: Span) -> TokenKind {
        match literal::character(self.interner.text(text)) {
            Ok((value, is_long)) => {
                if is_long {
                    self.warning(span, "character literal with more than one character");
                }
                TokenKind::Char(value)
            }
            Err(message) => {
                self.error(span, message);
                TokenKind::Char(0)
            }
        }
    }

    fn decode_special(&mut self, value: SpecialValue) -> TokenKind {
        let (number, suffix, text) = match value {
            SpecialValue::Infinity => (f64::INFINITY, FloatSuffix::Float, "inf"),
            SpecialValue::DoubleInfinity => (f64::INFINITY, FloatSuffix::None, "inf"),
            SpecialValue::Nan => (f64::NAN, FloatSuffix::Float, "nan"),
        };
        TokenKind::Float(number, suffix, self.interner.intern(text))
    }
}
