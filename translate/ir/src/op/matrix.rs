//! Operations on cooperative matrices (`cl_khr_cooperative_matrix`, `SPV_KHR_cooperative_matrix`).

use super::{BinaryOp, ConvertOp, UnaryOp};
use serde::{Deserialize, Serialize};

/// The order of a matrix's elements in memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum MatrixLayout {
    /// The elements of a row are consecutive; the stride leads from row to row.
    RowMajor,
    /// The elements of a column are consecutive; the stride leads from column to column.
    ColumnMajor,
}

/// Which matrices of a multiplication have signed integers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct MatrixSigns {
    /// The left factor.
    pub a: bool,
    /// The right factor.
    pub b: bool,
    /// The summand and the result.
    pub c: bool,
}

/// Operations on matrices that the work-items of a sub-group hold together
/// ([`MatrixType`](crate::MatrixType)). Convergent: all work-items of the sub-group execute the instruction
/// with the same scalars and pointers. Two matrices are of one type unless stated otherwise.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum MatrixOp {
    /// (pointer, stride of `I64` in elements) → matrix. The pointer is to the first element.
    Load(MatrixLayout),
    /// (pointer, matrix, stride of `I64` in elements).
    Store(MatrixLayout),
    /// (a, b, c) → `a × b + c`, of c's type. For M×N results, a has M×K elements and b K×N. The products of
    /// integers are summed up as integers of the result's width; they wrap around.
    MulAdd(MatrixSigns),
    /// (scalar of the element's type, [`ElementType::value`](crate::ElementType::value)) → matrix with this
    /// value in each element.
    Fill,
    /// (matrix) → `I32`: the number of elements that each work-item holds. The operand gives only its type.
    Length,
    /// (matrix, index of `I32`) → scalar as for `Fill`: one of the elements that the work-item holds. Which
    /// one of the matrix it is depends on the device. The index is below the length.
    Extract,
    /// (matrix, scalar as for `Fill`, index of `I32`) → matrix with this value in that element.
    Insert,
    /// (matrix) → matrix, by element: `Neg` or `FNeg`. As the two below, not of bfloat16.
    Unary(UnaryOp),
    /// (matrix, matrix) → matrix, by element: the four basic operations of arithmetic.
    Binary(BinaryOp),
    /// (matrix, scalar of the element's type) → each element multiplied with the scalar.
    Scale,
    /// (matrix) → matrix with other elements and the same shape and use, by element. bfloat16 is converted
    /// only from and to `F32`, to the nearest.
    Convert(ConvertOp),
}

impl MatrixOp {
    /// Whether it reads or writes memory.
    #[must_use]
    pub fn accesses_memory(self) -> bool {
        matches!(self, MatrixOp::Load(_) | MatrixOp::Store(_))
    }
}
