//! From what Vulkan tells of a device to its profile.
//!
//! The rows of [`vulkan_capabilities`](crate::vulkan_capabilities) are most of it; [`Told`] is the rest.
//! [`import()`] reads both from reports of other programs, the runtime from live devices.

mod import;
mod report;
mod table;

pub use crate::driver::driver_version;
pub use import::{FindProfile, ImportError, import};

use crate::{DeviceProfile, Guarantee, Preference, Quirk};

/// What decides a profile besides the rows of the table. Numbers are Vulkan's.
#[derive(Clone, Copy, Debug, Default)]
pub struct Told {
    /// `apiVersion` as (major, minor).
    pub version: (u32, u32),
    /// Highest SPIR-V version, as (major, minor); see [`spirv_version`].
    pub spirv: (u32, u32),
    /// `driverID`; 0 if the device does not tell.
    pub driver: i32,
    /// The driver's version as (major, minor); see [`driver_version`].
    pub driver_version: (u32, u32),
    /// `denormBehaviorIndependence`.
    pub denorm_behavior_independence: i32,
    /// `subgroupSize`.
    pub subgroup_size: u32,
    /// `VkPhysicalDeviceSubgroupProperties::supportedStages`.
    pub subgroup_stages: u32,
    /// `VkPhysicalDeviceSubgroupProperties::supportedOperations`.
    pub subgroup_operations: u32,
}

/// `VK_SHADER_STAGE_COMPUTE_BIT`.
const COMPUTE: u32 = 1 << 5;
/// `VK_SHADER_FLOAT_CONTROLS_INDEPENDENCE_NONE`.
const INDEPENDENCE_NONE: i32 = 2;

impl Told {
    /// Fills the members of a profile that the rows of the table do not fill. `denorm_flush_f32` must be what
    /// its row says.
    pub fn complete(&self, profile: &mut DeviceProfile) {
        let computes = |operations: u32| {
            self.subgroup_stages & COMPUTE != 0 && self.subgroup_operations & operations == operations
        };
        profile.vulkan = self.version;
        profile.spirv = self.spirv;
        // A mode that cannot be chosen independently of other widths is not used.
        profile.denorm_flush_f32 &= self.denorm_behavior_independence != INDEPENDENCE_NONE;
        profile.subgroup_size = self.subgroup_size;
        // Votes, arithmetic and ballots.
        profile.subgroup_arithmetic = computes(0x2 | 0x4 | 0x8);
        profile.subgroup_shuffle = computes(0x10);
        profile.subgroup_clustered = computes(0x40);
        profile.quirks = Quirk::of_driver(self.driver, self.driver_version);
        profile.guarantees = Guarantee::of_driver(self.driver, self.driver_version);
        profile.preferences = Preference::of_driver(self.driver, self.driver_version);
    }
}

/// The highest SPIR-V version that a device takes, as (major, minor), by its version of Vulkan and whether it
/// has `VK_KHR_spirv_1_4`.
#[must_use]
pub fn spirv_version(vulkan: (u32, u32), has_spirv_1_4: bool) -> (u32, u32) {
    match vulkan {
        version if version >= (1, 3) => (1, 6),
        version if version >= (1, 2) => (1, 5),
        _ if has_spirv_1_4 => (1, 4),
        _ => (1, 3),
    }
}
