//! The conditional operator ([expr.cond]).

use crate::Span;
use crate::check::cxx::Cxx;
use crate::check::cxx::expression::{Given, Value};
use crate::check::cxx::types::Type;
use crate::cxx::ast::Expr as Ast;
use crate::hir::{Expr, ExprKind as Hir, Place};
use crate::types::{QualifiedType, TypeId};
use clvk_ir::AddressSpace;

impl Cxx<'_> {
    pub(in crate::check::cxx) fn conditional(
        &mut self,
        condition: &Ast,
        then: &Ast,
        otherwise: &Ast,
        span: Span,
    ) -> Value {
        let test = self.expression(condition);
        if self.types_vector(&test).is_some() {
            let test = self.rvalue(test, condition.span);
            let a = self.value(then);
            let b = self.value(otherwise);
            if [&test, &a, &b].iter().any(|value| self.types.is_error(value.ty)) {
                return self.error_value_of(span);
            }
            return Value::Expr(self.checker.vector_conditional(test, a, b, span));
        }
        let test = self.truth_of(test, condition.span);
        let (a, b) = self.conditionally(|cxx| (cxx.expression(then), cxx.expression(otherwise)));
        if self.types.is_error(test.ty) || self.is_error(&a) || self.is_error(&b) {
            self.note_error();
            return self.error_value_of(span);
        }
        self.conditional_of(test, a, b, span)
    }

    fn conditional_of(&mut self, test: Expr, a: Value, b: Value, span: Span) -> Value {
        // Two objects of one type: the result is an object.
        if let (Some(x), Some(y)) = (a.place().cloned(), b.place().cloned())
            && x.ty.ty == y.ty.ty
            && matches!(a, Value::Place(_)) == matches!(b, Value::Place(_))
            && !matches!(x.kind, crate::hir::PlaceKind::Swizzle(..))
            && !matches!(y.kind, crate::hir::PlaceKind::Swizzle(..))
            && !self.types.is_parameter_only(x.ty.ty)
        {
            let q = QualifiedType { ty: x.ty.ty, qualifiers: x.ty.qualifiers.union(y.ty.qualifiers) };
            let spaces = if x.space == y.space {
                Some(x.space)
            } else if crate::check::operator::overlap(x.space, y.space) {
                Some(AddressSpace::Generic)
            } else if [x.space, y.space].contains(&AddressSpace::Constant) {
                None
            } else {
                Some(AddressSpace::Generic)
            };
            let scalar = self.types.as_arithmetic(x.ty.ty).is_some();
            // The value of a number needs no address where both would only meet in a generic one.
            let meets = x.space != y.space;
            if let Some(space) = spaces.filter(|_| !scalar || !meets) {
                let pointer = self.types.pointer(q, space);
                let (x, y) = (self.address_as(x, pointer), self.address_as(y, pointer));
                let kind =
                    Hir::Conditional { condition: Box::new(test), then: Box::new(x), otherwise: Box::new(y) };
                let address = Expr { kind, ty: pointer, span };
                let kind = crate::hir::PlaceKind::Deref(Box::new(address));
                let place = Place { kind, ty: q, space, span };
                return if matches!(a, Value::Place(_)) { Value::Place(place) } else { Value::Moved(place) };
            }
        }
        if self.record_of(a.ty()).is_some() || self.record_of(b.ty()).is_some() {
            return self.conditional_classes(test, a, b, span);
        }
        let (a_null, b_null) = (self.is_null(&a), self.is_null(&b));
        let (at, bt) = (a.span(), b.span());
        let (mut x, mut y) = (self.rvalue(a, at), self.rvalue(b, bt));
        if x.ty != y.ty {
            if self.types.pointee(x.ty).is_some() && b_null {
                y = self.convert_standard(y, x.ty, true);
            } else if self.types.pointee(y.ty).is_some() && a_null {
                x = self.convert_standard(x, y.ty, true);
            } else if let (Some((p, _)), Some((q, _))) = (self.types.pointee(x.ty), self.types.pointee(y.ty))
                && p.ty != q.ty
            {
                if self.standard(x.ty, y.ty, false).is_some() {
                    let to = y.ty;
                    x = self.convert_standard(x, to, false);
                } else if self.standard(y.ty, x.ty, false).is_some() {
                    let to = x.ty;
                    y = self.convert_standard(y, to, false);
                } else if let Some(to) = self.composite_pointer(x.ty, y.ty) {
                    x = self.checker.convert_pointer(x, to);
                    y = self.checker.convert_pointer(y, to);
                } else {
                    let (a, b) = (self.type_text(x.ty), self.type_text(y.ty));
                    self.error(span, format!("incompatible operand types ('{a}' and '{b}')"));
                    return self.error_value_of(span);
                }
            }
        }
        if self.types.is_void(x.ty) != self.types.is_void(y.ty) {
            self.error(span, "incompatible operand types: one side of the conditional operator is 'void'");
            return self.error_value_of(span);
        }
        if x.ty != y.ty && (self.is_scoped_enum(x.ty) || self.is_scoped_enum(y.ty)) {
            let (a, b) = (self.type_text(x.ty), self.type_text(y.ty));
            self.error(span, format!("incompatible operand types ('{a}' and '{b}')"));
            return self.error_value_of(span);
        }
        let is_same = x.ty == y.ty;
        let pair = match is_same {
            true => Some((x, y)),
            false => self.checker.matched_branches(x, y, span),
        };
        let Some((x, y)) = pair else {
            self.note_error();
            return self.error_value_of(span);
        };
        let ty = x.ty;
        let hir = self.hir_type(ty);
        let kind = Hir::Conditional {
            condition: Box::new(test),
            then: Box::new(Expr { ty: hir, ..x }),
            otherwise: Box::new(Expr { ty: hir, ..y }),
        };
        Value::Expr(Expr { kind, ty, span })
    }

    /// The type that pointers to similar types have in common ([expr.type]/4).
    fn composite_pointer(&mut self, a: TypeId, b: TypeId) -> Option<TypeId> {
        let ((x, x_space), (y, y_space)) = (self.types.pointee(a)?, self.types.pointee(b)?);
        let space = match x_space == y_space {
            true => x_space,
            false if crate::check::operator::overlap(x_space, y_space) => AddressSpace::Generic,
            false => return None,
        };
        let target = self.combined(x, y)?;
        Some(self.types.pointer(target, space))
    }

    /// A type with the qualifiers of two similar ones, and those that make conversions to it safe.
    fn combined(&mut self, a: QualifiedType, b: QualifiedType) -> Option<QualifiedType> {
        let mut qualifiers = a.qualifiers.union(b.qualifiers);
        if a.ty == b.ty {
            return Some(QualifiedType { ty: a.ty, qualifiers });
        }
        let ((x, x_space), (y, y_space)) = (self.types.pointee(a.ty)?, self.types.pointee(b.ty)?);
        if x_space != y_space {
            return None;
        }
        let inner = self.combined(x, y)?;
        qualifiers.is_const |= inner != x || inner != y;
        Some(QualifiedType { ty: self.types.pointer(inner, x_space), qualifiers })
    }

    fn conditional_classes(&mut self, test: Expr, a: Value, b: Value, span: Span) -> Value {
        let (x, y) = (a.ty(), b.ty());
        // The type that one converts to and the other has ([expr.cond]/4).
        let target = if x == y {
            Some(x)
        } else {
            let forward = self.sequence(&Given::Value(a.clone()), Type::of(y), true);
            let backward = self.sequence(&Given::Value(b.clone()), Type::of(x), true);
            match (forward, backward) {
                (Some(_), None) => Some(y),
                (None, Some(_)) => Some(x),
                _ => None,
            }
        };
        let Some(target) = target else {
            let (a, b) = (self.type_text(x), self.type_text(y));
            self.error(span, format!("incompatible operand types ('{a}' and '{b}')"));
            return self.error_value_of(span);
        };
        let (at, bt) = (a.span(), b.span());
        let first = self.conditionally(|cxx| cxx.copy_initialize(Type::of(target), a, at));
        let second = self.conditionally(|cxx| cxx.copy_initialize(Type::of(target), b, bt));
        if self.record_of(target).is_none() {
            let x = self.value_of_init(target, first, at);
            let y = self.value_of_init(target, second, bt);
            let kind =
                Hir::Conditional { condition: Box::new(test), then: Box::new(x), otherwise: Box::new(y) };
            return Value::Expr(Expr { kind, ty: target, span });
        }
        match (first, second) {
            (
                crate::check::cxx::initialize::Init::Class(first),
                crate::check::cxx::initialize::Init::Class(second),
            ) => {
                let kind = crate::check::cxx::initialize::PrvalueKind::Conditional {
                    condition: test,
                    then: Box::new(first),
                    otherwise: Box::new(second),
                };
                let prvalue = crate::check::cxx::initialize::Prvalue::new(target, kind, span);
                Value::Class(Box::new(prvalue))
            }
            _ => {
                self.note_error();
                self.error_value_of(span)
            }
        }
    }
}
