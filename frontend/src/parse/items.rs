//! Declarations and definitions at file level (C99 §6.9).

use super::declarations::{ends_definition, finish, init_declarators, named, static_assert};
use super::declarators::is_function;
use super::primary::declare_parameters;
use super::recovery::{Part, recover};
use super::specifiers::{specifiers, starts_declaration};
use super::state::in_scope;
use super::tokens::{at_punct, bump, index, peek, refused, span_since};
use super::{In, Parsed, fault, statements};
use crate::ast::{Declarator, Derived, FunctionDefinition, Item, Specifiers, TranslationUnit};
use crate::token::{Keyword, Punct, TokenKind};

/// `translation-unit: item*`
pub(super) fn translation_unit(input: &mut In<'_, '_>) -> Parsed<TranslationUnit> {
    let (mut foreign, mut known) = (0, 0);
    let mut items = Vec::new();
    while peek(input).is_some() {
        let (start, errors) = (index(input), input.state().error_count());
        let is_empty = matches!(peek(input), Some(TokenKind::Pragma(_) | TokenKind::Punct(Punct::Semicolon)));
        let is_of_known_language = fault::foreign(input).is_some();
        let item = recover(input, Part::Item, item);
        // A note on the first word says where that comes from.
        let error = input.state().first_error_since(errors);
        let is_bare = error.is_some_and(|(at, error)| *at == start && error.notes.is_empty());
        match item {
            None if !is_of_known_language => foreign += 1,
            Some(_) if is_empty || is_bare => {}
            _ => known += 1,
        }
        items.extend(item);
    }
    let is_foreign = foreign > 2 * known;
    Ok(TranslationUnit { items, is_foreign, ..TranslationUnit::default() })
}

/// `item: function | declaration | static-assert | pragma | ';'`
fn item(input: &mut In<'_, '_>) -> Parsed<Item> {
    if let Some(fault) = fault::foreign(input) {
        return Err(fault);
    }
    match peek(input) {
        Some(TokenKind::Pragma(pragma)) => Ok(Item::Pragma(pragma, bump(input))),
        Some(TokenKind::Punct(Punct::Semicolon)) => Ok(Item::Empty(bump(input))),
        Some(TokenKind::Keyword(Keyword::StaticAssert)) => static_assert(input).map(Item::StaticAssert),
        Some(TokenKind::Keyword(Keyword::Asm)) => Err(refused(input, "inline assembly is")),
        Some(TokenKind::Identifier(_)) => function_or_declaration(input),
        _ if starts_declaration(input) => function_or_declaration(input),
        _ => Err(fault::expected(input, "a declaration")),
    }
}

/// ```text
/// function: specifiers declarator block
/// declaration: specifiers (init-declarator (',' init-declarator)*)? ';'
/// ```
fn function_or_declaration(input: &mut In<'_, '_>) -> Parsed<Item> {
    const CONTEXT: &str = "after top level declarator";
    let start = index(input);
    let specifiers = specifiers(input)?;
    let mut declarators = Vec::new();
    if !at_punct(input, Punct::Semicolon) && !ends_definition(input, &specifiers) {
        let first = named(input, &specifiers)?;
        if is_function(&first) && at_punct(input, Punct::LeftBrace) {
            return function(input, specifiers, first, start);
        }
        declarators = init_declarators(input, &specifiers, first)?;
    }
    finish(input, specifiers, declarators, start, CONTEXT).map(Item::Declaration)
}

/// The body of a function whose declarator was already read.
fn function(
    input: &mut In<'_, '_>,
    specifiers: Specifiers,
    declarator: Declarator,
    start: usize,
) -> Parsed<Item> {
    let body = in_scope(input, |input| {
        if let Some(Derived::Function(parameters)) = declarator.derived.first() {
            declare_parameters(input, parameters);
        }
        statements::block(input)
    })?;
    let span = span_since(input, start);
    Ok(Item::Function(Box::new(FunctionDefinition { specifiers, declarator, body, span })))
}
