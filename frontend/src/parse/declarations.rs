//! Declarations in blocks and at file level (C99 §6.7).

use super::attributes::more_attributes;
use super::declarators::{Naming, another, declarator, is_function};
use super::initializers::initializer;
use super::specifiers::specifiers;
use super::state::Meaning;
use super::tokens::{after_punct, at_punct, bump, index, parenthesised, peek, span_since};
use super::{In, Parsed, expressions, fault, tokens};
use crate::ast::{
    Attribute, Declaration, Declarator, InitDeclarator, Specifiers, StaticAssert, TypeSpecifier,
};
use crate::diagnostic::Diagnostic;
use crate::token::{Punct, TokenKind};
use chumsky::prelude::*;

/// `declaration: specifiers (init-declarator (',' init-declarator)*)? ';'`; `before` are attributes that were
/// already read.
pub(super) fn declaration(input: &mut In<'_, '_>, before: Vec<Attribute>) -> Parsed<Declaration> {
    let start = index(input);
    let mut specifiers = specifiers(input)?;
    specifiers.attributes.splice(0..0, before);
    let mut declarators = Vec::new();
    if !at_punct(input, Punct::Semicolon) && !ends_definition(input, &specifiers) {
        let first = named(input, &specifiers)?;
        declarators = init_declarators(input, &specifiers, first)?;
    }
    let is_body = at_punct(input, Punct::LeftBrace)
        && declarators.last().is_some_and(|item| is_function(&item.declarator) && item.initializer.is_none());
    if is_body {
        let error = Diagnostic::error(tokens::here(input), "function definition is not allowed here");
        tokens::report(input, error.note("define it before this function"));
        super::recovery::skip_group(input);
        return Ok(Declaration { specifiers, declarators, span: span_since(input, start) });
    }
    finish(input, specifiers, declarators, start, "at end of declaration")
}

/// The end of a declaration: its semicolon.
pub(super) fn finish(
    input: &mut In<'_, '_>,
    specifiers: Specifiers,
    declarators: Vec<InitDeclarator>,
    start: usize,
    context: &str,
) -> Parsed<Declaration> {
    let context = match &specifiers.ty {
        _ if !declarators.is_empty() => context,
        TypeSpecifier::Record(record) if record.is_union => "after union",
        TypeSpecifier::Record(_) => "after struct",
        TypeSpecifier::Enum(_) => "after enum",
        _ => context,
    };
    super::statements::semicolon(input, context)?;
    Ok(Declaration { specifiers, declarators, span: span_since(input, start) })
}

/// Whether the specifiers define a structure or enumeration and no declarator follows.
pub(super) fn ends_definition(input: &mut In<'_, '_>, specifiers: &Specifiers) -> bool {
    let defines = match &specifiers.ty {
        TypeSpecifier::Record(record) => record.members.is_some(),
        TypeSpecifier::Enum(listed) => listed.enumerators.is_some(),
        _ => false,
    };
    let declares = matches!(
        peek(input),
        Some(TokenKind::Identifier(_) | TokenKind::Punct(Punct::Star | Punct::LeftParen | Punct::Caret))
    );
    // A known type after the definition starts the next declaration: the semicolon is missing.
    let next_type = tokens::peek_identifier(input).is_some_and(|symbol| input.state().is_type(symbol))
        && matches!(
            tokens::peek_at(input, 1),
            Some(TokenKind::Identifier(_) | TokenKind::Punct(Punct::Star))
        );
    defines && (!declares || next_type)
}

/// A declarator whose name is in scope from here on.
pub(super) fn named(input: &mut In<'_, '_>, specifiers: &Specifiers) -> Parsed<Declarator> {
    let declarator = declarator(input, Naming::Required)?;
    declare(input, specifiers, &declarator);
    Ok(declarator)
}

/// The scope of a name begins right after its declarator (C99 §6.2.1 paragraph 7).
fn declare(input: &mut In<'_, '_>, specifiers: &Specifiers, declarator: &Declarator) {
    let Some(name) = declarator.name else { return };
    let state = input.state();
    let meaning = if specifiers.is_typedef() {
        let vector = declarator.derived.is_empty()
            && matches!(&specifiers.ty, TypeSpecifier::Named(base)
                if state.meaning(base.symbol) == Some(Meaning::Type { vector: true }));
        Meaning::Type { vector }
    } else {
        Meaning::Ordinary
    };
    state.declare(name.symbol, meaning);
}

/// `init-declarator: declarator attributes ('=' initializer)?`; the first declarator was already read.
pub(super) fn init_declarators(
    input: &mut In<'_, '_>,
    specifiers: &Specifiers,
    first: Declarator,
) -> Parsed<Vec<InitDeclarator>> {
    let mut list = Vec::new();
    let mut next = Some(first);
    while let Some(mut declarator) = next.take() {
        more_attributes(input, &mut declarator.attributes)?;
        let initializer = input.parse(after_punct(Punct::Equal, custom(initializer)))?;
        list.push(InitDeclarator { declarator, initializer });
        if another(input) {
            next = Some(named(input, specifiers)?);
        }
    }
    Ok(list)
}

/// `static-assert: '_Static_assert' '(' conditional-expression (',' string-literal)? ')' ';'`
pub(super) fn static_assert(input: &mut In<'_, '_>) -> Parsed<StaticAssert> {
    let start = index(input);
    bump(input);
    let message = custom(|input: &mut In<'_, '_>| match peek(input) {
        Some(TokenKind::Str(_)) => Ok(super::primary::string(input)),
        _ => Err(fault::expected(input, "string literal")),
    });
    let arguments = custom(expressions::conditional).then(after_punct(Punct::Comma, message));
    let (condition, message) = input.parse(parenthesised("after '_Static_assert'", arguments))?;
    super::statements::semicolon(input, "after '_Static_assert'")?;
    Ok(StaticAssert { condition, message, span: span_since(input, start) })
}
