//! A cursor over the tokens, and the small pieces of the grammar.

use super::ParseError;
use crate::text::lex::{Position, Token};
use crate::text::names::Words;
use crate::{
    AddressSpace, ElementType, ImageDimension, ImageType, MatrixType, MatrixUse, SampledType, Scalar, Type,
};
use std::str::FromStr;

/// A position between tokens.
pub(super) struct Cursor {
    tokens: Vec<(Token, Position)>,
    at: usize,
}

impl Cursor {
    /// Starts before the first token; the last is [`Token::End`].
    pub(super) fn new(tokens: Vec<(Token, Position)>) -> Self {
        Cursor { tokens, at: 0 }
    }

    pub(super) fn tokens(&self) -> &[(Token, Position)] {
        &self.tokens
    }

    pub(super) fn peek(&self) -> &Token {
        &self.tokens[self.at].0
    }

    /// The position of the next token.
    pub(super) fn position(&self) -> Position {
        self.tokens[self.at].1
    }

    /// The position of the previous token.
    pub(super) fn previous(&self) -> Position {
        self.tokens[self.at.saturating_sub(1)].1
    }

    /// Whether the next token is on the same line as the previous one.
    pub(super) fn on_same_line(&self) -> bool {
        self.previous().line == self.position().line
    }

    pub(super) fn at_end(&self) -> bool {
        *self.peek() == Token::End
    }

    /// Moves past the next token, unless it is the end.
    pub(super) fn advance(&mut self) {
        self.at = (self.at + 1).min(self.tokens.len() - 1);
    }

    /// The error that something else was expected here.
    pub(super) fn expected(&self, what: &str) -> ParseError {
        self.position().error(format!("expected {what}, found {}", self.peek().describe()))
    }

    pub(super) fn take_word(&mut self, word: &str) -> bool {
        let found = matches!(self.peek(), Token::Word(found) if found == word);
        if found {
            self.advance();
        }
        found
    }

    pub(super) fn word(&mut self, word: &str) -> Result<(), ParseError> {
        if self.take_word(word) { Ok(()) } else { Err(self.expected(&format!("`{word}`"))) }
    }

    /// Any word.
    pub(super) fn any_word(&mut self, what: &str) -> Result<String, ParseError> {
        let Token::Word(word) = self.peek().clone() else { return Err(self.expected(what)) };
        self.advance();
        Ok(word)
    }

    pub(super) fn take_punctuation(&mut self, c: char) -> bool {
        let found = *self.peek() == Token::Punctuation(c);
        if found {
            self.advance();
        }
        found
    }

    pub(super) fn punctuation(&mut self, c: char) -> Result<(), ParseError> {
        if self.take_punctuation(c) { Ok(()) } else { Err(self.expected(&format!("`{c}`"))) }
    }

    pub(super) fn take_string(&mut self) -> Option<String> {
        let Token::String(text) = self.peek().clone() else { return None };
        self.advance();
        Some(text)
    }

    pub(super) fn string(&mut self, what: &str) -> Result<String, ParseError> {
        self.take_string().ok_or_else(|| self.expected(what))
    }

    /// `@name`.
    pub(super) fn symbol(&mut self) -> Result<String, ParseError> {
        let Token::Symbol(name) = self.peek().clone() else { return Err(self.expected("a name with `@`")) };
        self.advance();
        Ok(name)
    }

    /// `$name`.
    pub(super) fn variable(&mut self) -> Result<String, ParseError> {
        let Token::Variable(name) = self.peek().clone() else {
            return Err(self.expected("a variable with `$`"));
        };
        self.advance();
        Ok(name)
    }

    /// `%name`, if it is next.
    pub(super) fn take_value(&mut self) -> Option<String> {
        let Token::Value(name) = self.peek().clone() else { return None };
        self.advance();
        Some(name)
    }

    pub(super) fn take_label(&mut self) -> Option<String> {
        let Token::Label(name) = self.peek().clone() else { return None };
        self.advance();
        Some(name)
    }

    pub(super) fn take_number(&mut self) -> Option<String> {
        let Token::Number(text) = self.peek().clone() else { return None };
        self.advance();
        Some(text)
    }

    /// A decimal integer.
    pub(super) fn number<N: FromStr>(&mut self) -> Result<N, ParseError> {
        let text = self.take_number().ok_or_else(|| self.expected("a number"))?;
        text.parse().map_err(|_| self.previous().error(format!("`{text}` is out of range here")))
    }

    /// A word and a decimal integer.
    pub(super) fn attribute<N: FromStr>(&mut self, word: &str) -> Result<N, ParseError> {
        self.word(word)?;
        self.number()
    }

    /// A word of an enumeration.
    pub(super) fn variant<W: Words>(&mut self) -> Result<W, ParseError> {
        let words: Vec<&str> = W::ALL.iter().map(|variant| variant.word()).collect();
        let what = format!("one of {}", words.join(", "));
        let word = self.any_word(&what)?;
        W::from_word(&word).ok_or_else(|| self.previous().error(format!("expected {what}, found `{word}`")))
    }

    /// A word, then one of an enumeration.
    pub(super) fn variant_attribute<W: Words>(&mut self, word: &str) -> Result<W, ParseError> {
        self.word(word)?;
        self.variant()
    }

    /// Items in brackets, separated by commas; a trailing comma is allowed.
    pub(super) fn list<T>(
        &mut self,
        open: char,
        close: char,
        mut item: impl FnMut(&mut Self) -> Result<T, ParseError>,
    ) -> Result<Vec<T>, ParseError> {
        self.punctuation(open)?;
        let mut items = Vec::new();
        while !self.take_punctuation(close) {
            items.push(item(self)?);
            if !self.take_punctuation(',') {
                self.punctuation(close)?;
                break;
            }
        }
        Ok(items)
    }

    pub(super) fn ty(&mut self) -> Result<Type, ParseError> {
        let word = self.any_word("a type")?;
        parse_type(&word).ok_or_else(|| self.previous().error(format!("`{word}` is not a type")))
    }
}

fn parse_type(word: &str) -> Option<Type> {
    if let Some(scalar) = Scalar::from_word(word) {
        return Some(Type::Scalar(scalar));
    }
    if let Some(space) = word.strip_prefix("ptr.") {
        return AddressSpace::from_word(space).map(Type::Pointer);
    }
    if let Some(image) = word.strip_prefix("image.") {
        return parse_image(image).map(Type::Image);
    }
    match word {
        "void" => Some(Type::Void),
        _ if word.starts_with("matrix.") => parse_matrix(word).map(Type::Matrix),
        "sampler" => Some(Type::Sampler),
        _ => {
            let (scalar, lanes) = word.split_once('x')?;
            Some(Type::Vector(Scalar::from_word(scalar)?, lanes.parse().ok()?))
        }
    }
}

/// `matrix.f16.16x16.a`.
fn parse_matrix(text: &str) -> Option<MatrixType> {
    let mut parts = text.split('.').skip(1);
    let element = match parts.next()? {
        "bf16" => ElementType::BFloat16,
        word => ElementType::Scalar(Scalar::from_word(word)?),
    };
    let (rows, columns) = parts.next()?.split_once('x')?;
    let usage = MatrixUse::from_word(parts.next()?)?;
    let (rows, columns) = (rows.parse().ok()?, columns.parse().ok()?);
    parts.next().is_none().then_some(MatrixType { element, rows, columns, usage })
}

fn parse_image(text: &str) -> Option<ImageType> {
    let mut parts = text.split('.');
    let dimension = ImageDimension::from_word(parts.next()?)?;
    let (readable, writable) = match parts.next()? {
        "rw" => (true, true),
        "r" => (true, false),
        "w" => (false, true),
        "none" => (false, false),
        _ => return None,
    };
    let sampled = SampledType::from_word(parts.next()?)?;
    parts.next().is_none().then_some(ImageType { dimension, readable, writable, sampled })
}
