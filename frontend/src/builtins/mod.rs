//! Built-in functions: one table, from which overload resolution, feature gates, lowering and the precision that tests
//! demand are read.
//!
//! A [`Row`] names a function, its signatures over generic types, the first language version, the feature that it
//! needs, its [`Lowering`] and its precision. To add a built-in, add a row to the file of its chapter; if it needs a
//! body, add `__clvk_<name>_<type>` in OpenCL C to the library. Functions whose name holds types (`convert_uchar4_sat`,
//! `vload4`) are [`Family`]s, recognised by their name.

mod async_copy;
mod device;
mod enqueue;
mod family;
mod general;
mod group;
mod images;
mod lowering;
mod math;
mod resolve;
mod synchronization;
mod table;
mod unsupported;

#[cfg(test)]
mod tests;

pub use async_copy::{AsyncCopy, AsyncCopying};
pub use enqueue::{BlockQuery, EnqueueFunction, Enqueuing, EventFunction};
pub use family::Family;
pub(crate) use family::vector_type;
pub use group::{Collective, CollectiveKey, CollectiveKind, SubGroupFunction, WorkGroupFunction};
pub use lowering::{BuiltinCall, Lowering, PipeFunction, Special};
pub(crate) use resolve::coordinate_lanes;
pub use resolve::{Argument, Mismatch, Parameter, Resolution, Resolver};
pub use synchronization::{
    AtomicAction, FetchKey, Synchronization, Synchronizing, fence_flags, memory_order, memory_scope,
};
pub use table::{ImageUse, Lanes, Precision, Row, Signature, Spaces, Term};

use clvk_interface::Feature;
use rustc_hash::FxHashMap;
use std::sync::OnceLock;

/// What a name is among the built-in functions.
#[derive(Clone, Debug)]
pub enum Found {
    /// Rows of the table.
    Rows(&'static [&'static Row]),
    /// A function whose name holds types.
    Family(Family),
    /// An asynchronous copy, or what waits for one.
    AsyncCopy(AsyncCopy),
    /// A barrier, a fence or an atomic function of C11.
    Synchronization(Synchronization),
    /// A function that enqueues kernels, or goes with those.
    Enqueue(EnqueueFunction),
    /// A function of OpenCL C that is not supported yet.
    Unsupported,
    /// Not supported, since no device offers what it is for.
    Lacking(Feature),
}

/// All rows.
pub fn rows() -> impl Iterator<Item = &'static Row> {
    device::ROWS
        .iter()
        .chain(device::ATOMICS)
        .chain(images::ROWS)
        .chain(math::ROWS)
        .chain(general::ROWS)
        .chain(group::SINGLE)
        .chain(group::SUB_GROUP)
        .chain(group::UNIFORM)
}

fn index() -> &'static FxHashMap<&'static str, Vec<&'static Row>> {
    static INDEX: OnceLock<FxHashMap<&'static str, Vec<&'static Row>>> = OnceLock::new();
    INDEX.get_or_init(|| {
        let mut index: FxHashMap<&'static str, Vec<&'static Row>> = FxHashMap::default();
        for row in rows().chain(images::OF_LIBRARY).chain(math::OF_LIBRARY) {
            index.entry(row.name).or_default().push(row);
        }
        index
    })
}

/// The built-in function that is called `name`.
#[must_use]
pub fn lookup(name: &str) -> Option<Found> {
    if let Some(rows) = index().get(name) {
        return Some(Found::Rows(rows));
    }
    if let Some(family) = Family::from_name(name) {
        return Some(Found::Family(family));
    }
    if let Some(what) = AsyncCopy::from_name(name) {
        return Some(Found::AsyncCopy(what));
    }
    if let Some(what) = Synchronization::from_name(name) {
        return Some(Found::Synchronization(what));
    }
    if let Some(what) = EnqueueFunction::from_name(name) {
        return Some(Found::Enqueue(what));
    }
    if name == "get_image_num_samples" {
        return Some(Found::Lacking(Feature::GlMsaaSharing));
    }
    unsupported::is_unsupported(name).then_some(Found::Unsupported)
}

/// Functions that are often used and are not in the table, because they take arguments of many types.
const FAMILIES: &[&str] = &[
    "async_work_group_copy",
    "async_work_group_strided_copy",
    "atomic_load",
    "atomic_store",
    "barrier",
    "enqueue_kernel",
    "mem_fence",
    "prefetch",
    "printf",
    "read_mem_fence",
    "vload2",
    "vload3",
    "vload4",
    "vload8",
    "vload16",
    "vload_half",
    "vstore2",
    "vstore3",
    "vstore4",
    "vstore8",
    "vstore16",
    "vstore_half",
    "wait_group_events",
    "work_group_barrier",
    "write_mem_fence",
];

/// Names to suggest one of for a misspelled name.
pub fn names() -> impl Iterator<Item = &'static str> {
    index().keys().copied().filter(|name| !name.starts_with("__")).chain(FAMILIES.iter().copied())
}
