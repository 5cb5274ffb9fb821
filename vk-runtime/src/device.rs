//! An opened device.

use crate::buffer::BufferInner;
use crate::error::{Error, Result};
use crate::features::{Capabilities, FeatureChain, Limits};
use crate::handle::{LogicalDevice, Owned};
use crate::memory::{MemoryAllocator, MemoryUse};
use crate::physical::{DeviceInfo, DeviceKind, Usable};
use crate::print::PrintHandler;
use crate::queue::{Queue, QueueShared};
use crate::staging::Staging;
use ash::{khr, vk};
use clvk_interface::DeviceProfile;
use clvk_interface::print::DEFAULT_PRINT_BUFFER;
use std::ffi::c_char;
use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// How to open a device.
#[derive(Clone, Debug)]
pub struct DeviceOptions {
    /// How long a wait for the device may take before it is an error.
    pub wait_timeout: Duration,
    /// Moves data through staging buffers even where the host could reach device memory directly. For tests: it makes
    /// a CPU device behave like a discrete one.
    pub always_stage: bool,
    /// Bytes of the buffer that holds what one launch prints.
    pub print_buffer_size: u32,
    /// What takes it.
    pub print_handler: PrintHandler,
}

impl Default for DeviceOptions {
    fn default() -> Self {
        DeviceOptions {
            wait_timeout: Duration::from_secs(300),
            always_stage: false,
            print_buffer_size: DEFAULT_PRINT_BUFFER,
            print_handler: PrintHandler::default(),
        }
    }
}

/// How often pipelines were compiled and found.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PipelineStatistics {
    /// Pipelines compiled.
    pub compiled: u64,
    /// Launches that found their pipeline compiled.
    pub reused: u64,
}

/// An opened device. Cloning is cheap and gives the same device.
#[derive(Clone)]
pub struct Device {
    pub(crate) shared: Arc<DeviceShared>,
}

/// State of a device. In-flight work holds the parts below it (memory, handles), never this.
pub(crate) struct DeviceShared {
    // First, for it waits for the device when it is dropped.
    pub(crate) queue: QueueShared,
    pub(crate) upload: Mutex<Staging>,
    pub(crate) download: Mutex<Staging>,
    pub(crate) pipeline_cache: Owned<vk::PipelineCache>,
    pub(crate) allocator: Arc<MemoryAllocator>,
    pub(crate) logical: Arc<LogicalDevice>,
    pub(crate) options: DeviceOptions,
    /// Whether buffers may be reached by the host directly.
    pub(crate) direct: bool,
    pub(crate) compiled: AtomicU64,
    pub(crate) reused: AtomicU64,
    usable: Arc<Usable>,
    info: DeviceInfo,
}

impl Device {
    /// Opens a device with every feature that its profile names.
    ///
    /// # Errors
    /// [`Error::UnusableDevice`], or a failure of Vulkan.
    pub fn new(info: &DeviceInfo, options: &DeviceOptions) -> Result<Self> {
        let span = tracing::info_span!("open device", name = info.name());
        let _entered = span.enter();
        let usable = Arc::clone(info.usable()?);
        let logical = Arc::new(create_logical_device(info, &usable)?);
        let addresses = usable.capabilities.profile.buffer_device_address;
        // SAFETY: the device was created from this physical device, with the feature if the profile has it.
        let allocator = Arc::new(unsafe { MemoryAllocator::new(&logical, info.handle, addresses) }?);
        // SAFETY: the family is the one that the device was created with, with one queue.
        let queue = unsafe { logical.raw().get_device_queue(usable.queue_family, 0) };
        let queue = QueueShared::new(queue, &logical, &usable, options.wait_timeout);
        // SAFETY: the create info has no pointers.
        let cache =
            unsafe { logical.raw().create_pipeline_cache(&vk::PipelineCacheCreateInfo::default(), None) }
                .map_err(Error::vulkan("create a pipeline cache"))?;
        // SAFETY: just created from this device.
        let pipeline_cache = unsafe { Owned::new(&logical, cache) };
        let shares_memory = matches!(info.kind(), DeviceKind::Cpu | DeviceKind::Integrated);
        let direct = shares_memory && !options.always_stage && allocator.offers(!0, MemoryUse::Shared);
        tracing::info!(%info, direct, "device opened");
        Ok(Device {
            shared: Arc::new(DeviceShared {
                queue,
                upload: Mutex::new(Staging::new(MemoryUse::Upload)),
                download: Mutex::new(Staging::new(MemoryUse::Download)),
                pipeline_cache,
                allocator,
                logical,
                options: options.clone(),
                direct,
                compiled: AtomicU64::new(0),
                reused: AtomicU64::new(0),
                usable,
                info: info.clone(),
            }),
        })
    }

    /// Features and limits, for the compiler.
    #[must_use]
    pub fn profile(&self) -> &DeviceProfile {
        &self.capabilities().profile
    }

    /// What the device is.
    #[must_use]
    pub fn info(&self) -> &DeviceInfo {
        &self.shared.info
    }

    /// Its queue.
    #[must_use]
    pub fn queue(&self) -> Queue {
        Queue::new(self)
    }

    /// Whether the host reaches buffers directly; otherwise data goes through staging buffers.
    #[must_use]
    pub fn has_direct_access(&self) -> bool {
        self.shared.direct
    }

    /// How often pipelines were compiled and found since the device was opened.
    #[must_use]
    pub fn pipeline_statistics(&self) -> PipelineStatistics {
        PipelineStatistics {
            compiled: self.shared.compiled.load(Ordering::Relaxed),
            reused: self.shared.reused.load(Ordering::Relaxed),
        }
    }

    /// Whether both are the same opened device.
    pub(crate) fn is(&self, other: &Device) -> bool {
        Arc::ptr_eq(&self.shared, &other.shared)
    }

    pub(crate) fn check_same(&self, other: &Device, what: &'static str) -> Result<()> {
        if self.is(other) { Ok(()) } else { Err(Error::OtherDevice { what }) }
    }

    pub(crate) fn capabilities(&self) -> &Capabilities {
        &self.shared.usable.capabilities
    }

    pub(crate) fn limits(&self) -> &Limits {
        &self.capabilities().limits
    }

    pub(crate) fn timeout(&self) -> Duration {
        self.shared.options.wait_timeout
    }

    /// A buffer for the runtime's own purposes.
    pub(crate) fn create_buffer(
        &self,
        what: &'static str,
        size: u64,
        purpose: MemoryUse,
    ) -> Result<Arc<BufferInner>> {
        BufferInner::new(self, what, size, purpose).map(Arc::new)
    }
}

impl fmt::Debug for Device {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Device({})", self.shared.info)
    }
}

/// A number for a buffer or image, never given twice.
pub(crate) fn next_resource_id() -> u64 {
    static NEXT: AtomicU64 = AtomicU64::new(0);
    NEXT.fetch_add(1, Ordering::Relaxed)
}

fn create_logical_device(info: &DeviceInfo, usable: &Usable) -> Result<LogicalDevice> {
    let capabilities = &usable.capabilities;
    let offer = &capabilities.offer;
    let priorities = [1.0];
    let queues = [vk::DeviceQueueCreateInfo::default()
        .queue_family_index(usable.queue_family)
        .queue_priorities(&priorities)];
    let extensions: Vec<*const c_char> =
        offer.extensions_to_enable().iter().map(|name| name.as_ptr()).collect();
    let (mut chain, core) = FeatureChain::enabling(capabilities);
    let mut features = chain.link(core, offer);
    let create = vk::DeviceCreateInfo::default()
        .queue_create_infos(&queues)
        .enabled_extension_names(&extensions)
        .push_next(&mut features);
    // SAFETY: all that `create` points to lives until after the call; only extensions and features that the device
    // reported are asked for (VUID-vkCreateDevice-ppEnabledExtensionNames-01387, VUID-VkDeviceCreateInfo-pNext).
    let raw = unsafe { info.instance.raw().create_device(info.handle, &create, None) }
        .map_err(Error::vulkan("open the device"))?;
    let address_by_extension = capabilities.profile.buffer_device_address
        && offer.version() < vk::API_VERSION_1_2
        && offer.has(khr::buffer_device_address::NAME);
    // SAFETY: just created from this instance.
    Ok(unsafe { LogicalDevice::new(raw, Arc::clone(&info.instance), address_by_extension) })
}
