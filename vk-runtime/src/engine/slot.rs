//! One submission: its command buffer, the memory that its commands use, and what is left to do when it ends.
//!
//! Slots are reused: a stream takes a free slot, records into it and submits it. When the device is done, the
//! stream finishes the slot and puts it back. It is made ready again when there is time ([`Slot::renew`]),
//! unless its launch comes again ([`repeat`]). In the steady state nothing is allocated.
//!
//! The `unsafe` calls here and in `record` are sound for these reasons. The command buffer belongs to the
//! slot alone. The slot is reached only through its stream's lock, or after it was taken out of the stream to
//! be finished or renewed. The command buffer is in the recording state from its creation or [`Slot::renew`]
//! to [`Slot::end`], and nothing is recorded into a slot that [`Slot::repeats`]. [`Slot::keeps`] holds every
//! handle given to a command until the device is done. Ranges were checked when the command was made.
//!
//! [`repeat`]: crate::engine::repeat

use crate::engine::arena::{Arena, DescriptorArena};
use crate::engine::buffer::BufferInner;
use crate::engine::event::Event;
use crate::engine::hazard::HazardTracker;
use crate::engine::image::ImageInner;
use crate::engine::pipeline::Pipeline;
use crate::engine::record::Recorded;
use crate::engine::repeat::Recording;
use crate::engine::runs::Runs;
use crate::engine::sampler::SamplerInner;
use crate::engine::texel_view::TexelView;
use crate::vulkan::error::{Error, Result};
use crate::vulkan::handle::Owned;
use crate::vulkan::memory::{Heap, MemoryUse};
use ash::vk;
use smallvec::{SmallVec, smallvec};
use std::sync::Arc;
use vk::{AccessFlags, PipelineStageFlags as Stage};

/// Time stamps of a slot: up to two for each command that is timed.
pub(crate) const QUERIES: u32 = 256;

/// Those that are reset at once for commands that share them.
const FEW_QUERIES: u32 = 16;

/// The pipeline stages of all commands of the engine.
pub(crate) const DEVICE_STAGES: Stage =
    Stage::from_raw(Stage::COMPUTE_SHADER.as_raw() | Stage::TRANSFER.as_raw());
pub(crate) const DEVICE_WRITES: AccessFlags =
    AccessFlags::from_raw(AccessFlags::SHADER_WRITE.as_raw() | AccessFlags::TRANSFER_WRITE.as_raw());
pub(crate) const DEVICE_ACCESSES: AccessFlags = AccessFlags::from_raw(
    DEVICE_WRITES.as_raw() | AccessFlags::SHADER_READ.as_raw() | AccessFlags::TRANSFER_READ.as_raw(),
);

/// Something that a command uses.
#[expect(dead_code, reason = "held, never looked at")]
pub(crate) enum Keep {
    Buffer(Arc<BufferInner>),
    Image(Arc<ImageInner>),
    Sampler(Arc<SamplerInner>),
    Texels(Arc<TexelView>),
    Pipeline(Arc<Pipeline>),
}

/// What is left to do for a command when the device is done.
pub(crate) struct Entry {
    pub(crate) event: Option<Event>,
    pub(crate) recorded: Recorded,
}

/// See the module.
pub(crate) struct Slot {
    /// Number of the submission.
    pub(crate) serial: u64,
    /// Barriers so far.
    pub(crate) epoch: u32,
    /// Commands so far.
    pub(crate) count: u32,
    pub(crate) keeps: Vec<Keep>,
    /// Semaphores that the submission waits for before all of its commands, and those that it signals after
    /// them.
    pub(crate) waits: Vec<Arc<Owned<vk::Semaphore>>>,
    pub(crate) signals: Vec<Arc<Owned<vk::Semaphore>>>,
    pub(crate) entries: Vec<Entry>,
    pub(crate) hazards: HazardTracker,
    /// Whether it begins with a barrier, since the submission before it ended without one.
    pub(crate) behind_barrier: bool,
    /// Whether a command may write memory that the host, or another user of Vulkan, reads without a copy.
    pub(crate) for_host: bool,
    /// What the command buffer holds, if it is a single launch that may come again.
    pub(crate) recording: Option<Recording>,
    /// Whether it is submitted again as it was recorded.
    pub(crate) repeats: bool,
    pub(crate) descriptors: DescriptorArena,
    pub(crate) arguments: Arena,
    pub(crate) upload: Arena,
    pub(crate) download: Arena,
    /// Signalled by the submission where there are no timeline semaphores.
    pub(crate) fence: Option<Arc<Owned<vk::Fence>>>,
    /// Host time of the submission.
    pub(crate) submitted: u64,
    pub(crate) heap: Arc<Heap>,
    pub(crate) buffer: vk::CommandBuffer,
    /// Of the queue.
    pool: Owned<vk::CommandPool>,
    queries: Option<Owned<vk::QueryPool>>,
    /// Queries that the commands have reset so far.
    reset_queries: u32,
    used_queries: u32,
    /// The time stamp of the end of the last command, if it is timed.
    pub(crate) last_end: Option<u32>,
    /// Its labelled commands.
    pub(crate) runs: Runs,
}

impl Slot {
    pub(crate) fn new(heap: &Arc<Heap>) -> Result<Self> {
        let device = heap.logical.raw();
        let info = vk::CommandPoolCreateInfo::default()
            .queue_family_index(heap.logical.queue_family())
            .flags(vk::CommandPoolCreateFlags::TRANSIENT);
        // SAFETY: the family is the one that the device was created with.
        let pool = unsafe { device.create_command_pool(&info, None) }
            .map_err(Error::vulkan("create a command pool"))?;
        // SAFETY: just created from this device.
        let pool = unsafe { Owned::new(&heap.logical, pool) };
        let info = vk::CommandBufferAllocateInfo::default().command_pool(pool.get()).command_buffer_count(1);
        // SAFETY: the pool is of this device and used by nothing else.
        let buffers = unsafe { device.allocate_command_buffers(&info) }
            .map_err(Error::vulkan("allocate a command buffer"))?;
        let mut slot = Slot {
            serial: 0,
            epoch: 0,
            count: 0,
            // Room for the usual launches, so that not every slot has to grow to it.
            keeps: Vec::with_capacity(1024),
            waits: Vec::new(),
            signals: Vec::new(),
            entries: Vec::with_capacity(128),
            hazards: HazardTracker::default(),
            behind_barrier: false,
            for_host: false,
            recording: None,
            repeats: false,
            descriptors: DescriptorArena::default(),
            arguments: Arena::new(MemoryUse::Arguments, 64 << 10),
            upload: Arena::new(MemoryUse::Upload, 1 << 20),
            download: Arena::new(MemoryUse::Download, 1 << 20),
            fence: None,
            submitted: 0,
            heap: Arc::clone(heap),
            buffer: buffers[0],
            pool,
            queries: None,
            reset_queries: 0,
            used_queries: 0,
            last_end: None,
            runs: Runs::default(),
        };
        slot.begin()?;
        Ok(slot)
    }

    /// Begins to record.
    fn begin(&mut self) -> Result<()> {
        let device = self.heap.logical.raw();
        let info = vk::CommandBufferBeginInfo::default();
        // SAFETY: the command buffer is in the initial state.
        unsafe { device.begin_command_buffer(self.buffer, &info) }
            .map_err(Error::vulkan("begin a command buffer"))?;
        self.reset_queries = 0;
        Ok(())
    }

    /// Makes the first command wait for all earlier submissions, if the last of them ended without a barrier.
    pub(crate) fn begin_behind(&mut self, barrier: bool) {
        self.behind_barrier = barrier;
        if barrier {
            self.barrier_within();
        }
    }

    /// Ends recording. If anything is for the host, a final barrier orders the host and later submissions
    /// after it. Otherwise the next submission, if there is one, begins with that barrier
    /// ([`Slot::begin_behind`]).
    pub(crate) fn end(&mut self) -> Result<()> {
        if self.repeats {
            return Ok(());
        }
        if self.for_host {
            let host = AccessFlags::HOST_READ | AccessFlags::HOST_WRITE;
            self.memory_barrier(
                DEVICE_STAGES,
                DEVICE_WRITES,
                DEVICE_STAGES | Stage::HOST,
                DEVICE_ACCESSES | host,
            );
        }
        // SAFETY: see the module.
        unsafe { self.heap.logical.raw().end_command_buffer(self.buffer) }
            .map_err(Error::vulkan("end a command buffer"))
    }

    /// Makes all later commands wait for all earlier ones.
    pub(crate) fn barrier(&mut self) {
        self.barrier_within();
        self.hazards.clear();
        self.epoch += 1;
    }

    /// Makes the later parts of one command wait for the earlier ones. Unlike [`Slot::barrier`], it keeps the
    /// recorded accesses.
    pub(crate) fn barrier_within(&mut self) {
        self.memory_barrier(DEVICE_STAGES, DEVICE_WRITES, DEVICE_STAGES, DEVICE_ACCESSES);
    }

    fn memory_barrier(&mut self, from: Stage, written: AccessFlags, to: Stage, accessed: AccessFlags) {
        let barrier = vk::MemoryBarrier::default().src_access_mask(written).dst_access_mask(accessed);
        let none = vk::DependencyFlags::empty();
        let device = self.heap.logical.raw();
        // SAFETY: see the module; stages and accesses are those of compute, transfer and host.
        unsafe { device.cmd_pipeline_barrier(self.buffer, from, to, none, &[barrier], &[], &[]) }
    }

    /// Takes buffers over from users outside this Vulkan instance, or hands them over.
    pub(crate) fn change_owner(&mut self, buffers: &[Arc<BufferInner>], acquires: bool) {
        let (outside, own) = (vk::QUEUE_FAMILY_EXTERNAL, self.heap.logical.queue_family());
        let ((from, written), (to, accessed)) = if acquires {
            ((outside, AccessFlags::empty()), (own, DEVICE_ACCESSES))
        } else {
            ((own, DEVICE_WRITES), (outside, AccessFlags::empty()))
        };
        let barrier = |buffer: &Arc<BufferInner>| {
            vk::BufferMemoryBarrier::default()
                .buffer(buffer.raw())
                .size(vk::WHOLE_SIZE)
                .src_queue_family_index(from)
                .dst_queue_family_index(to)
                .src_access_mask(written)
                .dst_access_mask(accessed)
        };
        let barriers: SmallVec<[vk::BufferMemoryBarrier<'_>; 4]> = buffers.iter().map(barrier).collect();
        let none = vk::DependencyFlags::empty();
        let device = self.heap.logical.raw();
        // SAFETY: see the module; one of the families is that of the queue, and the buffers were made to be
        // shared.
        unsafe {
            device.cmd_pipeline_barrier(self.buffer, DEVICE_STAGES, DEVICE_STAGES, none, &[], &barriers, &[]);
        }
    }

    /// Whether another command that is timed fits, and then the end of a span.
    pub(crate) fn has_room(&self) -> bool {
        self.used_queries + 3 <= QUERIES
    }

    /// Makes all time-stamp queries ready.
    pub(crate) fn prepare_queries(&mut self) -> Result<()> {
        self.reset_queries(QUERIES)
    }

    /// Makes ready what a few time stamps need.
    pub(crate) fn prepare_some_queries(&mut self) -> Result<()> {
        self.reset_queries((self.used_queries + FEW_QUERIES).min(QUERIES))
    }

    fn reset_queries(&mut self, wanted: u32) -> Result<()> {
        let logical = &self.heap.logical;
        if self.queries.is_none() {
            let info =
                vk::QueryPoolCreateInfo::default().query_type(vk::QueryType::TIMESTAMP).query_count(QUERIES);
            // SAFETY: the create info has no pointers, the count is not zero.
            let pool = unsafe { logical.raw().create_query_pool(&info, None) }
                .map_err(Error::vulkan("create a query pool"))?;
            // SAFETY: just created from this device.
            self.queries = Some(unsafe { Owned::new(logical, pool) });
        }
        let first = self.reset_queries;
        if let Some(pool) = self.queries.as_ref().filter(|_| first < wanted) {
            // SAFETY: see the module; the range is within the pool.
            unsafe { logical.raw().cmd_reset_query_pool(self.buffer, pool.get(), first, wanted - first) };
            self.reset_queries = wanted;
        }
        Ok(())
    }

    /// Lets it be submitted again as it was recorded.
    pub(crate) fn repeat(&mut self) {
        self.repeats = true;
        let stamps = self.recording.as_ref().and_then(Recording::stamps);
        self.used_queries = stamps.map_or(0, |stamps| stamps.len() as u32);
    }

    /// Time stamps so far.
    pub(crate) fn used_queries(&self) -> u32 {
        self.used_queries
    }

    /// Writes time stamps in a row, if there is room; gives the first.
    pub(crate) fn probe(&mut self, count: u32) -> Option<u32> {
        let first = self.used_queries;
        if first + count + 3 > self.reset_queries {
            return None;
        }
        (0..count).for_each(|_| _ = self.time_stamp());
        Some(first)
    }

    /// The time stamp of what follows: the end of the command before, because nothing lies between them.
    /// Devices wait for each time stamp.
    pub(crate) fn start_stamp(&mut self) -> u32 {
        self.last_end.take().unwrap_or_else(|| self.time_stamp())
    }

    /// Writes the time stamp of a command's end.
    pub(crate) fn end_stamp(&mut self) -> u32 {
        let stamp = self.time_stamp();
        self.last_end = Some(stamp);
        stamp
    }

    /// Writes the next time stamp after everything before it is done; returns its number.
    fn time_stamp(&mut self) -> u32 {
        let pool = self.queries.as_ref().expect("`prepare_queries` came first").get();
        let index = self.used_queries;
        self.used_queries += 1;
        let device = self.heap.logical.raw();
        // SAFETY: see the module; the query was reset and is written once, for `has_room` was asked.
        unsafe { device.cmd_write_timestamp(self.buffer, Stage::BOTTOM_OF_PIPE, pool, index) };
        index
    }

    /// The time stamps; the device must be done.
    pub(crate) fn read_queries(&self) -> Result<SmallVec<[u64; 8]>> {
        let mut ticks: SmallVec<[u64; 8]> = smallvec![0; self.used_queries as usize];
        let Some(pool) = self.queries.as_ref().filter(|_| !ticks.is_empty()) else { return Ok(ticks) };
        let flags = vk::QueryResultFlags::TYPE_64 | vk::QueryResultFlags::WAIT;
        // SAFETY: the slice has room for the queries, which were all written, for the device is done.
        unsafe { self.heap.logical.raw().get_query_pool_results(pool.get(), 0, &mut ticks, flags) }
            .map_err(Error::vulkan("read time stamps"))?;
        Ok(ticks)
    }

    /// Releases what the commands use, except for their descriptors, which may be needed again; the device
    /// must be done, or never have begun.
    pub(crate) fn release(&mut self) {
        self.keeps.clear();
        self.waits.clear();
        self.signals.clear();
        self.entries.clear();
        self.hazards.clear();
        self.arguments.reset();
        self.upload.reset();
        self.download.reset();
        (self.epoch, self.count, self.used_queries) = (0, 0, 0);
        self.last_end = None;
        self.runs.clear();
        (self.for_host, self.repeats) = (false, false);
    }

    /// Begins anew, after [`Slot::release`].
    pub(crate) fn renew(&mut self) -> Result<()> {
        self.recording = None;
        self.descriptors.reset(&self.heap.logical);
        let device = self.heap.logical.raw();
        // SAFETY: the device is done with the commands, and nothing else uses the pool.
        unsafe { device.reset_command_pool(self.pool.get(), vk::CommandPoolResetFlags::empty()) }
            .map_err(Error::vulkan("reset a command pool"))?;
        self.begin()
    }
}
