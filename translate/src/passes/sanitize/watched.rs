//! What is known of an access to memory that kernels remember.

use super::cells::Plan;
use super::phases::Meanwhile;
use super::shadow::Shadow;
use clvk_interface::sanitize::Access;
use clvk_ir::{AddressSpace, Value};

/// An access to check.
pub struct Watched {
    pub access: Access,
    /// It is atomic and writes.
    pub changes: bool,
    /// It is a compare-and-exchange, which writes only if it succeeds.
    pub attempts: bool,
    /// It uses what it reads. A copy may take bytes along that mean nothing.
    pub uses: bool,
    /// It is `volatile`. Such reads are taken for atomic ones, because programs mean them so.
    pub volatile: bool,
    pub bytes: u64,
    pub space: Option<AddressSpace>,
    /// What it writes, if that is one value.
    pub written: Option<Value>,
    pub shadow: Shadow,
    /// The bit of the argument or local memory that it reaches, if that may be one that is not watched.
    pub argument: Option<u32>,
    /// Bytes of a granule, if that is not the same for all memory. Only the first of its cells is used.
    pub granule: Option<u32>,
    /// What others may do to the memory, as far as nothing orders it.
    pub meanwhile: Meanwhile,
    /// What is known of the memory, if no accesses to it race.
    pub quiet: Option<Quiet>,
}

/// Local memory for which work-items do not race.
#[derive(Clone, Copy)]
pub struct Quiet {
    /// It is nowhere read where it may be unwritten.
    pub is_filled: bool,
    /// This access only reads what was written.
    pub is_safe: bool,
}

impl Watched {
    /// Whether it writes, atomically or not.
    pub fn leaves(&self) -> bool {
        self.access == Access::Write || self.changes
    }

    /// Whether others do nothing meanwhile that it could race with, or that must know of it.
    pub fn is_calm(&self) -> bool {
        let Meanwhile { reads, writes, atomics, .. } = self.meanwhile;
        match self.access {
            _ if self.quiet.is_some() => true,
            Access::Read => !writes && (self.volatile || !atomics),
            Access::Write => false,
            Access::Atomic => !writes && (!self.changes || !reads),
        }
    }

    /// Whether somebody may have to know that it wrote.
    pub fn must_tell(&self) -> bool {
        self.leaves() && self.quiet.is_none_or(|quiet| !quiet.is_filled)
    }

    /// The granule, and how many cells it has, as powers of two.
    pub fn granule(&self, plan: &Plan) -> (u32, u32) {
        let least = plan.cells.granule.trailing_zeros();
        let own = self.granule.map_or(least, |granule| granule.trailing_zeros().max(least));
        (own, own - least)
    }
}
