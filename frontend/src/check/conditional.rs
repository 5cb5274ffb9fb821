//! The operator `?:` (C99 §6.5.15, OpenCL C §6.5.9).

use super::Checker;
use super::conversion::common_element;
use super::operator::overlap;
use crate::Span;
use crate::ast;
use crate::diagnostic::Diagnostic;
use crate::hir::{Conversion, Expr, ExprKind};
use crate::types::QualifiedType;
use clvk_ir::AddressSpace;

impl Checker<'_> {
    /// `?:` (C99 §6.5.15, OpenCL C §6.5.9).
    pub(super) fn conditional(
        &mut self,
        condition: &ast::Expr,
        then: &ast::Expr,
        otherwise: &ast::Expr,
        span: Span,
    ) -> Expr {
        let condition = self.value(condition);
        let then = self.value(then);
        let otherwise = self.value(otherwise);
        if [&condition, &then, &otherwise].iter().any(|value| self.types.is_error(value.ty)) {
            return self.error_value(span);
        }
        if self.types.as_vector(condition.ty).is_some() {
            return self.vector_conditional(condition, then, otherwise, span);
        }
        let is_truth = self.types.as_scalar(condition.ty).is_some()
            || self.types.pointee(condition.ty).is_some()
            || self.is_block(condition.ty);
        if !is_truth {
            let text = self.type_text(condition.ty);
            self.error(
                condition.span,
                format!("used type '{text}' where arithmetic, pointer, or vector type is required"),
            );
            return self.error_value(span);
        }
        if let Some(block) = [&then, &otherwise].into_iter().find(|value| self.is_block(value.ty)) {
            let message = "block type cannot be used as expression in ternary expression in OpenCL";
            self.error(block.span, message);
            return self.error_value(span);
        }
        let condition = self.truth(condition);
        let Some((then, otherwise)) = self.matched_branches(then, otherwise, span) else {
            return self.error_value(span);
        };
        let ty = then.ty;
        let kind = ExprKind::Conditional {
            condition: Box::new(condition),
            then: Box::new(then),
            otherwise: Box::new(otherwise),
        };
        Expr { kind, ty, span }
    }

    /// Both branches of a conditional, converted to a common type.
    pub(super) fn matched_branches(
        &mut self,
        then: Expr,
        otherwise: Expr,
        span: Span,
    ) -> Option<(Expr, Expr)> {
        let arithmetic = |checker: &Self, ty| checker.types.as_arithmetic(ty).is_some();
        if arithmetic(self, then.ty) && arithmetic(self, otherwise.ty) {
            return self.usual_conversions(then, otherwise, span);
        }
        if then.ty == otherwise.ty {
            return Some((then, otherwise));
        }
        if self.types.is_void(then.ty) || self.types.is_void(otherwise.ty) {
            let void = self.types.void();
            let discard = |checker: &Self, value: Expr| {
                if value.ty == void { value } else { checker.convert(value, Conversion::Discard, void) }
            };
            return Some((discard(self, then), discard(self, otherwise)));
        }
        match (self.types.pointee(then.ty), self.types.pointee(otherwise.ty)) {
            (Some(_), _) if self.is_null_constant(&otherwise) => {
                let null = self.null_pointer(then.ty, otherwise.span);
                Some((then, null))
            }
            (_, Some(_)) if self.is_null_constant(&then) => {
                let null = self.null_pointer(otherwise.ty, then.span);
                Some((null, otherwise))
            }
            (Some(a), Some(b)) => self.matched_pointers(then, otherwise, a, b, span),
            _ => {
                let (a, b) = (self.type_text(then.ty), self.type_text(otherwise.ty));
                self.error(span, format!("incompatible operand types ('{a}' and '{b}')"));
                None
            }
        }
    }

    fn matched_pointers(
        &mut self,
        then: Expr,
        otherwise: Expr,
        (a, a_space): (QualifiedType, AddressSpace),
        (b, b_space): (QualifiedType, AddressSpace),
        span: Span,
    ) -> Option<(Expr, Expr)> {
        let (a_text, b_text) = (self.type_text(then.ty), self.type_text(otherwise.ty));
        let space = if a_space == b_space {
            a_space
        } else if overlap(a_space, b_space) {
            AddressSpace::Generic
        } else {
            let message = format!(
                "conditional operator with the second and third operands of type ('{a_text}' and '{b_text}') which are \
                 pointers to non-overlapping address spaces"
            );
            self.error(span, message);
            return None;
        };
        let mut target = a;
        if self.types.is_void(b.ty) {
            target.ty = b.ty;
        } else if a.ty != b.ty && !self.types.is_void(a.ty) {
            self.report(Diagnostic::warning(
                span,
                format!("pointer type mismatch ('{a_text}' and '{b_text}')"),
            ));
            target.ty = self.types.void();
        }
        target.qualifiers = a.qualifiers.union(b.qualifiers);
        let ty = self.types.pointer(target, space);
        Some((self.convert_pointer(then, ty), self.convert_pointer(otherwise, ty)))
    }

    /// The branches of a vector condition, converted to their common type. Two scalars become elements of the
    /// result and are not promoted; otherwise lanes of `char` could never select a `char` (OpenCL C §6.5.9).
    fn matched_lanes(&mut self, then: Expr, otherwise: Expr, span: Span) -> Option<(Expr, Expr)> {
        match (self.types.as_scalar(then.ty), self.types.as_scalar(otherwise.ty)) {
            (Some(a), Some(b)) => {
                let element = self.types.scalar(common_element(a, b));
                Some((self.convert_arithmetic(then, element), self.convert_arithmetic(otherwise, element)))
            }
            _ => self.usual_conversions(then, otherwise, span),
        }
    }

    pub(super) fn vector_conditional(
        &mut self,
        condition: Expr,
        then: Expr,
        otherwise: Expr,
        span: Span,
    ) -> Expr {
        let (kind, lanes) = self.types.as_vector(condition.ty).expect("a vector");
        if self.options.is_opencl_cxx() {
            let text = self.type_text(condition.ty);
            let message =
                format!("the condition of '?:' is a vector ('{text}'), which OpenCL C++ does not allow");
            let remedy = "to choose by element, use select(otherwise, then, condition)";
            self.report(Diagnostic::error(condition.span, message).note(remedy));
            return self.error_value(span);
        }
        if kind.is_float() {
            let text = self.type_text(condition.ty);
            self.error(condition.span, format!("used type '{text}' where integer is required"));
            return self.error_value(span);
        }
        let Some((then, otherwise)) = self.matched_lanes(then, otherwise, span) else {
            return self.error_value(span);
        };
        let (result_kind, result_lanes) = self.types.as_arithmetic(then.ty).expect("converted");
        let (c, r) = (self.type_text(condition.ty), self.type_text(then.ty));
        if result_lanes != 1 && result_lanes != lanes {
            let message = format!(
                "vector condition type '{c}' and result type '{r}' do not have the same number of elements"
            );
            self.error(span, message);
            return self.error_value(span);
        }
        if result_kind.size() != kind.size() {
            let message = format!(
                "vector condition type '{c}' and result type '{r}' do not have elements of the same size"
            );
            self.error(span, message);
            return self.error_value(span);
        }
        let ty = self.types.vector(result_kind, lanes);
        let then = self.convert_arithmetic(then, ty);
        let otherwise = self.convert_arithmetic(otherwise, ty);
        let kind = ExprKind::VectorSelect {
            condition: Box::new(condition),
            then: Box::new(then),
            otherwise: Box::new(otherwise),
        };
        Expr { kind, ty, span }
    }
}
