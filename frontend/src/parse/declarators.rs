//! Declarators (C99 §6.7.5) and type names (§6.7.6).

use super::attributes::attributes;
use super::expressions::assignment;
use super::parameters::parameters;
use super::specifiers::specifiers;
use super::state::{deeper, grow};
use super::tokens::{
    at_keyword, at_punct, bump, eat, expect_closer, identifier, index, peek, peek_at, refused, span_since,
};
use super::{In, Parsed, fault};
use crate::ast::{Attribute, Declarator, Derived, Qualifiers, TypeName};
use crate::token::{Keyword, Punct, TokenKind};

/// Whether a declarator has a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Naming {
    /// In declarations.
    Required,
    /// In parameters.
    Optional,
    /// In type names.
    Forbidden,
}

/// `type-name: specifiers abstract-declarator`
pub(super) fn type_name(input: &mut In<'_, '_>) -> Parsed<TypeName> {
    let start = index(input);
    let specifiers = specifiers(input)?;
    let declarator = declarator(input, Naming::Forbidden)?;
    Ok(TypeName { specifiers, declarator, span: span_since(input, start) })
}

/// ```text
/// declarator: pointer* (identifier | '(' declarator ')')? suffix* attributes
/// suffix: '[' … ']' | '(' parameters ')'
/// ```
pub(super) fn declarator(input: &mut In<'_, '_>, naming: Naming) -> Parsed<Declarator> {
    deeper(input, |input| {
        let start = index(input);
        let (mut pointers, mut attributes) = pointers(input)?;
        let (name, mut derived) = direct(input, naming, &mut attributes)?;
        let inner = derived.len();
        suffixes(input, &mut derived)?;
        // The pointer nearest to the name comes first.
        pointers.reverse();
        derived.append(&mut pointers);
        if at_keyword(input, Keyword::Asm) {
            return Err(refused(input, "an assembler name is"));
        }
        attributes.extend(self::attributes(input)?);
        // A type is as deep as it has parts.
        for _ in inner..derived.len() {
            grow(input)?;
        }
        Ok(Declarator { name, derived, attributes, span: span_since(input, start) })
    })
}

/// `pointer: ('*' | '^') (qualifier | attribute)*`
fn pointers(input: &mut In<'_, '_>) -> Parsed<(Vec<Derived>, Vec<Attribute>)> {
    let (mut pointers, mut found) = (Vec::new(), attributes(input)?);
    loop {
        let block = at_punct(input, Punct::Caret);
        if !block && !at_punct(input, Punct::Star) {
            return Ok((pointers, found));
        }
        let span = bump(input);
        let mut qualifiers = Qualifiers::default();
        while let Some(TokenKind::Keyword(keyword)) = peek(input) {
            if keyword == Keyword::Attribute {
                found.extend(attributes(input)?);
            } else if qualifiers.add(keyword, super::tokens::here(input)) {
                bump(input);
            } else {
                break;
            }
        }
        pointers.push(if block {
            Derived::BlockPointer(qualifiers, span)
        } else {
            Derived::Pointer(qualifiers, span)
        });
    }
}

/// The name, or a declarator in parentheses.
fn direct(
    input: &mut In<'_, '_>,
    naming: Naming,
    attributes: &mut Vec<Attribute>,
) -> Parsed<(Option<crate::ast::Name>, Vec<Derived>)> {
    match peek(input) {
        Some(TokenKind::Identifier(_)) if naming != Naming::Forbidden => {
            Ok((Some(identifier(input)?), Vec::new()))
        }
        Some(TokenKind::Punct(Punct::LeftParen)) if starts_inner(input, naming) => {
            let opener = bump(input);
            let inner = declarator(input, naming)?;
            expect_closer(input, Punct::RightParen, opener)?;
            attributes.extend(inner.attributes);
            Ok((inner.name, inner.derived))
        }
        _ if naming == Naming::Required => Err(fault::expected(input, "identifier or '('")),
        _ => Ok((None, Vec::new())),
    }
}

/// Whether the parenthesis opens a declarator instead of a parameter list (C99 §6.7.5.3 paragraph 11: there,
/// an identifier that is a type name is a parameter's type).
fn starts_inner(input: &mut In<'_, '_>, naming: Naming) -> bool {
    if naming == Naming::Required {
        return true;
    }
    match peek_at(input, 1) {
        Some(TokenKind::Punct(Punct::Star | Punct::Caret | Punct::LeftParen | Punct::LeftBracket)) => true,
        Some(TokenKind::Identifier(symbol)) => naming == Naming::Optional && !input.state().is_type(symbol),
        _ => false,
    }
}

/// The array and function parts after the name.
fn suffixes(input: &mut In<'_, '_>, derived: &mut Vec<Derived>) -> Parsed<()> {
    loop {
        match peek(input) {
            Some(TokenKind::Punct(Punct::LeftBracket)) => derived.push(array(input)?),
            Some(TokenKind::Punct(Punct::LeftParen)) => derived.push(Derived::Function(parameters(input)?)),
            _ => return Ok(()),
        }
    }
}

/// `'[' ('static' | qualifier)* (assignment-expression | '*')? ']'`
fn array(input: &mut In<'_, '_>) -> Parsed<Derived> {
    let start = index(input);
    let opener = bump(input);
    let mut qualifiers = Qualifiers::default();
    while let Some(TokenKind::Keyword(keyword)) = peek(input) {
        let span = super::tokens::here(input);
        if keyword != Keyword::Static && !qualifiers.add(keyword, span) {
            break;
        }
        bump(input);
    }
    let mut size = None;
    if at_punct(input, Punct::Star) && peek_at(input, 1) == Some(TokenKind::Punct(Punct::RightBracket)) {
        return Err(refused(input, "an array of variable length is"));
    }
    if !at_punct(input, Punct::RightBracket) {
        size = Some(Box::new(assignment(input)?));
    }
    expect_closer(input, Punct::RightBracket, opener)?;
    Ok(Derived::Array { size, qualifiers, span: span_since(input, start) })
}

/// Whether a declarator declares a function, not a pointer to one.
pub(super) fn is_function(declarator: &Declarator) -> bool {
    matches!(declarator.derived.first(), Some(Derived::Function(_)))
}

/// Takes a comma, if one follows.
pub(super) fn another(input: &mut In<'_, '_>) -> bool {
    eat(input, Punct::Comma).is_some()
}
