//! Source positions.

use serde::{Deserialize, Serialize};

/// A half-open range of positions in the front end's source map; both ends zero where there is no source.
///
/// The IR only carries spans: the front end's source map gives them meaning (files, macro expansions).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Span {
    /// First position.
    pub start: u32,
    /// Position after the last.
    pub end: u32,
}

impl Span {
    /// No source.
    pub const NONE: Span = Span { start: 0, end: 0 };

    /// From `start` up to but excluding `end`.
    #[must_use]
    pub fn new(start: u32, end: u32) -> Self {
        Span { start, end }
    }

    /// The smallest span that covers both; [`Span::NONE`] is the neutral element.
    #[must_use]
    pub fn to(self, other: Span) -> Span {
        match (self == Span::NONE, other == Span::NONE) {
            (true, _) => other,
            (_, true) => self,
            _ => Span { start: self.start.min(other.start), end: self.end.max(other.end) },
        }
    }
}
