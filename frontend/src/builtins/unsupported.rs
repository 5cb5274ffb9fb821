//! Built-in functions of OpenCL C that are not supported yet: named, so that they are refused as such and not as
//! misspelled names.

/// Whole families, by the beginning of their names.
const PREFIXES: &[&str] = &[
    "intel_sub_group_",
    "sub_group_reserve_",
    "sub_group_commit_",
    "get_kernel_",
    "get_image_num_",
    "clock_read_",
];

/// Single names.
const NAMES: &[&str] = &[
    "capture_event_profiling_info",
    "create_user_event",
    "enqueue_kernel",
    "enqueue_marker",
    "get_default_queue",
    "is_valid_event",
    "ndrange_1D",
    "ndrange_2D",
    "ndrange_3D",
    "release_event",
    "retain_event",
    "set_user_event_status",
];

/// Whether `name` is a built-in function that is not supported yet.
pub(super) fn is_unsupported(name: &str) -> bool {
    NAMES.contains(&name) || PREFIXES.iter().any(|prefix| name.starts_with(prefix))
}
