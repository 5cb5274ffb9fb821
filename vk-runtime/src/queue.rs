//! The queue of a device, and the work under way on it.
//!
//! Invariants:
//! - All submissions go through [`submit`]; they take effect in order, because each begins with a barrier behind
//!   everything before it (see `record`).
//! - An [`InFlight`] keeps everything that its commands use until its fence has signalled.
//! - In-flight work never holds the device's shared state, so dropping the last [`Device`] waits for the work and
//!   then frees all. If the device does not finish in time, what it still uses is leaked, not freed.
//!
//! Order of locks: the queue's state before a buffer's; neither is held while a fence is waited for, except a
//! buffer's by the thread that is about to access its memory.

use crate::batch::{Batch, Op};
use crate::device::Device;
use crate::error::{Error, Result};
use crate::handle::{LogicalDevice, Owned, lock};
use crate::physical::Usable;
use crate::record::{self, Recorded};
use ash::vk;
use std::collections::VecDeque;
use std::fmt;
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// The queue of a device. Cloning is cheap and gives the same queue.
#[derive(Clone, Debug)]
pub struct Queue {
    device: Device,
}

impl Queue {
    pub(crate) fn new(device: &Device) -> Self {
        Queue { device: device.clone() }
    }

    /// A new, empty batch.
    #[must_use]
    pub fn batch(&self) -> Batch {
        Batch::new(&self.device)
    }

    /// Waits for everything submitted so far.
    ///
    /// # Errors
    /// [`Error::Timeout`] or [`Error::DeviceLost`].
    pub fn finish(&self) -> Result<()> {
        let queue = &self.device.shared.queue;
        let last = lock(&queue.state).in_flight.back().map(|work| Arc::clone(&work.completion));
        if let Some(completion) = last {
            completion.wait(self.device.timeout())?;
        }
        queue.reap();
        Ok(())
    }
}

/// Work that was submitted. Dropping it does not wait.
pub struct Submission {
    device: Device,
    work: Arc<InFlight>,
}

impl Submission {
    /// Waits until the work is done, at most as long as [`crate::DeviceOptions::wait_timeout`] says.
    ///
    /// # Errors
    /// [`Error::Timeout`] (the work goes on; wait again if you like) or [`Error::DeviceLost`].
    pub fn wait(&self) -> Result<()> {
        self.wait_for(self.device.timeout())
    }

    /// Waits until the work is done, at most this long.
    ///
    /// # Errors
    /// As for [`Submission::wait`].
    pub fn wait_for(&self, timeout: Duration) -> Result<()> {
        self.work.completion.wait(timeout)?;
        // What it printed is out when this returns, whoever noticed first that it is done.
        let queue = &self.device.shared.queue;
        self.work.finish(queue)?;
        queue.reap();
        Ok(())
    }

    /// Whether the work is done.
    ///
    /// # Errors
    /// [`Error::DeviceLost`].
    pub fn is_done(&self) -> Result<bool> {
        self.work.completion.poll()
    }

    /// Begin and end of each dispatch of the batch, in order; waits for the work.
    ///
    /// # Errors
    /// [`Error::NoTimestamps`] if the device has none or the batch was not timed, or as for [`Submission::wait`].
    pub fn timings(&self) -> Result<Vec<DispatchTime>> {
        self.wait()?;
        let queue = &self.device.shared.queue;
        self.work.finish(queue)?;
        let work = lock(&self.work.state);
        let ticks = work.ticks.as_ref().ok_or(Error::NoTimestamps)?;
        let period = f64::from(self.device.limits().timestamp_period);
        Ok(dispatch_times(ticks, queue.timestamp_bits, period))
    }
}

impl fmt::Debug for Submission {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Submission(done: {:?})", self.is_done())
    }
}

/// When a dispatch ran, in nanoseconds since its batch began.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DispatchTime {
    /// When everything before it was done.
    pub start_ns: u64,
    /// When it was done too.
    pub end_ns: u64,
}

impl DispatchTime {
    /// How long it took.
    #[must_use]
    pub fn duration_ns(&self) -> u64 {
        self.end_ns.saturating_sub(self.start_ns)
    }
}

/// Pairs of time stamps as times; the counter has `bits` bits and may wrap once.
fn dispatch_times(ticks: &[u64], bits: u32, period: f64) -> Vec<DispatchTime> {
    let mask = u64::MAX >> 64u32.saturating_sub(bits).min(63);
    let Some(&first) = ticks.first() else { return Vec::new() };
    let nanoseconds = |tick: u64| ((tick.wrapping_sub(first) & mask) as f64 * period).round() as u64;
    ticks
        .chunks_exact(2)
        .map(|pair| DispatchTime { start_ns: nanoseconds(pair[0]), end_ns: nanoseconds(pair[1]) })
        .collect()
}

/// Whether a submission is done. Outlives its resources: buffers remember the completion of their last use.
pub(crate) struct Completion {
    fence: Owned<vk::Fence>,
    stage: Mutex<Stage>,
    changed: Condvar,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stage {
    /// Not given to Vulkan yet.
    Recorded,
    /// The fence will signal.
    Submitted,
    /// The fence has signalled, or Vulkan did not take the work.
    Done,
}

impl Completion {
    pub(crate) fn new(device: &Arc<LogicalDevice>) -> Result<Self> {
        Ok(Completion {
            fence: device.create_fence()?,
            stage: Mutex::new(Stage::Recorded),
            changed: Condvar::new(),
        })
    }

    fn set(&self, stage: Stage) {
        *lock(&self.stage) = stage;
        self.changed.notify_all();
    }

    /// Waits until the work is done.
    pub(crate) fn wait(&self, timeout: Duration) -> Result<()> {
        let started = Instant::now();
        let stage = {
            let stage = lock(&self.stage);
            let waited = self.changed.wait_timeout_while(stage, timeout, |stage| *stage == Stage::Recorded);
            *waited.unwrap_or_else(PoisonError::into_inner).0
        };
        match stage {
            Stage::Done => return Ok(()),
            Stage::Recorded => return Err(Error::Timeout { seconds: timeout.as_secs_f64() }),
            Stage::Submitted => {}
        }
        let remaining = timeout.saturating_sub(started.elapsed());
        let nanoseconds = u64::try_from(remaining.as_nanos()).unwrap_or(u64::MAX);
        // SAFETY: the fence is of this device and was submitted.
        let result =
            unsafe { self.fence.device().raw().wait_for_fences(&[self.fence.get()], true, nanoseconds) };
        match result {
            Ok(()) => {
                self.set(Stage::Done);
                Ok(())
            }
            Err(vk::Result::TIMEOUT) => Err(Error::Timeout { seconds: timeout.as_secs_f64() }),
            Err(other) => Err(Error::vulkan("finish its work")(other)),
        }
    }

    /// Whether the work is done.
    pub(crate) fn poll(&self) -> Result<bool> {
        match *lock(&self.stage) {
            Stage::Done => return Ok(true),
            Stage::Recorded => return Ok(false),
            Stage::Submitted => {}
        }
        // SAFETY: the fence is of this device.
        let signalled = unsafe { self.fence.device().raw().get_fence_status(self.fence.get()) }
            .map_err(Error::vulkan("tell whether its work is done"))?;
        if signalled {
            self.set(Stage::Done);
        }
        Ok(signalled)
    }
}

/// A submission and all that it uses.
pub(crate) struct InFlight {
    completion: Arc<Completion>,
    state: Mutex<WorkState>,
}

struct WorkState {
    /// Taken when the work is done.
    recorded: Option<Recorded>,
    /// The time stamps, once the work is done.
    ticks: Option<Vec<u64>>,
}

impl InFlight {
    /// Frees what the work used and keeps its time stamps. The work must be done.
    fn finish(&self, queue: &QueueShared) -> Result<()> {
        let mut state = lock(&self.state);
        let Some(recorded) = state.recorded.take() else { return Ok(()) };
        let (ticks, commands) = recorded.finish();
        state.ticks = ticks?;
        drop(state);
        lock(&queue.state).free.push(commands);
        Ok(())
    }
}

/// A command pool with its one command buffer, used again and again.
pub(crate) struct Commands {
    pub(crate) pool: Owned<vk::CommandPool>,
    pub(crate) buffer: vk::CommandBuffer,
}

/// The queue's part of the device's shared state.
pub(crate) struct QueueShared {
    state: Mutex<QueueState>,
    /// Valid bits of a time stamp; 0 if there are none.
    pub(crate) timestamp_bits: u32,
    family: u32,
    timeout: Duration,
    device: Arc<LogicalDevice>,
}

struct QueueState {
    raw: vk::Queue,
    in_flight: VecDeque<Arc<InFlight>>,
    free: Vec<Commands>,
}

impl QueueShared {
    pub(crate) fn new(
        raw: vk::Queue,
        device: &Arc<LogicalDevice>,
        usable: &Usable,
        timeout: Duration,
    ) -> Self {
        QueueShared {
            state: Mutex::new(QueueState { raw, in_flight: VecDeque::new(), free: Vec::new() }),
            timestamp_bits: usable.timestamp_bits,
            family: usable.queue_family,
            timeout,
            device: Arc::clone(device),
        }
    }

    /// An empty command buffer.
    pub(crate) fn commands(&self) -> Result<Commands> {
        let free = lock(&self.state).free.pop();
        let device = self.device.raw();
        if let Some(commands) = free {
            // SAFETY: the work recorded in it is done, and nobody else has the pool.
            unsafe { device.reset_command_pool(commands.pool.get(), vk::CommandPoolResetFlags::empty()) }
                .map_err(Error::vulkan("reset a command pool"))?;
            return Ok(commands);
        }
        let info = vk::CommandPoolCreateInfo::default()
            .queue_family_index(self.family)
            .flags(vk::CommandPoolCreateFlags::TRANSIENT);
        // SAFETY: the family is the one that the device was created with.
        let pool = unsafe { device.create_command_pool(&info, None) }
            .map_err(Error::vulkan("create a command pool"))?;
        // SAFETY: just created from this device.
        let pool = unsafe { Owned::new(&self.device, pool) };
        let info = vk::CommandBufferAllocateInfo::default().command_pool(pool.get()).command_buffer_count(1);
        // SAFETY: the pool is of this device and used by nobody else.
        let buffers = unsafe { device.allocate_command_buffers(&info) }
            .map_err(Error::vulkan("allocate a command buffer"))?;
        Ok(Commands { pool, buffer: buffers[0] })
    }

    /// Frees what finished work used.
    pub(crate) fn reap(&self) {
        loop {
            let mut state = lock(&self.state);
            let done = state.in_flight.front().is_some_and(|work| matches!(work.completion.poll(), Ok(true)));
            let work = if done { state.in_flight.pop_front() } else { None };
            drop(state);
            let Some(work) = work else { return };
            if let Err(error) = work.finish(self) {
                tracing::warn!(%error, "the time stamps of a submission were lost");
            }
        }
    }

    /// Gives recorded work to Vulkan.
    fn submit(&self, recorded: Recorded) -> Result<Arc<InFlight>> {
        let completion = Arc::new(Completion::new(&self.device)?);
        let buffers = [recorded.command_buffer()];
        let mut state = lock(&self.state);
        recorded.for_each_buffer(|buffer| buffer.mark_used(&completion));
        let info = vk::SubmitInfo::default().command_buffers(&buffers);
        // SAFETY: the command buffer is complete and not pending, the fence is new, and the lock makes this thread
        // the only one that uses the queue; what the commands use is kept by the `InFlight` below.
        let result = unsafe { self.device.raw().queue_submit(state.raw, &[info], completion.fence.get()) };
        if let Err(error) = result {
            completion.set(Stage::Done);
            return Err(Error::vulkan("take work")(error));
        }
        completion.set(Stage::Submitted);
        let work =
            InFlight { completion, state: Mutex::new(WorkState { recorded: Some(recorded), ticks: None }) };
        let work = Arc::new(work);
        state.in_flight.push_back(Arc::clone(&work));
        Ok(work)
    }
}

impl Drop for QueueShared {
    fn drop(&mut self) {
        let in_flight = std::mem::take(&mut lock(&self.state).in_flight);
        for work in in_flight {
            match work.completion.wait(self.timeout) {
                // After a lost device everything counts as done (Vulkan specification, "Lost Device").
                Ok(()) | Err(Error::DeviceLost { .. }) => {}
                Err(error) => {
                    tracing::error!(%error, "the device still works; what it uses is not freed");
                    // The recorded work holds the logical device too, so that it is never destroyed.
                    std::mem::forget(work);
                }
            }
        }
    }
}

/// Records operations and gives them to the queue; `timed` asks for time stamps.
pub(crate) fn submit(device: &Device, operations: Vec<Op>, timed: bool) -> Result<Arc<InFlight>> {
    let queue = &device.shared.queue;
    queue.reap();
    let recorded = record::record(device, operations, timed && queue.timestamp_bits > 0)?;
    queue.submit(recorded)
}

/// The same, for a batch of the user.
pub(crate) fn submit_batch(device: &Device, operations: Vec<Op>, timed: bool) -> Result<Submission> {
    let work = submit(device, operations, timed)?;
    Ok(Submission { device: device.clone(), work })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_survive_a_wrap_of_a_short_counter() {
        let ticks = [0xffff_fff0, 0x0000_0010, 0x20, 0x30];
        let times = dispatch_times(&ticks, 32, 2.0);
        assert_eq!(times[0], DispatchTime { start_ns: 0, end_ns: 64 });
        assert_eq!(times[1].duration_ns(), 32);
        assert_eq!(dispatch_times(&[5, 9], 64, 1.0)[0].duration_ns(), 4);
    }
}
