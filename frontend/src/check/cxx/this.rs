//! `this` ([expr.prim.this]).

use super::lambda::Captured;
use super::{Cxx, FnId};
use crate::Span;
use crate::hir::{Expr, LocalId, Place, PlaceKind};
use crate::types::TypeId;
use clvk_ir::AddressSpace;

/// `this` in a result type, and in default member initialisers of an aggregate that a list initialises.
#[derive(Clone, Copy, Debug)]
pub(super) struct OtherThis {
    /// The number of bodies around.
    pub frames: usize,
    pub ty: TypeId,
    /// A variable for the aggregate's address.
    pub holder: Option<LocalId>,
    pub is_used: bool,
}

impl Cxx<'_> {
    /// The value of a parameter that holds `this`.
    pub(super) fn this_of(&mut self, local: LocalId, function: FnId, span: Span) -> Option<Expr> {
        let ty = self.this_type(function)?;
        let place =
            Place { kind: PlaceKind::Local(local), ty: ty.into(), space: AddressSpace::Private, span };
        Some(self.checker.load(place))
    }

    /// `this` in the current function, also of the method around a lambda.
    pub(super) fn this_expr(&mut self, span: Span) -> Option<Expr> {
        if let Some(OtherThis { frames, ty, holder, .. }) = self.other_this
            && frames == self.frames.len()
        {
            let Some(holder) = holder else { return Some(self.constant(0, ty, span)) };
            let place = self.local_place(holder, ty, span);
            self.other_this.iter_mut().for_each(|other| other.is_used = true);
            return Some(self.checker.load(place));
        }
        let frame = self.frames.last()?;
        let (function, this, is_closure) = (frame.function, frame.home.this, frame.closure.is_some());
        if !is_closure {
            return self.this_of(this?, function, span);
        }
        if let Some(place) = self.captured(Captured::This(false), span) {
            return Some(self.checker.load(place));
        }
        let object = self.captured(Captured::This(true), span)?;
        Some(self.checker.address(object))
    }
}
