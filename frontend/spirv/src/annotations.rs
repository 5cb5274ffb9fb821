//! What a module says about ids besides their definitions: decorations and execution modes.
//!
//! Invariant: an annotation takes a few bytes, fewer than its instruction, because only its position is kept.

use crate::binary::Id;
use rustc_hash::FxHashMap;

/// No further entry.
const NONE: u32 = u32::MAX;

/// A list of instructions for each id, in the order of the module.
#[derive(Debug, Default)]
pub struct Annotations {
    /// The first and the last entry, by id.
    lists: FxHashMap<Id, (u32, u32)>,
    entries: Vec<Entry>,
}

/// An instruction in a list.
#[derive(Debug)]
struct Entry {
    /// Its position.
    at: u32,
    /// The number of the next entry.
    next: u32,
}

impl Annotations {
    /// Adds an instruction, by its position, to the list of an id.
    pub fn add(&mut self, id: Id, at: u32) {
        let number = self.entries.len() as u32;
        self.entries.push(Entry { at, next: NONE });
        match self.lists.get_mut(&id) {
            Some((_, last)) => {
                self.entries[*last as usize].next = number;
                *last = number;
            }
            None => drop(self.lists.insert(id, (number, number))),
        }
    }

    /// The positions of an id's instructions.
    pub fn of(&self, id: Id) -> impl Iterator<Item = usize> {
        let first = self.lists.get(&id).and_then(|&(first, _)| self.entries.get(first as usize));
        std::iter::successors(first, |entry| self.entries.get(entry.next as usize))
            .map(|entry| entry.at as usize)
    }

    /// The ids that have any.
    pub fn ids(&self) -> impl Iterator<Item = Id> {
        self.lists.keys().copied()
    }
}
