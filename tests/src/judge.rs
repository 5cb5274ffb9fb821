//! The devices on which tests run, and the judges of what was compiled for them: spirv-val and the Khronos
//! validation layer.

use clvk_interface::{CompiledModule, DeviceProfile};
use spirv_tools::TargetEnv;
use spirv_tools::val::{self, Validator, ValidatorOptions};
use vk_runtime::{DeviceInfo, Instance, InstanceOptions};

/// The usable devices, by their index; prints the names of those that are not usable.
///
/// # Errors
/// If Vulkan is missing or fails.
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

/// Runs spirv-val on the module, with the rules for the device's Vulkan version and features.
///
/// # Errors
/// Its messages.
pub fn validate(module: &CompiledModule, profile: &DeviceProfile) -> Result<(), String> {
    let environment = match profile.vulkan {
        (1, 0) => TargetEnv::Vulkan_1_0,
        // With the extension VK_KHR_spirv_1_4.
        (1, 1) if profile.spirv == (1, 4) => TargetEnv::Vulkan_1_1_Spirv_1_4,
        (1, 1) => TargetEnv::Vulkan_1_1,
        (1, 2) => TargetEnv::Vulkan_1_2,
        _ => TargetEnv::Vulkan_1_3,
    };
    let options = ValidatorOptions { scalar_block_layout: profile.scalar_block_layout, ..Default::default() };
    val::create(Some(environment))
        .validate(&module.spirv, Some(options))
        .map_err(|error| format!("spirv-val: {error}"))
}

/// Fails if the validation layer has reported anything.
///
/// # Errors
/// All of its messages.
pub fn no_messages(instance: &Instance) -> Result<(), String> {
    no_messages_but(instance, &[])
}

/// Fails if the validation layer has reported anything except messages with these identifiers, which are
/// errors of the driver.
///
/// # Errors
/// All other messages.
pub fn no_messages_but(instance: &Instance, mistakes: &[&str]) -> Result<(), String> {
    let mut messages = instance.take_validation_messages();
    messages.retain(|message| !mistakes.contains(&message.id.as_str()));
    if messages.is_empty() {
        return Ok(());
    }
    let texts: Vec<String> = messages.iter().map(ToString::to_string).collect();
    Err(format!("{} messages of the validation layer:\n{}", messages.len(), texts.join("\n")))
}
