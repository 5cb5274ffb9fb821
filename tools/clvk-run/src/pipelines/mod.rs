//! `clvk-run check --pipelines`: what the drivers of this machine make of kernels, down to machine code.
//!
//! Nothing is launched, so drivers that compile for GPUs that are not there will do. The drivers work in
//! second processes (`worker`), which may crash; the first one (`process`) sees to them. `row` is the result
//! as data, `text` shows it.

mod process;
mod row;
mod text;
mod worker;

pub use process::WorkerCommand;
pub use row::Cost;
pub use worker::work;

use crate::cli::{CheckCommand, CheckFormat};
use crate::console;
use crate::failure::{Failure, Result, Status};
use crate::file;
use crate::profiles;
use clvk::DeviceProfile;
use clvk::runtime::{DeviceInfo, Instance, InstanceOptions};
use indicatif::{ProgressBar, ProgressStyle};
use row::{Outcome, Row};
use std::process::ExitCode;
use std::time::Duration;

/// How long a driver may take for a kernel.
const PATIENCE: Duration = Duration::from_secs(300);

/// Runs the command.
pub fn check(command: &CheckCommand, build_options: &[String]) -> Result<ExitCode> {
    if matches!(command.format(), CheckFormat::Sarif | CheckFormat::Junit) {
        let message =
            "`--pipelines` prints text or JSON; SARIF and JUnit's XML have no place for its numbers";
        return Err(Failure::usage(message));
    }
    for path in &command.files {
        if file::is_standard(path) {
            let message = "`-`: name files with `--pipelines`, which reads them in several processes";
            return Err(Failure::usage(message));
        }
        // Here, so that a file that is missing is one message.
        clvk::read_input(path)?;
    }
    let devices = devices(&command.device)?;
    let jobs = jobs(command, &devices)?;
    let progress = progress();
    let mut rows = Vec::new();
    for job in &jobs {
        let done = |row: &Row| {
            progress.inc(1);
            progress.set_message(format!("{} on {}", row.kernel, row.device));
        };
        let timeout = command.timeout.unwrap_or(PATIENCE);
        rows.extend(process::compile(job, build_options, timeout, done)?);
    }
    progress.finish_and_clear();
    if rows.is_empty() {
        return Err(crate::program::without_kernels(&command.files[0].to_string_lossy()));
    }
    if command.format() == CheckFormat::Json {
        console::print(serde_json::to_string_pretty(&rows).expect("rows are plain data"))?;
    } else {
        console::show(text::report(&rows, command.stats, console::width()))?;
    }
    let has = |outcome: &dyn Fn(Outcome) -> bool| rows.iter().any(|row| outcome(row.outcome));
    Ok(if has(&|it| matches!(it, Outcome::Failed | Outcome::Crashed | Outcome::TimedOut)) {
        ExitCode::from(Status::Device as u8)
    } else if has(&|it| it == Outcome::Refused) {
        ExitCode::from(Status::Source as u8)
    } else {
        ExitCode::SUCCESS
    })
}

/// Shown only on a terminal. How many kernels there are is known only at the end.
fn progress() -> ProgressBar {
    let style = ProgressStyle::with_template("{pos} compiled {wide_msg}").expect("the template is right");
    ProgressBar::new_spinner().with_style(style)
}

/// The devices of these names; all that can be used if none is named.
fn devices(names: &[String]) -> Result<Vec<DeviceInfo>> {
    let instance = Instance::new(&InstanceOptions::default())?;
    if names.is_empty() {
        let usable: Vec<DeviceInfo> =
            instance.devices()?.into_iter().filter(|device| device.unusable_reason().is_none()).collect();
        return if usable.is_empty() { Ok(vec![instance.default_device()?]) } else { Ok(usable) };
    }
    Ok(names.iter().map(|name| instance.select(name)).collect::<Result<_, _>>()?)
}

/// What to compile: everything on each device, for its own profile or for those that are named.
fn jobs(command: &CheckCommand, devices: &[DeviceInfo]) -> Result<Vec<WorkerCommand>> {
    let job = |device: &DeviceInfo, profile: Option<&DeviceProfile>| WorkerCommand {
        files: command.files.clone(),
        device: device.index(),
        profile: profile.map(DeviceProfile::to_json),
        local: command.local,
        skip: 0,
    };
    if command.profile.is_empty() {
        return Ok(devices.iter().map(|device| job(device, None)).collect());
    }
    let profiles = profiles::named(&command.profile)?;
    let mut jobs = Vec::new();
    for device in devices {
        for profile in &profiles {
            if let Some(beyond) = device.profile().and_then(|own| profile.beyond(own)) {
                return Err(Failure::usage(format!(
                    "the profile `{}` is not for the device `{}`: {beyond}; without `--profile`, kernels are compiled \
                     for the device's own profile",
                    profile.name,
                    device.name()
                )));
            }
            jobs.push(job(device, Some(profile)));
        }
    }
    Ok(jobs)
}
