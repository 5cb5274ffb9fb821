//! Whether control can reach the end of a function; in functions with a result it must not (C99 §6.9.1
//! paragraph 12).
//!
//! The answer is only used for a warning. If a label may be the target of some `goto`, the answer is not
//! certain; then the end counts as reached only if a plain walk reaches it.

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

    /// Whether control can leave a list of statements at its end if it is entered at its start.
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

    /// Whether control can leave a statement at its end.
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
pub(super) fn parts(statement: &Statement) -> Vec<&Statement> {
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

/// Whether `wanted` holds for a statement, or for one inside it that `enter` lets the search reach.
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

/// Whether a body has a `break` that leaves it.
fn breaks(body: &Statement) -> bool {
    let wanted = |statement: &Statement| matches!(statement.kind, StatementKind::Break);
    any(body, wanted, |statement| !is_loop(statement) && !is_switch(statement))
}

/// Where a statement contains a `goto`, or a label that is not a case label.
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

/// Whether a loop's body has a `continue` for this loop.
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

/// Whether control can enter a statement through a label.
fn holds_label(statement: &Statement) -> bool {
    let wanted = |statement: &Statement| {
        matches!(statement.kind, StatementKind::Label(_) | StatementKind::Case { .. })
    };
    any(statement, wanted, |_| true)
}
