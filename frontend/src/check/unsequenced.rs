//! Warns of expressions whose meaning depends on an order that the language leaves open
//! ([`crate::hir::sequence`]). As in clang, whole variables are looked at.

use super::Checker;
use crate::Span;
use crate::diagnostic::Diagnostic;
use crate::hir::sequence::{Around, Object, Rules, Search, Use, Variable, changed, variable};
use crate::hir::{Expr, Initializer, Place, Statement};

/// What to warn of.
struct Finding {
    variable: Variable,
    /// The full expression.
    full: Span,
    /// The change, and the other access.
    spans: (Span, Span),
    /// Whether the other one is a change, too.
    twice: bool,
}

impl Finding {
    /// Adds two accesses, unless their variable was found in the expression.
    fn add(list: &mut Vec<Finding>, change: Use<'_>, other: Use<'_>, full: Span) {
        let Object::Variable(variable) = change.object else { return };
        if list.iter().all(|finding| finding.variable != variable || finding.full != full) {
            list.push(Finding { variable, full, spans: (change.span, other.span), twice: other.changes });
        }
    }
}

impl Checker<'_> {
    /// Notes that an expression changes an object.
    pub(super) fn note_change(&mut self, target: &Place) {
        self.changes += usize::from(variable(target).is_some());
    }

    /// Checks a full expression, and warns if its meaning depends on an order that is open. Most change
    /// nothing, or do so last, and are not looked at again.
    pub(super) fn in_sequence(&mut self, check: impl FnOnce(&mut Self) -> Expr) -> Expr {
        let before = self.changes;
        let expr = check(self);
        // A single change that is the last thing that happens is ordered after everything else.
        let last = changed(&expr).is_some_and(|target| variable(target).is_some());
        if self.changes - before > usize::from(last) {
            self.warn_of_unsequenced(Rules::C, |search| search.expression(&expr));
        }
        expr
    }

    /// The same of an initialiser, with the number of changes before it.
    pub(super) fn check_sequence(&mut self, initializer: &Initializer, before: usize) {
        if self.changes != before {
            self.warn_of_unsequenced(Rules::C, |search| search.initializer(initializer));
        }
    }

    /// Looks at the whole body of a function of C++. What an instance of a template repeats, and what is said
    /// of variables without names, which the program does not see, is left out.
    pub(super) fn check_sequence_of_cxx(&mut self, body: &[Statement]) {
        self.warn_of_unsequenced(Rules::Cxx, |search| search.statements(body));
    }

    fn warn_of_unsequenced<'e>(&mut self, rules: Rules, look: impl FnOnce(&mut Search<'_, 'e>)) {
        let mut list = Vec::new();
        let found = &mut |change: Use<'e>, other: Use<'e>, around: Around| {
            Finding::add(&mut list, change, other, around.full);
        };
        look(&mut Search::new(rules, false, found));
        for finding in list {
            self.report_unsequenced(finding);
        }
    }

    fn report_unsequenced(&mut self, finding: Finding) {
        let Finding { variable, spans: (span, other), twice, .. } = finding;
        let name = match variable {
            Variable::Local(local) => {
                let state = self.current.as_ref().expect("inside a function");
                state.locals[local.0 as usize].name.clone()
            }
            Variable::Global(global) => self.globals[global.0 as usize].name.clone(),
        };
        let is_known = |known: &Diagnostic| known.span == span && known.message.contains("unsequenced");
        if name.is_empty() || self.diagnostics.list().iter().any(is_known) {
            return;
        }
        let message = match twice {
            true => format!("multiple unsequenced modifications to '{name}'"),
            false => format!("unsequenced modification and access to '{name}'"),
        };
        self.report(Diagnostic::warning(span, message).mark(other, "the other one"));
    }
}
