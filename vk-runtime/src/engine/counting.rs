//! Launches that run under the device's performance counters.
//!
//! Such a launch has a command buffer of its own, because some counters count a whole one: a query begins
//! first and ends last in it. It is submitted once for each pass that the counters need, while the device's
//! profiling lock is held, which must be taken before it is recorded.

use crate::engine::command::Command;
use crate::engine::slot::Slot;
use crate::engine::stream::Stream;
use crate::vulkan::error::{Error, Result};
use crate::vulkan::handle::Owned;
use crate::vulkan::performance::{Performance, PerformanceCounter};
use ash::vk;
use std::sync::Arc;
use std::time::Duration;

/// Passes that all counters together may need; a launch runs that often.
const MOST_PASSES: u32 = 8;

/// The counters to read: all that suit a launch, as long as they need few passes. Those that make the launch
/// slower come last.
pub(crate) fn choose(
    mut counters: Vec<PerformanceCounter>,
    passes: impl Fn(&[u32]) -> u32,
) -> Vec<PerformanceCounter> {
    counters.retain(|counter| counter.suits_launches);
    counters.sort_by_key(|counter| counter.disturbs);
    let all: Vec<u32> = counters.iter().map(|counter| counter.index).collect();
    if all.is_empty() || passes(&all) <= MOST_PASSES {
        return counters;
    }
    let mut chosen = Vec::new();
    counters.retain(|counter| {
        chosen.push(counter.index);
        let fits = passes(&chosen) <= MOST_PASSES;
        if !fits {
            chosen.pop();
        }
        fits
    });
    counters
}

/// What counting does to a device, which tests replace.
trait Passes {
    /// Takes the profiling lock.
    fn lock(&mut self) -> Result<()>;
    /// Records the launch.
    fn record(&mut self) -> Result<()>;
    /// Runs it, and waits for it.
    fn run(&mut self, pass: u32) -> Result<()>;
    /// The values, after all passes.
    fn values(&mut self) -> Result<Vec<f64>>;
    fn unlock(&mut self);
}

/// Runs all passes; gives the values of the counters.
fn carry_out(device: &mut impl Passes, passes: u32) -> Result<Vec<f64>> {
    device.lock()?;
    let mut all = || {
        device.record()?;
        (0..passes).try_for_each(|pass| device.run(pass))?;
        device.values()
    };
    let values = all();
    device.unlock();
    values
}

/// Runs a launch, alone on the device, and gives what these counters counted.
pub(crate) fn count(
    stream: &Arc<Stream>,
    command: Command,
    counters: &[PerformanceCounter],
    timeout: Duration,
) -> Result<Vec<f64>> {
    let Some(performance) = stream.heap.logical.performance() else { return Ok(Vec::new()) };
    let indices: Vec<u32> = counters.iter().map(|counter| counter.index).collect();
    if indices.is_empty() {
        return Ok(Vec::new());
    }
    stream.wait(stream.last(), None)?;
    let passes = performance.list.passes(&indices);
    let command = Some(command);
    let mut launch =
        Counted { stream, performance, counters, indices: &indices, command, recorded: None, timeout };
    carry_out(&mut launch, passes)
}

/// A launch on a device.
struct Counted<'a> {
    stream: &'a Arc<Stream>,
    performance: &'a Performance,
    counters: &'a [PerformanceCounter],
    indices: &'a [u32],
    command: Option<Command>,
    recorded: Option<Recorded>,
    timeout: Duration,
}

/// The command buffers, and what they use. The device is done with them when it is dropped.
struct Recorded {
    launch: Slot,
    /// Makes all effects visible to all that follows, the host included.
    between: Slot,
    queries: Owned<vk::QueryPool>,
    fence: Owned<vk::Fence>,
}

impl Counted<'_> {
    fn submit(&self, slot: &Slot, pass: u32, fence: &Owned<vk::Fence>) -> Result<()> {
        let device = self.stream.heap.logical.raw();
        let buffers = [slot.buffer];
        let mut number = vk::PerformanceQuerySubmitInfoKHR::default().counter_pass_index(pass);
        let info = vk::SubmitInfo::default().command_buffers(&buffers).push_next(&mut number);
        // SAFETY: the fence is not in use: the last submission was waited for.
        unsafe { device.reset_fences(&[fence.get()]) }.map_err(Error::vulkan("reset a fence"))?;
        self.stream.submit_apart(|queue| {
            // SAFETY: the command buffer is complete and not pending, the fence is not signalled, and the
            // profiling lock has been held since it was recorded (VUID-vkQueueSubmit-pCommandBuffers-03220).
            // Only this closure uses the queue.
            unsafe { device.queue_submit(queue, &[info], fence.get()) }.map_err(Error::vulkan("submit work"))
        })?;
        let limit = u64::try_from(self.timeout.as_nanos()).unwrap_or(u64::MAX);
        // SAFETY: the fence was just submitted.
        unsafe { device.wait_for_fences(&[fence.get()], true, limit) }.map_err(|error| match error {
            vk::Result::TIMEOUT => Error::Timeout { seconds: self.timeout.as_secs_f64() },
            other => Error::vulkan("finish its work")(other),
        })
    }
}

impl Passes for Counted<'_> {
    fn lock(&mut self) -> Result<()> {
        self.performance.lock()
    }

    fn record(&mut self) -> Result<()> {
        let (heap, command) = (&self.stream.heap, self.command.take());
        let (logical, device) = (&heap.logical, heap.logical.raw());
        let mut counters = self.performance.list.pool_info(self.indices);
        let info = vk::QueryPoolCreateInfo::default()
            .query_type(vk::QueryType::PERFORMANCE_QUERY_KHR)
            .query_count(1)
            .push_next(&mut counters);
        // SAFETY: the device has the feature, and the counters are its queue family's.
        let pool = unsafe { device.create_query_pool(&info, None) }
            .map_err(Error::vulkan("create a query pool for performance counters"))?;
        // SAFETY: just created from this device.
        let queries = unsafe { Owned::new(logical, pool) };
        let fence = logical.create_fence()?;
        let (mut reset, mut between, mut launch) = (Slot::new(heap)?, Slot::new(heap)?, Slot::new(heap)?);
        // SAFETY: as the module `slot` says; a command buffer of its own, because none may reset a query of
        // this kind that it also begins.
        unsafe { device.cmd_reset_query_pool(reset.buffer, pool, 0, 1) };
        reset.end()?;
        between.for_host = true;
        between.end()?;
        // SAFETY: as the module `slot` says; the lock is held, and it is the first command.
        unsafe { device.cmd_begin_query(launch.buffer, pool, 0, vk::QueryControlFlags::empty()) };
        if let Some(command) = command {
            launch.record(command, false)?;
        }
        // SAFETY: as before; it is the last command.
        unsafe { device.cmd_end_query(launch.buffer, pool, 0) };
        // `between` has the barrier.
        launch.for_host = false;
        launch.end()?;
        self.submit(&reset, 0, &fence).inspect_err(|_| std::mem::forget((reset, Arc::clone(heap))))?;
        self.recorded = Some(Recorded { launch, between, queries, fence });
        Ok(())
    }

    fn run(&mut self, pass: u32) -> Result<()> {
        let Some(recorded) = self.recorded.take() else { return Ok(()) };
        let all = [&recorded.between, &recorded.launch, &recorded.between];
        match all.iter().try_for_each(|slot| self.submit(slot, pass, &recorded.fence)) {
            Ok(()) => {
                self.recorded = Some(recorded);
                Ok(())
            }
            Err(error) => {
                // The device may still use it.
                std::mem::forget(recorded);
                Err(error)
            }
        }
    }

    fn values(&mut self) -> Result<Vec<f64>> {
        let Some(recorded) = &self.recorded else { return Ok(Vec::new()) };
        let device = self.stream.heap.logical.raw();
        let mut found = vec![[0u8; 8]; self.counters.len()];
        let size = size_of_val(found.as_slice());
        let (pool, flags) = (recorded.queries.get(), vk::QueryResultFlags::WAIT);
        let data = found.as_mut_ptr().cast();
        // SAFETY: there is room for the one query's results, a union of eight bytes for each counter; all
        // passes were submitted and are done.
        let result = unsafe {
            (device.fp_v1_0().get_query_pool_results)(
                device.handle(),
                pool,
                0,
                1,
                size,
                data,
                size as u64,
                flags,
            )
        };
        result.result().map_err(Error::vulkan("read performance counters"))?;
        Ok(self.counters.iter().zip(found).map(|(counter, bytes)| counter.value(bytes)).collect())
    }

    fn unlock(&mut self) {
        // What was recorded under the lock ends before it.
        self.recorded = None;
        self.performance.unlock();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A device that counts its passes.
    #[derive(Default)]
    struct Fake {
        locked: bool,
        ran: Vec<u32>,
        fails_at: Option<u32>,
        refuses: bool,
    }

    impl Passes for Fake {
        fn lock(&mut self) -> Result<()> {
            if self.refuses {
                return Err(Error::vulkan("get the profiling lock of the device")(
                    vk::Result::ERROR_INITIALIZATION_FAILED,
                ));
            }
            assert!(!std::mem::replace(&mut self.locked, true));
            Ok(())
        }

        fn record(&mut self) -> Result<()> {
            assert!(self.locked && self.ran.is_empty());
            Ok(())
        }

        fn run(&mut self, pass: u32) -> Result<()> {
            assert!(self.locked);
            self.ran.push(pass);
            if self.fails_at == Some(pass) { Err(Error::DeviceLost { operation: "count" }) } else { Ok(()) }
        }

        fn values(&mut self) -> Result<Vec<f64>> {
            assert!(self.locked);
            Ok(vec![self.ran.len() as f64])
        }

        fn unlock(&mut self) {
            assert!(std::mem::replace(&mut self.locked, false));
        }
    }

    #[test]
    fn every_pass_runs_once_under_the_lock() {
        let mut device = Fake::default();
        assert_eq!(carry_out(&mut device, 3).unwrap(), [3.0]);
        assert_eq!((device.ran.as_slice(), device.locked), ([0, 1, 2].as_slice(), false));
    }

    #[test]
    fn the_lock_is_released_after_a_failure() {
        let mut device = Fake { fails_at: Some(1), ..Fake::default() };
        assert!(carry_out(&mut device, 3).is_err());
        assert_eq!((device.ran.as_slice(), device.locked), ([0, 1].as_slice(), false));
        let mut device = Fake { refuses: true, ..Fake::default() };
        assert!(carry_out(&mut device, 3).is_err() && device.ran.is_empty());
    }

    fn counter(index: u32, suits_launches: bool, disturbs: bool) -> PerformanceCounter {
        PerformanceCounter {
            name: index.to_string(),
            category: String::new(),
            description: String::new(),
            unit: "",
            index,
            storage: vk::PerformanceCounterStorageKHR::UINT64,
            suits_launches,
            disturbs,
        }
    }

    #[test]
    fn counters_are_chosen_that_need_few_passes() {
        let names =
            |chosen: Vec<PerformanceCounter>| -> Vec<u32> { chosen.iter().map(|it| it.index).collect() };
        let all = || vec![counter(0, true, true), counter(1, false, false), counter(2, true, false)];
        assert_eq!(names(choose(all(), |_| 8)), [2, 0], "those of a launch, the disturbing ones last");
        // The counter 2 alone needs more passes than are allowed.
        assert_eq!(names(choose(all(), |it| if it.contains(&2) { 9 } else { 1 })), [0]);
        assert!(choose(Vec::new(), |_| unreachable!("there is nothing to count")).is_empty());
    }
}
