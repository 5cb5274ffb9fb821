//! What a physical device can do, and how to enable it.
//!
//! A structure is only passed to Vulkan if the device's version or one of its extensions has it. The table of
//! `capability_table` says which extension became core in which version, and [`Offer`] answers from it. Not
//! here: choosing a device (`physical_device`) and opening it (`logical_device`).

use crate::vulkan::budget::{self, Budgets};
use crate::vulkan::capability_table::{EXTENSIONS, FeatureChain, PropertyChain};
use crate::vulkan::instance::{HIGHEST_KNOWN_VERSION, InstanceHandle};
use crate::vulkan::logical_device::Purpose;
use ash::{khr, vk};
use clvk_interface::vulkan::{Told, driver_version, spirv_version};
use clvk_interface::{DeviceProfile, MatrixElement, MatrixProduct};
use rustc_hash::FxHashSet;
use std::ffi::{CStr, CString};

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
        let new =
            EXTENSIONS.iter().filter(|&&(name, core)| core > self.version && self.extensions.contains(name));
        let mut names: Vec<&CStr> = new.map(|&(name, _)| name).collect();
        names.sort_unstable();
        names.dedup();
        names
    }

    /// The highest SPIR-V version, as (major, minor).
    fn spirv(&self) -> (u32, u32) {
        let version = (vk::api_version_major(self.version), vk::api_version_minor(self.version));
        spirv_version(version, self.has(khr::spirv_1_4::NAME))
    }
}

/// Limits that the compiler does not need to know.
#[derive(Clone, Debug, Default)]
pub(crate) struct Limits {
    /// `maxBufferSize`, if the device reports it.
    pub(crate) max_buffer_size: Option<u64>,
    /// `maxMemoryAllocationSize`: larger ones may fail.
    pub(crate) max_allocation_size: u64,
    /// What this process may use of the largest device-local heap.
    pub(crate) device_memory: u64,
    /// `timestampPeriod`: nanoseconds per tick.
    pub(crate) timestamp_period: f32,
    pub(crate) min_storage_buffer_alignment: u64,
    /// `minImportedHostPointerAlignment`, if buffers can use host memory.
    pub(crate) host_memory_alignment: Option<u64>,
    /// `minPlacedMemoryMapAlignment`, if the host can choose where memory is mapped.
    pub(crate) placed_map_alignment: Option<u64>,
    /// `maxTexelBufferElements`, in pixels.
    pub(crate) max_texel_buffer: u32,
    pub(crate) min_texel_buffer_alignment: u64,
    pub(crate) max_image_1d: u32,
    pub(crate) max_image_2d: u32,
    pub(crate) max_image_3d: u32,
    pub(crate) max_image_layers: u32,
}

/// Features that are enabled where they exist, but that the compiler does not need to know.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct RuntimeFeatures {
    pub(super) storage_image_extended_formats: bool,
    pub(super) timeline_semaphore: bool,
    /// Whether drivers tell what they made of a kernel. Enabled only where nothing is launched.
    pub(super) pipeline_executable_info: bool,
    /// Whether there are performance counters. Enabled only where they are read.
    pub(super) performance_queries: bool,
    /// Whether the host chooses the address at which it maps memory.
    pub(super) memory_map_placed: bool,
    /// Whether there are matrix engines; the profile lists them.
    pub(super) cooperative_matrix: bool,
    /// Whether they may multiply bfloat16 numbers.
    pub(super) bfloat16_matrices: bool,
}

/// Everything known about a physical device.
#[derive(Clone, Debug)]
pub(crate) struct Capabilities {
    pub(crate) offer: Offer,
    pub(crate) profile: DeviceProfile,
    pub(crate) features: RuntimeFeatures,
    pub(crate) limits: Limits,
    /// Whether allocations stay within the budgets of the heaps.
    pub(crate) keeps_budgets: bool,
    /// Robust mode was chosen ([`DeviceInfo::robust`](crate::DeviceInfo::robust)).
    pub(crate) robust: bool,
}

impl Capabilities {
    /// The capabilities of a device before any query.
    pub(super) fn none(offer: Offer) -> Self {
        let (profile, features) = (DeviceProfile::default(), RuntimeFeatures::default());
        let limits = Limits::default();
        Capabilities { offer, profile, features, limits, keeps_budgets: false, robust: false }
    }

    /// The structures that enable all of it, with the features of Vulkan 1.0.
    pub(super) fn enabling(&self) -> (FeatureChain, vk::PhysicalDeviceFeatures) {
        let (chain, core) = FeatureChain::enabling(self);
        (chain, core.robust_buffer_access(self.robust))
    }

    /// The same device without what only other purposes need.
    pub(super) fn for_purpose(&self, purpose: Purpose) -> Self {
        let mut known = self.clone();
        if purpose != Purpose::Compile {
            known.features.pipeline_executable_info = false;
            known.offer.extensions.remove(khr::pipeline_executable_properties::NAME);
        }
        if purpose != Purpose::Count {
            known.features.performance_queries = false;
            known.offer.extensions.remove(khr::performance_query::NAME);
        }
        if purpose != Purpose::Present {
            known.offer.extensions.remove(khr::swapchain::NAME);
        }
        known
    }

    /// Whether the driver tells what it makes of kernels.
    pub(super) fn reports_executables(&self) -> bool {
        self.features.pipeline_executable_info && self.offer.has(khr::pipeline_executable_properties::NAME)
    }

    /// Whether there are performance counters.
    pub(super) fn counts_performance(&self) -> bool {
        self.features.performance_queries && self.offer.has(khr::performance_query::NAME)
    }

    /// Whether there are timeline semaphores.
    pub(crate) fn has_timeline(&self) -> bool {
        self.features.timeline_semaphore
    }
}

/// The answers of a device to the queries.
pub(crate) struct Answers {
    pub(crate) capabilities: Capabilities,
    pub(crate) properties: vk::PhysicalDeviceProperties,
    pub(super) extra: PropertyChain,
}

/// Queries everything relevant from a device of Vulkan 1.1 or later.
///
/// # Safety
/// `physical` is a device of `instance` whose `apiVersion` is at least 1.1, and `offer` describes it.
pub(crate) unsafe fn query(instance: &InstanceHandle, physical: vk::PhysicalDevice, offer: Offer) -> Answers {
    let mut chain = FeatureChain::default();
    let mut all = chain.link(vk::PhysicalDeviceFeatures::default(), &offer);
    // SAFETY: the chain holds only structures that the device knows.
    unsafe { instance.raw().get_physical_device_features2(physical, &mut all) };
    let core = all.features;
    let mut extra = PropertyChain::default();
    let mut all = extra.link(&offer);
    // SAFETY: the chain holds only structures that the device knows.
    unsafe { instance.raw().get_physical_device_properties2(physical, &mut all) };
    let properties = all.properties;
    // SAFETY: `physical` is a device of the instance.
    let memory = unsafe { instance.raw().get_physical_device_memory_properties(physical) };

    let mut capabilities = Capabilities::none(offer);
    chain.read(&core, &mut capabilities);
    extra.read(&mut capabilities);
    describe(&mut capabilities, &properties, &extra);
    if capabilities.features.cooperative_matrix {
        // SAFETY: the device has the extension.
        let mut products = unsafe { matrix_products(instance, physical) };
        if !capabilities.features.bfloat16_matrices {
            products.retain(|product| !product.elements.contains(&MatrixElement::BF16));
        }
        capabilities.profile.matrices = products;
    }
    capabilities.keeps_budgets = budget::binds(&capabilities.offer, properties.device_type);
    let budgets = if capabilities.keeps_budgets {
        // SAFETY: the device has the extension.
        unsafe { Budgets::ask(instance.raw(), physical) }
    } else {
        Budgets::default()
    };
    capabilities.limits = limits(&properties, &extra, &memory, &budgets);
    Answers { capabilities, properties, extra }
}

/// The products for which the device has a matrix engine, in the order in which it tells them.
///
/// # Safety
/// `physical` is a device of `instance` with `VK_KHR_cooperative_matrix`.
unsafe fn matrix_products(instance: &InstanceHandle, physical: vk::PhysicalDevice) -> Vec<MatrixProduct> {
    let functions = khr::cooperative_matrix::Instance::new(instance.entry(), instance.raw());
    // SAFETY: the device has the extension.
    let told = unsafe { functions.get_physical_device_cooperative_matrix_properties(physical) };
    let product = |told: &vk::CooperativeMatrixPropertiesKHR<'_>| {
        let element = |ty: vk::ComponentTypeKHR| MatrixElement::from_number(ty.as_raw());
        let elements =
            [element(told.a_type)?, element(told.b_type)?, element(told.c_type)?, element(told.result_type)?];
        let plain = told.saturating_accumulation == vk::FALSE && told.scope == vk::ScopeKHR::SUBGROUP;
        let (m, n, k) = (told.m_size, told.n_size, told.k_size);
        plain.then_some(MatrixProduct { m, n, k, elements })
    };
    told.unwrap_or_default().iter().filter_map(product).collect()
}

/// Fills in what is not a capability of the table: names, versions, numbers, quirks and guarantees.
fn describe(known: &mut Capabilities, properties: &vk::PhysicalDeviceProperties, extra: &PropertyChain) {
    let profile = &mut known.profile;
    profile.name = device_name(properties);
    let version = properties.api_version;
    let driver_info = extra.driver.driver_info_as_c_str().map(CStr::to_string_lossy).unwrap_or_default();
    Told {
        version: (vk::api_version_major(version), vk::api_version_minor(version)),
        spirv: known.offer.spirv(),
        driver: extra.driver.driver_id.as_raw(),
        driver_version: driver_version(properties.driver_version, &driver_info),
        denorm_behavior_independence: extra.float_controls.denorm_behavior_independence.as_raw(),
        subgroup_size: extra.subgroup.subgroup_size,
        subgroup_stages: extra.subgroup.supported_stages.as_raw(),
        subgroup_operations: extra.subgroup.supported_operations.as_raw(),
    }
    .complete(profile);
    PropertyChain::read_limits(&properties.limits, known);
}

fn limits(
    properties: &vk::PhysicalDeviceProperties,
    extra: &PropertyChain,
    memory: &vk::PhysicalDeviceMemoryProperties,
    budgets: &Budgets,
) -> Limits {
    let limits = &properties.limits;
    let device_memory = (0..)
        .zip(memory.memory_heaps_as_slice())
        .filter(|(_, heap)| heap.flags.contains(vk::MemoryHeapFlags::DEVICE_LOCAL))
        .map(|(index, heap)| budgets.of(index, heap.size))
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
        placed_map_alignment: Some(extra.placement.min_placed_memory_map_alignment)
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
        let never_core = khr::shader_clock::NAME;
        assert!(!offer(vk::API_VERSION_1_3, &[]).has(never_core));
        assert!(offer(vk::API_VERSION_1_3, &[never_core]).extensions_to_enable().contains(&never_core));
    }
}
