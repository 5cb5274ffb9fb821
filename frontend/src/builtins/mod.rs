//! Built-in functions: one table, from which overload resolution, feature gates and lowering are read.
//!
//! A row of [`table`] names a function, its signatures over generic types, the first language version, the feature
//! that it needs and its [`Lowering`]. To add a built-in, add a row; if it needs a body, add
//! `__clvk_<name>_<type>` in OpenCL C to the library.

mod lowering;

pub use lowering::{BuiltinCall, Lowering, Special, fence_flags};
