//! The intermediate representation of clvk: structured SSA.
//!
//! # The idea
//! A [`Module`] holds functions and module-scope variables. A [`Function`] is a tree of regions: `if`,
//! `loop`, `switch` and `block` are instructions that own regions, and values leave a region as the results
//! of the instruction that owns it. There are no basic blocks, no phis and no irreducible graphs, so that
//! SPIR-V's merge rules hold by construction and the convergence of the source survives every pass.
//!
//! # Invariants (the verifier checks them)
//! - Every [`Value`] has one definition: a parameter of the function or of a region, a result of an
//!   instruction, a constant, or the address of a module-scope variable. A definition dominates its uses: a
//!   use comes later in the same region or in a region nested in it. What a region computes is visible
//!   outside only as a result.
//! - Every region ends with exactly one terminator ([`Op::is_terminator`]), and has none before its end.
//! - [`Op::Exit`] and [`Op::Continue`] name an instruction that encloses them; the operands match its
//!   results, or the parameters of its continuing region.
//! - Values are scalars, vectors of 2, 3, 4, 8 or 16 lanes, pointers, images and samplers. Aggregates
//!   exist only in memory, as bytes: structure copies are [`Op::MemoryCopy`].
//! - Pointers are opaque: they have an address space but no pointee type. Address arithmetic is
//!   [`Op::PointerOffset`] and [`Op::PointerIndex`] in bytes; loads and stores carry type, alignment and
//!   volatility. Memory lowering recovers the typed view of a variable from its uses.
//! - Integers have no sign; operations do. `Bool` is only for conditions: it is never in memory.
//!
//! The meaning of each operation equals that of its counterpart in OpenCL SPIR-V, if there is one.
//!
//! # Where things are
//! [`Op`] is the list of operations and their manual. [`Builder`] makes functions. [`text`] prints and
//! parses the text form. [`structurize`] makes regions of a control-flow graph. [`verify`] checks the
//! invariants. [`merge`](mod@merge) links modules. [`KnownBits`] tells what is known of integers, and
//! [`KnownSigns`] what is known of floating-point numbers. [`container`] serialises the built-in library so
//! that it loads function by function. Not here: anything that changes a function (that is
//! `clvk-translate`), layout of C types (the front end).
#![forbid(unsafe_code)]

mod builder;
mod constant;
mod entity;
mod function;
mod known_bits;
mod known_signs;
mod merge;
mod module;
mod op;
mod span;
mod types;

pub mod container;
pub mod descriptor;
pub mod fold;
pub mod structurize;
pub mod text;
pub mod verify;

pub use builder::Builder;
pub use clvk_interface::ProgramHook;
pub use constant::Constant;
pub use entity::{Arena, Block, EntityId, Func, Global, Inst, Region, Value, Variable};
pub use function::{ElementCount, VariableData, VariableSpace};
pub use function::{
    Function, InstData, KernelInfo, KernelParam, KernelParamKind, RegionData, Room, ValueData, ValueDef,
};
pub use known_bits::{Bits, KnownBits};
pub use known_signs::{KnownSigns, Signs};
pub use merge::{merge, merge_with_spans};
pub use module::{GlobalData, Initializer, Linkage, Module, PRINT_FUNCTION, Relocation, WORK_GROUP_SCRATCH};
pub use op::{
    AccessOp, AtomicOp, BinaryOp, CompareOp, ConvertOp, FastMath, FenceFlags, GroupArithmetic, ImageOp,
    InputVariable, MathOp, MatrixLayout, MatrixOp, MatrixSigns, MemoryOrder, Op, PackedDot, RoundingMode,
    SamplerWord, Scope, SubGroupOp, UnaryOp, UnrollHint, WorkItemQuery,
};
pub use span::Span;
pub use types::{
    AddressSpace, ElementType, ImageDimension, ImageType, MatrixType, MatrixUse, SampledType, Scalar, Type,
    sign_extend,
};
