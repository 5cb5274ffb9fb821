//! Work-items' queries about their launch, and operations of sub-groups.

use serde::{Deserialize, Serialize};

/// What a work-item asks about the launch (OpenCL C §6.15.1). The operand is a 32-bit dimension, and the
/// result a 64-bit integer. `WorkDim`, `CommandNumber`, `Zero`, the linear ids and the queries about
/// sub-groups take no operand; all of these except the linear ids give 32 bits.
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
    /// The linear id among the work-items of one dispatch; a launch may consist of several. No function of
    /// the language asks for it.
    DispatchLinearId,
    /// The number of work-items in this sub-group.
    SubGroupSize,
    /// The number of work-items in the largest sub-group of the launch.
    MaxSubGroupSize,
    NumSubGroups,
    EnqueuedNumSubGroups,
    SubGroupId,
    /// Index of the work-item in its sub-group.
    SubGroupLocalId,
    /// This launch's number among those that follow from one launch from the host: 32 bits.
    CommandNumber,
    /// A word that is always 0, which no driver knows. No function of the language asks for it.
    Zero,
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

/// Operations on the work-items of a sub-group that execute the instruction together (OpenCL C §6.15.20).
/// Convergent. Values are scalars.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum SubGroupOp {
    /// (`Bool`) → whether it is true for all.
    All,
    /// (`Bool`) → whether it is true for any.
    Any,
    /// () → `Bool`: whether this work-item is the first of them.
    Elect,
    /// (`Bool`) → 4 lanes of `I32`: one bit for each work-item, set where the operand is true.
    Ballot,
    /// (value, index as `I32`) → the value of the work-item with that index; the index is the same for all.
    Broadcast,
    /// (value) → the value of the first work-item.
    BroadcastFirst,
    /// (value, index as `I32`) → the value of the work-item with that index.
    Shuffle,
    /// (value) → the reduction over all.
    Reduce(GroupArithmetic),
    /// (value) → the reduction over all up to this one.
    InclusiveScan(GroupArithmetic),
    /// (value) → the reduction over all before this one; the identity for the first.
    ExclusiveScan(GroupArithmetic),
    /// (value, constant `I32`) → the reduction over the work-item's cluster: that many consecutive
    /// work-items.
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

/// The operation of a reduction or scan; on `Bool`, `And`, `Or` and `Xor` are logical.
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
