//! `clvk-run profile`: how long a kernel takes, and what limits it.
//!
//! - `command`: its command line. `sample`: times. `peaks`: what the device can do. `work`: what the kernel
//!   did, from its counters (`clvk::interface::measure`). `judge`: what limits it. `lines`: the annotated
//!   source. `code`: what the driver says. `counters`: what the device counts. `roofline`, `bars`, `svg`,
//!   `html`: pictures and the page. `sweep`: settings that are tried. `compare`: two sets of times.

mod bars;
mod code;
mod command;
mod compare;
mod counters;
mod html;
mod judge;
mod lines;
mod peaks;
mod roofline;
mod sample;
mod svg;
mod sweep;
mod work;

pub use command::{HELP, ProfileCommand};

use crate::cli::RunCommand;
use crate::failure::{Failure, Result};
use crate::job::Job;
use crate::pipelines::Cost;
use crate::program::Source;
use crate::run::plan::{self, Plan};
use crate::run::{PlannedLaunch, execute};
use crate::timing::human;
use crate::{console, run, supervise};
use clvk::Device;
use clvk::interface::measure::{Measure, Measured, Measurement};
use clvk::interface::sanitize::Kinds;
use clvk::runtime::{DeviceInfo, Instance, InstanceOptions, MeasureHandler};
use code::{Code, Told};
use counters::Counter;
use lines::File;
use peaks::Peaks;
use roofline::{Mark, short};
use sample::Distribution;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::Path;
use std::process::ExitCode;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};
use work::{Shape, Work};

/// Everything that there is to say.
#[derive(Serialize)]
pub struct Report {
    /// Device.
    pub device: String,
    /// Its driver.
    pub driver: String,
    /// Highest clock frequency in MHz, if the system reports it.
    pub clock_mhz: Option<u32>,
    /// What the device can do at most.
    pub peaks: Peaks,
    /// The launches.
    pub kernels: Vec<KernelReport>,
    /// Why the device's counters could not be read.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub counters_problem: Option<String>,
}

/// A launch of a kernel.
#[derive(Serialize)]
pub struct KernelReport {
    /// Kernel.
    pub kernel: String,
    /// Global size.
    pub global: Vec<u64>,
    /// Work-group size.
    pub local: Vec<u32>,
    /// The device's times in nanoseconds, in order.
    pub times_ns: Vec<f64>,
    /// What they look like.
    pub device: Option<Distribution>,
    /// What it did.
    pub work: Work,
    /// What the driver says of its code.
    pub cost: Cost,
    /// The driver's code, if that was asked for.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub code: Vec<Code>,
    /// What the device's performance counters say.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub counters: Vec<Counter>,
    /// What limits it.
    pub limit: Option<String>,
    /// Addresses that were not recorded because there were too many.
    pub lost: u32,
    /// Its source.
    pub files: Vec<File>,
}

/// What is read of an earlier report.
#[derive(Deserialize)]
struct Earlier {
    device: String,
    kernels: Vec<EarlierKernel>,
}

/// A kernel of an earlier report.
#[derive(Deserialize)]
struct EarlierKernel {
    kernel: String,
    times_ns: Vec<f64>,
}

/// Runs the command.
pub fn profile(command: &ProfileCommand, build_options: &[String]) -> Result<ExitCode> {
    if supervise::is_child() {
        supervise::follow_parent();
        return Ok(
            profile_here(command, build_options).unwrap_or_else(|failure| failure.report(command.run.json))
        );
    }
    if !supervise::is_wanted() {
        return profile_here(command, build_options);
    }
    match supervise::run(run::is_robust(&command.run))? {
        supervise::Ended::WithCode(code) => Ok(code),
        supervise::Ended::BySignal(failure) => Err(failure),
    }
}

/// What `run --profile` does: the same without files.
pub fn of_run(command: &RunCommand, build_options: &[String]) -> Result<ExitCode> {
    let command = ProfileCommand {
        run: command.clone(),
        svg: None,
        html: None,
        lines: false,
        show_code: false,
        sweep: None,
        compare: None,
        compare_profile: None,
    };
    profile(&command, build_options)
}

fn profile_here(command: &ProfileCommand, build_options: &[String]) -> Result<ExitCode> {
    let RunCommand { sanitize, watch, verify, print, .. } = &command.run;
    if sanitize.is_some() || *watch || !verify.is_empty() || !print.is_empty() {
        return Err(Failure::usage(
            "`--sanitize`, `--watch`, `--verify` and `--print` have no effect on a profile; use `clvk-run run`",
        ));
    }
    let job = Job::of_command(&command.run, build_options)?;
    let read = |source: &crate::job::SourceText| Source::read(&source.path, &source.options);
    let sources: Vec<Source> = job.sources.iter().map(read).collect::<Result<_>>()?;
    let validation = command.run.validate;
    let instance = Instance::new(&InstanceOptions { validation, ..InstanceOptions::default() })?;
    let profiler = Profiler { command, job, sources, seen: Arc::default() };
    if command.sweep.is_some() || command.compare.is_some() {
        profiler.several(&instance, build_options)?;
        run::check_validation(&instance)?;
        return Ok(ExitCode::SUCCESS);
    }
    let report = profiler.report(&instance)?;
    let marks = report.marks();
    let svg = roofline::svg(&format!("Roofline of {}", report.device), &report.peaks, &marks);
    if let Some(path) = &command.svg {
        save(path, &svg)?;
    }
    if let Some(path) = &command.html {
        save(path, &html::page(&report, &svg))?;
    }
    match command.run.json {
        true => console::print(serde_json::to_string_pretty(&report).expect("it is plain data"))?,
        false => {
            let mut lines = report.text(command);
            if let Some(path) = &command.compare_profile {
                lines.extend(report.compared(path)?);
            }
            console::show(lines.join("\n"))?;
        }
    }
    run::check_validation(&instance)?;
    Ok(ExitCode::SUCCESS)
}

fn save(path: &Path, text: &str) -> Result<()> {
    let failed = |error| Failure::usage(format!("cannot write `{}`: {error}", path.display()));
    std::fs::write(path, text).map_err(failed)
}

/// What a launch measured, by its kernel's name.
type Seen = Arc<Mutex<BTreeMap<String, (Measured, Measurement)>>>;

struct Profiler<'c> {
    command: &'c ProfileCommand,
    job: Job,
    sources: Vec<Source>,
    seen: Seen,
}

impl Profiler<'_> {
    fn info(&self, instance: &Instance) -> Result<DeviceInfo> {
        let info = match &self.job.device {
            Some(query) => instance.select(query)?,
            None => instance.default_device()?,
        };
        Ok(if run::is_robust(&self.command.run) { info.robust() } else { info })
    }

    /// `--sweep` and `--compare`: several programs whose times alone count.
    fn several(&self, instance: &Instance, build_options: &[String]) -> Result<()> {
        let info = self.info(instance)?;
        let device = Device::new(&info, &run::device_options(&self.command.run, &self.job))?;
        match (&self.command.sweep, &self.command.compare) {
            (Some(sweep), _) => {
                let tried = sweep::sweep(sweep, &self.command.run, build_options, &device)?;
                let mut lines = sweep::text(&tried);
                if let Some(path) = &self.command.svg {
                    save(path, &bars::svg(&format!("Sweep on {}", info.name()), &tried))?;
                    lines.push(format!("wrote {}", path.display()));
                }
                match self.command.run.json {
                    true => console::print(serde_json::to_string_pretty(&tried).expect("it is plain data")),
                    false => console::show(lines.join("\n")),
                }
            }
            (None, Some(other)) => self.compare(&device, other, build_options),
            (None, None) => Ok(()),
        }
    }

    /// Runs another source in turn.
    fn compare(&self, device: &Device, other: &Path, build_options: &[String]) -> Result<()> {
        let command = RunCommand { file: other.to_owned(), kernel: None, ..self.command.run.clone() };
        let job = Job::of_command(&command, build_options)?;
        let sources = vec![Source::read(other, build_options)?];
        let plans = [self.plan(device)?, plan::prepare(&job, &sources, device, Kinds::default())?];
        let progress = run::spinner("measuring times");
        let mut times = [Vec::new(), Vec::new()];
        let wanted = self.command.run.time.map_or(60, |runs| runs as usize);
        // In turn, so that what changes on the machine changes both; the first runs are to warm up.
        for run in 0..wanted + 5 {
            for (plan, times) in plans.iter().zip(&mut times) {
                let sum = execute::times(plan)?.map(|run| run.iter().map(|(_, ns)| ns).sum::<f64>());
                times.extend(sum.filter(|_| run >= 5));
            }
        }
        progress.finish_and_clear();
        let names = [self.command.run.file.display().to_string(), other.display().to_string()];
        let names = [names[0].as_str(), names[1].as_str()];
        if self.command.run.json {
            let value = serde_json::json!({ "files": names, "times_ns": times,
                "p": compare::chance(&times[0], &times[1]) });
            return console::print(serde_json::to_string_pretty(&value).expect("it is plain data"));
        }
        let mut lines = vec![device.info().name().to_owned()];
        lines.extend(compare::text(names, [&times[0], &times[1]]));
        console::show(lines.join("\n"))
    }

    fn report(&self, instance: &Instance) -> Result<Report> {
        let info = self.info(instance)?;
        let mut options = run::device_options(&self.command.run, &self.job);
        let seen = Arc::clone(&self.seen);
        options.measure_handler = MeasureHandler::new(move |it| {
            let mut seen = seen.lock().unwrap_or_else(PoisonError::into_inner);
            seen.insert(it.kernel.to_owned(), (it.measured.clone(), it.measurement.clone()));
        });
        let device = Device::new(&info, &options)?;
        let progress = run::spinner("measuring times");
        let plan = self.plan(&device)?;
        let times = self.times(&plan)?;
        progress.set_message("counting");
        let counting = self.counting(&device)?;
        execute::times(&counting)?;
        device.finish()?;
        progress.set_message("measuring the device");
        let peaks = peaks::measure(&device)?;
        progress.set_message("reading the device's counters");
        let mut counters = self.counters(&info);
        progress.finish_and_clear();
        let told = self.told(&info, &plan);
        let mut kernels = Vec::new();
        for launch in plan.launches() {
            let mut kernel = self.kernel(&device, launch, &times, &told, &peaks);
            kernel.counters = counters.launches.remove(&launch.number).unwrap_or_default();
            kernels.push(kernel);
        }
        Ok(Report {
            device: info.name().to_owned(),
            driver: info.driver().to_owned(),
            clock_mhz: info.clock_frequency(),
            peaks,
            kernels,
            counters_problem: counters.problem,
        })
    }

    fn plan(&self, device: &Device) -> Result<Plan> {
        plan::prepare(&self.job, &self.sources, device, Kinds::default())
    }

    /// The same with kernels that count. Those reach buffers through addresses where the device has them.
    fn counting(&self, device: &Device) -> Result<Plan> {
        let wish = |_: &clvk::Object| Ok(Some(Measure::Counts));
        let kernels = plan::compile_with(&self.job, &self.sources, device, Kinds::default(), wish)?;
        Plan::new(device, &self.job, &kernels)
    }

    /// The times of each launch, after the device is warm; empty if it has no clock.
    fn times(&self, plan: &Plan) -> Result<BTreeMap<usize, Vec<f64>>> {
        const WARM_UP: Duration = Duration::from_millis(1500);
        const MEASURE: Duration = Duration::from_millis(1500);
        const LEAST: usize = 10;
        const MOST: usize = 1000;
        let mut times: BTreeMap<usize, Vec<f64>> = BTreeMap::new();
        let start = Instant::now();
        let mut sums = Vec::new();
        while !sample::is_stable(&sums) && (sums.len() < LEAST || start.elapsed() < WARM_UP) {
            let Some(run) = execute::times(plan)? else { return Ok(times) };
            sums.push(run.iter().map(|(_, ns)| ns).sum());
            if start.elapsed() > 4 * WARM_UP {
                break;
            }
        }
        let wanted = self.command.run.time.map(|runs| runs as usize);
        let start = Instant::now();
        let mut runs = 0;
        let more = |runs: usize| match wanted {
            Some(wanted) => runs < wanted,
            None => runs < MOST && (runs < LEAST || start.elapsed() < MEASURE),
        };
        while more(runs) {
            // A job may launch a kernel often: each launch counts.
            for (number, ns) in execute::times(plan)?.unwrap_or_default() {
                times.entry(number).or_default().push(ns);
            }
            runs += 1;
        }
        Ok(times)
    }

    fn kernel(
        &self,
        device: &Device,
        launch: &PlannedLaunch,
        times: &BTreeMap<usize, Vec<f64>>,
        told: &BTreeMap<String, Told>,
        peaks: &Peaks,
    ) -> KernelReport {
        let name = launch.kernel.name();
        let seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        let empty = Default::default();
        let (measured, measurement) = seen.get(name).unwrap_or(&empty);
        let width = (device.profile().subgroup_size.max(1)) as usize;
        let shape = Shape { width, line: 64 };
        let work = work::work(name, measured, measurement, shape);
        let distribution = times.get(&launch.number).and_then(|times| Distribution::of(times));
        let Told { cost, code } = told.get(name).cloned().unwrap_or_default();
        let waits = measured.counters[measured.counters_of(name)].iter().any(|counter| counter.barrier);
        let limit = distribution.as_ref().map(|times| {
            let (ns, spills) = (times.median_ns, cost.spills.unwrap_or(0));
            judge::limit(&judge::Facts { work: &work, peaks, ns, spills, waits })
        });
        let dimensions = launch.config.work_dim as usize;
        KernelReport {
            kernel: name.to_owned(),
            global: launch.config.global[..dimensions].to_vec(),
            local: launch.local.0[..dimensions].to_vec(),
            times_ns: times.get(&launch.number).cloned().unwrap_or_default(),
            device: distribution,
            work,
            cost,
            code,
            counters: Vec::new(),
            limit,
            lost: measurement.lost,
            files: lines::files(name, measured, measurement, shape),
        }
    }
}

impl KernelReport {
    /// Name and sizes.
    fn title(&self) -> String {
        let join = |sizes: Vec<String>| sizes.join(",");
        let global = join(self.global.iter().map(ToString::to_string).collect());
        let local = join(self.local.iter().map(ToString::to_string).collect());
        format!("{}, global {global}, local {local}", self.kernel)
    }

    /// What is known of it: names and values.
    fn facts(&self) -> Vec<(&'static str, String)> {
        let mut facts = Vec::new();
        let work = &self.work;
        match &self.device {
            Some(times) => {
                facts.push((
                    "time",
                    format!(
                        "{} median of {} runs, ±{:.1}%, least {}, 95% below {}",
                        human(times.median_ns),
                        times.runs,
                        times.spread() * 100.0,
                        human(times.min_ns),
                        human(times.slow_ns)
                    ),
                ));
                if !(0.95..1.05).contains(&times.drift) {
                    let drift = (times.drift - 1.0).abs() * 100.0;
                    let more = if times.drift > 1.0 { "more" } else { "less" };
                    facts
                        .push(("drift", format!("the second half of the runs took {drift:.0}% {more} time")));
                }
                let seconds = times.median_ns / 1e9;
                facts.push((
                    "bandwidth",
                    format!(
                        "{}B/s: {}B read, {}B written{}",
                        short(work.global() / seconds),
                        short(work.read),
                        short(work.written),
                        if work.atomic > 0.0 {
                            format!(", {}B atomic", short(work.atomic))
                        } else {
                            String::new()
                        }
                    ),
                ));
                let double = if work.double > 0.0 { ", some of double precision" } else { "" };
                facts.push((
                    "operations",
                    format!(
                        "{}op/s floating point{double}, {}op/s integer",
                        short(work.floating / seconds),
                        short(work.integer / seconds)
                    ),
                ));
            }
            None => facts.push(("time", "the device has no clock".to_owned())),
        }
        if work.local > 0.0 {
            let passes = work
                .bank_passes
                .map_or(String::new(), |it| format!(", {it:.1} times the passes that are needed"));
            facts.push(("local memory", format!("{}B{passes}", short(work.local))));
        }
        if let Some(needed) = work.needed_lines {
            facts.push(("cache lines", format!("{} of those reached are needed", judge::percent(needed))));
        }
        if let Some(active) = work.active {
            facts.push(("active", format!("{} of the work-items of a sub-group", judge::percent(active))));
        }
        if let Some(code) = self.code() {
            facts.push(("code", code));
        }
        if self.lost > 0 {
            facts.push(("sampled", format!("{} addresses were left out", self.lost)));
        }
        facts
    }

    /// What the driver says of the code.
    fn code(&self) -> Option<String> {
        let Cost { registers, spills, instructions, scratch, local_memory, sub_groups_in_flight, .. } =
            self.cost;
        let parts = [
            (instructions, "instructions"),
            (registers, "registers"),
            (spills, "spilled"),
            (scratch, "bytes of scratch memory"),
            (local_memory, "bytes of local memory"),
            (sub_groups_in_flight, "sub-groups in flight"),
        ];
        let known = parts.into_iter().filter_map(|(value, what)| Some(format!("{} {what}", value?)));
        let known: Vec<String> = known.collect();
        (!known.is_empty()).then(|| known.join(", "))
    }
}

impl Report {
    /// Kernels with arithmetic and memory, for the roofline.
    fn marks(&self) -> Vec<Mark> {
        let mark = |kernel: &KernelReport| {
            let (work, ns) = (&kernel.work, kernel.device.as_ref()?.median_ns);
            let operations = work.floating.max(work.integer);
            let is_placed = operations > 0.0 && work.global() > 0.0 && ns > 0.0;
            is_placed.then(|| Mark {
                name: kernel.kernel.clone(),
                intensity: operations / work.global(),
                rate: operations / ns * 1e9,
            })
        };
        self.kernels.iter().filter_map(mark).collect()
    }

    /// The lines that compare it with an earlier one in a file.
    fn compared(&self, path: &Path) -> Result<Vec<String>> {
        let wrong = |what: &dyn std::fmt::Display| {
            Failure::usage(format!(
                "`{}` is not what `clvk-run profile --json` prints: {what}",
                path.display()
            ))
        };
        let text = std::fs::read_to_string(path)
            .map_err(|error| Failure::usage(format!("cannot read `{}`: {error}", path.display())))?;
        let earlier: Earlier = serde_json::from_str(&text).map_err(|error| wrong(&error))?;
        let mut lines = Vec::new();
        for kernel in &self.kernels {
            let same = earlier.kernels.iter().find(|it| it.kernel == kernel.kernel);
            let Some(same) = same else {
                return Err(wrong(&format!("it has no kernel `{}`", kernel.kernel)));
            };
            lines.extend([String::new(), format!("\u{1b}[1m{}, before and now\u{1b}[0m", kernel.kernel)]);
            lines.extend(compare::text(["before", "now"], [&same.times_ns, &kernel.times_ns]));
        }
        if earlier.device != self.device {
            lines.push(format!("  the earlier one ran on {}", earlier.device));
        }
        Ok(lines)
    }

    fn text(&self, command: &ProfileCommand) -> Vec<String> {
        let clock = self.clock_mhz.map_or(String::new(), |clock| format!(", up to {clock} MHz"));
        let mut lines = vec![format!(
            "{}{clock}: copies {}B/s, computes {}op/s",
            self.device,
            short(self.peaks.bytes),
            short(self.peaks.operations)
        )];
        for kernel in &self.kernels {
            lines.extend([String::new(), format!("\u{1b}[1m{}\u{1b}[0m", kernel.title())]);
            lines.extend(kernel.facts().into_iter().map(|(name, value)| format!("  {name:<13}{value}")));
            if let Some(times) = &kernel.device {
                let (low, high) = (human(times.min_ns), human(times.slow_ns));
                lines.push(format!("  {:<13}{low} {} {high}", "histogram", times.blocks()));
            }
            if let Some(limit) = &kernel.limit {
                lines.push(format!("  {:<13}\u{1b}[1m{limit}\u{1b}[0m", "limited by"));
            }
            lines.extend(counters::lines(&kernel.counters, console::width()));
        }
        lines.extend(self.counters_problem.iter().map(|problem| format!("  {problem}")));
        let marks = self.marks();
        if !marks.is_empty() {
            lines.push(String::new());
            lines.extend(roofline::text(&self.peaks, &marks, console::width()));
        }
        if command.lines {
            for file in self.kernels.iter().flat_map(|kernel| &kernel.files) {
                lines.push(String::new());
                lines.extend(lines::text(file, console::width()));
            }
        }
        if command.show_code {
            lines.extend(self.kernels.iter().flat_map(|kernel| code::lines(&kernel.kernel, &kernel.code)));
        }
        for path in [&command.svg, &command.html].into_iter().flatten() {
            lines.push(format!("wrote {}", path.display()));
        }
        lines
    }
}
