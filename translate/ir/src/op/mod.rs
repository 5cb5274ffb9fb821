//! The operations, and what each means. [`Op`] is the manual of the IR; the modules hold the attributes of
//! its families.
//!
//! An operation's immediate attributes are in the variant; its operands, results and regions are in
//! [`InstData`](crate::InstData), in the order given here. Unless stated otherwise, operands and result of
//! arithmetic have one type, a scalar or a vector, and vectors work lane by lane.

mod access;
mod arithmetic;
mod group;
mod image;
mod matrix;
mod memory;

use crate::{AddressSpace, Func, Inst, Variable};
use clvk_interface::ImplicitBuffer;
use serde::{Deserialize, Serialize};

pub use access::AccessOp;
pub use arithmetic::{BinaryOp, CompareOp, ConvertOp, FastMath, MathOp, PackedDot, RoundingMode, UnaryOp};
pub use group::{GroupArithmetic, SubGroupOp, WorkItemQuery};
pub use image::{ImageOp, SamplerWord};
pub use matrix::{MatrixLayout, MatrixOp, MatrixSigns};
pub use memory::{AtomicOp, FenceFlags, MemoryOrder, Scope};

/// Inputs of a Vulkan compute shader; each is 3 lanes of `I32` unless stated otherwise.
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
    /// The work-group size that was asked for, which groups at the ends of a launch may not reach:
    /// specialisation constants.
    EnqueuedWorkgroupSize,
    /// The number of dimensions of the launch, `I32`: a specialisation constant (hosts of clspv only).
    WorkDim,
    /// The launch's global offset: specialisation constants (hosts of clspv only).
    GlobalOffset,
    /// The arguments whose memory the sanitizer does not watch, `I32`: a specialisation constant.
    Unwatched,
    /// The accesses that the sanitizer does not check in a launch, `I32`: a specialisation constant.
    Inside,
    /// All ones, or 0 in launches whose offsets are all 0, `I32`: a specialisation constant.
    OffsetMask,
}

/// The source's wish for a loop (`opencl_unroll_hint`, OpenCL C §6.13.5, and `#pragma unroll`). It does not
/// change the meaning.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum UnrollHint {
    /// Nothing.
    #[default]
    None,
    /// As many copies of the body as there are iterations.
    Full,
    /// That many copies of the body; with 1, the loop stays as it is.
    By(u32),
    /// Not the source's wish: copies of the body, which is one of the source's iterations, would be in vain.
    Kept,
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
/// The front end makes operations of the first part. The second part ("target") appears when the translation
/// lowers memory and launch queries; the verifier can be told to refuse it.
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
    /// (condition, if true, if false) → result, of any type. The condition is `Bool`, or a vector of it with
    /// as many lanes as the result.
    Select,
    /// (…) → result; see [`MathOp`].
    Math(MathOp),

    /// (integer or vector) → the same: the result of a shift, or of a sum, difference, product or negation of
    /// signed numbers, that the source writes. The sanitizer checks how it is made.
    Checked,
    /// (a, b of `I32`, four bytes each) → `I32`: the sum of the products of the bytes.
    PackedDot(PackedDot),

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
    /// (a, b of one type) → lanes chosen from both. The mask has one entry for each lane of the result, which
    /// counts a's lanes, then b's; 255 is any value.
    Shuffle([u8; 16]),

    // --- memory
    /// () → private pointer to new memory, which lives as long as the call of the function. Repeated
    /// execution in one call gives the same memory.
    Alloca {
        /// Size in bytes.
        size: u64,
        /// Alignment in bytes.
        align: u32,
    },
    /// (pointer) → value of any type that can be in memory.
    Load {
        /// Known alignment of the pointer, in bytes.
        align: u32,
        /// Must not be removed, duplicated or merged.
        volatile: bool,
    },
    /// (pointer, value).
    Store {
        /// Known alignment of the pointer, in bytes.
        align: u32,
        /// Must not be removed, duplicated or merged.
        volatile: bool,
    },
    /// (destination, source): copies bytes; the two do not overlap, or are the same.
    MemoryCopy {
        /// Number of bytes.
        size: u64,
        /// Alignment of both pointers in bytes.
        align: u32,
    },
    /// (destination): fills bytes with zeros.
    MemoryZero {
        /// Number of bytes.
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
    /// (pointer) → the same pointer. The program does not use it to reach anything outside of this many bytes
    /// from there, which the sanitizer checks.
    Within(u64),
    /// (pointer, other pointer) → the first one. An expression of the source accesses bytes at both, without
    /// an order, and changes some. The sanitizer checks that they are not the same.
    Apart {
        /// The first byte at the pointer, and the one after the last.
        own: [u32; 2],
        /// The same at the other one.
        other: [u32; 2],
        /// Whether both are changed.
        twice: bool,
    },
    /// Checks of accesses for the sanitizer; see [`AccessOp`]. The accesses are aligned as their size.
    Access {
        /// Which one.
        op: AccessOp,
        /// The bytes of each access, a power of two.
        size: u32,
        /// Whether they write.
        writes: bool,
    },
    /// (generic pointer) → `I32`: 0 if it points to private memory, 1 to local, 2 to global memory; any of
    /// them for null.
    PointerSpace,
    /// (pointer, value) → old value.
    AtomicRmw {
        /// The read-modify-write operation.
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
    /// (): every work-item of the scope arrives before any continues. Convergent.
    Barrier {
        /// The work-items that take part.
        execution: Scope,
        /// The work-items that see earlier memory operations.
        memory: Scope,
        /// The memory that it orders.
        flags: FenceFlags,
    },
    /// (): orders memory operations of this work-item.
    Fence {
        /// Order.
        order: MemoryOrder,
        /// Scope.
        scope: Scope,
        /// The memory that it orders.
        flags: FenceFlags,
    },
    /// Operations of a sub-group; see [`SubGroupOp`].
    SubGroup(SubGroupOp),
    /// () → low and high word, two lanes of `I32`, of a counter shared by the work-items of this scope: the
    /// device or a sub-group.
    ReadClock(Scope),
    /// Image operations; see [`ImageOp`].
    Image(ImageOp),
    /// Operations on cooperative matrices; see [`MatrixOp`].
    Matrix(MatrixOp),

    // --- launch and calls
    /// (dimension, or nothing) → integer; see [`WorkItemQuery`].
    WorkItem(WorkItemQuery),
    /// () → `I32`: the position of a kernel among the module's kernels, which identifies it when it is
    /// enqueued.
    KernelNumber(Func),
    /// () → `I32`: the number that identifies this one of the module's
    /// [`print_formats`](crate::Module::print_formats) in a record.
    PrintNumber(u32),
    /// (pointer) → `I32`: the word of a string in a record of `printf`: its length, which is at most `limit`,
    /// or a larger number for a string that is known at compile time
    /// ([`STRING_TABLE`](clvk_interface::print::STRING_TABLE)) or a null pointer. Reads memory.
    StringWord {
        /// The most bytes that are searched for the string's end.
        limit: u32,
    },
    /// (arguments) → the function's result, if any.
    Call(Func),
    /// (arguments, each the parameter's type or a vector of it) → a vector of the function's result. The
    /// function is called for each lane; scalar arguments are the same for all lanes.
    CallElementwise(Func),

    // --- structured control flow
    /// (condition); regions: then, else. A region ends with an exit from this `if`, or with another jump.
    If,
    /// (initial values); regions: body, continuing. The body's parameters are the values carried round the
    /// loop, in the first iteration the initial values. [`Op::Continue`] enters the continuing region with
    /// values for its parameters; that region ends with [`Op::NextIteration`], or with another jump. An exit
    /// from the loop gives its results.
    Loop(UnrollHint),
    /// (selector, an integer); regions: one for each entry of the list, then the default one. An entry holds
    /// the labels that lead to its region, as bit patterns of the selector's type.
    Switch(Box<[Box<[u64]>]>),
    /// (); region: body. Executed once; an exit leaves it.
    Block,
    /// (results of the target): leaves the enclosing `if`, `loop`, `switch` or `block`.
    Exit(Inst),
    /// (parameters of the continuing region): enters the continuing region of the enclosing loop.
    Continue(Inst),
    /// (values carried): ends the continuing region and returns to the body.
    NextIteration,
    /// (the result, if any): leaves the function.
    Return,
    /// (): is never executed.
    Unreachable,
    /// () → a sampler that the program declares, with these properties.
    ProgramSampler(SamplerWord),
    /// (sampler) → `I32`: its properties, encoded as in [`SamplerWord`].
    SamplerWord,
    /// (image or sampler) → `I32`: the number with which a kernel passes it to a block that it enqueues.
    HandleNumber,
    /// () → pointer to a buffer that the host provides. It is a private pointer for
    /// [`ImplicitBuffer::PrivateMemory`], and a global one otherwise.
    ImplicitBuffer(ImplicitBuffer),

    // --- target
    /// () → an input of the shader.
    Input(InputVariable),
    /// () → a value of any scalar or vector type at this byte offset of the push constants.
    PushConstant {
        /// Byte offset.
        offset: u32,
    },
    /// (index of `I32`, or index and lane of `I32`) → pointer to that element of a variable, or to a lane of
    /// the element, a vector in local memory. Loads and stores through it have the type of the element or of
    /// the lane.
    ElementPointer(Variable),
    /// (address, an `I64`) → pointer with a physical address.
    PhysicalPointer(AddressSpace),
    /// () → an image.
    ImageBinding {
        /// Descriptor set and binding ([`descriptor`](crate::descriptor)).
        binding: u32,
    },
    /// () → a sampler.
    SamplerBinding {
        /// Descriptor set and binding ([`descriptor`](crate::descriptor)).
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

    /// Whether its only effect is its results, which depend only on its operands. Such an instruction may be
    /// removed if unused, merged with an equal one, and moved. Loads are not pure.
    #[must_use]
    pub fn is_pure(&self) -> bool {
        self.is_computation()
            || matches!(
                self,
                Op::PointerOffset(_)
                    | Op::PointerIndex { .. }
                    | Op::Within(_)
                    | Op::Apart { .. }
                    | Op::Access { op: AccessOp::Fits | AccessOp::Done, .. }
                    | Op::PointerSpace
                    | Op::WorkItem(_)
                    | Op::KernelNumber(_)
                    | Op::PrintNumber(_)
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
                    | Op::Image(ImageOp::Query(_))
            )
    }

    /// Whether it makes numbers of its operands, as arithmetic, conversions and the like do, and does nothing
    /// else.
    #[must_use]
    pub fn is_computation(&self) -> bool {
        matches!(
            self,
            Op::Unary(_)
                | Op::Binary(_)
                | Op::Compare(_)
                | Op::Convert(_)
                | Op::Select
                | Op::Math(_)
                | Op::Checked
                | Op::PackedDot(_)
                | Op::Construct
                | Op::Extract(_)
                | Op::ExtractDynamic
                | Op::Insert(_)
                | Op::InsertDynamic
                | Op::Shuffle(_)
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
                    | Op::Image(ImageOp::SampledRead | ImageOp::SampledTexel | ImageOp::Read { .. })
            )
            || matches!(self, Op::Matrix(op) if !matches!(op, MatrixOp::Store(_)))
    }

    /// Whether it writes to memory, or has another effect, by itself.
    #[must_use]
    pub fn has_effect(&self) -> bool {
        !(self.is_removable() || self.has_regions() || self.is_terminator())
    }

    /// Whether every work-item of a group must execute it together, so it may not move into or out of
    /// divergent flow.
    #[must_use]
    pub fn is_convergent(&self) -> bool {
        matches!(self, Op::Barrier { .. } | Op::SubGroup(_) | Op::Matrix(_))
    }

    /// Whether it may be executed wherever its operands are known, even if its results are not used.
    #[must_use]
    pub fn is_movable(&self) -> bool {
        self.is_pure() && !self.is_convergent()
    }

    /// Whether it belongs to the target part, which the front end does not make.
    #[must_use]
    pub(crate) fn is_target(&self) -> bool {
        matches!(
            self,
            Op::Unary(UnaryOp::HighestBit | UnaryOp::LowestBit)
                | Op::Math(MathOp::FClamp)
                | Op::Input(_)
                | Op::PushConstant { .. }
                | Op::ElementPointer(_)
                | Op::PhysicalPointer(_)
                | Op::ImageBinding { .. }
                | Op::SamplerBinding { .. }
        )
    }
}
