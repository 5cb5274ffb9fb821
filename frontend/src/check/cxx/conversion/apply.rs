//! What conversions compute: loads, bindings of references, steps to bases.

use super::space_fits;
use crate::Span;
use crate::check::cxx::Cxx;
use crate::check::cxx::expression::{Given, Value};
use crate::check::cxx::initialize::{Init, Prvalue, PrvalueKind};
use crate::check::cxx::types::{Reference, Type};
use crate::hir::{Constant, Conversion, Expr, ExprKind, Place, PlaceKind};
use crate::types::{QualifiedType, RecordId, ScalarKind, TypeId, TypeKind};
use clvk_ir::AddressSpace;

impl Cxx<'_> {
    /// The value of an expression: objects are loaded, arrays become pointers.
    pub(in crate::check::cxx) fn rvalue(&mut self, value: Value, span: Span) -> Expr {
        match value {
            Value::Expr(expr) => expr,
            Value::Place(place) | Value::Moved(place) => self.load(place),
            Value::Class(prvalue) => self.class_value(*prvalue),
            Value::Functions(set) => {
                let text = self.owned(set.name.symbol);
                let message = format!(
                    "'{text}' is a function and can only be called: pointers to functions are not allowed (C++ for OpenCL §2.1)"
                );
                self.error(span, message);
                self.checker.error_value(span)
            }
        }
    }

    /// The value of an object.
    pub(in crate::check::cxx) fn load(&mut self, place: Place) -> Expr {
        if let Some(record) = self.record_of(place.ty.ty)
            && !self.require_complete(record, place.span)
        {
            let text = self.type_text(place.ty.ty);
            let span = place.span;
            self.error(span, format!("incomplete type '{text}' where a complete type is required"));
            return self.checker.error_value(span);
        }
        if matches!(self.types.kind(place.ty.ty), TypeKind::MemberPointer { .. } | TypeKind::Nullptr) {
            let (ty, span) = (place.ty.ty, place.span);
            let hir = self.hir_type(ty);
            let q = QualifiedType { ty: hir, qualifiers: place.ty.qualifiers };
            let loaded = Expr { kind: ExprKind::Load(Place { ty: q, ..place }), ty: hir, span };
            return Expr { ty, ..loaded };
        }
        if self.atomic_value(place.ty.ty).is_some() {
            return self.atomic_load(place);
        }
        self.checker.load(place)
    }

    /// A value converted to a type that is neither a reference nor a class, or an error.
    pub(in crate::check::cxx) fn implicit(
        &mut self,
        value: Value,
        to: TypeId,
        span: Span,
        what: &str,
    ) -> Expr {
        if matches!(value, Value::Functions(_)) {
            self.no_conversion(&value, Type::of(to), span, what);
            return self.checker.error_value(span);
        }
        if self.types.is_error(value.ty()) || self.types.is_error(to) {
            self.note_error();
            return self.checker.error_value(span);
        }
        let is_null = self.is_null(&value);
        let from = self.decayed_type(&value);
        if !matches!(value, Value::Functions(_)) && self.standard(from, to, is_null).is_some() {
            let expr = self.rvalue(value, span);
            return self.convert_standard(expr, to, is_null);
        }
        if let Some(sequence) = self.user_sequence(&value, to)
            && let Some((id, _)) = sequence.user
        {
            let result = self.converted_by(id, value, span);
            if self.types.is_error(result.ty()) {
                return self.checker.error_value(span);
            }
            let expr = self.rvalue(result, span);
            return self.convert_standard(expr, to, false);
        }
        self.no_conversion(&value, Type::of(to), span, what);
        self.checker.error_value(span)
    }

    /// Reports that there is no conversion.
    pub(in crate::check::cxx) fn no_conversion(&mut self, value: &Value, to: Type, span: Span, what: &str) {
        if self.quiet > 0 {
            self.note_error();
            return;
        }
        if let Value::Functions(set) = value {
            let text = self.owned(set.name.symbol);
            self.error(span, format!("'{text}' is a function and can only be called: pointers to functions are not allowed (C++ for OpenCL §2.1)"));
            return;
        }
        let from = self.text_of(self.type_of_value(value));
        let (to_text, from_id) = (self.text_of(to), self.decayed_type(value));
        let message = match (self.types.pointee(from_id), self.types.pointee(to.ty())) {
            (Some((_, a)), Some((_, b))) if !space_fits(a, b) => {
                format!(
                    "{what} '{to_text}' with an expression of type '{from}' changes address space of pointer"
                )
            }
            _ => format!("no viable conversion from '{from}' to '{to_text}' for {what}"),
        };
        self.error(span, message);
    }

    pub(in crate::check::cxx) fn type_of_value(&self, value: &Value) -> Type {
        match value {
            Value::Place(place) | Value::Moved(place) => Type {
                q: place.ty,
                space: Some(place.space)
                    .filter(|space| !matches!(space, AddressSpace::Private | AddressSpace::Generic)),
            },
            _ => Type::of(value.ty()),
        }
    }

    /// Applies a standard conversion that exists.
    pub(in crate::check::cxx) fn convert_standard(&mut self, expr: Expr, to: TypeId, is_null: bool) -> Expr {
        if expr.ty == to {
            return expr;
        }
        let span = expr.span;
        if is_null && !matches!(expr.kind, ExprKind::Constant(_)) {
            // What computes a `nullptr` may do more.
            let ty = expr.ty;
            let first = Expr { ty: self.hir_type(ty), ..expr };
            let zero = Expr { kind: ExprKind::Constant(Constant::Bits(0)), ty, span };
            let null = self.convert_standard(zero, to, true);
            let ty = null.ty;
            return Expr { kind: ExprKind::Comma(Box::new(first), Box::new(null)), ty, span };
        }
        match (self.types.kind(expr.ty).clone(), self.types.kind(to).clone()) {
            (_, TypeKind::Pointer { .. }) if is_null => {
                Expr { kind: ExprKind::Constant(Constant::Bits(0)), ty: to, span }
            }
            (_, TypeKind::Event | TypeKind::Opaque(_) | TypeKind::Nullptr) if is_null => {
                Expr { kind: ExprKind::Constant(Constant::Bits(0)), ty: to, span }
            }
            // No member has the offset -1 ([Itanium C++ ABI] 2.3).
            (_, TypeKind::MemberPointer { .. }) if is_null => {
                Expr { kind: ExprKind::Constant(Constant::Bits(u64::MAX)), ty: to, span }
            }
            (TypeKind::MemberPointer { class: base, .. }, TypeKind::MemberPointer { class: derived, .. }) => {
                let (offset, _) = self.base_offset(derived, base).unwrap_or((0, 0));
                self.check_base_access(derived, base, true, span);
                let long = self.types.scalar(ScalarKind::Long);
                let value = Expr { ty: long, ..expr };
                let offset = Expr { kind: ExprKind::Constant(Constant::Bits(offset)), ty: long, span };
                let sum = self.checker.arithmetic(crate::hir::ArithmeticOp::Add, value, offset, span);
                Expr { ty: to, ..sum }
            }
            (TypeKind::MemberPointer { .. }, TypeKind::Scalar(ScalarKind::Bool)) => {
                let long = self.types.scalar(ScalarKind::Long);
                let value = Expr { ty: long, ..expr };
                let one = Expr { kind: ExprKind::Constant(Constant::Bits(1)), ty: long, span };
                let sum = self.checker.arithmetic(crate::hir::ArithmeticOp::Add, value, one, span);
                self.checker.truth(sum)
            }
            (TypeKind::Pointer { .. }, TypeKind::Scalar(ScalarKind::Bool)) => {
                self.checker.convert(expr, Conversion::PointerToBool, to)
            }
            (TypeKind::Pointer { pointee: source, .. }, TypeKind::Pointer { pointee: target, .. }) => {
                let expr = self.pointer_to_base(expr, source, target);
                self.checker.convert_pointer(expr, to)
            }
            (TypeKind::Record(_), TypeKind::Record(base)) => self.value_of_base(expr, base),
            (_, TypeKind::Sampler) => self.checker.sampler_of_integer(&expr),
            (_, TypeKind::Atomic(kind)) => {
                let kind = if kind == ScalarKind::Bool { ScalarKind::Int } else { kind };
                let plain = self.types.scalar(kind);
                self.checker.convert_arithmetic(expr, plain)
            }
            (TypeKind::Scalar(_), TypeKind::Vector(..)) if self.options.is_opencl_cxx() => {
                if !self.checker.check_widened(&expr, to) {
                    self.note_error();
                }
                self.checker.convert_arithmetic(expr, to)
            }
            _ => self.checker.convert_arithmetic(expr, to),
        }
    }

    /// A pointer to a class as a pointer to its base, which may be at another address.
    pub(super) fn pointer_to_base(
        &mut self,
        pointer: Expr,
        source: QualifiedType,
        target: QualifiedType,
    ) -> Expr {
        let (Some(derived), Some(base)) = (self.record_of(source.ty), self.record_of(target.ty)) else {
            return pointer;
        };
        let Some((offset, steps)) = self.base_offset(derived, base) else { return pointer };
        if steps == 0 {
            return pointer;
        }
        let span = pointer.span;
        if self.is_ambiguous_base(derived, base) {
            let (a, b) = (self.type_text(source.ty), self.type_text(target.ty));
            self.error(span, format!("ambiguous conversion from derived class '{a}' to base class '{b}'"));
        }
        self.check_base_access(derived, base, false, span);
        let (_, space) = self.types.pointee(pointer.ty).expect("a pointer");
        let q = QualifiedType { ty: target.ty, qualifiers: source.qualifiers };
        let ty = self.types.pointer(q, space);
        if offset == 0 {
            return self.checker.convert(pointer, Conversion::Pointer, ty);
        }
        self.unless_null(pointer, ty, |_, pointer| {
            let object = Place { kind: PlaceKind::Deref(Box::new(pointer)), ty: source, space, span };
            let part = Place { kind: PlaceKind::Member(Box::new(object), offset), ty: q, space, span };
            Expr { kind: ExprKind::AddressOf(part), ty, span }
        })
    }

    /// What is made of a pointer, or null if it is null ([conv.ptr]/3).
    pub(in crate::check::cxx) fn unless_null(
        &mut self,
        pointer: Expr,
        ty: TypeId,
        make: impl FnOnce(&mut Self, Expr) -> Expr,
    ) -> Expr {
        let span = pointer.span;
        if matches!(pointer.kind, ExprKind::AddressOf(_)) || self.frames.is_empty() {
            return make(self, pointer);
        }
        let from = pointer.ty;
        let local = self.new_local(from, span);
        let holder = self.local_place(local, from, span);
        let keep = Expr {
            kind: ExprKind::Assign { target: holder.clone(), value: Box::new(pointer) },
            ty: from,
            span,
        };
        let kept = Expr { kind: ExprKind::Load(holder), ty: from, span };
        let bool = self.checker.bool();
        let condition = Box::new(self.checker.convert(kept.clone(), Conversion::PointerToBool, bool));
        let then = Box::new(make(self, kept));
        let otherwise = Box::new(Expr { kind: ExprKind::Constant(Constant::Bits(0)), ty, span });
        let choice = Expr { kind: ExprKind::Conditional { condition, then, otherwise }, ty, span };
        Expr { kind: ExprKind::Comma(Box::new(keep), Box::new(choice)), ty, span }
    }

    /// An object as an object of a base class.
    pub(in crate::check::cxx) fn base_place(&mut self, place: Place, base: RecordId) -> Place {
        let Some(derived) = self.record_of(place.ty.ty) else { return place };
        let Some((offset, steps)) = self.base_offset(derived, base) else { return place };
        if steps == 0 {
            return place;
        }
        if self.is_ambiguous_base(derived, base) {
            let (a, b) = (self.type_text(place.ty.ty), self.type_text(self.class(base).ty));
            self.error(
                place.span,
                format!("ambiguous conversion from derived class '{a}' to base class '{b}'"),
            );
        }
        let ty = QualifiedType { ty: self.class(base).ty, qualifiers: place.ty.qualifiers };
        let (space, span) = (place.space, place.span);
        Place { kind: PlaceKind::Member(Box::new(place), offset), ty, space, span }
    }

    fn value_of_base(&mut self, value: Expr, base: RecordId) -> Expr {
        if let Some(derived) = self.record_of(value.ty) {
            self.check_base_access(derived, base, false, value.span);
        }
        let place = self.held(value);
        let place = self.base_place(place, base);
        self.load(place)
    }

    /// A value in a temporary object.
    pub(in crate::check::cxx) fn held(&mut self, value: Expr) -> Place {
        let (ty, span) = (value.ty, value.span);
        match self.checker.materialized(value) {
            Some(place) => place,
            None => {
                if self.quiet == 0 && !self.types.is_error(ty) {
                    // Outside functions only the type matters.
                }
                Place {
                    kind: PlaceKind::Deref(Box::new(self.checker.error_value(span))),
                    ty: ty.into(),
                    space: AddressSpace::Private,
                    span,
                }
            }
        }
    }

    /// A value as an object: one that exists, or a temporary one.
    pub(in crate::check::cxx) fn object(&mut self, value: Value, span: Span) -> Place {
        match value {
            Value::Place(place) | Value::Moved(place) => place,
            Value::Class(prvalue) => self.temporary(*prvalue),
            Value::Expr(expr) => {
                let hir = self.hir_type(expr.ty);
                let ty = expr.ty;
                let place = self.held(Expr { ty: hir, ..expr });
                Place { ty: ty.into(), ..place }
            }
            Value::Functions(_) => {
                let value = self.rvalue(value, span);
                self.held(value)
            }
        }
    }

    /// The address that a reference holds when it is bound to a value.
    pub(in crate::check::cxx) fn bind_reference(
        &mut self,
        given: Given,
        reference: Reference,
        span: Span,
        what: &str,
    ) -> Expr {
        let target = Type { q: reference.target, space: None };
        let ty = self.types.pointer(reference.target, reference.space);
        let value = match given {
            Given::Value(value) => value,
            Given::List(list) => {
                if !space_fits(AddressSpace::Private, reference.space) {
                    let space = crate::check::spelling::space_text(reference.space);
                    let message =
                        format!("a reference to address space '{space}' cannot bind to a temporary object");
                    self.error(span, message);
                    return self.checker.error_value(span);
                }
                let init = self.list_initialize(target.plain(), &list, true);
                let place = self.temporary_of(target.ty(), init, span);
                return self.address_as(place, ty);
            }
        };
        if self.types.is_error(value.ty()) {
            self.note_error();
            return self.checker.error_value(span);
        }
        // A sampler of the program is a constant, which is not in memory.
        if let (Value::Expr(sampler), TypeKind::Sampler) = (&value, self.types.kind(value.ty()))
            && reference.target.ty == sampler.ty
        {
            return Expr { ty, ..sampler.clone() };
        }
        let whole = Type::of(self.types.intern(TypeKind::Reference {
            target: reference.target,
            space: reference.space,
            is_rvalue: reference.is_rvalue,
        }));
        let Some(sequence) = self.sequence(&Given::Value(value.clone()), whole, true) else {
            self.cannot_bind(&value, whole, reference, span, what);
            return self.checker.error_value(span);
        };
        let is_direct = self.related(value.ty(), reference.target.ty).is_some();
        if is_direct {
            self.check_base_of(value.ty(), reference.target.ty, span);
        }
        if let (true, Some(place)) = (is_direct, value.place().cloned()) {
            let direct = space_fits(place.space, reference.space)
                && place.ty.qualifiers.fits_in(reference.target.qualifiers)
                && !matches!(place.kind, PlaceKind::Swizzle(..));
            if direct {
                return self.address_as(place, ty);
            }
        }
        if let Some((id, _)) = sequence.user
            && self.reference(self.function(id).result.ty()).is_some()
        {
            let result = self.converted_by(id, value, span);
            let place = self.object(result, span);
            return self.address_as(place, ty);
        }
        let place = if is_direct {
            match value {
                Value::Class(_) => self.object(value, span),
                value => {
                    let plain = Type::of(reference.target.ty);
                    let init = self.copy_initialize(plain, value, span);
                    self.temporary_of(plain.ty(), init, span)
                }
            }
        } else {
            let init = self.copy_initialize(target.plain(), value, span);
            self.temporary_of(target.ty(), init, span)
        };
        self.address_as(place, ty)
    }

    /// Checks that one type's base, if the other type is that, is accessible.
    pub(in crate::check::cxx) fn check_base_of(&mut self, from: TypeId, to: TypeId, span: Span) {
        if let (Some(derived), Some(base)) = (self.record_of(from), self.record_of(to)) {
            self.check_base_access(derived, base, false, span);
        }
    }

    fn cannot_bind(&mut self, value: &Value, whole: Type, reference: Reference, span: Span, what: &str) {
        if self.quiet > 0 {
            self.note_error();
            return;
        }
        let from = self.text_of(self.type_of_value(value));
        let to = self.text_of(whole);
        let related = self.related(value.ty(), reference.target.ty).is_some();
        let message = match (value, value.place()) {
            (_, Some(place)) if related && !space_fits(place.space, reference.space) => {
                format!(
                    "{what} of type '{to}' binding to an expression of type '{from}' changes address space"
                )
            }
            (_, Some(place)) if related && !place.ty.qualifiers.fits_in(reference.target.qualifiers) => {
                format!("binding reference of type '{to}' to value of type '{from}' drops qualifiers")
            }
            (Value::Place(_), _) if related && reference.is_rvalue => {
                format!("rvalue reference to type '{to}' cannot bind to lvalue of type '{from}'")
            }
            (_, Some(_)) if related && !matches!(value, Value::Moved(_)) => {
                "non-const reference cannot bind to vector element".to_owned()
            }
            _ if !reference.is_rvalue && !reference.target.qualifiers.is_const => {
                format!("non-const lvalue reference to type '{to}' cannot bind to a value of type '{from}'")
            }
            _ => format!("no viable conversion from '{from}' to '{to}' for {what}"),
        };
        self.error(span, message);
    }

    /// The address of an object as a pointer to a type that it has or is derived from.
    pub(in crate::check::cxx) fn address_as(&mut self, place: Place, to: TypeId) -> Expr {
        let (target, _) = self.types.pointee(to).expect("a pointer type");
        if let Some(base) = self.record_of(target.ty)
            && place.ty.ty != target.ty
        {
            let place = self.base_place(place, base);
            let address = self.checker.address(place);
            return self.checker.convert_pointer(address, to);
        }
        let hir = self.hir_type(place.ty.ty);
        let place = match hir == place.ty.ty {
            true => place,
            false => Place { ty: QualifiedType { ty: hir, ..place.ty }, ..place },
        };
        let address = self.checker.address(place);
        self.checker.convert_pointer(address, to)
    }

    /// The value of an initialiser for something that is not a class: what is passed or returned.
    pub(in crate::check::cxx) fn value_of_init(&mut self, ty: TypeId, init: Init, span: Span) -> Expr {
        match init {
            Init::Value(expr) => expr,
            Init::Class(prvalue) => self.class_value(prvalue),
            Init::None | Init::Error => self.checker.error_value(span),
            Init::Zero | Init::Parts { .. } | Init::Repeat { .. } | Init::Copy { .. } => {
                let place = self.temporary_of(ty, init, span);
                self.load(place)
            }
        }
    }

    /// A class prvalue as a value; of a class that must not be copied this is only done to discard it.
    pub(super) fn class_value(&mut self, prvalue: Prvalue) -> Expr {
        if let PrvalueKind::Bits(expr) = prvalue.kind {
            return expr;
        }
        let place = self.temporary(prvalue);
        self.checker.load(place)
    }
}
