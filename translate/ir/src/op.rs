//! The operations, and what each means. This file is the manual of the IR.
//!
//! An operation's immediate attributes stand in the variant; its operands, results and regions stand in
//! [`InstData`](crate::InstData), in the order given here. Unless said otherwise, operands and result of arithmetic have
//! one type, a scalar or a vector, and vectors work lane by lane.

use crate::{AddressSpace, Func, Inst, Variable};
use bitflags::bitflags;
use clvk_interface::ImplicitBuffer;
use serde::{Deserialize, Serialize};

bitflags! {
    /// Floating-point rewrites that the source allows for an instruction.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
    pub struct FastMath: u8 {
        /// May be fused with another one into a multiply-add (`FP_CONTRACT ON`).
        const CONTRACT = 1;
        /// May be reassociated.
        const REASSOCIATE = 2;
        /// No operand or result is a NaN.
        const NO_NAN = 4;
        /// No operand or result is infinite.
        const NO_INF = 8;
        /// The sign of zero does not matter.
        const NO_SIGNED_ZERO = 16;
        /// Division may become multiplication by the reciprocal.
        const RECIPROCAL = 32;
        /// The device's own approximate functions may be used (`-cl-fast-relaxed-math`, `native_*`).
        const APPROXIMATE = 64;
    }
}

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

/// One operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum UnaryOp {
    /// Two's complement negation.
    Neg,
    /// All bits inverted; of `Bool`, logical not.
    Not,
    /// Sign inverted, also of NaN and zero.
    FNeg,
    /// Number of one bits.
    PopCount,
    /// Number of leading zero bits; the width for zero.
    CountLeadingZeros,
    /// Number of trailing zero bits; the width for zero.
    CountTrailingZeros,
}

/// Two operands of the result's type.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[expect(missing_docs)]
pub enum BinaryOp {
    Add,
    Sub,
    Mul,
    /// Signed division; any value for a zero divisor and for the overflow.
    SDiv,
    UDiv,
    /// Signed remainder, with the sign of the dividend.
    SRem,
    URem,
    /// Shift left; the count is taken modulo the width (OpenCL C §6.5.10), as in all shifts.
    Shl,
    LShr,
    AShr,
    And,
    Or,
    Xor,
    SMin,
    SMax,
    UMin,
    UMax,
    /// High half of the product.
    SMulHi,
    UMulHi,
    FAdd,
    FSub,
    FMul,
    /// Division to the precision of OpenCL C §7.4 (2.5 ulp in single precision).
    FDiv,
    /// `fmod`-like remainder of exact arithmetic, with the sign of the dividend.
    FRem,
}

impl BinaryOp {
    /// Whether it is a quotient or remainder of integers.
    #[must_use]
    pub fn divides_integers(self) -> bool {
        matches!(self, BinaryOp::SDiv | BinaryOp::UDiv | BinaryOp::SRem | BinaryOp::URem)
    }

    /// Of the smaller and larger of two integers: the comparison of both that is true where it is the first.
    #[must_use]
    pub fn first_if(self) -> Option<CompareOp> {
        Some(match self {
            BinaryOp::SMin => CompareOp::SLt,
            BinaryOp::SMax => CompareOp::SGt,
            BinaryOp::UMin => CompareOp::ULt,
            BinaryOp::UMax => CompareOp::UGt,
            _ => return None,
        })
    }
}

/// A comparison of two operands of one type, giving `Bool` or a vector of it. `F` ones work on floating-point numbers:
/// `O`rdered ones are false if an operand is a NaN, `U`nordered ones are true. `Eq` and `Ne` also compare pointers of
/// one address space and truth values.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[expect(missing_docs)]
pub enum CompareOp {
    Eq,
    Ne,
    SLt,
    SLe,
    SGt,
    SGe,
    ULt,
    ULe,
    UGt,
    UGe,
    FOEq,
    FONe,
    FOLt,
    FOLe,
    FOGt,
    FOGe,
    FUEq,
    FUNe,
    FULt,
    FULe,
    FUGt,
    FUGe,
    /// Neither is a NaN.
    FOrd,
    /// One is a NaN.
    FUno,
}

impl CompareOp {
    /// The comparison that is true where this one is false.
    #[must_use]
    pub fn inverse(self) -> CompareOp {
        use CompareOp::*;
        match self {
            Eq => Ne,
            Ne => Eq,
            SLt => SGe,
            SLe => SGt,
            SGt => SLe,
            SGe => SLt,
            ULt => UGe,
            ULe => UGt,
            UGt => ULe,
            UGe => ULt,
            FOEq => FUNe,
            FONe => FUEq,
            FOLt => FUGe,
            FOLe => FUGt,
            FOGt => FULe,
            FOGe => FULt,
            FUEq => FONe,
            FUNe => FOEq,
            FULt => FOGe,
            FULe => FOGt,
            FUGt => FOLe,
            FUGe => FOLt,
            FOrd => FUno,
            FUno => FOrd,
        }
    }

    /// The comparison of the same bits as unsigned integers; floating-point ones stay.
    #[must_use]
    pub fn unsigned(self) -> CompareOp {
        use CompareOp::*;
        match self {
            SLt => ULt,
            SLe => ULe,
            SGt => UGt,
            SGe => UGe,
            other => other,
        }
    }

    /// The comparison with its operands exchanged.
    #[must_use]
    pub fn swapped(self) -> CompareOp {
        use CompareOp::*;
        match self {
            SLt => SGt,
            SLe => SGe,
            SGt => SLt,
            SGe => SLe,
            ULt => UGt,
            ULe => UGe,
            UGt => ULt,
            UGe => ULe,
            FOLt => FOGt,
            FOLe => FOGe,
            FOGt => FOLt,
            FOGe => FOLe,
            FULt => FUGt,
            FULe => FUGe,
            FUGt => FULt,
            FUGe => FULe,
            same => same,
        }
    }
}

/// Rounding of a conversion (OpenCL C §6.4.3.2).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum RoundingMode {
    /// To nearest, ties to even.
    NearestEven,
    /// Toward zero.
    TowardZero,
    /// Toward positive infinity.
    TowardPositive,
    /// Toward negative infinity.
    TowardNegative,
}

/// A conversion of one operand. Types have the same number of lanes, unless said otherwise.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum ConvertOp {
    /// To a narrower integer: the low bits.
    Truncate,
    /// To a wider integer with zeros; `Bool` gives 0 or 1.
    ZeroExtend,
    /// To a wider integer with copies of the sign; `Bool` gives 0 or all ones.
    SignExtend,
    /// Signed integer to floating point.
    SignedToFloat(RoundingMode),
    /// Unsigned integer to floating point.
    UnsignedToFloat(RoundingMode),
    /// Floating point to signed integer, toward zero. Out of range: any value, or with `saturating` the nearest one,
    /// and zero for NaN. Other roundings are made of this and a rounding function.
    FloatToSigned {
        /// Saturates.
        saturating: bool,
    },
    /// Floating point to unsigned integer.
    FloatToUnsigned {
        /// Saturates.
        saturating: bool,
    },
    /// Between floating-point types; the rounding matters for narrowing.
    Float(RoundingMode),
    /// The same bits as another type of the same size: lanes may differ (`as_type`); not from or to pointers or `Bool`.
    Bitcast,
    /// A pointer's address as an integer of 64 bits.
    PointerToInt,
    /// An integer of 64 bits as a pointer.
    IntToPointer,
    /// A pointer in another address space (to or from `Generic`).
    AddressSpace,
}

/// Functions that the device executes. Operands and result have one floating-point type unless said otherwise. The ones
/// named `Native` have the device's own precision; the others are exact or correctly rounded.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum MathOp {
    /// Absolute value.
    FAbs,
    /// The smaller; a NaN operand is ignored if the other is a number.
    FMin,
    /// The larger; a NaN operand is ignored if the other is a number.
    FMax,
    /// Toward negative infinity.
    Floor,
    /// Toward positive infinity.
    Ceil,
    /// Toward zero.
    Trunc,
    /// To nearest, ties to even.
    RoundEven,
    /// `a * b + c`, rounded once (three operands).
    Fma,
    /// The operand's magnitude with the sign of the second.
    CopySign,
    /// Square root, to the precision of OpenCL C §7.4.
    Sqrt,
    /// Whether it is a NaN; gives `Bool`.
    IsNan,
    /// Whether it is infinite; gives `Bool`.
    IsInf,
    /// Reciprocal square root, at the device's precision (2 ulp by the Vulkan specification).
    NativeRsqrt,
    /// Square root at the device's precision.
    NativeSqrt,
    /// 2 to the power of, at the device's precision.
    NativeExp2,
    /// e to the power of, at the device's precision.
    NativeExp,
    /// Natural logarithm, at the device's precision.
    NativeLog,
    /// Logarithm to base 2, at the device's precision.
    NativeLog2,
    /// Sine, at the device's precision.
    NativeSin,
    /// Cosine, at the device's precision.
    NativeCos,
    /// Quotient at the device's precision (two operands).
    NativeDivide,
    /// Sum of the products of the lanes of two vectors; gives the scalar.
    Dot,
}

/// What a work-item asks about the launch (OpenCL C §6.15.1). All take a 32-bit dimension as operand except `WorkDim`, the linear
/// ids and those that say so, and give a 64-bit integer except `WorkDim`, which gives 32 bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[expect(missing_docs)]
pub enum WorkItemQuery {
    WorkDim,
    GlobalSize,
    GlobalId,
    LocalSize,
    EnqueuedLocalSize,
    LocalId,
    NumGroups,
    GroupId,
    GlobalOffset,
    GlobalLinearId,
    LocalLinearId,
    /// The linear id among the work-items of one dispatch, of which a launch may have several. No function of the language.
    DispatchLinearId,
    /// Work-items of this sub-group.
    SubGroupSize,
    /// Work-items of the largest sub-group of the launch.
    MaxSubGroupSize,
    NumSubGroups,
    EnqueuedNumSubGroups,
    SubGroupId,
    /// Index of the work-item in its sub-group.
    SubGroupLocalId,
    /// The number of this launch among those that came of one launch from the host: 32 bits.
    CommandNumber,
}

impl WorkItemQuery {
    /// Whether it is about sub-groups: it takes no dimension and gives 32 bits.
    #[must_use]
    pub fn is_of_sub_groups(self) -> bool {
        use WorkItemQuery::*;
        matches!(
            self,
            SubGroupSize
                | MaxSubGroupSize
                | NumSubGroups
                | EnqueuedNumSubGroups
                | SubGroupId
                | SubGroupLocalId
        )
    }
}

/// What the work-items of a sub-group that execute the instruction together compute (OpenCL C §6.15.20). Convergent. Values
/// are scalars.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum SubGroupOp {
    /// (`Bool`) → whether it holds for all.
    All,
    /// (`Bool`) → whether it holds for any.
    Any,
    /// () → `Bool`: whether this is the first of them.
    Elect,
    /// (`Bool`) → 4 lanes of `I32`: the bit of each for whom it holds.
    Ballot,
    /// (value, index as `I32`) → the value of the work-item with that index, which is the same for all.
    Broadcast,
    /// (value) → the value of the first.
    BroadcastFirst,
    /// (value, index as `I32`) → the value of the work-item with that index.
    Shuffle,
    /// (value) → of all.
    Reduce(GroupArithmetic),
    /// (value) → of all up to this one.
    InclusiveScan(GroupArithmetic),
    /// (value) → of all before this one; the identity for the first.
    ExclusiveScan(GroupArithmetic),
    /// (value, constant `I32`) → of all in the same cluster of so many consecutive work-items.
    ClusteredReduce(GroupArithmetic),
}

impl SubGroupOp {
    /// The computation of a reduction or scan.
    #[must_use]
    pub fn arithmetic(self) -> Option<GroupArithmetic> {
        match self {
            SubGroupOp::Reduce(op)
            | SubGroupOp::InclusiveScan(op)
            | SubGroupOp::ExclusiveScan(op)
            | SubGroupOp::ClusteredReduce(op) => Some(op),
            _ => None,
        }
    }
}

/// The operation of a reduction or scan; of `Bool`, `And`, `Or` and `Xor` are logical.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[expect(missing_docs)]
pub enum GroupArithmetic {
    Add,
    FAdd,
    Mul,
    FMul,
    SMin,
    UMin,
    FMin,
    SMax,
    UMax,
    FMax,
    And,
    Or,
    Xor,
}

impl GroupArithmetic {
    /// Whether it works on floating-point numbers.
    #[must_use]
    pub fn is_float(self) -> bool {
        use GroupArithmetic::*;
        matches!(self, FAdd | FMul | FMin | FMax)
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

/// Who takes part in or sees a synchronisation.
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
}

/// An image operation. The image is the first operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum ImageOp {
    /// (image, sampler, coordinates) → 4 lanes of `F32`, interpolated by the device's sampler. Coordinates are `F32` and
    /// normalised but for the layer of an array, which comes last; a scalar or a vector with as many lanes as
    /// [`ImageDimension::coordinate_lanes`](crate::ImageDimension::coordinate_lanes) says.
    SampledRead,
    /// (image, coordinates of `I32`) → 4 lanes: without a sampler.
    Read {
        /// Texels are signed integers.
        signed: bool,
    },
    /// (image, coordinates of `I32`, 4 lanes).
    Write {
        /// Texels are signed integers.
        signed: bool,
    },
    /// (image) → `I32`.
    Width,
    /// (image) → `I32`.
    Height,
    /// (image) → `I32`.
    Depth,
    /// (image) → `I32`.
    ArraySize,
    /// (image) → `I32`: what the host says of the image's format ([`clvk_interface::ImageInfo`]).
    Info,
}

/// The properties of a sampler as `sampler_t` is initialised (OpenCL C §6.15.15.1): one of the `CLK_NORMALIZED_COORDS_` macros, one
/// of the `CLK_ADDRESS_` and one of the `CLK_FILTER_`, as SPIR numbers them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct SamplerWord(u32);

impl SamplerWord {
    /// The word, if it has a meaning. A filter that is left out is the nearest pixel.
    #[must_use]
    pub fn new(word: u32) -> Option<SamplerWord> {
        let known = word & !0x3F == 0 && word & 0xE <= 8 && word & 0x30 != 0x30;
        let filter = if word & 0x30 == 0 { 0x10 } else { 0 };
        known.then_some(SamplerWord(word | filter))
    }

    /// The word.
    #[must_use]
    pub fn bits(self) -> u32 {
        self.0
    }

    /// Whether coordinates run from 0 to 1 (`CLK_NORMALIZED_COORDS_TRUE`).
    #[must_use]
    pub fn is_normalized(self) -> bool {
        self.0 & 1 != 0
    }

    /// The `CLK_ADDRESS_` macro's value.
    #[must_use]
    pub fn addressing(self) -> u32 {
        self.0 & 0xE
    }

    /// Whether it interpolates (`CLK_FILTER_LINEAR`).
    #[must_use]
    pub fn is_linear(self) -> bool {
        self.0 & 0x20 != 0
    }
}

/// Inputs that a Vulkan compute shader has; each is 3 lanes of `I32` unless said otherwise.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[expect(missing_docs)]
pub enum InputVariable {
    LocalInvocationId,
    WorkgroupId,
    NumWorkgroups,
    /// `I32`.
    LocalInvocationIndex,
    /// `I32`.
    SubgroupSize,
    /// `I32`.
    NumSubgroups,
    /// `I32`.
    SubgroupId,
    /// `I32`.
    SubgroupLocalInvocationId,
    /// The work-group size: specialisation constants or literals.
    WorkgroupSize,
    /// The work-group size that was asked for, which groups at the end of a launch may not reach: specialisation constants.
    EnqueuedWorkgroupSize,
}

/// What the source wants of a loop (`opencl_unroll_hint`, OpenCL C §6.13.5, and `#pragma unroll`). It changes no meaning.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum UnrollHint {
    /// Nothing.
    #[default]
    None,
    /// As many copies of the body as there are iterations.
    Full,
    /// So many copies of the body; with 1, the loop stays as it is.
    By(u32),
}

impl UnrollHint {
    /// This hint, or `other` if it says nothing.
    #[must_use]
    pub fn or(self, other: UnrollHint) -> UnrollHint {
        if self == UnrollHint::None { other } else { self }
    }
}

/// An operation.
///
/// The first part is what the front end makes. The second part ("target") appears when the translation lowers memory and
/// launch queries; the verifier can be told to refuse it.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Op {
    // --- arithmetic
    /// (a) → result.
    Unary(UnaryOp),
    /// (a, b) → result.
    Binary(BinaryOp),
    /// (a, b) → `Bool` or a vector of it.
    Compare(CompareOp),
    /// (a) → converted.
    Convert(ConvertOp),
    /// (condition, if true, if false) → result. The condition is `Bool`, or a vector of it with as many lanes as the
    /// result, which is of any type.
    Select,
    /// (…) → result; see [`MathOp`].
    Math(MathOp),

    // --- vectors
    /// (scalars, one a lane) → vector.
    Construct,
    /// (vector) → that lane.
    Extract(u8),
    /// (vector, index of any integer type) → that lane; any value if out of range.
    ExtractDynamic,
    /// (vector, scalar) → vector with that lane replaced.
    Insert(u8),
    /// (vector, scalar, index) → vector with that lane replaced.
    InsertDynamic,
    /// (a, b of one type) → lanes chosen from both: the mask has as many entries as the result has lanes, counting a's
    /// lanes, then b's; 255 is any value.
    Shuffle([u8; 16]),

    // --- memory
    /// () → private pointer to new memory that lives as long as the function's call and is the same each time that the
    /// instruction is executed in one call.
    Alloca {
        /// Size in bytes.
        size: u64,
        /// Alignment in bytes.
        align: u32,
    },
    /// (pointer) → value of any type that is in memory.
    Load {
        /// Alignment that the pointer is known to have, in bytes.
        align: u32,
        /// Not to be removed, doubled or merged.
        volatile: bool,
    },
    /// (pointer, value).
    Store {
        /// Alignment that the pointer is known to have, in bytes.
        align: u32,
        /// Not to be removed, doubled or merged.
        volatile: bool,
    },
    /// (destination, source): copies bytes; the two do not overlap, or are equal.
    MemoryCopy {
        /// Bytes.
        size: u64,
        /// Alignment of both pointers in bytes.
        align: u32,
    },
    /// (destination): clears bytes.
    MemoryZero {
        /// Bytes.
        size: u64,
        /// Alignment of the pointer in bytes.
        align: u32,
    },
    /// (base) → base plus a constant number of bytes.
    PointerOffset(i64),
    /// (base, index) → base + index × stride. The index is an integer of any width, sign-extended.
    PointerIndex {
        /// Bytes from one element to the next.
        stride: u64,
    },
    /// (generic pointer) → `I32`: 0 if it points to private memory, 1 to local, 2 to global memory; any of them for null.
    PointerSpace,
    /// (pointer, value) → old value.
    AtomicRmw {
        /// What is done.
        op: AtomicOp,
        /// Order.
        order: MemoryOrder,
        /// Scope.
        scope: Scope,
    },
    /// (pointer, expected, new) → old value.
    AtomicCompareExchange {
        /// Order on success.
        success: MemoryOrder,
        /// Order on failure.
        failure: MemoryOrder,
        /// Scope.
        scope: Scope,
    },
    /// (pointer) → value.
    AtomicLoad {
        /// Order.
        order: MemoryOrder,
        /// Scope.
        scope: Scope,
    },
    /// (pointer, value).
    AtomicStore {
        /// Order.
        order: MemoryOrder,
        /// Scope.
        scope: Scope,
    },
    /// (): every work-item of the scope arrives before one goes on. Convergent.
    Barrier {
        /// Who takes part.
        execution: Scope,
        /// Who sees the memory operations before it.
        memory: Scope,
        /// What memory.
        flags: FenceFlags,
    },
    /// (): orders memory operations of this work-item.
    Fence {
        /// Order.
        order: MemoryOrder,
        /// Scope.
        scope: Scope,
        /// What memory.
        flags: FenceFlags,
    },
    /// What a sub-group computes together; see [`SubGroupOp`].
    SubGroup(SubGroupOp),
    /// Image operations; see [`ImageOp`].
    Image(ImageOp),

    // --- launch and calls
    /// (dimension, or nothing) → integer; see [`WorkItemQuery`].
    WorkItem(WorkItemQuery),
    /// () → `I32`: the position of a kernel among those of the module, by which it is enqueued.
    KernelNumber(Func),
    /// (arguments) → the function's result, if any.
    Call(Func),
    /// (arguments, each the parameter's type or a vector of it) → a vector of the function's result: the function is
    /// called for each lane. Arguments that are no vectors are the same for all lanes.
    CallElementwise(Func),

    // --- structured control flow
    /// (condition); regions: then, else. A region ends with an exit from this `if`, or elsewhere.
    If,
    /// (initial values); regions: body, continuing. The body's parameters are the values carried round the loop, first the
    /// initial values. [`Op::Continue`] enters the continuing region with values for its parameters; that region ends with
    /// [`Op::NextIteration`], or elsewhere. An exit from the loop gives its results.
    Loop(UnrollHint),
    /// (selector, an integer); regions: one for each entry of the list, then the default one. An entry holds the labels, as
    /// bit patterns of the selector's type, that lead to its region.
    Switch(Box<[Box<[u64]>]>),
    /// (); region: body. Executed once; an exit leaves it.
    Block,
    /// (results of the target): leaves the enclosing `if`, `loop`, `switch` or `block`.
    Exit(Inst),
    /// (parameters of the continuing region): enters the continuing region of the enclosing loop.
    Continue(Inst),
    /// (values carried): ends the continuing region, back to the body.
    NextIteration,
    /// (the result, if any): leaves the function.
    Return,
    /// (): is never reached.
    Unreachable,
    /// () → the sampler that the program declares with these properties.
    ProgramSampler(SamplerWord),
    /// (sampler) → `I32`: its properties, as [`SamplerWord`] has them.
    SamplerWord,
    /// (image or sampler) → `I32`: the number by which a kernel passes it on to a block that it enqueues.
    HandleNumber,
    /// () → pointer to a buffer that the host provides, in private memory for that of [`ImplicitBuffer::PrivateMemory`], else
    /// in global memory.
    ImplicitBuffer(ImplicitBuffer),

    // --- target
    /// () → an input of the shader.
    Input(InputVariable),
    /// () → a value of any scalar or vector type at this byte offset of the push constants.
    PushConstant {
        /// Byte offset.
        offset: u32,
    },
    /// (index of `I32`) → pointer to that element of a variable; a load or store through it is of the element type.
    ElementPointer(Variable),
    /// (address, an `I64`) → pointer with a physical address.
    PhysicalPointer(AddressSpace),
    /// () → the image at this binding of descriptor set 0.
    ImageBinding {
        /// Descriptor binding.
        binding: u32,
    },
    /// () → the sampler at this binding of descriptor set 0.
    SamplerBinding {
        /// Descriptor binding.
        binding: u32,
    },
}

impl Op {
    /// Whether it ends a region.
    #[must_use]
    pub fn is_terminator(&self) -> bool {
        matches!(self, Op::Exit(_) | Op::Continue(_) | Op::NextIteration | Op::Return | Op::Unreachable)
    }

    /// Whether it owns regions.
    #[must_use]
    pub fn has_regions(&self) -> bool {
        matches!(self, Op::If | Op::Loop(_) | Op::Switch(_) | Op::Block)
    }

    /// Whether it is a loop.
    #[must_use]
    pub fn is_loop(&self) -> bool {
        matches!(self, Op::Loop(_))
    }

    /// Whether its only effect is its results, which depend on nothing but its operands: such an instruction may be
    /// removed if unused, merged with an equal one, and moved. Loads are not pure.
    #[must_use]
    pub fn is_pure(&self) -> bool {
        matches!(
            self,
            Op::Unary(_)
                | Op::Binary(_)
                | Op::Compare(_)
                | Op::Convert(_)
                | Op::Select
                | Op::Math(_)
                | Op::Construct
                | Op::Extract(_)
                | Op::ExtractDynamic
                | Op::Insert(_)
                | Op::InsertDynamic
                | Op::Shuffle(_)
                | Op::PointerOffset(_)
                | Op::PointerIndex { .. }
                | Op::PointerSpace
                | Op::WorkItem(_)
                | Op::KernelNumber(_)
                | Op::ProgramSampler(_)
                | Op::SamplerWord
                | Op::HandleNumber
                | Op::ImplicitBuffer(_)
                | Op::Input(_)
                | Op::PushConstant { .. }
                | Op::ElementPointer(_)
                | Op::PhysicalPointer(_)
                | Op::ImageBinding { .. }
                | Op::SamplerBinding { .. }
                | Op::Image(
                    ImageOp::Width | ImageOp::Height | ImageOp::Depth | ImageOp::ArraySize | ImageOp::Info
                )
        )
    }

    /// Whether it may be removed if none of its results is used.
    #[must_use]
    pub fn is_removable(&self) -> bool {
        self.is_pure()
            || matches!(
                self,
                Op::Alloca { .. }
                    | Op::Load { volatile: false, .. }
                    | Op::Image(ImageOp::SampledRead | ImageOp::Read { .. })
            )
    }

    /// Whether every work-item of a group must execute it together, so that it may not move into or out of flow that
    /// only some of them follow.
    #[must_use]
    pub fn is_convergent(&self) -> bool {
        matches!(self, Op::Barrier { .. } | Op::SubGroup(_))
    }

    /// Whether it belongs to the target part: the front end does not make it.
    #[must_use]
    pub fn is_target(&self) -> bool {
        matches!(
            self,
            Op::Input(_)
                | Op::PushConstant { .. }
                | Op::ElementPointer(_)
                | Op::PhysicalPointer(_)
                | Op::ImageBinding { .. }
                | Op::SamplerBinding { .. }
        )
    }
}
