//! Reads the reports that other programs write: `vulkaninfo --json` in its newer form, which is Khronos'
//! format of Vulkan Profiles, and in its older one; reports of vulkan.gpuinfo.org; `cmd gpu vkjson` of
//! Android; and Vulkan Profiles themselves (`VP_KHR_roadmap.json`).
//!
//! A format is known by its members, not by the name of a file. What a report does not say is what Vulkan
//! requires of every device.

use super::report::Report;
use crate::DeviceProfile;
use serde_json::{Map, Value};
use std::borrow::Cow;

/// Why no profile could be made.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ImportError {
    /// The members are those of no known format.
    #[error(
        "not a report that is known: expected `vulkaninfo --json`, a report of vulkan.gpuinfo.org, `cmd gpu vkjson`, \
         or a file of Vulkan Profiles"
    )]
    UnknownFormat,
    /// A profile requires another one, which cannot be found.
    #[error(
        "incomplete: the profile `{profile}` requires `{missing}`, which is neither in it nor in `{missing}.json` \
         beside it"
    )]
    MissingProfile {
        /// The profile.
        profile: String,
        /// The one that it requires.
        missing: String,
    },
    /// A profile names capabilities that its file does not have.
    #[error(
        "incomplete: the profile `{profile}` needs the capabilities `{missing}`, which are not in its file"
    )]
    MissingCapabilities {
        /// The profile.
        profile: String,
        /// What it names.
        missing: String,
    },
    /// The device has Vulkan 1.0.
    #[error("of the device `{name}`, which has Vulkan {}.{}; clvk needs 1.1", version.0, version.1)]
    TooOld {
        /// The device.
        name: String,
        /// (major, minor).
        version: (u32, u32),
    },
}

/// Finds the file of a Vulkan Profile by the profile's name.
pub type FindProfile<'a> = &'a dyn Fn(&str) -> Option<Value>;

/// The profiles of the devices that a report describes, or the Vulkan Profiles of a file. Profiles that these
/// require may be in other files, which `find` gives.
///
/// # Errors
/// The format is not known, or what it says is incomplete.
pub fn import(report: &Value, find: FindProfile<'_>) -> Result<Vec<DeviceProfile>, ImportError> {
    let reports =
        if report.get("profiles").is_some_and(Value::is_object) && report.get("capabilities").is_some() {
            vulkan_profiles(report, find)?
        } else if let Some(devices) = report.get("devices").and_then(Value::as_array) {
            devices.iter().filter_map(vkjson).collect()
        } else if report.get("environment").is_some() && report.get("properties").is_some() {
            vec![gpuinfo(report)]
        } else if report.get("VkPhysicalDeviceProperties").is_some() {
            vec![vulkaninfo(report)]
        } else {
            Vec::new()
        };
    if reports.is_empty() {
        return Err(ImportError::UnknownFormat);
    }
    // A file of several profiles may begin with one for Vulkan 1.0.
    let (usable, mut old): (Vec<_>, Vec<_>) =
        reports.into_iter().partition(|report| report.version >= (1, 1));
    match (usable.is_empty(), old.pop()) {
        (true, Some(report)) => Err(ImportError::TooOld { name: report.name, version: report.version }),
        _ => Ok(usable.iter().map(Report::profile).collect()),
    }
}

impl Report {
    /// Of a device with these properties and extensions.
    fn of(properties: &Value, extensions: impl Iterator<Item = String>) -> Self {
        let (name, version) = (text(properties.get("deviceName")), version(properties.get("apiVersion")));
        Report { name, version, extensions: extensions.collect(), ..Report::default() }
    }
}

fn text(value: Option<&Value>) -> String {
    value.and_then(Value::as_str).unwrap_or_default().to_owned()
}

/// A packed version, or one in words (`1.3.204`), as (major, minor).
fn version(value: Option<&Value>) -> (u32, u32) {
    match value {
        Some(Value::String(text)) => {
            let mut parts = text.split('.').map(|part| part.parse().unwrap_or(0));
            (parts.next().unwrap_or(0), parts.next().unwrap_or(0))
        }
        Some(value) => {
            let packed = value.as_f64().unwrap_or(0.0) as u32;
            (packed >> 22 & 0x7f, packed >> 12 & 0x3ff)
        }
        None => (0, 0),
    }
}

/// Members of `properties`, with the limits apart.
fn add_properties(report: &mut Report, properties: &Map<String, Value>) {
    if let Some(limits) = properties.get("limits").and_then(Value::as_object) {
        report.add("limits", limits);
    }
    report.add("VkPhysicalDeviceProperties", properties);
}

fn add_structure(report: &mut Report, name: &str, members: &Value) {
    let Some(members) = members.as_object() else { return };
    match name {
        "VkPhysicalDeviceProperties" => add_properties(report, members),
        // With the older structure around them.
        "VkPhysicalDeviceProperties2" | "VkPhysicalDeviceFeatures2" => {
            for (inner, name) in
                [("properties", "VkPhysicalDeviceProperties"), ("features", "VkPhysicalDeviceFeatures")]
            {
                if let Some(members) = members.get(inner) {
                    add_structure(report, name, members);
                }
            }
        }
        // A profile may name single limits: `limits.maxPushConstantsSize`.
        _ => report.add(name, members),
    }
}

fn extension_names(list: Option<&Value>) -> impl Iterator<Item = String> {
    let list = list.and_then(Value::as_array).cloned().unwrap_or_default();
    list.into_iter().filter_map(|extension| match extension {
        Value::String(name) => Some(name),
        other => other.get("extensionName").and_then(Value::as_str).map(str::to_owned),
    })
}

/// Khronos' format: a file, and the others that its profiles require.
struct VulkanProfiles<'a> {
    files: Vec<Cow<'a, Value>>,
    find: FindProfile<'a>,
}

fn vulkan_profiles(file: &Value, find: FindProfile<'_>) -> Result<Vec<Report>, ImportError> {
    let profiles = file["profiles"].as_object().expect("it was looked for");
    let mut files = VulkanProfiles { files: vec![Cow::Borrowed(file)], find };
    profiles.keys().map(|name| files.report(name)).collect()
}

impl VulkanProfiles<'_> {
    /// The index of the file that describes a profile.
    fn file_of(&mut self, profile: &str) -> Option<usize> {
        let describes = |file: &Value| file.get("profiles").is_some_and(|all| all.get(profile).is_some());
        if let Some(index) = self.files.iter().position(|file| describes(file)) {
            return Some(index);
        }
        self.files.push(Cow::Owned((self.find)(profile).filter(describes)?));
        Some(self.files.len() - 1)
    }

    fn report(&mut self, name: &str) -> Result<Report, ImportError> {
        let mut report = Report { name: name.to_owned(), ..Report::default() };
        let (mut waiting, mut seen) = (vec![name.to_owned()], Vec::new());
        // Required profiles first, so that what the profile itself says stays.
        while let Some(name) = waiting.pop() {
            if seen.iter().any(|(other, _)| *other == name) {
                continue;
            }
            let index = self.file_of(&name).ok_or_else(|| ImportError::MissingProfile {
                profile: report.name.clone(),
                missing: name.clone(),
            })?;
            let profile = &self.files[index]["profiles"][&name];
            seen.push((name, index));
            report.version = report.version.max(version(profile.get("api-version")));
            let required = profile.get("profiles").and_then(Value::as_array);
            waiting.extend(required.into_iter().flatten().filter_map(Value::as_str).map(str::to_owned));
        }
        for (name, index) in seen.iter().rev() {
            add_capabilities(&mut report, name, &self.files[*index])?;
        }
        let own = report.structures.get("VkPhysicalDeviceProperties").and_then(|it| it.get("deviceName"));
        if let Some(device) = own.and_then(Value::as_str) {
            report.name = device.to_owned();
        }
        Ok(report)
    }
}

fn add_capabilities(report: &mut Report, name: &str, file: &Value) -> Result<(), ImportError> {
    let capabilities = file["profiles"][name].get("capabilities").and_then(Value::as_array);
    for capability in capabilities.into_iter().flatten() {
        // Where a device chooses among several, none of them is sure.
        let only = capability.as_array().filter(|choice| choice.len() == 1).map(|choice| &choice[0]);
        let Some(block) = only.unwrap_or(capability).as_str() else { continue };
        let missing =
            || ImportError::MissingCapabilities { profile: name.to_owned(), missing: block.to_owned() };
        add_block(report, file["capabilities"].get(block).ok_or_else(missing)?);
    }
    Ok(())
}

fn add_block(report: &mut Report, block: &Value) {
    if let Some(extensions) = block.get("extensions").and_then(Value::as_object) {
        report.extensions.extend(extensions.keys().cloned());
    }
    for part in ["features", "properties"] {
        for (name, members) in block.get(part).and_then(Value::as_object).into_iter().flatten() {
            add_structure(report, name, members);
        }
    }
}

/// The older form of `vulkaninfo --json`: structures at the top.
fn vulkaninfo(file: &Value) -> Report {
    let extensions = extension_names(file.get("ArrayOfVkExtensionProperties"));
    let mut report = Report::of(&file["VkPhysicalDeviceProperties"], extensions);
    for (name, members) in file.as_object().into_iter().flatten() {
        if name.starts_with("VkPhysicalDevice") {
            add_structure(&mut report, name, members);
        }
        // The newest of the older files group extensions and versions.
        for (inner, members) in members.as_object().into_iter().flatten() {
            if inner.starts_with("VkPhysicalDevice") {
                add_structure(&mut report, inner, members);
            }
        }
    }
    report
}

/// A report of vulkan.gpuinfo.org: features of extensions are in lists, by the extension's name.
fn gpuinfo(file: &Value) -> Report {
    let properties = &file["properties"];
    let mut report = Report::of(properties, extension_names(file.get("extensions")));
    add_structure(&mut report, "VkPhysicalDeviceProperties", properties);
    add_structure(&mut report, "VkPhysicalDeviceFeatures", &file["features"]);
    add_structure(&mut report, "VkPhysicalDeviceSubgroupProperties", &properties["subgroupProperties"]);
    for number in ["11", "12", "13"] {
        let core = &file[format!("core{number}")];
        for (part, what) in [("features", "Features"), ("properties", "Properties")] {
            add_structure(&mut report, &format!("VkPhysicalDeviceVulkan{number}{what}"), &core[part]);
        }
    }
    for (list, value) in [("devicefeatures2", "supported"), ("deviceproperties2", "value")] {
        for row in file["extended"].get(list).and_then(Value::as_array).into_iter().flatten() {
            let (extension, name) = (text(row.get("extension")), text(row.get("name")));
            if let Some(value) = row.get(value) {
                report.add(&extension, &Map::from_iter([(name, value.clone())]));
            }
        }
    }
    report
}

/// A device of `cmd gpu vkjson`: extensions hold their structures.
fn vkjson(device: &Value) -> Option<Report> {
    let properties = device.get("properties")?;
    let mut report = Report::of(properties, extension_names(device.get("extensions")));
    add_structure(&mut report, "VkPhysicalDeviceProperties", properties);
    add_structure(&mut report, "VkPhysicalDeviceFeatures", device.get("features")?);
    if let Some(sub_groups) = device.get("subgroupProperties") {
        add_structure(&mut report, "VkPhysicalDeviceSubgroupProperties", sub_groups);
    }
    for (name, members) in device.as_object().into_iter().flatten() {
        let core = name.strip_prefix("core");
        for (part, inner) in members.as_object().into_iter().flatten() {
            if let Some(number) = core {
                let what = if part == "features" { "Features" } else { "Properties" };
                add_structure(&mut report, &format!("VkPhysicalDeviceVulkan{number}{what}"), inner);
            } else if name.starts_with("VK_")
                && let Some(inner) = inner.as_object()
            {
                report.add(name, inner);
            }
        }
    }
    Some(report)
}
