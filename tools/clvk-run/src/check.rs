//! `clvk-run check`: which kernels run on which devices, and at what price.

use crate::cli::CheckCommand;
use crate::compile::profile;
use crate::console;
use crate::failure::Result;
use crate::program::Source;
use clvk::survey::{Counts, Survey};
use clvk::{Compiler, DeviceProfile, KernelInterface, Severity, TranslateError};
use serde::Serialize;
use std::process::ExitCode;

/// One kernel on one device.
#[derive(Serialize)]
struct Row {
    file: String,
    /// Empty if the file does not compile for the device, so that its kernels are not known.
    kernel: String,
    profile: String,
    verdict: Verdict,
    /// What is made of other operations.
    emulated: Vec<Item>,
    /// About how many operations that costs, each executed instruction of the source counted once.
    cost: u32,
    /// Why it cannot run.
    reasons: Vec<String>,
}

#[derive(Serialize, Clone, Copy, PartialEq, Eq)]
#[serde(rename_all = "kebab-case")]
enum Verdict {
    Runs,
    RunsEmulated,
    CannotRun,
}

#[derive(Serialize)]
struct Item {
    what: &'static str,
    count: usize,
}

/// Runs the command.
pub fn check(command: &CheckCommand, build_options: &[String]) -> Result<ExitCode> {
    let presets: Vec<String>;
    let names = match command.profile.as_slice() {
        [] => {
            presets = DeviceProfile::preset_names().map(str::to_owned).collect();
            &presets
        }
        named => named,
    };
    let profiles: Vec<DeviceProfile> = names.iter().map(|name| profile(name)).collect::<Result<_>>()?;
    let mut rows = Vec::new();
    for file in &command.files {
        let source = Source::read(file, build_options)?;
        let mut of_file = Vec::new();
        for profile in &profiles {
            check_file(&file.to_string_lossy(), &source, profile, &mut of_file);
        }
        sort_by_kernel(&mut of_file);
        rows.extend(of_file);
    }
    if command.json {
        console::print(serde_json::to_string_pretty(&rows).expect("rows are plain data"))?;
    } else {
        console::print(table(&rows))?;
    }
    let all_run = rows.iter().all(|row| row.verdict != Verdict::CannotRun);
    Ok(if all_run { ExitCode::SUCCESS } else { ExitCode::from(crate::failure::Status::Source as u8) })
}

/// Rows of one kernel stand together, kernels in the order in which they were first seen; what concerns the
/// whole file last.
fn sort_by_kernel(rows: &mut [Row]) {
    let mut kernels: Vec<String> = Vec::new();
    for row in rows.iter() {
        if !row.kernel.is_empty() && !kernels.contains(&row.kernel) {
            kernels.push(row.kernel.clone());
        }
    }
    rows.sort_by_key(|row| kernels.iter().position(|kernel| *kernel == row.kernel).unwrap_or(kernels.len()));
}

fn check_file(file: &str, source: &Source, profile: &DeviceProfile, rows: &mut Vec<Row>) {
    let mut add = |kernel: String, counts: Counts, reasons: Vec<String>| {
        let verdict = match (reasons.is_empty(), counts.is_empty()) {
            (false, _) => Verdict::CannotRun,
            (true, false) => Verdict::RunsEmulated,
            (true, true) => Verdict::Runs,
        };
        let cost = counts.iter().map(|(kind, &count)| kind.cost().saturating_mul(count as u32)).sum();
        let emulated = counts.iter().map(|(kind, &count)| Item { what: kind.description(), count }).collect();
        let (file, profile) = (file.to_owned(), profile.name.clone());
        rows.push(Row { file, kernel, profile, verdict, emulated, cost, reasons });
    };
    let compiler = source.compiler(Compiler::new(profile));
    let object = match source.object_quietly(&compiler) {
        Ok(object) => object,
        Err(error) => return add(String::new(), Counts::new(), vec![first_error(&error)]),
    };
    for kernel in object.kernel_names().map(str::to_owned) {
        let mut survey = Survey::new(profile);
        let compiler = compiler.clone().with_kernels([&kernel]);
        let translated = compiler.translate_watched(&object, |pass, module| survey.after_pass(pass, module));
        let reasons = match translated {
            Ok(program) => exceeded_limits(program.kernels(), profile),
            Err(clvk::Error::Unsupported { errors, .. }) => {
                errors.iter().map(TranslateError::reason).collect()
            }
            Err(error) => vec![error.to_string()],
        };
        let counts = survey.kernels.remove(&kernel).unwrap_or_default();
        add(kernel, counts, reasons);
    }
}

/// The first error of a source, with its line.
fn first_error(error: &clvk::Error) -> String {
    let messages = error.list();
    let first = messages.iter().find(|message| message.severity == Severity::Error);
    match first.map(|message| (&message.text, &message.place)) {
        Some((text, Some(place))) => format!("line {}: {text}", place.line),
        Some((text, None)) => text.clone(),
        None => "it does not compile".to_owned(),
    }
}

/// Limits of the device that a kernel's own numbers exceed.
fn exceeded_limits(kernels: &[KernelInterface], profile: &DeviceProfile) -> Vec<String> {
    let mut reasons = Vec::new();
    for kernel in kernels {
        if let Some(size) = kernel.local_size.required() {
            let items: u64 = size.iter().map(|&size| u64::from(size)).product();
            let fits = size.iter().zip(&profile.max_work_group_size).all(|(size, limit)| size <= limit);
            if !fits || items > u64::from(profile.max_work_group_invocations) {
                reasons.push(format!(
                    "requires work-groups of {}×{}×{}; the device has at most {} work-items in one \
                     (maxComputeWorkGroupInvocations)",
                    size[0], size[1], size[2], profile.max_work_group_invocations
                ));
            }
        }
        if kernel.static_local_memory > profile.max_local_memory {
            reasons.push(format!(
                "declares {} bytes of local memory; the device has {} (maxComputeSharedMemorySize)",
                kernel.static_local_memory, profile.max_local_memory
            ));
        }
        if kernel.push_constant_size > profile.max_push_constants {
            reasons.push(format!(
                "needs {} bytes of push constants; the device has {} (maxPushConstantsSize)",
                kernel.push_constant_size, profile.max_push_constants
            ));
        }
    }
    reasons
}

/// The rows for people: a kernel, then a line for each device.
fn table(rows: &[Row]) -> String {
    let width = rows.iter().map(|row| row.profile.chars().count()).max().unwrap_or(0);
    let mut lines: Vec<String> = Vec::new();
    let mut last: Option<(&str, &str)> = None;
    for row in rows {
        let this = (row.file.as_str(), row.kernel.as_str());
        if last != Some(this) {
            if last.is_some() {
                lines.push(String::new());
            }
            let whole_file = "(the whole file)";
            lines.push(format!(
                "{}: {}",
                row.file,
                if row.kernel.is_empty() { whole_file } else { &row.kernel }
            ));
            last = Some(this);
        }
        let profile = &row.profile;
        let verdict = match row.verdict {
            Verdict::Runs => "runs".to_owned(),
            Verdict::RunsEmulated => format!("runs emulated, ~{} operations more: {}", row.cost, items(row)),
            Verdict::CannotRun => format!("cannot run: {}", row.reasons.join("; ")),
        };
        lines.push(format!("  {profile:<width$}  {verdict}"));
    }
    lines.push(String::new());
    lines.push(summary(rows));
    lines.join("\n")
}

fn items(row: &Row) -> String {
    row.emulated.iter().map(|item| format!("{} {}", item.count, item.what)).collect::<Vec<_>>().join(", ")
}

fn summary(rows: &[Row]) -> String {
    let count = |verdict| rows.iter().filter(|row| row.verdict == verdict).count();
    let (runs, emulated, cannot) =
        (count(Verdict::Runs), count(Verdict::RunsEmulated), count(Verdict::CannotRun));
    format!("{runs} run, {emulated} run emulated, {cannot} cannot run (kernels times devices)")
}
