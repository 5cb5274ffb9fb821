//! How calls of built-in functions with signatures are lowered.
//!
//! Not here: the results of the other strategies, which are [`hir::Operation`](crate::hir::Operation)s.

use super::group::{SubGroupFunction, WorkGroupFunction};
use clvk_ir::{AtomicOp, BinaryOp, ImageOp, MathOp, PackedDot, Scope, UnaryOp, WorkItemQuery};

/// How a built-in is lowered. Element-wise ones work on scalars and on vectors lane by lane.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Lowering {
    /// One IR operation on one operand.
    Unary(UnaryOp),
    /// One IR operation, chosen by the kind of the element type: signed, unsigned, floating-point.
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
    /// A scalar library function `__clvk_<stem>_<type of the first parameter's element>` for each lane.
    /// Pointer parameters of the built-in (as of `fract`) are lowered by the library function returning
    /// through private memory.
    Library(&'static str),
    /// The library function `__clvk_<stem>_<shape of the image>_<type of the coordinates>`.
    ImageLibrary(&'static str),
    /// A work-item query.
    WorkItem(WorkItemQuery),
    /// An image operation.
    Image(ImageOp),
    /// An atomic read-modify-write with relaxed order and device scope (OpenCL C 1.x `atomic_*`), by
    /// signedness.
    Atomic {
        /// For signed integers.
        signed: AtomicOp,
        /// For unsigned integers.
        unsigned: AtomicOp,
    },
    /// The scalar library function `__clvk_<stem>_u32`, with vectors of four bytes passed as words.
    OfWords(&'static str),
    /// A function of sub-groups.
    SubGroup(SubGroupFunction),
    /// The same, which all work-items of the sub-group must call.
    WholeSubGroup(SubGroupFunction),
    /// A function of work-groups.
    WorkGroup(WorkGroupFunction),
    /// The library function `__clvk_<stem>`, with unchanged arguments.
    Call(&'static str),
    /// Something that needs special code in the lowering.
    Special(Special),
}

/// Built-ins that are lowered by special code.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Special {
    /// The dot product of four bytes each, in vectors or words.
    PackedDot {
        signs: PackedDot,
        /// Whether the operands are exchanged.
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
    /// `prefetch`: no operation.
    Nothing,
}
