//! Owner of a `VkDevice`, with its extension functions.

use crate::vulkan::capabilities::Capabilities;
use crate::vulkan::clock;
use crate::vulkan::error::{Error, Result};
use crate::vulkan::handle::{Owned, next_number};
use crate::vulkan::instance::InstanceHandle;
use crate::vulkan::performance::{CounterList, Performance};
use crate::vulkan::physical_device::{DeviceInfo, QueueFamily, Usable};
use ash::{ext, khr, vk};
use std::ffi::{c_char, c_void};
use std::ptr::NonNull;
use std::sync::Arc;

/// The number of an opened device, never reused. Commands name their device by it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct DeviceId(u64);

/// Owner of a `VkDevice`; everything created from it holds it.
pub(crate) struct LogicalDevice {
    id: DeviceId,
    queue_family: QueueFamily,
    raw: ash::Device,
    /// Present if buffer device addresses come from the extension instead of Vulkan 1.2.
    address_extension: Option<khr::buffer_device_address::Device>,
    /// Present if timeline semaphores come from the extension instead of Vulkan 1.2.
    timeline_extension: Option<khr::timeline_semaphore::Device>,
    /// Present if the driver reports the device's time.
    time_extension: Option<ext::calibrated_timestamps::Device>,
    /// Present if buffers can use host memory.
    host_memory_extension: Option<ext::external_memory_host::Device>,
    /// Present if the host can choose the address of a mapping.
    map_extension: Option<khr::map_memory2::Device>,
    /// Present if memory can be shared by file descriptors.
    external_memory_extension: Option<khr::external_memory_fd::Device>,
    /// Present if semaphores can be shared by file descriptors.
    external_semaphore_extension: Option<khr::external_semaphore_fd::Device>,
    /// Present if the driver tells what it makes of kernels, and the device was opened for that.
    executable_extension: Option<khr::pipeline_executable_properties::Device>,
    /// Present if there are performance counters, and the device was opened for them.
    performance: Option<Performance>,
    /// Present if the device was opened for windows.
    swapchain_extension: Option<khr::swapchain::Device>,
    instance: Arc<InstanceHandle>,
}

impl LogicalDevice {
    /// # Safety
    /// `raw` was created from `instance` with one queue of the family, and nothing else destroys it.
    unsafe fn new(
        raw: ash::Device,
        instance: Arc<InstanceHandle>,
        queue_family: QueueFamily,
        by_extension: &ByExtension,
    ) -> Self {
        let entries = instance.raw();
        let address = by_extension.address.then(|| khr::buffer_device_address::Device::new(entries, &raw));
        let timeline = by_extension.timeline.then(|| khr::timeline_semaphore::Device::new(entries, &raw));
        let time = by_extension.device_time.then(|| ext::calibrated_timestamps::Device::new(entries, &raw));
        let host_memory =
            by_extension.host_memory.then(|| ext::external_memory_host::Device::new(entries, &raw));
        let map = by_extension.map.then(|| khr::map_memory2::Device::new(entries, &raw));
        let external_memory =
            by_extension.external_memory.then(|| khr::external_memory_fd::Device::new(entries, &raw));
        let external_semaphore =
            by_extension.external_semaphore.then(|| khr::external_semaphore_fd::Device::new(entries, &raw));
        let executable =
            by_extension.executable.then(|| khr::pipeline_executable_properties::Device::new(entries, &raw));
        let swapchain = by_extension.swapchain.then(|| khr::swapchain::Device::new(entries, &raw));
        LogicalDevice {
            id: DeviceId(next_number()),
            queue_family,
            raw,
            host_memory_extension: host_memory,
            map_extension: map,
            external_memory_extension: external_memory,
            external_semaphore_extension: external_semaphore,
            executable_extension: executable,
            performance: None,
            swapchain_extension: swapchain,
            address_extension: address,
            timeline_extension: timeline,
            time_extension: time,
            instance,
        }
    }

    pub(crate) fn id(&self) -> DeviceId {
        self.id
    }

    pub(crate) fn raw(&self) -> &ash::Device {
        &self.raw
    }

    pub(crate) fn instance(&self) -> &Arc<InstanceHandle> {
        &self.instance
    }

    /// The family of its one queue.
    pub(crate) fn queue_family(&self) -> u32 {
        self.queue_family.index
    }

    /// Valid bits of a time stamp; 0 if the queue cannot write time stamps.
    pub(crate) fn timestamp_bits(&self) -> u32 {
        self.queue_family.timestamp_bits
    }

    /// Its one queue. Using it needs synchronisation by the caller.
    pub(crate) fn queue(&self) -> vk::Queue {
        // SAFETY: the device was created with one queue of the family (`new`).
        unsafe { self.raw.get_device_queue(self.queue_family.index, 0) }
    }

    /// The functions for memory that is shared by file descriptors.
    pub(crate) fn external_memory_extension(&self) -> Option<&khr::external_memory_fd::Device> {
        self.external_memory_extension.as_ref()
    }

    /// The functions for semaphores that are shared by file descriptors.
    pub(crate) fn external_semaphore_extension(&self) -> Option<&khr::external_semaphore_fd::Device> {
        self.external_semaphore_extension.as_ref()
    }

    /// The functions that tell what the driver makes of kernels.
    pub(crate) fn executable_extension(&self) -> Option<&khr::pipeline_executable_properties::Device> {
        self.executable_extension.as_ref()
    }

    /// The performance counters.
    pub(crate) fn performance(&self) -> Option<&Performance> {
        self.performance.as_ref()
    }

    /// The functions for windows.
    pub(crate) fn swapchain_extension(&self) -> Option<&khr::swapchain::Device> {
        self.swapchain_extension.as_ref()
    }

    /// Address of a buffer.
    ///
    /// # Safety
    /// `buffer` is a buffer of this device, created with `SHADER_DEVICE_ADDRESS`, bound to memory that was
    /// allocated with `DEVICE_ADDRESS`, and the device has the feature.
    pub(crate) unsafe fn buffer_address(&self, buffer: vk::Buffer) -> u64 {
        let info = vk::BufferDeviceAddressInfo::default().buffer(buffer);
        match &self.address_extension {
            // SAFETY: as the caller promises.
            Some(extension) => unsafe { extension.get_buffer_device_address(&info) },
            // SAFETY: as the caller promises.
            None => unsafe { self.raw.get_buffer_device_address(&info) },
        }
    }

    /// The memory types (a mask) with which the device can import the host's memory at a page.
    ///
    /// # Safety
    /// `page` is aligned as the device demands, and memory of the host.
    pub(crate) unsafe fn types_of_host_memory(&self, page: *const c_void) -> Option<u32> {
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

    /// Whether the host can choose the address of a mapping.
    pub(crate) fn places_mappings(&self) -> bool {
        self.map_extension.is_some()
    }

    /// Maps all of a memory object at an address. Nothing there is left of the pages of before.
    ///
    /// # Safety
    /// The memory is of this device, visible to the host, and not mapped. Its size and the address are
    /// multiples of `minPlacedMemoryMapAlignment`. The pages there are the caller's, and nothing uses them.
    pub(crate) unsafe fn map_at(&self, memory: vk::DeviceMemory, address: NonNull<u8>) -> Result<()> {
        let extension = self.map_extension.as_ref().ok_or(Error::SharedAddress)?;
        let mut placement =
            vk::MemoryMapPlacedInfoEXT { p_placed_address: address.as_ptr().cast(), ..Default::default() };
        let mut info =
            vk::MemoryMapInfoKHR::default().memory(memory).size(vk::WHOLE_SIZE).push_next(&mut placement);
        info.flags = vk::MemoryMapFlags::PLACED_EXT;
        let mut place = std::ptr::null_mut();
        // SAFETY: the feature is enabled with the extension (`by_extension`); the rest is as the caller
        // promises.
        let result =
            unsafe { (extension.fp().map_memory2_khr)(self.raw.handle(), &info, &mut place) }.result();
        result.map_err(Error::vulkan("map memory at an address"))?;
        if place.cast() == address.as_ptr() { Ok(()) } else { Err(Error::SharedAddress) }
    }

    /// A timeline semaphore of value 0, on a device that has timeline semaphores.
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
        .map_err(Error::vulkan("report whether its work is done"))
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
    /// It is one, of this device; its value is below `value`, and no submission in flight will change it.
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

    /// Whether the driver reports the device's time.
    pub(crate) fn tells_time(&self) -> bool {
        self.time_extension.is_some()
    }

    /// The device's time in ticks of its time stamps, if the driver reports it.
    pub(crate) fn device_time(&self) -> Option<u64> {
        let extension = self.time_extension.as_ref()?;
        let domains = [vk::CalibratedTimestampInfoEXT::default().time_domain(vk::TimeDomainEXT::DEVICE)];
        // SAFETY: the extension is enabled, and the device offers this domain (`can_calibrate`).
        let (ticks, _) = unsafe { extension.get_calibrated_timestamps(&domains) }.ok()?;
        ticks.first().copied()
    }

    /// A binary semaphore.
    pub(crate) fn create_semaphore(self: &Arc<Self>) -> Result<Owned<vk::Semaphore>> {
        // SAFETY: the device lives, the create info has no pointers.
        let semaphore = unsafe { self.raw.create_semaphore(&vk::SemaphoreCreateInfo::default(), None) }
            .map_err(Error::vulkan("create a semaphore"))?;
        // SAFETY: just created from this device.
        Ok(unsafe { Owned::new(self, semaphore) })
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

/// Functions that a device has through an extension instead of its version.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct ByExtension {
    pub(crate) address: bool,
    pub(crate) timeline: bool,
    pub(crate) device_time: bool,
    pub(crate) host_memory: bool,
    pub(crate) map: bool,
    pub(crate) external_memory: bool,
    pub(crate) external_semaphore: bool,
    pub(crate) executable: bool,
    pub(crate) swapchain: bool,
}

/// What a device is opened for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Purpose {
    /// Launches.
    Launch,
    /// Launches, and showing images in windows.
    Present,
    /// Compiling kernels, to learn what the driver makes of them.
    Compile,
    /// Launches, and reading performance counters.
    Count,
}

impl Drop for LogicalDevice {
    fn drop(&mut self) {
        // SAFETY: every child object holds this owner, so none is left; host access is exclusive in `drop`.
        unsafe { self.raw.destroy_device(None) }
    }
}

/// Opens a device with one queue of its family and with every feature that its profile names.
pub(crate) fn open(info: &DeviceInfo, usable: &Usable, purpose: Purpose) -> Result<LogicalDevice> {
    let capabilities = &usable.capabilities.for_purpose(purpose);
    let presents = purpose == Purpose::Present;
    let queue_family = if presents { drawing_queue(info, usable)? } else { usable.compute };
    let offer = &capabilities.offer;
    let priorities = [1.0];
    let queues = [vk::DeviceQueueCreateInfo::default()
        .queue_family_index(queue_family.index)
        .queue_priorities(&priorities)];
    let extensions: Vec<*const c_char> =
        offer.extensions_to_enable().iter().map(|name| name.as_ptr()).collect();
    let (mut chain, core) = capabilities.enabling();
    let mut features = chain.link(core, offer);
    let create = vk::DeviceCreateInfo::default()
        .queue_create_infos(&queues)
        .enabled_extension_names(&extensions)
        .push_next(&mut features);
    // SAFETY: all that `create` points to lives until after the call; only extensions and features that the
    // device reported are asked for (VUID-vkCreateDevice-ppEnabledExtensionNames-01387,
    // VUID-VkDeviceCreateInfo-pNext).
    let raw = unsafe { info.instance.raw().create_device(info.handle, &create, None) }
        .map_err(Error::vulkan("open the device"))?;
    // SAFETY: just created from this instance.
    let mut device = unsafe {
        LogicalDevice::new(
            raw,
            Arc::clone(&info.instance),
            queue_family,
            &ByExtension { swapchain: presents, ..by_extension(info, capabilities) },
        )
    };
    if capabilities.counts_performance() {
        let (entry, instance) = (info.instance.entry(), info.instance.raw());
        // SAFETY: the device was just created with the extension and its feature, and keeps the instance.
        device.performance = Some(unsafe {
            let list = CounterList::new(entry, instance, info.handle, queue_family.index);
            Performance::new(list, instance, &device.raw)
        });
    }
    Ok(device)
}

/// The queue family of a device for windows.
fn drawing_queue(info: &DeviceInfo, usable: &Usable) -> Result<QueueFamily> {
    let refuse =
        |reason: &str| Error::Presentation { device: info.name().to_owned(), reason: reason.to_owned() };
    if !info.instance.has_surfaces() {
        return Err(refuse("the Vulkan instance was not created for windows"));
    }
    if !usable.capabilities.offer.has(khr::swapchain::NAME) {
        return Err(refuse("its driver lacks VK_KHR_swapchain"));
    }
    usable.drawing.ok_or_else(|| refuse("it has no queue that both computes and draws"))
}

/// The functions that the device has through extensions.
fn by_extension(info: &DeviceInfo, capabilities: &Capabilities) -> ByExtension {
    let offer = &capabilities.offer;
    let old = offer.version() < vk::API_VERSION_1_2;
    let instance = info.instance.raw();
    ByExtension {
        address: capabilities.profile.buffer_device_address
            && old
            && offer.has(khr::buffer_device_address::NAME),
        timeline: capabilities.has_timeline() && old && offer.has(khr::timeline_semaphore::NAME),
        host_memory: offer.has(ext::external_memory_host::NAME),
        map: offer.has(khr::map_memory2::NAME) && capabilities.features.memory_map_placed,
        external_memory: offer.has(khr::external_memory_fd::NAME),
        external_semaphore: offer.has(khr::external_semaphore_fd::NAME),
        executable: capabilities.reports_executables(),
        device_time: offer.has(ext::calibrated_timestamps::NAME)
            && clock::can_calibrate(info.instance.entry(), instance, info.handle),
        swapchain: false,
    }
}
