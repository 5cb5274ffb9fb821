//! Implicit conversions: which there are, how good they are, what they compute (\[conv\], [over.best.ics]).

mod apply;
mod sequence;

use super::expression::Value;
use super::{Cxx, FnId};
use crate::Span;
use crate::hir::{Constant, ExprKind};
use crate::types::{QualifiedType, ScalarKind, TypeId, TypeKind, TypeQualifiers};
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
    /// Whether it binds a reference, which is not compared with a pointer by what it adds
    /// ([over.ics.rank]/3.2.6).
    pub is_binding: bool,
    /// Whether a reference binds to a value: `Some(true)` if it is an rvalue reference.
    pub binds_value: Option<bool>,
    /// The function of a user-defined conversion, and the conversion after it.
    pub user: Option<(FnId, Option<Box<Sequence>>)>,
}

impl Sequence {
    pub fn of(rank: Rank) -> Sequence {
        Sequence { rank, detail: 0, added: 0, is_binding: false, binds_value: None, user: None }
    }

    /// Whether this is a better conversion than another one ([over.ics.rank]): `Some(true)` if so,
    /// `Some(false)` if the other one is.
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
        if self.is_binding != other.is_binding {
            return None;
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
                let is_promotion = wanted == promoted
                    && (kind != promoted || matches!(self.types.kind(from), TypeKind::Enum(_)))
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
        if self.qualifies(source, target, true) {
            return Some(Sequence { added: added + 1, ..Sequence::of(Rank::Exact) });
        }
        if self.types.is_void(target.ty) {
            return Some(Sequence { added, detail: 500, ..Sequence::of(Rank::Conversion) });
        }
        let (derived, base) = (self.record_of(source.ty)?, self.record_of(target.ty)?);
        self.require_complete(derived, Span::NONE);
        let (_, steps) = self.base_offset(derived, base)?;
        Some(Sequence { added, detail: steps, ..Sequence::of(Rank::Conversion) })
    }

    /// The qualifiers of an object; an array has those of its elements.
    pub(super) fn object_qualifiers(&self, q: QualifiedType) -> TypeQualifiers {
        match *self.types.kind(q.ty) {
            TypeKind::Array { element, .. } => q.qualifiers.union(self.object_qualifiers(element)),
            _ => q.qualifiers,
        }
    }

    /// Whether similar types differ in qualifiers such that the second may have more ([conv.qual]/3).
    /// `above`: the qualifiers of all types around are const. Those of an array are its elements'.
    fn qualifies(&self, from: QualifiedType, to: QualifiedType, above: bool) -> bool {
        let (mut a, mut b) = (from, to);
        while let (
            TypeKind::Array { element: x, length: x_length },
            TypeKind::Array { element: y, length: y_length },
        ) = (self.types.kind(a.ty), self.types.kind(b.ty))
        {
            if x_length != y_length {
                return false;
            }
            a = QualifiedType { ty: x.ty, qualifiers: a.qualifiers.union(x.qualifiers) };
            b = QualifiedType { ty: y.ty, qualifiers: b.qualifiers.union(y.qualifiers) };
        }
        if !a.qualifiers.fits_in(b.qualifiers) || a.qualifiers != b.qualifiers && !above {
            return false;
        }
        match (self.types.kind(a.ty), self.types.kind(b.ty)) {
            _ if a.ty == b.ty => true,
            (TypeKind::Pointer { pointee: x, space: x_space }, TypeKind::Pointer { pointee: y, space })
                if x_space == space =>
            {
                self.qualifies(*x, *y, above && b.qualifiers.is_const)
            }
            _ => false,
        }
    }

    /// The type of a value after arrays became pointers.
    pub(super) fn decayed_type(&mut self, value: &Value) -> TypeId {
        let ty = value.ty();
        match (self.types.kind(ty).clone(), value.place()) {
            (TypeKind::Array { element, .. }, Some(place)) => self.types.pointer(element, place.space),
            (TypeKind::Atomic(_), Some(_)) => self.atomic_value(ty).unwrap_or(ty),
            _ => ty,
        }
    }

    /// How related a place's type is to a reference's target: steps to a base class.
    pub(super) fn related(&mut self, from: TypeId, to: TypeId) -> Option<u32> {
        if from == to {
            return Some(0);
        }
        // An array of unknown length and one of known length; elements may become constant ([conv.qual]/3).
        if let (TypeKind::Array { element: a, length: m }, TypeKind::Array { element: b, length: n }) =
            (self.types.kind(from).clone(), self.types.kind(to).clone())
            && (n.is_none() || m == n)
        {
            let fits = a.qualifiers.fits_in(b.qualifiers);
            return self.related(a.ty, b.ty).filter(|steps| *steps == 0 && fits);
        }
        if matches!(self.types.kind(from), TypeKind::Array { .. })
            && self.qualifies(from.into(), to.into(), true)
        {
            return Some(0);
        }
        let (derived, base) = (self.record_of(from)?, self.record_of(to)?);
        self.require_complete(derived, Span::NONE);
        self.base_offset(derived, base).map(|(_, steps)| steps)
    }
}
