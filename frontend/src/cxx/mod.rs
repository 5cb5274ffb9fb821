//! The syntax of C++ for OpenCL: tokens, syntax tree and parser. What it means is in `check::cxx`.
//!
//! C++ cannot be parsed without knowing which names are types, templates and namespaces. The parser keeps a
//! tree of scopes with just that ([`parse::names`]); everything else about names is the checker's.

pub mod ast;
pub mod parse;
pub mod predefined;
mod tokens;

pub use parse::parse;

/// Built-in functions that template arguments choose (see `check::cxx::call`). Only the library's headers
/// name them.
pub const FAMILIES: &[&str] = &[
    "__clvk_as_",
    "__clvk_convert_",
    "__clvk_vload",
    "__clvk_vload_half",
    "__clvk_vloada_half",
    "__clvk_vstore",
    "__clvk_vstore_half",
    "__clvk_vstorea_half",
];
