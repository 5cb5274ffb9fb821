//! Executes a kernel for one work-group before there is a launch, as far as its control flow and the places
//! of its accesses to local memory follow from ids in the group and from constants alone.
//!
//! What that says of local memory holds in every launch: that no two work-items race for it, and that what is
//! read there was written. What depends on other values is taken for anything: both sides of a condition are
//! executed, and loops twice, because what an iteration meets is in itself, in the one before and in the one
//! after it.
//!
//! All work-items come to the same barriers. Where one is not sure whether they come to a place together, a
//! barrier in the same region says so.

mod column;
mod ledger;
mod needed;
mod sites;
mod walk;

use super::habits::{ArgumentUses, LocalMemory};
use clvk_ir::{Arena, Function, Global, GlobalData, Inst};
use rustc_hash::FxHashSet;

/// The most operations of single work-items in a trial, and in one of several.
const MOST_STEPS: usize = 6_000_000;
const MOST_STEPS_OF_ONE: usize = 400_000;

/// Sizes of work-groups that hosts often choose.
const LIKELY_SIZES: &[[u32; 3]] = &[
    [16, 1, 1],
    [32, 1, 1],
    [64, 1, 1],
    [128, 1, 1],
    [256, 1, 1],
    [512, 1, 1],
    [1024, 1, 1],
    [8, 4, 1],
    [8, 8, 1],
    [16, 8, 1],
    [16, 16, 1],
    [32, 8, 1],
    [32, 32, 1],
];

fn required_size(kernel: &Function) -> Option<[u32; 3]> {
    kernel.kernel.as_ref()?.required_work_group_size
}

fn is_uniform(kernel: &Function) -> bool {
    kernel.kernel.as_ref().is_some_and(|info| info.uniform_work_groups)
}

/// What is known of a kernel's accesses to local memory.
#[derive(Default)]
pub struct Trial {
    /// Memory for which work-items do not race.
    quiet: FxHashSet<LocalMemory>,
    /// Memory that is not read where it may be unwritten.
    filled: FxHashSet<LocalMemory>,
    /// Reads of what was written.
    safe: FxHashSet<(Inst, usize)>,
}

impl Trial {
    /// Tries a kernel that is whole, and makes no asynchronous copies. Nothing is known if its work-groups
    /// may have several sizes, or if it would take long.
    /// The number of work-items in a sub-group may be known.
    pub fn of(
        kernel: &Function,
        globals: &Arena<Global, GlobalData>,
        uses: &ArgumentUses,
        sub_group: Option<u32>,
    ) -> Trial {
        let size = required_size(kernel).filter(|_| is_uniform(kernel));
        let trial = size.and_then(|size| walk::run(kernel, globals, uses, (size, sub_group), MOST_STEPS));
        trial.unwrap_or_default()
    }

    /// Tries a kernel whose work-groups may have several sizes with those that are likely. For each, gives
    /// the memory that needs no cells if all work-groups have that size.
    pub fn of_sizes(
        kernel: &Function,
        globals: &Arena<Global, GlobalData>,
        uses: &ArgumentUses,
        sub_group: Option<u32>,
    ) -> Vec<([u32; 3], Vec<LocalMemory>)> {
        let required = required_size(kernel);
        if required.is_some() && is_uniform(kernel) {
            return Vec::new();
        }
        let mut settled = Vec::new();
        for &size in required.as_ref().map_or(LIKELY_SIZES, std::slice::from_ref) {
            let sizes = (size, sub_group);
            let Some(trial) = walk::run(kernel, globals, uses, sizes, MOST_STEPS_OF_ONE) else { continue };
            let memory = trial.filled.into_iter().collect();
            settled.push((size, memory));
        }
        settled
    }

    /// Whether work-items do not race for some memory.
    pub fn is_quiet(&self, memory: LocalMemory) -> bool {
        self.quiet.contains(&memory)
    }

    /// Whether some memory is read nowhere where it may be unwritten.
    pub fn is_filled(&self, memory: LocalMemory) -> bool {
        self.filled.contains(&memory)
    }

    /// Whether an access through an operand reads only what was written.
    pub fn is_safe(&self, inst: Inst, operand: usize) -> bool {
        self.safe.contains(&(inst, operand))
    }
}
