//! Built-in functions, in one table. Name lookup, overload resolution, version and feature checks,
//! suggestions for misspelled names, the page `docs/reference/builtins.md` and the precision that tests
//! demand all come from it.
//!
//! A [`Row`] gives a function's name, how its calls are checked ([`Strategy`]), its first language version,
//! the features that it needs, its precision and its section of the specification. CONTRIBUTING.md has a
//! recipe for each kind of function. Not here: compiler built-ins (`__builtin_expect`), which are not part of
//! the language.

mod async_copy;
mod bfloat16;
mod device;
mod enqueue;
mod family;
mod general;
mod group;
mod images;
mod index;
mod lowering;
mod math;
mod matrix;
mod pattern;
mod pipes;
mod resolve;
mod synchronization;
mod table;
mod unsupported;

#[cfg(test)]
mod tests;

// The table, for the tests that follow from it: precision, coverage, documentation.
pub use index::{lookup, rows};
pub use pattern::expand;
pub use table::{Lanes, Precision, Row, Signature, Spaces, Strategy, Term};

pub(crate) use async_copy::AsyncCopy;
pub(crate) use enqueue::{BlockQuery, EnqueueFunction, EventFunction};
pub(crate) use family::{Family, vector_type};
pub(crate) use group::{Collective, CollectiveKind, SubGroupFunction, WorkGroupFunction};
pub(crate) use index::{Builtin, names};
pub(crate) use lowering::{Lowering, Special};
pub(crate) use matrix::MatrixFunction;
pub(crate) use pipes::PipeFunction;
pub(crate) use resolve::{Argument, Mismatch, Parameter, Resolution, Resolver, coordinate_lanes};
pub(crate) use synchronization::{
    AtomicAction, FetchKey, Synchronization, fence_flags, memory_order, memory_scope,
};
pub(crate) use table::ImageUse;
