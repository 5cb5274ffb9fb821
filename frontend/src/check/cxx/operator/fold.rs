//! Fold expressions ([expr.prim.fold]).

use crate::Span;
use crate::ast::BinaryOp;
use crate::check::cxx::Cxx;
use crate::check::cxx::expression::{Given, Value};
use crate::check::cxx::walk::unexpanded_of;
use crate::cxx::ast::{Expr as Ast, FoldOp, Operator};
use crate::hir::Conversion;
use crate::symbol::Symbol;

impl Cxx<'_> {
    /// `(pack op ...)` and its kin ([expr.prim.fold]).
    pub(in crate::check::cxx) fn fold(
        &mut self,
        op: FoldOp,
        left: Option<&Ast>,
        right: Option<&Ast>,
        names: &[Symbol],
        span: Span,
    ) -> Value {
        // In a binary fold one side has the pack.
        let has_pack = |cxx: &Self, expr: Option<&Ast>| {
            expr.is_some_and(|expr| unexpanded_of(expr).iter().any(|name| cxx.pack_of(*name).is_some()))
        };
        let (pattern, initial, is_left) = match (left, right) {
            (Some(pattern), None) => (pattern, None, false),
            (None, Some(pattern)) => (pattern, None, true),
            (Some(a), Some(b)) if has_pack(self, Some(a)) => (a, Some(b), false),
            (Some(a), Some(b)) => (b, Some(a), true),
            (None, None) => return self.error_value_of(span),
        };
        // Packs that are expanded within the pattern are not those of the fold.
        let own = unexpanded_of(pattern);
        let has_own = own.iter().any(|name| self.pack_of(*name).is_some());
        let names = if has_own { &own } else { names };
        let mut values = self.expand(names, span, |cxx| cxx.expression(pattern));
        if values.iter().any(|value| self.is_error(value)) {
            self.note_error();
            return self.error_value_of(span);
        }
        if let Some(initial) = initial {
            let initial = self.expression(initial);
            if is_left {
                values.insert(0, initial);
            } else {
                values.push(initial);
            }
        }
        if values.is_empty() {
            return match op {
                FoldOp::Binary(BinaryOp::LogicalAnd) => Value::Expr(self.truth_value(true, span)),
                FoldOp::Binary(BinaryOp::LogicalOr) => Value::Expr(self.truth_value(false, span)),
                FoldOp::Comma => {
                    let void = self.types.void();
                    let int = self.checker.int();
                    let zero = self.constant(0, int, span);
                    Value::Expr(self.checker.convert(zero, Conversion::Discard, void))
                }
                _ => {
                    self.error(
                        span,
                        "unary fold expression has empty expansion for an operator with no fallback value",
                    );
                    self.error_value_of(span)
                }
            };
        }
        let mut list = values.into_iter();
        if is_left {
            let mut result = list.next().expect("not empty");
            for next in list {
                result = self.folded(op, result, next, span);
            }
            result
        } else {
            let mut list = list.rev();
            let mut result = list.next().expect("not empty");
            for next in list {
                result = self.folded(op, next, result, span);
            }
            result
        }
    }

    fn folded(&mut self, op: FoldOp, a: Value, b: Value, span: Span) -> Value {
        match op {
            FoldOp::Binary(op) => self.binary_of(op, span, a, b, span),
            FoldOp::Assign(op) => self.assignment_of(op, a, Given::Value(b), span),
            FoldOp::Comma => {
                if let Some(value) = self.overloaded(Operator::Comma, &[a.clone(), b.clone()], span) {
                    return value;
                }
                let first = self.discarded(a, span);
                self.sequence_value(first, b, span)
            }
        }
    }
}
