//! Accesses of one expression that nothing orders ([`crate::hir::sequence`]) say so, for the sanitizer.
//!
//! Each says so of those that are evaluated before it and on the way to it: one within the second operand of
//! `&&`, `||` or `?:` is not known outside of it.

use super::function::FunctionLowering;
use super::place::Object;
use crate::Span;
use crate::hir::sequence::{Around, Object as Accessed, Rules, Search, Use};
use crate::hir::{Place, Statement};
use clvk_ir::{Op, Value};
use rustc_hash::FxHashMap;

/// What is known of the accesses of a function.
#[derive(Default)]
pub(super) struct Unordered {
    /// The accesses that nothing orders with that of a place.
    with: FxHashMap<*const Place, Vec<Other>>,
    /// Those that were evaluated, and are on the way.
    evaluated: Vec<Evaluated>,
}

/// An access that nothing orders with another one.
struct Other {
    place: *const Place,
    /// Whether both change what they access.
    twice: bool,
    /// The expression with both.
    whole: Span,
}

/// What an access reaches.
#[derive(Clone, Copy)]
struct Evaluated {
    place: *const Place,
    address: Value,
    /// The first byte from there, and the one after the last.
    bytes: [u32; 2],
}

impl Unordered {
    /// Looks at the body of a function.
    pub fn of(rules: Option<Rules>, body: &[Statement]) -> Unordered {
        let mut unordered = Unordered::default();
        let Some(rules) = rules else { return unordered };
        let found = &mut |change: Use<'_>, other: Use<'_>, around: Around| {
            let (Accessed::Reached(one), Accessed::Reached(two)) = (change.object, other.object) else {
                return;
            };
            let twice = change.changes && other.changes;
            for (place, other) in [(one, two), (two, one)] {
                let list = unordered.with.entry(std::ptr::from_ref(place)).or_default();
                list.push(Other { place: other, twice, whole: around.whole });
            }
        };
        Search::new(rules, true, found).statements(body);
        unordered
    }

    /// What is on the way to the current place.
    pub fn depth(&self) -> usize {
        self.evaluated.len()
    }

    /// Leaves what was evaluated since then.
    pub fn leave(&mut self, depth: usize) {
        self.evaluated.truncate(depth);
    }
}

impl<'p> FunctionLowering<'_, 'p> {
    /// The object that an access reaches.
    pub(super) fn accessed(&mut self, place: &'p Place) -> Object {
        let mut object = self.object(place);
        if self.unordered.with.is_empty() {
            return object;
        }
        let Some(others) = self.unordered.with.get(&std::ptr::from_ref(place)) else { return object };
        let Some(bytes) = self.bytes(&object) else { return object };
        let earlier = |other: &Other| {
            let known = self.unordered.evaluated.iter().rfind(|known| known.place == other.place)?;
            Some((*known, other.twice, other.whole))
        };
        let earlier: Vec<(Evaluated, bool, Span)> = others.iter().filter_map(earlier).collect();
        for (other, twice, whole) in earlier {
            let outer = std::mem::replace(&mut self.span, whole);
            let op = Op::Apart { own: bytes, other: other.bytes, twice };
            let ty = self.function.ty(object.address);
            object.address = self.build().value(op, &[object.address, other.address], ty);
            self.span = outer;
        }
        self.unordered.evaluated.push(Evaluated { place, address: object.address, bytes });
        object
    }

    /// The bytes of an object, counted from its address; none for lanes with others between them.
    fn bytes(&self, object: &Object) -> Option<[u32; 2]> {
        if object.element.is_some() || self.is_handle(object.ty.ty) {
            return None;
        }
        let size = u32::try_from(self.lowering.layout(object.ty.ty).0).ok().filter(|&size| size > 0)?;
        let Some(lanes) = &object.lanes else { return Some([0, size]) };
        let lane = self.lowering.value_type(object.ty.ty)?.scalar()?.size();
        let first = *lanes.iter().min()?;
        let count = lanes.len() as u32;
        let last = *lanes.iter().max()?;
        let is_whole = u32::from(last - first) + 1 == count;
        is_whole.then(|| [u32::from(first) * lane, (u32::from(first) + count) * lane])
    }
}
