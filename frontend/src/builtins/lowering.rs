//! What becomes of a call of a built-in function.

use super::async_copy::AsyncCopying;
use super::enqueue::Enqueuing;
use super::group::{SubGroupFunction, WorkGroupFunction};
use super::synchronization::Synchronizing;
use crate::hir::Expr;
use clvk_ir::{AtomicOp, BinaryOp, ImageOp, MathOp, PackedDot, Scope, UnaryOp, WorkItemQuery};

/// How a built-in is lowered. Element-wise ones work on scalars and on vectors lane by lane.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Lowering {
    /// One IR operation on one operand.
    Unary(UnaryOp),
    /// One IR operation, by the kind of the element type: signed, unsigned, floating-point.
    Binary {
        /// For signed integers.
        signed: Option<BinaryOp>,
        /// For unsigned integers.
        unsigned: Option<BinaryOp>,
        /// For floating point.
        float: Option<BinaryOp>,
    },
    /// A device function.
    Math(MathOp),
    /// A scalar library function `__clvk_<stem>_<type of the first parameter's element>` for each lane. Pointer
    /// parameters of the built-in (as of `fract`) are lowered by the library function returning through private memory.
    Library(&'static str),
    /// The library function `__clvk_<stem>_<shape of the image>_<type of the coordinates>`.
    ImageLibrary(&'static str),
    /// A work-item query.
    WorkItem(WorkItemQuery),
    /// An image operation.
    Image(ImageOp),
    /// An atomic read-modify-write with relaxed order and device scope (OpenCL C 1.x `atomic_*`), by signedness.
    Atomic {
        /// For signed integers.
        signed: AtomicOp,
        /// For unsigned integers.
        unsigned: AtomicOp,
    },
    /// A barrier, a fence or an atomic operation of C11.
    Synchronize(Synchronizing),
    /// An asynchronous copy: the library function's arguments, then the event, which is the result unless it is 0.
    AsyncCopy(AsyncCopying),
    /// The scalar library function `__clvk_<stem>_u32`, vectors of four bytes being words.
    OfWords(&'static str),
    /// What a sub-group does.
    SubGroup(SubGroupFunction),
    /// What a work-group does.
    WorkGroup(WorkGroupFunction),
    /// The library function `__clvk_<stem>`, which takes the arguments as they are.
    Call(&'static str),
    /// Something that needs code of its own in the lowering.
    Special(Special),
}

/// Built-ins that are lowered by code of their own.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[expect(missing_docs)]
pub enum Special {
    /// `vload<n>(index, pointer)`.
    VectorLoad,
    /// `vstore<n>(value, index, pointer)`.
    VectorStore,
    /// `convert_<type>[_sat][_<rounding>]`.
    Convert {
        saturating: bool,
        rounding: Option<clvk_ir::RoundingMode>,
    },
    /// `as_<type>`.
    Reinterpret,
    /// The dot product of four bytes each, in vectors or words.
    PackedDot {
        signs: PackedDot,
        /// The operands change places.
        exchanged: bool,
    },
    /// `clock_read_<scope>`: 64 bits, or two words (`hilo`).
    Clock {
        scope: Scope,
    },
    /// `select(a, b, c)`.
    Select,
    /// `bitselect(a, b, c)`.
    BitSelect,
    /// `any`.
    Any,
    /// `all`.
    All,
    /// `isless` and its kind: floats compared, the result `int` or an integer vector with −1.
    Compare(clvk_ir::CompareOp),
    /// `isnan`, `isinf`, … through a device function, result as above.
    Classify(MathOp),
    IsFinite,
    IsNormal,
    SignBit,
    /// `mad`: `a * b + c` with either rounding; for integers `mad24`, `mad_hi` are `Library`.
    Mad,
    /// `clamp(x, low, high)`.
    Clamp,
    /// `mix(x, y, a)`.
    Mix,
    /// `step(edge, x)`.
    Step,
    Degrees,
    Radians,
    Sign,
    Abs,
    AbsDiff,
    AddSat,
    SubSat,
    HAdd,
    RHAdd,
    Rotate,
    MadHi,
    Mul24,
    Mad24,
    Upsample,
    Cross,
    Distance,
    Length,
    Normalize,
    FastLength,
    FastDistance,
    FastNormalize,
    /// `atomic_inc`, `atomic_dec`.
    AtomicStep {
        decrement: bool,
    },
    /// `atomic_cmpxchg`.
    AtomicCompareExchange,
    /// `get_image_dim`.
    ImageSize,
    /// `get_image_channel_data_type`.
    ImageDataType,
    /// `get_image_channel_order`.
    ImageOrder,
    /// The properties of a sampler as a word, for the library.
    SamplerWord,
    /// `shuffle`.
    Shuffle,
    /// `shuffle2`.
    Shuffle2,
    /// `to_global` and its kind: null if the generic pointer points elsewhere. The result's type says where to.
    ToSpace,
    /// `get_fence`.
    GetFence,
    /// `printf`: position of its format in [`Program::print_formats`](crate::hir::Program).
    Print(u32),
    /// A function on pipes, with the size and alignment of their packets.
    Pipe {
        function: PipeFunction,
        size: u64,
        align: u32,
    },
    /// A function of device-side enqueue.
    Enqueue(Enqueuing),
    /// `prefetch`: no operation.
    Nothing,
}

/// A function on pipes (OpenCL C §6.15.18).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[expect(missing_docs)]
pub enum PipeFunction {
    /// `read_pipe` and `write_pipe`.
    Transfer { writes: bool },
    /// `reserve_read_pipe` and its kind.
    Reserve { writes: bool, scope: Scope },
    /// `commit_read_pipe` and its kind.
    Commit { writes: bool },
    /// `is_valid_reserve_id`.
    IsValid,
    /// `get_pipe_num_packets`.
    Count,
    /// `get_pipe_max_packets`.
    Size,
}

impl PipeFunction {
    /// The function of this name.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        use PipeFunction::{Commit, Count, IsValid, Reserve, Size, Transfer};
        Some(match name {
            "read_pipe" => Transfer { writes: false },
            "write_pipe" => Transfer { writes: true },
            "reserve_read_pipe" => Reserve { writes: false, scope: Scope::WorkItem },
            "reserve_write_pipe" => Reserve { writes: true, scope: Scope::WorkItem },
            "sub_group_reserve_read_pipe" => Reserve { writes: false, scope: Scope::SubGroup },
            "sub_group_reserve_write_pipe" => Reserve { writes: true, scope: Scope::SubGroup },
            "work_group_reserve_read_pipe" => Reserve { writes: false, scope: Scope::WorkGroup },
            "work_group_reserve_write_pipe" => Reserve { writes: true, scope: Scope::WorkGroup },
            "commit_read_pipe" | "work_group_commit_read_pipe" | "sub_group_commit_read_pipe" => {
                Commit { writes: false }
            }
            "commit_write_pipe" | "work_group_commit_write_pipe" | "sub_group_commit_write_pipe" => {
                Commit { writes: true }
            }
            "is_valid_reserve_id" => IsValid,
            "get_pipe_num_packets" => Count,
            "get_pipe_max_packets" => Size,
            _ => return None,
        })
    }

    /// Whether it writes to the pipe, or else reads from it, if it does either.
    #[must_use]
    pub fn writes(self) -> Option<bool> {
        match self {
            PipeFunction::Transfer { writes }
            | PipeFunction::Reserve { writes, .. }
            | PipeFunction::Commit { writes } => Some(writes),
            PipeFunction::IsValid | PipeFunction::Count | PipeFunction::Size => None,
        }
    }
}

/// A resolved call of a built-in.
#[derive(Clone, Debug, PartialEq)]
pub struct BuiltinCall {
    /// Name as called, for messages.
    pub name: &'static str,
    /// How it is lowered.
    pub lowering: Lowering,
    /// Arguments, converted to the parameter types of the overload that was chosen. Scalars that the overload takes
    /// beside vectors (`clamp(float4, float, float)`) are already widened where the meaning is element-wise.
    pub arguments: Vec<Expr>,
}
