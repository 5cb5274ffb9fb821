//! Constants.

use serde::{Deserialize, Serialize};

/// A constant; its type is that of the value that it defines.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Constant {
    /// A scalar's bit pattern, zero-extended; a pointer's address (only null is meant to occur).
    Bits(u64),
    /// A vector's lanes, each a bit pattern.
    Lanes(Box<[u64]>),
    /// Any value.
    Undef,
}

impl Constant {
    /// Whether every bit is zero.
    #[must_use]
    pub fn is_zero(&self) -> bool {
        match self {
            Constant::Bits(bits) => *bits == 0,
            Constant::Lanes(lanes) => lanes.iter().all(|lane| *lane == 0),
            Constant::Undef => false,
        }
    }

    /// The bits of a lane; a scalar has the same bits in every lane. `None` if undefined.
    #[must_use]
    pub fn lane(&self, lane: usize) -> Option<u64> {
        match self {
            Constant::Bits(bits) => Some(*bits),
            Constant::Lanes(lanes) => lanes.get(lane).copied(),
            Constant::Undef => None,
        }
    }
}
