//! Checks of accesses that another operation makes, for the sanitizer.

use serde::{Deserialize, Serialize};

/// What the sanitizer does about accesses that it does not see one by one, because an operation makes many of
/// them ([`MatrixOp`](super::MatrixOp)).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum AccessOp {
    /// (pointer, length in bytes, `I64`) → `Bool`: whether accesses of these bytes, anywhere within the
    /// length, would pass all checks. Nothing is reported.
    Fits,
    /// (pointer) → `Bool`: checks an access and reports what is wrong; whether nothing was.
    Check,
    /// (pointer), or (pointer, number): remembers an access inside of its object, to find races and reads of
    /// unwritten memory. Those who write the same number at the same place do not race.
    Note,
    /// (pointer) → the same pointer: accesses through it need no check.
    Done,
}
