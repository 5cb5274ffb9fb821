//! Where a construct brings the values of the exits that leave it on their way.
//!
//! - A value that an exit always brings, and that is there after the construct, needs no result.
//! - Exits of different numbers share a result if they bring a value in common, as different states of one
//!   variable do. Results that the construct has for its own exits are shared, too.
//! - All others have results of their own: to share more would move values between registers.

use super::Structuring;
use super::route::{Departure, Exits};
use clvk_ir::{Inst, Type, Value, ValueDef};
use rustc_hash::{FxHashMap, FxHashSet};

/// The most results that are considered for sharing, so that the time is linear.
const MOST_CANDIDATES: usize = 8;

/// Where a value is after the construct.
#[derive(Clone, Copy)]
pub enum Place {
    /// It is that value.
    Known(Value),
    /// A result of the construct.
    Result(usize),
}

/// A value of each departure that brings some number.
type Column = Vec<(usize, Value)>;

/// The results of a construct that bring values.
#[derive(Default)]
pub struct Slots {
    /// By number: what the exit brings.
    places: FxHashMap<usize, Vec<Place>>,
    /// By result and departure: the value.
    brought: FxHashMap<(usize, usize), Value>,
    /// The results that bring a value, which is not a constant.
    by_value: FxHashMap<Value, Vec<usize>>,
}

impl Slots {
    /// Adds the results that departures need to a construct, whose own exits bring the first `own` ones.
    pub fn new(
        pass: &mut Structuring<'_>,
        construct: Inst,
        own: usize,
        direct: &[Inst],
        departures: &[Departure],
    ) -> Slots {
        let mut slots = Slots::default();
        for &exit in direct {
            let operands = pass.function.insts[exit].operands.iter().take(own).enumerate();
            operands.for_each(|(position, &value)| slots.note(pass, position, value));
        }
        let mut numbers: Vec<usize> = Vec::new();
        let mut columns: FxHashMap<usize, Vec<Column>> = FxHashMap::default();
        for (departure, (number, payload)) in
            departures.iter().enumerate().flat_map(|(at, it)| it.exits.iter().map(move |exit| (at, exit)))
        {
            let of_number = columns.entry(*number).or_insert_with(|| {
                numbers.push(*number);
                vec![Vec::new(); payload.len()]
            });
            for (column, &value) in of_number.iter_mut().zip(payload) {
                column.push((departure, value));
            }
        }
        for number in numbers {
            let (mut places, mut taken) = (Vec::new(), FxHashSet::default());
            for column in columns.remove(&number).unwrap_or_default() {
                let place = slots.place(pass, construct, &column, &taken);
                if let Place::Result(position) = place {
                    taken.insert(position);
                }
                places.push(place);
            }
            slots.places.insert(number, places);
        }
        slots
    }

    /// What the exit of a number brings.
    pub fn places(&self, number: usize) -> &[Place] {
        self.places.get(&number).map(Vec::as_slice).unwrap_or_default()
    }

    /// The exits, in the order of their numbers, with their values after the construct.
    pub fn exits(&self, results: &[Value]) -> Exits {
        let value = |place: &Place| match *place {
            Place::Known(value) => value,
            Place::Result(position) => results[position],
        };
        let mut exits: Exits = self
            .places
            .iter()
            .map(|(&number, places)| (number, places.iter().map(value).collect()))
            .collect();
        exits.sort_unstable();
        exits
    }

    /// Notes that a result brings a value.
    fn note(&mut self, pass: &Structuring<'_>, position: usize, value: Value) {
        if matches!(pass.function.values[value].def, ValueDef::Constant(_)) {
            return;
        }
        let results = self.by_value.entry(value).or_default();
        if !results.contains(&position) && results.len() < MOST_CANDIDATES {
            results.push(position);
        }
    }

    /// The place of values of one number, which has taken other results already.
    fn place(
        &mut self,
        pass: &mut Structuring<'_>,
        construct: Inst,
        column: &Column,
        taken: &FxHashSet<usize>,
    ) -> Place {
        let Some(&(_, first)) = column.first() else { unreachable!("a number has a departure") };
        let is_same = column.iter().all(|&(_, value)| value == first);
        // A dissolved block is no longer where it was.
        let known = pass.representative(first);
        if is_same && !pass.tree.is_inside(pass.function, known, construct) {
            return Place::Known(known);
        }
        let ty = pass.function.ty(first);
        let shared = column.iter().filter_map(|(_, value)| self.by_value.get(value)).flatten();
        let shared =
            shared.copied().find(|&position| self.fits(pass, construct, ty, position, column, taken));
        let position = shared.unwrap_or_else(|| {
            pass.function.add_result(construct, ty);
            pass.function.insts[construct].results.len() - 1
        });
        for &(departure, value) in column {
            self.brought.insert((position, departure), value);
            self.note(pass, position, value);
        }
        Place::Result(position)
    }

    /// Whether a result can bring these values: each departure brings one value in it.
    fn fits(
        &self,
        pass: &Structuring<'_>,
        construct: Inst,
        ty: Type,
        position: usize,
        column: &Column,
        taken: &FxHashSet<usize>,
    ) -> bool {
        let result = pass.function.insts[construct].results[position];
        let other = |&(departure, value): &(usize, Value)| {
            self.brought.get(&(position, departure)).is_some_and(|&brought| brought != value)
        };
        pass.function.ty(result) == ty && !taken.contains(&position) && !column.iter().any(other)
    }
}
