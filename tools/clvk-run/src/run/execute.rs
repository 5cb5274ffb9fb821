//! Carries out a plan.
//!
//! Launches are given to the device in batches, without waiting for each: a job may repeat thousands.

use super::plan::{Plan, Planned, PlannedLaunch, Slot};
use crate::failure::Result;
use crate::report::{LaunchReport, Printed, Report, Verified};
use crate::resource::Resource;
use crate::timing::{self, Times};
use crate::{file, supervise};
use clvk::Arg;
use clvk::runtime::{Batch, PerformanceCounters, Submission};
use std::collections::{BTreeMap, VecDeque};

/// Runs everything once, and writes the files.
pub fn run(plan: &Plan) -> Result<Report> {
    let mut report = Report::new(plan.device.info().name().to_owned());
    let mut execution = Execution::new(plan);
    execution.steps(&plan.steps, Some(&mut report))?;
    execution.finish()?;
    report.launches.retain(|launch| launch.runs > 0);
    for (position, slot) in plan.slots.iter().enumerate() {
        let Some(output) = slot.resource.output() else { continue };
        execution.resource(position).save(output)?;
        if !file::is_standard(output.path) {
            report.written.push(output.path.display().to_string());
        }
    }
    Ok(report)
}

/// Runs all launches again, `runs` times, and measures them.
pub fn measure(plan: &Plan, runs: u32) -> Result<Times> {
    timing::measure(runs, || {
        let mut execution = Execution::new(plan);
        execution.steps(&plan.steps, None)?;
        execution.finish()?;
        Ok(execution.device_ns)
    })
}

/// Runs all launches again, and tells the device's time of each in nanoseconds, with the launch's number;
/// none if the device has no clock.
pub fn times(plan: &Plan) -> Result<Option<Vec<(usize, f64)>>> {
    let mut execution = Execution::new(plan);
    execution.steps(&plan.steps, None)?;
    execution.finish()?;
    Ok(execution.device_ns.map(|_| execution.times))
}

/// Runs all launches again; tells what the device's counters say of each, by the launch's number. A launch
/// that is repeated is counted once.
pub fn counts(plan: &Plan, counters: &PerformanceCounters) -> Result<BTreeMap<usize, Vec<f64>>> {
    let mut execution = Execution { counters: Some(counters), ..Execution::new(plan) };
    execution.steps(&plan.steps, None)?;
    execution.finish()?;
    Ok(execution.counts)
}

/// Launches that are submitted together.
const BATCH: usize = 64;

/// Batches that are submitted before the oldest must be done.
const MOST_SUBMITTED: usize = 8;

/// A plan under way.
struct Execution<'a> {
    plan: &'a Plan,
    /// The slot whose resource each slot has now.
    bindings: Vec<usize>,
    batch: Batch,
    /// The kernels in the batch, each once.
    names: Vec<&'a str>,
    count: usize,
    /// The numbers of the launches in the batch.
    numbers: Vec<usize>,
    /// Batches that the device may be at, the oldest first, with the numbers of their launches.
    submitted: VecDeque<(Submission, Vec<usize>)>,
    /// The device's times of the launches that are done, in nanoseconds, with their numbers.
    times: Vec<(usize, f64)>,
    /// The device's time until now in nanoseconds, if it measures time.
    device_ns: Option<f64>,
    /// The counters to read, and what they said, by the launch's number.
    counters: Option<&'a PerformanceCounters>,
    counts: BTreeMap<usize, Vec<f64>>,
}

impl<'a> Execution<'a> {
    fn new(plan: &'a Plan) -> Self {
        Execution {
            plan,
            bindings: (0..plan.slots.len()).collect(),
            batch: plan.device.batch(),
            names: Vec::new(),
            count: 0,
            numbers: Vec::new(),
            submitted: VecDeque::new(),
            times: Vec::new(),
            device_ns: Some(0.0),
            counters: None,
            counts: BTreeMap::new(),
        }
    }

    fn resource(&self, slot: usize) -> &'a Resource {
        &self.plan.slots[self.bindings[slot]].resource
    }

    /// Does steps; what is verified and printed goes to the report, if there is one.
    fn steps(&mut self, steps: &'a [Planned], mut report: Option<&mut Report>) -> Result<()> {
        for step in steps {
            match step {
                Planned::Launch(launch) => {
                    self.launch(launch)?;
                    if let Some(report) = &mut report {
                        report.count(launch);
                    }
                }
                Planned::Swap(left, right) => self.bindings.swap(*left, *right),
                Planned::Repeat(times, steps) => {
                    for _ in 0..*times {
                        self.steps(steps, report.as_deref_mut())?;
                    }
                }
                result => {
                    if let Some(report) = &mut report {
                        self.finish()?;
                        self.result(result, report)?;
                    }
                }
            }
        }
        Ok(())
    }

    /// Compares or prints.
    fn result(&self, step: &Planned, report: &mut Report) -> Result<()> {
        match step {
            Planned::Verify(check) => {
                let Slot { name, parameter, .. } = &self.plan.slots[check.slot];
                let outcome = check.run(self.resource(check.slot), parameter, name)?;
                report.written.extend(outcome.picture.as_ref().map(|path| path.display().to_string()));
                report.verified.push(Verified::new(name.clone(), &outcome));
            }
            Planned::Print { slot, count } => {
                let Slot { name, parameter, structure, .. } = &self.plan.slots[*slot];
                let values = self.resource(*slot).elements(parameter, structure.as_ref(), *count)?;
                report.printed.push(Printed { argument: name.clone(), values });
            }
            Planned::Launch(_) | Planned::Swap(..) | Planned::Repeat(..) => {}
        }
        Ok(())
    }

    fn launch(&mut self, launch: &'a PlannedLaunch) -> Result<()> {
        let arguments: Vec<Arg<'_>> = launch.slots.iter().map(|&slot| self.resource(slot).arg()).collect();
        if let Some(counters) = self.counters.filter(|_| !self.counts.contains_key(&launch.number)) {
            self.finish()?;
            let counts = counters.launch(&launch.kernel, &launch.config, &arguments)?;
            self.counts.insert(launch.number, counts);
            return Ok(());
        }
        self.batch.dispatch(&launch.kernel, &launch.config, &arguments)?;
        if !self.names.contains(&launch.kernel.name()) {
            self.names.push(launch.kernel.name());
        }
        self.numbers.push(launch.number);
        self.count += 1;
        if self.count == BATCH {
            self.submit()?;
        }
        Ok(())
    }

    fn submit(&mut self) -> Result<()> {
        if self.count == 0 {
            return Ok(());
        }
        supervise::about_to_run(&self.names.join("` or `"));
        let batch = std::mem::replace(&mut self.batch, self.plan.device.batch());
        self.submitted.push_back((batch.submit()?, std::mem::take(&mut self.numbers)));
        self.names.clear();
        self.count = 0;
        self.wait_for_all_but(MOST_SUBMITTED)
    }

    /// Waits until all launches are done.
    fn finish(&mut self) -> Result<()> {
        self.submit()?;
        self.wait_for_all_but(0)
    }

    /// Waits for the oldest batches.
    fn wait_for_all_but(&mut self, count: usize) -> Result<()> {
        while self.submitted.len() > count {
            let Some((submission, numbers)) = self.submitted.pop_front() else { break };
            submission.wait()?;
            match submission.timings() {
                Ok(times) => {
                    let times: Vec<f64> = times.iter().map(|time| time.duration_ns() as f64).collect();
                    let sum: f64 = times.iter().sum();
                    self.times.extend(numbers.into_iter().zip(times));
                    self.device_ns = self.device_ns.map(|time| time + sum);
                }
                Err(clvk::runtime::Error::NoTimestamps) => self.device_ns = None,
                Err(error) => return Err(error.into()),
            }
        }
        Ok(())
    }
}

impl Report {
    /// Counts a launch.
    fn count(&mut self, launch: &PlannedLaunch) {
        if self.launches.len() <= launch.number {
            self.launches.resize_with(launch.number + 1, LaunchReport::default);
        }
        let entry = &mut self.launches[launch.number];
        if entry.runs == 0 {
            *entry = LaunchReport::new(launch);
        }
        entry.runs += 1;
    }
}
