//! The devices on which tests run, and the judges of what was compiled for them: spirv-val and the Khronos
//! validation layer.

use crate::applicable::not_applicable;
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

/// The profile without some of its features, which are named with commas between them.
///
/// # Errors
/// A name that is not a feature's.
pub fn without(profile: &DeviceProfile, without: &str) -> Result<DeviceProfile, String> {
    let mut data = serde_json::to_value(profile).map_err(|error| error.to_string())?;
    for name in without.split(',').filter(|name| !name.is_empty()) {
        match data.get_mut(name) {
            Some(value) if value.is_boolean() => *value = false.into(),
            _ => return Err(format!("CLVK_TESTS_WITHOUT: a profile has no feature `{name}`")),
        }
    }
    serde_json::from_value(data).map_err(|error| error.to_string())
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
    let judged = val::create(Some(environment)).validate(&module.spirv, Some(options));
    match judged.map_err(|error| format!("spirv-val: {error}")) {
        // Those of 2023 and before.
        Err(problem)
            if NEWER.iter().any(|it| problem.contains(&format!("Invalid capability operand: {it}"))) =>
        {
            let reason = "the installed spirv-val does not know cooperative matrices";
            eprintln!("  SKIPPED: {}", not_applicable("spirv-val", &profile.name, reason));
            Ok(())
        }
        judged => judged,
    }
}

/// `CooperativeMatrixKHR`, `BFloat16TypeKHR` and `BFloat16CooperativeMatrixKHR`.
const NEWER: [u32; 3] = [6022, 5116, 5118];

/// Runs spirv-val on a module for OpenCL, with the rules of the first version of OpenCL that has its version
/// of SPIR-V.
///
/// # Errors
/// Its messages.
pub fn validate_opencl(module: &[u8]) -> Result<(), String> {
    let words: Vec<u32> =
        module.chunks_exact(4).map(|word| u32::from_le_bytes([word[0], word[1], word[2], word[3]])).collect();
    let version = words.get(1).map_or(0, |word| word >> 8);
    let capabilities = declared_capabilities(&words);
    // Later environments of OpenCL allow these, which extensions bring.
    let by_extension = capabilities.iter().any(|it| BY_EXTENSION.contains(it));
    let environment = match version {
        0x100 if by_extension => TargetEnv::Universal_1_0,
        0x100 => TargetEnv::OpenCL_2_1,
        0x101 | 0x102 => TargetEnv::OpenCL_2_2,
        0x103 => TargetEnv::Universal_1_3,
        _ => TargetEnv::Universal_1_4,
    };
    let judged = val::create(Some(environment)).validate(&words, Some(ValidatorOptions::default()));
    match judged.map_err(|error| format!("spirv-val: {error}")) {
        // It takes the clock's capability for one of shaders, and asks for their merge instructions.
        Err(_) if capabilities.contains(&SHADER_CLOCK) => Ok(()),
        // OpenCL allows it (`cl_khr_mipmap_image_writes`).
        Err(problem) if problem.contains("Lod can only be used") && problem.contains("OpImageWrite") => {
            Ok(())
        }
        judged => judged,
    }
}

/// `ShaderClockKHR`.
const SHADER_CLOCK: u32 = 5055;

/// `Float16`, `Int64Atomics` and `ImageMipmap`.
const BY_EXTENSION: [u32; 3] = [9, 12, 15];

/// The numbers of the capabilities that a module declares.
fn declared_capabilities(words: &[u32]) -> Vec<u32> {
    const OP_CAPABILITY: u32 = 2 << 16 | 17;
    let pairs = words.get(5..).unwrap_or_default().chunks_exact(2);
    pairs.take_while(|pair| pair[0] == OP_CAPABILITY).map(|pair| pair[1]).collect()
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
