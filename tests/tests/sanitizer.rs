//! The sanitizer, on every Vulkan device found, with addresses and with descriptors.
//!
//! - `planted`: the programs of `tests/sanitizer` make errors. Each must be reported, at its place, as often
//!   as its comment says, and nothing else (`clvk_tests::program::expected_reports`).
//! - `right`: the programs of `tests/programs` and the kernels of `tests/kernels` make none. Nothing is
//!   reported, and the results are right. Every sixteenth is run, or all with `CLVK_TESTS_ALL=1`.
//!   [`DELIBERATE`] names programs that do make errors.
//!
//! spirv-val and the Khronos validation layer must be silent. `CLVK_TESTS_WITHOUT` names features of the
//! profile to do without, and `CLVK_TESTS_ROBUST=1` runs everything in robust mode too, as for the programs.

mod common;

use clvk::{Compiler, Error, ReportLog};
use clvk_interface::sanitize::Kinds;
use clvk_interface::{AddressingMode, DeviceProfile, Feature, Quirk};
use clvk_tests::applicable::{not_applicable, sample_step};
use clvk_tests::case::{Case, Size};
use clvk_tests::program::{self, ExpectedReport, Program, expected_reports};
use clvk_tests::run::Prepared;
use clvk_tests::{cases, compare, judge, pipeline};
use libtest_mimic::{Arguments, Completion, Failed, Trial};
use std::path::Path;
use std::process::ExitCode;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use vk_runtime::Error as RuntimeError;
use vk_runtime::{Device, DeviceOptions, Instance, InstanceOptions, PrintHandler, ReportHandler};

/// Programs that make errors, with their reason: what they test is what becomes of these.
const DELIBERATE: &[(&str, &str)] = &[
    ("control/values_of_left_loops", "a plain read of a number that others change by atomic operations"),
    ("spirv/enqueue", "a barrier that orders no memory"),
];

fn main() -> ExitCode {
    let arguments = Arguments::from_args();
    match trials() {
        Ok(trials) => libtest_mimic::run(&arguments, trials).exit_code(),
        Err(error) => {
            eprintln!("the tests of the sanitizer cannot run: {error}");
            ExitCode::FAILURE
        }
    }
}

/// A device with the validation layer on. Programs run on it one at a time, so that messages and reports
/// belong to one of them.
struct Bench {
    instance: Instance,
    device: Device,
    profile: DeviceProfile,
    log: Arc<Mutex<ReportLog>>,
    running: Mutex<()>,
}

impl Bench {
    fn new(index: usize, descriptors: bool) -> Result<Bench, String> {
        let failed = |error: vk_runtime::Error| error.to_string();
        let instance = Instance::new(&InstanceOptions { validation: true, ..InstanceOptions::default() })
            .map_err(failed)?;
        let info = instance.devices().map_err(failed)?.swap_remove(index);
        let robust = std::env::var_os("CLVK_TESTS_ROBUST").is_some_and(|value| value == "1");
        let info = if robust { info.robust() } else { info };
        let log: Arc<Mutex<ReportLog>> = Arc::default();
        let receiver = Arc::clone(&log);
        let options = DeviceOptions {
            print_handler: PrintHandler::new(|_| {}),
            report_handler: ReportHandler::new(move |reports| {
                lock(&receiver).add(&reports);
            }),
            ..DeviceOptions::default()
        };
        let device = Device::new(&info, &options).map_err(failed)?;
        let without = std::env::var("CLVK_TESTS_WITHOUT").unwrap_or_default();
        let mut profile = judge::without(device.profile(), &without)?;
        profile.buffer_device_address &= !descriptors;
        Ok(Bench { instance, device, profile, log, running: Mutex::new(()) })
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// What is run, and what must be reported.
struct Subject {
    name: String,
    file: String,
    text: String,
    headers: Arc<[(String, String)]>,
    case: Case,
    /// What a device must offer to be asked.
    needs: Vec<Feature>,
    reports: Vec<ExpectedReport>,
}

impl Subject {
    fn of(program: Program, area: &str) -> Result<Subject, String> {
        let reports = expected_reports(&program.text)?;
        let Program { file, text, headers, case, needs, .. } = program;
        Ok(Subject { name: format!("{area}/{}", program.name), file, text, headers, case, needs, reports })
    }
}

fn subjects() -> Result<Vec<Subject>, String> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("sanitizer");
    let planted = program::all_in(&folder)?.into_iter().map(|program| Subject::of(program, "planted"));
    let mut subjects = Vec::new();
    for program in program::all()? {
        // Their options are not the device's, or they are not to be run at all.
        if program.quirks.is_empty() && program.refused.is_none() {
            subjects.push(Subject::of(program, "right")?);
        }
    }
    for definition in cases::ALL.iter().chain(cases::CXX) {
        let case = (definition.build)(Size::Small);
        let text = std::fs::read_to_string(case.source_path()).map_err(|error| error.to_string())?;
        let (name, file) = (format!("right/kernels/{}", definition.name), case.source.clone());
        let (headers, needs, reports) = (Arc::default(), Vec::new(), Vec::new());
        subjects.push(Subject { name, file, text, headers, case, needs, reports });
    }
    planted.chain(subjects.into_iter().step_by(sample_step()).map(Ok)).collect()
}

fn trials() -> Result<Vec<Trial>, String> {
    let subjects: Vec<Arc<Subject>> = subjects()?.into_iter().map(Arc::new).collect();
    let mut trials = Vec::new();
    for (index, info) in judge::devices().map_err(|error| error.to_string())? {
        let must_run = common::must_run_everything(info.name());
        let has_addresses =
            info.profile().is_some_and(|profile| profile.addressing() == AddressingMode::Physical);
        for descriptors in [false, true].into_iter().take(1 + usize::from(has_addresses)) {
            let bench: Arc<OnceLock<Result<Bench, String>>> = Arc::default();
            let mode = if descriptors { "-descriptors" } else { "" };
            for subject in &subjects {
                let name = format!("{}{mode}/{}", common::short_name(info.name()), subject.name);
                let (subject, bench) = (Arc::clone(subject), Arc::clone(&bench));
                trials.push(Trial::ignorable_test(name, move || {
                    let bench = bench.get_or_init(|| Bench::new(index, descriptors)).as_ref()?;
                    run(bench, &subject, must_run)
                }));
            }
        }
    }
    Ok(trials)
}

fn run(bench: &Bench, subject: &Subject, must_run: bool) -> Result<Completion, Failed> {
    let skip = |reason: String| {
        Ok(Completion::ignored_with(not_applicable(&subject.name, bench.device.info().name(), &reason)))
    };
    let case = &subject.case;
    if let Some(reason) = common::too_large_group(case, &bench.profile).filter(|_| !must_run) {
        return skip(reason);
    }
    let headers: Vec<(&str, &str)> =
        subject.headers.iter().map(|(name, text)| (name.as_str(), text.as_str())).collect();
    let compiler = Compiler::new(&bench.profile)
        .with_robustness(bench.device.info().is_robust())
        .with_sanitizer(Kinds::all());
    let offered = compiler.features();
    if let Some(missing) = subject.needs.iter().find(|feature| !offered.contains(**feature)) {
        return skip(format!("it needs {}", missing.name()));
    }
    let compiled =
        pipeline::compile_with_includes(&subject.file, &subject.text, &case.options, &headers, compiler);
    let module = match compiled {
        Ok(module) => module,
        Err(error @ (Error::Unsupported { .. } | Error::Source(_))) if !must_run => {
            return skip(pipeline::messages(&error));
        }
        // Only addresses can express it, and the compiler was told not to use them.
        Err(error @ Error::Unsupported { .. })
            if bench.profile.addressing() == AddressingMode::Logical
                && pipeline::messages(&error).contains("bufferDeviceAddress") =>
        {
            return skip(pipeline::messages(&error));
        }
        Err(error) => return Err(error.into()),
    };
    judge::validate(&module, &bench.profile)?;
    let running = lock(&bench.running);
    *lock(&bench.log) = ReportLog::default();
    let prepared = Prepared::new(&bench.device, case, module)?;
    match prepared.run() {
        Ok(_) => {}
        // More code in a loop may be more than such a driver executes.
        Err(error @ RuntimeError::LoopsEnded { .. }) if bench.profile.has(Quirk::LoopsEnd) => {
            return skip(error.to_string());
        }
        Err(error) => return Err(error.into()),
    }
    let mut wrong = Vec::new();
    for output in &case.outputs {
        let result = prepared.read(output.resource.0)?;
        wrong.extend(compare::verify(case, output, &result).err().map(|mismatch| mismatch.to_string()));
    }
    drop(prepared);
    wrong.extend(differences(&lock(&bench.log), subject));
    judge::no_messages(&bench.instance)?;
    drop(running);
    if wrong.is_empty() { Ok(Completion::Completed) } else { Err(wrong.join("\n").into()) }
}

/// The reports that came and should not, and those that did not come.
fn differences(log: &ReportLog, subject: &Subject) -> Vec<String> {
    if DELIBERATE.iter().any(|(name, _)| subject.name == format!("right/{name}")) {
        let silent = log.reports().is_empty();
        return silent
            .then(|| "it should make errors, and none was reported".to_owned())
            .into_iter()
            .collect();
    }
    let lines: Vec<&str> = subject.text.lines().collect();
    let mut missing: Vec<&ExpectedReport> = subject.reports.iter().collect();
    let mut wrong = Vec::new();
    for report in log.reports() {
        let place = report.place.as_ref();
        let line = place.map_or(0, |place| place.line);
        let code = place.and_then(|place| {
            let (start, end) = (place.column as usize - 1, place.end_column as usize - 1);
            lines.get(line as usize - 1)?.get(start..end)
        });
        let is_it = |expected: &&ExpectedReport| {
            expected.kind == report.kind
                && expected.line == line
                && Some(expected.code.as_str()) == code
                && expected.count.is_none_or(|count| count == report.count)
                && report.problem.contains(&expected.text)
        };
        match missing.iter().position(is_it) {
            Some(position) => drop(missing.swap_remove(position)),
            None => wrong.push(format!(
                "line {line}, `{}`: {}, {} times: {}",
                code.unwrap_or_default(),
                report.kind,
                report.count,
                report.problem
            )),
        }
    }
    missing.retain(|expected| !expected.optional);
    wrong.extend(missing.iter().map(|expected| format!("not reported: {expected:?}")));
    wrong
}
