//! Why a kernel cannot be translated.

use clvk_ir::Span;

/// A kernel cannot be translated for this profile.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct TranslateError {
    /// Kernel concerned, if one is.
    pub kernel: Option<String>,
    /// What is missing, and what to do.
    pub message: String,
    /// Where in the source.
    pub span: Span,
}
