//! Functions that enqueue kernels from kernels, and what goes with them, by their names (OpenCL C §6.15.19).
//!
//! They are no rows: blocks, events, queues and ranges are no terms of signatures.

use crate::hir::FunctionId;
use clvk_interface::Feature;

/// What a name asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs)]
pub enum EnqueueFunction {
    Kernel,
    Query(BlockQuery),
    Marker,
    Event(EventFunction),
    DefaultQueue,
    /// `ndrange_1D` and its kind.
    Range {
        dimensions: u32,
    },
}

/// What a kernel asks about a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[expect(missing_docs)]
pub enum BlockQuery {
    WorkGroupSize,
    PreferredMultiple,
    /// For a range.
    SubGroupSize,
    /// For a range.
    SubGroupCount,
}

/// A function on events.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[expect(missing_docs)]
pub enum EventFunction {
    Retain,
    Release,
    Create,
    IsValid,
    SetStatus,
    CaptureProfile,
}

/// A call that was checked: what the arguments are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Enqueuing {
    /// Queue, flags, range, then with `waits` the wait list (number, pointer) and where the event goes, then the sizes of
    /// so many local arguments, then what the block holds.
    Kernel {
        /// The function that the block is.
        block: FunctionId,
        /// Whether there are a wait list and an event.
        waits: bool,
        /// Local arguments.
        locals: u32,
    },
    /// The range, if it is for one.
    Query(BlockQuery),
    /// Queue, number of events, events, where the event goes.
    Marker,
    /// As in the language.
    Event(EventFunction),
    /// Nothing.
    DefaultQueue,
    /// Sizes, or pointers to as many sizes as there are dimensions: the global ones; or global and local; or offsets,
    /// global and local.
    Range {
        /// Dimensions.
        dimensions: u32,
    },
}

impl EnqueueFunction {
    /// What `name` asks for.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        use EventFunction::{CaptureProfile, Create, IsValid, Release, Retain, SetStatus};
        Some(match name {
            "enqueue_kernel" => Self::Kernel,
            "enqueue_marker" => Self::Marker,
            "get_kernel_work_group_size" => Self::Query(BlockQuery::WorkGroupSize),
            "get_kernel_preferred_work_group_size_multiple" => Self::Query(BlockQuery::PreferredMultiple),
            "get_kernel_max_sub_group_size_for_ndrange" => Self::Query(BlockQuery::SubGroupSize),
            "get_kernel_sub_group_count_for_ndrange" => Self::Query(BlockQuery::SubGroupCount),
            "retain_event" => Self::Event(Retain),
            "release_event" => Self::Event(Release),
            "create_user_event" => Self::Event(Create),
            "is_valid_event" => Self::Event(IsValid),
            "set_user_event_status" => Self::Event(SetStatus),
            "capture_event_profiling_info" => Self::Event(CaptureProfile),
            "get_default_queue" => Self::DefaultQueue,
            "ndrange_1D" => Self::Range { dimensions: 1 },
            "ndrange_2D" => Self::Range { dimensions: 2 },
            "ndrange_3D" => Self::Range { dimensions: 3 },
            _ => return None,
        })
    }

    /// The feature that it needs.
    #[must_use]
    pub fn feature(self) -> Feature {
        Feature::DeviceEnqueue
    }
}
