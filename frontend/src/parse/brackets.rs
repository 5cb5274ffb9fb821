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

/// Matches the brackets of `tokens`.
pub(super) fn matching(tokens: &[Token]) -> Result<Brackets, Vec<Diagnostic>> {
    let mut matcher = Matcher { tokens, open: Vec::new(), missed: Vec::new(), errors: Vec::new() };
    let mut brackets = Brackets { closers: vec![NONE; tokens.len()], around: vec![NONE; tokens.len()] };
    for (index, token) in tokens.iter().enumerate() {
        brackets.around[index] = matcher.open.last().map_or(NONE, |&opener| opener as u32);
        let TokenKind::Punct(punct) = token.kind else { continue };
        match punct {
            Punct::LeftParen | Punct::LeftBracket | Punct::LeftBrace => {
                if matcher.open.len() == NESTING {
                    let message = format!("brackets are nested deeper than {NESTING} levels");
                    let note = "split the expression or the function into smaller ones";
                    matcher.errors.push(Diagnostic::error(token.span, message).note(note));
                    return Err(matcher.errors);
                }
                matcher.open.push(index);
            }
            Punct::RightParen | Punct::RightBracket | Punct::RightBrace => {
                if let Some(opener) = matcher.close(index, punct) {
                    brackets.closers[opener] = index as u32;
                }
            }
            Punct::Semicolon => matcher.end_of_statement(index),
            _ => {}
        }
    }
    matcher.end();
    if matcher.errors.is_empty() { Ok(brackets) } else { Err(matcher.errors) }
}

struct Matcher<'s> {
    tokens: &'s [Token],
    open: Vec<usize>,
    /// Closing brackets that are missing before a semicolon, and were reported.
    missed: Vec<Punct>,
    errors: Vec<Diagnostic>,
}

impl Matcher<'_> {
    /// The opener of the closing bracket at `index`. If there is one, the openers in between lack their
    /// closing brackets.
    fn close(&mut self, index: usize, closer: Punct) -> Option<usize> {
        if !self.open.iter().any(|&opener| self.closer_of(opener) == closer) {
            // It was reported as missing before a semicolon.
            if let Some(position) = self.missed.iter().rposition(|&missed| missed == closer) {
                self.missed.remove(position);
                return None;
            }
            let message = match closer {
                Punct::RightParen => "extraneous ')'",
                Punct::RightBracket => "extraneous ']'",
                _ => "extraneous closing brace ('}')",
            };
            self.errors.push(Diagnostic::error(self.tokens[index].span, message));
            return None;
        }
        loop {
            let opener = self.open.pop().expect("a matching opener is in the list");
            if self.closer_of(opener) == closer {
                return Some(opener);
            }
            self.missing(opener, index);
        }
    }

    /// A semicolon may be in parentheses only after `for`.
    fn end_of_statement(&mut self, index: usize) {
        self.missed.clear();
        while let Some(&opener) = self.open.last() {
            let before = opener.checked_sub(1).map(|before| self.tokens[before].kind);
            let closer = self.closer_of(opener);
            if closer == Punct::RightBrace
                || (closer == Punct::RightParen && before == Some(TokenKind::Keyword(Keyword::For)))
            {
                return;
            }
            // A macro that ends with a semicolon produces this.
            if self.tokens.get(index + 1).is_some_and(|next| next.kind == TokenKind::Punct(closer)) {
                let message = format!("unexpected ';' before '{}'", closer.text());
                self.errors.push(Diagnostic::error(self.tokens[index].span, message));
                return;
            }
            self.open.pop();
            self.missed.push(closer);
            self.missing(opener, index);
        }
    }

    fn missing(&mut self, opener: usize, index: usize) {
        let closer = self.closer_of(opener).text();
        let open = &self.tokens[opener];
        let before = self.tokens[index].span;
        let error = Diagnostic::error(before, format!("expected '{closer}'"));
        self.errors.push(error.related(open.span, format!("to match this '{}'", opening(open.kind))));
    }

    /// Brackets that are open at the end of the text.
    fn end(&mut self) {
        for opener in std::mem::take(&mut self.open) {
            let closer = self.closer_of(opener).text();
            let open = &self.tokens[opener];
            let message = format!("this '{}' is never closed", opening(open.kind));
            let error = Diagnostic::error(open.span, message);
            self.errors.push(error.note(format!("expected '{closer}' before the end of the file")));
        }
    }

    fn closer_of(&self, opener: usize) -> Punct {
        match self.tokens[opener].kind {
            TokenKind::Punct(Punct::LeftParen) => Punct::RightParen,
            TokenKind::Punct(Punct::LeftBracket) => Punct::RightBracket,
            _ => Punct::RightBrace,
        }
    }
}

fn opening(kind: TokenKind) -> &'static str {
    match kind {
        TokenKind::Punct(punct) => punct.text(),
        _ => unreachable!("only punctuation opens a bracket"),
    }
}
