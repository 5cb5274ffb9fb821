//! Errors on their way from where they are found to where the parser recovers.

use super::{In, Tokens};
use crate::Span;
use crate::diagnostic::Diagnostic;
use crate::token::Token;
use chumsky::DefaultExpected;
use chumsky::error::{Error, LabelError};
use chumsky::span::SimpleSpan;
use chumsky::util::MaybeRef;

/// An error that ends productions up to the next recovery point. None is made unless the source is wrong.
#[derive(Debug)]
pub(super) struct Fault {
    /// Index of the token at which it was found.
    pub(super) at: usize,
    /// What to tell.
    pub(super) diagnostic: Box<Diagnostic>,
}

impl Fault {
    /// An error at the next token.
    pub(super) fn here(input: &In<'_, '_>, diagnostic: Diagnostic) -> Fault {
        Fault { at: super::tokens::index(input), diagnostic: Box::new(diagnostic) }
    }
}

impl<'s> Error<'s, Tokens<'s>> for Fault {
    /// The later one: it comes from the production that was really attempted.
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

/// "expected WHAT" at the next token, or just behind the previous one if nothing follows.
pub(super) fn expected(input: &mut In<'_, '_>, what: &str) -> Fault {
    let place = match input.peek() {
        Some(token) => token.span,
        None => after_previous(input),
    };
    Fault::here(input, Diagnostic::error(place, format!("expected {what}")))
}

/// "expected WHAT" just behind the previous token: something is missing there.
pub(super) fn missing(input: &mut In<'_, '_>, what: &str) -> Fault {
    let place = after_previous(input);
    Fault::here(input, Diagnostic::error(place, format!("expected {what}")))
}

/// The empty span behind the previous token.
fn after_previous(input: &mut In<'_, '_>) -> Span {
    match super::tokens::previous(input) {
        Some(token) => Span::new(token.span.end, token.span.end),
        None => input.peek().map_or(Span::NONE, |token| token.span),
    }
}
