//! What the compiler needs to know about a Vulkan device.

use crate::{Guarantee, MatrixProduct, Preference, Quirk, ShaderFeature};
use serde::de::{IntoDeserializer as _, value};
use serde::{Deserialize, Serialize};

/// How pointers to global and constant memory are represented.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum AddressingMode {
    /// 64-bit addresses (`VK_KHR_buffer_device_address`).
    Physical,
    /// Storage-buffer descriptors; a pointer is a buffer and a byte offset.
    Logical,
}

/// Features and limits of a Vulkan device, named after the Vulkan members they come from.
///
/// A plain description without a handle: see the crate's documentation. Sizes are in bytes unless stated
/// otherwise. The default has no features at all, unlike any real device.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[expect(clippy::struct_excessive_bools)]
pub struct DeviceProfile {
    /// Name of the device or of the preset, for messages and cache keys.
    pub name: String,
    /// Where the numbers come from, for readers, and which of them are only what Vulkan requires of every
    /// device (`…; Vulkan's minimums: FIELDS`); empty if a live device provided them.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub source: String,
    /// Of a preset: whose driver it describes, `Qualcomm` or `Mesa (Turnip)`; empty if a live device or no
    /// driver at all is described.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub driver: String,
    /// `VkPhysicalDeviceProperties::apiVersion` as (major, minor).
    pub vulkan: (u32, u32),
    /// Highest SPIR-V version that may be emitted, as (major, minor).
    pub spirv: (u32, u32),
    /// `shaderInt8`.
    pub int8: bool,
    /// `shaderInt16`.
    pub int16: bool,
    /// `shaderInt64`.
    pub int64: bool,
    /// `shaderFloat16`.
    pub float16: bool,
    /// `shaderFloat64`.
    pub float64: bool,
    /// `storageBuffer8BitAccess`.
    pub storage_8bit: bool,
    /// `storageBuffer16BitAccess`.
    pub storage_16bit: bool,
    /// `storagePushConstant8`.
    pub push_constant_8bit: bool,
    /// `storagePushConstant16`.
    pub push_constant_16bit: bool,
    /// `bufferDeviceAddress`.
    pub buffer_device_address: bool,
    /// `vulkanMemoryModel` together with `vulkanMemoryModelDeviceScope`.
    pub vulkan_memory_model: bool,
    /// `shaderBufferInt64Atomics`.
    pub buffer_int64_atomics: bool,
    /// `shaderSharedInt64Atomics`.
    pub shared_int64_atomics: bool,
    /// `shaderBufferFloat32AtomicAdd` together with `shaderBufferFloat32Atomics`.
    pub buffer_float32_add: bool,
    /// `shaderSharedFloat32AtomicAdd` together with `shaderSharedFloat32Atomics`.
    pub shared_float32_add: bool,
    /// `shaderBufferFloat32AtomicMinMax`.
    pub buffer_float32_min_max: bool,
    /// `shaderSharedFloat32AtomicMinMax`.
    pub shared_float32_min_max: bool,
    /// `shaderBufferFloat64AtomicAdd`.
    pub buffer_float64_add: bool,
    /// `shaderSharedFloat64AtomicAdd`.
    pub shared_float64_add: bool,
    /// `shaderIntegerDotProduct`.
    pub integer_dot_product: bool,
    /// `shaderDeviceClock`.
    pub device_clock: bool,
    /// `shaderSubgroupClock`.
    pub subgroup_clock: bool,
    /// `shaderSignedZeroInfNanPreserveFloat32`.
    pub signed_zero_inf_nan_preserve_f32: bool,
    /// `shaderDenormPreserveFloat32`.
    pub denorm_preserve_f32: bool,
    /// `shaderDenormFlushToZeroFloat32`, where single precision may flush independently of the others
    /// (`denormBehaviorIndependence`).
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub denorm_flush_f32: bool,
    /// `shaderRoundingModeRTEFloat32`.
    pub rounding_rte_f32: bool,
    /// `shaderSignedZeroInfNanPreserveFloat16`.
    pub signed_zero_inf_nan_preserve_f16: bool,
    /// `shaderDenormPreserveFloat16`.
    pub denorm_preserve_f16: bool,
    /// `shaderRoundingModeRTEFloat16`.
    pub rounding_rte_f16: bool,
    /// `shaderSignedZeroInfNanPreserveFloat64`.
    pub signed_zero_inf_nan_preserve_f64: bool,
    /// `shaderDenormPreserveFloat64`.
    pub denorm_preserve_f64: bool,
    /// `shaderRoundingModeRTEFloat64`.
    pub rounding_rte_f64: bool,
    /// `scalarBlockLayout`.
    pub scalar_block_layout: bool,
    /// `shaderStorageImageReadWithoutFormat`.
    pub image_read_without_format: bool,
    /// `shaderStorageImageWriteWithoutFormat`.
    pub image_write_without_format: bool,
    /// `VkPhysicalDeviceSubgroupProperties::subgroupSize`, in invocations.
    pub subgroup_size: u32,
    /// `supportedOperations` includes votes, arithmetic and ballots, and `supportedStages` includes compute.
    pub subgroup_arithmetic: bool,
    /// `supportedOperations` includes shuffles.
    pub subgroup_shuffle: bool,
    /// `supportedOperations` includes clusters.
    pub subgroup_clustered: bool,
    /// `shaderSubgroupExtendedTypes`.
    pub subgroup_extended_types: bool,
    /// `computeFullSubgroups`.
    pub compute_full_subgroups: bool,
    /// `maxPushConstantsSize`.
    pub max_push_constants: u32,
    /// `maxComputeSharedMemorySize`.
    pub max_local_memory: u32,
    /// `maxComputeWorkGroupInvocations`.
    pub max_work_group_invocations: u32,
    /// `maxComputeWorkGroupSize`.
    pub max_work_group_size: [u32; 3],
    /// `maxComputeWorkGroupCount`.
    pub max_work_group_count: [u32; 3],
    /// `maxStorageBufferRange`.
    pub max_storage_buffer_range: u32,
    /// `maxPerStageDescriptorStorageImages`.
    pub max_storage_images: u32,
    /// `maxPerStageDescriptorSampledImages`.
    #[serde(default = "least_sampled")]
    pub max_sampled_images: u32,
    /// `maxPerStageDescriptorSamplers`.
    #[serde(default = "least_sampled")]
    pub max_samplers: u32,
    /// `maxPerStageDescriptorStorageBuffers`; 0 if it does not matter.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub max_storage_buffers: u32,
    /// The products for which it has a matrix engine, in the scope of a sub-group and without saturation
    /// (`vkGetPhysicalDeviceCooperativeMatrixPropertiesKHR`).
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub matrices: Vec<MatrixProduct>,
    /// The optional features of WebGPU that shaders in naga's languages may use
    /// ([`DeviceProfile::with_shader_features`]). Without them shaders run everywhere.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub shader_features: Vec<ShaderFeature>,
    /// What the driver does wrong.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub quirks: Vec<Quirk>,
    /// What the driver does better than Vulkan demands.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub guarantees: Vec<Guarantee>,
    /// What the driver does faster than its alternative.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub preferences: Vec<Preference>,
}

/// The value of an enumeration that has this name in profiles.
pub(crate) fn named<'a, T: Deserialize<'a>>(name: &'a str) -> Option<T> {
    let name: value::StrDeserializer<'a, value::Error> = name.into_deserializer();
    T::deserialize(name).ok()
}

/// How many images a device can sample, and with how many samplers, at least (Vulkan, Required Limits): for
/// profiles that were written before they said it.
fn least_sampled() -> u32 {
    16
}

fn is_zero(number: &u32) -> bool {
    *number == 0
}

/// Why a profile could not be read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ProfileError {
    /// The text is not the JSON form of a profile.
    #[error("not a device profile: {0}")]
    Json(#[from] serde_json::Error),
    /// No preset has this name.
    #[error("no device profile is called `{name}`; the presets are {known}")]
    UnknownPreset {
        /// The name that was asked for.
        name: String,
        /// The names that exist, separated by commas.
        known: String,
    },
}

/// Bytes of the uniform buffer with the arguments. OpenCL demands room for 1024 bytes of arguments
/// (`CL_DEVICE_MAX_PARAMETER_SIZE`), and WebGPU guarantees uniform buffers of four times this size.
const UNIFORM_BLOCK: u32 = 16384;

/// The smallest and the largest number of work-items in a sub-group that WebGPU allows.
const WEBGPU_SUB_GROUPS: (u32, u32) = (4, 128);

/// The presets, by name: each is the JSON form of a profile.
const PRESETS: &[(&str, &str)] = &[
    ("lavapipe-22.3", include_str!("../profiles/lavapipe-22.3.json")),
    ("lavapipe-25.0", include_str!("../profiles/lavapipe-25.0.json")),
    ("lavapipe-26.2", include_str!("../profiles/lavapipe-26.2.json")),
    ("swiftshader", include_str!("../profiles/swiftshader.json")),
    ("nvidia-h200", include_str!("../profiles/nvidia-h200.json")),
    ("mali-g610", include_str!("../profiles/mali-g610.json")),
    ("adreno-630", include_str!("../profiles/adreno-630.json")),
    ("adreno-660", include_str!("../profiles/adreno-660.json")),
    ("adreno-740", include_str!("../profiles/adreno-740.json")),
    ("adreno-750", include_str!("../profiles/adreno-750.json")),
    ("radv-navi31", include_str!("../profiles/radv-navi31.json")),
    ("anv-tgl", include_str!("../profiles/anv-tgl.json")),
    ("nvk-turing", include_str!("../profiles/nvk-turing.json")),
    ("v3dv-rpi5", include_str!("../profiles/v3dv-rpi5.json")),
    ("apple-m1", include_str!("../profiles/apple-m1.json")),
    ("qualcomm-adreno-506", include_str!("../profiles/qualcomm-adreno-506.json")),
    ("qualcomm-adreno-610", include_str!("../profiles/qualcomm-adreno-610.json")),
    ("qualcomm-adreno-640", include_str!("../profiles/qualcomm-adreno-640.json")),
    ("qualcomm-adreno-650", include_str!("../profiles/qualcomm-adreno-650.json")),
    ("qualcomm-adreno-660", include_str!("../profiles/qualcomm-adreno-660.json")),
    ("qualcomm-adreno-730", include_str!("../profiles/qualcomm-adreno-730.json")),
    ("qualcomm-adreno-740", include_str!("../profiles/qualcomm-adreno-740.json")),
    ("qualcomm-adreno-750", include_str!("../profiles/qualcomm-adreno-750.json")),
    ("qualcomm-adreno-830", include_str!("../profiles/qualcomm-adreno-830.json")),
    ("arm-mali-g52", include_str!("../profiles/arm-mali-g52.json")),
    ("arm-mali-g57", include_str!("../profiles/arm-mali-g57.json")),
    ("arm-mali-g76", include_str!("../profiles/arm-mali-g76.json")),
    ("arm-mali-g78", include_str!("../profiles/arm-mali-g78.json")),
    ("arm-mali-g710", include_str!("../profiles/arm-mali-g710.json")),
    ("arm-mali-g715", include_str!("../profiles/arm-mali-g715.json")),
    ("arm-mali-g720", include_str!("../profiles/arm-mali-g720.json")),
    ("imagination-ge8320", include_str!("../profiles/imagination-ge8320.json")),
    ("imagination-bxm-8-256", include_str!("../profiles/imagination-bxm-8-256.json")),
    ("samsung-xclipse-940", include_str!("../profiles/samsung-xclipse-940.json")),
    ("android-baseline-2022", include_str!("../profiles/android-baseline-2022.json")),
    ("metal", include_str!("../profiles/metal.json")),
    ("webgpu", include_str!("../profiles/webgpu.json")),
    ("vulkan-1.1", include_str!("../profiles/vulkan-1.1.json")),
];

impl DeviceProfile {
    /// Reads the JSON form.
    ///
    /// # Errors
    /// [`ProfileError::Json`] with the place where the text is wrong.
    pub fn from_json(text: &str) -> Result<Self, ProfileError> {
        Ok(serde_json::from_str(text)?)
    }

    /// The JSON form, indented.
    #[must_use]
    pub fn to_json(&self) -> String {
        serde_json::to_string_pretty(self).expect("a profile holds only strings, numbers and booleans")
    }

    /// The names that [`DeviceProfile::preset`] knows.
    pub fn preset_names() -> impl Iterator<Item = &'static str> {
        PRESETS.iter().map(|(name, _)| *name)
    }

    /// A profile that is shipped with the compiler.
    ///
    /// # Errors
    /// [`ProfileError::UnknownPreset`], which lists the names that exist.
    pub fn preset(name: &str) -> Result<Self, ProfileError> {
        match PRESETS.iter().find(|(known, _)| *known == name) {
            Some((_, json)) => Self::from_json(json),
            None => Err(ProfileError::UnknownPreset {
                name: name.to_owned(),
                known: Self::preset_names().collect::<Vec<_>>().join(", "),
            }),
        }
    }

    /// Whether the driver has this quirk.
    #[must_use]
    pub fn has(&self, quirk: Quirk) -> bool {
        self.quirks.contains(&quirk)
    }

    /// Whether the driver gives this guarantee, and the device has the feature that it concerns.
    #[must_use]
    pub fn gives(&self, guarantee: Guarantee) -> bool {
        let applies = self.float64 || !guarantee.is_of_doubles();
        applies && self.guarantees.contains(&guarantee)
    }

    /// Whether this is faster on the device than its alternative.
    #[must_use]
    pub fn prefers(&self, preference: Preference) -> bool {
        self.preferences.contains(&preference)
    }

    /// Whether the device computes in half precision: only where it promises to round to nearest even.
    /// Elsewhere half precision is computed in single precision and rounded.
    #[must_use]
    pub fn native_half(&self) -> bool {
        self.float16 && self.rounding_rte_f16
    }

    /// Whether the device computes with 8-bit integers; elsewhere they are computed in 32 bits.
    #[must_use]
    pub fn native_int8(&self) -> bool {
        self.int8 && !self.has(Quirk::NarrowIntegers)
    }

    /// Whether the device computes with 16-bit integers; elsewhere they are computed in 32 bits.
    #[must_use]
    pub fn native_int16(&self) -> bool {
        self.int16 && !self.has(Quirk::NarrowIntegers)
    }

    /// Whether buffers are accessed by bytes. Where the device can load bytes but not compute with them, they
    /// are extracted from words.
    #[must_use]
    pub fn buffers_hold_8bit(&self) -> bool {
        self.storage_8bit && self.int8
    }

    /// Whether buffers are accessed in 16-bit units.
    #[must_use]
    pub fn buffers_hold_16bit(&self) -> bool {
        self.storage_16bit && self.int16
    }

    /// Whether kernels see the device's sub-groups, which it must be able to compute with. Elsewhere each
    /// work-item is a sub-group; then all sub-group functions are trivial, and right.
    #[must_use]
    pub fn has_sub_groups(&self) -> bool {
        self.subgroup_arithmetic
    }

    /// Whether a work-item can read a value of any other in its sub-group.
    #[must_use]
    pub(crate) fn shuffles(&self) -> bool {
        self.subgroup_shuffle || !self.has_sub_groups()
    }

    /// Whether sub-groups can read and write blocks of buffers and images (`cl_intel_subgroups`). The bytes
    /// of a pixel, at most four, may come from as many work-items.
    #[must_use]
    pub(crate) fn has_blocks(&self) -> bool {
        self.shuffles() && self.image_write_without_format && self.sub_group_size() >= 4
    }

    /// The largest number of work-items in a sub-group.
    #[must_use]
    pub fn sub_group_size(&self) -> u32 {
        if self.has_sub_groups() { self.subgroup_size.max(1) } else { 1 }
    }

    /// The smallest number of work-items in a full sub-group. WebGPU's sub-groups differ from device to
    /// device, and what is compiled for one runs on all.
    #[must_use]
    pub fn least_sub_group_size(&self) -> u32 {
        match self.has_sub_groups() && self.shader_features.contains(&ShaderFeature::SubGroups) {
            true => WEBGPU_SUB_GROUPS.0,
            false => self.sub_group_size(),
        }
    }

    /// Whether the device scans sub-groups by all operations; WebGPU does by sums and products alone.
    #[must_use]
    pub fn scans_by_all(&self) -> bool {
        !self.shader_features.contains(&ShaderFeature::SubGroups)
    }

    /// What this profile has and `device` lacks, so that what is compiled for this profile does not suit the
    /// device, as a clause; `None` if it suits. Names and versions do not matter, but that of SPIR-V.
    #[must_use]
    pub fn beyond(&self, device: &DeviceProfile) -> Option<String> {
        use serde_json::Value;
        if self.spirv > device.spirv {
            return Some(format!("it takes SPIR-V up to {}.{} only", device.spirv.0, device.spirv.1));
        }
        if self.sub_group_size() != device.sub_group_size() && self.has_sub_groups() {
            return Some(format!("its sub-groups have {} work-items", device.sub_group_size()));
        }
        if let Some(product) = self.matrices.iter().find(|&product| !device.matrices.contains(product)) {
            return Some(format!("it has no matrix engine for {product}"));
        }
        let json = |profile: &DeviceProfile| serde_json::to_value(profile).expect("a profile is plain data");
        let (Value::Object(mine), theirs) = (json(self), json(device)) else {
            unreachable!("a profile is an object")
        };
        let exceeds = |mine: &Value, other: Option<&Value>| match (mine, other) {
            (Value::Bool(mine), other) => *mine && other != Some(&Value::Bool(true)),
            (Value::Number(mine), Some(Value::Number(other))) => mine.as_u64() > other.as_u64(),
            _ => false,
        };
        mine.iter().find_map(|(name, value)| match (value, theirs.get(name)) {
            (Value::Bool(_), other) if exceeds(value, other) => Some(format!("it has no `{name}`")),
            (Value::Number(_), Some(other)) if name.starts_with("max_") && exceeds(value, Some(other)) => {
                Some(format!("its `{name}` is {other}"))
            }
            (Value::Array(values), Some(Value::Array(others))) if name.starts_with("max_") => {
                let larger = values.iter().zip(others).any(|(mine, other)| exceeds(mine, Some(other)));
                larger.then(|| format!("its `{name}` is {}", Value::Array(others.clone())))
            }
            _ => None,
        })
    }

    /// The same device, with these optional features of WebGPU and what they bring.
    ///
    /// As for single precision, WGSL promises no direction of rounding. Results are those of OpenCL where the
    /// device rounds to nearest even, as all devices do that are known to have the feature.
    #[must_use]
    pub fn with_shader_features(&self, features: &[ShaderFeature]) -> DeviceProfile {
        let mut profile = self.clone();
        profile.shader_features = features.to_vec();
        profile.shader_features.sort_unstable();
        profile.shader_features.dedup();
        if features.contains(&ShaderFeature::Half) {
            (profile.float16, profile.rounding_rte_f16) = (true, true);
        }
        if features.contains(&ShaderFeature::SubGroups) {
            profile.subgroup_size = WEBGPU_SUB_GROUPS.1;
            (profile.subgroup_arithmetic, profile.subgroup_shuffle) = (true, true);
        }
        profile
    }

    /// The device as far as naga's languages can use it: 32-bit numbers, buffers that are bound, and no
    /// sub-groups, but for the [`shader_features`](DeviceProfile::shader_features). The quirks are those of
    /// the languages, not of the device's driver.
    #[must_use]
    pub fn for_naga(&self) -> DeviceProfile {
        self.portable_for_naga().with_shader_features(&self.shader_features)
    }

    fn portable_for_naga(&self) -> DeviceProfile {
        DeviceProfile {
            name: self.name.clone(),
            source: self.source.clone(),
            vulkan: self.vulkan,
            spirv: self.spirv,
            subgroup_size: 1,
            // A uniform buffer holds far more than push constants do.
            max_push_constants: UNIFORM_BLOCK,
            max_local_memory: self.max_local_memory,
            max_work_group_invocations: self.max_work_group_invocations,
            max_work_group_size: self.max_work_group_size,
            max_work_group_count: self.max_work_group_count,
            max_storage_buffer_range: self.max_storage_buffer_range,
            max_storage_images: self.max_storage_images,
            max_storage_buffers: self.max_storage_buffers,
            max_sampled_images: self.max_sampled_images,
            max_samplers: self.max_samplers,
            // The writer puts a format into the text.
            image_write_without_format: true,
            quirks: vec![
                // WGSL has room for 8 KiB of private variables, and clears all of them.
                Quirk::LargePrivateMemory,
                Quirk::ReassociatedFloats,
                // It may take a subnormal number as zero, or not.
                Quirk::SubnormalLogarithm,
                // Any driver may be below it.
                Quirk::FullSubgroupsCounted,
            ],
            ..DeviceProfile::default()
        }
    }

    /// The device as far as kernels can use it that a host of clspv launches: such a host does not require
    /// full sub-groups, and passes nothing that only the avoidance of a driver's errors needs.
    #[must_use]
    pub fn for_clspv(&self) -> DeviceProfile {
        let needs_host = |quirk: &Quirk| {
            let words = [
                Quirk::ValueRanges,
                Quirk::LoopResults,
                Quirk::ReassociatedFloats,
                Quirk::LoopsEnd,
                Quirk::CountedIndices,
                Quirk::CostlyPrivateMemory,
            ];
            words.contains(quirk)
        };
        DeviceProfile {
            subgroup_size: 1,
            subgroup_arithmetic: false,
            subgroup_shuffle: false,
            subgroup_clustered: false,
            subgroup_extended_types: false,
            compute_full_subgroups: false,
            matrices: Vec::new(),
            quirks: self.quirks.iter().copied().filter(|quirk| !needs_host(quirk)).collect(),
            ..self.clone()
        }
    }

    /// The device as far as kernels can use it that reach buffers through descriptors.
    #[must_use]
    pub fn through_descriptors(&self) -> DeviceProfile {
        let mut profile = DeviceProfile { buffer_device_address: false, ..self.clone() };
        // Places are fixed only where the offsets of buffers are left out.
        if profile.prefers(Preference::FixedDescriptors) && !profile.prefers(Preference::OffsetMask) {
            profile.preferences.push(Preference::OffsetMask);
        }
        profile
    }

    /// How pointers to global memory are represented on this device.
    #[must_use]
    pub fn addressing(&self) -> AddressingMode {
        if self.buffer_device_address && self.int64 {
            AddressingMode::Physical
        } else {
            AddressingMode::Logical
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_preset_reads_and_survives_a_round_trip() {
        for name in DeviceProfile::preset_names() {
            let profile = DeviceProfile::preset(name).unwrap();
            assert_eq!(profile.name, name);
            assert_eq!(DeviceProfile::from_json(&profile.to_json()).unwrap(), profile);
        }
    }

    #[test]
    fn a_profile_is_beyond_a_device_that_lacks_something() {
        let device = DeviceProfile::preset("lavapipe-22.3").unwrap();
        assert_eq!(device.beyond(&device), None);
        let with = |change: fn(&mut DeviceProfile)| {
            let mut profile = device.clone();
            change(&mut profile);
            profile.beyond(&device)
        };
        assert_eq!(with(|it| (it.int64, it.name) = (false, "other".to_owned())), None);
        assert_eq!(with(|it| it.max_local_memory -= 1), None);
        let more = with(|it| it.max_work_group_size[1] += 1).unwrap();
        assert!(more.starts_with("its `max_work_group_size` is ["), "{more}");
        assert!(with(|it| it.max_push_constants += 1).unwrap().contains("max_push_constants"));
        assert!(with(|it| it.subgroup_size *= 2).unwrap().contains("sub-groups"));
        assert!(with(|it| it.spirv.1 += 1).unwrap().contains("SPIR-V"));
        // A member that is left out of the JSON where it is false.
        let mut lesser = device.clone();
        (lesser.denorm_flush_f32, lesser.int64) = (false, false);
        let mut richer = device.clone();
        (richer.denorm_flush_f32, richer.int64) = (true, false);
        assert_eq!(richer.beyond(&lesser).unwrap(), "it has no `denorm_flush_f32`");
    }

    #[test]
    fn shaders_use_optional_features_only_where_the_profile_lists_them() {
        let rich = DeviceProfile::preset("nvidia-h200").unwrap();
        let portable = rich.for_naga();
        assert!(!portable.native_half() && !portable.has_sub_groups() && portable.scans_by_all());
        let both = rich.with_shader_features(&ShaderFeature::ALL);
        let shader = both.for_naga();
        assert!(shader.native_half() && shader.has_sub_groups() && !shader.scans_by_all());
        assert_eq!((shader.least_sub_group_size(), shader.sub_group_size()), (4, 128));
        assert_eq!(DeviceProfile::from_json(&both.to_json()).unwrap(), both);
        assert!(both.to_json().contains("\"shader-f16\""));
        let half = DeviceProfile::preset("webgpu").unwrap().with_shader_features(&[ShaderFeature::Half]);
        assert!(half.for_naga().native_half() && !half.for_naga().has_sub_groups());
    }

    #[test]
    fn what_a_preset_calls_a_minimum_of_vulkan_is_one() {
        let fields = |profile: &DeviceProfile| serde_json::to_value(profile).unwrap();
        let least = fields(&DeviceProfile::preset("vulkan-1.1").unwrap());
        let mut found = 0;
        for name in DeviceProfile::preset_names() {
            let profile = DeviceProfile::preset(name).unwrap();
            let Some((_, minimums)) = profile.source.split_once("; Vulkan's minimum") else { continue };
            // What stands between backticks.
            for field in minimums.split('`').skip(1).step_by(2) {
                assert_eq!(fields(&profile)[field], least[field], "{name}: {field}");
                assert!(!least[field].is_null(), "{name}: {field}");
                found += 1;
            }
        }
        assert!(found > 0);
    }

    #[test]
    fn an_unknown_preset_names_those_that_exist() {
        let message = DeviceProfile::preset("nonesuch").unwrap_err().to_string();
        assert!(message.contains("nonesuch") && message.contains("swiftshader"), "{message}");
    }
}
