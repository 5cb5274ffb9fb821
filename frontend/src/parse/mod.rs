//! From tokens to the syntax tree.
//!
//! # How it works
//! The parser runs on chumsky over the token slice. Every production of the grammar (C99 annex A, with what
//! OpenCL C adds) is a function over the parser's input whose doc comment gives its rule;
//! [`chumsky::primitive::custom`] makes a parser of such a function, and combinators put these together. The
//! grammar is decided on the first token or two everywhere, with the [`state::State`]'s help for typedef
//! names, so that nothing is parsed twice and an error is final: it goes to the nearest [`recovery`] point,
//! which reports it and goes on behind it.
//!
//! # Invariants
//! - [`brackets`] has run before: brackets are balanced and not nested deeper than
//!   [`crate::limits::NESTING`]. Where they are not, only that is reported.
//! - Trees are at most [`crate::limits::TREE_DEPTH`] deep, and the parser's stack grows on demand
//!   ([`state::nested`]).
//! - The parser reports a missing or contradictory type; what a well-formed tree means is the checker's
//!   matter.

mod attributes;
mod brackets;
mod declarations;
mod declarators;
mod expressions;
mod fault;
mod initializers;
mod items;
mod parameters;
mod primary;
mod records;
mod recovery;
mod specifiers;
mod state;
mod statements;
mod tokens;
mod type_names;

#[cfg(test)]
mod tests;

use crate::ast::TranslationUnit;
use crate::diagnostic::Diagnostics;
use crate::symbol::Interner;
use crate::token::{Keyword, Pragma, Token, TokenKind};
use chumsky::prelude::*;
use state::State;
use std::borrow::Cow;

/// What the parsers read.
type Tokens<'s> = &'s [Token];
/// chumsky's parameters: errors and state.
type Extra<'s> = extra::Full<fault::Fault, State<'s>, ()>;
/// The input of a production while it runs.
type In<'s, 'p> = chumsky::input::InputRef<'s, 'p, Tokens<'s>, Extra<'s>>;
/// What a production gives.
type Parsed<T> = Result<T, fault::Fault>;

/// A parser of a `T`.
trait Production<'s, T>: Parser<'s, Tokens<'s>, T, Extra<'s>> {}
impl<'s, T, P: Parser<'s, Tokens<'s>, T, Extra<'s>>> Production<'s, T> for P {}

/// Parses a translation unit; errors go to `diagnostics`, and what could be parsed is given back.
pub fn parse(tokens: &[Token], interner: &mut Interner, diagnostics: &mut Diagnostics) -> TranslationUnit {
    // Keywords can be names of attributes, and suggestions for misspelt names.
    for keyword in Keyword::ALL {
        interner.intern(keyword.text());
    }
    let builtin_types = type_names::intern(interner);
    let vec_step = interner.intern("vec_step");
    let (tokens, packs) = without_packs(tokens);
    let tokens = tokens.as_ref();
    let brackets = match brackets::matching(tokens) {
        Ok(brackets) => brackets,
        Err(errors) => {
            // What the preprocessor could not read, an unclosed quote say, may have held the missing bracket.
            if !diagnostics.has_errors() {
                errors.into_iter().for_each(|error| diagnostics.push(error));
            }
            return TranslationUnit::default();
        }
    };
    let mut state = State::new(tokens, brackets, interner, &builtin_types, vec_step, packs);
    let (unit, faults) =
        custom(items::translation_unit).parse_with_state(tokens, &mut state).into_output_errors();
    assert!(faults.is_empty() && unit.is_some(), "parse: the translation unit recovers from every error");
    state.take_diagnostics().into_iter().for_each(|error| diagnostics.push(error));
    let suspects = state.take_suspects();
    unit.map(|unit| TranslationUnit { suspects, ..unit }).unwrap_or_default()
}

/// Where `#pragma pack` stood: the index of the token behind it, and what holds from there on.
type Packs = Vec<(usize, Option<u32>)>;

/// The tokens without `#pragma pack`, which may stand anywhere, and where it stood.
fn without_packs(tokens: &[Token]) -> (Cow<'_, [Token]>, Packs) {
    let pack = |token: &Token| match token.kind {
        TokenKind::Pragma(Pragma::Pack(align)) => Some(align),
        _ => None,
    };
    if !tokens.iter().any(|token| pack(token).is_some()) {
        return (Cow::Borrowed(tokens), Vec::new());
    }
    let (mut rest, mut packs) = (Vec::with_capacity(tokens.len()), Vec::new());
    for token in tokens {
        match pack(token) {
            Some(align) => packs.push((rest.len(), align)),
            None => rest.push(*token),
        }
    }
    (Cow::Owned(rest), packs)
}
