//! Functions with which kernels enqueue kernels, and related functions (OpenCL C §6.15.19).
//!
//! They have their own strategy because signatures cannot express blocks, events, queues and ranges.

use super::table::{Row, Strategy, row};
use crate::options::LanguageVersion::C20;
use clvk_interface::Feature;

/// A function on queues, events and blocks; each variant says which arguments a checked call has. `K` is what
/// is known of `enqueue_kernel`: nothing in the table, the block and the form of the call in a checked call.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum EnqueueFunction<K = ()> {
    /// Queue, flags, range; the wait list (number, pointer) and a pointer for the event, where the call has
    /// them; the sizes of the local arguments; the block's captures.
    Kernel(K),
    /// The range, if the query takes one.
    Query(BlockQuery),
    /// Queue, number of events, events, pointer for the event.
    Marker,
    /// As in the language.
    Event(EventFunction),
    /// Nothing.
    DefaultQueue,
    /// `ndrange_1D` and its kind: sizes, or pointers to one size per dimension: global; or global and local;
    /// or offsets, global and local.
    Range {
        /// Dimensions.
        dimensions: u32,
    },
}

/// A kernel's query about a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
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
pub enum EventFunction {
    Retain,
    Release,
    Create,
    IsValid,
    SetStatus,
    CaptureProfile,
}

const fn enqueue(name: &'static str, what: EnqueueFunction) -> Row {
    row("6.15.19", name, Strategy::Enqueue(what)).since(C20).needs(Feature::DeviceEnqueue)
}

const fn query(name: &'static str, query: BlockQuery) -> Row {
    enqueue(name, EnqueueFunction::Query(query))
}

const fn event(name: &'static str, function: EventFunction) -> Row {
    enqueue(name, EnqueueFunction::Event(function))
}

/// The rows.
pub(super) const ROWS: &[Row] = &[
    enqueue("enqueue_kernel", EnqueueFunction::Kernel(())),
    enqueue("enqueue_marker", EnqueueFunction::Marker),
    query("get_kernel_work_group_size", BlockQuery::WorkGroupSize),
    query("get_kernel_preferred_work_group_size_multiple", BlockQuery::PreferredMultiple),
    query("get_kernel_max_sub_group_size_for_ndrange", BlockQuery::SubGroupSize).needs(Feature::SubGroups),
    query("get_kernel_sub_group_count_for_ndrange", BlockQuery::SubGroupCount).needs(Feature::SubGroups),
    event("retain_event", EventFunction::Retain),
    event("release_event", EventFunction::Release),
    event("create_user_event", EventFunction::Create),
    event("is_valid_event", EventFunction::IsValid),
    event("set_user_event_status", EventFunction::SetStatus),
    event("capture_event_profiling_info", EventFunction::CaptureProfile),
    enqueue("get_default_queue", EnqueueFunction::DefaultQueue),
    enqueue("ndrange_1D", EnqueueFunction::Range { dimensions: 1 }),
    enqueue("ndrange_2D", EnqueueFunction::Range { dimensions: 2 }),
    enqueue("ndrange_3D", EnqueueFunction::Range { dimensions: 3 }),
];
