//! Where a kernel's accesses through its arguments are, as far as that follows from the ids of work-items and
//! from what the host knows at a launch: sizes, and arguments that are integers.

use serde::{Deserialize, Serialize};

/// What a kernel computes places from. Operands are positions in [`KernelHabits::numbers`], lower ones.
///
/// [`KernelHabits::numbers`]: super::KernelHabits::numbers
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Number {
    /// Itself.
    Constant(i64),
    /// The argument at this position.
    Argument(u32),
    /// An id of the work-item in a dimension.
    Id(Id, u8),
    /// What is the same for all work-items, in a dimension.
    Size(Size, u8),
    /// What a loop counts: a position in [`KernelHabits::counters`](super::KernelHabits::counters).
    Counter(u32),
    /// An operation on two numbers.
    Computed(Operation, u32, u32),
    /// What a loop makes less in each iteration, down to 0, from a number on that is not negative. Each has a
    /// number of its own behind that.
    Shrinking(u32, u32),
    /// Not known, 32 bits. Each has a number of its own.
    Any(u32),
    /// What a number is in 64 bits if its 32 bits have no sign.
    Unsigned(u32),
}

/// Bits of a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Width {
    /// 32.
    Int,
    /// 64.
    Long,
}

impl Width {
    /// The least and the greatest number of this width.
    #[must_use]
    pub fn range(self) -> (i64, i64) {
        match self {
            Width::Int => (i32::MIN.into(), i32::MAX.into()),
            // Sums of a few of them are numbers, too.
            Width::Long => (-(1 << 56), 1 << 56),
        }
    }
}

/// An id of a work-item.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[expect(missing_docs)]
pub enum Id {
    Global,
    Local,
    Group,
}

/// A size of a launch.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[expect(missing_docs)]
pub enum Size {
    Global,
    Local,
    EnqueuedLocal,
    Groups,
    Offset,
}

/// An operation on integers. Of the last ones, the operands must not be negative.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[expect(missing_docs)]
pub enum Operation {
    Add,
    Sub,
    Mul,
    ShiftLeft,
    ShiftRight,
    Divide,
    Remainder,
    And,
    Or,
    Xor,
    /// The operands may be negative.
    Min,
    /// The operands may be negative.
    Max,
    /// One of the operands, and it is not known which one.
    Either,
}

/// Something that holds wherever a place is reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Fact {
    /// What.
    pub relation: Relation,
    /// The numbers are compared with their signs.
    pub signed: bool,
    /// The number on the left.
    pub left: u32,
    /// The number on the right.
    pub right: u32,
}

/// How two numbers compare.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[expect(missing_docs)]
pub enum Relation {
    Less,
    AtMost,
    Equal,
    Differs,
}

/// A number that a loop counts.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Counter {
    /// In the first iteration.
    pub first: u32,
    /// What an iteration adds.
    pub step: u32,
    /// Positions of facts that hold in each iteration that another one follows.
    pub facts: Vec<u32>,
}

/// Bytes that a kernel reaches through an argument.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Site {
    /// The distance from the pointer.
    pub place: u32,
    /// How many there are.
    pub bytes: u32,
    /// Positions of facts.
    pub facts: Vec<u32>,
}
