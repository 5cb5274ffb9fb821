//! Parameter lists (C99 §6.7.5.3).

use super::declarators::{Naming, another, declarator};
use super::fault::Fault;
use super::specifiers::specifiers;
use super::state::{Meaning, in_scope};
use super::tokens::{
    at_punct, bump, eat, expect_closer, here, index, peek, peek_at, peek_identifier, span_since,
};
use super::{In, Parsed, fault};
use crate::ast::{Parameter, Parameters};
use crate::diagnostic::Diagnostic;
use crate::token::{Keyword, Punct, TokenKind};

/// `parameters: '(' ('void' | parameter (',' parameter)* (',' '...')?)? ')'`
pub(super) fn parameters(input: &mut In<'_, '_>) -> Parsed<Parameters> {
    let start = index(input);
    let opener = bump(input);
    let (mut params, mut variadic) = (Vec::new(), None);
    let only_void = peek(input) == Some(TokenKind::Keyword(Keyword::Void))
        && peek_at(input, 1) == Some(TokenKind::Punct(Punct::RightParen));
    if only_void {
        bump(input);
    } else if !at_punct(input, Punct::RightParen) {
        refuse_names_without_types(input, start)?;
        in_scope(input, |input| {
            loop {
                variadic = eat(input, Punct::Ellipsis);
                if variadic.is_some() {
                    break;
                }
                params.push(parameter(input)?);
                if !another(input) {
                    break;
                }
            }
            Ok(())
        })?;
    }
    expect_closer(input, Punct::RightParen, opener)?;
    Ok(Parameters { params, variadic, span: span_since(input, start) })
}

/// `parameter: specifiers declarator?`
fn parameter(input: &mut In<'_, '_>) -> Parsed<Parameter> {
    let start = index(input);
    if at_punct(input, Punct::RightParen) || at_punct(input, Punct::Comma) {
        return Err(fault::expected(input, "parameter declarator"));
    }
    let specifiers = specifiers(input)?;
    let declarator = declarator(input, Naming::Optional)?;
    if let Some(name) = declarator.name {
        input.state().declare(name.symbol, Meaning::Ordinary);
    }
    if at_punct(input, Punct::Equal) {
        return Err(super::tokens::refused(input, "a default value of a parameter is"));
    }
    Ok(Parameter { specifiers, declarator, span: span_since(input, start) })
}

/// `f(a, b) int a; int b; { … }`: C before 1989.
fn refuse_names_without_types(input: &mut In<'_, '_>, start: usize) -> Parsed<()> {
    let Some(symbol) = peek_identifier(input) else { return Ok(()) };
    let alone = matches!(peek_at(input, 1), Some(TokenKind::Punct(Punct::Comma | Punct::RightParen)));
    if !alone || input.state().is_type(symbol) {
        return Ok(());
    }
    let Some(closer) = input.state().brackets().closer(start) else { return Ok(()) };
    let ahead = closer + 1 - index(input);
    if !super::specifiers::starts_type_name(input, ahead) {
        return Ok(());
    }
    let message = "function definitions in the style of K&R C are not supported";
    let error = Diagnostic::error(here(input), message).note("write the types in the parameter list");
    // Parsing continues after the function's body.
    let rest = &input.state().tokens()[closer..];
    let body = rest.iter().take(256).position(|token| token.kind == TokenKind::Punct(Punct::LeftBrace));
    Err(Fault { at: closer + body.unwrap_or(0), diagnostic: Box::new(error) })
}
