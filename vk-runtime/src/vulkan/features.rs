//! What a physical device can do, and how to enable it.
//!
//! A feature structure is only given to Vulkan where the device's version or one of its extensions has it: the one
//! table [`EXTENSIONS`] says which extension became core in which version, and [`Offer`] answers from it.
//! What is not here: choosing a device (`physical`) and creating it (`device`).

use crate::vulkan::instance::{HIGHEST_KNOWN_VERSION, InstanceHandle};
use ash::{amd, arm, ext, khr, nv, vk};
use clvk_interface::{DeviceProfile, Guarantee, Quirk};
use rustc_hash::FxHashSet;
use std::ffi::{CStr, CString};

/// Never part of core Vulkan up to [`HIGHEST_KNOWN_VERSION`].
const NOT_CORE: u32 = u32::MAX;

/// The device extensions that matter here, with the version from which they need no mention.
const EXTENSIONS: &[(&CStr, u32)] = &[
    (khr::_8bit_storage::NAME, vk::API_VERSION_1_2),
    (khr::shader_float16_int8::NAME, vk::API_VERSION_1_2),
    (khr::shader_float_controls::NAME, vk::API_VERSION_1_2),
    (khr::spirv_1_4::NAME, vk::API_VERSION_1_2),
    (khr::buffer_device_address::NAME, vk::API_VERSION_1_2),
    (khr::vulkan_memory_model::NAME, vk::API_VERSION_1_2),
    (khr::shader_atomic_int64::NAME, vk::API_VERSION_1_2),
    (ext::scalar_block_layout::NAME, vk::API_VERSION_1_2),
    (khr::timeline_semaphore::NAME, vk::API_VERSION_1_2),
    (khr::shader_subgroup_extended_types::NAME, vk::API_VERSION_1_2),
    (ext::subgroup_size_control::NAME, vk::API_VERSION_1_3),
    (khr::driver_properties::NAME, vk::API_VERSION_1_2),
    (khr::synchronization2::NAME, vk::API_VERSION_1_3),
    (khr::maintenance4::NAME, vk::API_VERSION_1_3),
    (khr::shader_non_semantic_info::NAME, vk::API_VERSION_1_3),
    (khr::shader_integer_dot_product::NAME, vk::API_VERSION_1_3),
    (ext::shader_atomic_float::NAME, NOT_CORE),
    (ext::shader_atomic_float2::NAME, NOT_CORE),
    (khr::shader_clock::NAME, NOT_CORE),
    (khr::workgroup_memory_explicit_layout::NAME, NOT_CORE),
    (ext::calibrated_timestamps::NAME, NOT_CORE),
    (khr::portability_subset::NAME, NOT_CORE),
    (ext::pci_bus_info::NAME, NOT_CORE),
    (ext::external_memory_host::NAME, NOT_CORE),
    (khr::external_memory_fd::NAME, NOT_CORE),
    (nv::shader_sm_builtins::NAME, NOT_CORE),
    (amd::shader_core_properties::NAME, NOT_CORE),
    (amd::shader_core_properties2::NAME, NOT_CORE),
    (arm::shader_core_builtins::NAME, NOT_CORE),
];

/// The versions and extensions that a device offers.
#[derive(Clone, Debug)]
pub(crate) struct Offer {
    /// The device's version, at most [`HIGHEST_KNOWN_VERSION`].
    version: u32,
    extensions: FxHashSet<CString>,
}

impl Offer {
    pub(crate) fn new(device_version: u32, extensions: FxHashSet<CString>) -> Self {
        Offer { version: device_version.min(HIGHEST_KNOWN_VERSION), extensions }
    }

    pub(crate) fn version(&self) -> u32 {
        self.version
    }

    /// Whether the device has what this extension brings, through its version or through the extension.
    pub(crate) fn has(&self, name: &CStr) -> bool {
        debug_assert!(EXTENSIONS.iter().any(|(known, _)| *known == name), "{name:?} is not in the table");
        EXTENSIONS
            .iter()
            .any(|&(known, core)| known == name && (core <= self.version || self.extensions.contains(name)))
    }

    /// The extensions to name when the device is created.
    pub(crate) fn extensions_to_enable(&self) -> Vec<&'static CStr> {
        EXTENSIONS
            .iter()
            .filter(|&&(name, core)| core > self.version && self.extensions.contains(name))
            .map(|&(name, _)| name)
            .collect()
    }

    /// The highest SPIR-V version, as (major, minor).
    fn spirv(&self) -> (u32, u32) {
        if self.version >= vk::API_VERSION_1_3 {
            (1, 6)
        } else if self.version >= vk::API_VERSION_1_2 {
            (1, 5)
        } else if self.has(khr::spirv_1_4::NAME) {
            (1, 4)
        } else {
            (1, 3)
        }
    }
}

/// Limits that the compiler does not need to know.
#[derive(Clone, Debug)]
pub(crate) struct Limits {
    /// `maxBufferSize`, where the device tells it.
    pub(crate) max_buffer_size: Option<u64>,
    /// `maxMemoryAllocationSize`: larger ones may fail.
    pub(crate) max_allocation_size: u64,
    /// Size of the largest device-local heap.
    pub(crate) device_memory: u64,
    /// `timestampPeriod`: nanoseconds per tick.
    pub(crate) timestamp_period: f32,
    pub(crate) min_storage_buffer_alignment: u64,
    /// `minImportedHostPointerAlignment`, where buffers can be made of the host's memory.
    pub(crate) host_memory_alignment: Option<u64>,
    /// `maxTexelBufferElements`, in pixels.
    pub(crate) max_texel_buffer: u32,
    pub(crate) min_texel_buffer_alignment: u64,
    pub(crate) max_image_1d: u32,
    pub(crate) max_image_2d: u32,
    pub(crate) max_image_3d: u32,
    pub(crate) max_image_layers: u32,
}

/// Features that are enabled where they exist, but that the compiler does not need to know.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct RuntimeFeatures {
    storage_image_extended_formats: bool,
    timeline_semaphore: bool,
    synchronization2: bool,
    maintenance4: bool,
    /// The other three members of `VkPhysicalDeviceWorkgroupMemoryExplicitLayoutFeaturesKHR`.
    workgroup_scalar_layout: bool,
    workgroup_8bit: bool,
    workgroup_16bit: bool,
}

/// Everything known about a physical device.
#[derive(Clone, Debug)]
pub(crate) struct Capabilities {
    pub(crate) offer: Offer,
    pub(crate) profile: DeviceProfile,
    pub(crate) features: RuntimeFeatures,
    pub(crate) limits: Limits,
    /// Robust mode was chosen ([`DeviceInfo::robust`](crate::DeviceInfo::robust)).
    pub(crate) robust: bool,
}

impl Capabilities {
    /// Whether there are timeline semaphores.
    pub(crate) fn has_timeline(&self) -> bool {
        self.features.timeline_semaphore
    }
}

/// The feature structures, to be linked into one chain. Used once: the links stay in them.
#[derive(Default)]
pub(crate) struct FeatureChain {
    storage_16bit: vk::PhysicalDevice16BitStorageFeatures<'static>,
    variable_pointers: vk::PhysicalDeviceVariablePointersFeatures<'static>,
    storage_8bit: vk::PhysicalDevice8BitStorageFeatures<'static>,
    float16_int8: vk::PhysicalDeviceShaderFloat16Int8Features<'static>,
    address: vk::PhysicalDeviceBufferDeviceAddressFeatures<'static>,
    memory_model: vk::PhysicalDeviceVulkanMemoryModelFeatures<'static>,
    atomic_int64: vk::PhysicalDeviceShaderAtomicInt64Features<'static>,
    scalar_layout: vk::PhysicalDeviceScalarBlockLayoutFeatures<'static>,
    timeline: vk::PhysicalDeviceTimelineSemaphoreFeatures<'static>,
    synchronization2: vk::PhysicalDeviceSynchronization2Features<'static>,
    maintenance4: vk::PhysicalDeviceMaintenance4Features<'static>,
    workgroup_layout: vk::PhysicalDeviceWorkgroupMemoryExplicitLayoutFeaturesKHR<'static>,
    subgroup_types: vk::PhysicalDeviceShaderSubgroupExtendedTypesFeatures<'static>,
    subgroup_size: vk::PhysicalDeviceSubgroupSizeControlFeatures<'static>,
    dot_product: vk::PhysicalDeviceShaderIntegerDotProductFeatures<'static>,
    atomic_float: vk::PhysicalDeviceShaderAtomicFloatFeaturesEXT<'static>,
    atomic_float2: vk::PhysicalDeviceShaderAtomicFloat2FeaturesEXT<'static>,
    clock: vk::PhysicalDeviceShaderClockFeaturesKHR<'static>,
}

impl FeatureChain {
    /// Links the structures that the device knows.
    pub(crate) fn link(
        &mut self,
        core: vk::PhysicalDeviceFeatures,
        offer: &Offer,
    ) -> vk::PhysicalDeviceFeatures2<'_> {
        let mut all = vk::PhysicalDeviceFeatures2::default()
            .features(core)
            .push_next(&mut self.storage_16bit)
            .push_next(&mut self.variable_pointers);
        macro_rules! link {
            ($($extension:expr => $member:ident),+ $(,)?) => {
                $(if offer.has($extension) {
                    all = all.push_next(&mut self.$member);
                })+
            };
        }
        link! {
            khr::_8bit_storage::NAME => storage_8bit,
            khr::shader_float16_int8::NAME => float16_int8,
            khr::buffer_device_address::NAME => address,
            khr::vulkan_memory_model::NAME => memory_model,
            khr::shader_atomic_int64::NAME => atomic_int64,
            ext::scalar_block_layout::NAME => scalar_layout,
            khr::timeline_semaphore::NAME => timeline,
            khr::synchronization2::NAME => synchronization2,
            khr::maintenance4::NAME => maintenance4,
            khr::workgroup_memory_explicit_layout::NAME => workgroup_layout,
            khr::shader_subgroup_extended_types::NAME => subgroup_types,
            ext::subgroup_size_control::NAME => subgroup_size,
            khr::shader_integer_dot_product::NAME => dot_product,
            ext::shader_atomic_float::NAME => atomic_float,
            ext::shader_atomic_float2::NAME => atomic_float2,
            khr::shader_clock::NAME => clock,
        }
        all
    }

    /// The structures that enable what the capabilities say, with the features of Vulkan 1.0.
    pub(crate) fn enabling(capabilities: &Capabilities) -> (Self, vk::PhysicalDeviceFeatures) {
        let (profile, features) = (&capabilities.profile, &capabilities.features);
        let core = vk::PhysicalDeviceFeatures::default()
            .shader_int16(profile.int16)
            .shader_int64(profile.int64)
            .shader_float64(profile.float64)
            .shader_storage_image_extended_formats(features.storage_image_extended_formats)
            .shader_storage_image_read_without_format(profile.image_read_without_format)
            .shader_storage_image_write_without_format(profile.image_write_without_format)
            .robust_buffer_access(capabilities.robust);
        let mut chain = FeatureChain::default();
        chain.storage_16bit = chain
            .storage_16bit
            .storage_buffer16_bit_access(profile.storage_16bit)
            .storage_push_constant16(profile.push_constant_16bit);
        chain.variable_pointers = chain
            .variable_pointers
            .variable_pointers(profile.variable_pointers)
            .variable_pointers_storage_buffer(profile.variable_pointers);
        chain.storage_8bit = chain
            .storage_8bit
            .storage_buffer8_bit_access(profile.storage_8bit)
            .storage_push_constant8(profile.push_constant_8bit);
        chain.float16_int8 = chain.float16_int8.shader_float16(profile.float16).shader_int8(profile.int8);
        chain.address = chain.address.buffer_device_address(profile.buffer_device_address);
        chain.memory_model = chain
            .memory_model
            .vulkan_memory_model(profile.vulkan_memory_model)
            .vulkan_memory_model_device_scope(profile.vulkan_memory_model);
        chain.atomic_int64 = chain
            .atomic_int64
            .shader_buffer_int64_atomics(profile.buffer_int64_atomics)
            .shader_shared_int64_atomics(profile.shared_int64_atomics);
        chain.dot_product = chain.dot_product.shader_integer_dot_product(profile.integer_dot_product);
        chain.atomic_float = chain
            .atomic_float
            .shader_buffer_float32_atomics(profile.buffer_float32_add)
            .shader_buffer_float32_atomic_add(profile.buffer_float32_add)
            .shader_shared_float32_atomics(profile.shared_float32_add)
            .shader_shared_float32_atomic_add(profile.shared_float32_add)
            .shader_buffer_float64_atomic_add(profile.buffer_float64_add)
            .shader_shared_float64_atomic_add(profile.shared_float64_add);
        chain.atomic_float2 = chain
            .atomic_float2
            .shader_buffer_float32_atomic_min_max(profile.buffer_float32_min_max)
            .shader_shared_float32_atomic_min_max(profile.shared_float32_min_max);
        chain.clock = chain
            .clock
            .shader_device_clock(profile.device_clock)
            .shader_subgroup_clock(profile.subgroup_clock);
        chain.scalar_layout = chain.scalar_layout.scalar_block_layout(profile.scalar_block_layout);
        chain.timeline = chain.timeline.timeline_semaphore(features.timeline_semaphore);
        chain.synchronization2 = chain.synchronization2.synchronization2(features.synchronization2);
        chain.maintenance4 = chain.maintenance4.maintenance4(features.maintenance4);
        chain.subgroup_types =
            chain.subgroup_types.shader_subgroup_extended_types(profile.subgroup_extended_types);
        chain.subgroup_size = chain
            .subgroup_size
            .subgroup_size_control(profile.compute_full_subgroups)
            .compute_full_subgroups(profile.compute_full_subgroups);
        chain.workgroup_layout = chain
            .workgroup_layout
            .workgroup_memory_explicit_layout(profile.workgroup_explicit_layout)
            .workgroup_memory_explicit_layout_scalar_block_layout(features.workgroup_scalar_layout)
            .workgroup_memory_explicit_layout8_bit_access(features.workgroup_8bit)
            .workgroup_memory_explicit_layout16_bit_access(features.workgroup_16bit);
        (chain, core)
    }
}

/// The property structures beyond `VkPhysicalDeviceProperties`. Used once: the links stay in them.
#[derive(Default)]
struct PropertyChain {
    subgroup: vk::PhysicalDeviceSubgroupProperties<'static>,
    maintenance3: vk::PhysicalDeviceMaintenance3Properties<'static>,
    float_controls: vk::PhysicalDeviceFloatControlsProperties<'static>,
    maintenance4: vk::PhysicalDeviceMaintenance4Properties<'static>,
    host_memory: vk::PhysicalDeviceExternalMemoryHostPropertiesEXT<'static>,
}

/// Asks a device of Vulkan 1.1 or later for all that matters here.
///
/// # Safety
/// `physical` is a device of `instance` whose `apiVersion` is at least 1.1, and `offer` describes it.
pub(crate) unsafe fn query(
    instance: &InstanceHandle,
    physical: vk::PhysicalDevice,
    offer: Offer,
    driver: vk::DriverId,
) -> Capabilities {
    let mut chain = FeatureChain::default();
    let mut all = chain.link(vk::PhysicalDeviceFeatures::default(), &offer);
    // SAFETY: the chain holds only structures that the device knows.
    unsafe { instance.raw().get_physical_device_features2(physical, &mut all) };
    let core = all.features;

    let mut extra = PropertyChain::default();
    let mut all = vk::PhysicalDeviceProperties2::default()
        .push_next(&mut extra.subgroup)
        .push_next(&mut extra.maintenance3);
    if offer.has(khr::shader_float_controls::NAME) {
        all = all.push_next(&mut extra.float_controls);
    }
    if offer.has(khr::maintenance4::NAME) {
        all = all.push_next(&mut extra.maintenance4);
    }
    if offer.has(ext::external_memory_host::NAME) {
        all = all.push_next(&mut extra.host_memory);
    }
    // SAFETY: the chain holds only structures that the device knows.
    unsafe { instance.raw().get_physical_device_properties2(physical, &mut all) };
    let properties = all.properties;
    // SAFETY: `physical` is a device of the instance.
    let memory = unsafe { instance.raw().get_physical_device_memory_properties(physical) };

    let described = profile(&offer, &core, &chain, &properties, &extra);
    Capabilities {
        profile: DeviceProfile {
            quirks: Quirk::of_driver(driver.as_raw(), driver_version(&properties)),
            guarantees: Guarantee::of_driver(driver.as_raw()),
            ..described
        },
        features: runtime_features(&core, &chain),
        limits: limits(&properties, &extra, &memory),
        robust: false,
        offer,
    }
}

/// The driver's version, as (major, minor): packed as Vulkan's own versions are, but for the minor one of NVIDIA's.
fn driver_version(properties: &vk::PhysicalDeviceProperties) -> (u32, u32) {
    let version = properties.driver_version;
    (version >> 22, version >> 12 & 0x3ff)
}

fn profile(
    offer: &Offer,
    core: &vk::PhysicalDeviceFeatures,
    chain: &FeatureChain,
    properties: &vk::PhysicalDeviceProperties,
    extra: &PropertyChain,
) -> DeviceProfile {
    let yes = |value: vk::Bool32| value != vk::FALSE;
    let limits = &properties.limits;
    let version = properties.api_version;
    let computes = |operations: vk::SubgroupFeatureFlags| {
        extra.subgroup.supported_stages.contains(vk::ShaderStageFlags::COMPUTE)
            && extra.subgroup.supported_operations.contains(operations)
    };
    DeviceProfile {
        name: device_name(properties),
        source: String::new(),
        vulkan: (vk::api_version_major(version), vk::api_version_minor(version)),
        spirv: offer.spirv(),
        int8: yes(chain.float16_int8.shader_int8),
        int16: yes(core.shader_int16),
        int64: yes(core.shader_int64),
        float16: yes(chain.float16_int8.shader_float16),
        float64: yes(core.shader_float64),
        storage_8bit: yes(chain.storage_8bit.storage_buffer8_bit_access),
        storage_16bit: yes(chain.storage_16bit.storage_buffer16_bit_access),
        push_constant_8bit: yes(chain.storage_8bit.storage_push_constant8),
        push_constant_16bit: yes(chain.storage_16bit.storage_push_constant16),
        buffer_device_address: yes(chain.address.buffer_device_address),
        variable_pointers: yes(chain.variable_pointers.variable_pointers),
        vulkan_memory_model: yes(chain.memory_model.vulkan_memory_model)
            && yes(chain.memory_model.vulkan_memory_model_device_scope),
        buffer_int64_atomics: yes(chain.atomic_int64.shader_buffer_int64_atomics),
        shared_int64_atomics: yes(chain.atomic_int64.shader_shared_int64_atomics),
        buffer_float32_add: yes(chain.atomic_float.shader_buffer_float32_atomic_add)
            && yes(chain.atomic_float.shader_buffer_float32_atomics),
        shared_float32_add: yes(chain.atomic_float.shader_shared_float32_atomic_add)
            && yes(chain.atomic_float.shader_shared_float32_atomics),
        buffer_float32_min_max: yes(chain.atomic_float2.shader_buffer_float32_atomic_min_max),
        shared_float32_min_max: yes(chain.atomic_float2.shader_shared_float32_atomic_min_max),
        buffer_float64_add: yes(chain.atomic_float.shader_buffer_float64_atomic_add),
        shared_float64_add: yes(chain.atomic_float.shader_shared_float64_atomic_add),
        integer_dot_product: yes(chain.dot_product.shader_integer_dot_product),
        device_clock: yes(chain.clock.shader_device_clock),
        subgroup_clock: yes(chain.clock.shader_subgroup_clock),
        signed_zero_inf_nan_preserve_f32: yes(extra
            .float_controls
            .shader_signed_zero_inf_nan_preserve_float32),
        denorm_preserve_f32: yes(extra.float_controls.shader_denorm_preserve_float32),
        denorm_flush_f32: yes(extra.float_controls.shader_denorm_flush_to_zero_float32)
            && extra.float_controls.denorm_behavior_independence != vk::ShaderFloatControlsIndependence::NONE,
        rounding_rte_f32: yes(extra.float_controls.shader_rounding_mode_rte_float32),
        signed_zero_inf_nan_preserve_f16: yes(extra
            .float_controls
            .shader_signed_zero_inf_nan_preserve_float16),
        denorm_preserve_f16: yes(extra.float_controls.shader_denorm_preserve_float16),
        rounding_rte_f16: yes(extra.float_controls.shader_rounding_mode_rte_float16),
        signed_zero_inf_nan_preserve_f64: yes(extra
            .float_controls
            .shader_signed_zero_inf_nan_preserve_float64),
        denorm_preserve_f64: yes(extra.float_controls.shader_denorm_preserve_float64),
        rounding_rte_f64: yes(extra.float_controls.shader_rounding_mode_rte_float64),
        workgroup_explicit_layout: yes(chain.workgroup_layout.workgroup_memory_explicit_layout),
        scalar_block_layout: yes(chain.scalar_layout.scalar_block_layout),
        image_read_without_format: yes(core.shader_storage_image_read_without_format),
        image_write_without_format: yes(core.shader_storage_image_write_without_format),
        subgroup_size: extra.subgroup.subgroup_size,
        subgroup_arithmetic: computes(
            vk::SubgroupFeatureFlags::VOTE
                | vk::SubgroupFeatureFlags::ARITHMETIC
                | vk::SubgroupFeatureFlags::BALLOT,
        ),
        subgroup_shuffle: computes(vk::SubgroupFeatureFlags::SHUFFLE),
        subgroup_clustered: computes(vk::SubgroupFeatureFlags::CLUSTERED),
        subgroup_extended_types: yes(chain.subgroup_types.shader_subgroup_extended_types),
        compute_full_subgroups: yes(chain.subgroup_size.compute_full_subgroups)
            && yes(chain.subgroup_size.subgroup_size_control),
        max_push_constants: limits.max_push_constants_size,
        max_local_memory: limits.max_compute_shared_memory_size,
        max_work_group_invocations: limits.max_compute_work_group_invocations,
        max_work_group_size: limits.max_compute_work_group_size,
        max_work_group_count: limits.max_compute_work_group_count,
        max_storage_buffer_range: limits.max_storage_buffer_range,
        max_storage_images: limits.max_per_stage_descriptor_storage_images,
        quirks: Vec::new(),
        guarantees: Vec::new(),
    }
}

fn runtime_features(core: &vk::PhysicalDeviceFeatures, chain: &FeatureChain) -> RuntimeFeatures {
    let yes = |value: vk::Bool32| value != vk::FALSE;
    let layout = &chain.workgroup_layout;
    RuntimeFeatures {
        storage_image_extended_formats: yes(core.shader_storage_image_extended_formats),
        timeline_semaphore: yes(chain.timeline.timeline_semaphore),
        synchronization2: yes(chain.synchronization2.synchronization2),
        maintenance4: yes(chain.maintenance4.maintenance4),
        workgroup_scalar_layout: yes(layout.workgroup_memory_explicit_layout_scalar_block_layout),
        workgroup_8bit: yes(layout.workgroup_memory_explicit_layout8_bit_access),
        workgroup_16bit: yes(layout.workgroup_memory_explicit_layout16_bit_access),
    }
}

fn limits(
    properties: &vk::PhysicalDeviceProperties,
    extra: &PropertyChain,
    memory: &vk::PhysicalDeviceMemoryProperties,
) -> Limits {
    let limits = &properties.limits;
    let device_memory = memory
        .memory_heaps_as_slice()
        .iter()
        .filter(|heap| heap.flags.contains(vk::MemoryHeapFlags::DEVICE_LOCAL))
        .map(|heap| heap.size)
        .max()
        .unwrap_or(0);
    Limits {
        max_buffer_size: Some(extra.maintenance4.max_buffer_size).filter(|&size| size != 0),
        max_allocation_size: extra.maintenance3.max_memory_allocation_size,
        device_memory,
        timestamp_period: limits.timestamp_period,
        min_storage_buffer_alignment: limits.min_storage_buffer_offset_alignment.max(1),
        host_memory_alignment: Some(extra.host_memory.min_imported_host_pointer_alignment)
            .filter(|alignment| alignment.is_power_of_two()),
        max_texel_buffer: limits.max_texel_buffer_elements,
        min_texel_buffer_alignment: limits.min_texel_buffer_offset_alignment.max(1),
        max_image_1d: limits.max_image_dimension1_d,
        max_image_2d: limits.max_image_dimension2_d,
        max_image_3d: limits.max_image_dimension3_d,
        max_image_layers: limits.max_image_array_layers,
    }
}

/// The device's name, for messages.
pub(crate) fn device_name(properties: &vk::PhysicalDeviceProperties) -> String {
    properties
        .device_name_as_c_str()
        .map_or_else(|_| "unnamed".to_owned(), |name| name.to_string_lossy().into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn offer(version: u32, extensions: &[&CStr]) -> Offer {
        Offer::new(version, extensions.iter().map(|&name| name.to_owned()).collect())
    }

    #[test]
    fn spirv_version_follows_the_device_version() {
        assert_eq!(offer(vk::API_VERSION_1_1, &[]).spirv(), (1, 3));
        assert_eq!(offer(vk::API_VERSION_1_1, &[khr::spirv_1_4::NAME]).spirv(), (1, 4));
        assert_eq!(offer(vk::API_VERSION_1_2, &[]).spirv(), (1, 5));
        assert_eq!(offer(vk::make_api_version(0, 1, 4, 300), &[]).spirv(), (1, 6));
    }

    #[test]
    fn an_extension_is_enabled_only_below_its_core_version() {
        let name = khr::buffer_device_address::NAME;
        let old = offer(vk::API_VERSION_1_1, &[name]);
        assert!(old.has(name) && old.extensions_to_enable().contains(&name));
        let new = offer(vk::API_VERSION_1_2, &[name]);
        assert!(new.has(name) && !new.extensions_to_enable().contains(&name));
        assert!(!offer(vk::API_VERSION_1_1, &[]).has(name));
        let never_core = khr::workgroup_memory_explicit_layout::NAME;
        assert!(!offer(vk::API_VERSION_1_3, &[]).has(never_core));
        assert!(offer(vk::API_VERSION_1_3, &[never_core]).extensions_to_enable().contains(&never_core));
    }
}
