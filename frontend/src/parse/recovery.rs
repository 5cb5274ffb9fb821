//! Where the parser continues after an error.
//!
//! A recovery point parses a part (a statement, a member, an item). If that fails, it reports the error,
//! removes the names that the part declared, and continues after the error: it leaves the brackets that were
//! opened inside the part, then skips to the end of the part.

use super::tokens::{eat, index, peek, peek_at, previous};
use super::{In, Parsed};
use crate::token::{Keyword, Punct, TokenKind};

/// What ends a broken part.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Part {
    /// A statement or declaration in a block.
    Statement,
    /// A member of a structure.
    Member,
    /// A declaration or definition at file level.
    Item,
}

/// Parses a part; after an error, reports it and skips to the start of the next part.
pub(super) fn recover<'s, 'p, T>(
    input: &mut In<'s, 'p>,
    part: Part,
    production: impl FnOnce(&mut In<'s, 'p>) -> Parsed<T>,
) -> Option<T> {
    let (before, start) = (input.save(), index(input));
    match production(input) {
        Ok(value) => Some(value),
        Err(fault) => {
            input.rewind(before);
            let at = fault.at;
            input.state().report(fault);
            const BEHIND: usize = 8;
            suspect(input, start, at, BEHIND);
            let target = leave_brackets(input, start, at);
            while index(input) < target {
                input.skip();
            }
            let in_head = part == Part::Statement && is_in_head(input, start, at);
            synchronise(input, part, start, in_head);
            None
        }
    }
}

/// Parses a group in brackets that the next token opens. After an error within the group, reports it and
/// continues after the group.
pub(super) fn recover_group<'s, 'p, T>(
    input: &mut In<'s, 'p>,
    production: impl FnOnce(&mut In<'s, 'p>) -> Parsed<T>,
) -> Parsed<Option<T>> {
    let (before, opener) = (input.save(), index(input));
    let fault = match production(input) {
        Ok(value) => return Ok(Some(value)),
        Err(fault) => fault,
    };
    let closer = input.state().brackets().closer(opener);
    let Some(closer) = closer.filter(|&closer| (opener..=closer).contains(&fault.at)) else {
        return Err(fault);
    };
    input.rewind(before);
    input.state().report(fault);
    suspect(input, opener, closer, 0);
    while index(input) <= closer {
        input.skip();
    }
    Ok(None)
}

/// Remembers the names in a part that was not understood, and in the `behind` tokens after the error, because
/// the part may declare them.
fn suspect(input: &mut In<'_, '_>, start: usize, at: usize, behind: usize) {
    let state = input.state();
    let tokens = state.tokens();
    let end = tokens.len().min(at.max(start) + behind);
    let names = tokens[start..end].iter().enumerate().take_while(|(number, token)| {
        start + number < at || !matches!(token.kind, TokenKind::Punct(Punct::Semicolon | Punct::LeftBrace))
    });
    for (_, token) in names {
        if let TokenKind::Identifier(symbol) = token.kind {
            state.suspect(symbol);
        }
    }
}

/// The index `at`, or the index after the brackets that the part opened around it.
fn leave_brackets(input: &mut In<'_, '_>, start: usize, at: usize) -> usize {
    let brackets = input.state().brackets();
    let mut target = at.max(start);
    while let Some(opener) = brackets.around(target) {
        if opener < start {
            break;
        }
        target = brackets.closer(opener).expect("brackets are balanced") + 1;
    }
    target
}

/// Skips to the end of the broken part that began at `start`. With `in_head`, the body of the statement
/// belongs to it.
fn synchronise(input: &mut In<'_, '_>, part: Part, start: usize, in_head: bool) {
    while let Some(kind) = peek(input) {
        let moved = index(input) > start;
        match kind {
            TokenKind::Punct(Punct::Semicolon) if in_head && before_block(input) => input.skip(),
            TokenKind::Punct(Punct::Semicolon) => {
                input.skip();
                return;
            }
            // Items are not inside braces, so a brace here belongs to the broken item.
            TokenKind::Punct(Punct::RightBrace) if part == Part::Item => input.skip(),
            TokenKind::Punct(Punct::RightBrace) => return,
            TokenKind::Punct(Punct::LeftBrace) => {
                let is_list =
                    previous(input).is_some_and(|token| token.kind == TokenKind::Punct(Punct::Equal));
                if is_list {
                    skip_group(input);
                    continue;
                }
                if part == Part::Statement && moved && !in_head {
                    return;
                }
                skip_group(input);
                if in_head {
                    return;
                }
                if part == Part::Item {
                    eat(input, Punct::Semicolon);
                    return;
                }
            }
            TokenKind::Keyword(keyword)
                if moved && starts_part(part, keyword) && is_followed_well(input, keyword) =>
            {
                return;
            }
            TokenKind::Pragma(_) if moved => return,
            _ => skip_group(input),
        }
    }
}

/// Whether the error at `at` is in the head of the `for` or `switch` that starts at `start`, without which
/// its body has no meaning.
fn is_in_head(input: &mut In<'_, '_>, start: usize, at: usize) -> bool {
    let state = input.state();
    let starts_with = state.tokens().get(start).map(|token| token.kind);
    matches!(starts_with, Some(TokenKind::Keyword(Keyword::For | Keyword::Switch)))
        && state.brackets().closer(start + 1).is_none_or(|closer| at <= closer)
}

/// Whether the next brace in this block opens one, within the tokens that a statement's head may have.
fn before_block(input: &mut In<'_, '_>) -> bool {
    const FAR: usize = 64;
    (0..FAR)
        .map_while(|ahead| peek_at(input, ahead))
        .find(|kind| matches!(kind, TokenKind::Punct(Punct::LeftBrace | Punct::RightBrace)))
        == Some(TokenKind::Punct(Punct::LeftBrace))
}

/// Whether the token after a keyword can follow it in a statement.
fn is_followed_well(input: &mut In<'_, '_>, keyword: Keyword) -> bool {
    let needs = matches!(keyword, Keyword::If | Keyword::For | Keyword::While | Keyword::Switch);
    !needs || peek_at(input, 1) == Some(TokenKind::Punct(Punct::LeftParen))
}

/// Skips a token, or a bracketed group.
pub(super) fn skip_group(input: &mut In<'_, '_>) {
    let at = index(input);
    let end = input.state().brackets().closer(at).unwrap_or(at);
    while index(input) <= end {
        input.skip();
    }
}

/// Keywords that start the next part, and are unlikely in the middle of one.
fn starts_part(part: Part, keyword: Keyword) -> bool {
    use Keyword as K;
    let declares = matches!(keyword, K::Kernel | K::Typedef | K::Extern | K::Static);
    let controls = matches!(
        keyword,
        K::If | K::For | K::While | K::Do | K::Switch | K::Return | K::Break | K::Continue | K::Goto
    ) || matches!(keyword, K::Case | K::Default);
    match part {
        Part::Statement => declares || controls,
        Part::Item => declares,
        Part::Member => false,
    }
}
