//! Passes that each avoid one error of drivers ([`Quirk`](clvk_interface::Quirk)), and do nothing for other drivers.

pub mod deep_unrolling;
pub mod memory_barriers;
pub mod merged_signs;
