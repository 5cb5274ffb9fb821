//! Calls of built-in functions, checked: what each does, with everything decided that its arguments decide.

use super::{Expr, FunctionId};
use crate::builtins::{AtomicAction, BlockQuery, EventFunction, Lowering, PipeFunction};
use clvk_ir::{BinaryOp, FenceFlags, MemoryOrder, RoundingMode, Scope};

/// A resolved call of a built-in.
#[derive(Clone, Debug, PartialEq)]
pub struct BuiltinCall {
    /// Name as called, for messages.
    pub name: &'static str,
    /// What it does.
    pub operation: Operation,
    /// Arguments, converted to the parameter types of the overload that was chosen. Scalars that the overload
    /// takes beside vectors (`clamp(float4, float, float)`) are already widened where the meaning is
    /// element-wise.
    pub arguments: Vec<Expr>,
}

/// What a call of a built-in does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Operation {
    /// What the row of its overload says.
    Row(Lowering),
    /// `vload<n>(index, pointer)`.
    VectorLoad,
    /// `vstore<n>(value, index, pointer)`.
    VectorStore,
    /// `convert_<type>[_sat][_<rounding>]`.
    Convert {
        /// Out of range gives the nearest number.
        saturating: bool,
        /// How it rounds, if the name says it.
        rounding: Option<RoundingMode>,
    },
    /// `shuffle(vector, mask)`, `shuffle2(vector, vector, mask)`.
    Shuffle,
    /// `to_global` and its kind: null if the generic pointer points elsewhere. The result's type says where
    /// to.
    ToSpace,
    /// `get_fence`.
    GetFence,
    /// `printf`: position of its format in [`Program::print_formats`](super::Program).
    Print(u32),
    /// `__builtin_add_overflow` and its kind, on `int`, `uint`, `long` and `ulong`: two operands and where
    /// the result goes.
    Overflow(BinaryOp),
    /// A function on pipes.
    Pipe {
        /// Which.
        function: PipeFunction,
        /// Bytes of a packet.
        size: u64,
        /// Alignment of a packet in bytes.
        align: u32,
    },
    /// A function of device-side enqueue.
    Enqueue(Enqueuing),
    /// A barrier, a fence or an atomic operation of C11.
    Synchronize(Synchronizing),
    /// An asynchronous copy: the library function's arguments, then the event, which is the result unless it
    /// is 0.
    AsyncCopy(AsyncCopying),
}

/// A copy whose direction and element size are known.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct AsyncCopying {
    /// From global memory; else from local memory to it.
    pub to_local: bool,
    /// Bytes of an element; none if the arguments say it.
    pub element: Option<u64>,
}

/// A call of device-side enqueue: what the arguments are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Enqueuing {
    /// Queue, flags, range, then with `waits` the wait list (number, pointer) and where the event goes, then
    /// the sizes of the local arguments, then what the block holds.
    Kernel {
        /// The function that the block is.
        block: FunctionId,
        /// Whether there are a wait list and an event.
        waits: bool,
        /// Number of local arguments.
        locals: u32,
    },
    /// The range, if it is for one.
    Query(BlockQuery),
    /// Queue, number of events, events, where the event goes.
    Marker,
    /// As in the language.
    Event(EventFunction),
    /// Nothing.
    DefaultQueue,
    /// Sizes, or pointers to as many sizes as there are dimensions: the global ones; or global and local; or
    /// offsets, global and local.
    Range {
        /// Dimensions.
        dimensions: u32,
    },
}

/// A synchronisation whose flags, orders and scopes are decided.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Synchronizing {
    /// A barrier.
    Barrier {
        /// The work-items that take part.
        execution: Scope,
        /// The work-items that see the memory operations before it.
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
    /// An atomic operation. Its arguments are the object's address, then the operands, then, for a
    /// comparison, the address of what is expected last.
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
