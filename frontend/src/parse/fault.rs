//! Errors on their way from their place to the parser's recovery point.

use super::{In, Tokens};
use crate::Span;
use crate::diagnostic::Diagnostic;
use crate::token::{Keyword, Punct, Token, TokenKind};
use chumsky::DefaultExpected;
use chumsky::error::{Error, LabelError};
use chumsky::span::SimpleSpan;
use chumsky::util::MaybeRef;

/// An error that ends productions up to the next recovery point. It is only created if the source is wrong.
#[derive(Debug)]
pub(super) struct Fault {
    /// Index of the token at which it was found.
    pub(super) at: usize,
    /// The message.
    pub(super) diagnostic: Box<Diagnostic>,
}

impl Fault {
    /// An error at the next token.
    pub(super) fn here(input: &In<'_, '_>, diagnostic: Diagnostic) -> Fault {
        Fault { at: super::tokens::index(input), diagnostic: Box::new(diagnostic) }
    }
}

impl<'s> Error<'s, Tokens<'s>> for Fault {
    /// The later one: it comes from the production that was actually attempted.
    fn merge(self, other: Self) -> Self {
        other
    }
}

impl<'s> LabelError<'s, Tokens<'s>, DefaultExpected<'s, Token>> for Fault {
    fn expected_found<E: IntoIterator<Item = DefaultExpected<'s, Token>>>(
        _expected: E,
        found: Option<MaybeRef<'s, Token>>,
        span: SimpleSpan<usize>,
    ) -> Self {
        let place = found.map_or(Span::NONE, |token| token.span);
        Fault { at: span.start, diagnostic: Box::new(Diagnostic::error(place, "unexpected token")) }
    }
}

/// A declaration of another language, recognised by its first word, if one starts here.
pub(super) fn foreign(input: &mut In<'_, '_>) -> Option<Fault> {
    let symbol = super::tokens::peek_identifier(input)?;
    let state = input.state();
    let name = state.interner().text(symbol);
    if state.meaning(symbol).is_some() || !crate::foreign::starts_foreign(name) {
        return None;
    }
    let remark = crate::foreign::remark(name)?;
    let place = super::tokens::here(input);
    Some(Fault::here(input, Diagnostic::error(place, remark)))
}

/// "expected WHAT" at the next token, or right after the previous one if nothing follows.
pub(super) fn expected(input: &mut In<'_, '_>, what: &str) -> Fault {
    let place = match input.peek() {
        Some(token) => token.span,
        None => after_previous(input),
    };
    remarked(input, Diagnostic::error(place, format!("expected {what}")))
}

/// "expected WHAT" right after the previous token, where something is missing.
pub(super) fn missing(input: &mut In<'_, '_>, what: &str) -> Fault {
    let place = after_previous(input);
    remarked(input, Diagnostic::error(place, format!("expected {what}")))
}

/// An error at the next token, with a remark if that token, or the one before it, has a meaning in other
/// languages.
fn remarked(input: &mut In<'_, '_>, diagnostic: Diagnostic) -> Fault {
    let diagnostic = match remark(input) {
        Some(remark) => diagnostic.note(remark),
        None => diagnostic,
    };
    Fault::here(input, diagnostic)
}

fn remark(input: &mut In<'_, '_>) -> Option<String> {
    let before = super::tokens::previous(input).map(|token| token.kind);
    match super::tokens::peek(input)? {
        TokenKind::Identifier(symbol) => {
            let name = input.state().interner().text(symbol);
            let operator = crate::foreign::operator(name)?;
            Some(format!("'{name}' is an operator of C++: write '{operator}'"))
        }
        TokenKind::Punct(Punct::Ampersand) if names_type(input, before) => {
            Some("OpenCL C has no references: use a pointer".to_owned())
        }
        TokenKind::Punct(Punct::Colon)
            if super::tokens::peek_at(input, 1) == Some(TokenKind::Punct(Punct::Colon)) =>
        {
            Some("'::' belongs to C++: OpenCL C has no namespaces".to_owned())
        }
        TokenKind::Punct(Punct::Equal) => {
            let operator = match before {
                Some(TokenKind::Punct(Punct::Equal)) => "==",
                Some(TokenKind::Punct(Punct::Less)) => "<=",
                Some(TokenKind::Punct(Punct::Greater)) => ">=",
                Some(TokenKind::Punct(Punct::Exclaim)) => "!=",
                _ => return None,
            };
            Some(format!("an operator is written without spaces in it: '{operator}'"))
        }
        TokenKind::Punct(Punct::LeftBrace) if before == Some(TokenKind::Punct(Punct::Equal)) => Some(
            "a list in braces can only initialize a variable: write '(float4)(...)' for a vector, '(type){...}' for other types"
                .to_owned(),
        ),
        _ => None,
    }
}

/// Whether a token is the last of a type.
fn names_type(input: &mut In<'_, '_>, token: Option<TokenKind>) -> bool {
    match token {
        Some(TokenKind::Identifier(symbol)) => input.state().is_type(symbol),
        Some(TokenKind::Keyword(keyword)) => {
            matches!(
                keyword,
                Keyword::Float | Keyword::Int | Keyword::Char | Keyword::Double | Keyword::Const
            )
        }
        _ => false,
    }
}

/// The empty span after the previous token.
fn after_previous(input: &mut In<'_, '_>) -> Span {
    match super::tokens::previous(input) {
        Some(token) => Span::new(token.span.end, token.span.end),
        None => input.peek().map_or(Span::NONE, |token| token.span),
    }
}
