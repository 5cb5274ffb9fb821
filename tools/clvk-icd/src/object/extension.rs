//! The extensions that devices list: the supported ones, as changed by `CLVK_EXTENSIONS`.
//!
//! Extensions of the API are rows of [`API`]; those of the language, features of [`clvk_interface::Feature`].
//!
//! `CLVK_EXTENSIONS=+name,-name` adds and hides names, for applications that look for a name although they
//! could work with or without it. It changes the lists of the devices and the platform, and the language
//! extensions that programs are compiled with (macros, pragmas). It changes nothing else: every other query
//! answers what the device can do, and a program that the device cannot run is refused when it is built.

use super::device::Device;
use super::platform::version;
use crate::cl::cl_version;
use clvk_interface::{Feature, FeatureKind, FeatureSet};
use std::sync::LazyLock;
use vk_runtime::{MemoryHandle, SemaphoreHandle};

/// An extension of the API.
struct Extension {
    name: &'static str,
    version: cl_version,
    offered: fn(&Device) -> bool,
}

const fn row(name: &'static str, version: cl_version, offered: fn(&Device) -> bool) -> Extension {
    Extension { name, version, offered }
}

/// The extensions of the API, in the order of the lists.
static API: &[Extension] = &[
    row("cl_khr_icd", version(1, 0, 0), |_| true),
    row("cl_khr_extended_versioning", version(1, 0, 0), |_| true),
    row("cl_khr_create_command_queue", version(1, 0, 0), |_| true),
    row("cl_khr_suggested_local_work_size", version(1, 0, 0), |_| true),
    // Queues accept the hints and ignore them.
    row("cl_khr_priority_hints", version(1, 0, 0), |_| true),
    row("cl_khr_throttle_hints", version(1, 0, 0), |_| true),
    row("cl_khr_command_buffer", version(0, 9, 8), |_| true),
    row("cl_khr_command_buffer_multi_device", version(0, 9, 2), |_| true),
    row("cl_khr_command_buffer_mutable_dispatch", version(0, 9, 5), |_| true),
    row("cl_khr_external_memory", version(1, 0, 0), Device::imports_memory),
    row("cl_khr_external_memory_opaque_fd", version(1, 0, 0), |device| {
        device.memory_handles().contains(&MemoryHandle::OpaqueFd)
    }),
    row("cl_khr_external_memory_dma_buf", version(1, 0, 0), |device| {
        device.memory_handles().contains(&MemoryHandle::DmaBuf)
    }),
    row("cl_khr_image2d_from_buffer", version(1, 0, 0), |device| device.has(Feature::Images)),
    row("cl_ext_image_requirements_info", version(0, 5, 0), |device| device.has(Feature::Images)),
    row("cl_ext_image_from_buffer", version(1, 0, 0), |device| device.has(Feature::Images)),
    row("cl_khr_semaphore", version(1, 0, 1), |_| true),
    row("cl_khr_external_semaphore", version(1, 0, 1), Device::shares_semaphores),
    row("cl_khr_external_semaphore_opaque_fd", version(1, 0, 0), |device| {
        device.semaphore_handles().contains(&SemaphoreHandle::OpaqueFd)
    }),
    row("cl_khr_external_semaphore_sync_fd", version(1, 0, 1), |device| {
        device.semaphore_handles().contains(&SemaphoreHandle::SyncFd)
    }),
    row("cl_khr_il_program", version(1, 0, 0), |_| true),
    // What it adds to SPIR-V is read; compilers may ignore all of it.
    row("cl_khr_expect_assume", version(1, 0, 0), |_| true),
    row("cl_khr_spirv_extended_debug_info", version(1, 0, 0), |_| true),
    row("cl_khr_spirv_linkonce_odr", version(1, 0, 0), |_| true),
    row("cl_khr_spirv_no_integer_wrap_decoration", version(1, 0, 0), |_| true),
    row("cl_khr_spirv_queries", version(1, 0, 0), |_| true),
    row("cl_khr_device_uuid", version(1, 0, 0), |_| true),
    // Its objects reach all memory, and are variables of the program.
    row("cl_ext_cxx_for_opencl", version(1, 0, 0), |device| {
        device.has(Feature::GenericAddressSpace) && device.has(Feature::ProgramScopeGlobalVariables)
    }),
    row("cl_ext_buffer_device_address", version(1, 0, 2), Device::has_addresses),
    row("cl_khr_unified_svm", version(0, 9, 0), Device::has_usm),
    row("cl_intel_unified_shared_memory", version(1, 1, 0), Device::has_usm),
    row("cl_intel_required_subgroup_size", version(1, 0, 0), Device::has_sub_groups),
    row("cl_arm_printf", version(2, 0, 0), |_| true),
    row("cl_khr_pci_bus_info", version(1, 0, 0), |device| device.facts().pci_address.is_some()),
];

/// The longest name that `cl_name_version` has room for.
const LONGEST_NAME: usize = 63;

/// The version of an extension.
pub fn version_of(name: &str) -> cl_version {
    API.iter().find(|extension| extension.name == name).map_or(version(1, 0, 0), |it| it.version)
}

/// The extension of the language that has this name.
fn of_language(name: &str) -> Option<Feature> {
    Feature::from_name(name).filter(|feature| feature.kind() == FeatureKind::Extension)
}

/// The names that a device lists.
pub fn names(device: &Device) -> Vec<String> {
    let api = API.iter().filter(|extension| (extension.offered)(device)).map(|extension| extension.name);
    let language = device.features().iter().filter(|feature| feature.kind() == FeatureKind::Extension);
    Wishes::of_user().apply(api.chain(language.map(Feature::name)))
}

/// The features that programs are compiled with, given those that a device supports.
pub fn features(offered: FeatureSet) -> FeatureSet {
    Wishes::of_user().apply_to_language(offered)
}

/// What `CLVK_EXTENSIONS` says.
#[derive(Debug, Default, PartialEq)]
struct Wishes {
    added: Vec<String>,
    hidden: Vec<String>,
}

impl Wishes {
    /// The wishes from the environment. Mistakes in them are reported once, on the standard error stream.
    fn of_user() -> &'static Wishes {
        static WISHES: LazyLock<Wishes> = LazyLock::new(|| {
            let text = std::env::var("CLVK_EXTENSIONS").unwrap_or_default();
            let (wishes, warnings) = Wishes::parse(&text);
            for warning in warnings {
                eprintln!("warning: CLVK_EXTENSIONS: {warning}");
            }
            wishes
        });
        &WISHES
    }

    /// Reads a list of names with signs before them, separated by commas or spaces. If a name occurs twice,
    /// the last occurrence counts.
    fn parse(text: &str) -> (Wishes, Vec<String>) {
        let (mut wishes, mut warnings) = (Wishes::default(), Vec::new());
        for item in text.split([',', ' ']).filter(|item| !item.is_empty()) {
            let (adds, name) = match (item.strip_prefix('+'), item.strip_prefix('-')) {
                (Some(name), _) => (true, name),
                (_, Some(name)) => (false, name),
                _ => {
                    warnings.push(format!("`{item}` needs a `+` to add it or a `-` to hide it"));
                    continue;
                }
            };
            let is_name = |name: &str| name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
            if name.is_empty() || name.len() > LONGEST_NAME || !is_name(name) {
                warnings.push(format!("`{name}` is not the name of an extension"));
                continue;
            }
            if adds && of_language(name).is_none() && API.iter().all(|extension| extension.name != name) {
                warnings.push(format!("`{name}` is now listed, but this driver does not implement it"));
            }
            wishes.added.retain(|other| other != name);
            wishes.hidden.retain(|other| other != name);
            let list = if adds { &mut wishes.added } else { &mut wishes.hidden };
            list.push(name.to_owned());
        }
        (wishes, warnings)
    }

    /// The names to list, given the supported ones.
    fn apply<'a>(&self, names: impl Iterator<Item = &'a str>) -> Vec<String> {
        let is_hidden = |name: &str| self.hidden.iter().any(|hidden| hidden == name);
        let mut listed: Vec<String> = names.filter(|name| !is_hidden(name)).map(str::to_owned).collect();
        for added in &self.added {
            if !listed.contains(added) {
                listed.push(added.clone());
            }
        }
        listed
    }

    /// The features to compile with, given the supported ones.
    fn apply_to_language(&self, offered: FeatureSet) -> FeatureSet {
        let named =
            |names: &[String]| names.iter().filter_map(|name| of_language(name)).collect::<FeatureSet>();
        let (added, hidden) = (named(&self.added), named(&self.hidden));
        offered.without(hidden).union(added)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clvk_interface::DeviceProfile;

    #[test]
    fn names_are_added_and_hidden() {
        let (wishes, warnings) = Wishes::parse("+cl_khr_subgroups,-cl_khr_fp16, -cl_khr_icd,+cl_khr_icd");
        assert_eq!(warnings, [""; 0]);
        let names = wishes.apply(["cl_khr_icd", "cl_khr_fp16", "cl_khr_fp64"].into_iter());
        assert_eq!(names, ["cl_khr_icd", "cl_khr_fp64", "cl_khr_subgroups"]);
        let features = wishes.apply_to_language([Feature::Fp16, Feature::Fp64].into_iter().collect());
        assert!(features.contains(Feature::SubGroupsExtension) && features.contains(Feature::Fp64));
        assert!(!features.contains(Feature::Fp16));
    }

    #[test]
    fn nothing_is_the_default() {
        assert_eq!(Wishes::parse(""), (Wishes::default(), Vec::new()));
    }

    #[test]
    fn what_cannot_be_meant_is_reported() {
        let (wishes, warnings) = Wishes::parse("cl_khr_fp16,+,+cl khr,-cl_khr_nothing,+cl_khr_subgruops");
        assert_eq!(wishes.added, ["cl", "cl_khr_subgruops"]);
        assert_eq!(wishes.hidden, ["cl_khr_nothing"]);
        for (warning, part) in
            warnings.iter().zip(["`cl_khr_fp16` needs", "``", "`cl`", "`khr`", "subgruops"])
        {
            assert!(warning.contains(part), "{warning}");
        }
        assert_eq!(warnings.len(), 5);
        let long = format!("+{}", "x".repeat(64));
        assert_eq!(Wishes::parse(&long).0, Wishes::default());
    }

    #[test]
    fn features_of_the_language_that_are_no_extensions_stay() {
        let (wishes, warnings) = Wishes::parse("-__opencl_c_fp64");
        assert!(warnings.is_empty());
        let offered: FeatureSet = [Feature::Fp64LanguageFeature].into_iter().collect();
        assert_eq!(wishes.apply_to_language(offered), offered);
    }

    /// The page lists what is offered, and nothing else as offered.
    #[test]
    fn the_page_of_extensions_agrees() {
        let page = include_str!("../../../../docs/reference/extensions.md");
        let rows = page.lines().filter_map(|line| line.strip_prefix("| `")?.split_once("` | "));
        let rows: Vec<(&str, bool)> = rows.map(|(name, rest)| (name, !rest.starts_with("no |"))).collect();
        for extension in API {
            assert!(rows.contains(&(extension.name, true)), "{} is offered", extension.name);
        }
        let presets = DeviceProfile::preset_names().map(|name| DeviceProfile::preset(name).expect(name));
        let anywhere = presets.fold(FeatureSet::EMPTY, |set, preset| set.union(FeatureSet::of(&preset)));
        let language = Feature::ALL.iter().filter(|feature| feature.kind() == FeatureKind::Extension);
        for &feature in language {
            let row = (feature.name(), anywhere.contains(feature));
            assert!(rows.contains(&row), "{} is offered: {}", row.0, row.1);
        }
        for (name, offered) in rows {
            let known = API.iter().any(|extension| extension.name == name) || of_language(name).is_some();
            assert!(known || !offered, "{name} is not offered");
        }
    }
}
