//! Built-in functions, in one table. Name lookup, overload resolution, version and feature checks,
//! suggestions for misspelled names, the page `docs/reference/builtins.md` and the precision that tests
//! demand all come from it.
//!
//! A [`Row`] gives a function's name, how its calls are checked ([`Strategy`]), its first language version,
//! the features that it needs, its precision and its section of the specification. CONTRIBUTING.md has a
//! recipe for each kind of function. Not here: compiler built-ins (`__builtin_expect`), which are not part of
//! the language.

mod async_copy;
mod device;
mod enqueue;
mod family;
mod general;
mod group;
mod images;
mod index;
mod lowering;
mod math;
mod pattern;
mod pipes;
mod resolve;
mod synchronization;
mod table;
mod unsupported;

#[cfg(test)]
mod tests;

pub use async_copy::AsyncCopy;
pub use enqueue::{BlockQuery, EnqueueFunction, EventFunction};
pub use family::Family;
pub(crate) use family::vector_type;
pub use group::{Collective, CollectiveKey, CollectiveKind, SubGroupFunction, WorkGroupFunction};
pub use index::{Builtin, lookup, names, rows};
pub use lowering::{Lowering, Special};
pub use pattern::expand;
pub use pipes::PipeFunction;
pub(crate) use resolve::coordinate_lanes;
pub use resolve::{Argument, Mismatch, Parameter, Resolution, Resolver};
pub use synchronization::{AtomicAction, FetchKey, Synchronization, fence_flags, memory_order, memory_scope};
pub use table::{ImageUse, Lanes, Precision, Row, Signature, Spaces, Strategy, Term};
