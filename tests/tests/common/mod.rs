//! Common code of the execution tests: which cases a device may skip, and names.

use clvk_interface::DeviceProfile;
use clvk_tests::case::Case;

/// Whether a skipped test counts as a failure on a device.
pub fn must_run_everything(device: &str) -> bool {
    std::env::var("CLVK_TESTS_NO_SKIPS").is_ok_and(|name| !name.is_empty() && device.contains(&name))
}

/// The device's name up to a parenthesis, as one word.
pub fn short_name(device: &str) -> String {
    let name = device.split('(').next().unwrap_or(device);
    name.split_whitespace().collect::<Vec<_>>().join("-").to_lowercase()
}

/// The reason why the device cannot run the case's work-groups, if it cannot: Vulkan guarantees only 128
/// work-items.
pub fn too_large_group(case: &Case, profile: &DeviceProfile) -> Option<String> {
    let largest = case.launches.iter().map(|launch| launch.local.iter().product::<usize>()).max()?;
    let limit = profile.max_work_group_invocations as usize;
    (largest > limit)
        .then(|| format!("needs work-groups of {largest} work-items; the device has at most {limit}"))
}
