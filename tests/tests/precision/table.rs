//! The record of the measurements, and the table made from it.

use crate::judge::Outcome;
use crate::subject::{self, Subject};
use clvk_frontend::builtins::Precision;
use clvk_interface::DeviceProfile;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

/// The measurements on a device, by function and type.
#[derive(Debug, Default, Serialize, Deserialize, PartialEq)]
struct Measured {
    device: String,
    functions: BTreeMap<String, Entry>,
}

#[derive(Debug, Default, Clone, Serialize, Deserialize, PartialEq)]
struct Entry {
    /// The largest error in units in the last place.
    ulps: f64,
    /// The call with this error.
    worst: String,
    /// The number of calls, and of wrong ones among them.
    calls: usize,
    wrong: usize,
}

/// Collects what the tests measure.
#[derive(Debug, Default)]
pub struct Recorder {
    devices: Mutex<BTreeMap<String, Measured>>,
}

/// The file name of a device's record: its driver and version, because those decide the results.
pub fn device_key(profile: &DeviceProfile) -> String {
    let name = clvk_tests::bench::short_name(&profile.name);
    match profile.vulkan {
        _ if name.contains("swiftshader") => "swiftshader".to_owned(),
        (major, minor) => format!("{name}-vulkan-{major}.{minor}"),
    }
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("precision")
}

impl Recorder {
    pub fn record(&self, device: &str, subject: &Subject, outcome: &Outcome) {
        let mut devices = self.devices.lock().unwrap_or_else(PoisonError::into_inner);
        let measured = devices.entry(device.to_owned()).or_default();
        measured.device = device.to_owned();
        let entry = Entry {
            ulps: (outcome.worst.min(1e300) * 1000.0).round() / 1000.0,
            worst: outcome.worst_call.clone(),
            calls: outcome.calls,
            wrong: outcome.wrong,
        };
        measured.functions.insert(subject.label(), entry);
    }

    /// Adds the measurements to the records, and writes the table.
    pub fn write(&self) -> std::io::Result<()> {
        std::fs::create_dir_all(folder())?;
        for (device, measured) in self.devices.lock().unwrap_or_else(PoisonError::into_inner).iter() {
            let path = folder().join(format!("{device}.json"));
            let mut all: Measured = match std::fs::read_to_string(&path) {
                Ok(text) => serde_json::from_str(&text)?,
                Err(_) => Measured::default(),
            };
            all.device.clone_from(device);
            all.functions.extend(measured.functions.clone());
            let known: Vec<String> = subject::all().iter().map(Subject::label).collect();
            all.functions.retain(|label, _| known.contains(label));
            std::fs::write(path, serde_json::to_string_pretty(&all)? + "\n")?;
        }
        std::fs::write(root().join("docs/reference/precision.md"), render(&records()?))
    }
}

fn records() -> std::io::Result<Vec<Measured>> {
    let mut paths: Vec<PathBuf> = std::fs::read_dir(folder())?.flatten().map(|entry| entry.path()).collect();
    paths.sort();
    paths.iter().map(|path| Ok(serde_json::from_str(&std::fs::read_to_string(path)?)?)).collect()
}

/// Fails if the table differs from what the records give.
pub fn check() -> Result<(), String> {
    let failed = |error: std::io::Error| error.to_string();
    let text = std::fs::read_to_string(root().join("docs/reference/precision.md")).map_err(failed)?;
    if text == render(&records().map_err(failed)?) {
        return Ok(());
    }
    Err("docs/reference/precision.md is not made of tests/precision: run the tests with CLVK_PRECISION_WRITE=1"
        .to_owned())
}

const HEAD: &str = "\
# Precision of the floating-point functions

Generated: `CLVK_PRECISION_WRITE=1 cargo test --workspace --test precision` measures the devices that are there, keeps what was
recorded of others in `tests/precision/`, and writes this page.

The largest error in units in the last place that was found against exact results (MPFR), beside the bound of OpenCL C §7.4
and cl_khr_fp16. “exact” is correct rounding; — has no bound, or none in such units. Functions of one half-precision number are
measured on all of them, the others on edges and random samples. **Bold** is beyond the bound.

";

fn render(records: &[Measured]) -> String {
    let mut text = HEAD.to_owned();
    let names: Vec<&str> = records.iter().map(|record| record.device.as_str()).collect();
    let _ = writeln!(text, "| function | type | bound | {} |", names.join(" | "));
    let _ = writeln!(text, "|---|---|---|{}", "---|".repeat(names.len()));
    for subject in subject::all() {
        let cells: Vec<String> = records
            .iter()
            .map(|record| {
                record.functions.get(&subject.label()).map_or("".to_owned(), |entry| cell(&subject, entry))
            })
            .collect();
        let _ = writeln!(
            text,
            "| {} | {} | {} | {} |",
            subject.name,
            subject.label().split_once('/').map_or("", |(_, rest)| rest.trim_start_matches('/')),
            subject.bound(),
            cells.join(" | ")
        );
    }
    text
}

fn cell(subject: &Subject, entry: &Entry) -> String {
    let figure = match subject.precision {
        _ if entry.wrong > 0 && entry.ulps == 0.0 => "wrong".to_owned(),
        Precision::Absolute(_) | Precision::Relative | Precision::AbsoluteIn(..) => "met".to_owned(),
        Precision::Free if entry.ulps == 0.0 => "—".to_owned(),
        _ if entry.ulps >= 1e5 => format!("{:.1e}", entry.ulps),
        _ => format!("{:.2}", entry.ulps),
    };
    if entry.wrong > 0 { format!("**{figure}**") } else { figure }
}
