//! Assignments, and `++` and `--` (C99 §6.5.2.4, §6.5.16).

use super::Checker;
use super::conversion::Purpose;
use super::expression::Operand;
use super::operator::{Meaning, meaning};
use crate::Span;
use crate::ast::{self, BinaryOp};
use crate::hir::{ArithmeticOp, Expr, ExprKind};

impl Checker<'_> {
    /// `++` and `--`.
    pub(super) fn increment(
        &mut self,
        operand: &ast::Expr,
        decrement: bool,
        prefix: bool,
        span: Span,
    ) -> Expr {
        let operand = self.operand(operand);
        let ty = operand.ty();
        if self.types.is_error(ty) {
            return self.error_value(span);
        }
        let pointee = self.types.pointee(ty).map(|(target, _)| target.ty);
        let valid = match pointee {
            Some(target) => self.types.layout(target).is_some(),
            // Vectors of floating-point numbers have no `++` (OpenCL C §6.5.3); scalars always do.
            None => self.types.as_arithmetic(ty).is_some_and(|(kind, lanes)| lanes == 1 || kind.is_integer()),
        };
        if !valid {
            let (what, text) = (if decrement { "decrement" } else { "increment" }, self.type_text(ty));
            self.error(span, format!("cannot {what} value of type '{text}'"));
            return self.error_value(span);
        }
        let Some(target) = self.modifiable(operand, span) else { return self.error_value(span) };
        self.note_change(&target);
        Expr { kind: ExprKind::Increment { target, decrement, prefix }, ty, span }
    }

    /// `=` and the compound assignments.
    pub(super) fn assignment(
        &mut self,
        (op, op_span): (Option<BinaryOp>, Span),
        target: &ast::Expr,
        value: &ast::Expr,
        span: Span,
    ) -> Expr {
        if op.is_none() {
            self.warn_of_swapped_assignment(op_span, value);
        }
        let target_span = target.span;
        let target = self.operand(target);
        let value = self.value(value);
        self.assign((op, op_span), (target, target_span), value, span)
    }

    /// An assignment of a value; not part of [`Checker::assignment`], whose frame is on the stack for each
    /// level of an expression.
    fn assign(
        &mut self,
        (op, op_span): (Option<BinaryOp>, Span),
        (target, target_span): (Operand, Span),
        value: Expr,
        span: Span,
    ) -> Expr {
        if self.types.is_error(target.ty()) || self.types.is_error(value.ty) {
            return self.error_value(span);
        }
        match op {
            None => {
                let Some(target) = self.modifiable(target, target_span) else {
                    return self.error_value(span);
                };
                let ty = target.ty.ty;
                let before = self.diagnostics.list().len();
                let value = self.assign_to(value, ty, Purpose::Assigning);
                if self.diagnostics.list().len() > before {
                    let text = format!("'{}'", self.type_text(ty));
                    self.diagnostics.mark_since(before, value.span, target_span, &text);
                }
                self.note_change(&target);
                Expr { kind: ExprKind::Assign { target, value: Box::new(value) }, ty, span }
            }
            Some(op) => {
                let before = self.diagnostics.list().len();
                let operands = [(target_span, target.ty()), (value.span, value.ty)];
                let result = self.compound_assignment(op, target, value, span);
                self.mark_operands(before, span, op_span, operands);
                result
            }
        }
    }

    pub(super) fn compound_assignment(
        &mut self,
        op: BinaryOp,
        target: Operand,
        value: Expr,
        span: Span,
    ) -> Expr {
        let target_span = target.span();
        let Some(target) = self.modifiable(target, target_span) else { return self.error_value(span) };
        let ty = target.ty.ty;
        if let Meaning::Arithmetic(op) = meaning(op)
            && let Some(value) = self.matrix_compound(op, &target, &value, span)
        {
            if self.types.is_error(value.ty) {
                return value;
            }
            self.note_change(&target);
            return Expr { kind: ExprKind::Assign { target, value: Box::new(value) }, ty, span };
        }
        let pointer = self.types.pointee(ty).is_some();
        // Represents the target's value while types are determined; the lowering reads the target once.
        let read = Expr { kind: ExprKind::Load(target.clone()), ty, span: target_span };
        let (op, compute, value) = match meaning(op) {
            Meaning::Arithmetic(op @ (ArithmeticOp::Add | ArithmeticOp::Sub)) if pointer => {
                if !self.is_integer(value.ty) {
                    self.invalid_operands(&read, &value, span);
                    return self.error_value(span);
                }
                let Some(_) = self.pointer_add(read, value.clone(), false, span) else {
                    return self.error_value(span);
                };
                (op, ty, self.promote(value))
            }
            Meaning::Arithmetic(op) => {
                if self.types.pointee(value.ty).is_some() {
                    self.invalid_operands(&read, &value, span);
                    return self.error_value(span);
                }
                let result = self.computed(op, read, value, span);
                let compute = result.ty;
                let ExprKind::Arithmetic { right, .. } = result.kind else {
                    assert!(self.types.is_error(compute), "arithmetic gives arithmetic");
                    return self.error_value(span);
                };
                (op, compute, *right)
            }
            Meaning::Shift(op) => {
                let Some(count) = self.shift_count(&read, value, span) else { return self.error_value(span) };
                (op, count.ty, count)
            }
            Meaning::Comparison(_) | Meaning::Logical { .. } => {
                panic!("the parser makes no compound assignment of this operator")
            }
        };
        if self.types.as_vector(compute).is_some() && self.types.as_vector(ty).is_none() {
            let (to, from) = (self.type_text(ty), self.type_text(compute));
            self.error(span, format!("assigning to '{to}' from incompatible type '{from}'"));
            return self.error_value(span);
        }
        self.note_change(&target);
        Expr { kind: ExprKind::CompoundAssign { op, target, compute, value: Box::new(value) }, ty, span }
    }
}
