//! Kernels that measure themselves, on every Vulkan device found, with addresses and with descriptors.
//!
//! - `counts`: the programs of `tests/measure` say in comments how often their lines run. Bytes are compared
//!   with what the text says.
//! - `right`: programs of `tests/programs` and kernels of `tests/kernels` compute the same while they count,
//!   and while they are traced: every sixteenth, or all with `CLVK_TESTS_ALL=1`.
//! - `presets`: they are valid SPIR-V for every preset, if they can be translated for it at all.
//!
//! spirv-val and the Khronos validation layer must be silent.

#[expect(dead_code, reason = "no device must run everything here")]
mod common;

use clvk::{Arg, Compiler, Error, LaunchConfig};
use clvk_interface::measure::{Measure, Measured, Measurement, Memory};
use clvk_interface::sanitize::Access;
use clvk_interface::{AddressingMode, DeviceProfile, Quirk};
use clvk_tests::applicable::{not_applicable, sample_step};
use clvk_tests::case::{Case, Size};
use clvk_tests::program::{self, Program};
use clvk_tests::run::Prepared;
use clvk_tests::{cases, compare, judge, pipeline};
use libtest_mimic::{Arguments, Completion, Failed, Trial};
use std::collections::BTreeMap;
use std::path::Path;
use std::process::ExitCode;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use vk_runtime::Error as RuntimeError;
use vk_runtime::{Buffer, Device, DeviceOptions, Instance, InstanceOptions, MeasureHandler, PrintHandler};

fn main() -> ExitCode {
    let arguments = Arguments::from_args();
    match trials() {
        Ok(trials) => libtest_mimic::run(&arguments, trials).exit_code(),
        Err(error) => {
            eprintln!("the tests of measurements cannot run: {error}");
            ExitCode::FAILURE
        }
    }
}

/// What the last launch measured.
type Seen = Arc<Mutex<Option<(Measured, Measurement)>>>;

/// A device with the validation layer on, on which one program runs at a time.
struct Bench {
    instance: Instance,
    device: Device,
    profile: DeviceProfile,
    seen: Seen,
    running: Mutex<()>,
}

impl Bench {
    fn new(index: usize, descriptors: bool) -> Result<Bench, String> {
        let failed = |error: RuntimeError| error.to_string();
        let instance = Instance::new(&InstanceOptions { validation: true, ..InstanceOptions::default() })
            .map_err(failed)?;
        let info = instance.devices().map_err(failed)?.swap_remove(index);
        let seen: Seen = Arc::default();
        let receiver = Arc::clone(&seen);
        let options = DeviceOptions {
            print_handler: PrintHandler::new(|_| {}),
            measure_handler: MeasureHandler::new(move |it| {
                *lock(&receiver) = Some((it.measured.clone(), it.measurement.clone()));
            }),
            ..DeviceOptions::default()
        };
        let device = Device::new(&info, &options).map_err(failed)?;
        let mut profile = device.profile().clone();
        profile.buffer_device_address &= !descriptors;
        Ok(Bench { instance, device, profile, seen, running: Mutex::new(()) })
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A program that is run.
struct Subject {
    name: String,
    file: String,
    text: String,
    headers: Arc<[(String, String)]>,
    case: Case,
}

fn subjects() -> Result<Vec<Subject>, String> {
    let mut subjects = Vec::new();
    for program in program::all()? {
        // Their options are not the device's, or they are not to be run at all.
        if program.quirks.is_empty() && program.refused.is_none() {
            let Program { name, file, text, headers, case, .. } = program;
            subjects.push(Subject { name, file, text, headers, case });
        }
    }
    for definition in cases::ALL {
        let case = (definition.build)(Size::Small);
        let text = std::fs::read_to_string(case.source_path()).map_err(|error| error.to_string())?;
        let (name, file) = (format!("kernels/{}", definition.name), case.source.clone());
        subjects.push(Subject { name, file, text, headers: Arc::default(), case });
    }
    Ok(subjects)
}

/// Programs that are not counted: the library's functions that enqueue become large, and LLVM's
/// coroutines, which lavapipe makes of barriers, take minutes for them.
const SLOW: &str = "enqueue/";

/// What is measured.
fn measures() -> [(&'static str, Measure); 2] {
    [("counting", Measure::Counts), ("traced", Measure::Trace { item: 1 })]
}

fn trials() -> Result<Vec<Trial>, String> {
    let subjects: Vec<Arc<Subject>> = subjects()?.into_iter().map(Arc::new).collect();
    let mut trials = Vec::new();
    for name in DeviceProfile::preset_names() {
        let subjects = subjects.clone();
        trials.push(Trial::test(format!("presets/{name}"), move || preset(name, &subjects)));
    }
    for (index, info) in judge::devices().map_err(|error| error.to_string())? {
        let has_addresses =
            info.profile().is_some_and(|profile| profile.addressing() == AddressingMode::Physical);
        for descriptors in [false, true].into_iter().take(1 + usize::from(has_addresses)) {
            let bench: Arc<OnceLock<Result<Bench, String>>> = Arc::default();
            let mode = if descriptors { "-descriptors" } else { "" };
            let device = format!("{}{mode}", common::short_name(info.name()));
            let opened = Arc::clone(&bench);
            trials.push(Trial::test(format!("{device}/counts"), move || {
                counts(opened.get_or_init(|| Bench::new(index, descriptors)).as_ref()?)
            }));
            for (subject, (what, measure)) in subjects
                .iter()
                .step_by(sample_step())
                .flat_map(|subject| measures().map(|measure| (subject, measure)))
            {
                if measure == Measure::Counts && subject.name.starts_with(SLOW) {
                    continue;
                }
                let name = format!("{device}/right/{what}/{}", subject.name);
                let (subject, bench) = (Arc::clone(subject), Arc::clone(&bench));
                trials.push(Trial::ignorable_test(name, move || {
                    let bench = bench.get_or_init(|| Bench::new(index, descriptors)).as_ref()?;
                    right(bench, &subject, &measure)
                }));
            }
        }
    }
    Ok(trials)
}

/// Compiles a subject that measures.
fn compile(
    subject: &Subject,
    profile: &DeviceProfile,
    measure: &Measure,
) -> Result<clvk::CompiledModule, Error> {
    let headers: Vec<(&str, &str)> =
        subject.headers.iter().map(|(name, text)| (name.as_str(), text.as_str())).collect();
    let compiler = Compiler::new(profile).with_measurement(Some(measure.clone()));
    pipeline::compile_with_includes(&subject.file, &subject.text, &subject.case.options, &headers, compiler)
}

fn preset(name: &str, subjects: &[Arc<Subject>]) -> Result<(), Failed> {
    let profile = DeviceProfile::preset(name)?;
    let mut valid = 0;
    // Every eighth is enough: each preset is valid for the rest elsewhere.
    for (position, subject) in subjects.iter().step_by(8).enumerate() {
        let (what, measure) = &measures()[position % 2];
        match compile(subject, &profile, measure) {
            Ok(module) => {
                judge::validate(&module, &profile)
                    .map_err(|error| format!("{}, {what}: {error}", subject.name))?;
                valid += 1;
            }
            Err(Error::Unsupported { .. } | Error::Source(_)) => {}
            Err(error) => return Err(error.into()),
        }
    }
    if valid > 10 { Ok(()) } else { Err(format!("only {valid} programs were translated").into()) }
}

fn right(bench: &Bench, subject: &Subject, measure: &Measure) -> Result<Completion, Failed> {
    let skip = |reason: String| {
        Ok(Completion::ignored_with(not_applicable(&subject.name, bench.device.info().name(), &reason)))
    };
    let case = &subject.case;
    if let Some(reason) = common::too_large_group(case, &bench.profile) {
        return skip(reason);
    }
    let module = match compile(subject, &bench.profile, measure) {
        Ok(module) => module,
        Err(error @ (Error::Unsupported { .. } | Error::Source(_))) => {
            return skip(pipeline::messages(&error));
        }
        Err(error) => return Err(error.into()),
    };
    judge::validate(&module, &bench.profile)?;
    let running = lock(&bench.running);
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
    judge::no_messages(&bench.instance)?;
    drop(running);
    if wrong.is_empty() { Ok(Completion::Completed) } else { Err(wrong.join("\n").into()) }
}

/// Work-items of the programs in `tests/measure`.
const ITEMS: u64 = 64;

fn counts(bench: &Bench) -> Result<(), Failed> {
    let _running = lock(&bench.running);
    let loops = measured(bench, "loops")?;
    check_lines("loops", &loops)?;
    let groups = measured(bench, "groups")?;
    check_lines("groups", &groups)?;
    let bytes = |memory, access| {
        let (measured, measurement) = &groups;
        let sites = measured.sites.iter().filter(|site| site.memory == memory && site.access == access);
        sites.map(|site| measurement.counts[site.counter as usize] * u64::from(site.bytes)).sum::<u64>()
    };
    // Two reads and a write of each work-item; one atomic operation of each group.
    assert_eq!(bytes(Memory::Global, Access::Read), 2 * ITEMS * 4);
    assert_eq!(bytes(Memory::Global, Access::Write), ITEMS * 4);
    assert_eq!(bytes(Memory::Global, Access::Atomic), 4 * 4);
    // 8, 4, 2 and 1 work-items of each group read twice and write; before, all write, and at last one reads.
    assert_eq!(bytes(Memory::Local, Access::Read), (4 * 15 * 2 + 4) * 4);
    assert_eq!(bytes(Memory::Local, Access::Write), (ITEMS + 4 * 15) * 4);
    // All four groups are sampled, and each work-item once.
    let (_, measurement) = &groups;
    assert_eq!((measurement.samples.len(), measurement.items, measurement.lost), (64, 16, 0));
    judge::no_messages(&bench.instance)?;
    Ok(())
}

fn measured(bench: &Bench, name: &str) -> Result<(Measured, Measurement), Failed> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("measure/{name}.cl"));
    let text = std::fs::read_to_string(path)?;
    let compiler = Compiler::new(&bench.profile).with_measurement(Some(Measure::Counts));
    let module = compiler.compile(name, &text)?.into_module();
    judge::validate(&module, &bench.profile)?;
    let program = vk_runtime::Program::new(&bench.device, module)?;
    let out = Buffer::new(&bench.device, 4 * (ITEMS + 1))?;
    let input = Buffer::new(&bench.device, 4 * ITEMS)?;
    let mut arguments = vec![Arg::Buffer(&out), Arg::Buffer(&input)];
    if name == "groups" {
        arguments.push(Arg::Local(64));
    }
    let config = LaunchConfig { local: Some([16, 1, 1]), ..LaunchConfig::linear(ITEMS) };
    program.kernel(name)?.launch(&config, &arguments)?.wait()?;
    bench.device.finish()?;
    Ok(lock(&bench.seen).take().ok_or("nothing was measured")?)
}

/// Compares how often lines ran with what their comments say.
fn check_lines(name: &str, (measured, measurement): &(Measured, Measurement)) -> Result<(), Failed> {
    let text = &measured.sources[0].text;
    let mut runs: BTreeMap<usize, BTreeMap<u32, BTreeMap<u32, u64>>> = BTreeMap::new();
    for line in &measured.lines {
        let start = line.place.ok_or("a line without a place")?.start as usize;
        let number = text[..start].matches('\n').count();
        let origins = runs.entry(number).or_default().entry(line.origin).or_default();
        origins.insert(line.copy, measurement.counts[line.counter as usize]);
    }
    let mut wrong = Vec::new();
    for (number, line) in text.lines().enumerate() {
        let Some((_, expected)) = line.split_once("// runs ") else { continue };
        let expected: u64 = expected.parse()?;
        let sums = runs.get(&number).map(|origins| origins.values().map(|it| it.values().sum::<u64>()));
        let ran = sums.and_then(Iterator::max);
        if ran != Some(expected) {
            wrong.push(format!("{name}, line {}: it ran {ran:?} times: {line}", number + 1));
        }
    }
    if wrong.is_empty() { Ok(()) } else { Err(wrong.join("\n").into()) }
}
