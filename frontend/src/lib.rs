//! OpenCL C front end: from source text to the IR.
//!
//! # The way of a program
//! [`preprocess`] (text → tokens, macros expanded) → [`parse`] (tokens → [`ast`], chumsky) → [`check`] (names, types,
//! conversions, built-ins resolved → [`hir`]) → [`lower`] (→ [`clvk_ir::Module`]).
//!
//! # Invariants
//! - Nothing here knows of Vulkan. What the device can do arrives as a [`clvk_interface::FeatureSet`].
//! - Every error of the user is a [`Diagnostic`] with a place in the source; later phases may rely on what the earlier
//!   ones have checked and assert it. A phase goes on after an error to find more, and the next phase does not start
//!   when there is one (except that checking starts after syntax errors in other declarations).
//! - No input panics, hangs, overflows the stack or takes unbounded memory: nesting, macro expansion, include depth
//!   and output size have stated limits ([`limits`]).
#![forbid(unsafe_code)]

pub mod ast;
pub mod builtins;
pub mod check;
pub mod diagnostic;
pub mod hir;
pub mod limits;
pub mod lower;
pub mod options;
pub mod parse;
pub mod preprocess;
pub mod source;
pub mod symbol;
pub mod token;
pub mod types;

mod compile;
mod foreign;
mod suggest;

pub use clvk_ir::Span;
pub use compile::{Compilation, Failure, Preprocessed, compile, parse_only, preprocess_only};
pub use diagnostic::{Diagnostic, Diagnostics, Severity};
pub use options::{LanguageVersion, Options, OptionsError};
pub use source::{FileIncludes, IncludeResolver, NoIncludes, SourceMap};
