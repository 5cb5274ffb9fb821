//! What the execution tests have in common: the devices, and the judges of what was compiled.

use clvk_interface::{CompiledModule, DeviceProfile};
use clvk_tests::case::Case;
use libtest_mimic::Failed;
use spirv_tools::TargetEnv;
use spirv_tools::val::{self, Validator, ValidatorOptions};
use vk_runtime::{DeviceInfo, Instance, InstanceOptions};

/// The usable devices, by their index; names those that are not.
pub fn devices() -> Result<Vec<(usize, DeviceInfo)>, vk_runtime::Error> {
    let mut usable = Vec::new();
    for (index, info) in Instance::new(&InstanceOptions::default())?.devices()?.into_iter().enumerate() {
        eprintln!("device {index}: {info}");
        match info.unusable_reason() {
            Some(reason) => eprintln!("  SKIPPED: {reason}"),
            None => usable.push((index, info)),
        }
    }
    Ok(usable)
}

/// Whether a skipped test counts as a failure on a device.
pub fn must_run_everything(device: &str) -> bool {
    std::env::var("CLVK_TESTS_NO_SKIPS").is_ok_and(|name| !name.is_empty() && device.contains(&name))
}

/// The device's name up to what is in parentheses, as one word.
pub fn short_name(device: &str) -> String {
    let name = device.split('(').next().unwrap_or(device);
    name.split_whitespace().collect::<Vec<_>>().join("-").to_lowercase()
}

/// Why the device cannot run the case's work-groups, if it cannot: Vulkan demands no more than 128 work-items.
pub fn too_large_group(case: &Case, profile: &DeviceProfile) -> Option<String> {
    let largest = case.launches.iter().map(|launch| launch.local.iter().product::<usize>()).max()?;
    let limit = profile.max_work_group_invocations as usize;
    (largest > limit)
        .then(|| format!("needs work-groups of {largest} work-items; the device has at most {limit}"))
}

/// What spirv-val says of the module, with the rules that the device's Vulkan version and features set.
pub fn validate(module: &CompiledModule, profile: &DeviceProfile) -> Result<(), Failed> {
    let environment = match profile.vulkan {
        (1, 0) => TargetEnv::Vulkan_1_0,
        (1, 1) => TargetEnv::Vulkan_1_1,
        (1, 2) => TargetEnv::Vulkan_1_2,
        _ => TargetEnv::Vulkan_1_3,
    };
    let options = ValidatorOptions { scalar_block_layout: profile.scalar_block_layout, ..Default::default() };
    val::create(Some(environment))
        .validate(&module.spirv, Some(options))
        .map_err(|error| Failed::from(format!("spirv-val: {error}")))
}

/// Fails if the validation layer has said anything.
pub fn no_messages(instance: &Instance) -> Result<(), Failed> {
    let messages = instance.take_validation_messages();
    if messages.is_empty() {
        return Ok(());
    }
    let texts: Vec<String> = messages.iter().map(ToString::to_string).collect();
    Err(format!("{} messages of the validation layer:\n{}", messages.len(), texts.join("\n")).into())
}
