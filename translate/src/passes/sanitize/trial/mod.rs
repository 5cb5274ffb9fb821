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
    pub fn of(kernel: &Function, globals: &Arena<Global, GlobalData>, uses: &ArgumentUses) -> Trial {
        walk::run(kernel, globals, uses).unwrap_or_default()
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
