//! Casts ([expr.cast], [expr.static.cast] and so on; C++ for OpenCL §2.2.5 for `addrspace_cast`).

mod construct;

use super::Cxx;
use super::conversion::{Sequence, space_fits};
use super::expression::{Given, Value};
use super::types::{Reference, Type};
use crate::Span;
use crate::cxx::ast::{Expr as Ast, ExprKind, NamedCast, TypeName};
use crate::diagnostic::Diagnostic;
use crate::hir::{Conversion, Expr, Place, PlaceKind};
use crate::types::{OpaqueType, QualifiedType, ScalarKind, TypeId, TypeKind};
use clvk_ir::AddressSpace;

impl Cxx<'_> {
    pub(super) fn named_cast(&mut self, cast: NamedCast, ty: &TypeName, operand: &Ast, span: Span) -> Value {
        let to = self.type_name(ty);
        if cast == NamedCast::Dynamic {
            self.error(span, "'dynamic_cast' is not supported in C++ for OpenCL (§2.1)");
            return self.error_value_of(span);
        }
        let value = self.expression(operand);
        if self.is_error_type(to) || self.is_error(&value) {
            self.note_error();
            return self.error_value_of(span);
        }
        match cast {
            NamedCast::Static => self.static_cast(value, to, span),
            NamedCast::Const => self.const_cast(value, to, span),
            NamedCast::Reinterpret => self.reinterpret_cast(value, to, span),
            NamedCast::AddressSpace => self.addrspace_cast(value, to, span),
            NamedCast::Dynamic => self.error_value_of(span),
        }
    }

    /// The object that a pointer made by a cast of an address points to, for casts to references.
    fn place_at(&mut self, address: Expr, reference: Reference, span: Span) -> Value {
        let kind = PlaceKind::Deref(Box::new(address));
        let place = Place { kind, ty: reference.target, space: reference.space, span };
        if reference.is_rvalue { Value::Moved(place) } else { Value::Place(place) }
    }

    pub(super) fn static_cast(&mut self, value: Value, to: Type, span: Span) -> Value {
        match self.try_static_cast(value.clone(), to, span) {
            Some(value) => value,
            None => {
                let (from, text) = (self.text_of(self.type_of_value(&value)), self.text_of(to));
                self.error(span, format!("static_cast from '{from}' to '{text}' is not allowed"));
                self.error_value_of(span)
            }
        }
    }

    fn try_static_cast(&mut self, value: Value, to: Type, span: Span) -> Option<Value> {
        if let Some(reference) = self.reference(to.ty()) {
            return self.static_cast_to_reference(value, reference, to, span);
        }
        let target = to.ty();
        if self.types.is_void(target) {
            let void = self.types.void();
            let value = self.discarded(value, span);
            let value = if self.types.is_void(value.ty) {
                value
            } else {
                self.checker.convert(value, Conversion::Discard, void)
            };
            return Some(Value::Expr(value));
        }
        if self.record_of(target).is_some() {
            let init = self.direct_initialize(to.plain(), vec![Given::Value(value)], span);
            return Some(self.value_of_initializer(target, init, span));
        }
        if matches!(value, Value::Functions(_)) {
            return None;
        }
        let is_null = self.is_null(&value);
        let from = self.decayed_type(&value);
        if self.standard(from, target, is_null).is_some() {
            let expr = self.rvalue(value, span);
            if self.types.as_scalar(expr.ty).is_some() && self.types.as_vector(target).is_some() {
                // Explicitly, what the elements cannot hold is cut off.
                return Some(Value::Expr(self.checker.convert_arithmetic(expr, target)));
            }
            let converted = self.convert_standard(expr, target, is_null);
            return Some(Value::Expr(Expr { span, ..converted }));
        }
        if self.record_of(from).is_some() {
            // Explicit conversion functions, too.
            return self.explicit_conversion(value, target, span);
        }
        // Enumerations and numbers, in both directions.
        let numbers = self.types.as_scalar(from).is_some() && self.types.as_scalar(target).is_some();
        if numbers {
            let expr = self.rvalue(value, span);
            return Some(Value::Expr(self.cast_number(expr, target, span)));
        }
        let (Some((source, from_space)), Some((pointee, space))) =
            (self.types.pointee(from), self.types.pointee(target))
        else {
            return self.static_cast_member_pointer(value, from, target, span);
        };
        if !source.qualifiers.fits_in(pointee.qualifiers) || !space_fits(from_space, space) {
            return None;
        }
        if self.types.is_void(source.ty) {
            let expr = self.rvalue(value, span);
            return Some(Value::Expr(self.checker.convert_pointer(expr, target)));
        }
        // From a base to a derived class.
        let (base, derived) = (self.record_of(source.ty)?, self.record_of(pointee.ty)?);
        self.require_complete(derived, span);
        let (offset, steps) = self.base_offset(derived, base)?;
        if steps == 0 {
            return None;
        }
        let offset = offset.cast_signed();
        self.check_base_access(derived, base, true, span);
        let expr = self.rvalue(value, span);
        let (_, from_space) = self.types.pointee(expr.ty).expect("a pointer");
        let to = self.types.pointer(pointee, from_space);
        let down = match offset {
            0 => self.moved_by(expr, 0, pointee, span),
            _ => self.unless_null(expr, to, |cxx, pointer| cxx.moved_by(pointer, -offset, pointee, span)),
        };
        Some(Value::Expr(self.checker.convert_pointer(down, target)))
    }

    /// A pointer to an object that begins a number of bytes after the one that a pointer points to.
    pub(super) fn moved_by(
        &mut self,
        pointer: Expr,
        offset: i64,
        pointee: QualifiedType,
        span: Span,
    ) -> Expr {
        let (_, space) = self.types.pointee(pointer.ty).expect("a pointer");
        let to = self.types.pointer(pointee, space);
        if offset == 0 {
            return self.checker.convert(pointer, Conversion::Pointer, to);
        }
        let char = self.types.scalar(ScalarKind::Char);
        let bytes = self.types.pointer(QualifiedType { ty: char, qualifiers: pointee.qualifiers }, space);
        let address = self.checker.convert(pointer, Conversion::Pointer, bytes);
        let long = self.types.scalar(ScalarKind::Long);
        let index = Box::new(self.constant(offset.unsigned_abs(), long, span));
        let kind =
            crate::hir::ExprKind::PointerAdd { pointer: Box::new(address), index, subtract: offset < 0 };
        let moved = Expr { kind, ty: bytes, span };
        self.checker.convert(moved, Conversion::Pointer, to)
    }

    fn static_cast_member_pointer(
        &mut self,
        value: Value,
        from: TypeId,
        to: TypeId,
        span: Span,
    ) -> Option<Value> {
        let TypeKind::MemberPointer { class: derived, target: a } = *self.types.kind(from) else {
            return None;
        };
        let TypeKind::MemberPointer { class: base, target: b } = *self.types.kind(to) else { return None };
        if a.ty != b.ty {
            return None;
        }
        let (offset, _) = self.base_offset(derived, base)?;
        self.check_base_access(derived, base, false, span);
        let long = self.types.scalar(ScalarKind::Long);
        let expr = self.rvalue(value, span);
        let offset = self.constant(offset, long, span);
        let value = Expr { ty: long, ..expr };
        let moved = self.checker.arithmetic(crate::hir::ArithmeticOp::Sub, value, offset, span);
        Some(Value::Expr(Expr { ty: to, ..moved }))
    }

    fn static_cast_to_reference(
        &mut self,
        value: Value,
        reference: Reference,
        to: Type,
        span: Span,
    ) -> Option<Value> {
        // An object as an object of its type, of a base, or moved from.
        if let Some(place) = value.place().cloned()
            && self.related(place.ty.ty, reference.target.ty).is_some()
            && place.ty.qualifiers.fits_in(reference.target.qualifiers)
            && space_fits(place.space, reference.space)
            && (reference.is_rvalue
                || matches!(value, Value::Place(_))
                || reference.target.qualifiers.is_const)
        {
            self.check_base_of(place.ty.ty, reference.target.ty, span);
            let pointer = self.types.pointer(reference.target, reference.space);
            let address = self.address_as(place, pointer);
            return Some(self.place_at(address, reference, span));
        }
        // A base as a derived class.
        if let Some(place) = value.place().cloned()
            && let (Some(base), Some(derived)) =
                (self.record_of(place.ty.ty), self.record_of(reference.target.ty))
            && self.require_complete(derived, span)
            && let Some((offset, steps)) = self.base_offset(derived, base)
            && steps > 0
            && place.ty.qualifiers.fits_in(reference.target.qualifiers)
            && space_fits(place.space, reference.space)
        {
            self.check_base_access(derived, base, true, span);
            let address = self.checker.address(place);
            let moved = self.moved_by(address, -offset.cast_signed(), reference.target, span);
            let pointer = self.types.pointer(reference.target, reference.space);
            let address = self.checker.convert_pointer(moved, pointer);
            return Some(self.place_at(address, reference, span));
        }
        self.sequence(&Given::Value(value.clone()), to, true)?;
        let address = self.bind_reference(Given::Value(value), reference, span, "cast");
        Some(self.place_at(address, reference, span))
    }

    /// The conversion function, explicit ones included, that makes a value of a type. `None` also if it is
    /// not clear which.
    pub(super) fn conversion_for(&mut self, value: &Value, to: TypeId) -> Option<super::FnId> {
        let record = self.record_of(value.ty())?;
        let mut found: Vec<(super::FnId, Sequence, Sequence)> = Vec::new();
        for id in self.conversions_of(record) {
            let Some(id) = self.conversion_candidate(id, to) else { continue };
            let result = self.function(id).result;
            let result = self.without_reference(result).ty();
            // Nothing but qualifiers follows an explicit one ([over.match.conv]).
            if self.function(id).is_explicit && result != to || found.iter().any(|(known, ..)| *known == id) {
                continue;
            }
            let Some(first) = self.takes_object(id, value) else { continue };
            if let Some(second) = self.standard(result, to, false) {
                found.push((id, first, second));
            }
        }
        self.best_user_conversion(&found).map(|best| found[best].0)
    }

    /// A conversion by a conversion function, explicit ones included.
    pub(super) fn explicit_conversion(&mut self, value: Value, to: TypeId, span: Span) -> Option<Value> {
        let id = self.conversion_for(&value, to)?;
        let result = self.converted_by(id, value, span);
        let expr = self.rvalue(result, span);
        Some(Value::Expr(self.convert_standard(expr, to, false)))
    }

    /// An object of a class as a condition, also by an explicit conversion to `bool`.
    pub(super) fn explicit_truth(&mut self, value: Value, span: Span) -> Expr {
        let bool = self.checker.bool();
        match self.explicit_conversion(value.clone(), bool, span) {
            Some(value) => self.rvalue(value, span),
            None => {
                self.no_conversion(&value, Type::of(bool), span, "condition");
                self.checker.error_value(span)
            }
        }
    }

    fn cast_number(&mut self, expr: Expr, to: TypeId, span: Span) -> Expr {
        if self.types.as_scalar(expr.ty).is_none() || self.types.as_scalar(to).is_none() {
            return self.checker.error_value(span);
        }
        Expr { span, ..self.checker.convert_arithmetic(expr, to) }
    }

    fn const_cast(&mut self, value: Value, to: Type, span: Span) -> Value {
        let text = self.text_of(to);
        if let Some(reference) = self.reference(to.ty()) {
            if let Some(place) = value.place().cloned()
                && place.ty.ty == reference.target.ty
                && space_fits(place.space, reference.space)
            {
                let pointer = self.types.pointer(reference.target, reference.space);
                let address = self.address_as(place, pointer);
                return self.place_at(address, reference, span);
            }
        } else if let Some((pointee, space)) = self.types.pointee(to.ty()) {
            let from = self.decayed_type(&value);
            if let Some((source, from_space)) = self.types.pointee(from)
                && source.ty == pointee.ty
                && space_fits(from_space, space)
            {
                let expr = self.rvalue(value, span);
                return Value::Expr(self.checker.convert_pointer(expr, to.ty()));
            }
        }
        let from = self.text_of(self.type_of_value(&value));
        self.error(span, format!("const_cast from '{from}' to '{text}' is not allowed"));
        self.error_value_of(span)
    }

    fn addrspace_cast(&mut self, value: Value, to: Type, span: Span) -> Value {
        let text = self.text_of(to);
        let from = self.decayed_type(&value);
        if let (Some((source, from_space)), Some((pointee, space))) =
            (self.types.pointee(from), self.types.pointee(to.ty()))
        {
            let overlap = super::super::operator::overlap(from_space, space);
            if source == pointee && overlap {
                let expr = self.rvalue(value, span);
                return Value::Expr(self.checker.convert_pointer(expr, to.ty()));
            }
        }
        if let (Some(reference), Some(place)) = (self.reference(to.ty()), value.place().cloned()) {
            let overlap = super::super::operator::overlap(place.space, reference.space);
            if place.ty == reference.target && overlap {
                let pointer = self.types.pointer(reference.target, reference.space);
                let address = self.checker.address(place);
                let address = self.checker.convert_pointer(address, pointer);
                return self.place_at(address, reference, span);
            }
        }
        let from = self.text_of(self.type_of_value(&value));
        self.error(span, format!("addrspace_cast from '{from}' to '{text}' converts between mismatching address spaces or types"));
        self.error_value_of(span)
    }

    fn reinterpret_cast(&mut self, value: Value, to: Type, span: Span) -> Value {
        let text = self.text_of(to);
        let from_text = match &value {
            Value::Functions(_) => "<function>".to_owned(),
            value => self.text_of(self.type_of_value(value)),
        };
        match self.try_reinterpret(value, to, span) {
            Some(value) => value,
            None => {
                self.error(span, format!("reinterpret_cast from '{from_text}' to '{text}' is not allowed"));
                self.error_value_of(span)
            }
        }
    }

    fn try_reinterpret(&mut self, value: Value, to: Type, span: Span) -> Option<Value> {
        if let Some(reference) = self.reference(to.ty()) {
            let place = value.place().cloned()?;
            if !super::super::operator::overlap(place.space, reference.space)
                || place.space != reference.space && reference.space != AddressSpace::Generic
                || !place.ty.qualifiers.fits_in(reference.target.qualifiers)
                || matches!(place.kind, PlaceKind::Swizzle(..))
            {
                return None;
            }
            let address = self.checker.address(place);
            let pointer = self.types.pointer(reference.target, reference.space);
            let address = self.checker.convert_pointer(address, pointer);
            return Some(self.place_at(address, reference, span));
        }
        if matches!(value, Value::Functions(_)) {
            return None;
        }
        let target = to.ty();
        let from = self.decayed_type(&value);
        let expr = self.rvalue(value, span);
        let is_integer = |cxx: &Self, ty| cxx.types.as_scalar(ty).is_some_and(ScalarKind::is_integer);
        match (self.types.pointee(from), self.types.pointee(target)) {
            (Some((source, from_space)), Some((pointee, space))) => {
                if !space_fits(from_space, space) || !source.qualifiers.fits_in(pointee.qualifiers) {
                    return None;
                }
                Some(Value::Expr(self.checker.convert_pointer(expr, target)))
            }
            (Some(_), None) if is_integer(self, target) => {
                let size = self.types.layout(target)?.0;
                if size < 8 {
                    return None;
                }
                Some(Value::Expr(self.checker.cast(expr, target, span)))
            }
            (None, Some(_)) if is_integer(self, from) && !self.is_scoped_enum(from) => {
                Some(Value::Expr(self.checker.cast(expr, target, span)))
            }
            // A pipe is the address of its memory; the library makes those of the program.
            (Some((_, AddressSpace::Global)), None)
                if matches!(self.types.kind(target), TypeKind::Opaque(OpaqueType::Pipe { .. })) =>
            {
                Some(Value::Expr(self.checker.convert(expr, Conversion::Pointer, target)))
            }
            // C++ for OpenCL: between vectors and scalars of one size (§2.3).
            (None, None) => {
                let both =
                    self.types.as_arithmetic(from).is_some() && self.types.as_arithmetic(target).is_some();
                if from == target && (is_integer(self, from) || both) {
                    return Some(Value::Expr(expr));
                }
                let vectors = self.types.as_vector(from).is_some() || self.types.as_vector(target).is_some();
                let (a, b) = (self.types.layout(from)?.0, self.types.layout(target)?.0);
                if !both || !vectors || a != b {
                    return None;
                }
                Some(Value::Expr(self.checker.convert(expr, Conversion::Reinterpret, target)))
            }
            _ => None,
        }
    }

    /// `(T)e` ([expr.cast]): the first of the named casts that is possible.
    pub(super) fn c_cast(&mut self, ty: &TypeName, operand: &Ast, span: Span) -> Value {
        let to = self.type_name(ty);
        let value = self.expression(operand);
        if let ExprKind::Paren(inner) = &operand.kind
            && matches!(inner.kind, ExprKind::Comma(..))
            && self.types.as_vector(to.ty()).is_some()
        {
            let text = self.text_of(to);
            let message = "the comma operator gives its last value to all components of the vector";
            let note = format!("OpenCL C++ has no vector literals of OpenCL C: write '{text}(…)'");
            self.report(Diagnostic::warning(span, message).note(note));
        }
        self.explicit_cast(value, to, span)
    }

    pub(super) fn explicit_cast(&mut self, value: Value, to: Type, span: Span) -> Value {
        let reaches_bases = self.reference(to.ty()).is_some()
            || matches!(self.types.kind(to.ty()), TypeKind::Pointer { .. } | TypeKind::MemberPointer { .. });
        let outer = std::mem::replace(&mut self.ignores_base_access, reaches_bases);
        let value = self.c_like_cast(value, to, span);
        self.ignores_base_access = outer;
        value
    }

    fn c_like_cast(&mut self, value: Value, to: Type, span: Span) -> Value {
        if self.is_error_type(to) || self.is_error(&value) {
            self.note_error();
            return self.error_value_of(span);
        }
        if matches!(value, Value::Functions(_)) && !self.types.is_void(to.ty()) {
            let expr = self.rvalue(value, span);
            return Value::Expr(expr);
        }
        if self.reference(to.ty()).is_none() && self.record_of(to.ty()).is_none() {
            let from = self.decayed_type(&value);
            // Pointers: C's casts may also remove qualifiers and change the address space as far as C allows.
            let pointers = self.types.pointee(from).is_some() && self.types.pointee(to.ty()).is_some();
            let vectors = self.types.as_vector(to.ty()).is_some() || self.types.as_vector(from).is_some();
            if pointers
                && let Some(value) =
                    self.attempt(|cxx| cxx.try_static_cast(value.clone(), to, span)).flatten()
            {
                return value;
            }
            if pointers || vectors && self.record_of(from).is_none() {
                let expr = self.rvalue(value, span);
                return Value::Expr(self.checker.cast(expr, to.ty(), span));
            }
        }
        if let Some(reference) = self.reference(to.ty())
            && let Some(place) = value.place().cloned()
            && self.related(place.ty.ty, reference.target.ty).is_none()
            && self.record_of(place.ty.ty).is_none()
            && super::super::operator::overlap(place.space, reference.space)
            && (!reference.is_rvalue || matches!(value, Value::Moved(_)))
        {
            let address = self.checker.address(place);
            let pointer = self.types.pointer(reference.target, reference.space);
            let address = self.checker.convert_pointer(address, pointer);
            return self.place_at(address, reference, span);
        }
        if let Some(value) = self.try_static_cast(value.clone(), to, span) {
            return value;
        }
        if let Some(reference) = self.reference(to.ty())
            && let Some(place) = value.place().cloned()
            && place.ty.ty == reference.target.ty
        {
            return self.const_cast(value, to, span);
        }
        if let Some(value) = self.try_reinterpret(value.clone(), to, span) {
            return value;
        }
        let expr = self.rvalue(value, span);
        if self.record_of(expr.ty).is_some()
            || matches!(self.types.kind(expr.ty), TypeKind::MemberPointer { .. })
        {
            let (from, text) = (self.type_text(expr.ty), self.text_of(to));
            self.error(span, format!("cannot cast from type '{from}' to '{text}'"));
            return self.error_value_of(span);
        }
        Value::Expr(self.checker.cast(expr, to.ty(), span))
    }
}
