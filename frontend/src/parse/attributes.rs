//! `__attribute__((…))` (OpenCL C §6.13), which may appear almost everywhere.

use super::expressions::assignment;
use super::tokens::{
    at_keyword, at_punct, bump, eat, eat_keyword, expect, expect_closer, index, list, peek, span_since,
};
use super::{In, Parsed, fault};
use crate::ast::{Attribute, AttributeArgument, Name};
use crate::token::{Keyword, Punct, TokenKind};
use chumsky::prelude::*;

/// `attributes: ('__attribute__' '(' '(' attribute? (',' attribute?)* ')' ')')*`
pub(super) fn attributes(input: &mut In<'_, '_>) -> Parsed<Vec<Attribute>> {
    let mut found = Vec::new();
    while eat_keyword(input, Keyword::Attribute).is_some() {
        let outer = expect(input, Punct::LeftParen, "after 'attribute'")?;
        let inner = expect(input, Punct::LeftParen, "after '('")?;
        loop {
            if !at_punct(input, Punct::Comma) && !at_punct(input, Punct::RightParen) {
                found.push(attribute(input)?);
            }
            if eat(input, Punct::Comma).is_none() {
                break;
            }
        }
        expect_closer(input, Punct::RightParen, inner)?;
        expect_closer(input, Punct::RightParen, outer)?;
    }
    Ok(found)
}

/// Attributes that may follow, added to those that were found before.
pub(super) fn more_attributes(input: &mut In<'_, '_>, found: &mut Vec<Attribute>) -> Parsed<()> {
    if at_keyword(input, Keyword::Attribute) {
        found.extend(attributes(input)?);
    }
    Ok(())
}

/// `attribute: (identifier | keyword) ('(' (argument (',' argument)*)? ')')?`
fn attribute(input: &mut In<'_, '_>) -> Parsed<Attribute> {
    let start = index(input);
    let symbol = match peek(input) {
        Some(TokenKind::Identifier(symbol)) => symbol,
        Some(TokenKind::Keyword(keyword)) => {
            input.state().interner().get(keyword.text()).expect("keywords are interned before parsing")
        }
        _ => return Err(fault::expected(input, "the name of an attribute")),
    };
    let name = Name { symbol, span: bump(input) };
    let mut arguments = Vec::new();
    if let Some(opener) = eat(input, Punct::LeftParen) {
        if !at_punct(input, Punct::RightParen) {
            arguments = input.parse(list(custom(argument)))?;
        }
        expect_closer(input, Punct::RightParen, opener)?;
    }
    Ok(Attribute { name, arguments, span: span_since(input, start) })
}

/// `argument: type-name | assignment-expression`
fn argument(input: &mut In<'_, '_>) -> Parsed<AttributeArgument> {
    if super::specifiers::starts_type_name(input, 0) {
        super::declarators::type_name(input).map(AttributeArgument::Type)
    } else {
        assignment(input).map(AttributeArgument::Expr)
    }
}
