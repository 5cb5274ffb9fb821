//! What the device's performance counters say of a launch.

use crate::engine::command::Command;
use crate::engine::counting;
use crate::engine::nd_range::LaunchConfig;
use crate::objects::arguments::Arg;
use crate::objects::device::Device;
use crate::objects::program::Kernel;
use crate::vulkan::error::Result;
use crate::vulkan::performance::PerformanceCounter;
use std::fmt;

/// The counters of a device that can be read together in few passes.
pub struct PerformanceCounters {
    device: Device,
    all: usize,
    chosen: Vec<PerformanceCounter>,
}

impl PerformanceCounters {
    /// Those of a device that was opened for them ([`crate::DeviceOptions::performance_counters`]); none if
    /// it has no counters for launches.
    ///
    /// # Errors
    /// A failure of Vulkan.
    pub fn of(device: &Device) -> Result<Option<Self>> {
        let Some(performance) = device.shared.heap.logical.performance() else { return Ok(None) };
        let counters = performance.list.counters()?;
        let all = counters.len();
        let chosen = counting::choose(counters, |counters| performance.list.passes(counters));
        Ok((!chosen.is_empty()).then(|| PerformanceCounters { device: device.clone(), all, chosen }))
    }

    /// Those that [`PerformanceCounters::launch`] reads.
    #[must_use]
    pub fn counters(&self) -> &[PerformanceCounter] {
        &self.chosen
    }

    /// How many the device has.
    #[must_use]
    pub fn count(&self) -> usize {
        self.all
    }

    /// Launches a kernel alone on the device, as often as the counters need, and waits for it. Gives their
    /// values, in order. Each run does what the kernel does.
    ///
    /// # Errors
    /// As for [`Kernel::launch`]; a failure of Vulkan, for example where the system reserves the counters.
    pub fn launch(&self, kernel: &Kernel, config: &LaunchConfig, arguments: &[Arg<'_>]) -> Result<Vec<f64>> {
        self.device.check_same(kernel.device(), "the kernel")?;
        let command = Command::launch_with(kernel, config, arguments, &[])?;
        counting::count(self.device.stream(), command, &self.chosen, self.device.timeout())
    }
}

impl fmt::Debug for PerformanceCounters {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "PerformanceCounters({} of {} on {:?})", self.chosen.len(), self.all, self.device)
    }
}
