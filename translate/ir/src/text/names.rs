//! The words of the text form: one for each variant of the enumerations without data.
//!
//! The tables are exhaustive matches, so a new variant without a word does not compile.

use crate::{
    AddressSpace, AtomicOp, BinaryOp, CompareOp, ConvertOp, FastMath, FenceFlags, GroupArithmetic,
    ImageDimension, ImageOp, InputVariable, MathOp, MemoryOrder, Op, PackedDot, RoundingMode, SampledType,
    Scalar, Scope, SubGroupOp, UnaryOp, WorkItemQuery,
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
    PrintKind { Int => "int", Long => "long", Float => "float", Double => "double" }
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
        RoundEven => "rint", Fma => "fma", FClamp => "fclamp", CopySign => "copysign", Sqrt => "sqrt", IsNan => "isnan", IsInf => "isinf",
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
        CommandNumber => "command_number",
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
    }
    InputVariable {
        LocalInvocationId => "local_invocation_id", WorkgroupId => "workgroup_id", NumWorkgroups => "num_workgroups",
        LocalInvocationIndex => "local_invocation_index", SubgroupSize => "subgroup_size",
        NumSubgroups => "num_subgroups", SubgroupId => "subgroup_id",
        SubgroupLocalInvocationId => "subgroup_local_invocation_id", WorkgroupSize => "workgroup_size",
        EnqueuedWorkgroupSize => "enqueued_workgroup_size",
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

/// The first word of an operation.
pub(super) fn mnemonic(op: &Op) -> String {
    match op {
        Op::Unary(op) => op.word().into(),
        Op::Binary(op) => op.word().into(),
        Op::Compare(op) => op.word().into(),
        Op::Convert(op) => convert_name(*op),
        Op::Select => "select".into(),
        Op::Math(op) => op.word().into(),
        Op::PackedDot(signs) => format!("packed_dot.{}", signs.word()),
        Op::ReadClock(scope) => format!("clock.{}", scope.word()),
        Op::Construct => "construct".into(),
        Op::Extract(_) => "extract".into(),
        Op::ExtractDynamic => "extract_dynamic".into(),
        Op::Insert(_) => "insert".into(),
        Op::InsertDynamic => "insert_dynamic".into(),
        Op::Shuffle(_) => "shuffle".into(),
        Op::Alloca { .. } => "alloca".into(),
        Op::Load { .. } => "load".into(),
        Op::Store { .. } => "store".into(),
        Op::MemoryCopy { .. } => "memcpy".into(),
        Op::MemoryZero { .. } => "memzero".into(),
        Op::PointerOffset(_) => "offset".into(),
        Op::PointerIndex { .. } => "index".into(),
        Op::PointerSpace => "pointer_space".into(),
        Op::AtomicRmw { op, .. } => format!("atomic.{}", op.word()),
        Op::AtomicCompareExchange { .. } => "atomic.compare_exchange".into(),
        Op::AtomicLoad { .. } => "atomic.load".into(),
        Op::AtomicStore { .. } => "atomic.store".into(),
        Op::Barrier { .. } => "barrier".into(),
        Op::Fence { .. } => "fence".into(),
        Op::SubGroup(op) => sub_group_name(*op),
        Op::Image(op) => match op {
            ImageOp::SampledRead => "image.sample",
            ImageOp::Read { .. } => "image.read",
            ImageOp::Write { .. } => "image.write",
            ImageOp::Query(query) => return format!("image.{}", query.word()),
        }
        .into(),
        Op::WorkItem(query) => format!("workitem.{}", query.word()),
        Op::KernelNumber(_) => "kernel_number".into(),
        Op::PrintNumber(_) => "print_number".into(),
        Op::Call(_) => "call".into(),
        Op::CallElementwise(_) => "call_elementwise".into(),
        Op::If => "if".into(),
        Op::Loop(_) => "loop".into(),
        Op::Switch(_) => "switch".into(),
        Op::Block => "block".into(),
        Op::Exit(_) => "exit".into(),
        Op::Continue(_) => "continue".into(),
        Op::NextIteration => "next".into(),
        Op::Return => "return".into(),
        Op::Unreachable => "unreachable".into(),
        Op::ProgramSampler(_) => "program_sampler".into(),
        Op::SamplerWord => "sampler_word".into(),
        Op::HandleNumber => "handle_number".into(),
        Op::ImplicitBuffer(buffer) => format!("implicit_buffer.{}", buffer.word()),
        Op::Input(input) => format!("input.{}", input.word()),
        Op::PushConstant { .. } => "push_constant".into(),
        Op::ElementPointer(_) => "element_pointer".into(),
        Op::PhysicalPointer(_) => "physical_pointer".into(),
        Op::ImageBinding { .. } => "image_binding".into(),
        Op::SamplerBinding { .. } => "sampler_binding".into(),
    }
}

/// The operations that consist of only their first word and operands.
static PLAIN: LazyLock<FxHashMap<String, Op>> = LazyLock::new(|| {
    let mut ops: Vec<Op> = vec![
        Op::Select,
        Op::Construct,
        Op::ExtractDynamic,
        Op::InsertDynamic,
        Op::PointerSpace,
        Op::NextIteration,
        Op::Return,
        Op::Unreachable,
        Op::SamplerWord,
        Op::HandleNumber,
    ];
    ops.extend(UnaryOp::ALL.iter().map(|op| Op::Unary(*op)));
    ops.extend(BinaryOp::ALL.iter().map(|op| Op::Binary(*op)));
    ops.extend(CompareOp::ALL.iter().map(|op| Op::Compare(*op)));
    ops.extend(MathOp::ALL.iter().map(|op| Op::Math(*op)));
    ops.extend(WorkItemQuery::ALL.iter().map(|query| Op::WorkItem(*query)));
    ops.extend(ImageQuery::ALL.iter().map(|query| Op::Image(ImageOp::Query(*query))));
    ops.extend(ImplicitBuffer::ALL.iter().map(|buffer| Op::ImplicitBuffer(*buffer)));
    ops.extend(InputVariable::ALL.iter().map(|input| Op::Input(*input)));
    ops.extend(PackedDot::ALL.iter().map(|signs| Op::PackedDot(*signs)));
    ops.extend([Scope::Device, Scope::SubGroup].map(Op::ReadClock));
    ops.extend(all_of_sub_groups().map(Op::SubGroup));
    ops.extend(all_conversions().map(Op::Convert));
    ops.into_iter().map(|op| (mnemonic(&op), op)).collect()
});

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
    let others = [
        "extract",
        "insert",
        "shuffle",
        "alloca",
        "load",
        "store",
        "memcpy",
        "memzero",
        "offset",
        "index",
        "atomic.compare_exchange",
        "atomic.load",
        "atomic.store",
        "barrier",
        "fence",
        "image.sample",
        "image.read",
        "image.write",
        "kernel_number",
        "print_number",
        "call",
        "call_elementwise",
        "if",
        "loop",
        "switch",
        "block",
        "exit",
        "continue",
        "program_sampler",
        "push_constant",
        "element_pointer",
        "physical_pointer",
        "image_binding",
        "sampler_binding",
    ];
    let atomics = AtomicOp::ALL.iter().map(|op| format!("atomic.{}", op.word()));
    let mut names: Vec<String> =
        PLAIN.keys().cloned().chain(others.map(str::to_owned)).chain(atomics).collect();
    names.sort_unstable();
    names
}
