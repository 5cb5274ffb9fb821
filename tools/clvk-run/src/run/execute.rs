//! Carries out a plan.

use super::plan::{Plan, Planned, PlannedLaunch, Slot};
use crate::failure::Result;
use crate::report::{LaunchReport, Printed, Report, Verified};
use crate::timing::{self, Times};
use crate::{file, supervise};
use clvk::Arg;

/// Runs everything once, and writes the files.
pub fn run(plan: &Plan) -> Result<Report> {
    let mut report = Report::new(plan.device.info().name().to_owned());
    for step in &plan.steps {
        match step {
            Planned::Launch(launch) => {
                execute(plan, launch)?;
                report.launches.push(LaunchReport::new(launch));
            }
            Planned::Verify(check) => {
                let Slot { name, parameter, resource } = &plan.slots[check.slot];
                let outcome = check.run(resource, parameter, name)?;
                report.written.extend(outcome.picture.as_ref().map(|path| path.display().to_string()));
                report.verified.push(Verified::new(name.clone(), &outcome));
            }
            Planned::Print { slot, count } => {
                let Slot { name, parameter, resource } = &plan.slots[*slot];
                let values = resource.elements(parameter, *count)?;
                report.printed.push(Printed { argument: name.clone(), values });
            }
        }
    }
    for slot in &plan.slots {
        let written = slot.resource.save()?.filter(|path| !file::is_standard(path));
        report.written.extend(written.map(|path| path.display().to_string()));
    }
    Ok(report)
}

/// Runs all launches again, `runs` times, and measures them.
pub fn measure(plan: &Plan, runs: u32) -> Result<Times> {
    timing::measure(runs, || {
        let mut device_time = Some(0.0);
        for step in &plan.steps {
            if let Planned::Launch(launch) = step {
                device_time = device_time.zip(execute(plan, launch)?).map(|(sum, time)| sum + time);
            }
        }
        Ok(device_time)
    })
}

/// Runs a kernel once and waits; gives the device's time in nanoseconds.
fn execute(plan: &Plan, launch: &PlannedLaunch) -> Result<Option<f64>> {
    supervise::about_to_run(launch.kernel.name());
    let arguments: Vec<Arg<'_>> = launch.slots.iter().map(|&slot| plan.slots[slot].resource.arg()).collect();
    let mut batch = plan.device.batch();
    batch.dispatch(&launch.kernel, &launch.config, &arguments)?;
    let submission = batch.submit()?;
    submission.wait()?;
    match submission.timings() {
        Ok(times) => Ok(times.first().map(|time| time.duration_ns() as f64)),
        Err(clvk::runtime::Error::NoTimestamps) => Ok(None),
        Err(error) => Err(error.into()),
    }
}
