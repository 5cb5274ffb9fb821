//! Passes that each avoid one driver error ([`Quirk`](clvk_interface::Quirk)), and do nothing for other
//! drivers. A pass has the name of its row in [`SHARED`](super::SHARED) or [`FOR_SPIRV`](super::FOR_SPIRV),
//! which says what the driver does and why the pass runs at that point.
//!
//! Seven are avoided where the code is made: `LinkedDivisions` and `ExpandedDivisions` in
//! [`legalise`](super::legalise), as if the device could not divide, and `SlowExtremes` there too;
//! `FullSubgroupsCounted`, `LargePrivateMemory` and `CostlyPrivateMemory` in
//! [`lower_launch`](super::lower_launch); `SplitAccesses` in [`load_words`](super::load_words).

pub mod carried_sums;
pub mod compared_lanes;
pub mod counted_indices;
pub mod deep_unrolling;
pub mod guard_loads;
pub mod hide_ranges;
pub mod kept_roundings;
pub mod memory_barriers;
pub mod merged_signs;
pub mod negated_quotients;
pub mod nested_conditions;
pub mod packed_quarters;
pub mod second_exits;
pub mod single_carry;
pub mod sub_group_barriers;
pub mod subnormal_logarithms;
pub mod unsigned_extremes;
pub mod watch_loops;
