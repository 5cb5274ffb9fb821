//! What the device's performance counters say of the launches (`VK_KHR_performance_query`).

use super::Profiler;
use super::roofline::short;
use crate::failure::Result;
use crate::run::{self, execute};
use clvk::Device;
use clvk::runtime::{DeviceInfo, DeviceOptions, PerformanceCounter, PerformanceCounters};
use serde::Serialize;
use std::collections::BTreeMap;

/// A counter and its value for a launch.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Counter {
    /// The driver's name.
    pub name: String,
    /// The driver's group.
    pub category: String,
    /// What it counts.
    pub description: String,
    /// The unit of the value; empty for plain numbers.
    pub unit: &'static str,
    /// Value.
    pub value: f64,
}

/// The counters of each launch by its number, or why there are none.
#[derive(Default)]
pub struct Counters {
    /// By launch.
    pub launches: BTreeMap<usize, Vec<Counter>>,
    /// What went wrong.
    pub problem: Option<String>,
}

impl Profiler<'_> {
    /// Reads the counters, in runs of their own on the device opened again: nothing else is measured under
    /// them.
    pub fn counters(&self, info: &DeviceInfo) -> Counters {
        match self.read_counters(info) {
            Ok(launches) => Counters { launches, problem: None },
            Err(failure) => Counters { launches: BTreeMap::new(), problem: Some(problem(failure.message())) },
        }
    }

    fn read_counters(&self, info: &DeviceInfo) -> Result<BTreeMap<usize, Vec<Counter>>> {
        if info.performance_counters()?.is_empty() {
            return Ok(BTreeMap::new());
        }
        let options = run::device_options(&self.command.run, &self.job);
        let device = Device::new(info, &DeviceOptions { performance_counters: true, ..options })?;
        let Some(counters) = PerformanceCounters::of(&device)? else { return Ok(BTreeMap::new()) };
        let values = execute::counts(&self.plan(&device)?, &counters)?;
        let named = |values: Vec<f64>| counters.counters().iter().zip(values).map(Counter::new).collect();
        Ok(values.into_iter().map(|(number, values)| (number, named(values))).collect())
    }
}

/// One sentence for what went wrong.
fn problem(failure: &str) -> String {
    format!(
        "the device's counters cannot be read: {failure} (systems reserve them for administrators: on Linux, \
         Intel's need `sysctl dev.i915.perf_stream_paranoid=0`)"
    )
}

impl Counter {
    fn new((counter, value): (&PerformanceCounter, f64)) -> Self {
        Counter {
            name: counter.name.clone(),
            category: counter.category.clone(),
            description: counter.description.clone(),
            unit: counter.unit,
            value,
        }
    }

    /// The value with its unit.
    pub fn shown(&self) -> String {
        let shown = match self.unit {
            "%" => format!("{:.1}%", self.value),
            "ns" => crate::timing::human(self.value),
            unit if self.value.fract() == 0.0 && self.value < 1e3 => format!("{} {unit}", self.value),
            unit @ ("B" | "B/s" | "Hz") => format!("{}{unit}", short(self.value)),
            unit => format!("{} {unit}", short(self.value).trim_end()),
        };
        shown.trim_end().to_owned()
    }
}

/// The lines of a launch's counters, group by group.
pub fn lines(counters: &[Counter], width: usize) -> Vec<String> {
    let name = counters.iter().map(|counter| counter.name.chars().count()).max().unwrap_or(0);
    let mut lines = Vec::new();
    let mut category = None;
    for counter in counters {
        if category.replace(&counter.category) != Some(&counter.category) {
            lines.push(format!("  \u{1b}[1m{}\u{1b}[0m", counter.category));
        }
        let start = format!("    {:<name$}  {:>12}  ", counter.name, counter.shown());
        let room = width.saturating_sub(start.chars().count());
        let description: String = counter.description.chars().take(room).collect();
        lines.push(format!("{start}{description}").trim_end().to_owned());
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    fn counter(name: &str, category: &str, unit: &'static str, value: f64) -> Counter {
        let (name, category) = (name.to_owned(), category.to_owned());
        Counter { name, category, description: "What it counts".to_owned(), unit, value }
    }

    #[test]
    fn counters_are_shown_by_group_with_units() {
        let counters = [
            counter("Busy", "GPU", "%", 98.25),
            counter("Time", "GPU", "ns", 1500.0),
            counter("Read", "Memory", "B", 4.0e6),
            counter("Waves", "Memory", "", 64.0),
            counter("Stalls", "Memory", "cycles", 12.0),
        ];
        let lines = lines(&counters, 40);
        let plain: Vec<&str> = lines.iter().map(String::as_str).collect();
        assert_eq!(
            plain,
            [
                "  \u{1b}[1mGPU\u{1b}[0m",
                "    Busy           98.2%  What it counts",
                "    Time         1.50 µs  What it counts",
                "  \u{1b}[1mMemory\u{1b}[0m",
                "    Read         4.00 MB  What it counts",
                "    Waves             64  What it counts",
                "    Stalls     12 cycles  What it counts",
            ]
        );
        assert!(super::lines(&counters, 20).iter().all(|line| !line.contains("What it")));
    }
}
