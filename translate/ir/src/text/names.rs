//! The words of the text form: one for each variant of the enumerations without data.
//!
//! The tables are exhaustive matches, so a new variant without a word does not compile.

use crate::{
    AccessOp, AddressSpace, AtomicOp, BinaryOp, CompareOp, ConvertOp, FastMath, FenceFlags, GroupArithmetic,
    ImageDimension, ImageOp, InputVariable, MathOp, MatrixLayout, MatrixOp, MatrixSigns, MatrixUse,
    MemoryOrder, Op, PackedDot, RoundingMode, SampledType, Scalar, Scope, SubGroupOp, UnaryOp, WorkItemQuery,
};
use clvk_interface::{ImageQuery, ImplicitBuffer, PrintKind};
use rustc_hash::FxHashMap;
use std::sync::LazyLock;

/// An enumeration whose variants have words.
pub(super) trait Words: Copy + 'static {
    /// Every variant.
    const ALL: &'static [Self];
    /// The word of a variant.
    fn word(self) -> &'static str;
    /// The variant of a word.
    fn from_word(word: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|variant| variant.word() == word)
    }
}

macro_rules! words {
    ($($ty:ident { $($variant:ident => $word:literal),* $(,)? })*) => {$(
        impl Words for $ty {
            const ALL: &'static [Self] = &[$($ty::$variant),*];
            fn word(self) -> &'static str {
                match self { $($ty::$variant => $word),* }
            }
        }
    )*};
}

words! {
    Scalar {
        Bool => "bool", I8 => "i8", I16 => "i16", I32 => "i32", I64 => "i64", F16 => "f16", F32 => "f32", F64 => "f64",
    }
    AddressSpace {
        Private => "private", Local => "local", Global => "global", Constant => "constant", Generic => "generic",
    }
    ImageDimension {
        D1 => "d1", D1Array => "d1array", D1Buffer => "d1buffer", D2 => "d2", D2Array => "d2array", D3 => "d3",
        D2Depth => "d2depth", D2ArrayDepth => "d2arraydepth",
    }
    PrintKind {
        Char => "char", Short => "short", Int => "int", Long => "long", Pointer => "pointer", Half => "half",
        Float => "float", Double => "double",
    }
    AccessOp { Fits => "fits", Check => "check", Note => "note", Done => "done" }
    MatrixUse { A => "a", B => "b", Accumulator => "c" }
    MatrixLayout { RowMajor => "row_major", ColumnMajor => "column_major" }
    SampledType { Unknown => "unknown", Float => "float", Sint => "sint", Uint => "uint" }
    UnaryOp {
        Neg => "neg", Not => "not", FNeg => "fneg", PopCount => "popcount", CountLeadingZeros => "clz",
        CountTrailingZeros => "ctz", HighestBit => "highest_bit", LowestBit => "lowest_bit",
    }
    BinaryOp {
        Add => "add", Sub => "sub", Mul => "mul", SDiv => "sdiv", UDiv => "udiv", SRem => "srem", URem => "urem",
        Shl => "shl", LShr => "lshr", AShr => "ashr", And => "and", Or => "or", Xor => "xor", SMin => "smin",
        SMax => "smax", UMin => "umin", UMax => "umax", SMulHi => "smulhi", UMulHi => "umulhi", FAdd => "fadd",
        FSub => "fsub", FMul => "fmul", FDiv => "fdiv",
    }
    CompareOp {
        Eq => "eq", Ne => "ne", SLt => "slt", SLe => "sle", SGt => "sgt", SGe => "sge", ULt => "ult", ULe => "ule",
        UGt => "ugt", UGe => "uge", FOEq => "foeq", FONe => "fone", FOLt => "folt", FOLe => "fole", FOGt => "fogt",
        FOGe => "foge", FUEq => "fueq", FUNe => "fune", FULt => "fult", FULe => "fule", FUGt => "fugt",
        FUGe => "fuge", FOrd => "ford", FUno => "funo",
    }
    RoundingMode { NearestEven => "rte", TowardZero => "rtz", TowardPositive => "rtp", TowardNegative => "rtn" }
    MathOp {
        FAbs => "fabs", FMin => "fmin", FMax => "fmax", Floor => "floor", Ceil => "ceil", Trunc => "trunc",
        RoundEven => "rint", Fma => "fma", FClamp => "fclamp", CopySign => "copysign", Sqrt => "sqrt", IsNan => "isnan", IsInf => "isinf", NeverPositive => "never_positive",
        NativeRsqrt => "native_rsqrt", NativeSqrt => "native_sqrt", NativeExp2 => "native_exp2",
        NativeExp => "native_exp", NativeLog => "native_log", NativeLog2 => "native_log2", NativeSin => "native_sin", NativeCos => "native_cos",
        NativeDivide => "native_divide", Dot => "dot",
    }
    WorkItemQuery {
        WorkDim => "work_dim", GlobalSize => "global_size", GlobalId => "global_id", LocalSize => "local_size",
        EnqueuedLocalSize => "enqueued_local_size", LocalId => "local_id", NumGroups => "num_groups",
        GroupId => "group_id", GlobalOffset => "global_offset", GlobalLinearId => "global_linear_id",
        LocalLinearId => "local_linear_id", DispatchLinearId => "dispatch_linear_id",
        SubGroupSize => "sub_group_size", MaxSubGroupSize => "max_sub_group_size",
        NumSubGroups => "num_sub_groups", EnqueuedNumSubGroups => "enqueued_num_sub_groups",
        SubGroupId => "sub_group_id", SubGroupLocalId => "sub_group_local_id",
        CommandNumber => "command_number", Zero => "zero",
    }
    MemoryOrder {
        Relaxed => "relaxed", Acquire => "acquire", Release => "release", AcquireRelease => "acq_rel",
        SequentiallyConsistent => "seq_cst",
    }
    Scope {
        WorkItem => "workitem", SubGroup => "subgroup", WorkGroup => "workgroup", Device => "device",
        AllDevices => "all_devices",
    }
    AtomicOp {
        Exchange => "exchange", Add => "add", Sub => "sub", And => "and", Or => "or", Xor => "xor", SMin => "smin",
        SMax => "smax", UMin => "umin", UMax => "umax", FAdd => "fadd", FMin => "fmin", FMax => "fmax",
    }
    PackedDot { Unsigned => "unsigned", Signed => "signed", Mixed => "mixed" }
    GroupArithmetic {
        Add => "add", FAdd => "fadd", Mul => "mul", FMul => "fmul", SMin => "smin", UMin => "umin", FMin => "fmin",
        SMax => "smax", UMax => "umax", FMax => "fmax", And => "and", Or => "or", Xor => "xor",
    }
    ImageQuery {
        Format => "format", Width => "width", Height => "height", Depth => "depth", ArraySize => "array_size",
        Levels => "levels",
    }
    ImplicitBuffer {
        ProgramVariables => "program_variables", Print => "print", PrivateMemory => "private_memory",
        DeviceQueue => "device_queue",
        LoopWatch => "loop_watch",
        Bounds => "bounds",
        Reports => "reports",
        Shadow => "shadow",
    }
    InputVariable {
        LocalInvocationId => "local_invocation_id", WorkgroupId => "workgroup_id", NumWorkgroups => "num_workgroups",
        LocalInvocationIndex => "local_invocation_index", SubgroupSize => "subgroup_size",
        NumSubgroups => "num_subgroups", SubgroupId => "subgroup_id",
        SubgroupLocalInvocationId => "subgroup_local_invocation_id", WorkgroupSize => "workgroup_size",
        EnqueuedWorkgroupSize => "enqueued_workgroup_size", WorkDim => "work_dim",
        GlobalOffset => "global_offset", Unwatched => "unwatched", Inside => "inside", OffsetMask => "offset_mask",
    }
}

/// The words of the fast-math flags.
pub(super) const FAST_MATH: [(FastMath, &str); 7] = [
    (FastMath::CONTRACT, "contract"),
    (FastMath::REASSOCIATE, "reassoc"),
    (FastMath::NO_NAN, "nnan"),
    (FastMath::NO_INF, "ninf"),
    (FastMath::NO_SIGNED_ZERO, "nsz"),
    (FastMath::RECIPROCAL, "recip"),
    (FastMath::APPROXIMATE, "approx"),
];

/// The words of the fence flags.
pub(super) const FENCE_FLAGS: [(FenceFlags, &str); 3] =
    [(FenceFlags::LOCAL, "local"), (FenceFlags::GLOBAL, "global"), (FenceFlags::IMAGE, "image")];

/// A lane in the mask of a shuffle; one that does not matter has no number.
pub(super) fn mask_lane(lane: &u8) -> String {
    if *lane == u8::MAX { "_".into() } else { lane.to_string() }
}

/// Whether fast-math flags affect an operation: only then are they printed.
pub(super) fn carries_fast_math(op: &Op) -> bool {
    match op {
        Op::Unary(op) => matches!(op, UnaryOp::FNeg),
        Op::Binary(op) => {
            matches!(op, BinaryOp::FAdd | BinaryOp::FSub | BinaryOp::FMul | BinaryOp::FDiv)
        }
        Op::Compare(op) => op.word().starts_with('f'),
        Op::Math(_) | Op::Call(_) | Op::CallElementwise(_) | Op::Select => true,
        Op::Convert(op) => matches!(op, ConvertOp::Float(_)),
        _ => false,
    }
}

fn convert_name(op: ConvertOp) -> String {
    match op {
        ConvertOp::Truncate => "truncate".into(),
        ConvertOp::ZeroExtend => "zext".into(),
        ConvertOp::SignExtend => "sext".into(),
        ConvertOp::SignedToFloat(rounding) => format!("sitof.{}", rounding.word()),
        ConvertOp::UnsignedToFloat(rounding) => format!("uitof.{}", rounding.word()),
        ConvertOp::FloatToSigned { saturating: false } => "ftosi".into(),
        ConvertOp::FloatToSigned { saturating: true } => "ftosi.sat".into(),
        ConvertOp::FloatToUnsigned { saturating: false } => "ftoui".into(),
        ConvertOp::FloatToUnsigned { saturating: true } => "ftoui.sat".into(),
        ConvertOp::Float(rounding) => format!("fconvert.{}", rounding.word()),
        ConvertOp::Bitcast => "bitcast".into(),
        ConvertOp::PointerToInt => "ptrtoint".into(),
        ConvertOp::IntToPointer => "inttoptr".into(),
        ConvertOp::AddressSpace => "addrspacecast".into(),
    }
}

fn sub_group_name(op: SubGroupOp) -> String {
    match op {
        SubGroupOp::All => "subgroup.all".into(),
        SubGroupOp::Any => "subgroup.any".into(),
        SubGroupOp::Elect => "subgroup.elect".into(),
        SubGroupOp::Ballot => "subgroup.ballot".into(),
        SubGroupOp::Broadcast => "subgroup.broadcast".into(),
        SubGroupOp::BroadcastFirst => "subgroup.broadcast_first".into(),
        SubGroupOp::Shuffle => "subgroup.shuffle".into(),
        SubGroupOp::Reduce(op) => format!("subgroup.reduce.{}", op.word()),
        SubGroupOp::InclusiveScan(op) => format!("subgroup.inclusive_scan.{}", op.word()),
        SubGroupOp::ExclusiveScan(op) => format!("subgroup.exclusive_scan.{}", op.word()),
        SubGroupOp::ClusteredReduce(op) => format!("subgroup.clustered_reduce.{}", op.word()),
    }
}

/// Every operation of sub-groups.
fn all_of_sub_groups() -> impl Iterator<Item = SubGroupOp> {
    let plain = [
        SubGroupOp::All,
        SubGroupOp::Any,
        SubGroupOp::Elect,
        SubGroupOp::Ballot,
        SubGroupOp::Broadcast,
        SubGroupOp::BroadcastFirst,
        SubGroupOp::Shuffle,
    ];
    let arithmetic = GroupArithmetic::ALL.iter().flat_map(|&op| {
        [
            SubGroupOp::Reduce(op),
            SubGroupOp::InclusiveScan(op),
            SubGroupOp::ExclusiveScan(op),
            SubGroupOp::ClusteredReduce(op),
        ]
    });
    plain.into_iter().chain(arithmetic)
}

/// The signs of a multiplication's matrices: `ssu` for signed factors and an unsigned result.
fn signs_name(signs: MatrixSigns) -> String {
    [signs.a, signs.b, signs.c].into_iter().map(|signed| if signed { 's' } else { 'u' }).collect()
}

fn matrix_name(op: MatrixOp) -> String {
    match op {
        MatrixOp::Load(layout) => format!("matrix.load.{}", layout.word()),
        MatrixOp::Store(layout) => format!("matrix.store.{}", layout.word()),
        MatrixOp::MulAdd(signs) => format!("matrix.muladd.{}", signs_name(signs)),
        MatrixOp::Fill => "matrix.fill".into(),
        MatrixOp::Length => "matrix.length".into(),
        MatrixOp::Extract => "matrix.extract".into(),
        MatrixOp::Insert => "matrix.insert".into(),
        MatrixOp::Unary(op) => format!("matrix.{}", op.word()),
        MatrixOp::Binary(op) => format!("matrix.{}", op.word()),
        MatrixOp::Scale => "matrix.scale".into(),
        MatrixOp::Convert(op) => format!("matrix.{}", convert_name(op)),
    }
}

/// The operations by element of two matrices.
const MATRIX_BINARY: [BinaryOp; 9] = {
    use BinaryOp::{Add, FAdd, FDiv, FMul, FSub, Mul, SDiv, Sub, UDiv};
    [Add, Sub, Mul, SDiv, UDiv, FAdd, FSub, FMul, FDiv]
};

/// Whether a conversion is one of numbers.
fn is_of_elements(op: &ConvertOp) -> bool {
    !matches!(op, ConvertOp::PointerToInt | ConvertOp::IntToPointer | ConvertOp::AddressSpace)
}

/// Every operation on matrices.
fn all_of_matrices() -> impl Iterator<Item = MatrixOp> {
    let layouts =
        MatrixLayout::ALL.iter().flat_map(|&layout| [MatrixOp::Load(layout), MatrixOp::Store(layout)]);
    let signs = (0..8).map(|bits| MatrixSigns { a: bits & 1 != 0, b: bits & 2 != 0, c: bits & 4 != 0 });
    layouts
        .chain(signs.map(MatrixOp::MulAdd))
        .chain([MatrixOp::Fill, MatrixOp::Length, MatrixOp::Extract, MatrixOp::Insert, MatrixOp::Scale])
        .chain([UnaryOp::Neg, UnaryOp::FNeg].map(MatrixOp::Unary))
        .chain(MATRIX_BINARY.iter().copied().map(MatrixOp::Binary))
        .chain(all_conversions().filter(is_of_elements).map(MatrixOp::Convert))
}

/// Makes [`mnemonic`], the table [`PLAIN`] and the list [`FORMED`] of the operations. A new operation does
/// not compile until it is in one of the groups.
macro_rules! operations {
    (
        plain { $($plain:path => $plain_word:literal,)* }
        families { $($family:pat => $name:expr, $all:expr;)* }
        formed { $($formed:pat => $word:literal,)* }
    ) => {
        /// The first word of an operation.
        pub(super) fn mnemonic(op: &Op) -> String {
            match op {
                $($plain => $plain_word.to_owned(),)*
                $($formed => $word.to_owned(),)*
                $($family => $name,)*
            }
        }

        /// The operations that are their first word and operands, without anything else.
        static PLAIN: LazyLock<FxHashMap<String, Op>> = LazyLock::new(|| {
            let mut ops: Vec<Op> = vec![$($plain),*];
            $(ops.extend($all);)*
            ops.into_iter().map(|op| (mnemonic(&op), op)).collect()
        });

        /// The words of the operations that have a form of their own.
        const FORMED: &[&str] = &[$($word),*];
    };
}

operations! {
    // A word and operands.
    plain {
        Op::Select => "select",
        Op::Checked => "checked",
        Op::Construct => "construct",
        Op::ExtractDynamic => "extract_dynamic",
        Op::InsertDynamic => "insert_dynamic",
        Op::PointerSpace => "pointer_space",
        Op::NextIteration => "next",
        Op::Return => "return",
        Op::Unreachable => "unreachable",
        Op::SamplerWord => "sampler_word",
        Op::HandleNumber => "handle_number",
    }
    // The same, with the words of an enumeration; and all of its operations.
    families {
        Op::Unary(op) => op.word().to_owned(), UnaryOp::ALL.iter().copied().map(Op::Unary);
        Op::Binary(op) => op.word().to_owned(), BinaryOp::ALL.iter().copied().map(Op::Binary);
        Op::Compare(op) => op.word().to_owned(), CompareOp::ALL.iter().copied().map(Op::Compare);
        Op::Convert(op) => convert_name(*op), all_conversions().map(Op::Convert);
        Op::Math(op) => op.word().to_owned(), MathOp::ALL.iter().copied().map(Op::Math);
        Op::PackedDot(signs) => format!("packed_dot.{}", signs.word()), PackedDot::ALL.iter().copied().map(Op::PackedDot);
        Op::ReadClock(scope) => format!("clock.{}", scope.word()), [Scope::Device, Scope::SubGroup].map(Op::ReadClock);
        Op::SubGroup(op) => sub_group_name(*op), all_of_sub_groups().map(Op::SubGroup);
        Op::Matrix(op) => matrix_name(*op), all_of_matrices().map(Op::Matrix);
        Op::Image(ImageOp::Query(query)) => format!("image.{}", query.word()),
            ImageQuery::ALL.iter().map(|query| Op::Image(ImageOp::Query(*query)));
        Op::WorkItem(query) => format!("workitem.{}", query.word()), WorkItemQuery::ALL.iter().copied().map(Op::WorkItem);
        Op::ImplicitBuffer(buffer) => format!("implicit_buffer.{}", buffer.word()),
            ImplicitBuffer::ALL.iter().copied().map(Op::ImplicitBuffer);
        Op::Input(input) => format!("input.{}", input.word()), InputVariable::ALL.iter().copied().map(Op::Input);
        // Attributes follow the operands: a form of its own.
        Op::Access { op, .. } => format!("access.{}", op.word()), [];
        Op::AtomicRmw { op, .. } => format!("atomic.{}", op.word()), [];
    }
    // More than a word and operands: `text/print.rs` writes it, `text/parse/body.rs` reads it.
    formed {
        Op::Extract(_) => "extract",
        Op::Insert(_) => "insert",
        Op::Shuffle(_) => "shuffle",
        Op::Alloca { .. } => "alloca",
        Op::Load { .. } => "load",
        Op::Store { .. } => "store",
        Op::MemoryCopy { .. } => "memcpy",
        Op::MemoryZero { .. } => "memzero",
        Op::PointerOffset(_) => "offset",
        Op::PointerIndex { .. } => "index",
        Op::Within(_) => "within",
        Op::Apart { .. } => "apart",
        Op::AtomicCompareExchange { .. } => "atomic.compare_exchange",
        Op::AtomicLoad { .. } => "atomic.load",
        Op::AtomicStore { .. } => "atomic.store",
        Op::Barrier { .. } => "barrier",
        Op::Fence { .. } => "fence",
        Op::Image(ImageOp::SampledRead) => "image.sample",
        Op::Image(ImageOp::SampledTexel) => "image.sample_texel",
        Op::Image(ImageOp::Read { .. }) => "image.read",
        Op::Image(ImageOp::Write { .. }) => "image.write",
        Op::KernelNumber(_) => "kernel_number",
        Op::PrintNumber(_) => "print_number",
        Op::StringWord { .. } => "string_word",
        Op::Call(_) => "call",
        Op::CallElementwise(_) => "call_elementwise",
        Op::If => "if",
        Op::Loop(_) => "loop",
        Op::Switch(_) => "switch",
        Op::Block => "block",
        Op::Exit(_) => "exit",
        Op::Continue(_) => "continue",
        Op::ProgramSampler(_) => "program_sampler",
        Op::PushConstant { .. } => "push_constant",
        Op::ElementPointer(_) => "element_pointer",
        Op::PhysicalPointer(_) => "physical_pointer",
        Op::ImageBinding { .. } => "image_binding",
        Op::SamplerBinding { .. } => "sampler_binding",
    }
}

/// Every conversion, with every rounding.
fn all_conversions() -> impl Iterator<Item = ConvertOp> {
    let plain = [
        ConvertOp::Truncate,
        ConvertOp::ZeroExtend,
        ConvertOp::SignExtend,
        ConvertOp::FloatToSigned { saturating: false },
        ConvertOp::FloatToSigned { saturating: true },
        ConvertOp::FloatToUnsigned { saturating: false },
        ConvertOp::FloatToUnsigned { saturating: true },
        ConvertOp::Bitcast,
        ConvertOp::PointerToInt,
        ConvertOp::IntToPointer,
        ConvertOp::AddressSpace,
    ];
    let rounded = RoundingMode::ALL.iter().flat_map(|&rounding| {
        [ConvertOp::SignedToFloat(rounding), ConvertOp::UnsignedToFloat(rounding), ConvertOp::Float(rounding)]
    });
    plain.into_iter().chain(rounded)
}

/// The operation without attributes that has this first word.
pub(super) fn plain_op(word: &str) -> Option<Op> {
    PLAIN.get(word).cloned()
}

/// The first word of every operation.
pub fn op_names() -> Vec<String> {
    let atomics = AtomicOp::ALL.iter().map(|op| format!("atomic.{}", op.word()));
    let mut names: Vec<String> =
        PLAIN.keys().cloned().chain(FORMED.iter().copied().map(str::to_owned)).chain(atomics).collect();
    names.sort_unstable();
    names
}

/// The attributes of [`Op::Apart`].
pub(super) fn apart([start, end]: [u32; 2], [first, last]: [u32; 2], twice: bool) -> String {
    let twice = if twice { " twice" } else { "" };
    format!(" start {start} end {end} other_start {first} other_end {last}{twice}")
}
