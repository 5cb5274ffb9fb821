//! Limits that keep every input from overflowing the stack or using unbounded memory.

/// Nesting of brackets, statements and declarators in the source (C99 §5.2.4.1 asks for 63 to 127).
pub const NESTING: usize = 256;
/// Depth of the syntax tree, which also grows with the terms of a sum, the links of an `else if` chain and so
/// on.
pub const TREE_DEPTH: usize = 1000;
/// Depth of nested `#include`s.
pub const INCLUDE_DEPTH: usize = 64;
/// Nested conditional directives.
pub const CONDITIONAL_DEPTH: usize = 256;
/// Tokens that a translation unit may have after macro expansion.
pub const TOKENS: usize = 4_000_000;
/// Errors that are kept; more are only counted.
pub const ERRORS: usize = 1000;
/// Errors after which nothing is suggested for misspelt names: the comparison with all names takes time.
pub const SUGGESTIONS: usize = 50;
/// Bytes of one source file (positions are 32 bits wide over all files and expansions).
pub const FILE_SIZE: usize = 64 << 20;
/// Work of macro expansion, in tokens read from replacements and arguments.
pub const EXPANSION_STEPS: u64 = 8_000_000;
/// Nesting of macro calls in the arguments of macro calls.
pub const MACRO_ARGUMENT_DEPTH: usize = 128;
/// Bytes of text that `#` and `##` may build.
pub const BUILT_TEXT: usize = 4 << 20;
/// Files that may be included in total.
pub const INCLUDES: usize = 10_000;
/// Overloadable functions of one name.
pub const OVERLOADS: usize = 4096;
/// Warnings that are kept; more are only counted.
pub const WARNINGS: usize = 1000;
