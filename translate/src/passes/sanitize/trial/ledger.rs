//! What the work-items of a group do to its local memory, phase by phase.

use crate::passes::sanitize::habits::LocalMemory;
use clvk_ir::Inst;
use rustc_hash::{FxHashMap, FxHashSet};

/// How memory is accessed, as far as it matters for races.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Way {
    Read,
    /// Atomically, or `volatile`.
    AtomicRead,
    Write,
    Atomic,
}

impl Way {
    /// What races with it.
    fn enemies(self) -> &'static [Way] {
        match self {
            Way::Read => &[Way::Write, Way::Atomic],
            Way::AtomicRead => &[Way::Write],
            Way::Write => &[Way::Read, Way::AtomicRead, Way::Write, Way::Atomic],
            Way::Atomic => &[Way::Read, Way::Write],
        }
    }
}

/// Nobody, a work-item's number plus 1, or several.
type Who = u32;
const SEVERAL: Who = u32::MAX;

/// What happens to some memory in a phase.
#[derive(Default)]
struct Events {
    /// Who accesses a granule in each way.
    granules: FxHashMap<u64, [Who; 4]>,
    /// Who accesses granules that are not known.
    anywhere: [Who; 4],
    /// Who accesses anything.
    any: [Who; 4],
}

fn join(all: &mut Who, one: Who) {
    *all = if *all == 0 || *all == one { one } else { SEVERAL };
}

/// Whether somebody among these is not the given work-item alone.
fn differs(all: Who, one: Who) -> bool {
    all != 0 && (all != one || one == SEVERAL)
}

impl Events {
    /// Notes an access; whether it may race.
    fn note(&mut self, granule: Option<u64>, way: Way, who: Who) -> bool {
        let known =
            granule.map_or(self.any, |granule| self.granules.get(&granule).copied().unwrap_or_default());
        let races = |all: &[Who; 4]| way.enemies().iter().any(|&enemy| differs(all[enemy as usize], who));
        let races = races(&known) || races(&self.anywhere) || way == Way::Write && who == SEVERAL;
        let here = match granule {
            Some(granule) => self.granules.entry(granule).or_default(),
            None => &mut self.anywhere,
        };
        for all in [here, &mut self.any] {
            join(&mut all[way as usize], who);
        }
        races
    }
}

/// An access that some work-items make at a known place or at any.
pub struct Entry<'a> {
    pub place: (Inst, usize),
    pub memory: LocalMemory,
    pub way: Way,
    /// What it reads is used.
    pub uses: bool,
    pub phases: &'a [u32],
    /// Whether everything that it writes is written whenever this place is reached.
    pub is_sure: bool,
}

#[derive(Default)]
pub struct Ledger {
    events: FxHashMap<(LocalMemory, u32), Events>,
    contents: FxHashMap<LocalMemory, FxHashSet<u64>>,
    pub racing: FxHashSet<LocalMemory>,
    /// Reads that were reached, and those that may find something unwritten.
    pub read: FxHashSet<(Inst, usize)>,
    pub doubtful: FxHashSet<(Inst, usize)>,
}

/// What was written, to go back to.
pub struct Written(FxHashMap<LocalMemory, FxHashSet<u64>>);

impl Ledger {
    /// Notes that work-items access granules; all of them have the same, if there is only one list.
    pub fn note(&mut self, entry: &Entry<'_>, who: Option<usize>, granules: std::ops::Range<u64>) {
        let who = who.map_or(SEVERAL, |item| item as Who + 1);
        for granule in granules {
            self.note_one(entry, who, Some(granule));
            let contents = self.contents.entry(entry.memory).or_default();
            if entry.uses && !contents.contains(&granule) {
                self.doubtful.insert(entry.place);
            }
            if entry.is_sure {
                contents.insert(granule);
            }
        }
    }

    /// Notes an access at a place that is not known, of memory with this many granules.
    pub fn note_anywhere(&mut self, entry: &Entry<'_>, who: Option<usize>, all: Option<u64>) {
        self.note_one(entry, who.map_or(SEVERAL, |item| item as Who + 1), None);
        let contents = self.contents.entry(entry.memory).or_default();
        if entry.uses && all != Some(contents.len() as u64) {
            self.doubtful.insert(entry.place);
        }
    }

    fn note_one(&mut self, entry: &Entry<'_>, who: Who, granule: Option<u64>) {
        if entry.uses {
            self.read.insert(entry.place);
        }
        if self.racing.contains(&entry.memory) {
            return;
        }
        for &phase in entry.phases {
            let events = self.events.entry((entry.memory, phase)).or_default();
            if events.note(granule, entry.way, who) {
                self.racing.insert(entry.memory);
            }
        }
    }

    pub fn written(&self) -> Written {
        Written(self.contents.clone())
    }

    pub fn restore(&mut self, written: Written) {
        self.contents = written.0;
    }
}
