//! Cooperative matrices.

use super::ScalarKind;
use clvk_ir::{MatrixType, MatrixUse};

/// A matrix that the work-items of a sub-group hold together.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct CooperativeMatrix {
    /// Kind of an element.
    pub kind: ScalarKind,
    /// Number of rows.
    pub rows: u16,
    /// Number of columns.
    pub columns: u16,
    /// What it is used for.
    pub usage: MatrixUse,
}

impl CooperativeMatrix {
    /// The IR's type, whose elements have no sign.
    #[must_use]
    pub fn ir(self) -> MatrixType {
        let CooperativeMatrix { kind, rows, columns, usage } = self;
        MatrixType { scalar: kind.scalar(), rows, columns, usage }
    }
}
