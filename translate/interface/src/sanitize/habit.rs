//! What a kernel does through its arguments, and which of their memory needs no cells because of it: memory
//! that a launch only reads, or only changes by atomic operations, and memory that each work-item has its
//! own part of.

use super::apart::are_apart;
use super::inside::Confined;
use super::place::{Counter, Fact, Number, Relation, Site, Width};
use super::{ArgumentMemory, Holder, Shape, forbidden};
use serde::{Deserialize, Serialize};

/// What a kernel does through an argument.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Habit {
    /// How.
    pub way: Way,
    /// It reads, and uses what it reads.
    pub reads: bool,
}

/// How a kernel accesses memory.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Way {
    /// In any way.
    #[default]
    Any,
    /// It only reads.
    Reads,
    /// All accesses are atomic, or taken for atomic ones.
    Atomic,
    /// It reaches these places, and no others.
    Sites(Vec<Site>),
}

/// What a kernel does through its arguments.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct KernelHabits {
    /// Of each argument.
    pub arguments: Vec<Habit>,
    /// What places are computed from.
    pub numbers: Vec<(Number, Width)>,
    /// The counters of loops.
    pub counters: Vec<Counter>,
    /// What holds at sites, and in loops.
    pub facts: Vec<Fact>,
    /// What local memory needs no cells in work-groups of some sizes.
    pub settled: Vec<Settled>,
    /// What must be inside of objects so that accesses need no checks of that.
    pub confined: Vec<Confined>,
}

impl KernelHabits {
    /// What holds in the loop of a counter with that on one side, and limits it there.
    pub(super) fn limits(&self, counter: u32, side: impl Fn(&Fact) -> u32) -> impl Iterator<Item = &Fact> {
        let facts = self.counters.get(counter as usize).into_iter().flat_map(|counter| &counter.facts);
        facts.filter_map(|&fact| self.facts.get(fact as usize)).filter(move |fact| {
            let is_of = self.numbers[side(fact) as usize].0 == Number::Counter(counter);
            is_of && !matches!(fact.relation, Relation::Equal | Relation::Differs)
        })
    }
}

/// What local memory needs no cells if all work-groups have a size.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Settled {
    /// The size.
    pub local: [u32; 3],
    /// Bits of [`UNWATCHED`]: those of `__local` arguments, and from the last one down those of variables.
    pub unwatched: u32,
}

/// The specialisation constant that says which arguments of a launch go without cells. Those of `__local`
/// arguments have lower numbers.
pub const UNWATCHED: u32 = 1 << 16;
/// The number of arguments that can go without cells.
pub const MOST_UNWATCHED: usize = 32;

/// A bit for each argument of a launch, and for local memory, that needs no cells, because its accesses
/// cannot race and nothing is read that was not written before.
#[must_use]
pub fn unwatched(habits: &KernelHabits, arguments: &[ArgumentMemory], shape: &Shape) -> u32 {
    let count = arguments.len().min(habits.arguments.len());
    let mut bits = 0;
    for (index, memory) in arguments.iter().enumerate().take(count.min(MOST_UNWATCHED)) {
        let Some((holder @ Holder::Buffer(_), _)) = memory.holder else { continue };
        let is_same = |other: usize| arguments[other].holder.is_some_and(|(it, _)| it == holder);
        // With itself.
        let mut same = (0..count).filter(|&other| is_same(other)).map(|other| &habits.arguments[other]);
        let is_alone = same.clone().count() == 1;
        let is_written = memory.forbidden & forbidden::EARLY_READS == 0;
        if !is_written && same.clone().any(|habit| habit.reads) {
            continue;
        }
        let is_quiet = match &habits.arguments[index].way {
            Way::Any => false,
            way @ (Way::Reads | Way::Atomic) => same.all(|habit| habit.way == *way),
            Way::Sites(sites) => is_alone && are_apart(habits, arguments, shape, sites),
        };
        if is_quiet {
            bits |= 1 << index;
        }
    }
    let is_whole = (0..3).all(|axis| shape.global[axis].is_multiple_of(shape.local[axis].max(1)));
    let settled = habits.settled.iter().find(|settled| is_whole && settled.local == shape.local);
    bits | settled.map_or(0, |settled| settled.unwatched)
}
