//! Warns of expressions whose meaning depends on an order that C leaves open (C99 §6.5 paragraph 2): a
//! variable is changed twice, or changed and used, and nothing says which comes first, as in `i = i++ + i`.
//!
//! Only whole variables are followed, not what pointers reach, members and lanes. The changes that a function
//! makes itself are not seen.

use super::Checker;
use crate::Span;
use crate::diagnostic::Diagnostic;
use crate::hir::{Expr, ExprKind, GlobalId, Initializer, LocalId, Place, PlaceKind};

/// A variable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Variable {
    Local(LocalId),
    Global(GlobalId),
}

type Uses = Vec<(Variable, Span)>;

/// What the evaluation of an expression does to variables.
#[derive(Default)]
struct Effects {
    reads: Uses,
    /// Changes that are complete before the expression has its value.
    done: Uses,
    /// Changes that may be made after that.
    pending: Uses,
}

impl Effects {
    /// Both.
    fn with(mut self, other: Effects) -> Effects {
        join(&mut self.reads, other.reads);
        join(&mut self.done, other.done);
        join(&mut self.pending, other.pending);
        self
    }

    /// The same, before a sequence point.
    fn completed(mut self) -> Effects {
        join(&mut self.done, std::mem::take(&mut self.pending));
        self
    }

    fn changes(&self) -> impl Iterator<Item = &(Variable, Span)> {
        self.done.iter().chain(&self.pending)
    }

    fn uses(&self) -> impl Iterator<Item = &(Variable, Span)> {
        self.changes().chain(&self.reads)
    }
}

/// Adds the shorter list to the longer one.
fn join(to: &mut Uses, mut from: Uses) {
    if from.len() > to.len() {
        std::mem::swap(to, &mut from);
    }
    to.append(&mut from);
}

/// A place that is a whole variable.
fn variable(place: &Place) -> Option<Variable> {
    match place.kind {
        PlaceKind::Local(local) => Some(Variable::Local(local)),
        PlaceKind::Global(global) => Some(Variable::Global(global)),
        _ => None,
    }
}

/// The expressions that an initialiser evaluates, each for itself.
fn values(initializer: &Initializer) -> Vec<&Expr> {
    match initializer {
        Initializer::Value(value) => vec![value],
        Initializer::Parts { parts, .. } => parts.iter().map(|part| &part.value).collect(),
    }
}

/// Adds the expressions that say which object a place is.
fn push_parts_of_place<'e>(place: &'e Place, parts: &mut Vec<&'e Expr>) {
    match &place.kind {
        PlaceKind::Local(_) | PlaceKind::Global(_) => {}
        PlaceKind::Deref(pointer) => parts.push(pointer),
        PlaceKind::Member(whole, _) | PlaceKind::Swizzle(whole, _) => push_parts_of_place(whole, parts),
        PlaceKind::MatrixElement(whole, index) => {
            push_parts_of_place(whole, parts);
            parts.push(index);
        }
        PlaceKind::CompoundLiteral(_, initializer) => parts.extend(values(initializer)),
    }
}

/// Adds the expressions directly within one, but not statements.
fn push_parts<'e>(expr: &'e Expr, parts: &mut Vec<&'e Expr>) {
    match &expr.kind {
        ExprKind::Constant(_) | ExprKind::Statements { .. } => {}
        ExprKind::Load(place) | ExprKind::AddressOf(place) | ExprKind::Increment { target: place, .. } => {
            push_parts_of_place(place, parts);
        }
        ExprKind::Negate(operand)
        | ExprKind::BitNot(operand)
        | ExprKind::LogicalNot(operand)
        | ExprKind::Convert { operand, .. }
        | ExprKind::Swizzle { vector: operand, .. }
        | ExprKind::MemberOf { value: operand, .. } => parts.push(operand),
        ExprKind::Arithmetic { left, right, .. }
        | ExprKind::Compare { left, right, .. }
        | ExprKind::Logical { left, right, .. }
        | ExprKind::PointerAdd { pointer: left, index: right, .. }
        | ExprKind::PointerDifference { left, right }
        | ExprKind::Comma(left, right) => parts.extend([&**left, &**right]),
        ExprKind::Conditional { condition, then, otherwise }
        | ExprKind::VectorSelect { condition, then, otherwise } => {
            parts.extend([&**condition, &**then, &**otherwise]);
        }
        ExprKind::Assign { target, value } | ExprKind::CompoundAssign { target, value, .. } => {
            push_parts_of_place(target, parts);
            parts.push(value);
        }
        ExprKind::Block(block) => {
            parts.extend(block.captures.iter().filter_map(|capture| capture.value.as_ref()));
        }
        ExprKind::Call { arguments, .. } | ExprKind::VectorLiteral(arguments) => parts.extend(arguments),
        ExprKind::Builtin(call) => parts.extend(&call.arguments),
        ExprKind::Shuffle { vectors, .. } => parts.extend(&**vectors),
    }
}

/// The variable that an expression changes.
fn changed(expr: &Expr) -> Option<Variable> {
    match &expr.kind {
        ExprKind::Assign { target, .. }
        | ExprKind::CompoundAssign { target, .. }
        | ExprKind::Increment { target, .. } => variable(target),
        _ => None,
    }
}

/// The values of a compound literal, each complete before the next.
fn literal(expr: &Expr) -> Option<Vec<&Expr>> {
    match &expr.kind {
        ExprKind::Load(Place { kind: PlaceKind::CompoundLiteral(_, initializer), .. })
        | ExprKind::AddressOf(Place { kind: PlaceKind::CompoundLiteral(_, initializer), .. }) => {
            Some(values(initializer))
        }
        _ => None,
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
        if self.changes != before {
            self.warn_of_unsequenced(&expr, self.changes - before);
        }
        expr
    }

    /// The same of an initialiser, whose values are full expressions, with the number of changes before it.
    pub(super) fn check_sequence(&mut self, initializer: &Initializer, before: usize) {
        if self.changes != before {
            for value in values(initializer) {
                self.warn_of_unsequenced(value, self.changes - before);
            }
        }
    }

    fn warn_of_unsequenced(&mut self, expr: &Expr, changes: usize) {
        // A single change that is the last thing that happens is ordered after everything else.
        if changes > usize::from(changed(expr).is_some()) {
            self.effects(expr, &mut Vec::new());
        }
    }

    /// What an expression does; `found` holds the variables that were warned of.
    fn effects(&mut self, expr: &Expr, found: &mut Vec<Variable>) -> Effects {
        if let Some(values) = literal(expr) {
            let each = values.into_iter().map(|value| self.effects(value, found).completed());
            return each.fold(Effects::default(), Effects::with);
        }
        match &expr.kind {
            ExprKind::Comma(first, second) | ExprKind::Logical { left: first, right: second, .. } => {
                let first = self.effects(first, found).completed();
                first.with(self.effects(second, found))
            }
            ExprKind::Conditional { condition, then, otherwise } => {
                let condition = self.effects(condition, found).completed();
                let then = self.effects(then, found);
                condition.with(then).with(self.effects(otherwise, found))
            }
            ExprKind::Call { .. } | ExprKind::Builtin(_) => self.of_parts(expr, found).completed(),
            ExprKind::Assign { target, .. } => {
                let mut effects = self.of_parts(expr, found);
                if let Some(variable) = variable(target) {
                    let other = effects.pending.iter().find(|(it, _)| *it == variable).copied();
                    self.unsequenced(other.map(|(_, span)| (span, target.span)), true, variable, found);
                    effects.pending.push((variable, target.span));
                }
                effects
            }
            ExprKind::CompoundAssign { target, .. } => {
                let mut effects = self.of_parts(expr, found);
                if let Some(variable) = variable(target) {
                    let other = effects.changes().find(|(it, _)| *it == variable).copied();
                    self.unsequenced(other.map(|(_, span)| (span, target.span)), false, variable, found);
                    effects.reads.push((variable, target.span));
                    effects.pending.push((variable, target.span));
                }
                effects
            }
            ExprKind::Increment { target, .. } => {
                let mut effects = self.of_parts(expr, found);
                if let Some(variable) = variable(target) {
                    effects.reads.push((variable, target.span));
                    effects.pending.push((variable, expr.span));
                }
                effects
            }
            ExprKind::Load(place) => {
                let mut effects = self.of_parts(expr, found);
                effects.reads.extend(variable(place).map(|variable| (variable, place.span)));
                effects
            }
            _ => self.of_parts(expr, found),
        }
    }

    /// The effects of the expressions directly within one, which are evaluated in any order.
    fn of_parts(&mut self, expr: &Expr, found: &mut Vec<Variable>) -> Effects {
        let (mut all, mut parts) = (Effects::default(), Vec::new());
        push_parts(expr, &mut parts);
        for part in parts {
            let effects = self.effects(part, found);
            self.meet(&all, &effects, found);
            self.meet(&effects, &all, found);
            all = all.with(effects);
        }
        all
    }

    /// Warns of changes of one expression that meet uses of another one.
    fn meet(&mut self, changing: &Effects, using: &Effects, found: &mut Vec<Variable>) {
        let changes: Uses = changing.changes().copied().collect();
        for (variable, span) in changes {
            let Some(&(_, other)) = using.uses().find(|(it, _)| *it == variable) else { continue };
            let twice = using.changes().any(|(it, _)| *it == variable);
            self.unsequenced(Some((span, other)), twice, variable, found);
        }
    }

    /// Warns of a variable, at most once in an expression.
    fn unsequenced(
        &mut self,
        places: Option<(Span, Span)>,
        twice: bool,
        variable: Variable,
        found: &mut Vec<Variable>,
    ) {
        let Some((span, other)) = places.filter(|_| !found.contains(&variable)) else { return };
        found.push(variable);
        let name = match variable {
            Variable::Local(local) => {
                let state = self.current.as_ref().expect("inside a function");
                state.locals[local.0 as usize].name.clone()
            }
            Variable::Global(global) => self.globals[global.0 as usize].name.clone(),
        };
        let message = match twice {
            true => format!("multiple unsequenced modifications to '{name}'"),
            false => format!("unsequenced modification and access to '{name}'"),
        };
        self.report(Diagnostic::warning(span, message).mark(other, "the other one"));
    }
}
