//! Owners of Vulkan handles: one per handle, whose `Drop` destroys it.
//!
//! Invariant: an [`Owned`] handle is destroyed only when the device no longer uses it. The owner does not check
//! that; whatever is submitted keeps its handles alive (see the module `queue`) until its fence has signalled.
//! Memory that is divided is not owned here (see `memory`).

use crate::error::{Error, Result};
use crate::instance::InstanceHandle;
use ash::vk;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Locks a mutex whose data stays consistent even when a holder panicked.
pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Owner of a `VkDevice`; everything created from it holds it.
pub(crate) struct LogicalDevice {
    raw: ash::Device,
    /// Present where buffer device addresses come from the extension and not from Vulkan 1.2.
    address_extension: Option<ash::khr::buffer_device_address::Device>,
    /// Present where timeline semaphores come from the extension and not from Vulkan 1.2.
    timeline_extension: Option<ash::khr::timeline_semaphore::Device>,
    /// Present where the driver tells the device's time.
    time_extension: Option<ash::ext::calibrated_timestamps::Device>,
    /// Present where buffers can be made of the host's memory.
    host_memory_extension: Option<ash::ext::external_memory_host::Device>,
    /// Present where memory can be shared by file descriptors.
    external_memory_extension: Option<ash::khr::external_memory_fd::Device>,
    instance: Arc<InstanceHandle>,
}

impl LogicalDevice {
    /// # Safety
    /// `raw` was created from `instance`, and nobody else destroys it.
    pub(crate) unsafe fn new(
        raw: ash::Device,
        instance: Arc<InstanceHandle>,
        by_extension: &ByExtension,
    ) -> Self {
        let entries = instance.raw();
        let address =
            by_extension.address.then(|| ash::khr::buffer_device_address::Device::new(entries, &raw));
        let timeline =
            by_extension.timeline.then(|| ash::khr::timeline_semaphore::Device::new(entries, &raw));
        let time =
            by_extension.device_time.then(|| ash::ext::calibrated_timestamps::Device::new(entries, &raw));
        let host_memory =
            by_extension.host_memory.then(|| ash::ext::external_memory_host::Device::new(entries, &raw));
        let external_memory =
            by_extension.external_memory.then(|| ash::khr::external_memory_fd::Device::new(entries, &raw));
        LogicalDevice {
            raw,
            host_memory_extension: host_memory,
            external_memory_extension: external_memory,
            address_extension: address,
            timeline_extension: timeline,
            time_extension: time,
            instance,
        }
    }

    pub(crate) fn raw(&self) -> &ash::Device {
        &self.raw
    }

    pub(crate) fn instance(&self) -> &Arc<InstanceHandle> {
        &self.instance
    }

    /// The functions for memory that is shared by file descriptors.
    pub(crate) fn external_memory_extension(&self) -> Option<&ash::khr::external_memory_fd::Device> {
        self.external_memory_extension.as_ref()
    }

    /// Address of a buffer.
    ///
    /// # Safety
    /// `buffer` is a buffer of this device, created with `SHADER_DEVICE_ADDRESS`, bound to memory that was allocated
    /// with `DEVICE_ADDRESS`, and the device has the feature.
    pub(crate) unsafe fn buffer_address(&self, buffer: vk::Buffer) -> u64 {
        let info = vk::BufferDeviceAddressInfo::default().buffer(buffer);
        match &self.address_extension {
            // SAFETY: as the caller promises.
            Some(extension) => unsafe { extension.get_buffer_device_address(&info) },
            // SAFETY: as the caller promises.
            None => unsafe { self.raw.get_buffer_device_address(&info) },
        }
    }

    /// The memory types (a mask) as which the device can take the host's memory at a page.
    ///
    /// # Safety
    /// `page` is aligned as the device demands, and memory of the host.
    pub(crate) unsafe fn types_of_host_memory(&self, page: *const std::ffi::c_void) -> Option<u32> {
        let extension = self.host_memory_extension.as_ref()?;
        let kind = vk::ExternalMemoryHandleTypeFlags::HOST_ALLOCATION_EXT;
        let mut properties = vk::MemoryHostPointerPropertiesEXT::default();
        // SAFETY: the extension is enabled, and the pointer is as the caller promises.
        let result = unsafe {
            (extension.fp().get_memory_host_pointer_properties_ext)(
                self.raw.handle(),
                kind,
                page,
                &mut properties,
            )
        };
        (result == vk::Result::SUCCESS).then_some(properties.memory_type_bits)
    }

    /// A timeline semaphore of value 0, on a device that has them.
    pub(crate) fn create_timeline(self: &Arc<Self>) -> Result<Owned<vk::Semaphore>> {
        let mut kind = vk::SemaphoreTypeCreateInfo::default().semaphore_type(vk::SemaphoreType::TIMELINE);
        let info = vk::SemaphoreCreateInfo::default().push_next(&mut kind);
        // SAFETY: the device lives and has the feature, as the caller knows.
        let semaphore =
            unsafe { self.raw.create_semaphore(&info, None) }.map_err(Error::vulkan("create a semaphore"))?;
        // SAFETY: just created from this device.
        Ok(unsafe { Owned::new(self, semaphore) })
    }

    /// Value of a timeline semaphore.
    ///
    /// # Safety
    /// It is one, of this device.
    pub(crate) unsafe fn semaphore_value(&self, semaphore: vk::Semaphore) -> Result<u64> {
        match &self.timeline_extension {
            // SAFETY: as the caller promises.
            Some(extension) => unsafe { extension.get_semaphore_counter_value(semaphore) },
            // SAFETY: as the caller promises.
            None => unsafe { self.raw.get_semaphore_counter_value(semaphore) },
        }
        .map_err(Error::vulkan("tell whether its work is done"))
    }

    /// Waits until a timeline semaphore has reached a value.
    ///
    /// # Safety
    /// It is one, of this device.
    pub(crate) unsafe fn wait_semaphore(
        &self,
        semaphore: vk::Semaphore,
        value: u64,
        nanoseconds: u64,
    ) -> std::result::Result<(), vk::Result> {
        let (semaphores, values) = ([semaphore], [value]);
        let info = vk::SemaphoreWaitInfo::default().semaphores(&semaphores).values(&values);
        match &self.timeline_extension {
            // SAFETY: as the caller promises.
            Some(extension) => unsafe { extension.wait_semaphores(&info, nanoseconds) },
            // SAFETY: as the caller promises.
            None => unsafe { self.raw.wait_semaphores(&info, nanoseconds) },
        }
    }

    /// Sets a timeline semaphore.
    ///
    /// # Safety
    /// It is one, of this device; its value is below `value`, and no submission under way will change it.
    pub(crate) unsafe fn signal_semaphore(&self, semaphore: vk::Semaphore, value: u64) -> Result<()> {
        let info = vk::SemaphoreSignalInfo::default().semaphore(semaphore).value(value);
        match &self.timeline_extension {
            // SAFETY: as the caller promises.
            Some(extension) => unsafe { extension.signal_semaphore(&info) },
            // SAFETY: as the caller promises.
            None => unsafe { self.raw.signal_semaphore(&info) },
        }
        .map_err(Error::vulkan("set a semaphore"))
    }

    /// The device's time in ticks of its time stamps, if it tells.
    pub(crate) fn device_time(&self) -> Option<u64> {
        let extension = self.time_extension.as_ref()?;
        let domains = [vk::CalibratedTimestampInfoEXT::default().time_domain(vk::TimeDomainEXT::DEVICE)];
        // SAFETY: the extension is enabled, and the device offers this domain (`can_calibrate`).
        let (ticks, _) = unsafe { extension.get_calibrated_timestamps(&domains) }.ok()?;
        ticks.first().copied()
    }

    /// A fence that has not signalled.
    pub(crate) fn create_fence(self: &Arc<Self>) -> Result<Owned<vk::Fence>> {
        // SAFETY: the device lives, the create info has no pointers.
        let fence = unsafe { self.raw.create_fence(&vk::FenceCreateInfo::default(), None) }
            .map_err(Error::vulkan("create a fence"))?;
        // SAFETY: just created from this device.
        Ok(unsafe { Owned::new(self, fence) })
    }
}

/// Functions that a device has through an extension and not through its version.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct ByExtension {
    pub(crate) address: bool,
    pub(crate) timeline: bool,
    pub(crate) device_time: bool,
    pub(crate) host_memory: bool,
    pub(crate) external_memory: bool,
}

impl Drop for LogicalDevice {
    fn drop(&mut self) {
        // SAFETY: every child object holds this owner, so none is left; host access is exclusive in `drop`.
        unsafe { self.raw.destroy_device(None) }
    }
}

/// A handle that is destroyed through its device.
pub(crate) trait Destroy: Copy {
    /// # Safety
    /// `self` was created from `device`, is not in use and is not used again.
    unsafe fn destroy(self, device: &ash::Device);
}

macro_rules! destroy {
    ($($handle:ident by $function:ident),+ $(,)?) => {
        $(impl Destroy for vk::$handle {
            unsafe fn destroy(self, device: &ash::Device) {
                // SAFETY: as the caller promises.
                unsafe { device.$function(self, None) }
            }
        })+
    };
}

destroy! {
    Buffer by destroy_buffer,
    CommandPool by destroy_command_pool,
    DescriptorPool by destroy_descriptor_pool,
    DescriptorSetLayout by destroy_descriptor_set_layout,
    DeviceMemory by free_memory,
    Fence by destroy_fence,
    Image by destroy_image,
    ImageView by destroy_image_view,
    BufferView by destroy_buffer_view,
    Pipeline by destroy_pipeline,
    PipelineCache by destroy_pipeline_cache,
    PipelineLayout by destroy_pipeline_layout,
    QueryPool by destroy_query_pool,
    Sampler by destroy_sampler,
    Semaphore by destroy_semaphore,
    ShaderModule by destroy_shader_module,
}

/// The only owner of a handle.
pub(crate) struct Owned<H: Destroy> {
    handle: H,
    device: Arc<LogicalDevice>,
}

impl<H: Destroy> Owned<H> {
    /// # Safety
    /// `handle` was created from `device` and nobody else destroys it.
    pub(crate) unsafe fn new(device: &Arc<LogicalDevice>, handle: H) -> Self {
        Owned { handle, device: Arc::clone(device) }
    }

    pub(crate) fn get(&self) -> H {
        self.handle
    }
}

impl<H: Destroy> Drop for Owned<H> {
    fn drop(&mut self) {
        // SAFETY: this is the only owner (`new`), and what the device still uses is kept alive by its submission.
        unsafe { self.handle.destroy(self.device.raw()) }
    }
}
