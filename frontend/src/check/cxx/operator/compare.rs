//! Which pointers can be compared ([expr.rel], [expr.eq]).

use crate::Span;
use crate::ast::BinaryOp;
use crate::check::cxx::Cxx;
use crate::hir::Expr;
use crate::types::{TypeId, TypeKind};
use clvk_ir::AddressSpace;

impl Cxx<'_> {
    /// Pointers are compared with pointers to the same type or to `void`, and only for equality with zero.
    pub(super) fn check_compared_pointers(&mut self, op: BinaryOp, a: &Expr, b: &Expr, span: Span) -> bool {
        let message = match (self.types.pointee(a.ty), self.types.pointee(b.ty)) {
            (Some((x, x_space)), Some((y, y_space))) => {
                let has_void = self.types.is_void(x.ty) || self.types.is_void(y.ty);
                // `nullptr`, and `NULL` as C has it.
                let is_null = |expr: &Expr, space| {
                    space == AddressSpace::Generic && self.checker.is_null_constant(expr)
                };
                let overlap = is_null(a, x_space)
                    || is_null(b, y_space)
                    || crate::check::operator::overlap(x_space, y_space);
                if overlap && (has_void || self.is_similar(x.ty, y.ty)) {
                    return true;
                }
                "comparison of distinct pointer types"
            }
            (Some(_), None) | (None, Some(_)) => {
                let is_equality = matches!(op, BinaryOp::Equal | BinaryOp::NotEqual);
                let is_number = [a, b]
                    .iter()
                    .any(|side| self.types.as_scalar(side.ty).is_some_and(|kind| !kind.is_float()));
                if is_equality || !is_number {
                    return true;
                }
                "comparison between pointer and zero"
            }
            (None, None) => return true,
        };
        let (x, y) = (self.type_text(a.ty), self.type_text(b.ty));
        self.error(span, format!("{message} ('{x}' and '{y}')"));
        false
    }

    /// Whether types differ in qualifiers only ([conv.qual]).
    fn is_similar(&self, a: TypeId, b: TypeId) -> bool {
        match (self.types.kind(a), self.types.kind(b)) {
            (TypeKind::Pointer { pointee: a, .. }, TypeKind::Pointer { pointee: b, .. }) => {
                self.is_similar(a.ty, b.ty)
            }
            (
                TypeKind::Array { element: a, length: a_length, .. },
                TypeKind::Array { element: b, length: b_length, .. },
            ) => {
                (a_length.is_none() || b_length.is_none() || a_length == b_length)
                    && self.is_similar(a.ty, b.ty)
            }
            (TypeKind::Error, _) | (_, TypeKind::Error) => true,
            _ => a == b,
        }
    }
}
