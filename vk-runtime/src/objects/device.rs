//! An opened device.

use crate::engine::buffer::BufferInner;
use crate::engine::command::Command;
use crate::engine::compile_pool::CompilePool;
use crate::engine::device_queue::DeviceQueues;
use crate::engine::event::Event;
use crate::engine::label::RecordHandler;
use crate::engine::loop_watch::LoopWatches;
use crate::engine::pinned::PinnedBuffers;
use crate::engine::pipeline::{CompileHandler, PipelineCounters, PipelineStatistics};
use crate::engine::placed::PlacedMemory;
use crate::engine::print::{PrintHandler, PrintOptions};
use crate::engine::reports::{MeasureHandler, ReportHandler};
use crate::engine::staging::Staging;
use crate::engine::stream::{Stream, StreamOptions};
use crate::engine::transfer::Transfer;
use crate::objects::batch::Batch;
use crate::objects::buffer::Buffer;
use crate::objects::shared_memory::InPlace;
use crate::objects::transfer_kernels::TransferKernels;
use crate::vulkan::capabilities::{Capabilities, Limits};
use crate::vulkan::descriptor::File;
use crate::vulkan::error::{Error, Result};
use crate::vulkan::external_memory::MemoryHandle;
use crate::vulkan::external_semaphore::SemaphoreHandle;
use crate::vulkan::logical_device::{DeviceId, Purpose};
use crate::vulkan::memory::{Heap, MemoryUse};
use crate::vulkan::physical_device::{DeviceInfo, DeviceKind, Usable};
use clvk_cache::DiskCache;
use clvk_interface::DeviceProfile;
use clvk_interface::enqueue::DEFAULT_QUEUE_SIZE;
use clvk_interface::print::DEFAULT_PRINT_BUFFER;
use std::fmt;
use std::sync::{Arc, Mutex, OnceLock, Weak};
use std::time::Duration;

/// How to open a device.
#[derive(Clone, Debug)]
pub struct DeviceOptions {
    /// How long a wait for the device may take before it is an error.
    pub wait_timeout: Duration,
    /// How long a wait polls the device before it sleeps. Polling uses processor time, but saves the time of
    /// waking up. `None` means 100 microseconds, or no polling if the device is the host's processor.
    pub busy_wait: Option<Duration>,
    /// Moves data through staging buffers even where the host could reach device memory directly. For tests:
    /// it makes a CPU device behave like a discrete one.
    pub always_stage: bool,
    /// Bytes of the buffer that holds what one launch prints.
    pub print_buffer_size: u32,
    /// Receives what launches print.
    pub print_handler: PrintHandler,
    /// Receives what sanitized kernels report.
    pub report_handler: ReportHandler,
    /// Receives what kernels measure.
    pub measure_handler: MeasureHandler,
    /// Bytes for the commands that concurrently running kernels can enqueue.
    pub device_queue_size: u32,
    /// Where pipelines are kept from process to process; `None` by default.
    pub cache: Option<Arc<DiskCache>>,
    /// Makes large copies and fills within the device by kernels, even where the driver's own are fast. For
    /// tests.
    pub always_move: bool,
    /// Lets a [`Presenter`](crate::Presenter) show images in windows. The instance must be made for that
    /// ([`InstanceOptions::presentation`](crate::InstanceOptions::presentation)).
    pub presentation: bool,
    /// How many threads compile kernels before they are launched
    /// ([`Kernel::prepare`](crate::Kernel::prepare)). They begin when there is something to compile. `None`
    /// means one less than there are processors, or none if the device is the host's processor: its drivers
    /// compile when a kernel is first dispatched, or one kernel at a time.
    pub compile_threads: Option<usize>,
    /// Is told what these threads and launches compile.
    pub compile_handler: CompileHandler,
    /// Is told of labelled commands ([`Command::set_label`]) that are done.
    pub record_handler: RecordHandler,
    /// Lets [`PerformanceCounters`](crate::PerformanceCounters) read the device's counters. Drivers may be
    /// slower then.
    pub performance_counters: bool,
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
            report_handler: ReportHandler::default(),
            measure_handler: MeasureHandler::default(),
            device_queue_size: DEFAULT_QUEUE_SIZE,
            cache: None,
            always_move: false,
            presentation: false,
            compile_threads: None,
            compile_handler: CompileHandler::default(),
            record_handler: RecordHandler::default(),
            performance_counters: false,
            never_timeline: false,
        }
    }
}

/// An opened device. Cloning is cheap and gives the same device.
#[derive(Clone)]
pub struct Device {
    pub(crate) shared: Arc<DeviceShared>,
}

/// The state of a device. In-flight work keeps the parts below it (memory, handles) alive, never this.
pub(crate) struct DeviceShared {
    // The first field, because it waits for the device when it is dropped.
    stream: OpenStream,
    staging: Staging,
    /// Staging memory of earlier mappings.
    pub(crate) mappings: Mutex<Vec<Arc<BufferInner>>>,
    /// Buffers in the host's memory.
    pub(crate) pinned: PinnedBuffers,
    /// Memory that host and device use in place, although the device has its own: the host's and the
    /// device's.
    pub(crate) placed: [PlacedMemory; 2],
    /// Kept for launches whose kernels enqueue others.
    pub(crate) device_queues: Arc<DeviceQueues>,
    /// Kept for launches whose loops the driver may end early.
    pub(crate) loop_watches: Arc<LoopWatches>,
    /// The transfer kernels, while a queue uses them.
    pub(crate) transfer_kernels: Mutex<Weak<TransferKernels>>,
    pub(crate) heap: Arc<Heap>,
    pub(crate) options: DeviceOptions,
    /// Whether the host may access buffers directly.
    pub(crate) direct: bool,
    pub(crate) print_options: PrintOptions,
    pub(crate) statistics: Arc<PipelineCounters>,
    pub(crate) compile_pool: CompilePool,
    /// Whether host and kernels use the same addresses of buffers, once that was tested.
    shares_addresses: OnceLock<bool>,
    /// Whether they also use the same memory.
    shares_memory: OnceLock<bool>,
    /// Whether they can use the same memory if it is allocated for that.
    places_memory: OnceLock<bool>,
    /// Whether buffers can be shared with other users of Vulkan, once that was tested.
    pub(crate) memory_handles: OnceLock<Vec<MemoryHandle>>,
    /// The same for semaphores.
    pub(crate) semaphore_handles: OnceLock<Vec<SemaphoreHandle>>,
    /// Signals of semaphores whose payloads others share, which were not recorded at once.
    pub(crate) shared_signals: Mutex<Vec<(File, Event)>>,
    usable: Arc<Usable>,
    info: DeviceInfo,
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
        let purpose = match options {
            DeviceOptions { presentation: true, .. } => Purpose::Present,
            DeviceOptions { performance_counters: true, .. } => Purpose::Count,
            _ => Purpose::Launch,
        };
        let heap = Arc::new(Heap::open(info, purpose)?);
        let stream_options = StreamOptions {
            busy_wait: options.busy_wait,
            timeout: options.wait_timeout,
            never_timeline: options.never_timeline,
            records: options.record_handler.clone(),
        };
        let stream = OpenStream(Stream::new(&heap, info, &stream_options)?);
        let shares_memory = matches!(info.kind(), DeviceKind::Cpu | DeviceKind::Integrated);
        let direct = shares_memory && !options.always_stage && heap.allocator.offers(!0, MemoryUse::Shared);
        let threads = || if info.kind() == DeviceKind::Cpu { 0 } else { spare_processors() };
        let compile_threads = options.compile_threads.unwrap_or_else(threads);
        tracing::info!(%info, direct, "device opened");
        let profile = &usable.capabilities.profile;
        Ok(Device {
            shared: Arc::new(DeviceShared {
                stream,
                staging: Staging::new(),
                mappings: Mutex::default(),
                pinned: PinnedBuffers::default(),
                placed: Default::default(),
                device_queues: Arc::new(DeviceQueues::new(&heap, profile, options.device_queue_size)),
                loop_watches: Arc::new(LoopWatches::new(&heap)),
                transfer_kernels: Mutex::default(),
                heap,
                print_options: PrintOptions {
                    buffer_size: options.print_buffer_size,
                    handler: options.print_handler.clone(),
                },
                statistics: Arc::new(PipelineCounters::new(options.compile_handler.clone())),
                compile_pool: CompilePool::new(compile_threads),
                options: options.clone(),
                direct,
                shares_addresses: OnceLock::new(),
                shares_memory: OnceLock::new(),
                places_memory: OnceLock::new(),
                memory_handles: OnceLock::new(),
                semaphore_handles: OnceLock::new(),
                shared_signals: Mutex::default(),
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

    /// A new, empty batch.
    #[must_use]
    pub fn batch(&self) -> Batch {
        Batch::new(self)
    }

    /// Waits for everything submitted to the device so far.
    ///
    /// # Errors
    /// [`Error::Timeout`] or [`Error::DeviceLost`].
    pub fn finish(&self) -> Result<()> {
        self.stream().wait(self.stream().last(), None)
    }

    /// Submits what is recorded, and notes what the device is done with, without waiting for it.
    ///
    /// # Errors
    /// A failure of the device.
    pub fn catch_up(&self) -> Result<()> {
        let stream = self.stream();
        stream.flush()?;
        stream.poll(stream.last());
        Ok(())
    }

    /// The device's time and the host's ([`crate::host_time`]) now, both in nanoseconds of the host's clock;
    /// `None` if the driver does not report the device's.
    #[must_use]
    pub fn times(&self) -> Option<(u64, u64)> {
        self.stream().clock.now()
    }

    /// Whether the host can access buffers directly; otherwise data goes through staging buffers.
    #[must_use]
    pub fn has_direct_access(&self) -> bool {
        self.shared.direct
    }

    /// Whether host and kernels use the same memory at the same addresses, without any copies
    /// ([`Buffer::at_shared_address`]).
    #[must_use]
    pub fn shares_memory(&self) -> bool {
        *self.shared.shares_memory.get_or_init(|| {
            let same = |buffer: Buffer| {
                let host = buffer.host_pointer().map(|pointer| pointer.addr().get() as u64);
                host.is_some() && host == buffer.address()
            };
            self.has_direct_access() && Buffer::new(self, 4096).is_ok_and(same)
        })
    }

    /// Whether host and kernels can use the same memory at the same addresses where it is allocated for that
    /// ([`Buffer::in_place`]). The first call tests it.
    #[must_use]
    pub fn has_memory_in_place(&self) -> bool {
        *self.shared.places_memory.get_or_init(|| {
            let buffer = Buffer::in_place(self, 1, InPlace::Host);
            if let Err(error) = &buffer {
                tracing::debug!(%error, "the device and the host use no memory in place");
            }
            buffer.is_ok()
        })
    }

    /// Whether host and kernels can use a buffer at the same address ([`Buffer::at_shared_address`]), and so
    /// exchange pointers. The first call tests it with a buffer.
    #[must_use]
    pub fn shares_addresses(&self) -> bool {
        *self.shared.shares_addresses.get_or_init(|| {
            let buffer = Buffer::at_shared_address(self, 4096);
            if let Err(error) = &buffer {
                tracing::debug!(%error, "the device does not share addresses with the host");
            }
            buffer.is_ok()
        })
    }

    /// How often pipelines were compiled and found since the device was opened.
    #[must_use]
    pub fn pipeline_statistics(&self) -> PipelineStatistics {
        self.shared.statistics.now()
    }

    /// Waits until the threads that compile kernels before they are launched have nothing to do.
    pub fn finish_compiling(&self) {
        self.shared.compile_pool.finish();
    }

    pub(crate) fn stream(&self) -> &Arc<Stream> {
        &self.shared.stream.0
    }

    /// Number of the device, never reused.
    pub(crate) fn id(&self) -> DeviceId {
        self.shared.heap.device()
    }

    /// Records a command of the runtime itself.
    pub(crate) fn issue(&self, command: Command) -> Result<()> {
        self.stream().issue_silently(command)
    }

    /// Moves a box between the host and the device, in order with everything else ([`Staging::transfer`]).
    pub(crate) fn transfer(&self, transfer: &Transfer, write: bool) -> Result<()> {
        self.shared.staging.transfer(self.stream(), transfer, write)
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

/// The processors besides the one of the application's thread, as far as they are worth threads.
fn spare_processors() -> usize {
    const MOST: usize = 15;
    std::thread::available_parallelism().map_or(0, |count| (count.get() - 1).min(MOST))
}

impl fmt::Debug for Device {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Device({})", self.shared.info)
    }
}

#[cfg(test)]
impl Device {
    /// The first device found, moving data as a discrete GPU does.
    pub(crate) fn staged() -> Self {
        use crate::vulkan::instance::{Instance, InstanceOptions};
        let instance = Instance::new(&InstanceOptions::default()).expect("a Vulkan loader");
        let info = instance.devices().expect("a device").swap_remove(0);
        let options = DeviceOptions { always_stage: true, ..DeviceOptions::default() };
        Device::new(&info, &options).expect("the device opens")
    }
}
