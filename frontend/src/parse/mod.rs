//! From tokens to the syntax tree.
//!
//! # How it works
//! The parser runs on chumsky over the token slice. Every production of the grammar (C99 annex A, with OpenCL
//! C's additions) is a function over the parser's input whose doc comment gives its rule.
//! [`chumsky::primitive::custom`] makes a parser from such a function, and combinators join them. One or two
//! tokens always decide between productions, with the help of [`state::State`] for typedef names. So nothing
//! is parsed twice, and an error is final: it goes to the nearest [`recovery`] point, which reports it and
//! continues after it.
//!
//! # Invariants
//! - [`brackets`] has run before, so brackets are balanced and not nested deeper than
//!   [`crate::limits::NESTING`]. If they are not balanced, [`repair`] reports it and balances them.
//! - Trees are at most [`crate::limits::TREE_DEPTH`] deep, and the parser's stack grows on demand
//!   ([`state::nested`]).
//! - The parser reports missing and contradictory types; the checker decides what a well-formed tree means.

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
mod repair;
mod specifiers;
mod state;
mod statements;
mod tokens;
mod type_names;

#[cfg(test)]
mod tests;

use crate::ast::TranslationUnit;
use crate::diagnostic::{Diagnostic, Diagnostics};
use crate::symbol::{Interner, Symbol};
use crate::token::{Keyword, Pragma, Token, TokenKind};
use brackets::{Brackets, Mismatch};
use chumsky::prelude::*;
use repair::Repaired;
use state::State;
use std::borrow::Cow;

/// The input of the parsers.
type Tokens<'s> = &'s [Token];
/// chumsky's parameters: errors and state.
type Extra<'s> = extra::Full<fault::Fault, State<'s>, ()>;
/// The input of a production while it runs.
type In<'s, 'p> = chumsky::input::InputRef<'s, 'p, Tokens<'s>, Extra<'s>>;
/// The result of a production.
type Parsed<T> = Result<T, fault::Fault>;

/// A parser of a `T`.
trait Production<'s, T>: Parser<'s, Tokens<'s>, T, Extra<'s>> {}
impl<'s, T, P: Parser<'s, Tokens<'s>, T, Extra<'s>>> Production<'s, T> for P {}

/// Parses a translation unit. Errors go to `diagnostics`; the result holds everything that could be parsed.
pub fn parse(tokens: &[Token], interner: &mut Interner, diagnostics: &mut Diagnostics) -> TranslationUnit {
    // Keywords can be attribute names, and suggestions for misspelt names.
    for keyword in Keyword::ALL {
        interner.intern(keyword.text());
    }
    let builtin_types = type_names::intern(interner);
    let vec_step = interner.intern("vec_step");
    let (tokens, packs) = without_packs(tokens);
    match brackets::matching(&tokens) {
        Ok(brackets) => {
            let names = Names { interner, builtin_types: &builtin_types, vec_step };
            let (unit, errors) = parse_balanced(&tokens, brackets, packs, &names);
            errors.into_iter().for_each(|(_, error)| diagnostics.push(error));
            unit
        }
        Err(Mismatch::TooDeep(error)) => {
            diagnostics.push(*error);
            TranslationUnit::default()
        }
        Err(Mismatch::Unbalanced) => {
            let names = Names { interner, builtin_types: &builtin_types, vec_step };
            let (unit, errors) = parse_repaired(&tokens, packs, &names);
            // Text that the preprocessor could not read, such as an unclosed quote, may contain the missing
            // bracket. Of a text of another language only the first error matters.
            if diagnostics.has_errors() && !unit.is_foreign {
                return TranslationUnit::default();
            }
            errors.into_iter().for_each(|error| diagnostics.push(error));
            TranslationUnit { is_repaired: true, ..unit }
        }
    }
}

pub(crate) use type_names::is_image as is_image_type;

/// The names of the built-in types.
pub(crate) fn builtin_type_names(interner: &mut Interner) -> Vec<Symbol> {
    type_names::intern(interner).into_iter().map(|(symbol, _)| symbol).collect()
}

/// The names of vectors of `bool`.
pub(crate) fn bool_vector_names(interner: &mut Interner) -> Vec<Symbol> {
    type_names::bool_vectors(interner)
}

/// The names that the parser must know.
struct Names<'a> {
    interner: &'a Interner,
    builtin_types: &'a [(Symbol, bool)],
    vec_step: Symbol,
}

/// Parses tokens with matching brackets. Returns the errors too, each with the index of the token where it
/// was found.
fn parse_balanced(
    tokens: &[Token],
    brackets: Brackets,
    packs: Packs,
    names: &Names<'_>,
) -> (TranslationUnit, Vec<(usize, Diagnostic)>) {
    let mut state = State::new(tokens, brackets, names.interner, names.builtin_types, names.vec_step, packs);
    let (unit, faults) =
        custom(items::translation_unit).parse_with_state(tokens, &mut state).into_output_errors();
    assert!(faults.is_empty() && unit.is_some(), "parse: the translation unit recovers from every error");
    let errors = state.take_diagnostics();
    let suspects = state.take_suspects();
    (unit.map(|unit| TranslationUnit { suspects, ..unit }).unwrap_or_default(), errors)
}

/// Parses tokens whose brackets do not match. Returns the errors too, those of the brackets first.
fn parse_repaired(tokens: &[Token], packs: Packs, names: &Names<'_>) -> (TranslationUnit, Vec<Diagnostic>) {
    let Repaired { tokens, repairs } = repair::repair(tokens);
    let parsed = tokens.and_then(|tokens| {
        // The indices of `#pragma pack` are those of the broken list, but layouts do not matter after errors.
        let brackets = brackets::matching(&tokens).ok()?;
        Some(parse_balanced(&tokens, brackets, packs, names))
    });
    let hopeless = TranslationUnit { is_foreign: true, ..TranslationUnit::default() };
    let (unit, errors) = parsed.unwrap_or((hopeless, Vec::new()));
    let places: Vec<usize> = errors.iter().map(|(at, _)| *at).collect();
    let repairs = repairs.into_iter().filter(|repair| !repair.is_superseded(&places));
    (unit, repairs.map(|repair| repair.error).chain(errors.into_iter().map(|(_, error)| error)).collect())
}

/// The places of `#pragma pack`: the index of the token after it, and the value from there on.
type Packs = Vec<(usize, Option<u32>)>;

/// The tokens without `#pragma pack`, which may appear anywhere, and the places where it was.
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
