//! Kernels that measure themselves, on every Vulkan device found, with addresses and with descriptors.
//!
//! - `counts`: the programs of `tests/measure` say in comments how often their lines run. Bytes are compared
//!   with what the text says.
//! - `right`: programs of `tests/programs` and kernels of `tests/kernels` compute the same while they count,
//!   and while they are traced: every sixteenth, or all with `CLVK_TESTS_ALL=1`.
//! - `presets`: they are valid SPIR-V for every preset, if they can be translated for it at all.
//!
//! spirv-val and the Khronos validation layer must be silent.

use clvk::{Arg, Compiler, Error, LaunchConfig};
use clvk_interface::DeviceProfile;
use clvk_interface::measure::{Measure, Measured, Measurement, Memory};
use clvk_interface::sanitize::Access;
use clvk_tests::applicable::sample_step;
use clvk_tests::bench::{self, Bench, Ended, Mode, Opened, Settings, lock};
use clvk_tests::program::{self, Program};
use clvk_tests::{judge, pipeline};
use libtest_mimic::{Arguments, Failed, Trial};
use std::collections::BTreeMap;
use std::path::Path;
use std::process::ExitCode;
use std::sync::{Arc, Mutex};
use vk_runtime::{Buffer, DeviceOptions, MeasureHandler, PrintHandler};

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

/// A device, and what its last launch measured.
struct Meter {
    bench: Bench,
    seen: Seen,
}

impl Meter {
    fn new(mode: &Mode) -> Result<Meter, String> {
        let seen: Seen = Arc::default();
        let receiver = Arc::clone(&seen);
        let options = DeviceOptions {
            print_handler: PrintHandler::new(|_| {}),
            measure_handler: MeasureHandler::new(move |it| {
                *lock(&receiver) = Some((it.measured.clone(), it.measurement.clone()));
            }),
            ..DeviceOptions::default()
        };
        let settings = Settings { descriptors: mode.descriptors, options, ..Settings::default() };
        Ok(Meter { bench: Bench::new(mode.index, &settings)?, seen })
    }
}

/// Programs that are not counted: the library's functions that enqueue become large, and LLVM's
/// coroutines, which lavapipe makes of barriers, take minutes for them.
const SLOW: &str = "enqueue/";

/// What is measured.
fn measures() -> [(&'static str, Measure); 2] {
    [("counting", Measure::Counts), ("traced", Measure::Trace { item: 1 })]
}

fn trials() -> Result<Vec<Trial>, String> {
    let programs: Vec<Arc<Program>> = program::all_that_run()?.into_iter().map(Arc::new).collect();
    let mut trials = Vec::new();
    for name in DeviceProfile::preset_names() {
        let programs = programs.clone();
        trials.push(Trial::test(format!("presets/{name}"), move || preset(name, &programs)));
    }
    let sample = programs.iter().step_by(sample_step());
    let right: Vec<_> = sample.flat_map(|it| measures().map(|measure| (Arc::clone(it), measure))).collect();
    for mode in bench::modes()? {
        let meter: Opened<Meter> = Arc::default();
        let (opened, device) = (Arc::clone(&meter), mode.clone());
        trials.push(Trial::test(format!("{}/counts", mode.name), move || {
            counts(opened.get_or_init(|| Meter::new(&device)).as_ref()?)
        }));
        for (program, (what, measure)) in right.iter().cloned() {
            if measure == Measure::Counts && program.name.starts_with(SLOW) {
                continue;
            }
            let (meter, mode) = (Arc::clone(&meter), mode.clone());
            let name = format!("{}/right/{what}/{}", mode.name, program.name);
            trials.push(Trial::ignorable_test(name, move || {
                let meter = meter.get_or_init(|| Meter::new(&mode)).as_ref()?;
                let done = right_while(&meter.bench, &program, measure, mode.must_run);
                meter.bench.completion(&program.name, done)
            }));
        }
    }
    Ok(trials)
}

fn preset(name: &str, programs: &[Arc<Program>]) -> Result<(), Failed> {
    let profile = DeviceProfile::preset(name)?;
    let mut valid = 0;
    // Every eighth is enough: each preset is valid for the rest elsewhere.
    for (position, program) in programs.iter().step_by(8).enumerate() {
        let (what, measure) = measures()[position % 2].clone();
        let compiler = Compiler::new(&profile).with_measurement(Some(measure));
        match pipeline::compile_program(program, compiler) {
            Ok(module) => {
                judge::validate(&module, &profile)
                    .map_err(|error| format!("{}, {what}: {error}", program.name))?;
                valid += 1;
            }
            Err(Error::Unsupported { .. } | Error::Source(_)) => {}
            Err(error) => return Err(error.into()),
        }
    }
    if valid > 10 { Ok(()) } else { Err(format!("only {valid} programs were translated").into()) }
}

/// The program computes what it should while it is measured.
fn right_while(bench: &Bench, program: &Program, measure: Measure, must_run: bool) -> Result<(), Ended> {
    let compiler = bench.compiler().with_measurement(Some(measure));
    let module = bench.compile_sampled(program, compiler, must_run)?;
    bench.exclusively(|| bench::none(&bench.run(&program.case, module, true)?))
}

/// Work-items of the programs in `tests/measure`.
const ITEMS: u64 = 64;

fn counts(meter: &Meter) -> Result<(), Failed> {
    let [loops, groups] =
        meter.bench.exclusively(|| Ok([measured(meter, "loops")?, measured(meter, "groups")?]))?;
    check_lines("loops", &loops)?;
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
    Ok(())
}

fn measured(meter: &Meter, name: &str) -> Result<(Measured, Measurement), Ended> {
    let Meter { bench, seen } = meter;
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
    Ok(lock(seen).take().ok_or("nothing was measured")?)
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
