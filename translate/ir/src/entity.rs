//! Typed indices and the arenas that they index.

use serde::{Deserialize, Serialize};
use std::marker::PhantomData;
use std::ops::{Index, IndexMut};

/// An index type.
pub trait EntityId: Copy + Eq {
    /// From a position in an arena.
    fn from_index(index: usize) -> Self;
    /// Position in the arena.
    fn index(self) -> usize;
}

macro_rules! entities {
    ($($(#[$doc:meta])* $name:ident;)*) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
        pub struct $name(u32);

        impl EntityId for $name {
            fn from_index(index: usize) -> Self {
                $name(u32::try_from(index).expect("an arena holds fewer than 2^32 entities"))
            }
            fn index(self) -> usize {
                self.0 as usize
            }
        }
    )*};
}

entities! {
    /// A function of a module.
    Func;
    /// A module-scope variable.
    Global;
    /// An instruction of a function.
    Inst;
    /// A value of a function.
    Value;
    /// A region of a function.
    Region;
    /// A typed variable of a function; memory lowering makes them.
    Variable;
    /// A basic block of a [`Cfg`](crate::structurize::Cfg).
    Block;
}

/// A growing array indexed by one entity type. Entities are never removed, so an index stays valid.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Arena<I, T> {
    items: Vec<T>,
    #[serde(skip)]
    id: PhantomData<fn() -> I>,
}

impl<I, T> Default for Arena<I, T> {
    fn default() -> Self {
        Arena { items: Vec::new(), id: PhantomData }
    }
}

impl<I: EntityId, T> Arena<I, T> {
    /// Adds `item`.
    pub fn push(&mut self, item: T) -> I {
        let id = I::from_index(self.items.len());
        self.items.push(item);
        id
    }

    /// Makes room for this many more items.
    pub fn reserve(&mut self, additional: usize) {
        self.items.reserve(additional);
    }

    /// Gives back the room that no item has taken.
    pub fn shrink_to_fit(&mut self) {
        self.items.shrink_to_fit();
    }

    /// Removes all items, and keeps the room. No index may be used any more.
    pub fn clear(&mut self) {
        self.items.clear();
    }

    /// Moves the items of another arena to the end.
    pub fn append(&mut self, other: &mut Self) {
        self.items.append(&mut other.items);
    }

    /// Keeps the first items.
    pub fn truncate(&mut self, count: usize) {
        self.items.truncate(count);
    }

    /// The number of items.
    #[must_use]
    pub fn len(&self) -> usize {
        self.items.len()
    }

    /// Whether it has no items.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.items.is_empty()
    }

    /// The item, if `id` is from this arena.
    #[must_use]
    pub fn get(&self, id: I) -> Option<&T> {
        self.items.get(id.index())
    }

    /// Ids, in order.
    pub fn ids(&self) -> impl DoubleEndedIterator<Item = I> + ExactSizeIterator + use<I, T> {
        (0..self.items.len()).map(I::from_index)
    }

    /// Ids and items, in order.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = (I, &T)> {
        self.items.iter().enumerate().map(|(index, item)| (I::from_index(index), item))
    }

    /// Ids and mutable items, in order.
    pub fn iter_mut(&mut self) -> impl Iterator<Item = (I, &mut T)> {
        self.items.iter_mut().enumerate().map(|(index, item)| (I::from_index(index), item))
    }
}

impl<I: EntityId, T> Index<I> for Arena<I, T> {
    type Output = T;
    fn index(&self, id: I) -> &T {
        &self.items[id.index()]
    }
}

impl<I: EntityId, T> IndexMut<I> for Arena<I, T> {
    fn index_mut(&mut self, id: I) -> &mut T {
        &mut self.items[id.index()]
    }
}
