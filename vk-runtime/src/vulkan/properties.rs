//! What a device tells of itself that neither the compiler nor the runtime needs, for applications that ask.

use crate::vulkan::external_memory;
use crate::vulkan::features::{Capabilities, Offer};
use crate::vulkan::instance::InstanceHandle;
use ash::{amd, arm, ext, khr, nv, vk};

/// Sizes, limits and identities of a device. Sizes are in bytes, images in pixels.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct DeviceFacts {
    /// Size of the largest device-local heap.
    pub memory: u64,
    /// Size of the largest buffer that can be hoped for.
    pub max_buffer_size: u64,
    /// Alignment of parts of buffers.
    pub min_storage_buffer_alignment: u64,
    /// `maxImageDimension1D`.
    pub max_image_1d: u32,
    /// `maxImageDimension2D`.
    pub max_image_2d: u32,
    /// `maxImageDimension3D`.
    pub max_image_3d: u32,
    /// `maxImageArrayLayers`.
    pub max_image_layers: u32,
    /// `maxTexelBufferElements`.
    pub max_texel_buffer_elements: u32,
    /// `maxPerStageDescriptorSampledImages`.
    pub max_sampled_images: u32,
    /// `maxPerStageDescriptorStorageImages`.
    pub max_storage_images: u32,
    /// `maxPerStageDescriptorSamplers`.
    pub max_samplers: u32,
    /// Nanoseconds per tick of the device's clock; `None` where its queue writes no time stamps.
    pub timestamp_period: Option<f32>,
    /// `deviceUUID`.
    pub device_uuid: [u8; 16],
    /// `driverUUID`.
    pub driver_uuid: [u8; 16],
    /// `deviceLUID` and `deviceNodeMask`, where they are valid.
    pub luid: Option<([u8; 8], u32)>,
    /// PCI domain, bus, device and function, where the device tells.
    pub pci_address: Option<[u32; 4]>,
    /// Units that run work-groups side by side (multiprocessors, compute units, cores), where the device tells.
    pub compute_units: Option<u32>,
    /// Whether buffers can be shared with other users of Vulkan by file descriptors ([`crate::Buffer::import`]).
    pub shares_buffers: bool,
    /// `driverVersion`, as the driver encodes it.
    pub driver_version: u32,
}

/// Asks a device.
///
/// # Safety
/// `physical` is a device of `instance` whose `apiVersion` is at least 1.1, and `capabilities` describe it.
pub(crate) unsafe fn query(
    instance: &InstanceHandle,
    physical: vk::PhysicalDevice,
    capabilities: &Capabilities,
    timestamp_bits: u32,
) -> DeviceFacts {
    let mut ids = vk::PhysicalDeviceIDProperties::default();
    let mut pci = vk::PhysicalDevicePCIBusInfoPropertiesEXT::default();
    let mut units = UnitProperties::default();
    let has_pci = capabilities.offer.has(ext::pci_bus_info::NAME);
    let mut all = vk::PhysicalDeviceProperties2::default().push_next(&mut ids);
    if has_pci {
        all = all.push_next(&mut pci);
    }
    all = units.link(all, &capabilities.offer);
    // SAFETY: the chain holds only structures that the device knows.
    unsafe { instance.raw().get_physical_device_properties2(physical, &mut all) };
    let properties = all.properties;
    let limits = &properties.limits;
    let own = &capabilities.limits;
    // Some drivers name the greatest number there is where they have no limit.
    let memory = own.device_memory;
    let logical = !capabilities.profile.buffer_device_address || !capabilities.profile.int64;
    let range = if logical { u64::from(limits.max_storage_buffer_range) } else { memory };
    DeviceFacts {
        memory,
        max_buffer_size: memory
            .min(own.max_buffer_size.unwrap_or(memory))
            .min(own.max_allocation_size)
            .min(range),
        min_storage_buffer_alignment: own.min_storage_buffer_alignment,
        max_image_1d: own.max_image_1d,
        max_image_2d: own.max_image_2d,
        max_image_3d: own.max_image_3d,
        max_image_layers: own.max_image_layers,
        max_texel_buffer_elements: limits.max_texel_buffer_elements,
        max_sampled_images: limits.max_per_stage_descriptor_sampled_images,
        max_storage_images: limits.max_per_stage_descriptor_storage_images,
        max_samplers: limits.max_per_stage_descriptor_samplers,
        timestamp_period: (timestamp_bits > 0).then_some(own.timestamp_period),
        device_uuid: ids.device_uuid,
        driver_uuid: ids.driver_uuid,
        luid: (ids.device_luid_valid != vk::FALSE).then_some((ids.device_luid, ids.device_node_mask)),
        pci_address: has_pci.then_some([pci.pci_domain, pci.pci_bus, pci.pci_device, pci.pci_function]),
        compute_units: units.count(),
        // SAFETY: as the caller promises, and the extension was looked for.
        shares_buffers: capabilities.offer.has(khr::external_memory_fd::NAME)
            && unsafe {
                external_memory::imports(instance, physical, capabilities.profile.buffer_device_address)
            },
        driver_version: properties.driver_version,
    }
}

/// Where vendors tell how many units a device has. Used once: the links stay in them.
#[derive(Default)]
struct UnitProperties {
    nvidia: vk::PhysicalDeviceShaderSMBuiltinsPropertiesNV<'static>,
    amd: vk::PhysicalDeviceShaderCorePropertiesAMD<'static>,
    amd_active: vk::PhysicalDeviceShaderCoreProperties2AMD<'static>,
    arm: vk::PhysicalDeviceShaderCoreBuiltinsPropertiesARM<'static>,
}

impl UnitProperties {
    /// Links the structures that the device knows.
    fn link<'a>(
        &'a mut self,
        mut all: vk::PhysicalDeviceProperties2<'a>,
        offer: &Offer,
    ) -> vk::PhysicalDeviceProperties2<'a> {
        if offer.has(nv::shader_sm_builtins::NAME) {
            all = all.push_next(&mut self.nvidia);
        }
        if offer.has(amd::shader_core_properties::NAME) {
            all = all.push_next(&mut self.amd);
        }
        if offer.has(amd::shader_core_properties2::NAME) {
            all = all.push_next(&mut self.amd_active);
        }
        if offer.has(arm::shader_core_builtins::NAME) {
            all = all.push_next(&mut self.arm);
        }
        all
    }

    /// The number, from whichever structure was filled.
    fn count(&self) -> Option<u32> {
        let arrays = self.amd.shader_engine_count.saturating_mul(self.amd.shader_arrays_per_engine_count);
        let all_of_amd = arrays.saturating_mul(self.amd.compute_units_per_shader_array);
        let told = [
            self.nvidia.shader_sm_count,
            self.amd_active.active_compute_unit_count,
            all_of_amd,
            self.arm.shader_core_count,
        ];
        told.into_iter().find(|&count| count > 0)
    }
}
