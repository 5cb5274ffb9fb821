//! `clvk-run trace`: what one work-item did, line by line.
//!
//! - `command`: its command line. `condition`: `--where`. `steps`: what was recorded.

mod command;
mod condition;
mod steps;

pub use command::{HELP, TraceCommand};

use crate::cli::RunCommand;
use crate::failure::{Failure, Result, Status, counted};
use crate::job::Job;
use crate::program::Source;
use crate::run::execute;
use crate::run::plan::{self, Plan};
use crate::{console, run, supervise};
use clvk::Device;
use clvk::interface::measure::{Measure, Measured, Measurement};
use clvk::interface::sanitize::Kinds;
use clvk::runtime::{Instance, InstanceOptions, MeasureHandler};
use condition::Wanted;
use std::process::ExitCode;
use std::sync::{Arc, Mutex, PoisonError};
use steps::{Part, Step, agree, folded, steps};

/// Runs the command.
pub fn trace(command: &TraceCommand, build_options: &[String]) -> Result<ExitCode> {
    if supervise::is_child() {
        supervise::follow_parent();
        return Ok(trace_here(command, build_options).unwrap_or_else(|failure| failure.report(command.json)));
    }
    if !supervise::is_wanted() {
        return trace_here(command, build_options);
    }
    match supervise::run(run::is_robust(&command.run()))? {
        supervise::Ended::WithCode(code) => Ok(code),
        supervise::Ended::BySignal(failure) => Err(failure),
    }
}

fn trace_here(command: &TraceCommand, build_options: &[String]) -> Result<ExitCode> {
    let run_command = command.run();
    if command.file.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("toml")) {
        return Err(Failure::usage("`clvk-run trace` takes a source, not a job file"));
    }
    let job = Job::of_command(&run_command, build_options)?;
    let source = Source::read(&command.file, build_options)?;
    let validation = command.validate;
    let instance = Instance::new(&InstanceOptions { validation, ..InstanceOptions::default() })?;
    let tracer = Tracer { command, run: run_command, job, sources: vec![source] };
    let first = tracer.on(&instance, command.device.as_deref(), None)?;
    let code = match &command.compare_device {
        Some(other) => {
            let second = tracer.on(&instance, Some(other), Some(first.item))?;
            tracer.compare(&first, &second)?
        }
        None => {
            tracer.show(&first)?;
            ExitCode::SUCCESS
        }
    };
    run::check_validation(&instance)?;
    Ok(code)
}

struct Tracer<'c> {
    command: &'c TraceCommand,
    run: RunCommand,
    job: Job,
    sources: Vec<Source>,
}

/// What a work-item did on a device.
struct Trace {
    device: String,
    /// Its driver.
    driver: String,
    kernel: String,
    /// Its global id.
    item: [u64; 3],
    steps: Vec<Step>,
    lost: u32,
}

/// What the last launch measured.
type Seen = Arc<Mutex<Option<(Measured, Measurement)>>>;

impl Tracer<'_> {
    /// Traces on a device: the given work-item, or the one that the command names.
    fn on(&self, instance: &Instance, device: Option<&str>, item: Option<[u64; 3]>) -> Result<Trace> {
        let info = match device {
            Some(query) => instance.select(query)?,
            None => instance.default_device()?,
        };
        let info = if run::is_robust(&self.run) { info.robust() } else { info };
        let seen: Seen = Arc::default();
        let receiver = Arc::clone(&seen);
        let mut options = run::device_options(&self.run, &self.job);
        options.measure_handler = MeasureHandler::new(move |it| {
            let mut seen = receiver.lock().unwrap_or_else(PoisonError::into_inner);
            *seen = Some((it.measured.clone(), it.measurement.clone()));
        });
        let device = Device::new(&info, &options)?;
        // The sizes are known before anything runs.
        let plan = self.plan(&device, &|_| Ok(None))?;
        let launches = plan.launches();
        let launch = launches.first().expect("a source is launched once");
        let (global, offset) = (launch.config.global, launch.config.offset);
        let kernel = launch.kernel.name().to_owned();
        let item = match (item, &self.command.condition) {
            (Some(item), _) => item,
            (None, Some(wanted)) => self.search(&device, &seen, wanted)?,
            (None, None) => self.command.work_item.values,
        };
        let place = [0, 1, 2].map(|axis| item[axis].wrapping_sub(offset[axis]));
        if (0..3).any(|axis| place[axis] >= global[axis]) {
            let ids = |values: [u64; 3]| values.map(|it| it.to_string()).join(",");
            return Err(Failure::usage(format!(
                "there is no work-item {}: the global size is {}, from {} on",
                ids(item),
                ids(global),
                ids(offset)
            )));
        }
        let linear = (place[2] * global[1] + place[1]) * global[0] + place[0];
        let linear = u32::try_from(linear).map_err(|_| {
            Failure::usage("only the first 2^32 work-items can be traced; use a smaller global size")
        })?;
        let (measured, measurement) =
            self.measure(&device, &seen, &|_| Ok(Some(Measure::Trace { item: linear })))?;
        let mut steps = steps(&measured, &measurement);
        let names = &self.command.watch;
        if let Some(unknown) = names.iter().find(|name| measured.points.iter().all(|it| it.name != **name)) {
            return Err(Failure::usage(format!(
                "kernel `{kernel}` stores nothing in a variable `{unknown}`"
            )));
        }
        if !names.is_empty() {
            steps.retain(|step| names.contains(&measured.points[step.point as usize].name));
        }
        let (device, driver) = (info.name().to_owned(), info.driver().to_owned());
        Ok(Trace { device, driver, kernel, item, steps, lost: measurement.lost })
    }

    fn plan(&self, device: &Device, wish: &dyn Fn(&clvk::Object) -> Result<Option<Measure>>) -> Result<Plan> {
        let kernels = plan::compile_with(&self.job, &self.sources, device, Kinds::default(), wish)?;
        Plan::new(device, &self.job, &kernels)
    }

    /// Runs the kernel, which measures what is wished.
    fn measure(
        &self,
        device: &Device,
        seen: &Seen,
        wish: &dyn Fn(&clvk::Object) -> Result<Option<Measure>>,
    ) -> Result<(Measured, Measurement)> {
        let plan = self.plan(device, wish)?;
        execute::times(&plan)?;
        device.finish()?;
        let seen = seen.lock().unwrap_or_else(PoisonError::into_inner).take();
        Ok(seen.unwrap_or_default())
    }

    /// The first work-item for which the condition holds.
    fn search(&self, device: &Device, seen: &Seen, wanted: &Wanted) -> Result<[u64; 3]> {
        let wish = |object: &clvk::Object| {
            let variables = object.variables(&wanted.variable);
            match variables.is_empty() {
                true => Err(Failure::usage(format!(
                    "`--where`: the program has no variable `{}`",
                    wanted.variable
                ))),
                false => Ok(Some(Measure::Search { variables, condition: wanted.condition.clone() })),
            }
        };
        let (_, measurement) = self.measure(device, seen, &wish)?;
        let found = measurement.found.map(|item| item.map(u64::from));
        found.ok_or_else(|| {
            Failure::new(
                Status::Verification,
                format!("no work-item stores a value for which `{}` holds", wanted.text),
            )
        })
    }

    fn show(&self, trace: &Trace) -> Result<()> {
        if self.command.json {
            let item = trace.item;
            let value = serde_json::json!({ "device": trace.device, "kernel": trace.kernel, "work_item": item,
                "steps": trace.steps, "lost": trace.lost });
            return console::print(serde_json::to_string_pretty(&value).expect("it is plain data"));
        }
        let mut lines = vec![format!("{} on {}, work-item {}", trace.kernel, trace.device, ids(trace))];
        let mut before = None;
        for part in folded(&trace.steps) {
            match part {
                Part::Step(position) => {
                    let step = &trace.steps[position];
                    lines.push(row(step, before == Some((&step.file, step.line))));
                    before = Some((&step.file, step.line));
                }
                Part::Folded { rounds, .. } => {
                    let plural = if rounds == 1 { "" } else { "s" };
                    lines.push(format!("{:>6} … {rounds} more round{plural}", ""));
                    before = None;
                }
            }
        }
        if trace.steps.is_empty() {
            lines.push("it stored nothing".to_owned());
        }
        if trace.lost > 0 {
            lines.push(format!("{} more values were not recorded: there was no room", trace.lost));
        }
        console::show(lines.join("\n"))
    }

    /// Shows where two traces part.
    fn compare(&self, first: &Trace, second: &Trace) -> Result<ExitCode> {
        let tolerance = self.command.tolerance;
        let (a, b) = (&first.steps, &second.steps);
        let same = a.iter().zip(b).take_while(|(a, b)| agree(a, b, tolerance)).count();
        let is_same = same == a.len() && same == b.len();
        let difference = [first, second].map(|trace| trace.steps.get(same));
        if self.command.json {
            let value = serde_json::json!({ "devices": [first.device, second.device], "kernel": first.kernel,
                "work_item": first.item, "same_steps": same, "difference": if is_same { None } else { Some(difference) } });
            console::print(serde_json::to_string_pretty(&value).expect("it is plain data"))?;
        } else {
            let mut lines = vec![format!("{}, work-item {}", first.kernel, ids(first))];
            let names = names([first, second]);
            if is_same {
                let [a, b] = names;
                lines.push(format!("{a} and {b} agree in all {}", counted(same, "step")));
            } else {
                const BEFORE: usize = 5;
                lines.push(format!("the first {} agree; then", counted(same, "step")));
                let mut before = None;
                for step in &a[same.saturating_sub(BEFORE)..same] {
                    let place = Some((&step.file, step.line));
                    lines.push(row(step, before.replace(place) == Some(place)));
                }
                for (name, step) in names.into_iter().zip(difference) {
                    let text = step.map_or("it ends".to_owned(), |step| row(step, false));
                    lines.push(format!("\u{1b}[1m{name}\u{1b}[0m\n{text}"));
                }
            }
            console::show(lines.join("\n"))?;
        }
        Ok(if is_same { ExitCode::SUCCESS } else { ExitCode::from(Status::Verification as u8) })
    }
}

/// What two traces' devices are called: with their drivers, if they have the same name.
fn names(traces: [&Trace; 2]) -> [String; 2] {
    let is_same = traces[0].device == traces[1].device;
    traces.map(|Trace { device, driver, .. }| match is_same {
        true => format!("{device}, {driver}"),
        false => device.clone(),
    })
}

fn ids(trace: &Trace) -> String {
    trace.item.map(|it| it.to_string()).join(",")
}

/// Columns of the source in a row.
const SOURCE: usize = 48;

/// A step in a line: its source line, unless that was shown just before, and its value.
fn row(step: &Step, is_known: bool) -> String {
    let source: String = match is_known {
        true => String::new(),
        false => step.source.chars().take(SOURCE).collect(),
    };
    let line = match is_known || step.line == 0 {
        true => String::new(),
        false => step.line.to_string(),
    };
    let is = if step.decides { "is" } else { "=" };
    format!("{line:>6} │ {source:<SOURCE$} │ {} {is} {}", step.what, step.value)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn devices_of_one_name_are_told_apart_by_their_drivers() {
        let trace = |device: &str, driver: &str| Trace {
            device: device.to_owned(),
            driver: driver.to_owned(),
            kernel: String::new(),
            item: [0; 3],
            steps: Vec::new(),
            lost: 0,
        };
        assert_eq!(names([&trace("a", "1"), &trace("b", "2")]), ["a", "b"]);
        assert_eq!(names([&trace("a", "1"), &trace("a", "2")]), ["a, 1", "a, 2"]);
    }
}
