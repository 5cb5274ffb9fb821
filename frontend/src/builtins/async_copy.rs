//! Asynchronous copies between global and local memory, by their names (OpenCL C §6.15.11).
//!
//! They are no rows: events and pairs of pointers in two address spaces are no terms of signatures.

use clvk_interface::Feature;

/// What a name asks for.
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

/// A copy whose direction and element size are known.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct AsyncCopying {
    /// From global memory; else from local memory to it.
    pub to_local: bool,
    /// Bytes of an element; none if the arguments say it.
    pub element: Option<u64>,
}

impl AsyncCopy {
    /// What `name` asks for.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        Some(match name {
            "async_work_group_copy" => AsyncCopy::Elements { strided: false },
            "async_work_group_strided_copy" => AsyncCopy::Elements { strided: true },
            "async_work_group_copy_2D2D" => AsyncCopy::Planes { three: false },
            "async_work_group_copy_3D3D" => AsyncCopy::Planes { three: true },
            "async_work_group_copy_fence" => AsyncCopy::Fence,
            "wait_group_events" => AsyncCopy::Wait,
            _ => return None,
        })
    }

    /// The feature that it needs.
    #[must_use]
    pub fn feature(self) -> Option<Feature> {
        match self {
            AsyncCopy::Planes { .. } => Some(Feature::ExtendedAsyncCopies),
            AsyncCopy::Fence => Some(Feature::AsyncWorkGroupCopyFence),
            AsyncCopy::Elements { .. } | AsyncCopy::Wait => None,
        }
    }
}
