//! Conversion sequences ([over.best.ics]): how good a conversion to a parameter is.

use super::{Rank, Sequence, added, space_fits};
use crate::Span;
use crate::check::cxx::expression::{Given, Value};
use crate::check::cxx::initialize::{Init, PrvalueKind};
use crate::check::cxx::types::{Reference, Type};
use crate::check::cxx::{Cxx, FnId};
use crate::hir::{Expr, ExprKind, PlaceKind};
use crate::types::{RecordId, TypeId, TypeKind, TypeQualifiers};
use clvk_ir::AddressSpace;

impl Cxx<'_> {
    /// The best conversion of an argument to a type, if there is one. `user` allows user-defined conversions.
    pub(in crate::check::cxx) fn sequence(
        &mut self,
        given: &Given,
        to: Type,
        user: bool,
    ) -> Option<Sequence> {
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
        let mut given = self.attempt(|cxx| cxx.given(&list.elements)).flatten()?;
        if let Some(reference) = self.reference(to.ty()) {
            if let [one @ Given::Value(value)] = given.as_slice()
                && self.related(value.ty(), reference.target.ty).is_some()
            {
                let one = one.clone();
                return self.sequence(&one, to, user);
            }
            let is_constant = self.object_qualifiers(reference.target).is_const;
            if !(reference.is_rvalue || is_constant) || !space_fits(AddressSpace::Private, reference.space) {
                return None;
            }
            let target = Type { q: reference.target, space: None };
            let made = self.list_sequence(list, target, user)?;
            return Some(Sequence { binds_value: Some(reference.is_rvalue), ..made });
        }
        let user_defined = Sequence::of(Rank::User);
        let Some(record) = self.record_of(to.ty()) else {
            if let TypeKind::Array { element, length } = *self.types.kind(to.ty()) {
                let element = Type { q: element, space: None };
                return self.array_sequence(&given, element.plain(), length, user);
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
                    let init = cxx.list_initialize(to.plain(), &copy, true);
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
            crate::check::cxx::overload::Resolved::One(id) => {
                Some(Sequence { user: Some((id, None)), ..Sequence::of(Rank::User) })
            }
            crate::check::cxx::overload::Resolved::Ambiguous(_) => Some(Sequence::of(Rank::Ambiguous)),
            crate::check::cxx::overload::Resolved::None => None,
        }
    }

    /// The worst conversion of an element; of two arrays the shorter one is better ([over.ics.rank]/3.1).
    fn array_sequence(
        &mut self,
        given: &[Given],
        element: Type,
        length: Option<u64>,
        user: bool,
    ) -> Option<Sequence> {
        if length.is_some_and(|length| given.len() as u64 > length) {
            return None;
        }
        let mut worst = Rank::Exact;
        for given in given {
            worst = worst.max(self.sequence(given, element, user)?.rank);
        }
        let detail = length.map_or(u32::MAX, |length| u32::try_from(length).unwrap_or(u32::MAX));
        Some(Sequence { detail, ..Sequence::of(worst) })
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
                return Some(Sequence {
                    detail: steps,
                    added,
                    is_binding: true,
                    binds_value,
                    ..Sequence::of(rank)
                });
            }
            // An lvalue never binds to an rvalue reference of its type.
            if is_lvalue && reference.is_rvalue && !is_swizzle {
                return None;
            }
            let can_copy = binds_const || reference.is_rvalue;
            // The components of a vector are copied, and plain objects of classes in constant memory, whose
            // copies nobody can tell from them. As in clang, other objects in other address spaces are not.
            let is_plain = place.space == AddressSpace::Constant
                && self.record_of(value.ty()).is_some()
                && self.is_trivially_copyable(value.ty());
            if !can_copy || is_lvalue && !is_swizzle && !is_plain {
                return None;
            }
            if !space_fits(AddressSpace::Private, reference.space) {
                return None;
            }
            let rank = if steps == 0 { Rank::Exact } else { Rank::Conversion };
            return Some(Sequence {
                detail: steps + 1,
                is_binding: true,
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
            Some(_) if !self.prvalue_qualifiers(value).fits_in(target.qualifiers) => return None,
            Some(steps) => {
                let rank = if steps == 0 { Rank::Exact } else { Rank::Conversion };
                Sequence { detail: steps, ..Sequence::of(rank) }
            }
            None => self.value_sequence(value, target.ty, user)?,
        };
        sequence.binds_value = Some(reference.is_rvalue);
        sequence.is_binding = true;
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
    pub(in crate::check::cxx) fn conversions_of(&mut self, record: RecordId) -> Vec<FnId> {
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
    pub(super) fn user_sequence(&mut self, value: &Value, to: TypeId) -> Option<Sequence> {
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
        match self.best_user_conversion(&found) {
            Some(best) => {
                let (id, _, second) = &found[best];
                Some(Sequence {
                    user: Some((*id, Some(Box::new(second.clone())))),
                    ..Sequence::of(Rank::User)
                })
            }
            None if found.is_empty() => None,
            None => Some(Sequence::of(Rank::Ambiguous)),
        }
    }

    /// The best of some functions, each with the conversions before and after it ([over.match.best]): what
    /// follows a function only counts where both take their argument equally well.
    pub(in crate::check::cxx) fn best_user_conversion(
        &self,
        found: &[(FnId, Sequence, Sequence)],
    ) -> Option<usize> {
        let is_better = |a: usize, b: usize| {
            let ((a, first, second), (b, other_first, other_second)) = (&found[a], &found[b]);
            let is_plain = |id: &FnId| self.function(*id).instance.is_none();
            first
                .better(other_first)
                .or_else(|| second.better(other_second))
                .unwrap_or_else(|| is_plain(a) && !is_plain(b))
        };
        (0..found.len()).find(|&best| (0..found.len()).all(|other| best == other || is_better(best, other)))
    }

    /// The qualifiers of an object of a class that a function makes ([basic.lval]/5).
    fn prvalue_qualifiers(&self, value: &Value) -> TypeQualifiers {
        let Value::Class(prvalue) = value else { return TypeQualifiers::default() };
        let called = match &prvalue.kind {
            PrvalueKind::Call { function, .. } => Some(function),
            PrvalueKind::Bits(Expr { kind: ExprKind::Call { function, .. }, .. }) => Some(function),
            _ => None,
        };
        let function = called.and_then(|function| self.of_hir.get(function));
        function.map_or(TypeQualifiers::default(), |id| self.function(*id).result.q.qualifiers)
    }

    /// How well the object of a method call fits its `this`.
    pub(in crate::check::cxx) fn takes_object(&mut self, id: FnId, value: &Value) -> Option<Sequence> {
        let function = self.function(id).clone();
        let record = function.class?;
        if function.is_static {
            return Some(Sequence::of(Rank::Exact));
        }
        let ty = self.class(record).ty;
        // What a class inherits counts as its own ([over.match.funcs]/4).
        self.related(value.ty(), ty)?;
        let (qualifiers, space, is_value) = match value {
            Value::Place(place) => (place.ty.qualifiers, place.space, false),
            Value::Moved(place) => (place.ty.qualifiers, place.space, true),
            value => (self.prvalue_qualifiers(value), AddressSpace::Private, true),
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
        let binds_value = function.this_reference.filter(|_| is_value);
        Some(Sequence { added, is_binding: true, binds_value, ..Sequence::of(Rank::Exact) })
    }
}
