//! Structures, unions and enumerations (C99 §6.7.2.1, §6.7.2.2).

use super::attributes::{attributes, more_attributes};
use super::declarators::{Naming, declarator};
use super::expressions::conditional;
use super::recovery::{Part, recover};
use super::specifiers::specifiers;
use super::state::Meaning;
use super::tokens::{
    after_punct, at_keyword, at_punct, bump, eat, eat_keyword, expect, expect_closer, here, identifier,
    index, peek, refused, span_since,
};
use super::{In, Parsed, fault};
use crate::ast::{Declarator, EnumSpecifier, Expr, MemberDeclaration, Name, RecordSpecifier};
use crate::diagnostic::Diagnostic;
use crate::token::{Keyword, Punct, TokenKind};
use chumsky::prelude::*;

/// `record: ('struct' | 'union') attributes identifier? attributes ('{' member* '}' attributes)?`
pub(super) fn record(input: &mut In<'_, '_>) -> Parsed<RecordSpecifier> {
    let start = index(input);
    let is_union = at_keyword(input, Keyword::Union);
    let pack = input.state().pack(start);
    bump(input);
    let (tag, mut attributes) = tag(input)?;
    let (mut members, mut is_broken) = (None, false);
    if let Some(opener) = eat(input, Punct::LeftBrace) {
        let mut list = Vec::new();
        while !at_punct(input, Punct::RightBrace) && peek(input).is_some() {
            if eat(input, Punct::Semicolon).is_none() {
                let parsed = recover(input, Part::Member, member);
                is_broken |= parsed.is_none();
                list.extend(parsed);
            }
        }
        expect_closer(input, Punct::RightBrace, opener)?;
        members = Some(list);
        more_attributes(input, &mut attributes)?;
    } else if tag.is_none() {
        return Err(fault::missing(input, "identifier or '{'"));
    }
    Ok(RecordSpecifier {
        is_union,
        tag,
        members,
        is_broken,
        attributes,
        pack,
        span: span_since(input, start),
    })
}

/// A tag with attributes around it.
fn tag(input: &mut In<'_, '_>) -> Parsed<(Option<Name>, Vec<crate::ast::Attribute>)> {
    let mut found = attributes(input)?;
    let tag = match peek(input) {
        Some(TokenKind::Identifier(_)) => Some(identifier(input)?),
        _ => None,
    };
    more_attributes(input, &mut found)?;
    Ok((tag, found))
}

/// `member: specifiers (member-declarator (',' member-declarator)*)? ';'`
fn member(input: &mut In<'_, '_>) -> Parsed<MemberDeclaration> {
    let start = index(input);
    if at_keyword(input, Keyword::StaticAssert) {
        return Err(refused(input, "'_Static_assert' in a structure is"));
    }
    if matches!(peek(input), Some(TokenKind::Pragma(_))) {
        return Err(refused(input, "a pragma in a structure is"));
    }
    let specifiers = specifiers(input)?;
    let mut declarators = Vec::new();
    if !at_punct(input, Punct::Semicolon) {
        declarators = input.parse(super::tokens::list(custom(member_declarator)))?;
    }
    if at_punct(input, Punct::Equal) {
        return Err(refused(input, "an initial value of a member is"));
    }
    expect(input, Punct::Semicolon, "at end of declaration list")?;
    Ok(MemberDeclaration { specifiers, declarators, span: span_since(input, start) })
}

/// `member-declarator: declarator | declarator? ':' conditional-expression attributes`
fn member_declarator(input: &mut In<'_, '_>) -> Parsed<(Option<Declarator>, Option<Expr>)> {
    let mut named = None;
    if !at_punct(input, Punct::Colon) {
        named = Some(declarator(input, Naming::Required)?);
    }
    let width = input.parse(after_punct(Punct::Colon, custom(conditional)))?;
    if at_keyword(input, Keyword::Attribute) {
        let found = attributes(input)?;
        match &mut named {
            Some(declarator) => declarator.attributes.extend(found),
            None => return Err(refused(input, "an attribute of an unnamed bit-field is")),
        }
    }
    Ok((named, width))
}

/// `enum: 'enum' attributes identifier? attributes ('{' enumerator (',' enumerator)* ','? '}' attributes)?`
pub(super) fn enumeration(input: &mut In<'_, '_>) -> Parsed<EnumSpecifier> {
    let start = index(input);
    bump(input);
    let (tag, mut attributes) = tag(input)?;
    let mut enumerators = None;
    if let Some(opener) = eat(input, Punct::LeftBrace) {
        let mut list = Vec::new();
        if at_punct(input, Punct::RightBrace) {
            let error =
                Diagnostic::error(opener.to(here(input)), "an enumeration needs at least one enumerator");
            return Err(fault::Fault::here(input, error));
        }
        loop {
            list.push(enumerator(input)?);
            if eat(input, Punct::Comma).is_none() || at_punct(input, Punct::RightBrace) {
                break;
            }
        }
        expect_closer(input, Punct::RightBrace, opener)?;
        enumerators = Some(list);
        more_attributes(input, &mut attributes)?;
    } else if tag.is_none() {
        return Err(fault::missing(input, "identifier or '{'"));
    }
    Ok(EnumSpecifier { tag, enumerators, attributes, span: span_since(input, start) })
}

/// `enumerator: identifier ('=' conditional-expression)?`
fn enumerator(input: &mut In<'_, '_>) -> Parsed<(Name, Option<Expr>)> {
    let name = identifier(input)?;
    if eat_keyword(input, Keyword::Attribute).is_some() {
        return Err(refused(input, "an attribute of an enumerator is"));
    }
    let value = input.parse(after_punct(Punct::Equal, custom(conditional)))?;
    // The name is in scope from here on (C99 §6.2.1), in the scope around the enumeration.
    input.state().declare(name.symbol, Meaning::Ordinary);
    Ok((name, value))
}
