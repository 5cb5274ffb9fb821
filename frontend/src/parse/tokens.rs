//! The smallest parsers: peek at tokens, take them, demand them.

use super::fault::{self, Fault};
use super::{In, Parsed, Production};
use crate::Span;
use crate::ast::Name;
use crate::diagnostic::Diagnostic;
use crate::symbol::Symbol;
use crate::token::{Keyword, Punct, Token, TokenKind};
use chumsky::primitive::custom;

/// Index of the next token.
pub(super) fn index(input: &In<'_, '_>) -> usize {
    *input.cursor().inner()
}

/// The kind of the token `ahead` tokens after the next.
pub(super) fn peek_at(input: &mut In<'_, '_>, ahead: usize) -> Option<TokenKind> {
    let at = index(input) + ahead;
    input.state().tokens().get(at).map(|token| token.kind)
}

/// The kind of the next token.
pub(super) fn peek(input: &mut In<'_, '_>) -> Option<TokenKind> {
    input.peek().map(|token| token.kind)
}

/// The token before the next.
pub(super) fn previous(input: &mut In<'_, '_>) -> Option<Token> {
    let at = index(input).checked_sub(1)?;
    input.state().tokens().get(at).copied()
}

/// Whether the next token is this operator or bracket.
pub(super) fn at_punct(input: &mut In<'_, '_>, punct: Punct) -> bool {
    peek(input) == Some(TokenKind::Punct(punct))
}

/// Whether the next token is this keyword.
pub(super) fn at_keyword(input: &mut In<'_, '_>, keyword: Keyword) -> bool {
    peek(input) == Some(TokenKind::Keyword(keyword))
}

/// The span of the next token.
pub(super) fn here(input: &mut In<'_, '_>) -> Span {
    input.peek().map_or(Span::NONE, |token| token.span)
}

/// Takes the next token and returns its span.
pub(super) fn bump(input: &mut In<'_, '_>) -> Span {
    input.next().map_or(Span::NONE, |token| token.span)
}

/// Takes the next token if it is this operator or bracket.
pub(super) fn eat(input: &mut In<'_, '_>, punct: Punct) -> Option<Span> {
    at_punct(input, punct).then(|| bump(input))
}

/// Takes the next token if it is this keyword.
pub(super) fn eat_keyword(input: &mut In<'_, '_>, keyword: Keyword) -> Option<Span> {
    at_keyword(input, keyword).then(|| bump(input))
}

/// The span from the token at `start` to the last token taken; the empty span before the next token if none
/// was taken.
pub(super) fn span_since(input: &mut In<'_, '_>, start: usize) -> Span {
    let end = index(input);
    if start >= end {
        return Span::new(here(input).start, here(input).start);
    }
    let tokens = input.state().tokens();
    tokens[start].span.to(tokens[end - 1].span)
}

/// A keyword that was already seen, or is demanded.
pub(super) fn keyword<'s>(keyword: Keyword) -> impl Production<'s, Span> {
    custom(move |input: &mut In<'s, '_>| match eat_keyword(input, keyword) {
        Some(span) => Ok(span),
        None => Err(fault::missing(input, &format!("'{}'", keyword.text()))),
    })
}

/// An operator or a bracket that must be here; `context` ends the message (`after expression`).
pub(super) fn punct<'s>(punct: Punct, context: &'static str) -> impl Production<'s, Span> {
    custom(move |input: &mut In<'s, '_>| expect(input, punct, context))
}

/// See [`punct`].
pub(super) fn expect(input: &mut In<'_, '_>, punct: Punct, context: &str) -> Parsed<Span> {
    match eat(input, punct) {
        Some(span) => Ok(span),
        None if context.is_empty() => Err(fault::missing(input, &format!("'{}'", punct.text()))),
        None => Err(fault::missing(input, &format!("'{}' {context}", punct.text()))),
    }
}

/// The closing bracket of the group opened by `opener`.
pub(super) fn expect_closer(input: &mut In<'_, '_>, punct: Punct, opener: Span) -> Parsed<Span> {
    expect(input, punct, "").map_err(|fault| {
        let text = match punct {
            Punct::RightParen => "to match this '('",
            Punct::RightBracket => "to match this '['",
            _ => "to match this '{'",
        };
        Fault { at: fault.at, diagnostic: Box::new(fault.diagnostic.related(opener, text)) }
    })
}

/// `'(' inner ')'`
pub(super) fn parenthesised<'s, T>(
    context: &'static str,
    inner: impl Production<'s, T>,
) -> impl Production<'s, T> {
    custom(move |input: &mut In<'s, '_>| {
        let opener = expect(input, Punct::LeftParen, context)?;
        let value = input.parse(&inner)?;
        expect_closer(input, Punct::RightParen, opener)?;
        Ok(value)
    })
}

/// An optional part that starts with `punct`.
pub(super) fn after_punct<'s, T>(
    punct: Punct,
    part: impl Production<'s, T>,
) -> impl Production<'s, Option<T>> {
    custom(move |input: &mut In<'s, '_>| match eat(input, punct) {
        Some(_) => input.parse(&part).map(Some),
        None => Ok(None),
    })
}

/// `element (',' element)*`
pub(super) fn list<'s, T>(element: impl Production<'s, T>) -> impl Production<'s, Vec<T>> {
    custom(move |input: &mut In<'s, '_>| {
        let mut elements = vec![input.parse(&element)?];
        while eat(input, Punct::Comma).is_some() {
            elements.push(input.parse(&element)?);
        }
        Ok(elements)
    })
}

/// An identifier.
pub(super) fn identifier(input: &mut In<'_, '_>) -> Parsed<Name> {
    match input.peek() {
        Some(Token { kind: TokenKind::Identifier(symbol), span }) => {
            input.skip();
            Ok(Name { symbol, span })
        }
        _ => Err(fault::expected(input, "identifier")),
    }
}

/// The next token, if it is an identifier.
pub(super) fn peek_identifier(input: &mut In<'_, '_>) -> Option<Symbol> {
    match peek(input) {
        Some(TokenKind::Identifier(symbol)) => Some(symbol),
        _ => None,
    }
}

/// Reports an error at the next token, and goes on.
pub(super) fn report(input: &mut In<'_, '_>, error: Diagnostic) {
    let fault = Fault::here(input, error);
    input.state().report(fault);
}

/// A language construct that is refused by its name.
pub(super) fn refused(input: &mut In<'_, '_>, what: &str) -> Fault {
    let place = here(input);
    Fault::here(input, Diagnostic::error(place, format!("{what} not supported in OpenCL C")))
}
