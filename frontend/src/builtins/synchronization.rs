//! Barriers, fences and the atomic functions of C11 (OpenCL C §6.15.8, §6.15.9, §6.15.12).
//!
//! They have their own strategy because their parameters depend on the atomic type that a pointer points to,
//! and because features gate their constant orders and scopes individually. Not here: the atomic functions of
//! OpenCL C 1.x, which have signatures (`device`).

use super::table::{Row, Strategy, row};
use crate::options::LanguageVersion::C20;
use clvk_interface::Feature;
use clvk_ir::{AtomicOp, FenceFlags, MemoryOrder, Scope};

/// What a function does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Synchronization {
    /// `barrier(flags)`, `work_group_barrier(flags[, scope])`, `sub_group_barrier(flags[, scope])`.
    Barrier {
        /// The work-items that wait for each other.
        execution: Scope,
        /// Whether a scope can follow the flags.
        scoped: bool,
    },
    /// `mem_fence` and similar functions: `(flags)`, with work-group scope.
    Fence(MemoryOrder),
    /// `atomic_work_item_fence(flags, order, scope)`.
    WorkItemFence,
    /// An atomic function.
    Atomic {
        /// What it does.
        action: AtomicAction,
        /// `_explicit`: with an order, and an optional scope.
        explicit: bool,
    },
}

/// What an atomic function of C11 does to its object.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum AtomicAction {
    /// `atomic_init(object, value)`, which is not an atomic operation.
    Init,
    /// `atomic_store(object, value)`.
    Store,
    /// `atomic_load(object)`.
    Load,
    /// `atomic_exchange(object, value)`.
    Exchange,
    /// `atomic_compare_exchange_strong(object, expected, desired)`, and `_weak`, which does not fail
    /// spuriously here.
    CompareExchange,
    /// `atomic_fetch_<key>(object, operand)`.
    Fetch(FetchKey),
    /// `atomic_flag_test_and_set(object)`.
    TestAndSet,
    /// `atomic_flag_clear(object)`.
    Clear,
}

/// The computation of `atomic_fetch_<key>`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FetchKey {
    Add,
    Sub,
    Or,
    Xor,
    And,
    Min,
    Max,
}

impl FetchKey {
    /// The operation on integers.
    #[must_use]
    pub(crate) fn on_integers(self, signed: bool) -> AtomicOp {
        match (self, signed) {
            (FetchKey::Add, _) => AtomicOp::Add,
            (FetchKey::Sub, _) => AtomicOp::Sub,
            (FetchKey::Or, _) => AtomicOp::Or,
            (FetchKey::Xor, _) => AtomicOp::Xor,
            (FetchKey::And, _) => AtomicOp::And,
            (FetchKey::Min, true) => AtomicOp::SMin,
            (FetchKey::Min, false) => AtomicOp::UMin,
            (FetchKey::Max, true) => AtomicOp::SMax,
            (FetchKey::Max, false) => AtomicOp::UMax,
        }
    }

    /// Whether floating-point numbers have it too (`cl_ext_float_atomics`).
    #[must_use]
    pub(crate) fn is_arithmetic(self) -> bool {
        matches!(self, FetchKey::Add | FetchKey::Sub | FetchKey::Min | FetchKey::Max)
    }
}

impl AtomicAction {
    /// Arguments besides the order and the scope.
    #[must_use]
    pub fn arguments(self) -> usize {
        match self {
            AtomicAction::Load | AtomicAction::TestAndSet | AtomicAction::Clear => 1,
            AtomicAction::Init | AtomicAction::Store | AtomicAction::Exchange | AtomicAction::Fetch(_) => 2,
            AtomicAction::CompareExchange => 3,
        }
    }

    /// Number of orders that the function takes: two for a comparison, for success and failure.
    #[must_use]
    pub fn orders(self) -> usize {
        if self == AtomicAction::CompareExchange { 2 } else { 1 }
    }

    /// Whether the operation can have this order (OpenCL C §6.15.12.7).
    #[must_use]
    pub fn allows(self, order: MemoryOrder) -> bool {
        match self {
            AtomicAction::Store | AtomicAction::Clear => {
                !matches!(order, MemoryOrder::Acquire | MemoryOrder::AcquireRelease)
            }
            AtomicAction::Load => !matches!(order, MemoryOrder::Release | MemoryOrder::AcquireRelease),
            _ => true,
        }
    }

    /// Whether its object is an `atomic_flag`.
    #[must_use]
    pub(crate) fn is_of_flags(self) -> bool {
        matches!(self, AtomicAction::TestAndSet | AtomicAction::Clear)
    }
}

/// An atomic function; with `explicit`, one that takes an order and an optional scope. Without `explicit` it
/// uses `memory_order_seq_cst` and `memory_scope_device`, and needs their features.
const fn atomic(name: &'static str, action: AtomicAction, explicit: bool) -> Row {
    let row = row("6.15.12", name, Strategy::Synchronization(Synchronization::Atomic { action, explicit }));
    let row = row.since(C20);
    if explicit { row } else { row.needs(Feature::AtomicOrderSeqCst).needs(Feature::AtomicScopeDevice) }
}

const fn barrier(name: &'static str, execution: Scope, scoped: bool) -> Row {
    row("6.15.8", name, Strategy::Synchronization(Synchronization::Barrier { execution, scoped }))
}

const fn fence(name: &'static str, order: MemoryOrder) -> Row {
    row("6.15.9", name, Strategy::Synchronization(Synchronization::Fence(order)))
}

/// Not an atomic operation: it needs no order and no scope.
const INIT: Synchronization = Synchronization::Atomic { action: AtomicAction::Init, explicit: false };

/// The rows that belong to no group below.
pub(super) const ROWS: &[Row] = &[
    barrier("barrier", Scope::WorkGroup, false),
    barrier("work_group_barrier", Scope::WorkGroup, true).since(C20),
    barrier("sub_group_barrier", Scope::SubGroup, true).needs(Feature::SubGroups),
    fence("mem_fence", MemoryOrder::AcquireRelease),
    fence("read_mem_fence", MemoryOrder::Acquire),
    fence("write_mem_fence", MemoryOrder::Release),
    row("6.15.12", "atomic_work_item_fence", Strategy::Synchronization(Synchronization::WorkItemFence))
        .since(C20),
    row("6.15.12", "atomic_init", Strategy::Synchronization(INIT)).since(C20),
];

/// The atomic functions by the endings of their names, each without and with `_explicit`.
macro_rules! atomics {
    ($($end:literal: $action:expr;)*) => {
        /// `atomic_<end>` and `atomic_<end>_explicit`.
        pub(super) const ATOMICS: &[Row] = &[
            $(atomic(concat!("atomic_", $end), $action, false),)*
            $(atomic(concat!("atomic_", $end, "_explicit"), $action, true),)*
        ];
    };
}

atomics! {
    "store": AtomicAction::Store;
    "load": AtomicAction::Load;
    "exchange": AtomicAction::Exchange;
    "compare_exchange_strong": AtomicAction::CompareExchange;
    "compare_exchange_weak": AtomicAction::CompareExchange;
    "flag_test_and_set": AtomicAction::TestAndSet;
    "flag_clear": AtomicAction::Clear;
    "fetch_add": AtomicAction::Fetch(FetchKey::Add);
    "fetch_sub": AtomicAction::Fetch(FetchKey::Sub);
    "fetch_or": AtomicAction::Fetch(FetchKey::Or);
    "fetch_xor": AtomicAction::Fetch(FetchKey::Xor);
    "fetch_and": AtomicAction::Fetch(FetchKey::And);
    "fetch_min": AtomicAction::Fetch(FetchKey::Min);
    "fetch_max": AtomicAction::Fetch(FetchKey::Max);
}

/// The fence flags of `CLK_*_MEM_FENCE` constants: bit 0 local, bit 1 global, bit 2 image.
#[must_use]
pub fn fence_flags(bits: u64) -> FenceFlags {
    FenceFlags::from_bits_truncate(bits as u8)
}

/// The order of a `memory_order` value (OpenCL C §6.15.12.3).
#[must_use]
pub(crate) fn memory_order(value: i128) -> Option<MemoryOrder> {
    Some(match value {
        0 => MemoryOrder::Relaxed,
        2 => MemoryOrder::Acquire,
        3 => MemoryOrder::Release,
        4 => MemoryOrder::AcquireRelease,
        5 => MemoryOrder::SequentiallyConsistent,
        _ => return None,
    })
}

/// The scope of a `memory_scope` value (OpenCL C §6.15.12.4).
#[must_use]
pub(crate) fn memory_scope(value: i128) -> Option<Scope> {
    Some(match value {
        0 => Scope::WorkItem,
        1 => Scope::WorkGroup,
        2 => Scope::Device,
        3 => Scope::AllDevices,
        4 => Scope::SubGroup,
        _ => return None,
    })
}
