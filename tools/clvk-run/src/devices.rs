//! `clvk-run devices`.

use crate::cli::DevicesCommand;
use crate::console;
use crate::failure::Result;
use crate::profiles;
use crate::table::table;
use crate::wrap::wrapped;
use clvk::DeviceProfile;
use clvk::interface::FeatureSet;
use clvk::runtime::{DeviceInfo, Instance, InstanceOptions};
use std::process::ExitCode;

/// What people look for first, and the features that say so.
const HIGHLIGHTS: [(&str, &str); 5] = [
    ("fp64", "cl_khr_fp64"),
    ("fp16", "cl_khr_fp16"),
    ("int64 atomics", "cl_khr_int64_base_atomics"),
    ("images", "__opencl_c_images"),
    ("sub-groups", "__opencl_c_subgroups"),
];

/// Runs the command.
pub fn devices(command: &DevicesCommand) -> Result<ExitCode> {
    if command.presets {
        return presets();
    }
    if let Some(name) = &command.profile {
        console::print(profiles::one(name)?.to_json())?;
        return Ok(ExitCode::SUCCESS);
    }
    let devices = Instance::new(&InstanceOptions::default())?.devices()?;
    if command.json {
        let list: Vec<serde_json::Value> = devices.iter().map(describe).collect();
        console::print(serde_json::to_string_pretty(&list).expect("descriptions are plain data"))?;
        return Ok(ExitCode::SUCCESS);
    }
    let width = console::table_width();
    let rows: Vec<[String; 7]> = devices.iter().map(row).collect();
    let heading = ["#", "NAME", "KIND", "DRIVER", "VULKAN", "MEMORY", "HAS"];
    let mut lines = table(heading, &rows, width);
    for device in &devices {
        if let Some(reason) = device.unusable_reason() {
            let text = format!("{}: {} cannot be used: {reason}", device.index(), device.name());
            lines.push(wrapped(&text, 0, width));
        }
    }
    if command.verbose {
        lines.extend(devices.iter().flat_map(|device| details(device, width)));
    }
    console::show(lines.join("\n"))?;
    Ok(ExitCode::SUCCESS)
}

/// The profiles that come with the compiler: whose driver each describes, and where its numbers come from.
fn presets() -> Result<ExitCode> {
    let profiles = profiles::named(&[])?;
    let rows: Vec<[String; 4]> = profiles
        .into_iter()
        .map(|it| {
            let driver = if it.driver.is_empty() { "-".to_owned() } else { it.driver };
            [it.name, driver, format!("{}.{}", it.vulkan.0, it.vulkan.1), it.source]
        })
        .collect();
    let lines = table(["PRESET", "DRIVER", "VULKAN", "SOURCE"], &rows, console::table_width());
    console::show(lines.join("\n"))?;
    Ok(ExitCode::SUCCESS)
}

fn row(device: &DeviceInfo) -> [String; 7] {
    let (major, minor, patch) = device.api_version();
    let features = feature_names(device);
    let has = HIGHLIGHTS.iter().filter(|(_, feature)| features.contains(feature));
    [
        device.index().to_string(),
        device.name().to_owned(),
        device.kind().to_string(),
        device.driver().to_owned(),
        format!("{major}.{minor}.{patch}"),
        device.memory().map_or(String::new(), |bytes| format!("{} MiB", bytes >> 20)),
        has.map(|&(name, _)| name).collect::<Vec<_>>().join(", "),
    ]
}

/// Everything that the table leaves out.
fn details(device: &DeviceInfo, width: usize) -> Vec<String> {
    let Some(profile) = device.profile() else { return Vec::new() };
    let mut lines = vec![format!("\n\u{1b}[1m{}: {}\u{1b}[0m", device.index(), device.name())];
    let [x, y, z] = profile.max_work_group_size;
    let limits = format!(
        "work-groups of at most {} work-items ({x}×{y}×{z}); {} bytes of local memory",
        profile.max_work_group_invocations, profile.max_local_memory
    );
    let matrices: Vec<String> = profile.matrices.iter().map(ToString::to_string).collect();
    let matrices = match &matrices[..] {
        [] => "none; sub-groups compute cooperative matrices".to_owned(),
        products => format!("{}; sub-groups compute others", products.join(", ")),
    };
    let quirks: Vec<String> = profile.quirks.iter().map(kebab).collect();
    let guarantees: Vec<String> = profile.guarantees.iter().map(kebab).collect();
    let preferences: Vec<String> = profile.preferences.iter().map(kebab).collect();
    let rows = [
        ("limits", limits),
        ("OpenCL", opencl(profile)),
        ("features", feature_names(device).join(" ")),
        ("matrix engines", matrices),
        ("driver errors that clvk avoids", quirks.join(" ")),
        ("behaviour that clvk relies on", guarantees.join(" ")),
        ("faster than the alternative", preferences.join(" ")),
    ];
    for (title, text) in rows.into_iter().filter(|(_, text)| !text.is_empty()) {
        lines.push(format!("  {title}:"));
        lines.push(wrapped(&text, 4, width));
    }
    lines
}

/// The version of OpenCL that the driver offers on a device, and what the device lacks for a newer one.
fn opencl(profile: &DeviceProfile) -> String {
    match &clvk::Level::of_profile(profile).missing()[..] {
        [] => "3.1".to_owned(),
        missing => format!("3.0; OpenCL 3.1 needs also {}", missing.join(", ")),
    }
}

/// The name that profiles have for a quirk, guarantee or preference.
pub fn kebab(value: &impl serde::Serialize) -> String {
    serde_json::to_value(value).ok().and_then(|value| Some(value.as_str()?.to_owned())).unwrap_or_default()
}

fn feature_names(device: &DeviceInfo) -> Vec<&'static str> {
    let features = device.profile().map(FeatureSet::of);
    features.map_or(Vec::new(), |features| features.iter().map(|feature| feature.name()).collect())
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
        "features": device.profile().map(|_| feature_names(device)),
        "profile": device.profile(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use clvk::interface::Feature;

    #[test]
    fn the_highlights_are_features() {
        for (_, name) in HIGHLIGHTS {
            assert!(Feature::ALL.iter().any(|feature| feature.name() == name), "{name}");
        }
    }
}
