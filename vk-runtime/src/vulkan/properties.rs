//! What a device reports that neither the compiler nor the runtime needs, for applications that ask.

use crate::vulkan::capabilities::Answers;
use crate::vulkan::capability_table::PropertyChain;
use crate::vulkan::external_memory::{self, MemoryHandle};
use crate::vulkan::external_semaphore::{self, SemaphoreHandle};
use crate::vulkan::instance::InstanceHandle;
use ash::{ext, khr, vk};

/// Sizes, limits and identities of a device. Sizes are in bytes, images in pixels.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct DeviceFacts {
    /// What this process may use of the largest device-local heap: its size, or the budget that the system
    /// sets.
    pub memory: u64,
    /// Size of the largest buffer that may succeed.
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
    /// `minTexelBufferOffsetAlignment`, at least 1.
    pub min_texel_buffer_alignment: u32,
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
    /// PCI domain, bus, device and function, if the device reports them.
    pub pci_address: Option<[u32; 4]>,
    /// Units that run work-groups side by side (multiprocessors, compute units, cores), if the device reports
    /// them.
    pub compute_units: Option<u32>,
    /// The kinds of file descriptor by which buffers can be shared with other users
    /// ([`crate::Buffer::import`]).
    pub memory_handles: Vec<MemoryHandle>,
    /// How semaphores can be shared with other users of Vulkan ([`crate::Semaphore::import`]).
    pub semaphore_handles: Vec<SemaphoreHandle>,
    /// `driverVersion`, as the driver encodes it.
    pub driver_version: u32,
}

/// What a device reports, for applications.
///
/// # Safety
/// `physical` is a device of `instance` whose `apiVersion` is at least 1.1, and it gave the answers.
pub(crate) unsafe fn describe(
    instance: &InstanceHandle,
    physical: vk::PhysicalDevice,
    answers: &Answers,
    timestamp_bits: u32,
) -> DeviceFacts {
    let Answers { capabilities, properties, extra } = answers;
    let (ids, pci) = (&extra.ids, &extra.pci);
    let has_pci = capabilities.offer.has(ext::pci_bus_info::NAME);
    let limits = &properties.limits;
    let own = &capabilities.limits;
    // Some drivers report the largest integer if they have no limit.
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
        min_texel_buffer_alignment: u32::try_from(limits.min_texel_buffer_offset_alignment)
            .unwrap_or(1)
            .max(1),
        max_sampled_images: limits.max_per_stage_descriptor_sampled_images,
        max_storage_images: limits.max_per_stage_descriptor_storage_images,
        max_samplers: limits.max_per_stage_descriptor_samplers,
        timestamp_period: (timestamp_bits > 0).then_some(own.timestamp_period),
        device_uuid: ids.device_uuid,
        driver_uuid: ids.driver_uuid,
        luid: (ids.device_luid_valid != vk::FALSE).then_some((ids.device_luid, ids.device_node_mask)),
        pci_address: has_pci.then_some([pci.pci_domain, pci.pci_bus, pci.pci_device, pci.pci_function]),
        compute_units: units(extra),
        memory_handles: if capabilities.offer.has(khr::external_memory_fd::NAME) {
            let has = |kind: &MemoryHandle| kind.extension().is_none_or(|name| capabilities.offer.has(name));
            let known = MemoryHandle::ALL.into_iter().filter(has);
            let addressed = capabilities.profile.buffer_device_address;
            // SAFETY: as the caller promises, and the extension was looked for.
            unsafe { external_memory::kinds(instance, physical, addressed, known) }
        } else {
            Vec::new()
        },
        semaphore_handles: if capabilities.offer.has(khr::external_semaphore_fd::NAME) {
            // SAFETY: as the caller promises.
            unsafe { external_semaphore::kinds(instance, physical) }
        } else {
            Vec::new()
        },
        driver_version: properties.driver_version,
    }
}

/// The number of units of a device, from whichever vendor's structure was filled.
fn units(extra: &PropertyChain) -> Option<u32> {
    let amd = &extra.amd_units;
    let arrays = amd.shader_engine_count.saturating_mul(amd.shader_arrays_per_engine_count);
    let told = [
        extra.nvidia_units.shader_sm_count,
        extra.active_amd_units.active_compute_unit_count,
        arrays.saturating_mul(amd.compute_units_per_shader_array),
        extra.arm_units.shader_core_count,
    ];
    told.into_iter().find(|&count| count > 0)
}
