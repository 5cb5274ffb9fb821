//! Whether the end of a function can be reached: functions with a result must not get there (C99 §6.9.1
//! paragraph 12).
//!
//! The answer is for a warning. Where it is not known, because of a label that some `goto` may go to, it is
//! that the end is reached only if a plain walk reaches it.

use super::Checker;
use crate::Span;
use crate::hir::{Expr, Statement, StatementKind};

impl Checker<'_> {
    /// Warns at the closing brace of a function whose end is reached.
    pub(super) fn warn_of_missing_return(&mut self, body: &[Statement], span: Span) {
        let returns = |statement: &Statement| matches!(statement.kind, StatementKind::Return(_));
        let some = body.iter().any(|statement| any(statement, returns, |_| true));
        let message = match some {
            true => "non-void function does not return a value in all control paths",
            false => "non-void function does not return a value",
        };
        self.warn(Span::new(span.end.saturating_sub(1).max(span.start), span.end), message);
    }

    /// Whether control can come behind a list of statements that is entered at its start.
    pub(super) fn falls_through(&self, list: &[Statement]) -> bool {
        self.list_ends(list, true)
    }

    fn list_ends(&self, list: &[Statement], entered: bool) -> bool {
        let mut reached = entered;
        for statement in list {
            match &statement.kind {
                StatementKind::Label(_) | StatementKind::Case { .. } => reached = true,
                _ if reached || holds_label(statement) => reached = self.ends(statement, reached),
                _ => {}
            }
        }
        reached
    }

    /// Whether control can come behind a statement.
    fn ends(&self, statement: &Statement, entered: bool) -> bool {
        match &statement.kind {
            StatementKind::Return(_)
            | StatementKind::Goto(_)
            | StatementKind::Break
            | StatementKind::Continue => false,
            StatementKind::Block(list) => self.list_ends(list, entered),
            StatementKind::If { condition, then, otherwise } => {
                let truth = self.constant_truth(condition);
                let then_ends = truth != Some(false) && self.ends(then, entered);
                let otherwise_ends = match otherwise {
                    _ if truth == Some(true) => false,
                    Some(otherwise) => self.ends(otherwise, entered),
                    None => true,
                };
                then_ends || otherwise_ends || holds_label(statement) && self.ends(then, true)
            }
            StatementKind::While { condition, body, .. } => {
                !self.is_forever(condition.as_ref()) || breaks(body)
            }
            StatementKind::DoWhile { body, condition, .. } => {
                let again = self.ends(body, entered) || continues(body);
                breaks(body) || again && !self.is_forever(Some(condition))
            }
            StatementKind::Switch { body, .. } => {
                let ends = match &body.kind {
                    StatementKind::Block(list) => self.list_ends(list, false),
                    _ => true,
                };
                ends || breaks(body) || !has_default(body)
            }
            _ => true,
        }
    }

    fn is_forever(&self, condition: Option<&Expr>) -> bool {
        condition.is_none_or(|condition| self.constant_truth(condition) == Some(true))
    }
}

/// The statements directly within one.
fn parts(statement: &Statement) -> Vec<&Statement> {
    match &statement.kind {
        StatementKind::Block(list) => list.iter().collect(),
        StatementKind::If { then, otherwise, .. } => {
            std::iter::once(&**then).chain(otherwise.as_deref()).collect()
        }
        StatementKind::While { body, .. }
        | StatementKind::DoWhile { body, .. }
        | StatementKind::Switch { body, .. } => vec![body],
        _ => Vec::new(),
    }
}

/// Whether `wanted` holds of a statement or of one within it that `enter` lets the search into.
fn any(statement: &Statement, wanted: fn(&Statement) -> bool, enter: fn(&Statement) -> bool) -> bool {
    let mut waiting = vec![statement];
    while let Some(statement) = waiting.pop() {
        if wanted(statement) {
            return true;
        }
        if enter(statement) {
            waiting.extend(parts(statement));
        }
    }
    false
}

fn is_loop(statement: &Statement) -> bool {
    matches!(statement.kind, StatementKind::While { .. } | StatementKind::DoWhile { .. })
}

fn is_switch(statement: &Statement) -> bool {
    matches!(statement.kind, StatementKind::Switch { .. })
}

/// Whether a body has a `break` of its own.
fn breaks(body: &Statement) -> bool {
    let wanted = |statement: &Statement| matches!(statement.kind, StatementKind::Break);
    any(body, wanted, |statement| !is_loop(statement) && !is_switch(statement))
}

/// Where a statement holds a label that is not a case label, or a `goto`.
pub(super) fn label_or_goto(statement: &Statement) -> Option<Span> {
    let mut waiting = vec![statement];
    while let Some(statement) = waiting.pop() {
        if matches!(statement.kind, StatementKind::Label(_) | StatementKind::Goto(_)) {
            return Some(statement.span);
        }
        waiting.extend(parts(statement));
    }
    None
}

/// Whether a loop's body has a `continue` of its own.
fn continues(body: &Statement) -> bool {
    let wanted = |statement: &Statement| matches!(statement.kind, StatementKind::Continue);
    any(body, wanted, |statement| !is_loop(statement))
}

fn has_default(body: &Statement) -> bool {
    let wanted = |statement: &Statement| {
        matches!(&statement.kind, StatementKind::Case { values: crate::hir::CaseValues::Default })
    };
    any(body, wanted, |statement| !is_switch(statement))
}

/// Whether control can come into a statement by a label.
fn holds_label(statement: &Statement) -> bool {
    let wanted = |statement: &Statement| {
        matches!(statement.kind, StatementKind::Label(_) | StatementKind::Case { .. })
    };
    any(statement, wanted, |_| true)
}
