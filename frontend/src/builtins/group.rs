//! Functions that the work-items of a sub-group or of a work-group compute together (OpenCL C §6.15.16,
//! §6.15.17, §6.15.20).

use super::family::INTEL;
use super::lowering::Lowering;
use super::table::{ALL, INTEGERS, Lanes, NONE, Row, Signature, Term, overloads, signature};
use crate::options::LanguageVersion::C20;
use crate::types::ScalarKind::{self, Double, Float, Half, Int, Long, UInt, ULong};
use clvk_interface::Feature;
use clvk_ir::{GroupArithmetic, SubGroupOp, WorkItemQuery};

/// A function of sub-groups.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SubGroupFunction {
    All,
    Any,
    Elect,
    AllEqual,
    Ballot,
    Broadcast,
    BroadcastFirst,
    Shuffle,
    ShuffleXor,
    ShuffleUp,
    ShuffleDown,
    /// Over two values, one after the other: from the second one and before it the first.
    ShuffleUpOfTwo,
    /// From the first one and after it the second.
    ShuffleDownOfTwo,
    Rotate,
    /// With the size of a cluster as the last argument.
    ClusteredRotate,
    /// A reduction or scan.
    Arithmetic(Collective),
}

/// A function of work-groups.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum WorkGroupFunction {
    All,
    Any,
    /// The value of one work-item, by its local ids in one to three dimensions.
    Broadcast,
    /// A reduction or scan; never one of clusters.
    Arithmetic(Collective),
}

/// A reduction or scan.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Collective {
    /// The work-items that take part.
    pub kind: CollectiveKind,
    /// The operation.
    pub key: CollectiveKey,
    /// Of truth values.
    pub logical: bool,
}

/// The work-items that take part in a collective function.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum CollectiveKind {
    Reduce,
    InclusiveScan,
    ExclusiveScan,
    /// With the size of a cluster as the last argument.
    ClusteredReduce,
}

/// The operation of a collective function.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum CollectiveKey {
    Add,
    Mul,
    Min,
    Max,
    And,
    Or,
    Xor,
}

impl CollectiveKey {
    /// The operation on values of this kind.
    #[must_use]
    pub fn on(self, kind: ScalarKind) -> GroupArithmetic {
        use GroupArithmetic::*;
        let of = |signed, unsigned, float| match kind {
            kind if kind.is_float() => float,
            kind if kind.is_signed() => signed,
            _ => unsigned,
        };
        match self {
            CollectiveKey::Add => of(Add, Add, FAdd),
            CollectiveKey::Mul => of(Mul, Mul, FMul),
            CollectiveKey::Min => of(SMin, UMin, FMin),
            CollectiveKey::Max => of(SMax, UMax, FMax),
            CollectiveKey::And => And,
            CollectiveKey::Or => Or,
            CollectiveKey::Xor => Xor,
        }
    }

    /// The word in the library's names.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            CollectiveKey::Add => "add",
            CollectiveKey::Mul => "mul",
            CollectiveKey::Min => "min",
            CollectiveKey::Max => "max",
            CollectiveKey::And => "and",
            CollectiveKey::Or => "or",
            CollectiveKey::Xor => "xor",
        }
    }
}

impl CollectiveKind {
    /// The operation of a sub-group.
    #[must_use]
    pub(crate) fn of_sub_group(self, op: GroupArithmetic) -> SubGroupOp {
        match self {
            CollectiveKind::Reduce => SubGroupOp::Reduce(op),
            CollectiveKind::InclusiveScan => SubGroupOp::InclusiveScan(op),
            CollectiveKind::ExclusiveScan => SubGroupOp::ExclusiveScan(op),
            CollectiveKind::ClusteredReduce => SubGroupOp::ClusteredReduce(op),
        }
    }

    /// The word in the library's names.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            CollectiveKind::Reduce | CollectiveKind::ClusteredReduce => "reduce",
            CollectiveKind::InclusiveScan => "scan_inclusive",
            CollectiveKind::ExclusiveScan => "scan_exclusive",
        }
    }
}

const G: Term = Term::Generic;
const INT: Term = Term::Fixed(Int, 1);
const UINT: Term = Term::Fixed(UInt, 1);
const SIZE: Term = Term::Fixed(ULong, 1);
const MASK: Term = Term::Fixed(UInt, 4);

const fn fixed(result: Term, params: &'static [Term]) -> Signature {
    signature(NONE, Lanes::Scalar, result, params)
}

const fn generic(elements: &'static [ScalarKind], params: &'static [Term]) -> Signature {
    signature(elements, Lanes::Scalar, G, params)
}

/// The element types of work-group functions.
const GROUP_TYPES: &[ScalarKind] = &[Int, UInt, Long, ULong, Float, Double, Half];
const GROUP_INTEGERS: &[ScalarKind] = &[Int, UInt, Long, ULong];

const QUERY: &[Signature] = &[fixed(UINT, &[])];
const PREDICATE: &[Signature] = &[fixed(INT, &[INT])];
const CLUSTERED_PREDICATE: &[Signature] = &[fixed(INT, &[INT, UINT])];
const VALUE: &[Signature] = &[generic(ALL, &[G])];
const INTEGER: &[Signature] = &[generic(INTEGERS, &[G])];
const CLUSTERED_VALUE: &[Signature] = &[generic(ALL, &[G, UINT])];
const CLUSTERED_INTEGER: &[Signature] = &[generic(INTEGERS, &[G, UINT])];
const GROUP_VALUE: &[Signature] = &[generic(GROUP_TYPES, &[G])];
const GROUP_INTEGER: &[Signature] = &[generic(GROUP_INTEGERS, &[G])];
const FROM_INDEX: &[Signature] = &[generic(ALL, &[G, UINT])];
const VECTOR_FROM_INDEX: &[Signature] = &[signature(ALL, Lanes::Any, G, &[G, UINT])];
const OF_TWO: &[Signature] = &[signature(ALL, Lanes::Any, G, &[G, G, UINT])];
const BY_DELTA: &[Signature] = &[generic(ALL, &[G, INT])];
const BY_DELTA_IN_CLUSTER: &[Signature] = &[generic(ALL, &[G, INT, UINT])];
const TEST: &[Signature] = &[signature(ALL, Lanes::Scalar, INT, &[G])];
const GROUP_BROADCAST: &[Signature] = &[
    generic(GROUP_TYPES, &[G, SIZE]),
    generic(GROUP_TYPES, &[G, SIZE, SIZE]),
    generic(GROUP_TYPES, &[G, SIZE, SIZE, SIZE]),
];
const BALLOT: &[Signature] = &[fixed(MASK, &[INT])];
const MASK_TEST: &[Signature] = &[fixed(INT, &[MASK])];
const MASK_BIT: &[Signature] = &[fixed(INT, &[MASK, UINT])];
const MASK_COUNT: &[Signature] = &[fixed(UINT, &[MASK])];
const MASK_ONLY: &[Signature] = &[fixed(MASK, &[])];

const fn query(name: &'static str, query: WorkItemQuery) -> Row {
    overloads("6.15.1", name, QUERY, Lowering::WorkItem(query)).needs(Feature::SubGroups)
}

const fn sub_group(name: &'static str, signatures: &'static [Signature], function: SubGroupFunction) -> Row {
    overloads("6.15.20", name, signatures, Lowering::SubGroup(function)).needs(Feature::SubGroups)
}

/// One that all work-items of a sub-group must call.
const fn whole(name: &'static str, signatures: &'static [Signature], function: SubGroupFunction) -> Row {
    overloads("6.15.20", name, signatures, Lowering::WholeSubGroup(function)).needs(Feature::SubGroups)
}

/// A function of cl_intel_subgroups.
const fn intel(name: &'static str, signatures: &'static [Signature], function: SubGroupFunction) -> Row {
    Row { section: INTEL, ..sub_group(name, signatures, function) }.needs(Feature::IntelSubGroups)
}

const fn work_group(
    name: &'static str,
    signatures: &'static [Signature],
    function: WorkGroupFunction,
) -> Row {
    overloads("6.15.16", name, signatures, Lowering::WorkGroup(function))
        .since(C20)
        .needs(Feature::WorkGroupCollectiveFunctions)
}

/// A function of the extension that adds operations.
const fn uniform(name: &'static str, signatures: &'static [Signature], function: WorkGroupFunction) -> Row {
    Row { section: "6.15.17", ..work_group(name, signatures, function) }.needs(WorkGroupUniformArithmetic)
}

const fn of_ballots(name: &'static str, signatures: &'static [Signature]) -> Row {
    overloads("6.15.20.1", name, signatures, Lowering::Call(name))
        .needs(Feature::SubGroups)
        .needs(SubGroupBallot)
}

const fn collective(kind: CollectiveKind, key: CollectiveKey) -> Collective {
    Collective { kind, key, logical: false }
}

const fn logical(kind: CollectiveKind, key: CollectiveKey) -> Collective {
    Collective { kind, key, logical: true }
}

use Feature::{
    SubGroupBallot, SubGroupClusteredReduce, SubGroupNonUniformArithmetic, SubGroupNonUniformVote,
    SubGroupRotate, SubGroupShuffle, SubGroupShuffleRelative, WorkGroupUniformArithmetic,
};

/// The rows that belong to no group below.
pub(super) const SINGLE: &[Row] = &[
    query("get_sub_group_size", WorkItemQuery::SubGroupSize),
    query("get_max_sub_group_size", WorkItemQuery::MaxSubGroupSize),
    query("get_num_sub_groups", WorkItemQuery::NumSubGroups),
    query("get_enqueued_num_sub_groups", WorkItemQuery::EnqueuedNumSubGroups),
    query("get_sub_group_id", WorkItemQuery::SubGroupId),
    query("get_sub_group_local_id", WorkItemQuery::SubGroupLocalId),
    whole("sub_group_all", PREDICATE, SubGroupFunction::All),
    whole("sub_group_any", PREDICATE, SubGroupFunction::Any),
    whole("sub_group_broadcast", VECTOR_FROM_INDEX, SubGroupFunction::Broadcast),
    sub_group("sub_group_elect", &[fixed(INT, &[])], SubGroupFunction::Elect).needs(SubGroupNonUniformVote),
    sub_group("sub_group_non_uniform_all", PREDICATE, SubGroupFunction::All).needs(SubGroupNonUniformVote),
    sub_group("sub_group_non_uniform_any", PREDICATE, SubGroupFunction::Any).needs(SubGroupNonUniformVote),
    sub_group("sub_group_non_uniform_all_equal", TEST, SubGroupFunction::AllEqual)
        .needs(SubGroupNonUniformVote),
    sub_group("sub_group_non_uniform_broadcast", VECTOR_FROM_INDEX, SubGroupFunction::Broadcast)
        .needs(SubGroupBallot),
    sub_group("sub_group_broadcast_first", VALUE, SubGroupFunction::BroadcastFirst).needs(SubGroupBallot),
    sub_group("sub_group_ballot", BALLOT, SubGroupFunction::Ballot).needs(SubGroupBallot),
    of_ballots("sub_group_inverse_ballot", MASK_TEST),
    of_ballots("sub_group_ballot_bit_extract", MASK_BIT),
    of_ballots("sub_group_ballot_bit_count", MASK_COUNT),
    of_ballots("sub_group_ballot_inclusive_scan", MASK_COUNT),
    of_ballots("sub_group_ballot_exclusive_scan", MASK_COUNT),
    of_ballots("sub_group_ballot_find_lsb", MASK_COUNT),
    of_ballots("sub_group_ballot_find_msb", MASK_COUNT),
    of_ballots("get_sub_group_eq_mask", MASK_ONLY),
    of_ballots("get_sub_group_ge_mask", MASK_ONLY),
    of_ballots("get_sub_group_gt_mask", MASK_ONLY),
    of_ballots("get_sub_group_le_mask", MASK_ONLY),
    of_ballots("get_sub_group_lt_mask", MASK_ONLY),
    sub_group("sub_group_shuffle", FROM_INDEX, SubGroupFunction::Shuffle).needs(SubGroupShuffle),
    sub_group("sub_group_shuffle_xor", FROM_INDEX, SubGroupFunction::ShuffleXor).needs(SubGroupShuffle),
    sub_group("sub_group_shuffle_up", FROM_INDEX, SubGroupFunction::ShuffleUp).needs(SubGroupShuffleRelative),
    sub_group("sub_group_shuffle_down", FROM_INDEX, SubGroupFunction::ShuffleDown)
        .needs(SubGroupShuffleRelative),
    sub_group("sub_group_rotate", BY_DELTA, SubGroupFunction::Rotate).needs(SubGroupRotate),
    sub_group("sub_group_clustered_rotate", BY_DELTA_IN_CLUSTER, SubGroupFunction::ClusteredRotate)
        .needs(SubGroupRotate),
    intel("intel_sub_group_shuffle", VECTOR_FROM_INDEX, SubGroupFunction::Shuffle),
    intel("intel_sub_group_shuffle_xor", VECTOR_FROM_INDEX, SubGroupFunction::ShuffleXor),
    intel("intel_sub_group_shuffle_up", OF_TWO, SubGroupFunction::ShuffleUpOfTwo),
    intel("intel_sub_group_shuffle_down", OF_TWO, SubGroupFunction::ShuffleDownOfTwo),
    work_group("work_group_all", PREDICATE, WorkGroupFunction::All),
    work_group("work_group_any", PREDICATE, WorkGroupFunction::Any),
    work_group("work_group_broadcast", GROUP_BROADCAST, WorkGroupFunction::Broadcast),
];

/// Makes rows of sub-group functions for each operation, from the start of the name, the participants, the
/// signatures and the feature.
macro_rules! of_sub_groups {
    ($($start:literal, $kind:expr, $values:expr, $integers:expr, $predicates:expr, $feature:expr;)*) => {
        &[$(
            sub_group(concat!($start, "add"), $values, SubGroupFunction::Arithmetic(collective($kind, CollectiveKey::Add))).needs($feature),
            sub_group(concat!($start, "mul"), $values, SubGroupFunction::Arithmetic(collective($kind, CollectiveKey::Mul))).needs($feature),
            sub_group(concat!($start, "min"), $values, SubGroupFunction::Arithmetic(collective($kind, CollectiveKey::Min))).needs($feature),
            sub_group(concat!($start, "max"), $values, SubGroupFunction::Arithmetic(collective($kind, CollectiveKey::Max))).needs($feature),
            sub_group(concat!($start, "and"), $integers, SubGroupFunction::Arithmetic(collective($kind, CollectiveKey::And))).needs($feature),
            sub_group(concat!($start, "or"), $integers, SubGroupFunction::Arithmetic(collective($kind, CollectiveKey::Or))).needs($feature),
            sub_group(concat!($start, "xor"), $integers, SubGroupFunction::Arithmetic(collective($kind, CollectiveKey::Xor))).needs($feature),
            sub_group(concat!($start, "logical_and"), $predicates, SubGroupFunction::Arithmetic(logical($kind, CollectiveKey::And))).needs($feature),
            sub_group(concat!($start, "logical_or"), $predicates, SubGroupFunction::Arithmetic(logical($kind, CollectiveKey::Or))).needs($feature),
            sub_group(concat!($start, "logical_xor"), $predicates, SubGroupFunction::Arithmetic(logical($kind, CollectiveKey::Xor))).needs($feature),
        )*]
    };
}

/// The collective functions of sub-groups that some of the work-items call.
#[rustfmt::skip]
pub(super) const SUB_GROUP: &[Row] = of_sub_groups! {
    "sub_group_non_uniform_reduce_", CollectiveKind::Reduce, VALUE, INTEGER, PREDICATE, SubGroupNonUniformArithmetic;
    "sub_group_non_uniform_scan_inclusive_", CollectiveKind::InclusiveScan, VALUE, INTEGER, PREDICATE, SubGroupNonUniformArithmetic;
    "sub_group_non_uniform_scan_exclusive_", CollectiveKind::ExclusiveScan, VALUE, INTEGER, PREDICATE, SubGroupNonUniformArithmetic;
    "sub_group_clustered_reduce_", CollectiveKind::ClusteredReduce, CLUSTERED_VALUE, CLUSTERED_INTEGER, CLUSTERED_PREDICATE, SubGroupClusteredReduce;
};

/// Makes rows for each operation that all work-items of a sub-group or work-group call, from the starts of
/// the names and the participants.
macro_rules! of_all {
    ($($sub:literal, $group:literal, $kind:expr;)*) => {
        &[$(
            whole(concat!($sub, "add"), VALUE, SubGroupFunction::Arithmetic(collective($kind, CollectiveKey::Add))),
            whole(concat!($sub, "min"), VALUE, SubGroupFunction::Arithmetic(collective($kind, CollectiveKey::Min))),
            whole(concat!($sub, "max"), VALUE, SubGroupFunction::Arithmetic(collective($kind, CollectiveKey::Max))),
            work_group(concat!($group, "add"), GROUP_VALUE, WorkGroupFunction::Arithmetic(collective($kind, CollectiveKey::Add))),
            work_group(concat!($group, "min"), GROUP_VALUE, WorkGroupFunction::Arithmetic(collective($kind, CollectiveKey::Min))),
            work_group(concat!($group, "max"), GROUP_VALUE, WorkGroupFunction::Arithmetic(collective($kind, CollectiveKey::Max))),
            uniform(concat!($group, "mul"), GROUP_VALUE, WorkGroupFunction::Arithmetic(collective($kind, CollectiveKey::Mul))),
            uniform(concat!($group, "and"), GROUP_INTEGER, WorkGroupFunction::Arithmetic(collective($kind, CollectiveKey::And))),
            uniform(concat!($group, "or"), GROUP_INTEGER, WorkGroupFunction::Arithmetic(collective($kind, CollectiveKey::Or))),
            uniform(concat!($group, "xor"), GROUP_INTEGER, WorkGroupFunction::Arithmetic(collective($kind, CollectiveKey::Xor))),
            uniform(concat!($group, "logical_and"), PREDICATE, WorkGroupFunction::Arithmetic(logical($kind, CollectiveKey::And))),
            uniform(concat!($group, "logical_or"), PREDICATE, WorkGroupFunction::Arithmetic(logical($kind, CollectiveKey::Or))),
            uniform(concat!($group, "logical_xor"), PREDICATE, WorkGroupFunction::Arithmetic(logical($kind, CollectiveKey::Xor))),
        )*]
    };
}

/// The collective functions that all work-items call.
#[rustfmt::skip]
pub(super) const UNIFORM: &[Row] = of_all! {
    "sub_group_reduce_", "work_group_reduce_", CollectiveKind::Reduce;
    "sub_group_scan_inclusive_", "work_group_scan_inclusive_", CollectiveKind::InclusiveScan;
    "sub_group_scan_exclusive_", "work_group_scan_exclusive_", CollectiveKind::ExclusiveScan;
};
