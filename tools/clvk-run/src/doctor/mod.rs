//! `clvk-run doctor`: what of this machine's setup works, what does not, and the command that changes it.
//!
//! It reports and never fails because something is missing. Each topic is a module that gathers facts and a
//! function that judges them, so that the judgement is tested without the machine. What needs the Vulkan
//! loader and drivers happens in processes of its own (`probe`), since a broken driver may crash.

mod cache;
mod drivers;
mod environment;
mod gpus;
mod library;
mod opencl;
mod probe;
mod report;
mod vulkan;

use crate::cli::DoctorCommand;
use crate::console;
use crate::failure::{Result, Status};
use report::Report;
use std::path::Path;
use std::process::ExitCode;

/// What follows the options in its help.
pub const HELP: &str = "\
Exit codes: 0 a device can be used, 2 usage, 4 none can.

Example:
  clvk-run doctor";

/// Runs the command.
pub fn doctor(command: &DoctorCommand) -> Result<ExitCode> {
    if command.probe {
        console::print(serde_json::to_string(&probe::probe()).expect("facts are plain data"))?;
        return Ok(ExitCode::SUCCESS);
    }
    let report = examine();
    if command.json {
        console::print(serde_json::to_string_pretty(&report).expect("a report is plain data"))?;
    } else {
        console::show(report.text(console::width()))?;
    }
    Ok(if report.usable_devices > 0 { ExitCode::SUCCESS } else { ExitCode::from(Status::Device as u8) })
}

fn examine() -> Report {
    let answer = probe::ask(None);
    let manifests = drivers::find(&environment::variable);
    let probed = drivers::probe_all(&manifests);
    let devices = answer.devices();
    let gpus = gpus::find(Path::new("/"));
    Report {
        version: env!("CARGO_PKG_VERSION"),
        usable_devices: devices.iter().filter(|device| device.unusable.is_none()).count(),
        sections: vec![
            vulkan::loader(&answer),
            drivers::judge(&probed, &environment::variable),
            vulkan::devices(devices),
            gpus::judge(&gpus, devices, &probed),
            opencl::judge(&opencl::find(&environment::variable)),
            cache::judge(&cache::find()),
            environment::judge(std::env::vars_os()),
        ],
    }
}
