//! Checked calls of built-in functions: the operation of each, with everything decided that depends on its
//! arguments.

use super::{Expr, FunctionId};
use crate::builtins::{AtomicAction, EnqueueFunction, Lowering, PipeFunction};
use clvk_ir::{BinaryOp, FenceFlags, MatrixOp, MemoryOrder, RoundingMode, Scope};

/// A resolved call of a built-in.
#[derive(Clone, Debug, PartialEq)]
pub struct BuiltinCall {
    /// Name as called, for messages.
    pub name: &'static str,
    /// What it does.
    pub operation: Operation,
    /// Arguments, converted to the parameter types of the chosen overload. Scalar arguments among vectors
    /// (`clamp(float4, float, float)`) are already widened if the function is element-wise.
    pub arguments: Vec<Expr>,
}

/// What a call of a built-in does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Operation {
    /// The lowering in the row of its overload.
    Row(Lowering),
    /// `vload<n>(index, pointer)`.
    VectorLoad,
    /// `vstore<n>(value, index, pointer)`.
    VectorStore,
    /// `intel_sub_group_block_read…(pointer)` or `(image, coordinates)`.
    BlockRead,
    /// `intel_sub_group_block_write…(pointer, value)` or `(image, coordinates, value)`.
    BlockWrite,
    /// `convert_<type>[_sat][_<rounding>]`.
    Convert {
        /// Whether a number out of range gives the nearest one.
        saturating: bool,
        /// The rounding, if the name gives one.
        rounding: Option<RoundingMode>,
    },
    /// `shuffle(vector, mask)`, `shuffle2(vector, vector, mask)`.
    Shuffle,
    /// `to_global` and similar functions: null if the generic pointer points elsewhere. The result's type
    /// gives the address space.
    ToSpace,
    /// `get_fence`.
    GetFence,
    /// `printf`: position of its format in [`Program::print_formats`](super::Program).
    Print(u32),
    /// `__builtin_add_overflow` and similar functions, on `int`, `uint`, `long` and `ulong`: two operands and
    /// a pointer for the result.
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
    /// An operation on cooperative matrices, whose operands are the arguments.
    Matrix(MatrixOp),
    /// An asynchronous copy: the library function's arguments, and the event as the last one. It is the
    /// result unless it is 0.
    AsyncCopy(AsyncCopying),
    /// What the sanitizer checks of a wait for copies: the number of events, and a pointer to them. The
    /// barrier that waits is an operation of its own.
    Events,
}

/// A copy whose direction and element size are known.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct AsyncCopying {
    /// Whether it copies from global to local memory, instead of the reverse.
    pub to_local: bool,
    /// Bytes of an element; `None` if the arguments give it.
    pub element: Option<u64>,
}

/// A call of device-side enqueue.
pub type Enqueuing = EnqueueFunction<EnqueuedBlock>;

/// The block of a call of `enqueue_kernel`, and the form of the call.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct EnqueuedBlock {
    /// The block's function.
    pub function: FunctionId,
    /// Whether there are a wait list and an event.
    pub waits: bool,
    /// Number of local arguments.
    pub locals: u32,
}

/// A synchronisation with known flags, orders and scopes.
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
    /// An atomic operation. Its arguments are the object's address, then the operands, and for a comparison,
    /// last, the address of the expected value.
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
