//! Before parsing: matches brackets, and checks that none is missing or nested too deeply.
//!
//! After that, the parser's recursion over brackets is bounded, and error recovery can leave or skip a
//! bracketed group in one step.

use crate::diagnostic::Diagnostic;
use crate::limits::NESTING;
use crate::token::{Keyword, Punct, Token, TokenKind};

/// No bracket.
const NONE: u32 = u32::MAX;

/// The bracket structure of a balanced token list.
#[derive(Debug)]
pub(super) struct Brackets {
    /// For an opening bracket the index of its closing one.
    closers: Vec<u32>,
    /// For each token the index of the opening bracket around it; a closing bracket is within its own pair.
    around: Vec<u32>,
}

impl Brackets {
    /// The index of the bracket that closes the one at `opener`.
    pub(super) fn closer(&self, opener: usize) -> Option<usize> {
        self.closers.get(opener).copied().filter(|&index| index != NONE).map(|index| index as usize)
    }

    /// The index of the nearest opening bracket around the token at `index`; none at file level and at the
    /// end.
    pub(super) fn around(&self, index: usize) -> Option<usize> {
        self.around.get(index).copied().filter(|&index| index != NONE).map(|index| index as usize)
    }
}

/// Why brackets do not match.
#[derive(Debug)]
pub(super) enum Mismatch {
    /// Some are missing, or too many; see [`super::repair`].
    Unbalanced,
    /// They are nested deeper than [`NESTING`], which is reported alone.
    TooDeep(Box<Diagnostic>),
}

/// Matches the brackets of `tokens`. Semicolons end them, but for those in the head of a `for`.
pub(super) fn matching(tokens: &[Token]) -> Result<Brackets, Mismatch> {
    let mut open: Vec<usize> = Vec::new();
    let mut brackets = Brackets { closers: vec![NONE; tokens.len()], around: vec![NONE; tokens.len()] };
    for (index, token) in tokens.iter().enumerate() {
        brackets.around[index] = open.last().map_or(NONE, |&opener| opener as u32);
        let TokenKind::Punct(punct) = token.kind else { continue };
        match punct {
            Punct::LeftParen | Punct::LeftBracket | Punct::LeftBrace => {
                if open.len() == NESTING {
                    let message = format!("brackets are nested deeper than {NESTING} levels");
                    let note = "split the expression or the function into smaller ones";
                    return Err(Mismatch::TooDeep(Box::new(
                        Diagnostic::error(token.span, message).note(note),
                    )));
                }
                open.push(index);
            }
            Punct::RightParen | Punct::RightBracket | Punct::RightBrace => match open.pop() {
                Some(opener) if closer_of(tokens[opener].kind) == Some(punct) => {
                    brackets.closers[opener] = index as u32;
                }
                _ => return Err(Mismatch::Unbalanced),
            },
            Punct::Semicolon => match open.last() {
                Some(&opener) if !holds_semicolons(tokens, opener) => return Err(Mismatch::Unbalanced),
                _ => {}
            },
            _ => {}
        }
    }
    if open.is_empty() { Ok(brackets) } else { Err(Mismatch::Unbalanced) }
}

/// Whether semicolons may stand between an opening bracket and its closer.
pub(super) fn holds_semicolons(tokens: &[Token], opener: usize) -> bool {
    tokens[opener].kind == TokenKind::Punct(Punct::LeftBrace) || is_of_for(tokens, opener)
}

/// Whether an opening bracket is that of the head of a `for`.
pub(super) fn is_of_for(tokens: &[Token], opener: usize) -> bool {
    let before = opener.checked_sub(1).map(|before| tokens[before].kind);
    tokens[opener].kind == TokenKind::Punct(Punct::LeftParen)
        && before == Some(TokenKind::Keyword(Keyword::For))
}

/// What closes a bracket; nothing if the token opens none.
pub(super) fn closer_of(kind: TokenKind) -> Option<Punct> {
    match kind {
        TokenKind::Punct(Punct::LeftParen) => Some(Punct::RightParen),
        TokenKind::Punct(Punct::LeftBracket) => Some(Punct::RightBracket),
        TokenKind::Punct(Punct::LeftBrace) => Some(Punct::RightBrace),
        _ => None,
    }
}
