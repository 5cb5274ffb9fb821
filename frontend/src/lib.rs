//! OpenCL C front end: from source text to the IR.
//!
//! # The way of a program
//! `preprocess` (text → tokens, macros expanded) → `parse` (tokens → `ast`, chumsky) → `check` (names, types,
//! conversions, built-ins resolved → `hir`) → `lower` (→ [`clvk_ir::Module`]).
//!
//! [`compile()`] goes the whole way. The phases are private; [`builtins`], the table of built-in functions,
//! is public for what is derived from it outside (the tests of precision, the lists in the documentation).
//!
//! # Invariants
//! - Nothing here knows of Vulkan. What the device can do arrives as a [`clvk_interface::FeatureSet`].
//! - Every error of the user is a [`Diagnostic`] with a place in the source; later phases may rely on what
//!   the earlier ones have checked and assert it. A phase goes on after an error to find more, and the next
//!   phase does not start when there is one (except that checking starts after syntax errors in other
//!   declarations).
//! - No input panics, hangs, overflows the stack or takes unbounded memory: nesting, macro expansion, include
//!   depth and output size have stated limits ([`limits`]).
#![forbid(unsafe_code)]

pub mod builtins;
pub mod limits;
pub mod source;

mod ast;
mod check;
mod compile;
mod diagnostic;
mod foreign;
mod hir;
mod lower;
mod options;
mod parse;
mod preprocess;
mod suggest;
mod symbol;
mod token;
mod types;

/// Inner parts that this workspace's tests look into. Not for users: they change without notice.
#[doc(hidden)]
pub mod testing {
    pub use crate::preprocess::{Environment, preprocess};
    pub use crate::symbol::Interner;
    pub use crate::token::{FloatSuffix, Keyword, Pragma, Punct, Token, TokenKind};
    pub use crate::types::ScalarKind;
}

pub use clvk_ir::Span;
pub use compile::{Compilation, Failure, Preprocessed, compile, parse_only, preprocess_only};
pub use diagnostic::{Diagnostic, Diagnostics, ErrorLimit, Form, Related, Severity};
pub use options::{LanguageVersion, Options, OptionsError};
pub use source::{FileIncludes, IncludeResolver, NoIncludes, SourceMap};
