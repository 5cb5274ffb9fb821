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

/// Which ids have which decoration, as far as a few bits tell: most ids have none, and are asked often.
///
/// Invariant: the bit of each decoration is set. Others may be set, too.
#[derive(Debug, Default)]
pub struct Marks {
    /// As many as a power of two.
    bits: Vec<u64>,
}

impl Marks {
    /// Marks for a module of this many words.
    pub fn new(words: usize) -> Self {
        Marks { bits: vec![0; (words / 256).next_power_of_two()] }
    }

    /// The word and the bit of a decoration of an id. Ids in a row have bits in a row.
    fn place(&self, id: Id, decoration: u32) -> (usize, u64) {
        let number = id ^ decoration.wrapping_mul(0x9E37_79B1);
        ((number as usize / 64) & self.bits.len().wrapping_sub(1), 1 << (number % 64))
    }

    /// Marks that an id has a decoration.
    pub fn set(&mut self, id: Id, decoration: u32) {
        let (word, bit) = self.place(id, decoration);
        if let Some(bits) = self.bits.get_mut(word) {
            *bits |= bit;
        }
    }

    /// Marks that every id may have any decoration.
    pub fn set_all(&mut self) {
        self.bits.clear();
    }

    /// Whether an id may have a decoration.
    #[inline]
    pub fn may_have(&self, id: Id, decoration: u32) -> bool {
        let (word, bit) = self.place(id, decoration);
        self.bits.get(word).is_none_or(|bits| bits & bit != 0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_marked_is_found_and_little_else() {
        let mut marks = Marks::new(4096);
        let ids = (0..100).map(|number| 3 * number);
        ids.clone().for_each(|id| marks.set(id, 40));
        assert!(ids.clone().all(|id| marks.may_have(id, 40)));
        let others = ids.clone().filter(|&id| marks.may_have(id + 1, 40) || marks.may_have(id, 42)).count();
        assert!(others < 50, "{others} of 200 may be decorated");
        marks.set(u32::MAX, u32::MAX);
        assert!(marks.may_have(u32::MAX, u32::MAX));
        marks.set_all();
        assert!((0..300).all(|id| marks.may_have(id, 41)));
    }
}
