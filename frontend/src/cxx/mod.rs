//! The syntax of C++ for OpenCL: tokens, syntax tree and parser. What it means is in `check::cxx`.
//!
//! C++ cannot be parsed without knowing which names are types, templates and namespaces. The parser keeps a
//! tree of scopes with just that ([`parse::names`]); everything else about names is the checker's.

pub mod ast;
pub mod parse;
pub mod predefined;
mod tokens;

pub use parse::parse;
