//! Accesses through pointers that may point into memories of several kinds.
//!
//! [`Targets`] are the memories that one pointer may point into, according to [`super::reach`]. With more
//! than one, an access becomes a `switch` over the pointer's tag, with one case for each memory. Addresses
//! have no tag, so they are the default case. A pointer that may point into nothing is null, and an access
//! through it does nothing.

use super::{
    access::Place,
    pointers::{Form, Lowering},
};
use crate::passes::simplify::pointer::space_number;
use clvk_ir::{AddressSpace, BinaryOp, CompareOp, ConvertOp, Op, Type, Value, Variable};

/// The memories that a pointer may point into, with the place in each.
pub struct Targets<'v> {
    /// The pointer's tag, if there are several memories.
    selector: Option<Value>,
    /// Tags and places; the last place is also the default for all other tags.
    places: Vec<(u32, Place<'v>)>,
}

impl Targets<'_> {
    /// The variables among them.
    pub fn variables(&self) -> impl Iterator<Item = Variable> + '_ {
        self.places.iter().filter_map(|(_, place)| match place {
            Place::Element(_, variable, _) => Some(*variable),
            Place::Address(_) => None,
        })
    }

    /// The only one.
    pub fn only(&self) -> Option<Place<'_>> {
        if let [(_, place)] = self.places[..] { Some(place) } else { None }
    }

    /// Whether it may be an address.
    pub fn has_address(&self) -> bool {
        self.places.iter().any(|(_, place)| matches!(place, Place::Address(_)))
    }
}

/// Makes the access at a place and returns the value that it reads.
pub type Access<'x, 'a, 'f> = &'x mut dyn FnMut(&mut Lowering<'a, 'f>, Place<'a>) -> Option<Value>;

impl<'a, 'f> Lowering<'a, 'f> {
    /// The memories that a pointer may point into.
    pub fn targets(&mut self, pointer: Value) -> Targets<'a> {
        let form = self.form(pointer);
        let value = self.pointer(pointer, form);
        let views = match form {
            Form::Nothing => return Targets { selector: None, places: Vec::new() },
            Form::Address => return Targets { selector: None, places: vec![(0, Place::Address(value))] },
            Form::Offset(view) => {
                let place = Place::Element(view, view.variable, value);
                return Targets { selector: None, places: vec![(view.tag, place)] };
            }
            Form::Tagged(views) => views,
        };
        let reached = self.reach.of(pointer);
        let bytes = self.cursor.convert(ConvertOp::Truncate, value, Type::I32);
        let mut places: Vec<(u32, Place<'a>)> = views
            .iter()
            .enumerate()
            .filter(|(index, _)| reached.has_view(*index))
            .map(|(_, view)| (view.tag, Place::Element(view, view.variable, bytes)))
            .collect();
        if reached.has_physical() {
            places.push((0, Place::Address(value)));
        }
        let selector = (places.len() > 1).then(|| {
            let high = self.cursor.binary_int(BinaryOp::LShr, value, 32);
            self.cursor.convert(ConvertOp::Truncate, high, Type::I32)
        });
        Targets { selector, places }
    }

    /// The number of the address space that a generic pointer points into ([`Op::PointerSpace`]).
    pub fn space_of(&mut self, pointer: Value) -> Value {
        let targets = self.targets(pointer);
        let number = |place: &Place<'_>| match place {
            Place::Element(view, ..) => space_number(view.space),
            Place::Address(_) => space_number(AddressSpace::Global),
        };
        let last = targets.places.last().map_or(0, |(_, place)| number(place));
        let mut space = self.cursor.int(Type::I32, last);
        let Some(selector) = targets.selector else { return space };
        for (tag, place) in targets.places.iter().filter(|(_, place)| number(place) != last) {
            let tag = self.cursor.int(Type::I32, i64::from(*tag));
            let this = self.cursor.int(Type::I32, number(place));
            let found = self.cursor.compare(CompareOp::Eq, selector, tag);
            space = self.cursor.select(found, this, space);
        }
        space
    }

    /// Makes an access at the place that a pointer actually points to.
    pub fn at_each(
        &mut self,
        targets: &Targets<'a>,
        result: Option<Type>,
        access: Access<'_, 'a, 'f>,
    ) -> Option<Value> {
        let Some(selector) = targets.selector else {
            return match targets.places[..] {
                [] => result.map(|ty| self.cursor.function.undef(ty)),
                [(_, place), ..] => access(self, place),
            };
        };
        let last = targets.places.len() - 1;
        let labels: Vec<Box<[u64]>> =
            targets.places[..last].iter().map(|(tag, _)| vec![u64::from(*tag)].into()).collect();
        let regions: Vec<_> = targets.places.iter().map(|_| self.cursor.function.add_region()).collect();
        let results: Vec<Type> = result.into_iter().collect();
        let owner = self.cursor.push(Op::Switch(labels.into()), &[selector], &results, &regions);
        for (&region, &(_, place)) in regions.iter().zip(&targets.places) {
            self.cursor.open(region);
            let value: Vec<Value> = access(self, place).into_iter().collect();
            self.cursor.push(Op::Exit(owner), &value, &[], &[]);
            self.cursor.close();
        }
        result.map(|_| self.cursor.function.insts[owner].results[0])
    }
}
