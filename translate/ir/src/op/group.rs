//! What work-items ask of their launch, and what sub-groups compute together.

use serde::{Deserialize, Serialize};

/// What a work-item asks about the launch (OpenCL C §6.15.1). All take a 32-bit dimension as operand except
/// `WorkDim`, the linear ids and those that say so, and give a 64-bit integer except `WorkDim`, which gives
/// 32 bits.
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
    /// The linear id among the work-items of one dispatch; a launch may have several. No function of the
    /// language asks for it.
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

/// What the work-items of a sub-group that execute the instruction together compute (OpenCL C §6.15.20).
/// Convergent. Values are scalars.
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
    /// (value, constant `I32`) → of all in the same cluster of that many consecutive work-items.
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
