//! `clvk-run devices`.

use crate::cli::DevicesCommand;
use crate::console;
use crate::failure::Result;
use clvk::interface::{DeviceProfile, FeatureSet};
use clvk::runtime::{DeviceInfo, Instance, InstanceOptions};
use std::process::ExitCode;

/// Runs the command.
pub fn devices(command: &DevicesCommand) -> Result<ExitCode> {
    if command.presets {
        let names: Vec<&str> = DeviceProfile::preset_names().collect();
        console::print(names.join("\n"))?;
        return Ok(ExitCode::SUCCESS);
    }
    let devices = Instance::new(&InstanceOptions { validation: false })?.devices()?;
    if command.json {
        let list: Vec<serde_json::Value> = devices.iter().map(describe).collect();
        console::print(serde_json::to_string_pretty(&list).expect("descriptions are plain data"))?;
        return Ok(ExitCode::SUCCESS);
    }
    for device in &devices {
        let (major, minor, patch) = device.api_version();
        let memory = device.memory().map_or(String::new(), |bytes| format!(", {} MiB", bytes >> 20));
        console::print(format!(
            "{}: {} ({}, {}, Vulkan {major}.{minor}.{patch}{memory})",
            device.index(),
            device.name(),
            device.kind(),
            device.driver()
        ))?;
        if let Some(reason) = device.unusable_reason() {
            console::print(format!("   cannot be used: {reason}"))?;
        }
        if let Some(profile) = device.profile() {
            let features: Vec<&str> = FeatureSet::of(profile).iter().map(|feature| feature.name()).collect();
            console::print(format!("   {}", features.join(" ")))?;
        }
    }
    Ok(ExitCode::SUCCESS)
}

fn describe(device: &DeviceInfo) -> serde_json::Value {
    serde_json::json!({
        "index": device.index(),
        "name": device.name(),
        "kind": device.kind().to_string(),
        "driver": device.driver(),
        "api_version": device.api_version(),
        "memory": device.memory(),
        "unusable": device.unusable_reason(),
        "features": device.profile().map(|profile| FeatureSet::of(profile).iter().map(|f| f.name()).collect::<Vec<_>>()),
        "profile": device.profile(),
    })
}
