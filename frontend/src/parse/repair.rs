//! Unbalanced brackets: reports them, and makes a balanced token list that is as near as possible to what was
//! meant, so that parsing finds the other errors too.
//!
//! Nothing of this runs for a program whose brackets match. The places that are found here are guesses; where
//! the parser finds the end of a group sooner, its message stands ([`Repair::is_superseded`]).

use super::brackets::{closer_of, is_of_for};
use crate::Span;
use crate::diagnostic::Diagnostic;
use crate::limits::NESTING;
use crate::token::{Keyword, Punct, Token, TokenKind};
use std::collections::VecDeque;

/// More repairs mean that the text is something else: it is not parsed.
const MOST: usize = 8;
/// Semicolons in the head of a `for`.
const FOR_SEMICOLONS: usize = 2;

/// A bracket that was inserted, removed or replaced.
#[derive(Debug)]
pub(super) struct Repair {
    /// What is wrong.
    pub(super) error: Diagnostic,
    /// The parenthesis or square bracket that was closed, and the index of its new closer, in the new list.
    group: Option<(usize, usize)>,
}

impl Repair {
    /// Whether the parser found an error within the group that was closed here, which says more.
    pub(super) fn is_superseded(&self, errors: &[usize]) -> bool {
        self.group.is_some_and(|(opener, closer)| errors.iter().any(|&at| at > opener && at <= closer))
    }
}

/// What is made of an unbalanced list.
#[derive(Debug)]
pub(super) struct Repaired {
    /// The balanced list; `None` if there is no guessing what was meant.
    pub(super) tokens: Option<Vec<Token>>,
    /// What is wrong.
    pub(super) repairs: Vec<Repair>,
}

/// Balances the brackets of `tokens`.
pub(super) fn repair(tokens: &[Token]) -> Repaired {
    let mut repairer = Repairer::default();
    let mut rest: VecDeque<Token> = tokens.iter().copied().collect();
    while let Some(token) = rest.pop_front() {
        repairer.token(token, rest.front().copied());
        if repairer.repairs.len() > MOST || repairer.deepest > NESTING {
            return Repaired { tokens: None, repairs: repairer.repairs };
        }
    }
    repairer.end();
    Repaired { tokens: Some(repairer.out), repairs: repairer.repairs }
}

#[derive(Default)]
struct Repairer {
    out: Vec<Token>,
    /// Indices of opening brackets in `out`.
    open: Vec<usize>,
    deepest: usize,
    /// Semicolons in the head of the `for` that is open.
    semicolons: usize,
    /// Closing brackets that a semicolon came before: they are dropped where they come.
    missed: Vec<Punct>,
    /// The index of the brace in `out` that closed the last block at file level.
    last_end: Option<usize>,
    repairs: Vec<Repair>,
}

impl Repairer {
    fn token(&mut self, token: Token, next: Option<Token>) {
        match token.kind {
            TokenKind::Punct(Punct::LeftParen | Punct::LeftBracket | Punct::LeftBrace) => self.opener(token),
            TokenKind::Punct(punct @ (Punct::RightParen | Punct::RightBracket | Punct::RightBrace)) => {
                self.closer(token, punct)
            }
            TokenKind::Punct(Punct::Semicolon) => self.semicolon(token, next),
            TokenKind::Keyword(Keyword::Kernel) => {
                self.end_groups();
                // Functions are defined at file level.
                while let Some(opener) = self.open.pop() {
                    self.insert(opener, Some(token.span));
                }
                self.out.push(token);
            }
            TokenKind::Keyword(keyword) if starts_statement(keyword) => {
                self.end_groups();
                self.out.push(token);
            }
            _ => self.out.push(token),
        }
    }

    fn opener(&mut self, token: Token) {
        if token.kind == TokenKind::Punct(Punct::LeftBrace) && !self.may_open_brace() {
            self.end_groups();
        }
        let index = self.out.len();
        self.open.push(index);
        self.deepest = self.deepest.max(self.open.len());
        self.out.push(token);
        if is_of_for(&self.out, index) {
            self.semicolons = 0;
        }
    }

    /// Whether a brace may stand here in parentheses or square brackets: that of a compound literal, a block,
    /// a type or a list.
    fn may_open_brace(&self) -> bool {
        let is_group = self.open.last().is_some_and(|&opener| !self.is_brace(opener));
        let before = |count: usize| self.out.len().checked_sub(count).map(|index| self.out[index].kind);
        let makes_type = |kind| {
            matches!(
                kind,
                Some(
                    TokenKind::Keyword(Keyword::Struct | Keyword::Union | Keyword::Enum)
                        | TokenKind::Punct(Punct::Caret)
                )
            )
        };
        match before(1) {
            _ if !is_group => true,
            Some(TokenKind::Punct(Punct::RightParen)) => self.closed_group_names_type(),
            Some(TokenKind::Punct(punct)) => punct != Punct::RightBracket,
            Some(TokenKind::Identifier(_)) => makes_type(before(2)),
            kind => makes_type(kind),
        }
    }

    /// Whether what stands in the parentheses that have just been closed may be a type, parameters of a
    /// block, or an attribute.
    fn closed_group_names_type(&self) -> bool {
        let mut depth = 0;
        for (index, token) in self.out.iter().enumerate().rev() {
            match token.kind {
                TokenKind::Punct(Punct::RightParen) => depth += 1,
                TokenKind::Punct(Punct::LeftParen) if depth == 1 => {
                    let before = |count: usize| index.checked_sub(count).map(|at| self.out[at].kind);
                    return match before(1) {
                        // A function's parameters, or those of a block with its result.
                        Some(TokenKind::Identifier(_)) => before(2) == Some(TokenKind::Punct(Punct::Caret)),
                        Some(TokenKind::Keyword(keyword)) => !starts_statement(keyword),
                        _ => true,
                    };
                }
                TokenKind::Punct(Punct::LeftParen) => depth -= 1,
                TokenKind::Punct(Punct::LeftBracket | Punct::RightBracket | Punct::Star | Punct::Comma)
                | TokenKind::Identifier(_)
                | TokenKind::Keyword(_)
                | TokenKind::Int(..) => {}
                _ => return false,
            }
        }
        false
    }

    fn closer(&mut self, token: Token, punct: Punct) {
        let of_same_kind = |&opener: &usize| closer_of(self.out[opener].kind) == Some(punct);
        let Some(position) = self.open.iter().rposition(of_same_kind) else {
            return self.extraneous(token, punct);
        };
        // A wrong one of two that end groups in one block.
        let inner = self.open.get(position + 1..).unwrap_or_default();
        if punct != Punct::RightBrace && inner.iter().any(|&opener| self.is_brace(opener)) {
            return self.extraneous(token, punct);
        }
        while self.open.len() > position + 1 {
            let opener = self.open.pop().expect("there are more");
            self.insert(opener, None);
        }
        self.open.pop();
        if self.open.is_empty() && punct == Punct::RightBrace {
            self.last_end = Some(self.out.len());
        }
        self.out.push(token);
    }

    /// A closing bracket for which none is open.
    fn extraneous(&mut self, token: Token, punct: Punct) {
        // It was reported as missing before a semicolon.
        if let Some(position) = self.missed.iter().rposition(|&missed| missed == punct) {
            self.missed.remove(position);
            return;
        }
        if let Some(&opener) = self.open.last()
            && !self.is_brace(opener)
            && punct != Punct::RightBrace
        {
            self.open.pop();
            let closer = self.closer_text(opener);
            let error =
                Diagnostic::error(token.span, format!("expected '{closer}', found '{}'", punct.text()));
            self.add(error.related(self.out[opener].span, self.opening_text(opener)), None);
            let kind = TokenKind::Punct(closer_of(self.out[opener].kind).expect("it opens a bracket"));
            self.out.push(Token { kind, ..token });
            return;
        }
        if punct == Punct::RightParen
            && let Some(head) = self.head_without_parenthesis()
        {
            return self.insert_opener(head, token);
        }
        if punct != Punct::RightBrace {
            self.add(Diagnostic::error(token.span, format!("extraneous '{}'", punct.text())), None);
            return;
        }
        const MESSAGE: &str = "extraneous closing brace ('}')";
        self.end_groups();
        let statements = self.last_end.filter(|&end| self.starts_statement(end + 1));
        match statements {
            // What follows the last function belongs to it.
            Some(end) => {
                let (extra, follows) = (self.out.remove(end), self.out[end]);
                self.last_end = Some(self.out.len());
                let error = Diagnostic::error(extra.span, MESSAGE);
                self.add(error.related(follows.span, "this statement is outside of any function"), None);
                self.out.push(token);
            }
            None => self.add(Diagnostic::error(token.span, MESSAGE), None),
        }
    }

    /// The index of the keyword that the current statement begins with, if its parenthesis is missing.
    fn head_without_parenthesis(&self) -> Option<usize> {
        const FAR: usize = 64;
        for (index, token) in self.out.iter().enumerate().rev().take(FAR) {
            match token.kind {
                TokenKind::Punct(Punct::Semicolon | Punct::LeftBrace | Punct::RightBrace) => return None,
                TokenKind::Keyword(Keyword::If | Keyword::For | Keyword::While | Keyword::Switch) => {
                    let next = self.out.get(index + 1).map(|next| next.kind);
                    return (next != Some(TokenKind::Punct(Punct::LeftParen))).then_some(index);
                }
                _ => {}
            }
        }
        None
    }

    /// Inserts the parenthesis that `closer` closes after a keyword.
    fn insert_opener(&mut self, keyword: usize, closer: Token) {
        let Token { kind, span } = self.out[keyword];
        let name = if let TokenKind::Keyword(keyword) = kind { keyword.text() } else { "" };
        let behind = Span::new(span.end, span.end);
        self.add(Diagnostic::error(behind, format!("expected '(' after '{name}'")), None);
        // Brackets that are open begin before the statement, so that their indices stay.
        self.out.insert(keyword + 1, Token { kind: TokenKind::Punct(Punct::LeftParen), span: behind });
        self.out.push(closer);
    }

    /// Whether a statement starts at an index of `out` that is not a declaration.
    fn starts_statement(&self, index: usize) -> bool {
        let kind = |index: usize| self.out.get(index).map(|token| token.kind);
        match (kind(index), kind(index + 1)) {
            (Some(TokenKind::Keyword(keyword)), _) => starts_statement(keyword),
            (Some(TokenKind::Identifier(_)), Some(TokenKind::Punct(punct))) => punct != Punct::Star,
            (Some(TokenKind::Punct(punct)), _) => punct != Punct::Semicolon,
            _ => false,
        }
    }

    /// A semicolon ends all groups but the head of a `for`, which has two of them.
    fn semicolon(&mut self, token: Token, next: Option<Token>) {
        self.missed.clear();
        while let Some(&opener) = self.open.last().filter(|&&opener| !self.is_brace(opener)) {
            if is_of_for(&self.out, opener) && self.semicolons < FOR_SEMICOLONS {
                self.semicolons += 1;
                break;
            }
            // As a macro leaves it that ends with a semicolon.
            let closer = closer_of(self.out[opener].kind).expect("it opens a bracket");
            if next.is_some_and(|next| next.kind == TokenKind::Punct(closer)) {
                let message = format!("unexpected ';' before '{}'", closer.text());
                self.add(Diagnostic::error(token.span, message), None);
                return;
            }
            self.open.pop();
            self.missed.push(closer);
            self.insert(opener, None);
        }
        self.out.push(token);
    }

    /// Closes the parentheses and square brackets that are open in this block.
    fn end_groups(&mut self) {
        while let Some(opener) =
            self.open.pop_if(|opener| self.out[*opener].kind != TokenKind::Punct(Punct::LeftBrace))
        {
            self.insert(opener, None);
        }
    }

    /// Inserts the closer of a bracket. It is reported behind the last token, or at the kernel that follows.
    fn insert(&mut self, opener: usize, kernel: Option<Span>) {
        let closer = closer_of(self.out[opener].kind).expect("it opens a bracket");
        let end = self.out.last().expect("a bracket is open").span.end;
        let behind = Span::new(end, end);
        let context = if kernel.is_some() { " before this kernel" } else { "" };
        let message = format!("expected '{}'{context}", closer.text());
        let error = Diagnostic::error(kernel.unwrap_or(behind), message);
        let error = error.related(self.out[opener].span, self.opening_text(opener));
        let group = (closer != Punct::RightBrace).then_some((opener, self.out.len()));
        self.add(error, group);
        self.out.push(Token { kind: TokenKind::Punct(closer), span: behind });
    }

    /// Brackets that are open at the end of the text.
    fn end(&mut self) {
        for opener in std::mem::take(&mut self.open).into_iter().rev() {
            let span = self.out[opener].span;
            let message = format!("this '{}' is never closed", self.text(opener));
            let note = format!("expected '{}' before the end of the file", self.closer_text(opener));
            let group = (!self.is_brace(opener)).then_some((opener, self.out.len()));
            self.add(Diagnostic::error(span, message).note(note), group);
            let end = self.out.last().map_or(span.end, |last| last.span.end);
            let closer = closer_of(self.out[opener].kind).expect("it opens a bracket");
            self.out.push(Token { kind: TokenKind::Punct(closer), span: Span::new(end, end) });
        }
    }

    fn add(&mut self, error: Diagnostic, group: Option<(usize, usize)>) {
        self.repairs.push(Repair { error, group });
    }

    fn is_brace(&self, opener: usize) -> bool {
        self.out[opener].kind == TokenKind::Punct(Punct::LeftBrace)
    }

    fn text(&self, opener: usize) -> &'static str {
        match self.out[opener].kind {
            TokenKind::Punct(punct) => punct.text(),
            _ => unreachable!("only punctuation opens a bracket"),
        }
    }

    fn closer_text(&self, opener: usize) -> &'static str {
        closer_of(self.out[opener].kind).expect("it opens a bracket").text()
    }

    fn opening_text(&self, opener: usize) -> String {
        format!("to match this '{}'", self.text(opener))
    }
}

/// Keywords that only start statements.
fn starts_statement(keyword: Keyword) -> bool {
    use Keyword as K;
    matches!(
        keyword,
        K::If
            | K::Else
            | K::For
            | K::While
            | K::Do
            | K::Switch
            | K::Return
            | K::Break
            | K::Continue
            | K::Goto
            | K::Case
    )
}
