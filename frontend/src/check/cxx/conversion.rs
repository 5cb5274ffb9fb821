//! Implicit conversions: which there are, how good they are, and what they compute ([conv], [over.best.ics]).

use super::expression::{Given, Value};
use super::initialize::{Init, Prvalue, PrvalueKind};
use super::types::{Reference, Type};
use super::{Cxx, FnId};
use crate::Span;
use crate::hir::{Constant, Conversion, Expr, ExprKind, Place, PlaceKind};
use crate::types::{QualifiedType, RecordId, ScalarKind, TypeId, TypeKind, TypeQualifiers};
use clvk_ir::AddressSpace;

/// The kind of a conversion, the best first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Rank {
    Exact,
    Promotion,
    Conversion,
    /// A scalar to each lane of a vector.
    Widening,
    User,
    Ambiguous,
}

/// An implicit conversion sequence.
#[derive(Clone, Debug)]
pub(super) struct Sequence {
    pub rank: Rank,
    /// Among conversions of one rank, less is better: the distance to a base class, for instance.
    pub detail: u32,
    /// Qualifiers and address spaces that a reference or pointer adds.
    pub added: u32,
    /// Whether a reference binds to a value: `Some(true)` if it is an rvalue reference.
    pub binds_value: Option<bool>,
    /// The function of a user-defined conversion, and the conversion after it.
    pub user: Option<(FnId, Option<Box<Sequence>>)>,
    /// From `{…}` to a class: a list constructor was considered, and so on.
    pub from_list: bool,
}

impl Sequence {
    pub fn of(rank: Rank) -> Sequence {
        Sequence { rank, detail: 0, added: 0, binds_value: None, user: None, from_list: false }
    }

    /// Whether this is a better conversion than another one ([over.ics.rank]): `Some(true)` if so, `Some(false)` if
    /// the other one is.
    pub fn better(&self, other: &Sequence) -> Option<bool> {
        use std::cmp::Ordering;
        let order = |a: &Sequence, b: &Sequence| match a.rank.cmp(&b.rank) {
            Ordering::Less => Some(true),
            Ordering::Greater => Some(false),
            Ordering::Equal => None,
        };
        if let Some(result) = order(self, other) {
            return Some(result);
        }
        if let (Some((a, a_second)), Some((b, b_second))) = (&self.user, &other.user) {
            if a == b
                && let (Some(a), Some(b)) = (a_second, b_second)
                && let Some(better) = a.better(b)
            {
                return Some(better);
            }
            return self.better_binding(other);
        }
        match self.detail.cmp(&other.detail) {
            Ordering::Less => return Some(true),
            Ordering::Greater => return Some(false),
            Ordering::Equal => {}
        }
        self.better_binding(other)
    }

    fn better_binding(&self, other: &Sequence) -> Option<bool> {
        if let (Some(a), Some(b)) = (self.binds_value, other.binds_value)
            && a != b
        {
            return Some(a);
        }
        match self.added.cmp(&other.added) {
            std::cmp::Ordering::Less => Some(true),
            std::cmp::Ordering::Greater => Some(false),
            std::cmp::Ordering::Equal => None,
        }
    }
}

/// Qualifiers that `to` has more than `from`.
fn added(from: TypeQualifiers, to: TypeQualifiers) -> u32 {
    u32::from(to.is_const && !from.is_const) + u32::from(to.is_volatile && !from.is_volatile)
}

/// Whether an object in one address space can be reached as one in another ([C++ for OpenCL §2.2.1]).
pub(super) fn space_fits(from: AddressSpace, to: AddressSpace) -> bool {
    from == to || to == AddressSpace::Generic && from != AddressSpace::Constant
}

impl Cxx<'_> {
    /// Whether a value is a null pointer constant.
    pub(super) fn is_null(&self, value: &Value) -> bool {
        match value {
            Value::Expr(expr) => {
                matches!(self.types.kind(expr.ty), TypeKind::Nullptr)
                    || matches!(expr.kind, ExprKind::Constant(Constant::Bits(0)))
                        && self.types.as_scalar(expr.ty).is_some_and(ScalarKind::is_integer)
                        && !matches!(self.types.kind(expr.ty), TypeKind::Enum(_))
            }
            Value::Place(place) | Value::Moved(place) => {
                matches!(self.types.kind(place.ty.ty), TypeKind::Nullptr)
            }
            _ => false,
        }
    }

    /// A standard conversion between types of values.
    pub(super) fn standard(&mut self, from: TypeId, to: TypeId, is_null: bool) -> Option<Sequence> {
        if from == to {
            return Some(Sequence::of(Rank::Exact));
        }
        let with = |rank, detail| Some(Sequence { detail, ..Sequence::of(rank) });
        match (self.types.kind(from).clone(), self.types.kind(to).clone()) {
            (TypeKind::Error, _) | (_, TypeKind::Error) => Some(Sequence::of(Rank::Exact)),
            (_, TypeKind::Enum(_)) => None,
            (TypeKind::Enum(_), _) if self.is_scoped_enum(from) => None,
            (TypeKind::Scalar(_) | TypeKind::Enum(_), TypeKind::Scalar(wanted)) => {
                let kind = self.types.as_scalar(from)?;
                let promoted = super::super::conversion::promoted(kind);
                let is_promotion = wanted == promoted && kind != promoted
                    || matches!(self.types.kind(from), TypeKind::Enum(_)) && wanted == promoted
                    || (kind, wanted) == (ScalarKind::Float, ScalarKind::Double)
                    || (kind, wanted) == (ScalarKind::Half, ScalarKind::Float);
                match is_promotion {
                    true => with(Rank::Promotion, 0),
                    false => with(Rank::Conversion, 0),
                }
            }
            (TypeKind::Scalar(_) | TypeKind::Enum(_), TypeKind::Vector(..)) => with(Rank::Widening, 0),
            (TypeKind::Nullptr, TypeKind::Scalar(ScalarKind::Bool)) => None,
            (_, TypeKind::Pointer { .. } | TypeKind::MemberPointer { .. }) if is_null => {
                with(Rank::Conversion, 0)
            }
            (_, TypeKind::Nullptr) if is_null => with(Rank::Conversion, 0),
            (_, TypeKind::Event | TypeKind::Opaque(_) | TypeKind::Sampler) if is_null => {
                with(Rank::Conversion, 0)
            }
            (TypeKind::Scalar(kind), TypeKind::Sampler) if kind.is_integer() => with(Rank::Conversion, 0),
            (TypeKind::Scalar(_), TypeKind::Atomic(_)) => with(Rank::Conversion, 0),
            (TypeKind::Pointer { .. }, TypeKind::Scalar(ScalarKind::Bool))
            | (TypeKind::MemberPointer { .. }, TypeKind::Scalar(ScalarKind::Bool)) => {
                with(Rank::Conversion, 1000)
            }
            (
                TypeKind::Pointer { pointee: source, space: from_space },
                TypeKind::Pointer { pointee: target, space },
            ) => self.pointer_conversion((source, from_space), (target, space)),
            (
                TypeKind::MemberPointer { class: base, target: a },
                TypeKind::MemberPointer { class: derived, target: b },
            ) if a.ty == b.ty => {
                let (_, steps) = self.base_offset(derived, base)?;
                with(if steps == 0 { Rank::Exact } else { Rank::Conversion }, steps)
            }
            (TypeKind::Record(derived), TypeKind::Record(base)) => {
                self.require_complete(derived, Span::NONE);
                let (_, steps) = self.base_offset(derived, base)?;
                with(Rank::Conversion, steps)
            }
            _ => None,
        }
    }

    fn pointer_conversion(
        &mut self,
        (source, from_space): (QualifiedType, AddressSpace),
        (target, space): (QualifiedType, AddressSpace),
    ) -> Option<Sequence> {
        if !space_fits(from_space, space) || !source.qualifiers.fits_in(target.qualifiers) {
            return None;
        }
        let added = added(source.qualifiers, target.qualifiers) + u32::from(from_space != space);
        if source.ty == target.ty {
            return Some(Sequence { added, ..Sequence::of(Rank::Exact) });
        }
        if self.types.is_void(target.ty) {
            return Some(Sequence { added, detail: 500, ..Sequence::of(Rank::Conversion) });
        }
        let (derived, base) = (self.record_of(source.ty)?, self.record_of(target.ty)?);
        self.require_complete(derived, Span::NONE);
        let (_, steps) = self.base_offset(derived, base)?;
        Some(Sequence { added, detail: steps, ..Sequence::of(Rank::Conversion) })
    }

    /// The best conversion of an argument to a type, if there is one. `user` allows user-defined conversions.
    pub(super) fn sequence(&mut self, given: &Given, to: Type, user: bool) -> Option<Sequence> {
        if self.is_error_type(to) {
            return Some(Sequence::of(Rank::Exact));
        }
        match given {
            Given::Value(value) => match self.reference(to.ty()) {
                Some(reference) => self.reference_sequence(value, reference, user),
                None => self.value_sequence(value, to.ty(), user),
            },
            Given::List(list) => self.list_sequence(list, to, user),
        }
    }

    /// The conversion of a list to a parameter ([over.ics.list]).
    fn list_sequence(&mut self, list: &crate::cxx::ast::InitList, to: Type, user: bool) -> Option<Sequence> {
        let to = match self.reference(to.ty()) {
            Some(reference) if reference.is_rvalue || reference.target.qualifiers.is_const => {
                Type { q: reference.target, space: None }
            }
            Some(_) => return None,
            None => to,
        };
        let mut given = self.attempt(|cxx| cxx.given(&list.elements)).flatten()?;
        let user_defined = Sequence { from_list: true, ..Sequence::of(Rank::User) };
        let Some(record) = self.record_of(to.ty()) else {
            if matches!(self.types.kind(to.ty()), TypeKind::Array { .. }) {
                return Some(user_defined);
            }
            return match given.len() {
                0 => Some(Sequence::of(Rank::Exact)),
                1 => {
                    let one = given.pop().expect("one");
                    self.sequence(&one, to, user)
                }
                _ if self.types.as_vector(to.ty()).is_some() => Some(Sequence::of(Rank::Conversion)),
                _ => None,
            };
        };
        self.require_complete(record, list.span);
        if let [one @ Given::Value(value)] = given.as_slice()
            && self.related(value.ty(), to.ty()).is_some()
        {
            let one = one.clone();
            return self.sequence(&one, to.plain(), user);
        }
        if self.is_aggregate(record) {
            let copy = list.clone();
            let fits = self.in_initializer(|cxx| {
                cxx.attempt(|cxx| {
                    let before = cxx.begin_full();
                    let init = cxx.list_initialize(to.plain(), &copy, true);
                    let frame = cxx.frame();
                    frame.temporaries = before.0;
                    frame.flags = before.1;
                    frame.conditional = before.2;
                    !matches!(init, Init::Error)
                })
            });
            return (fits == Some(true)).then_some(user_defined);
        }
        if !user {
            return None;
        }
        let constructors = self.class(record).constructors.clone();
        match self.resolve_overload(&constructors, None, &given, None) {
            super::overload::Resolved::One(id) => {
                Some(Sequence { user: Some((id, None)), from_list: true, ..Sequence::of(Rank::User) })
            }
            super::overload::Resolved::Ambiguous(_) => Some(Sequence::of(Rank::Ambiguous)),
            super::overload::Resolved::None => None,
        }
    }

    fn value_sequence(&mut self, value: &Value, to: TypeId, user: bool) -> Option<Sequence> {
        if matches!(value, Value::Functions(_)) {
            return None;
        }
        let is_null = self.is_null(value);
        let from = self.decayed_type(value);
        if let Some(sequence) = self.standard(from, to, is_null) {
            // A class from itself by a copy counts as exact ([over.best.ics]/6).
            return Some(sequence);
        }
        if user { self.user_sequence(value, to) } else { None }
    }

    /// The type of a value after arrays became pointers.
    pub(super) fn decayed_type(&mut self, value: &Value) -> TypeId {
        let ty = value.ty();
        match (self.types.kind(ty).clone(), value.place()) {
            (TypeKind::Array { element, .. }, Some(place)) => {
                let (space, qualifiers) = (place.space, place.ty.qualifiers.union(element.qualifiers));
                _ = qualifiers;
                self.types.pointer(element, space)
            }
            _ => ty,
        }
    }

    /// How related a place's type is to a reference's target: steps to a base class.
    pub(super) fn related(&mut self, from: TypeId, to: TypeId) -> Option<u32> {
        if from == to {
            return Some(0);
        }
        // An array of unknown length and one of known length.
        if let (TypeKind::Array { element: a, .. }, TypeKind::Array { element: b, length: None }) =
            (self.types.kind(from), self.types.kind(to))
            && a.ty == b.ty
        {
            return Some(0);
        }
        let (derived, base) = (self.record_of(from)?, self.record_of(to)?);
        self.require_complete(derived, Span::NONE);
        self.base_offset(derived, base).map(|(_, steps)| steps)
    }

    fn reference_sequence(&mut self, value: &Value, reference: Reference, user: bool) -> Option<Sequence> {
        let target = reference.target;
        let binds_const = target.qualifiers.is_const && !target.qualifiers.is_volatile;
        let is_lvalue = matches!(value, Value::Place(_));
        if let Value::Functions(_) = value {
            return None;
        }
        let steps = self.related(value.ty(), target.ty);
        if let (Some(steps), Some(place)) = (steps, value.place()) {
            let is_swizzle = matches!(place.kind, PlaceKind::Swizzle(..));
            let fits = space_fits(place.space, reference.space)
                && place.ty.qualifiers.fits_in(target.qualifiers)
                && !is_swizzle;
            let category_fits = match (is_lvalue, reference.is_rvalue) {
                (true, false) | (false, true) => true,
                (false, false) => binds_const,
                (true, true) => false,
            };
            if fits && category_fits {
                let added =
                    added(place.ty.qualifiers, target.qualifiers) + u32::from(place.space != reference.space);
                let rank = if steps == 0 { Rank::Exact } else { Rank::Conversion };
                let binds_value = (!is_lvalue).then_some(reference.is_rvalue);
                return Some(Sequence { detail: steps, added, binds_value, ..Sequence::of(rank) });
            }
            // An lvalue never binds to an rvalue reference of its type.
            if is_lvalue && reference.is_rvalue && !is_swizzle {
                return None;
            }
            let can_copy = binds_const || reference.is_rvalue;
            if !can_copy || is_lvalue && !is_swizzle && space_fits(place.space, reference.space) {
                return None;
            }
            // The components of a vector and objects in other address spaces are copied.
            if !space_fits(AddressSpace::Private, reference.space) {
                return None;
            }
            let rank = if steps == 0 { Rank::Exact } else { Rank::Conversion };
            return Some(Sequence {
                detail: steps + 1,
                binds_value: Some(reference.is_rvalue),
                ..Sequence::of(rank)
            });
        }
        // A conversion function to a reference.
        if user
            && let Some(record) = self.record_of(value.ty())
            && steps.is_none()
            && let Some(sequence) = self.converts_to_reference(value, record, reference)
        {
            return Some(sequence);
        }
        if !binds_const && !reference.is_rvalue || !space_fits(AddressSpace::Private, reference.space) {
            return None;
        }
        let mut sequence = match steps {
            Some(steps) => {
                let rank = if steps == 0 { Rank::Exact } else { Rank::Conversion };
                Sequence { detail: steps, ..Sequence::of(rank) }
            }
            None => self.value_sequence(value, target.ty, user)?,
        };
        sequence.binds_value = Some(reference.is_rvalue);
        Some(sequence)
    }

    fn converts_to_reference(
        &mut self,
        value: &Value,
        record: RecordId,
        reference: Reference,
    ) -> Option<Sequence> {
        for id in self.conversions_of(record) {
            let result = self.function(id).result;
            let Some(inner) = self.reference(result.ty()) else { continue };
            if inner.is_rvalue != reference.is_rvalue || self.function(id).is_explicit {
                continue;
            }
            if self.related(inner.target.ty, reference.target.ty).is_some()
                && inner.target.qualifiers.fits_in(reference.target.qualifiers)
                && space_fits(inner.space, reference.space)
                && self.takes_object(id, value).is_some()
            {
                let second = Sequence::of(Rank::Exact);
                let user = Some((id, Some(Box::new(second))));
                return Some(Sequence { user, ..Sequence::of(Rank::User) });
            }
        }
        None
    }

    /// Conversion functions of a class and its bases.
    pub(super) fn conversions_of(&mut self, record: RecordId) -> Vec<FnId> {
        self.require_complete(record, Span::NONE);
        let mut list = self.class(record).conversions.clone();
        let bases: Vec<RecordId> = self.class(record).bases.iter().map(|base| base.record).collect();
        for base in bases {
            for id in self.conversions_of(base) {
                let result = self.function(id).result;
                if !list.iter().any(|known| self.function(*known).result == result) {
                    list.push(id);
                }
            }
        }
        list
    }

    /// A user-defined conversion: a converting constructor or a conversion function ([over.match.copy]).
    fn user_sequence(&mut self, value: &Value, to: TypeId) -> Option<Sequence> {
        let mut found: Vec<(FnId, Sequence, Sequence)> = Vec::new();
        if let Some(record) = self.record_of(to) {
            self.require_complete(record, Span::NONE);
            for id in self.class(record).constructors.clone() {
                let given = Given::Value(value.clone());
                if self.function(id).is_explicit {
                    continue;
                }
                let Some(id) = self.candidate(id, std::slice::from_ref(&given), None) else { continue };
                let function = self.function(id);
                let takes_one = !function.params.is_empty()
                    && function.params[1..].iter().all(|param| param.default.is_some());
                if !takes_one || function.is_deleted {
                    continue;
                }
                let param = function.params[0].ty;
                if let Some(first) = self.sequence(&given, param, false) {
                    found.push((id, first, Sequence::of(Rank::Exact)));
                }
            }
        }
        if let Some(record) = self.record_of(value.ty()) {
            for id in self.conversions_of(record) {
                if self.function(id).is_explicit {
                    continue;
                }
                let Some(id) = self.conversion_candidate(id, to) else { continue };
                if found.iter().any(|(known, ..)| *known == id) {
                    continue;
                }
                let Some(first) = self.takes_object(id, value) else { continue };
                let result = self.function(id).result;
                let result = self.without_reference(result).ty();
                if let Some(second) = self.standard(result, to, false) {
                    found.push((id, first, second));
                }
            }
        }
        let best = found.iter().enumerate().find(|(index, (_, first, second))| {
            found.iter().enumerate().all(|(other, (_, other_first, other_second))| {
                *index == other || {
                    let a = first.better(other_first);
                    let b = second.better(other_second);
                    a == Some(true) && b != Some(false) || a != Some(false) && b == Some(true)
                }
            })
        });
        match best {
            Some((_, (id, _, second))) => {
                let user = Some((*id, Some(Box::new(second.clone()))));
                Some(Sequence { user, ..Sequence::of(Rank::User) })
            }
            None if found.is_empty() => None,
            // Templates and functions: a function is better.
            None => {
                let plain: Vec<_> =
                    found.iter().filter(|(id, ..)| self.function(*id).instance.is_none()).collect();
                match plain.as_slice() {
                    [(id, _, second)] => {
                        let user = Some((*id, Some(Box::new(second.clone()))));
                        Some(Sequence { user, ..Sequence::of(Rank::User) })
                    }
                    _ => Some(Sequence::of(Rank::Ambiguous)),
                }
            }
        }
    }

    /// How well the object of a method call fits its `this`.
    pub(super) fn takes_object(&mut self, id: FnId, value: &Value) -> Option<Sequence> {
        let function = self.function(id).clone();
        let record = function.class?;
        if function.is_static {
            return Some(Sequence::of(Rank::Exact));
        }
        let ty = self.class(record).ty;
        let steps = self.related(value.ty(), ty)?;
        let (qualifiers, space, is_value) = match value {
            Value::Place(place) => (place.ty.qualifiers, place.space, false),
            Value::Moved(place) => (place.ty.qualifiers, place.space, true),
            _ => (TypeQualifiers::default(), AddressSpace::Private, true),
        };
        if !qualifiers.fits_in(function.this_qualifiers) || !space_fits(space, function.this_space) {
            return None;
        }
        match function.this_reference {
            Some(false) if is_value && !function.this_qualifiers.is_const => return None,
            Some(true) if !is_value => return None,
            _ => {}
        }
        let added = added(qualifiers, function.this_qualifiers) + u32::from(space != function.this_space);
        // What a class inherits counts as its own ([over.match.funcs]/4).
        _ = steps;
        let binds_value = function.this_reference.filter(|_| is_value);
        Some(Sequence { added, binds_value, ..Sequence::of(Rank::Exact) })
    }

    /// The value of an expression: objects are loaded, arrays become pointers.
    pub(super) fn rvalue(&mut self, value: Value, span: Span) -> Expr {
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
    pub(super) fn load(&mut self, place: Place) -> Expr {
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
        self.checker.load(place)
    }

    /// A value converted to a type that is no reference and no class, or an error.
    pub(super) fn implicit(&mut self, value: Value, to: TypeId, span: Span, what: &str) -> Expr {
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
    pub(super) fn no_conversion(&mut self, value: &Value, to: Type, span: Span, what: &str) {
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

    pub(super) fn type_of_value(&self, value: &Value) -> Type {
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
    pub(super) fn convert_standard(&mut self, expr: Expr, to: TypeId, is_null: bool) -> Expr {
        if expr.ty == to {
            return expr;
        }
        let span = expr.span;
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
        let (_, space) = self.types.pointee(pointer.ty).expect("a pointer");
        let q = QualifiedType { ty: target.ty, qualifiers: source.qualifiers };
        let ty = self.types.pointer(q, space);
        if offset == 0 {
            return self.checker.convert(pointer, Conversion::Pointer, ty);
        }
        self.unless_null(pointer, ty, |cxx, pointer| {
            let _ = cxx;
            let object = Place { kind: PlaceKind::Deref(Box::new(pointer)), ty: source, space, span };
            let part = Place { kind: PlaceKind::Member(Box::new(object), offset), ty: q, space, span };
            Expr { kind: ExprKind::AddressOf(part), ty, span }
        })
    }

    /// What is made of a pointer, or null if it is null ([conv.ptr]/3).
    pub(super) fn unless_null(
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
    pub(super) fn base_place(&mut self, place: Place, base: RecordId) -> Place {
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
        let span = value.span;
        let place = self.held(value);
        let place = self.base_place(place, base);
        self.load(place)
    }

    /// A value in a temporary object.
    pub(super) fn held(&mut self, value: Expr) -> Place {
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
    pub(super) fn object(&mut self, value: Value, span: Span) -> Place {
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
    pub(super) fn bind_reference(
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
                let init = self.list_initialize(target.plain(), &list, true);
                let place = self.temporary_of(target.ty(), init, span);
                return self.address_as(place, ty);
            }
        };
        if self.types.is_error(value.ty()) {
            self.note_error();
            return self.checker.error_value(span);
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
    pub(super) fn address_as(&mut self, place: Place, to: TypeId) -> Expr {
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

    /// The value of an initialiser for something that is no class: what is passed or returned.
    pub(super) fn value_of_init(&mut self, ty: TypeId, init: Init, span: Span) -> Expr {
        match init {
            Init::Value(expr) => expr,
            Init::Class(prvalue) => self.class_value(prvalue),
            Init::None | Init::Error => self.checker.error_value(span),
            Init::Zero | Init::Parts { .. } | Init::Repeat { .. } => {
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
