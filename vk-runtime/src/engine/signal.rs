//! How a stream learns that submissions are done: a timeline semaphore, or a fence for each submission.

use crate::engine::slot::Slot;
use crate::vulkan::error::{Error, Result};
use crate::vulkan::handle::Owned;
use crate::vulkan::logical_device::LogicalDevice;
use ash::vk;
use smallvec::SmallVec;
use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};
use vk::PipelineStageFlags as Stages;

/// Semaphores of a submission, or something for each of them.
type Few<T> = SmallVec<[T; 4]>;

/// See the module.
pub(crate) struct Signal {
    device: Arc<LogicalDevice>,
    /// Its value is the serial number of the last submission that is done.
    timeline: Option<Arc<Owned<vk::Semaphore>>>,
    /// The last serial number known to be done, for fences.
    seen: AtomicU64,
    /// How long a wait polls before it sleeps: waking a thread may take longer than a small kernel.
    busy_wait: Duration,
}

impl Signal {
    pub(crate) fn new(device: &Arc<LogicalDevice>, timeline: bool, busy_wait: Duration) -> Result<Self> {
        let timeline = if timeline { Some(Arc::new(device.create_timeline()?)) } else { None };
        Ok(Signal { device: Arc::clone(device), timeline, seen: AtomicU64::new(0), busy_wait })
    }

    /// Submits a slot to Vulkan. The caller has exclusive use of the queue.
    pub(crate) fn submit(&self, queue: vk::Queue, slot: &mut Slot) -> Result<()> {
        let fence = if self.timeline.is_some() { vk::Fence::null() } else { self.fence(slot)? };
        let buffers = [slot.buffer];
        let waits: Few<vk::Semaphore> = slot.waits.iter().map(|semaphore| semaphore.get()).collect();
        let stages: Few<Stages> = waits.iter().map(|_| Stages::ALL_COMMANDS).collect();
        let timeline = self.timeline.iter().map(|timeline| timeline.get());
        let signals: Few<vk::Semaphore> =
            timeline.chain(slot.signals.iter().map(|semaphore| semaphore.get())).collect();
        // Binary semaphores have no values, but take up places.
        let mut values: Few<u64> = signals.iter().map(|_| 0).collect();
        let none: Few<u64> = waits.iter().map(|_| 0).collect();
        let mut numbers = vk::TimelineSemaphoreSubmitInfo::default().wait_semaphore_values(&none);
        let mut info = vk::SubmitInfo::default()
            .command_buffers(&buffers)
            .wait_semaphores(&waits)
            .wait_dst_stage_mask(&stages)
            .signal_semaphores(&signals);
        if self.timeline.is_some() {
            values[0] = slot.serial;
            numbers = numbers.signal_semaphore_values(&values);
            info = info.push_next(&mut numbers);
        }
        // SAFETY: the command buffer is complete and not pending. The fence is not signalled and not in use.
        // The value is above all earlier ones. Only the caller uses the queue. The slot keeps what the
        // commands use, and the semaphores. Those that it waits for are signalled by a submission before,
        // or by others, whom the application orders (VUID-vkQueueSubmit-pWaitSemaphores-03238); that a signal
        // finds its semaphore not signalled is its concern too (VUID-vkQueueSubmit-pSignalSemaphores-00067).
        unsafe { self.device.raw().queue_submit(queue, &[info], fence) }.map_err(Error::vulkan("submit work"))
    }

    /// The slot's fence, not signalled.
    fn fence(&self, slot: &mut Slot) -> Result<vk::Fence> {
        // Another thread may still look at the previous fence; then the slot gets a new one.
        match &slot.fence {
            Some(fence) if Arc::strong_count(fence) == 1 => {
                // SAFETY: the fence's submission is done, and nothing else uses it.
                unsafe { self.device.raw().reset_fences(&[fence.get()]) }
                    .map_err(Error::vulkan("reset a fence"))?;
            }
            _ => slot.fence = Some(Arc::new(self.device.create_fence()?)),
        }
        Ok(slot.fence.as_ref().expect("just made").get())
    }

    /// Counts a submission that Vulkan did not accept as done, once everything before it is.
    pub(crate) fn skip(&self, serial: u64, in_flight: &VecDeque<Box<Slot>>, limit: Duration) -> Result<()> {
        self.wait(serial - 1, limit, || in_flight.back().and_then(|slot| slot.fence.clone()))?;
        match &self.timeline {
            // SAFETY: the semaphore is a timeline of this device whose value is below, and no submission will
            // signal it.
            Some(timeline) => unsafe { self.device.signal_semaphore(timeline.get(), serial) }?,
            None => {
                self.seen.fetch_max(serial, Ordering::AcqRel);
            }
        }
        Ok(())
    }

    /// Serial number up to which all submissions are done.
    pub(crate) fn done(&self, in_flight: &VecDeque<Box<Slot>>) -> Result<u64> {
        match &self.timeline {
            // SAFETY: the semaphore is a timeline of this device.
            Some(timeline) => unsafe { self.device.semaphore_value(timeline.get()) },
            None => {
                for slot in in_flight {
                    let Some(fence) = &slot.fence else { continue };
                    // SAFETY: the fence is of this device and was submitted.
                    let signalled = unsafe { self.device.raw().get_fence_status(fence.get()) }
                        .map_err(Error::vulkan("report whether its work is done"))?;
                    if !signalled {
                        break;
                    }
                    self.seen.fetch_max(slot.serial, Ordering::AcqRel);
                }
                Ok(self.seen.load(Ordering::Acquire))
            }
        }
    }

    /// Waits for a submission; `fence` finds its fence. Returns a serial number up to which all submissions
    /// are done.
    pub(crate) fn wait(
        &self,
        serial: u64,
        limit: Duration,
        fence: impl FnOnce() -> Option<Arc<Owned<vk::Fence>>>,
    ) -> Result<u64> {
        let result = match &self.timeline {
            Some(timeline) => {
                // SAFETY: the semaphore is a timeline of this device.
                let value = || unsafe { self.device.semaphore_value(timeline.get()) };
                if let Some(value) = self.ask(limit, || value().ok().filter(|&value| value >= serial)) {
                    return Ok(value);
                }
                // SAFETY: as before.
                unsafe { self.device.wait_semaphore(timeline.get(), serial, nanoseconds(limit)) }
            }
            None => self.wait_for_fence(fence(), limit).inspect(|()| {
                self.seen.fetch_max(serial, Ordering::AcqRel);
            }),
        };
        match result {
            Ok(()) => Ok(serial),
            Err(vk::Result::TIMEOUT) => Err(Error::Timeout { seconds: limit.as_secs_f64() }),
            Err(other) => Err(Error::vulkan("finish its work")(other)),
        }
    }

    /// Waits for a submitted fence; if it no longer exists, its submission is done.
    fn wait_for_fence(
        &self,
        fence: Option<Arc<Owned<vk::Fence>>>,
        limit: Duration,
    ) -> std::result::Result<(), vk::Result> {
        let Some(fence) = fence else { return Ok(()) };
        // SAFETY: the fence is of this device and was submitted.
        let status = || unsafe { self.device.raw().get_fence_status(fence.get()) };
        if self.ask(limit, || (status() == Ok(true)).then_some(())).is_some() {
            return Ok(());
        }
        // SAFETY: as before.
        unsafe { self.device.raw().wait_for_fences(&[fence.get()], true, nanoseconds(limit)) }
    }

    /// Polls until the work is done, or it is time to sleep.
    fn ask<T>(&self, limit: Duration, done: impl Fn() -> Option<T>) -> Option<T> {
        if self.busy_wait.is_zero() {
            return None;
        }
        let end = Instant::now() + self.busy_wait.min(limit);
        loop {
            if let Some(answer) = done() {
                return Some(answer);
            }
            if Instant::now() >= end {
                return None;
            }
            std::hint::spin_loop();
        }
    }

    /// Another owner of the semaphore.
    pub(crate) fn leak(&self) -> Option<Arc<Owned<vk::Semaphore>>> {
        self.timeline.clone()
    }
}

fn nanoseconds(limit: Duration) -> u64 {
    u64::try_from(limit.as_nanos()).unwrap_or(u64::MAX)
}
