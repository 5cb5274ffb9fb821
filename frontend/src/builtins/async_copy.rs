//! Asynchronous copies between global and local memory (OpenCL C §6.15.11).
//!
//! They have their own strategy because signatures cannot express events and pairs of pointers in two address
//! spaces.

use super::table::{Row, Strategy, row};
use crate::options::LanguageVersion::C11;
use clvk_interface::Feature;

/// What a function does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AsyncCopy {
    /// `async_work_group_copy(to, from, count, event)`, and with a stride before the event.
    Elements {
        /// `async_work_group_strided_copy`.
        strided: bool,
    },
    /// `async_work_group_copy_2D2D` and `_3D3D`.
    Planes {
        /// `_3D3D`.
        three: bool,
    },
    /// `wait_group_events(count, events)`.
    Wait,
    /// `async_work_group_copy_fence(flags)`.
    Fence,
}

const fn copy(name: &'static str, what: AsyncCopy) -> Row {
    row("6.15.11", name, Strategy::AsyncCopy(what))
}

/// The rows.
pub(super) const ROWS: &[Row] = &[
    copy("async_work_group_copy", AsyncCopy::Elements { strided: false }),
    copy("async_work_group_strided_copy", AsyncCopy::Elements { strided: true }).since(C11),
    copy("async_work_group_copy_2D2D", AsyncCopy::Planes { three: false })
        .needs(Feature::ExtendedAsyncCopies),
    copy("async_work_group_copy_3D3D", AsyncCopy::Planes { three: true }).needs(Feature::ExtendedAsyncCopies),
    copy("async_work_group_copy_fence", AsyncCopy::Fence).needs(Feature::AsyncWorkGroupCopyFence),
    copy("wait_group_events", AsyncCopy::Wait),
];
