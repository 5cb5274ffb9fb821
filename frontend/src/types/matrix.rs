//! Cooperative matrices.

use super::ScalarKind;
use clvk_ir::{ElementType, MatrixType, MatrixUse};

/// What the elements of a matrix are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ElementKind {
    /// Numbers of the language.
    Scalar(ScalarKind),
    /// `__bf16`.
    BFloat16,
}

impl ElementKind {
    /// Its spelling in the language.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            ElementKind::Scalar(kind) => kind.name(),
            ElementKind::BFloat16 => BFLOAT16,
        }
    }

    /// The kind of numbers that give an element its value.
    #[must_use]
    pub fn value(self) -> ScalarKind {
        match self {
            ElementKind::Scalar(kind) => kind,
            ElementKind::BFloat16 => ScalarKind::Float,
        }
    }

    /// Size in bytes.
    #[must_use]
    pub fn size(self) -> u32 {
        self.ir().size()
    }

    /// Whether it is a floating-point number.
    #[must_use]
    pub fn is_float(self) -> bool {
        self.value().is_float()
    }

    /// Whether it is a signed integer.
    #[must_use]
    pub fn is_signed(self) -> bool {
        self.value().is_signed()
    }

    /// The IR's type, which has no sign.
    #[must_use]
    pub fn ir(self) -> ElementType {
        match self {
            ElementKind::Scalar(kind) => ElementType::Scalar(kind.scalar()),
            ElementKind::BFloat16 => ElementType::BFloat16,
        }
    }
}

/// The name of the type of bfloat16 numbers, as clang has it.
pub const BFLOAT16: &str = "__bf16";

/// A matrix that the work-items of a sub-group hold together.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct CooperativeMatrix {
    /// Kind of an element.
    pub element: ElementKind,
    /// Number of rows.
    pub rows: u16,
    /// Number of columns.
    pub columns: u16,
    /// What it is used for.
    pub usage: MatrixUse,
}

impl CooperativeMatrix {
    /// The IR's type.
    #[must_use]
    pub fn ir(self) -> MatrixType {
        let CooperativeMatrix { element, rows, columns, usage } = self;
        MatrixType { element: element.ir(), rows, columns, usage }
    }
}
