//! Initialisers (C99 §6.7.8).

use super::expressions::{assignment, conditional};
use super::state::nested;
use super::tokens::{
    at_punct, bump, eat, expect, expect_closer, identifier, index, peek, peek_at, refused, span_since,
};
use super::{In, Parsed};
use crate::ast::{Designator, Initializer, InitializerList};
use crate::token::{Punct, TokenKind};

/// `initializer: assignment-expression | initializer-list`
pub(super) fn initializer(input: &mut In<'_, '_>) -> Parsed<Initializer> {
    if at_punct(input, Punct::LeftBrace) {
        nested(input, initializer_list).map(Initializer::List)
    } else {
        assignment(input).map(Initializer::Expr)
    }
}

/// `initializer-list: '{' (designation? initializer (',' designation? initializer)* ','?)? '}'`
pub(super) fn initializer_list(input: &mut In<'_, '_>) -> Parsed<InitializerList> {
    let start = index(input);
    let opener = expect(input, Punct::LeftBrace, "")?;
    let mut elements = Vec::new();
    while !at_punct(input, Punct::RightBrace) {
        elements.push((designation(input)?, initializer(input)?));
        if eat(input, Punct::Comma).is_none() {
            break;
        }
    }
    expect_closer(input, Punct::RightBrace, opener)?;
    Ok(InitializerList { elements, span: span_since(input, start) })
}

/// `designation: (('[' conditional-expression ('...' conditional-expression)? ']' | '.' identifier)+ '=')?`
fn designation(input: &mut In<'_, '_>) -> Parsed<Vec<Designator>> {
    let mut designators = Vec::new();
    if matches!(peek(input), Some(TokenKind::Identifier(_)))
        && peek_at(input, 1) == Some(TokenKind::Punct(Punct::Colon))
    {
        return Err(refused(input, "the designator 'name:' (write '.name =') is"));
    }
    loop {
        if at_punct(input, Punct::LeftBracket) {
            let opener = bump(input);
            let subscript = conditional(input)?;
            let last = match eat(input, Punct::Ellipsis) {
                Some(_) => Some(conditional(input)?),
                None => None,
            };
            expect_closer(input, Punct::RightBracket, opener)?;
            designators.push(match last {
                Some(last) => Designator::Range(subscript, last),
                None => Designator::Index(subscript),
            });
        } else if eat(input, Punct::Dot).is_some() {
            designators.push(Designator::Member(identifier(input)?));
        } else {
            break;
        }
        super::state::grow(input)?;
    }
    if !designators.is_empty() {
        expect(input, Punct::Equal, "after designator")?;
    }
    Ok(designators)
}
