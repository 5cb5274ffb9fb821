//! `clvk-run run`.

pub mod execute;
pub mod plan;

use crate::cli::RunCommand;
use crate::failure::{Failure, Result, Status};
use crate::job::Job;
use crate::program::Source;
use crate::report::Report;
use crate::{console, file, profile, supervise, watch};
use clvk::interface::sanitize::Kinds;
use clvk::runtime::{DeviceOptions, Instance, InstanceOptions, PrintHandler, ReportHandler};
use clvk::{Device, DiskCache, ReportLog};
use indicatif::ProgressBar;
pub use plan::PlannedLaunch;
use std::process::ExitCode;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// Runs the command.
pub fn run(command: &RunCommand, build_options: &[String]) -> Result<ExitCode> {
    if command.profile {
        return profile::of_run(command, build_options);
    }
    if supervise::is_child() {
        // The first process prints the messages of failures that it sees itself, this one all others.
        supervise::follow_parent();
        return Ok(run_here(command, build_options).unwrap_or_else(|failure| failure.report(command.json)));
    }
    if command.watch {
        return watch::watch(command, build_options);
    }
    once(command, build_options)
}

/// Runs the command in a second process, if that can be.
pub fn once(command: &RunCommand, build_options: &[String]) -> Result<ExitCode> {
    if !supervise::is_wanted() {
        return run_here(command, build_options);
    }
    match supervise::run(is_robust(command))? {
        supervise::Ended::WithCode(code) => Ok(code),
        supervise::Ended::BySignal(failure) => Err(failure),
    }
}

fn run_here(command: &RunCommand, build_options: &[String]) -> Result<ExitCode> {
    // What can be said without a device is said first.
    let job = Job::of_command(command, build_options)?;
    job.outputs().for_each(file::warn_of_ending);
    let sources: Vec<Source> = job
        .sources
        .iter()
        .map(|source| Source::read(&source.path, &source.options))
        .collect::<Result<_>>()?;
    let instance =
        Instance::new(&InstanceOptions { validation: command.validate, ..InstanceOptions::default() })?;
    let report = run_on(&instance, command, &job, &sources)?;
    let text = report.text(command.json);
    match job.writes_standard_output() {
        true => console::tell(format!("{text}\n")),
        false => console::print(text)?,
    }
    check_validation(&instance)?;
    Ok(if report.passed() { ExitCode::SUCCESS } else { ExitCode::from(Status::Verification as u8) })
}

/// Prints what the validation layer said, which is a failure.
pub fn check_validation(instance: &Instance) -> Result<()> {
    let messages = instance.take_validation_messages();
    for message in &messages {
        console::tell(format!("validation: {message}\n"));
    }
    match messages.len() {
        0 => Ok(()),
        count => Err(Failure::new(Status::Device, format!("the validation layer had {count} messages"))),
    }
}

/// Whether the command or the environment asks for checked accesses.
pub fn is_robust(command: &RunCommand) -> bool {
    command.robust || std::env::var_os("CLVK_ROBUST").is_some_and(|value| value == "1")
}

/// What kernels print goes to the standard output only where the results are for people.
pub fn device_options(command: &RunCommand, job: &Job) -> DeviceOptions {
    let mut options = DeviceOptions {
        print_buffer_size: command.print_buffer,
        cache: DiskCache::shared(),
        ..DeviceOptions::default()
    };
    if let Some(timeout) = command.timeout {
        options.wait_timeout = timeout;
    }
    let to_error = command.json || job.writes_standard_output();
    options.print_handler = PrintHandler::new(move |printed| {
        if to_error {
            eprint!("{}", String::from_utf8_lossy(printed.text));
        } else {
            // The launch is done: there is nothing that a failure could stop.
            let _ = console::write(printed.text);
        }
        if let Some(loss) = printed.loss() {
            console::warn(format!("{loss}; make room with `--print-buffer BYTES`"));
        }
    });
    options
}

fn run_on(instance: &Instance, command: &RunCommand, job: &Job, sources: &[Source]) -> Result<Report> {
    let info = match &job.device {
        Some(query) => instance.select(query)?,
        None => instance.default_device()?,
    };
    let info = if is_robust(command) { info.robust() } else { info };
    let kinds = sanitized_kinds(command)?;
    let log: Arc<Mutex<ReportLog>> = Arc::default();
    let mut options = device_options(command, job);
    let receiver = Arc::clone(&log);
    options.report_handler = ReportHandler::new(move |reports| {
        receiver.lock().unwrap_or_else(PoisonError::into_inner).add(&reports);
    });
    let device = Device::new(&info, &options)?;
    let plan = plan::prepare(job, sources, &device, kinds)?;
    let progress = spinner("running");
    let report = execute::run(&plan).and_then(|mut report| {
        if let Some(runs) = command.time {
            report.times = Some(execute::measure(&plan, runs)?);
        }
        Ok(report)
    });
    progress.finish_and_clear();
    if kinds.is_empty() {
        return report;
    }
    if report.is_ok() {
        device.finish()?;
    }
    // What was found may be why it failed.
    let log = log.lock().unwrap_or_else(PoisonError::into_inner);
    let messages = log.messages(0);
    if !messages.is_empty() {
        console::tell_messages(&messages);
    }
    Ok(Report { sanitizer: Some(log.reports().to_vec()), ..report? })
}

/// The kinds of errors that the command or the environment asks to check for.
fn sanitized_kinds(command: &RunCommand) -> Result<Kinds> {
    if let Some(kinds) = command.sanitize {
        return Ok(kinds);
    }
    let text = std::env::var("CLVK_SANITIZE").unwrap_or_default();
    Kinds::parse(&text).map_err(|problem| Failure::usage(format!("CLVK_SANITIZE: {problem}")))
}

/// A spinner that says what is going on.
pub fn spinner(message: &'static str) -> ProgressBar {
    let progress = ProgressBar::new_spinner().with_message(message);
    progress.enable_steady_tick(Duration::from_millis(100));
    progress
}
