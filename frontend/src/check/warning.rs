//! Warnings about legal code that is probably a mistake: unused values, assignments as conditions, surprising
//! operator precedence, constants that do not fit.
//!
//! The warnings are those that other C compilers give by default. Nothing here changes a program.

use super::Checker;
use super::constant::{self, Value};
use super::expression::without_parens;
use crate::Span;
use crate::ast::{self, BinaryOp, ExprKind as Ast, PrefixOp};
use crate::diagnostic::Diagnostic;
use crate::hir::{ArithmeticOp, ComparisonOp, Constant, Expr, ExprKind};
use crate::types::{ScalarKind, TypeId};

/// How an operator is spelled.
fn spelling(op: BinaryOp) -> &'static str {
    match op {
        BinaryOp::Mul => "*",
        BinaryOp::Div => "/",
        BinaryOp::Rem => "%",
        BinaryOp::Add => "+",
        BinaryOp::Sub => "-",
        BinaryOp::Shl => "<<",
        BinaryOp::Shr => ">>",
        BinaryOp::Less => "<",
        BinaryOp::Greater => ">",
        BinaryOp::LessEqual => "<=",
        BinaryOp::GreaterEqual => ">=",
        BinaryOp::Equal => "==",
        BinaryOp::NotEqual => "!=",
        BinaryOp::BitAnd => "&",
        BinaryOp::BitXor => "^",
        BinaryOp::BitOr => "|",
        BinaryOp::LogicalAnd => "&&",
        BinaryOp::LogicalOr => "||",
    }
}

fn compares(op: BinaryOp) -> bool {
    use BinaryOp as B;
    matches!(op, B::Less | B::Greater | B::LessEqual | B::GreaterEqual | B::Equal | B::NotEqual)
}

/// The least and the greatest value of an integer kind.
fn range(kind: ScalarKind) -> (i128, i128) {
    let bits = u32::try_from(kind.size() * 8).expect("a scalar has few bits");
    match kind {
        ScalarKind::Bool => (0, 1),
        _ if kind.is_signed() => (-(1i128 << (bits - 1)), (1i128 << (bits - 1)) - 1),
        _ => (0, (1i128 << bits) - 1),
    }
}

/// Whether an expression consists only of constants and is not deep.
fn is_small_constant(expr: &Expr, depth: usize) -> bool {
    match &expr.kind {
        ExprKind::Constant(_) => true,
        _ if depth == 0 => false,
        ExprKind::Convert { operand, .. } => is_small_constant(operand, depth - 1),
        ExprKind::Arithmetic { left, right, .. } => {
            is_small_constant(left, depth - 1) && is_small_constant(right, depth - 1)
        }
        _ => false,
    }
}

impl Checker<'_> {
    /// Warns of an expression statement whose value is not used. Literals are exempt: a macro may leave them
    /// for a disabled check.
    pub(super) fn warn_of_unused(&mut self, expr: &ast::Expr, ty: TypeId) {
        if self.types.is_void(ty) || self.types.is_error(ty) {
            return;
        }
        let inner = without_parens(expr);
        match &inner.kind {
            Ast::Binary { op, .. } => {
                let hint = (*op == BinaryOp::Equal)
                    .then_some("use '=' to turn this equality comparison into an assignment");
                let what = if compares(*op) { "comparison" } else { "expression" };
                let mut diagnostic = Diagnostic::warning(inner.span, format!("{what} result unused"));
                if let Some(hint) = hint {
                    diagnostic = diagnostic.note(hint);
                }
                self.report(diagnostic);
            }
            Ast::Identifier(_) | Ast::Index { .. } | Ast::Member { .. } => {
                self.warn(inner.span, "expression result unused");
            }
            Ast::Prefix(op, _) if !matches!(op, PrefixOp::Increment | PrefixOp::Decrement) => {
                self.warn(inner.span, "expression result unused");
            }
            Ast::Comma(_, right) => self.warn_of_unused(right, ty),
            _ => {}
        }
    }

    /// Warns of a value before a comma that has no effect; if there are several, of the first.
    pub(super) fn warn_of_comma(&mut self, left: &ast::Expr) {
        let inner = without_parens(left);
        let idle = match &inner.kind {
            Ast::Int(..) | Ast::Float(..) | Ast::Char(_) | Ast::Str(_) => true,
            Ast::Identifier(_) | Ast::Index { .. } | Ast::Member { .. } | Ast::Binary { .. } => true,
            Ast::Prefix(op, _) => !matches!(op, PrefixOp::Increment | PrefixOp::Decrement),
            _ => false,
        };
        if idle {
            self.warn(inner.span, "left operand of comma operator has no effect");
        }
    }

    /// Warns of `float4 v = (1, 2, 3, 4)`, which puts the last number into all lanes.
    pub(super) fn warn_of_comma_for_vector(&mut self, value: &Expr, vector: &str) {
        if let ExprKind::Comma(..) = value.kind {
            let message = "the comma operator gives its last value to all components of the vector";
            let note = format!("a vector literal is written '({vector})(...)'");
            self.report(Diagnostic::warning(value.span, message).note(note));
        }
    }

    /// Warns of `a =+ b`, which may be meant as `a += b`.
    pub(super) fn warn_of_swapped_assignment(&mut self, op_span: Span, value: &ast::Expr) {
        let Ast::Prefix(op @ (PrefixOp::Plus | PrefixOp::Minus), operand) = &value.kind else { return };
        let sign = if *op == PrefixOp::Plus { '+' } else { '-' };
        if value.span.start == op_span.end && operand.span.start > value.span.start + 1 {
            let message =
                format!("use of unary operator that may be intended as compound assignment ({sign}=)");
            self.warn(op_span, message);
        }
    }

    /// Warns of a sum, difference or product of constants that does not fit its type.
    pub(super) fn warn_of_overflow(&mut self, op: ArithmeticOp, left: &Expr, right: &Expr, span: Span) {
        const DEPTH: usize = 8;
        let Some(kind) = self.types.as_scalar(left.ty).filter(|kind| kind.is_signed()) else { return };
        if !is_small_constant(left, DEPTH) || !is_small_constant(right, DEPTH) {
            return;
        }
        let (Some(a), Some(b)) = (self.integer_of(left), self.integer_of(right)) else { return };
        let result = match op {
            ArithmeticOp::Add => a + b,
            ArithmeticOp::Sub => a - b,
            ArithmeticOp::Mul => a * b,
            _ => return,
        };
        let (low, high) = range(kind);
        if !(low..=high).contains(&result) {
            let stored = constant::to_integer(kind, result as u64);
            let name = kind.name();
            self.warn(span, format!("overflow in expression; result is {stored} with type '{name}'"));
        }
    }

    /// Warns of `if (a = b)` without additional parentheses.
    pub(super) fn warn_of_assigned_condition(&mut self, condition: &ast::Expr) {
        if let Ast::Assign { op: None, op_span, .. } = condition.kind {
            self.report(
                Diagnostic::warning(
                    op_span,
                    "using the result of an assignment as a condition without parentheses",
                )
                .note("use '==' to compare, or another pair of parentheses if the assignment is meant"),
            );
        }
    }

    /// Warns of a semicolon right after `if (…)`.
    pub(super) fn warn_of_empty_body(&mut self, then: &ast::Statement, has_else: bool) {
        if matches!(then.kind, ast::StatementKind::Empty) && !has_else {
            self.report(
                Diagnostic::warning(then.span, "if statement has empty body")
                    .note("put the semicolon on a separate line to silence this warning"),
            );
        }
    }

    /// Warns of nested operators whose precedence is often mistaken.
    pub(super) fn warn_of_precedence(&mut self, op: BinaryOp, left: &ast::Expr, right: &ast::Expr) {
        for operand in [left, right] {
            let Ast::Binary { op: inner, op_span, .. } = &operand.kind else { continue };
            let (outer_text, inner_text) = (spelling(op), spelling(*inner));
            match (op, *inner) {
                (BinaryOp::LogicalOr, BinaryOp::LogicalAnd) => {
                    let message = "'&&' within '||'";
                    let note = "place parentheses around the '&&' expression to silence this warning";
                    self.report(Diagnostic::warning(*op_span, message).note(note));
                }
                (BinaryOp::BitAnd | BinaryOp::BitXor | BinaryOp::BitOr, inner) if compares(inner) => {
                    let message = format!(
                        "'{outer_text}' has lower precedence than '{inner_text}'; '{inner_text}' will be evaluated first"
                    );
                    let note = format!(
                        "place parentheses around the '{inner_text}' expression to silence this warning"
                    );
                    self.report(Diagnostic::warning(operand.span, message).note(note));
                }
                (BinaryOp::Shl | BinaryOp::Shr, BinaryOp::Add | BinaryOp::Sub) => {
                    let message = format!(
                        "operator '{outer_text}' has lower precedence than '{inner_text}'; '{inner_text}' will be \
                         evaluated first"
                    );
                    let note = format!(
                        "place parentheses around the '{inner_text}' expression to silence this warning"
                    );
                    self.report(Diagnostic::warning(operand.span, message).note(note));
                }
                _ => {}
            }
        }
    }

    /// Warns of a constant whose value an implicit conversion changes.
    pub(super) fn warn_of_changed_constant(&mut self, value: &Expr, to: ScalarKind) {
        let Some(from) = self.types.as_scalar(value.ty) else { return };
        if !to.is_integer() || to == ScalarKind::Bool {
            return;
        }
        if from.is_float() {
            return self.warn_of_lost_fraction(value, from, to);
        }
        let Some(number) = self.integer_of(value) else { return };
        let (low, high) = range(to);
        // A negative number for an unsigned type usually means its bits.
        let low = if low == 0 { -(high / 2 + 1) } else { low };
        // Between types of the same width, only the sign changes.
        let high = if from.is_signed() { high } else { range(ScalarKind::integer(to.size(), false)).1 };
        if (low..=high).contains(&number) {
            return;
        }
        let stored = constant::to_integer(to, number as u64);
        let from = self.type_text(value.ty);
        let message = format!(
            "implicit conversion from '{from}' to '{}' changes value from {number} to {stored}",
            to.name()
        );
        self.warn(value.span, message);
    }

    fn warn_of_lost_fraction(&mut self, value: &Expr, from: ScalarKind, to: ScalarKind) {
        let ExprKind::Constant(Constant::Bits(bits)) = value.kind else { return };
        let number = constant::to_float(from, bits);
        let (low, high) = range(to);
        if !(number > low as f64 - 1.0 && number < high as f64 + 1.0) {
            let (from, to) = (from.name(), to.name());
            let message =
                format!("implicit conversion of out of range value from '{from}' to '{to}' is undefined");
            self.warn(value.span, message);
            return;
        }
        if number.fract() != 0.0 {
            // The shortest text of the nearest float.
            let text =
                if from == ScalarKind::Float { (number as f32).to_string() } else { number.to_string() };
            let message = format!(
                "implicit conversion from '{}' to '{}' changes value from {text} to {}",
                from.name(),
                to.name(),
                number.trunc()
            );
            self.warn(value.span, message);
        }
    }

    /// Warns of a comparison that a constant decides for every value of the other side's type.
    pub(super) fn warn_of_decided_comparison(
        &mut self,
        op: ComparisonOp,
        left: &Expr,
        right: &Expr,
        span: Span,
    ) {
        let (constant, other, swapped) = match (self.integer_of(left), self.integer_of(right)) {
            (None, Some(number)) => (number, left, false),
            (Some(number), None) => (number, right, true),
            _ => return,
        };
        let Some(kind) = self.types.as_scalar(other.ty) else { return };
        // Wider types are converted with the constant.
        if !kind.is_integer() || kind.size() > 2 || kind == ScalarKind::Bool {
            return;
        }
        let (low, high) = range(kind);
        if (low..=high).contains(&constant) {
            return;
        }
        let above = constant > high;
        let result = match op {
            ComparisonOp::Equal => false,
            ComparisonOp::NotEqual => true,
            ComparisonOp::Less | ComparisonOp::LessEqual => above != swapped,
            ComparisonOp::Greater | ComparisonOp::GreaterEqual => above == swapped,
        };
        let message = format!(
            "result of comparison of constant {constant} with expression of type '{}' is always {result}",
            kind.name()
        );
        self.warn(span, message);
    }

    /// Warns of a constant index outside an array whose length is known. The address after the last element
    /// is not an access.
    pub(super) fn warn_of_bad_index(&mut self, length: u64, index: &Expr, array: &str, is_access: bool) {
        let Some(number) = self.integer_of(index) else { return };
        if number < 0 {
            self.warn(index.span, format!("array index {number} is before the beginning of the array"));
        } else if number > i128::from(length) || is_access && number == i128::from(length) {
            let message =
                format!("array index {number} is past the end of the array (that has type '{array}')");
            self.warn(index.span, message);
        }
    }

    /// Whether an expression is a constant, and whether it is true.
    pub(super) fn constant_truth(&self, condition: &Expr) -> Option<bool> {
        let kind = self.types.as_scalar(condition.ty)?;
        match self.evaluate(condition)? {
            Value::Lanes(lanes) => Some(constant::is_true(kind, *lanes.first()?)),
            Value::Address(..) => None,
        }
    }
}
