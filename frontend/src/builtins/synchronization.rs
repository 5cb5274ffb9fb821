//! Barriers, fences and the atomic functions of C11, by their names (OpenCL C §6.15.8, §6.15.9, §6.15.12).
//!
//! They are no rows: what they take depends on the atomic type that a pointer points to, and their orders and scopes are
//! constants that features gate one by one. Not here: the atomic functions of OpenCL C 1.x, which are rows.

use crate::options::LanguageVersion;
use clvk_interface::Feature;
use clvk_ir::{AtomicOp, FenceFlags, MemoryOrder, Scope};

/// What a name asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Synchronization {
    /// `barrier`, `work_group_barrier`, `sub_group_barrier`: `(flags[, scope])`.
    Barrier(Scope),
    /// `mem_fence` and its kind: `(flags)`, with the scope of the work-group.
    Fence(MemoryOrder),
    /// `atomic_work_item_fence(flags, order, scope)`.
    WorkItemFence,
    /// An atomic function.
    Atomic {
        /// What it does.
        action: AtomicAction,
        /// `_explicit`: with an order, and maybe a scope.
        explicit: bool,
    },
}

/// What an atomic function of C11 does to its object.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum AtomicAction {
    /// `atomic_init(object, value)`: no atomic operation.
    Init,
    /// `atomic_store(object, value)`.
    Store,
    /// `atomic_load(object)`.
    Load,
    /// `atomic_exchange(object, value)`.
    Exchange,
    /// `atomic_compare_exchange_strong(object, expected, desired)`, and `_weak`, which never fails for no reason here.
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
#[expect(missing_docs)]
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
    pub fn on_integers(self, signed: bool) -> AtomicOp {
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
    pub fn is_arithmetic(self) -> bool {
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

    /// Orders that the function takes: two for a comparison, for success and failure.
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
    pub fn is_of_flags(self) -> bool {
        matches!(self, AtomicAction::TestAndSet | AtomicAction::Clear)
    }
}

impl Synchronization {
    /// What `name` asks for.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        Some(match name {
            "barrier" | "work_group_barrier" => Synchronization::Barrier(Scope::WorkGroup),
            "sub_group_barrier" => Synchronization::Barrier(Scope::SubGroup),
            "mem_fence" => Synchronization::Fence(MemoryOrder::AcquireRelease),
            "read_mem_fence" => Synchronization::Fence(MemoryOrder::Acquire),
            "write_mem_fence" => Synchronization::Fence(MemoryOrder::Release),
            "atomic_work_item_fence" => Synchronization::WorkItemFence,
            "atomic_init" => Synchronization::Atomic { action: AtomicAction::Init, explicit: false },
            _ => {
                let rest = name.strip_prefix("atomic_")?;
                let (stem, explicit) = match rest.strip_suffix("_explicit") {
                    Some(stem) => (stem, true),
                    None => (rest, false),
                };
                Synchronization::Atomic { action: action(stem)?, explicit }
            }
        })
    }

    /// The first version that has it.
    #[must_use]
    pub fn since(self, name: &str) -> LanguageVersion {
        match self {
            _ if matches!(name, "barrier" | "mem_fence" | "read_mem_fence" | "write_mem_fence") => {
                LanguageVersion::C10
            }
            // An extension.
            Synchronization::Barrier(Scope::SubGroup) => LanguageVersion::C10,
            _ => LanguageVersion::C20,
        }
    }

    /// The feature that it needs whatever its arguments are.
    #[must_use]
    pub fn feature(self) -> Option<Feature> {
        (self == Synchronization::Barrier(Scope::SubGroup)).then_some(Feature::SubGroups)
    }
}

fn action(stem: &str) -> Option<AtomicAction> {
    Some(match stem {
        "store" => AtomicAction::Store,
        "load" => AtomicAction::Load,
        "exchange" => AtomicAction::Exchange,
        "compare_exchange_strong" | "compare_exchange_weak" => AtomicAction::CompareExchange,
        "flag_test_and_set" => AtomicAction::TestAndSet,
        "flag_clear" => AtomicAction::Clear,
        "fetch_add" => AtomicAction::Fetch(FetchKey::Add),
        "fetch_sub" => AtomicAction::Fetch(FetchKey::Sub),
        "fetch_or" => AtomicAction::Fetch(FetchKey::Or),
        "fetch_xor" => AtomicAction::Fetch(FetchKey::Xor),
        "fetch_and" => AtomicAction::Fetch(FetchKey::And),
        "fetch_min" => AtomicAction::Fetch(FetchKey::Min),
        "fetch_max" => AtomicAction::Fetch(FetchKey::Max),
        _ => return None,
    })
}

/// A synchronisation whose flags, orders and scopes are decided.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Synchronizing {
    /// A barrier.
    Barrier {
        /// Who takes part.
        execution: Scope,
        /// Who sees the memory operations before it.
        memory: Scope,
        /// What memory.
        flags: FenceFlags,
    },
    /// A fence.
    Fence {
        /// Order.
        order: MemoryOrder,
        /// Scope.
        scope: Scope,
        /// What memory.
        flags: FenceFlags,
    },
    /// An atomic operation. Its arguments are the object's address, then the operands, then, for a comparison, the address of
    /// what is expected last.
    Atomic {
        /// What it does.
        action: AtomicAction,
        /// Order, on success.
        order: MemoryOrder,
        /// Order on failure.
        failure: MemoryOrder,
        /// Scope.
        scope: Scope,
    },
}

/// The fence flags of `CLK_*_MEM_FENCE` constants: bit 0 local, bit 1 global, bit 2 image.
#[must_use]
pub fn fence_flags(bits: u64) -> FenceFlags {
    FenceFlags::from_bits_truncate(bits as u8)
}

/// The order of a `memory_order` value (OpenCL C §6.15.12.3).
#[must_use]
pub fn memory_order(value: i128) -> Option<MemoryOrder> {
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
pub fn memory_scope(value: i128) -> Option<Scope> {
    Some(match value {
        0 => Scope::WorkItem,
        1 => Scope::WorkGroup,
        2 => Scope::Device,
        3 => Scope::AllDevices,
        4 => Scope::SubGroup,
        _ => return None,
    })
}
