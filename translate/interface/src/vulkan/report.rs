//! What a report says of a device, whatever its format: members of structures, by name.

use super::{Told, spirv_version};
use crate::{DeviceProfile, vulkan_capabilities};
use serde_json::{Map, Value};
use std::collections::{BTreeMap, BTreeSet};

/// A report, read.
#[derive(Clone, Debug, Default)]
pub(super) struct Report {
    /// The device's name, or that of the profile.
    pub name: String,
    /// `apiVersion` as (major, minor).
    pub version: (u32, u32),
    pub extensions: BTreeSet<String>,
    /// Members, by the structure (`VkPhysicalDevice16BitStorageFeatures`) or by the extension that has it.
    pub structures: BTreeMap<String, Map<String, Value>>,
}

type Set = fn(&mut DeviceProfile);

/// A row of the table that sets a field of the profile.
struct Row {
    extension: &'static str,
    structure: &'static str,
    members: &'static [&'static str],
    set: Set,
}

/// A limit of the table.
struct Limit {
    member: &'static str,
    field: &'static str,
    set: fn(&mut DeviceProfile, &Value) -> Option<()>,
}

macro_rules! sets {
    (profile $field:ident) => {
        Some((|profile: &mut DeviceProfile| profile.$field = true) as Set)
    };
    (features $field:ident) => {
        None
    };
}

macro_rules! rows {
    (
        core features {
            $($core:ident => $core_owner:ident . $core_field:ident;)*
        }
        features {
            $([$feature_extension:expr, $feature_core:expr] $feature:ident: $feature_type:ident {
                $($($feature_member:ident)&&+ => $feature_owner:ident . $feature_field:ident;)*
            })*
        }
        properties {
            $([$property_extension:expr, $property_core:expr] $property:ident: $property_type:ident {
                $($property_member:ident => $property_owner:ident . $property_field:ident;)*
            })*
        }
        functions {
            $([$function_extension:expr, $function_core:expr])*
        }
        limits {
            $($limit_member:ident => $limit_owner:ident . $limit_field:ident;)*
        }
    ) => {
        fn rows() -> Vec<Row> {
            let mut rows = Vec::new();
            let mut add = |extension: &'static std::ffi::CStr, structure, members, set: Option<Set>| {
                let extension = extension.to_str().expect("names of extensions are ASCII");
                rows.extend(set.map(|set| Row { extension, structure, members, set }));
            };
            $(add(c"", "PhysicalDeviceFeatures", &[stringify!($core)], sets!($core_owner $core_field));)*
            $($(add($feature_extension, stringify!($feature_type), &[$(stringify!($feature_member)),+],
                sets!($feature_owner $feature_field));)*)*
            $($(add($property_extension, stringify!($property_type), &[stringify!($property_member)],
                sets!($property_owner $property_field));)*)*
            rows
        }

        fn limits() -> Vec<Limit> {
            vec![$(Limit {
                member: stringify!($limit_member),
                field: stringify!($limit_field),
                set: |profile, value| {
                    profile.$limit_field = FromReport::from_report(value)?;
                    Some(())
                },
            },)*]
        }
    };
}

vulkan_capabilities!(rows);

/// What a profile that was made of a report says of its numbers.
fn source(minimums: &[&str]) -> String {
    if minimums.is_empty() {
        return "a report".to_owned();
    }
    let fields: Vec<String> = minimums.iter().map(|field| format!("`{field}`")).collect();
    format!("a report; Vulkan's minimums, which it leaves out: {}", fields.join(", "))
}

/// `storage_buffer16_bit_access` as Vulkan spells it: `storageBuffer16BitAccess`.
fn camel_case(member: &str) -> String {
    let mut words = member.split('_');
    let first = words.next().unwrap_or_default().to_owned();
    words.fold(first, |text, word| {
        // What ash writes as one word.
        if matches!(word, "rte" | "rtz") {
            return text + &word.to_uppercase();
        }
        let mut letters = word.chars();
        letters.next().map_or(text.clone(), |letter| {
            format!("{text}{}{}", letter.to_ascii_uppercase(), letters.as_str())
        })
    })
}

impl Report {
    /// Adds the members of a structure.
    pub fn add(&mut self, structure: &str, members: &Map<String, Value>) {
        let known = self.structures.entry(structure.to_owned()).or_default();
        known.extend(members.iter().map(|(name, value)| (name.clone(), value.clone())));
    }

    /// A member, wherever the report has it: in its structure, in that of its extension, or among those of a
    /// version of Vulkan.
    fn member(&self, extension: &str, structure: &str, member: &str) -> Option<&Value> {
        let vendor = extension.split('_').nth(1).unwrap_or_default();
        let full = format!("Vk{structure}");
        let what = if structure.contains("Properties") { "Properties" } else { "Features" };
        let of_versions = ["11", "12", "13"].map(|version| format!("VkPhysicalDeviceVulkan{version}{what}"));
        let promoted = [format!("{full}{vendor}"), format!("{full}KHR"), full.clone(), extension.to_owned()];
        let mut names = promoted.iter().chain(&of_versions);
        names.find_map(|name| self.structures.get(name)?.get(member))
    }

    fn has(&self, row: &Row) -> bool {
        let truth = |member: &&str| {
            self.member(row.extension, row.structure, &camel_case(member)).is_some_and(is_true)
        };
        row.members.iter().all(truth)
    }

    fn number(&self, structure: &str, extension: &str, names: &[&str]) -> Option<u64> {
        names.iter().find_map(|name| number(self.member(extension, structure, name)?))
    }

    /// The profile. What the report does not say is what Vulkan requires of every device; the profile's
    /// `source` names these fields.
    pub fn profile(&self) -> DeviceProfile {
        let least = DeviceProfile::preset("vulkan-1.1").expect("it is a preset");
        let mut profile = DeviceProfile {
            name: self.name.clone(),
            max_push_constants: least.max_push_constants,
            max_local_memory: least.max_local_memory,
            max_work_group_invocations: least.max_work_group_invocations,
            max_work_group_size: least.max_work_group_size,
            max_work_group_count: least.max_work_group_count,
            max_storage_buffer_range: least.max_storage_buffer_range,
            max_storage_images: least.max_storage_images,
            max_sampled_images: least.max_sampled_images,
            max_samplers: least.max_samplers,
            ..DeviceProfile::default()
        };
        for row in rows().iter().filter(|row| self.has(row)) {
            (row.set)(&mut profile);
        }
        let limits_of_device = self.structures.get("limits");
        let mut minimums = Vec::new();
        for limit in limits() {
            let value = limits_of_device.and_then(|limits| limits.get(&camel_case(limit.member)));
            if value.and_then(|value| (limit.set)(&mut profile, value)).is_none() {
                minimums.push(limit.field);
            }
        }
        if self.subgroup_size().is_none() {
            minimums.push("subgroup_size");
        }
        profile.source = source(&minimums);
        self.told(&least).complete(&mut profile);
        profile
    }

    fn of_sub_groups(&self, names: &[&str]) -> Option<u64> {
        self.number("PhysicalDeviceSubgroupProperties", "", names)
    }

    fn subgroup_size(&self) -> Option<u32> {
        self.of_sub_groups(&["subgroupSize"]).map(|size| size as u32)
    }

    fn told(&self, least: &DeviceProfile) -> Told {
        let (driver_properties, driver_extension) =
            ("PhysicalDeviceDriverProperties", "VK_KHR_driver_properties");
        let float_controls = "PhysicalDeviceFloatControlsProperties";
        let driver_version = self
            .structures
            .get("VkPhysicalDeviceProperties")
            .and_then(|all| number(all.get("driverVersion")?));
        let driver_version = driver_version.unwrap_or(0);
        let driver_info =
            self.member(driver_extension, driver_properties, "driverInfo").and_then(Value::as_str);
        let driver = self.number(driver_properties, driver_extension, &["driverID"]).unwrap_or(0);
        let independence =
            self.number(float_controls, "VK_KHR_shader_float_controls", &["denormBehaviorIndependence"]);
        Told {
            version: self.version,
            spirv: spirv_version(self.version, self.extensions.contains("VK_KHR_spirv_1_4")),
            driver: driver as i32,
            driver_version: super::driver_version(driver_version as u32, driver_info.unwrap_or_default()),
            denorm_behavior_independence: independence.unwrap_or(0) as i32,
            subgroup_size: self.subgroup_size().unwrap_or(least.subgroup_size),
            subgroup_stages: self.of_sub_groups(&["subgroupSupportedStages", "supportedStages"]).unwrap_or(0)
                as u32,
            subgroup_operations: self
                .of_sub_groups(&["subgroupSupportedOperations", "supportedOperations"])
                .unwrap_or(0) as u32,
        }
    }
}

/// A limit as a report writes it, cut to 32 bits.
trait FromReport: Sized {
    fn from_report(value: &Value) -> Option<Self>;
}

impl FromReport for u32 {
    fn from_report(value: &Value) -> Option<Self> {
        Some(u32::try_from(number(value)?).unwrap_or(u32::MAX))
    }
}

impl FromReport for [u32; 3] {
    fn from_report(value: &Value) -> Option<Self> {
        let list = value.as_array()?.iter().map(u32::from_report).collect::<Option<Vec<_>>>()?;
        list.try_into().ok()
    }
}

fn is_true(value: &Value) -> bool {
    match value {
        Value::Bool(value) => *value,
        Value::Number(number) => number.as_f64().is_some_and(|number| number != 0.0),
        Value::String(text) => text == "true" || text == "1",
        _ => false,
    }
}

/// A number, the name of an enumerator that a profile depends on, or names of flags.
fn number(value: &Value) -> Option<u64> {
    match value {
        Value::Number(number) => number.as_u64().or_else(|| number.as_f64().map(|number| number as u64)),
        Value::String(text) => text.parse().ok().or_else(|| enumerator(text)),
        Value::Array(flags) => Some(
            flags.iter().filter_map(Value::as_str).filter_map(enumerator).fold(0, |all, flag| all | flag),
        ),
        _ => None,
    }
}

fn enumerator(name: &str) -> Option<u64> {
    Some(match name.strip_prefix("VK_").unwrap_or(name) {
        "SHADER_STAGE_COMPUTE_BIT" | "SHADER_STAGE_ALL" => u64::from(super::COMPUTE),
        "SUBGROUP_FEATURE_BASIC_BIT" => 0x1,
        "SUBGROUP_FEATURE_VOTE_BIT" => 0x2,
        "SUBGROUP_FEATURE_ARITHMETIC_BIT" => 0x4,
        "SUBGROUP_FEATURE_BALLOT_BIT" => 0x8,
        "SUBGROUP_FEATURE_SHUFFLE_BIT" => 0x10,
        "SUBGROUP_FEATURE_SHUFFLE_RELATIVE_BIT" => 0x20,
        "SUBGROUP_FEATURE_CLUSTERED_BIT" => 0x40,
        "SUBGROUP_FEATURE_QUAD_BIT" => 0x80,
        "SHADER_FLOAT_CONTROLS_INDEPENDENCE_32_BIT_ONLY" => 0,
        "SHADER_FLOAT_CONTROLS_INDEPENDENCE_ALL" => 1,
        "SHADER_FLOAT_CONTROLS_INDEPENDENCE_NONE" => 2,
        name => crate::driver::id(name)? as u64,
    })
}

#[cfg(test)]
mod tests {
    use super::{Report, camel_case};
    use crate::Quirk;
    use serde_json::json;

    /// `vulkaninfo` writes the enumerator, reports of vulkan.gpuinfo.org its number.
    #[test]
    fn a_driver_is_known_by_its_name_and_its_number() {
        for driver in [json!("VK_DRIVER_ID_MESA_PANVK"), json!("DRIVER_ID_MESA_PANVK"), json!(20)] {
            let mut report = Report { version: (1, 4), ..Report::default() };
            let members = json!({ "driverID": driver, "driverInfo": "Mesa 26.1.6" });
            report.add("VkPhysicalDeviceDriverProperties", members.as_object().unwrap());
            assert_eq!(
                report.profile().quirks,
                [
                    Quirk::LargePrivateMemory,
                    Quirk::ExpandedDivisions,
                    Quirk::CostlyPrivateMemory,
                    Quirk::CarriedSums
                ],
                "{driver}"
            );
        }
    }

    #[test]
    fn members_are_spelled_as_vulkan_spells_them() {
        for (ash, vulkan) in [
            ("storage_buffer16_bit_access", "storageBuffer16BitAccess"),
            ("shader_int8", "shaderInt8"),
            ("shader_rounding_mode_rte_float32", "shaderRoundingModeRTEFloat32"),
            ("shader_signed_zero_inf_nan_preserve_float16", "shaderSignedZeroInfNanPreserveFloat16"),
            ("max_per_stage_descriptor_storage_images", "maxPerStageDescriptorStorageImages"),
            ("shader_buffer_float32_atomic_min_max", "shaderBufferFloat32AtomicMinMax"),
        ] {
            assert_eq!(camel_case(ash), vulkan);
        }
    }
}
