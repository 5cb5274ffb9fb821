//! An opened device.

use crate::batch::Batch;
use crate::buffer::{Buffer, BufferInner};
use crate::clock::{self, Clock};
use crate::command::followup::Followups;
use crate::command::mover::Mover;
use crate::command::operation::Command;
use crate::command::stream::{Stream, StreamOptions};
use crate::device_queue::EmptyQueue;
use crate::error::{Error, Result};
use crate::features::{Capabilities, FeatureChain, Limits};
use crate::handle::{ByExtension, LogicalDevice};
use crate::memory::{Heap, MemoryAllocator, MemoryUse};
use crate::physical::{DeviceInfo, DeviceKind, Usable};
use crate::pinned::PinnedBuffers;
use crate::print::PrintHandler;
use crate::staging::Staging;
use ash::{ext, khr, vk};
use clvk_cache::DiskCache;
use clvk_interface::DeviceProfile;
use clvk_interface::enqueue::DEFAULT_QUEUE_SIZE;
use clvk_interface::print::DEFAULT_PRINT_BUFFER;
use std::ffi::c_char;
use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, OnceLock, Weak};
use std::time::Duration;

/// How to open a device.
#[derive(Clone, Debug)]
pub struct DeviceOptions {
    /// How long a wait for the device may take before it is an error.
    pub wait_timeout: Duration,
    /// How long a wait asks the device again and again before it sleeps, which takes the time of a processor and saves that of
    /// waking up. `None`: 100 microseconds, and none at all where the host's processors are the device.
    pub busy_wait: Option<Duration>,
    /// Moves data through staging buffers even where the host could reach device memory directly. For tests: it makes
    /// a CPU device behave like a discrete one.
    pub always_stage: bool,
    /// Bytes of the buffer that holds what one launch prints.
    pub print_buffer_size: u32,
    /// What takes it.
    pub print_handler: PrintHandler,
    /// Bytes for what the kernels that run at a time can enqueue.
    pub device_queue_size: u32,
    /// Where pipelines are kept from process to process; nowhere at first.
    pub cache: Option<Arc<DiskCache>>,
    /// Moves large amounts within the device by kernels, also where the driver's own copies are fast. For tests.
    pub always_move: bool,
    /// Uses fences even where there are timeline semaphores. For tests.
    pub never_timeline: bool,
}

impl Default for DeviceOptions {
    fn default() -> Self {
        DeviceOptions {
            wait_timeout: Duration::from_secs(300),
            busy_wait: None,
            always_stage: false,
            print_buffer_size: DEFAULT_PRINT_BUFFER,
            print_handler: PrintHandler::default(),
            device_queue_size: DEFAULT_QUEUE_SIZE,
            cache: None,
            always_move: false,
            never_timeline: false,
        }
    }
}

/// How long waits ask before they sleep, unless the options say so.
fn busy_wait(kind: DeviceKind) -> Duration {
    match kind {
        DeviceKind::Cpu => Duration::ZERO,
        _ => Duration::from_micros(100),
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
    stream: OpenStream,
    pub(crate) upload: Mutex<Staging>,
    pub(crate) download: Mutex<Staging>,
    /// Staging memory of earlier mappings.
    pub(crate) mappings: Mutex<Vec<Arc<BufferInner>>>,
    /// Buffers in the host's memory.
    pub(crate) pinned: PinnedBuffers,
    /// Kept for launches whose kernels enqueue others.
    pub(crate) device_queues: Mutex<Vec<EmptyQueue>>,
    /// The kernels for transfers, while a queue has them.
    pub(crate) mover: Mutex<Weak<Mover>>,
    pub(crate) heap: Arc<Heap>,
    pub(crate) logical: Arc<LogicalDevice>,
    pub(crate) options: DeviceOptions,
    /// Whether buffers may be reached by the host directly.
    pub(crate) direct: bool,
    pub(crate) compiled: AtomicU64,
    pub(crate) reused: AtomicU64,
    /// Whether the host's pointers to buffers are the kernels' too, when it was found out.
    shares_addresses: OnceLock<bool>,
    /// Whether buffers are shared with other users of Vulkan, once somebody asked.
    pub(crate) shares_buffers: OnceLock<bool>,
    usable: Arc<Usable>,
    info: DeviceInfo,
    id: u64,
}

/// The device's stream, which is closed with it.
struct OpenStream(Arc<Stream>);

impl Drop for OpenStream {
    fn drop(&mut self) {
        self.0.close();
    }
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
        let limits = &usable.capabilities.limits;
        let heap = Arc::new(Heap {
            allocator: Arc::clone(&allocator),
            logical: Arc::clone(&logical),
            addressed: addresses,
            storage_alignment: limits.min_storage_buffer_alignment,
            max_allocation_size: limits.max_allocation_size,
            host_memory_alignment: limits.host_memory_alignment,
        });
        let device_time = by_extension(info, &usable.capabilities).device_time;
        let clock = Clock::new(&logical, limits.timestamp_period, usable.timestamp_bits, device_time);
        let stream_options = StreamOptions {
            raw: queue,
            family: usable.queue_family,
            has_time_stamps: usable.timestamp_bits > 0,
            timeline: usable.capabilities.has_timeline() && !options.never_timeline,
            busy_wait: options.busy_wait.unwrap_or_else(|| busy_wait(info.kind())),
            timeout: options.wait_timeout,
        };
        let stream = OpenStream(Stream::new(&heap, &stream_options, clock)?);
        let shares_memory = matches!(info.kind(), DeviceKind::Cpu | DeviceKind::Integrated);
        let direct = shares_memory && !options.always_stage && allocator.offers(!0, MemoryUse::Shared);
        tracing::info!(%info, direct, "device opened");
        Ok(Device {
            shared: Arc::new(DeviceShared {
                stream,
                upload: Mutex::new(Staging::new(MemoryUse::Upload)),
                download: Mutex::new(Staging::new(MemoryUse::Download)),
                mappings: Mutex::default(),
                pinned: PinnedBuffers::default(),
                device_queues: Mutex::default(),
                mover: Mutex::default(),
                heap,
                logical,
                options: options.clone(),
                direct,
                compiled: AtomicU64::new(0),
                reused: AtomicU64::new(0),
                shares_addresses: OnceLock::new(),
                shares_buffers: OnceLock::new(),
                usable,
                info: info.clone(),
                id: next_resource_id(),
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

    /// A new, empty batch.
    #[must_use]
    pub fn batch(&self) -> Batch {
        Batch::new(self)
    }

    /// Waits for everything given to the device so far.
    ///
    /// # Errors
    /// [`Error::Timeout`] or [`Error::DeviceLost`].
    pub fn finish(&self) -> Result<()> {
        self.stream().wait(self.stream().last(), None)
    }

    /// The device's time and the host's ([`crate::host_time`]) now, both in nanoseconds of the host's clock; `None` where
    /// the driver does not tell the device's.
    #[must_use]
    pub fn times(&self) -> Option<(u64, u64)> {
        self.stream().clock.now()
    }

    /// Whether the host reaches buffers directly; otherwise data goes through staging buffers.
    #[must_use]
    pub fn has_direct_access(&self) -> bool {
        self.shared.direct
    }

    /// Whether there are buffers that host and kernels find at the same address ([`Buffer::at_shared_address`]), so that they can exchange
    /// pointers. Found out with a buffer.
    #[must_use]
    pub fn shares_addresses(&self) -> bool {
        *self.shared.shares_addresses.get_or_init(|| {
            let buffer = Buffer::at_shared_address(self, 4096);
            if let Err(error) = &buffer {
                tracing::debug!(%error, "the device shares no addresses with the host");
            }
            buffer.is_ok()
        })
    }

    /// How often pipelines were compiled and found since the device was opened.
    #[must_use]
    pub fn pipeline_statistics(&self) -> PipelineStatistics {
        PipelineStatistics {
            compiled: self.shared.compiled.load(Ordering::Relaxed),
            reused: self.shared.reused.load(Ordering::Relaxed),
        }
    }

    pub(crate) fn stream(&self) -> &Arc<Stream> {
        &self.shared.stream.0
    }

    /// Number of the device, never given twice.
    pub(crate) fn id(&self) -> u64 {
        self.shared.id
    }

    /// Records a command of the runtime itself.
    pub(crate) fn issue(&self, command: Command) -> Result<()> {
        let mut followups = Followups::default();
        let result = self.stream().issue(command, &[], None, false, &mut followups);
        followups.run();
        result.map(drop)
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
        BufferInner::new(&self.shared.heap, what, size, purpose).map(Arc::new)
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
    // SAFETY: just created from this instance.
    Ok(unsafe { LogicalDevice::new(raw, Arc::clone(&info.instance), &by_extension(info, capabilities)) })
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
        external_memory: offer.has(khr::external_memory_fd::NAME),
        device_time: offer.has(ext::calibrated_timestamps::NAME)
            && clock::can_calibrate(info.instance.entry(), instance, info.handle),
    }
}

#[cfg(test)]
impl Device {
    /// The first device found, which moves data as a discrete GPU does.
    pub(crate) fn staged() -> Self {
        let instance = crate::Instance::new(&crate::InstanceOptions::default()).expect("a Vulkan loader");
        let info = instance.devices().expect("a device").swap_remove(0);
        let options = DeviceOptions { always_stage: true, ..DeviceOptions::default() };
        Device::new(&info, &options).expect("the device opens")
    }
}
