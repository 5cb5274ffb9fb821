//! Conversions: arithmetic ones, promotions, assignments, casts (C99 §6.3, OpenCL C §6.4).

use super::Checker;
use super::constant;
use super::expression::Operand;
use super::gate::choice_of;
use crate::Span;
use crate::ast::{self, TypeName};
use crate::diagnostic::Diagnostic;
use crate::hir::{Constant, Conversion, Expr, ExprKind};
use crate::options::LanguageVersion;
use crate::types::{QualifiedType, ScalarKind, TypeId, TypeKind};
use clvk_ir::AddressSpace;

/// The purpose of a conversion, which decides the wording of messages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Purpose {
    Assigning,
    Initializing,
    Passing,
    Returning,
}

impl Purpose {
    /// What is done, with both types; `incompatible` adds that the types are incompatible.
    fn text(self, to: &str, from: &str, incompatible: bool) -> String {
        let word = if incompatible { "incompatible " } else { "" };
        match self {
            Purpose::Assigning if incompatible => {
                format!("assigning to '{to}' from incompatible type '{from}'")
            }
            Purpose::Assigning => format!("assigning to '{to}' from '{from}'"),
            Purpose::Initializing => format!("initializing '{to}' with an expression of {word}type '{from}'"),
            Purpose::Passing => format!("passing '{from}' to parameter of {word}type '{to}'"),
            Purpose::Returning => format!("returning '{from}' from a function with {word}result type '{to}'"),
        }
    }
}

/// The position of a kind in the order of OpenCL C §6.4.6.
pub(super) fn rank(kind: ScalarKind) -> u32 {
    match kind {
        ScalarKind::Bool => 0,
        ScalarKind::Char => 1,
        ScalarKind::UChar => 2,
        ScalarKind::Short => 3,
        ScalarKind::UShort => 4,
        ScalarKind::Int => 5,
        ScalarKind::UInt => 6,
        ScalarKind::Long => 7,
        ScalarKind::ULong => 8,
        ScalarKind::Half => 9,
        ScalarKind::Float => 10,
        ScalarKind::Double => 11,
    }
}

/// The kind that integer promotion gives (C99 §6.3.1.1).
pub(super) fn promoted(kind: ScalarKind) -> ScalarKind {
    if kind.is_integer() && kind.size() < 4 { ScalarKind::Int } else { kind }
}

/// The common kind of two scalars that become elements of a vector: that of greater rank, without promotion,
/// except of `bool`, which has no vectors.
pub(super) fn common_element(a: ScalarKind, b: ScalarKind) -> ScalarKind {
    let greater = if rank(a) >= rank(b) { a } else { b };
    if greater == ScalarKind::Bool { ScalarKind::Int } else { greater }
}

impl Checker<'_> {
    /// A scalar or vector converted to an arithmetic type, lane by lane or by widening.
    pub(super) fn convert_arithmetic(&mut self, value: Expr, to: TypeId) -> Expr {
        if value.ty == to || self.types.is_error(value.ty) || self.types.is_error(to) {
            return value;
        }
        let (kind, lanes) = self.types.as_arithmetic(to).expect("an arithmetic type");
        let (from, from_lanes) = self.types.as_arithmetic(value.ty).expect("an arithmetic value");
        if from_lanes == 1 && lanes > 1 {
            let element = self.types.scalar(kind);
            let scalar = self.convert_arithmetic(value, element);
            if let ExprKind::Constant(Constant::Bits(bits)) = scalar.kind {
                let kind = ExprKind::Constant(Constant::Lanes(vec![bits; lanes as usize]));
                return Expr { kind, ty: to, span: scalar.span };
            }
            return self.convert(scalar, Conversion::Splat, to);
        }
        assert_eq!(from_lanes, lanes, "lanes do not change in a conversion");
        if let ExprKind::Constant(constant) = &value.kind
            && self.is_defined(constant, from, to)
        {
            let convert = |bits: &u64| constant::convert(from, kind, *bits);
            let constant = match constant {
                Constant::Bits(bits) => Constant::Bits(convert(bits)),
                Constant::Lanes(bits) => Constant::Lanes(bits.iter().map(convert).collect()),
            };
            return Expr { kind: ExprKind::Constant(constant), ty: to, span: value.span };
        }
        self.convert(value, Conversion::Arithmetic, to)
    }

    /// Whether a constant has a value of another type. In C++ one that has none is not a constant expression.
    fn is_defined(&self, constant: &Constant, from: ScalarKind, to: TypeId) -> bool {
        let fits = |bits: &u64| constant::is_representable(&self.types, from, to, *bits);
        self.options.cxx.is_none()
            || match constant {
                Constant::Bits(bits) => fits(bits),
                Constant::Lanes(bits) => bits.iter().all(fits),
            }
    }

    /// A value after integer promotion; vectors are not promoted.
    pub(super) fn promote(&mut self, value: Expr) -> Expr {
        match self.types.as_scalar(value.ty) {
            Some(kind) => {
                let to = self.types.scalar(promoted(kind));
                self.convert_arithmetic(value, to)
            }
            None => value,
        }
    }

    /// The common kind of two scalars (C99 §6.3.1.8).
    fn common_kind(a: ScalarKind, b: ScalarKind) -> ScalarKind {
        let (a, b) = (promoted(a), promoted(b));
        if rank(a) >= rank(b) { a } else { b }
    }

    /// Both operands, converted to their common type (OpenCL C §6.4.6); `None`, with a reported error, if
    /// they have none.
    pub(super) fn usual_conversions(&mut self, left: Expr, right: Expr, span: Span) -> Option<(Expr, Expr)> {
        if self.types.is_error(left.ty) || self.types.is_error(right.ty) {
            return None;
        }
        let shapes = (self.types.as_arithmetic(left.ty), self.types.as_arithmetic(right.ty));
        let (Some((left_kind, left_lanes)), Some((right_kind, right_lanes))) = shapes else {
            self.invalid_operands(&left, &right, span);
            return None;
        };
        let to = match (left_lanes, right_lanes) {
            (1, 1) => self.types.scalar(Self::common_kind(left_kind, right_kind)),
            (_, 1) => self.widening_target(left.ty, left_kind, right_kind, &right, span)?,
            (1, _) => self.widening_target(right.ty, right_kind, left_kind, &left, span)?,
            _ if left.ty == right.ty => left.ty,
            _ => {
                self.incompatible_vectors(&left, &right, span);
                return None;
            }
        };
        Some((self.convert_arithmetic(left, to), self.convert_arithmetic(right, to)))
    }

    /// The functions that make a vector of type `to` of another one with as many components.
    fn ways_to(&self, to: TypeId, from: TypeId) -> String {
        let size = |ty| self.types.layout(ty).map(|(size, _)| size);
        let to_text = self.type_text(to);
        match size(to) == size(from) {
            true => format!("convert_{to_text}() or as_{to_text}()"),
            false => format!("convert_{to_text}()"),
        }
    }

    fn incompatible_vectors(&mut self, left: &Expr, right: &Expr, span: Span) {
        let (a, b) = (self.type_text(left.ty), self.type_text(right.ty));
        let lanes = (self.types.as_vector(left.ty), self.types.as_vector(right.ty));
        let mut diagnostic = Diagnostic::error(
            span,
            format!(
                "cannot convert between vector values of different {} ('{a}' and '{b}')",
                match lanes {
                    (Some((_, x)), Some((_, y))) if x != y => "size",
                    _ => "type",
                }
            ),
        );
        if let (Some((_, x)), Some((_, y))) = lanes
            && x == y
        {
            let ways = self.ways_to(left.ty, right.ty);
            diagnostic = diagnostic.note(format!("vectors are never converted implicitly: use {ways}"));
        }
        self.report(diagnostic);
    }

    pub(super) fn invalid_operands(&mut self, left: &Expr, right: &Expr, span: Span) {
        let (a, b) = (self.type_text(left.ty), self.type_text(right.ty));
        self.error(span, format!("invalid operands to binary expression ('{a}' and '{b}')"));
    }

    /// Whether a value is a null pointer constant (C99 §6.3.2.3).
    pub(super) fn is_null_constant(&self, value: &Expr) -> bool {
        let is_integer = self.types.as_scalar(value.ty).is_some_and(|kind| kind.is_integer());
        if is_integer {
            return self.integer_of(value) == Some(0);
        }
        let is_void_pointer =
            self.types.pointee(value.ty).is_some_and(|(target, _)| self.types.is_void(target.ty));
        is_void_pointer && self.evaluate(value) == Some(constant::Value::Address(None, 0))
    }

    pub(super) fn null_pointer(&self, ty: TypeId, span: Span) -> Expr {
        Expr { kind: ExprKind::Constant(Constant::Bits(0)), ty, span }
    }

    /// A value converted as by assignment to an object of type `to` (C99 §6.5.16.1, OpenCL C §6.4.1).
    pub(super) fn assign_to(&mut self, value: Expr, to: TypeId, purpose: Purpose) -> Expr {
        if value.ty == to || self.types.is_error(value.ty) {
            return value;
        }
        if self.types.is_error(to) {
            return self.error_value(value.span);
        }
        if let Some(matrix) = self.matrix_of_use(&value, to) {
            return matrix;
        }
        if let (Some((_, lanes)), Some((_, from_lanes))) =
            (self.types.as_arithmetic(to), self.types.as_arithmetic(value.ty))
            && (from_lanes == 1
                || from_lanes == lanes && self.types.as_vector(value.ty) == self.types.as_vector(to))
        {
            if let Some(kind) = self.types.as_scalar(to) {
                self.warn_of_changed_constant(&value, kind);
            } else if from_lanes == 1 {
                let vector = self.type_text(to);
                self.warn_of_comma_for_vector(&value, &vector);
            }
            return self.convert_arithmetic(value, to);
        }
        match (self.types.kind(to).clone(), self.types.kind(value.ty).clone()) {
            // The null event (OpenCL C §6.15.11), the null reservation and so on.
            (TypeKind::Event | TypeKind::Opaque(_), TypeKind::Scalar(_)) if self.is_null_constant(&value) => {
                Expr { kind: ExprKind::Constant(Constant::Bits(0)), ty: to, span: value.span }
            }
            (TypeKind::Atomic(kind), _) if purpose == Purpose::Initializing => {
                let kind = if kind == ScalarKind::Bool { ScalarKind::Int } else { kind };
                let plain = self.types.scalar(kind);
                self.assign_to(value, plain, purpose)
            }
            (TypeKind::Pointer { pointee, space }, from) => {
                self.assign_pointer(value, &from, to, (pointee, space), purpose)
            }
            (TypeKind::Sampler, TypeKind::Scalar(kind)) if kind.is_integer() => {
                self.sampler_of_integer(&value)
            }
            (TypeKind::Scalar(ScalarKind::Bool), TypeKind::Pointer { .. }) => {
                self.convert(value, Conversion::PointerToBool, to)
            }
            (TypeKind::Image(wanted), TypeKind::Image(given)) if wanted.dimension == given.dimension => {
                self.incompatible(value, to, purpose)
            }
            _ => self.incompatible(value, to, purpose),
        }
    }

    fn incompatible(&mut self, value: Expr, to: TypeId, purpose: Purpose) -> Expr {
        let (to_text, from_text) = (self.type_text(to), self.type_text(value.ty));
        let message = purpose.text(&to_text, &from_text, true);
        let mut diagnostic = Diagnostic::error(value.span, message).label(format!("'{from_text}'"));
        if let (Some((_, a)), Some((_, b))) = (self.types.as_vector(to), self.types.as_vector(value.ty))
            && a == b
        {
            let ways = self.ways_to(to, value.ty);
            diagnostic = diagnostic.note(format!("vectors are never converted implicitly: use {ways}"));
        } else if let (Some((a, lanes)), Some((b, given))) =
            (self.types.as_vector(to), self.types.as_vector(value.ty))
            && a == b
            && lanes < given
        {
            let part = if lanes <= 4 { &"xyzw"[..lanes as usize] } else { "lo" };
            diagnostic = diagnostic.note(format!("for its first {lanes} components, write .{part}"));
        } else if let Some(advice) = self.indirection_advice(&value, to) {
            diagnostic = diagnostic.note(advice);
        }
        self.report(diagnostic);
        self.error_value(value.span)
    }

    /// Advice about a pointer where its target is expected, and the reverse.
    pub(super) fn indirection_advice(&self, value: &Expr, to: TypeId) -> Option<&'static str> {
        let points_to = |pointer, target| self.types.pointee(pointer).is_some_and(|(ty, _)| ty.ty == target);
        match &value.kind {
            _ if points_to(value.ty, to) => {
                Some("this is an address: take the value there (without '&', or with '*')")
            }
            ExprKind::Load(place) if points_to(to, place.ty.ty) => Some("take its address with '&'"),
            _ => None,
        }
    }

    fn assign_pointer(
        &mut self,
        value: Expr,
        from: &TypeKind,
        to: TypeId,
        (target, space): (QualifiedType, AddressSpace),
        purpose: Purpose,
    ) -> Expr {
        if self.is_null_constant(&value) {
            return self.null_pointer(to, value.span);
        }
        let TypeKind::Pointer { pointee: source, space: from_space } = *from else {
            if from_is_integer(from) {
                let (to_text, from_text) = (self.type_text(to), self.type_text(value.ty));
                let text = purpose.text(&to_text, &from_text, false);
                let message = format!("incompatible integer to pointer conversion {text}");
                let mut diagnostic = Diagnostic::error(value.span, message).label(format!("'{from_text}'"));
                if let Some(advice) = self.indirection_advice(&value, to) {
                    diagnostic = diagnostic.note(advice);
                }
                self.report(diagnostic);
                return self.error_value(value.span);
            }
            return self.incompatible(value, to, purpose);
        };
        let to_text = self.type_text(to);
        let from_text = self.type_text(value.ty);
        let widens = space == AddressSpace::Generic && from_space != AddressSpace::Constant;
        if from_space != space && !widens {
            let message = address_space_message(purpose, &to_text, &from_text);
            let mut diagnostic = Diagnostic::error(value.span, message).label(format!("'{from_text}'"));
            if let Some(note) = self.address_space_note(from_space, space) {
                diagnostic = diagnostic.note(note);
            }
            self.report(diagnostic);
            return self.error_value(value.span);
        }
        let void = self.types.is_void(target.ty) || self.types.is_void(source.ty);
        if source.ty != target.ty && !void {
            if self.nested_spaces_differ(source.ty, target.ty) {
                let text = purpose.text(&to_text, &from_text, false);
                self.error(value.span, format!("{text} changes address space of nested pointer"));
                return self.error_value(value.span);
            }
            let text = purpose.text(&to_text, &from_text, false);
            self.warn(value.span, format!("incompatible pointer types {text}"));
        } else if !source.qualifiers.fits_in(target.qualifiers) {
            let text = purpose.text(&to_text, &from_text, false);
            self.warn(value.span, format!("{text} discards qualifiers"));
        }
        self.convert_pointer(value, to)
    }

    /// Advice about a pointer to the wrong address space, if there is any.
    fn address_space_note(&self, from: AddressSpace, to: AddressSpace) -> Option<String> {
        match (from, to) {
            (AddressSpace::Constant, AddressSpace::Generic) => {
                Some("the generic address space does not include constant memory (OpenCL C §6.7.9)".to_owned())
            }
            (AddressSpace::Generic, AddressSpace::Constant) => None,
            (AddressSpace::Generic, _) => Some(
                "if you know where a generic pointer points, cast it; to_global(), to_local() and to_private() find out".to_owned(),
            ),
            (AddressSpace::Constant, _) | (_, AddressSpace::Constant) => None,
            (_, AddressSpace::Private) if self.options.version < LanguageVersion::C20 => Some(format!(
                "in OpenCL C 2.0 a pointer declared without an address space is generic and accepts it: {}",
                choice_of(LanguageVersion::C20)
            )),
            (_, AddressSpace::Private) if !self.has_generic() => Some(
                "a pointer declared without an address space points to private memory unless the generic address space is available".to_owned(),
            ),
            _ => None,
        }
    }

    /// Whether two pointee types are pointers to different address spaces at some level.
    fn nested_spaces_differ(&self, a: TypeId, b: TypeId) -> bool {
        let (mut a, mut b) = (a, b);
        while let (Some((x, x_space)), Some((y, y_space))) = (self.types.pointee(a), self.types.pointee(b)) {
            if x_space != y_space {
                return true;
            }
            (a, b) = (x.ty, y.ty);
        }
        false
    }

    /// A pointer converted to another pointer type, in the same address space or one that includes it.
    pub(super) fn convert_pointer(&mut self, value: Expr, to: TypeId) -> Expr {
        if value.ty == to {
            return value;
        }
        let (target, space) = self.types.pointee(to).expect("a pointer type");
        let (_, from_space) = self.types.pointee(value.ty).expect("a pointer");
        if space == from_space {
            return self.convert(value, Conversion::Pointer, to);
        }
        let same_space = self.types.pointer(target, from_space);
        let value =
            if value.ty == same_space { value } else { self.convert(value, Conversion::Pointer, same_space) };
        self.convert(value, Conversion::AddressSpace, to)
    }

    pub(super) fn cast_expression(&mut self, ty: &TypeName, operand: &ast::Expr, span: Span) -> Expr {
        let target = self.type_name(ty).ty.ty;
        let value = match self.operand(operand) {
            Operand::Place(place) => self.rvalue(Operand::Place(place)),
            Operand::Value(value) => value,
        };
        self.cast(value, target, span)
    }

    /// An explicit conversion (C99 §6.5.4, OpenCL C §6.4.2).
    pub(super) fn cast(&mut self, value: Expr, target: TypeId, span: Span) -> Expr {
        if self.types.is_error(value.ty) || self.types.is_error(target) {
            return self.error_value(span);
        }
        let mut result = self.cast_value(value, target);
        result.span = span;
        result
    }

    fn cast_value(&mut self, value: Expr, target: TypeId) -> Expr {
        if self.types.is_void(target) {
            return self.convert(value, Conversion::Discard, target);
        }
        if value.ty == target {
            return value;
        }
        if let Some(matrix) = self.cast_to_matrix(&value, target) {
            return matrix;
        }
        if self.is_storage_only_half(target) {
            self.error(value.span, "casting to type 'half' is not allowed without cl_khr_fp16");
            return self.error_value(value.span);
        }
        let to = self.types.as_arithmetic(target);
        let from = self.types.as_arithmetic(value.ty);
        match (to, from) {
            (Some((kind, lanes)), Some((ScalarKind::Bool, 1)))
                if lanes > 1 && kind.is_integer() && !self.options.is_opencl_cxx() =>
            {
                return self.cast_bool_to_vector(value, kind, target);
            }
            (Some(_), Some((_, 1))) if self.types.as_vector(target).is_some() => {
                return self.convert_arithmetic(value, target);
            }
            (Some((_, 1)), Some((_, 1))) => return self.convert_arithmetic(value, target),
            _ => {}
        }
        self.cast_pointer(value, target)
    }

    /// In an integer vector, true sets all bits of a lane (OpenCL C §6.4.2), but not in OpenCL C++ (§2.1.2).
    fn cast_bool_to_vector(&mut self, value: Expr, kind: ScalarKind, target: TypeId) -> Expr {
        let element = self.types.scalar(kind);
        let span = value.span;
        let number = self.convert_arithmetic(value, element);
        let lane = Expr { kind: ExprKind::Negate(Box::new(number)), ty: element, span };
        self.convert(lane, Conversion::Splat, target)
    }

    fn cast_pointer(&mut self, value: Expr, target: TypeId) -> Expr {
        let is_integer = |checker: &Self, ty| checker.types.as_scalar(ty).is_some_and(ScalarKind::is_integer);
        match (self.types.pointee(target), self.types.pointee(value.ty)) {
            (Some((_, to)), Some((_, from))) => {
                if self.is_null_constant(&value) {
                    return self.null_pointer(target, value.span);
                }
                let generic = to == AddressSpace::Generic && from != AddressSpace::Constant
                    || from == AddressSpace::Generic && to != AddressSpace::Constant;
                if to != from && !generic {
                    let (to, from) = (self.type_text(target), self.type_text(value.ty));
                    let message = format!("casting '{from}' to type '{to}' changes address space of pointer");
                    self.error(value.span, message);
                    return self.error_value(value.span);
                }
                self.convert_pointer(value, target)
            }
            (Some(_), None) if is_integer(self, value.ty) => {
                if self.integer_of(&value) == Some(0) {
                    return self.null_pointer(target, value.span);
                }
                let size = self.size_type();
                let value = self.convert_arithmetic(value, size);
                self.convert(value, Conversion::IntToPointer, target)
            }
            (None, Some(_)) if self.types.as_scalar(target) == Some(ScalarKind::Bool) => {
                self.convert(value, Conversion::PointerToBool, target)
            }
            (None, Some(_)) if is_integer(self, target) => {
                let size = self.size_type();
                let number = self.convert(value, Conversion::PointerToInt, size);
                self.convert_arithmetic(number, target)
            }
            // The null event (OpenCL C §6.15.11).
            (None, None) if self.is_no_event(&value, target) => {
                Expr { kind: ExprKind::Constant(Constant::Bits(0)), ty: target, span: value.span }
            }
            _ => self.invalid_cast(value, target),
        }
    }

    /// Whether a cast to `event_t` casts an event or 0.
    fn is_no_event(&self, value: &Expr, target: TypeId) -> bool {
        let is_zero = self.types.as_scalar(value.ty).is_some_and(ScalarKind::is_integer)
            && self.integer_of(value) == Some(0);
        *self.types.kind(target) == TypeKind::Event && is_zero
    }

    fn invalid_cast(&mut self, value: Expr, target: TypeId) -> Expr {
        let (to, from) = (self.type_text(target), self.type_text(value.ty));
        let vectors = (self.types.as_vector(target), self.types.as_vector(value.ty));
        let diagnostic = match vectors {
            (Some((_, a)), Some((_, b))) => {
                let message = format!("invalid conversion between vector types '{to}' and '{from}'");
                let diagnostic = Diagnostic::error(value.span, message);
                let ways = self.ways_to(target, value.ty);
                if a == b { diagnostic.note(format!("use {ways}")) } else { diagnostic }
            }
            _ if matches!(self.types.kind(target), TypeKind::Record(_) | TypeKind::Array { .. }) => {
                let message = format!("used type '{to}' where arithmetic or pointer type is required");
                Diagnostic::error(value.span, message)
            }
            _ => Diagnostic::error(
                value.span,
                format!("operand of type '{from}' cannot be cast to type '{to}'"),
            ),
        };
        self.report(diagnostic);
        self.error_value(value.span)
    }
}

fn from_is_integer(kind: &TypeKind) -> bool {
    matches!(kind, TypeKind::Scalar(kind) if kind.is_integer()) || matches!(kind, TypeKind::Enum(_))
}

fn address_space_message(purpose: Purpose, to: &str, from: &str) -> String {
    let what = match purpose {
        Purpose::Assigning => format!("assigning '{from}' to '{to}'"),
        Purpose::Initializing => format!("initializing '{to}' with an expression of type '{from}'"),
        Purpose::Passing => format!("passing '{from}' to parameter of type '{to}'"),
        Purpose::Returning => format!("returning '{from}' from a function with result type '{to}'"),
    };
    format!("{what} changes address space of pointer")
}
