//! Profiles of devices, as the command line names them.

use crate::failure::{Failure, Result};
use crate::similar::nearest;
use clvk::DeviceProfile;
use clvk::interface::vulkan::{FindProfile, import};
use serde_json::Value;
use std::path::Path;

/// The profiles of these names: presets, or JSON files; all presets if none is named.
pub fn named(names: &[String]) -> Result<Vec<DeviceProfile>> {
    if names.is_empty() {
        return DeviceProfile::preset_names().map(preset).collect();
    }
    let mut profiles = Vec::new();
    for name in names {
        profiles.extend(all(name)?);
    }
    Ok(profiles)
}

/// The one profile of this name, or in this file.
pub fn one(name: &str) -> Result<DeviceProfile> {
    let mut profiles = all(name)?;
    match profiles.len() {
        1 => Ok(profiles.remove(0)),
        _ => {
            let list: Vec<String> =
                profiles.iter().enumerate().map(|(index, it)| format!("{index} {}", it.name)).collect();
            Err(Failure::usage(format!(
                "`{name}` describes several devices; choose one with `{name}#N`: {}",
                list.join(", ")
            )))
        }
    }
}

fn preset(name: &str) -> Result<DeviceProfile> {
    if name.is_empty() {
        return Err(Failure::usage("`--profile` takes names separated by commas, but one of them is empty"));
    }
    DeviceProfile::preset(name).map_err(|error| match nearest(name, DeviceProfile::preset_names()) {
        Some(known) => Failure::usage(format!(
            "no device profile is called `{name}`; did you mean `{known}`? (see `clvk-run devices --presets`)"
        )),
        None => Failure::usage(format!("{error}; or name a file that ends in .json")),
    })
}

fn is_json(name: &str) -> bool {
    name.to_ascii_lowercase().ends_with(".json")
}

/// All profiles of a preset's name, or in a file; `FILE.json#N` is the Nth, from 0.
fn all(name: &str) -> Result<Vec<DeviceProfile>> {
    if let Some((file, number)) = name.rsplit_once('#').filter(|(file, _)| is_json(file)) {
        let mut profiles = read(file)?;
        let index = number.parse().ok().filter(|&index: &usize| index < profiles.len());
        return match index {
            Some(index) => Ok(vec![profiles.swap_remove(index)]),
            None => Err(Failure::usage(format!(
                "`{name}`: `{number}` is not the number of a device; `{file}` has {}, counted from 0",
                profiles.len()
            ))),
        };
    }
    if is_json(name) { read(name) } else { Ok(vec![preset(name)?]) }
}

fn read(file: &str) -> Result<Vec<DeviceProfile>> {
    let text = std::fs::read_to_string(file)
        .map_err(|error| Failure::usage(format!("cannot read `{file}`: {error}; name an existing file")))?;
    from_text(&text, &|name| beside(file, name))
        .map_err(|error| Failure::usage(format!("`{file}` is {error}")))
}

/// The file of a Vulkan Profile that a profile of `file` requires: Khronos ships one profile a file.
fn beside(file: &str, profile: &str) -> Option<Value> {
    if !profile.chars().all(|letter| letter.is_ascii_alphanumeric() || letter == '_') {
        return None;
    }
    let path = Path::new(file).with_file_name(format!("{profile}.json"));
    serde_json::from_str(&std::fs::read_to_string(path).ok()?).ok()
}

/// A profile of ours, what `clvk-run devices --json` prints (the profiles of the devices that can be used),
/// or a report of another program.
fn from_text(text: &str, find: FindProfile<'_>) -> Result<Vec<DeviceProfile>, String> {
    let not = |error: &dyn std::fmt::Display| format!("not a device profile: {error}");
    let value: Value = serde_json::from_str(text).map_err(|error| not(&error))?;
    let Value::Array(devices) = value else {
        if value.get("spirv").is_some() {
            return Ok(vec![DeviceProfile::from_json(text).map_err(|error| error.to_string())?]);
        }
        return import(&value, find).map_err(|error| error.to_string());
    };
    let profiles: Vec<&Value> = devices.iter().filter_map(|device| device.get("profile")).collect();
    let usable = profiles.iter().filter(|profile| !profile.is_null());
    let found: Result<Vec<DeviceProfile>, _> =
        usable.map(|profile| serde_json::from_value((*profile).clone())).collect();
    let found = found.map_err(|error| not(&error))?;
    if found.is_empty() {
        return Err(not(&"the list has no device that can be used"));
    }
    Ok(found)
}
