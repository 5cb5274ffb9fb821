//! OpenCL C front end: from source text to the IR.
//!
//! # The way of a program
//! `preprocess` (text → tokens, macros expanded) → `parse` (tokens → `ast`, chumsky) → `check` (names, types,
//! conversions, built-ins resolved → `hir`) → `lower` (→ [`clvk_ir::Module`]).
//!
//! [`compile()`] runs all phases. The phases are private. [`builtins`], the table of built-in functions, is
//! public, because the precision tests and the lists in the documentation derive from it.
//!
//! # Invariants
//! - Nothing here knows about Vulkan. The device's abilities arrive as a [`clvk_interface::FeatureSet`].
//! - Every user error is a [`Diagnostic`] with a place in the source. Later phases rely on the checks of
//!   earlier ones and assert them. A phase continues after an error to find more, but the next phase does not
//!   start, except that checking also runs after syntax errors.
//! - No input causes a panic, a hang, a stack overflow or unbounded memory use: nesting, macro expansion,
//!   include depth and output size have stated limits ([`limits`]).
#![forbid(unsafe_code)]

pub mod builtins;
pub mod limits;
pub mod source;

mod ast;
mod check;
mod compile;
mod cxx;
mod diagnostic;
mod foreign;
mod hir;
mod layout;
mod lower;
mod options;
mod parse;
mod preprocess;
mod suggest;
mod symbol;
mod token;
mod types;

/// Internals for this workspace's tests. Not for users: they change without notice.
#[doc(hidden)]
pub mod testing {
    pub use crate::preprocess::{Environment, preprocess};
    pub use crate::symbol::Interner;
    pub use crate::token::{FloatSuffix, Keyword, Pragma, Punct, Token, TokenKind};
    pub use crate::types::ScalarKind;
}

pub use clvk_ir::Span;
pub use compile::{Compilation, Failure, Preprocessed, compile, parse_only, preprocess_only};
pub use diagnostic::{Deferred, Diagnostic, Diagnostics, ErrorLimit, Form, Narrowed, Related, Severity};
pub use layout::{Layout, MemberLayout, ParameterLayout};
pub use options::{CxxVersion, LanguageVersion, Options, OptionsError, is_of_vendor};
pub use source::{FileIncludes, IncludeResolver, NoIncludes, SourceMap};
