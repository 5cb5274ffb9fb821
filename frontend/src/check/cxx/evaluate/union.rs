//! Members of unions: one has a value, and no other may be read or assigned to ([expr.const]/2.9, /2.16).

use super::{Evaluated, Machine, Pointer, stop};
use crate::Span;
use crate::check::cxx::Cxx;
use crate::hir::{Expr, ExprKind, Place, PlaceKind};
use crate::types::{TypeId, TypeKind};

/// Why the place of an object is wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Access {
    Read,
    Write,
    Address,
}

impl Machine<'_, '_> {
    /// An access to a member of an object, if that is a union. Writing to a member gives it a value: the
    /// stores of initialisations are not told from others here.
    pub(super) fn union_member(
        &mut self,
        at: Pointer,
        union: TypeId,
        member: TypeId,
        access: Access,
        span: Span,
    ) -> Evaluated<()> {
        let (TypeKind::Record(record), Some(object)) = (self.cxx.types.kind(union), at.object) else {
            return Ok(());
        };
        if !self.cxx.types.record(*record).is_union {
            return Ok(());
        }
        let place = (at.offset as u64, *record);
        match access {
            Access::Write => {
                self.objects[object].active.insert(place, member);
            }
            Access::Read => {
                let first = self.cxx.types.record(*record).members.iter().flatten().next();
                let first = first.filter(|_| self.objects[object].is_zero).map(|first| first.ty.ty);
                let active = self.objects[object].active.get(&place).copied().or(first);
                if active.is_some_and(|active| active != member) {
                    return stop(span, "another member of the union has a value");
                }
            }
            Access::Address => {}
        }
        Ok(())
    }
}

impl Cxx<'_> {
    /// Notes an assignment that the program writes, if its target is a part of a union.
    pub(in crate::check::cxx) fn note_union_assignment(&mut self, target: &Place, span: Span) {
        let mut place = target;
        loop {
            let base = match &place.kind {
                PlaceKind::Member(base, _) | PlaceKind::Swizzle(base, _) => base,
                PlaceKind::Deref(pointer) => match decayed(pointer) {
                    Some(array) => array,
                    None => return,
                },
                _ => return,
            };
            if let TypeKind::Record(record) = self.types.kind(base.ty.ty)
                && self.types.record(*record).is_union
            {
                self.union_assignments.insert(span);
                return;
            }
            place = base;
        }
    }
}

/// The array whose element a pointer is, if finding it has no effects.
pub(super) fn decayed(pointer: &Expr) -> Option<&Place> {
    let (ExprKind::PointerAdd { pointer, .. } | ExprKind::Convert { operand: pointer, .. }) = &pointer.kind
    else {
        let ExprKind::AddressOf(array) = &pointer.kind else { return None };
        let mut place = array;
        while let PlaceKind::Member(base, _) = &place.kind {
            place = base;
        }
        return match &place.kind {
            PlaceKind::Local(_) | PlaceKind::Global(_) => Some(array),
            PlaceKind::Deref(object) => matches!(object.kind, ExprKind::Load(_)).then_some(array),
            _ => None,
        };
    };
    decayed(pointer)
}
