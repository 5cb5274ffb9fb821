//! Memory orders, scopes and atomic operations.

use bitflags::bitflags;
use serde::{Deserialize, Serialize};

bitflags! {
    /// Memory that a barrier or fence orders (`cl_mem_fence_flags`).
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
    pub struct FenceFlags: u8 {
        /// `CLK_LOCAL_MEM_FENCE`.
        const LOCAL = 1;
        /// `CLK_GLOBAL_MEM_FENCE`.
        const GLOBAL = 2;
        /// `CLK_IMAGE_MEM_FENCE`.
        const IMAGE = 4;
    }
}

/// Order of an atomic operation or fence (OpenCL C §6.15.12.1).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[expect(missing_docs)]
pub enum MemoryOrder {
    Relaxed,
    Acquire,
    Release,
    AcquireRelease,
    SequentiallyConsistent,
}

/// The work-items that take part in a synchronisation or see it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[expect(missing_docs)]
pub enum Scope {
    WorkItem,
    SubGroup,
    WorkGroup,
    Device,
    AllDevices,
}

/// An atomic read-modify-write: gives the old value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[expect(missing_docs)]
pub enum AtomicOp {
    Exchange,
    Add,
    Sub,
    And,
    Or,
    Xor,
    SMin,
    SMax,
    UMin,
    UMax,
    FAdd,
    FMin,
    FMax,
}
