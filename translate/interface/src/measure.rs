//! What kernels measure about themselves: how often each part of them ran, which addresses sampled
//! work-groups accessed, and what one work-item did. A launch leaves it in
//! [`ImplicitBuffer::Reports`](crate::ImplicitBuffer::Reports).
//!
//! The buffer, in words of 32 bits, is a head of [`HEAD`] words, [`EVENTS`] events of [`EVENT`] words, two
//! words for each of the [`Measured::counters`], the counts of each work-item of the sampled work-groups, and
//! a set for each of their sub-groups, both for the kernel's own counters. The whole is bounded. Events that
//! do not fit are counted and lost.
//!
//! A sub-group here is as many consecutive work-items as the device's sub-groups have. It runs a part when
//! one of its work-items does. Each such time has a number, which follows from the rounds of the loops around
//! the part and is the same for all work-items; a set has a bit for each number, modulo [`SET`].

use crate::sanitize::{Access, Shape, SourceRange, SourceText};
use serde::{Deserialize, Serialize};
use std::ops::Range;

/// What kernels shall measure.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Measure {
    /// How often each part runs, and the accesses of sampled work-groups.
    Counts,
    /// What one work-item does: the values that it stores, and the conditions that it decides.
    Trace {
        /// Its global linear id, without the global offset.
        item: u32,
    },
    /// The first work-item in which a variable gets a value that meets a condition.
    Search {
        /// The position of the variable's name in the source, as [`Point::span`] has it; any variable of this
        /// name is meant.
        variables: Vec<(u32, u32)>,
        /// What must hold.
        condition: Condition,
    },
}

/// A comparison of a value with a number.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Condition {
    /// The comparison.
    pub relation: Relation,
    /// The bits of the number as a double, with which floating-point values are compared.
    pub float: u64,
    /// The number as an integer, if it is one, with which integers are compared.
    pub int: Option<i64>,
}

/// How a value is compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[expect(missing_docs)]
pub enum Relation {
    Equal,
    Different,
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
    /// It is a NaN.
    IsNan,
    /// It is infinite.
    IsInfinite,
}

/// Words of the head.
pub const HEAD: u32 = 12;

/// Positions of words in the head.
pub mod head {
    /// Events that were recorded, lost ones too.
    pub const EVENTS: u32 = 0;
    /// One work-group in this many is sampled.
    pub const STRIDE: u32 = 1;
    /// The linear id of the first that is.
    pub const FIRST: u32 = 2;
    /// How many are.
    pub const GROUPS: u32 = 3;
    /// Work-items of a whole work-group.
    pub const ITEMS: u32 = 4;
    /// The least global linear id of a work-item in which the condition held.
    pub const FOUND: u32 = 5;
    /// The position of the first count of a sampled work-item.
    pub const SAMPLES: u32 = 6;
    /// Work-items of a sub-group.
    pub const WIDTH: u32 = 7;
    /// The position of the first set.
    pub const SETS: u32 = 8;
}

/// Words of an event: the site or point, the work-item among the sampled ones, and two words that it says.
pub const EVENT: u32 = 4;

/// Events for which there is room.
pub const EVENTS: u32 = 1 << 18;

/// The position of the first counter.
pub const COUNTERS: u32 = HEAD + EVENTS * EVENT;

/// Bits of a set.
pub const SET: u32 = 2048;

/// Most work-groups that are sampled.
const MOST_GROUPS: u64 = 8;

/// Most words for the counts of their work-items and the sets of their sub-groups.
const MOST_SAMPLES: u64 = 1 << 22;

/// Operations of a part, each time that one work-item executes it. A fused multiplication and addition are
/// two, and vectors count their lanes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Operations {
    /// Of half precision.
    pub half: u32,
    /// Of single precision.
    pub single: u32,
    /// Of double precision.
    pub double: u32,
    /// Of integers, those for indices too.
    pub integer: u32,
    /// Functions that the device has its own units for, such as `native_sin` and square roots.
    pub special: u32,
}

/// A part of a kernel: instructions that run equally often.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Counter {
    /// The kernel.
    pub kernel: String,
    /// What it computes.
    pub operations: Operations,
    /// Whether work-items wait for each other in it.
    pub barrier: bool,
}

/// The memory that an access reaches.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[expect(missing_docs)]
pub enum Memory {
    Global,
    Constant,
    Local,
}

/// An access to memory that work-items share.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Site {
    /// The counter of its part.
    pub counter: u32,
    /// What it does.
    pub access: Access,
    /// Where.
    pub memory: Memory,
    /// Bytes of a work-item.
    pub bytes: u32,
    /// Its place, in positions of the module.
    pub span: (u32, u32),
    /// Its place, if the source is known.
    pub place: Option<SourceRange>,
}

/// A place of the source that belongs to a part.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Line {
    /// The counter of the part.
    pub counter: u32,
    /// The part of the source.
    pub origin: u32,
    /// Which copy of it: there is one in each place where its function is called. Its runs are those of all
    /// copies. Several copies may have one counter.
    pub copy: u32,
    /// Its place, in positions of the module.
    pub span: (u32, u32),
    /// Its place, if the source is known.
    pub place: Option<SourceRange>,
}

/// What a place of the source costs.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Cost {
    /// The counter of its part.
    pub counter: u32,
    /// Operations and accesses, each time that one work-item executes it.
    pub operations: u32,
    /// Its place, in positions of the module.
    pub span: (u32, u32),
    /// Its place, if the source is known.
    pub place: Option<SourceRange>,
}

/// How the words of a traced value are to be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[expect(missing_docs)]
pub enum Kind {
    Bool,
    /// Of this many bits.
    Int(u32),
    /// Of this many bits.
    Float(u32),
}

/// A place where the tracer records a value.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Point {
    /// Where the variable's name is, in positions of the module; zeros if it has none.
    pub variable: (u32, u32),
    /// The variable's name; empty if it has none.
    pub name: String,
    /// Bytes from the variable's start, if they are known.
    pub offset: Option<u64>,
    /// What the value is.
    pub kind: Kind,
    /// Its lanes; each is an event.
    pub lanes: u32,
    /// It decides which way the work-item goes, and is not stored.
    pub decides: bool,
    /// The place, in positions of the module.
    pub span: (u32, u32),
    /// The place, if the source is known.
    pub place: Option<SourceRange>,
}

/// What the measurements of a module refer to.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Measured {
    /// The parts of its kernels.
    pub counters: Vec<Counter>,
    /// Accesses; events name them.
    pub sites: Vec<Site>,
    /// The lines of the parts.
    pub lines: Vec<Line>,
    /// What they cost.
    pub costs: Vec<Cost>,
    /// Where values are traced; events name them.
    pub points: Vec<Point>,
    /// The sources of the places.
    pub sources: Vec<SourceText>,
}

/// An event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Event {
    /// The site or the point; a lane of a point's value is the next event.
    pub what: u32,
    /// The work-item among the sampled ones.
    pub item: u32,
    /// The low bits of an address, or a value.
    pub value: u64,
}

/// What a launch measured.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Measurement {
    /// How often each part ran, summed over the work-items.
    pub counts: Vec<u64>,
    /// The events of each work-item in the order of its program.
    pub events: Vec<Event>,
    /// Events that were lost.
    pub lost: u32,
    /// The counts of the sampled work-items: one list for each, of the kernel's own parts.
    pub samples: Vec<Vec<u32>>,
    /// How many bits the sets of each sampled sub-group have: one list for each, of the kernel's own parts.
    pub sets: Vec<Vec<u32>>,
    /// Work-items of a sub-group.
    pub width: u32,
    /// Work-items of a work-group, by which the sampled ones are numbered.
    pub items: u32,
    /// The first work-item in which the condition held.
    pub found: Option<[u32; 3]>,
}

impl Measured {
    /// The positions of a kernel's counters.
    #[must_use]
    pub fn counters_of(&self, kernel: &str) -> Range<usize> {
        let is_own = |counter: &Counter| counter.kernel == kernel;
        let first = self.counters.iter().position(is_own).unwrap_or(0);
        let count = self.counters[first..].iter().take_while(|counter| is_own(counter)).count();
        first..first + count
    }

    /// The words of the buffer before a launch of a kernel with this shape, on a device whose sub-groups have
    /// `width` work-items.
    #[must_use]
    pub fn head(&self, kernel: &str, shape: &Shape, width: u32) -> Vec<u32> {
        let counters = self.counters_of(kernel).len() as u64;
        let local = shape.local.map(|size| u64::from(size.max(1)));
        let groups = (0..3).map(|axis| u64::from(shape.global[axis]).div_ceil(local[axis]));
        let groups = groups.fold(1, u64::saturating_mul);
        let items: u64 = local.iter().product();
        let width = width.max(1);
        let sets = items.div_ceil(u64::from(width)) * u64::from(SET / 32);
        let room = MOST_SAMPLES / ((items + sets) * counters).max(1);
        let sampled = if counters == 0 { 0 } else { groups.min(MOST_GROUPS).min(room) };
        let stride = groups.checked_div(sampled).unwrap_or(0).min(u64::from(u32::MAX)) as u32;
        let first_sample = COUNTERS as usize + 2 * self.counters.len();
        let first_set = first_sample + (sampled * items * counters) as usize;
        let mut words = vec![0; first_set + (sampled * sets * counters) as usize];
        for (position, word) in [
            (head::STRIDE, stride.max(1)),
            (head::FIRST, stride / 2),
            (head::GROUPS, sampled as u32),
            (head::ITEMS, items as u32),
            (head::FOUND, u32::MAX),
            (head::SAMPLES, first_sample as u32),
            (head::WIDTH, width),
            (head::SETS, first_set as u32),
        ] {
            words[position as usize] = word;
        }
        words
    }

    /// What a launch of a kernel with this shape measured, from the words of its buffer.
    #[must_use]
    pub fn read(&self, kernel: &str, words: &[u32], shape: &Shape) -> Measurement {
        let wide = |low: u32, high: u32| u64::from(low) | u64::from(high) << 32;
        let at = |position: u32| words.get(position as usize).copied().unwrap_or(0);
        let from = |position: u32| words.get(position as usize..).unwrap_or_default();
        let counters = from(COUNTERS).chunks_exact(2).take(self.counters.len());
        let recorded = at(head::EVENTS);
        let events = from(HEAD).chunks_exact(EVENT as usize).take(recorded.min(EVENTS) as usize);
        let own = self.counters_of(kernel).len().max(1);
        let (first_sample, first_set) = (at(head::SAMPLES) as usize, at(head::SETS) as usize);
        let samples = words.get(first_sample..first_set).unwrap_or_default().chunks_exact(own);
        let ones = |words: &[u32]| words.iter().map(|word| word.count_ones()).sum();
        let sets = from(at(head::SETS)).chunks_exact(own * (SET / 32) as usize);
        let found = Some(at(head::FOUND)).filter(|&item| item != u32::MAX);
        Measurement {
            counts: counters.map(|words| wide(words[0], words[1])).collect(),
            events: events
                .map(|words| Event { what: words[0], item: words[1], value: wide(words[2], words[3]) })
                .collect(),
            lost: recorded.saturating_sub(EVENTS),
            samples: samples.map(<[u32]>::to_vec).collect(),
            sets: sets.map(|sets| sets.chunks((SET / 32) as usize).map(ones).collect()).collect(),
            width: at(head::WIDTH),
            items: at(head::ITEMS),
            found: found.map(|item| shape.ids(item)[0]),
        }
    }
}

/// What a launch leaves for whoever asked for it.
#[derive(Clone, Copy, Debug)]
pub struct Measurements<'a> {
    /// The kernel.
    pub kernel: &'a str,
    /// What the measurement refers to.
    pub measured: &'a Measured,
    /// The sizes of the launch.
    pub shape: Shape,
    /// What it measured.
    pub measurement: &'a Measurement,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn measured() -> Measured {
        let counter = Counter { kernel: "k".to_owned(), operations: Operations::default(), barrier: false };
        let site = Site {
            counter: 0,
            access: Access::Read,
            memory: Memory::Global,
            bytes: 4,
            span: (0, 0),
            place: None,
        };
        Measured { counters: vec![counter; 3], sites: vec![site], ..Measured::default() }
    }

    #[test]
    fn groups_are_sampled_evenly_and_memory_is_bounded() {
        let shape = Shape { global: [64, 64, 1], offset: [0; 3], local: [8, 8, 1], sub_group: 0 };
        let words = measured().head("k", &shape, 16);
        // 8 of 64 groups are sampled, from the middle of the first eighth.
        let (samples, sets) = (COUNTERS + 6, COUNTERS + 6 + 8 * 64 * 3);
        assert_eq!(words[..9], [0, 8, 4, 8, 64, u32::MAX, samples, 16, sets]);
        assert_eq!(words.len(), sets as usize + 8 * 4 * 3 * 64);
        let huge = Shape { global: [u32::MAX; 3], offset: [0; 3], local: [1024, 1, 1], sub_group: 0 };
        let mut many = measured();
        many.counters = vec![many.counters[0].clone(); 100_000];
        assert!(many.head("k", &huge, 16).len() < 8 << 20);
        assert_eq!(many.head("other", &shape, 16)[3], 0);
    }

    #[test]
    fn what_a_launch_left_is_read() {
        let shape = Shape { global: [4, 2, 1], offset: [10, 0, 0], local: [4, 1, 1], sub_group: 0 };
        let mut words = measured().head("k", &shape, 16);
        let first = COUNTERS as usize;
        words[first..first + 6].copy_from_slice(&[7, 0, 0, 1, 0, 0]);
        words[0] = 2;
        words[5] = 5;
        words[12..20].copy_from_slice(&[0, 3, 64, 1, 0, 2, 32, 0]);
        let set = words[8] as usize + 64;
        words[set..set + 2].copy_from_slice(&[7, 1 << 31]);
        words[first + 6..first + 12].copy_from_slice(&[1, 2, 3, 4, 5, 6]);
        let read = measured().read("k", &words, &shape);
        assert_eq!(read.counts, [7, 1 << 32, 0]);
        let first = Event { what: 0, item: 3, value: 64 | 1 << 32 };
        assert_eq!(read.events, [first, Event { what: 0, item: 2, value: 32 }]);
        assert_eq!((read.lost, read.items, read.found), (0, 4, Some([11, 1, 0])));
        assert_eq!(read.samples[..2], [vec![1, 2, 3], vec![4, 5, 6]]);
        assert_eq!((read.samples.len(), read.sets.len(), read.sets[0].clone()), (8, 2, vec![0, 4, 0]));
        words[0] = EVENTS + 5;
        assert_eq!(measured().read("k", &words, &shape).lost, 5);
    }
}
