//! Measures every floating-point function of the built-in table, in every type, on every Vulkan device found,
//! against exact results. A test fails where an error is larger than OpenCL C §7.4 allows or an edge case of
//! §7.5 is wrong.
//!
//! Functions are not listed here by hand: a function that is added to the table is measured at once, and
//! fails until `exact` knows its value. The inputs are edges, all half-precision numbers for functions of one
//! argument, and a random sample, whose size `CLVK_PRECISION_SAMPLES` sets.
//!
//! Functions that do not meet their bound yet are named in `known.txt`; a line there that is no longer true
//! fails.
//!
//! `CLVK_PRECISION_WRITE=1` records the measurements in `tests/precision/DEVICE.json` and writes
//! `docs/reference/precision.md` from all such files.

mod exact;
mod inputs;
mod judge;
mod kernel;
mod known;
mod number;
mod relaxed;
mod subject;
mod table;
mod vectors;

use clvk_frontend::builtins::Precision;
use clvk_interface::{DeviceProfile, Feature, FeatureSet, Quirk, ScalarType};
use clvk_tests::bench::{self, Bench, Opened, Settings};
use clvk_tests::case::{Argument, Case, ResourceKind, UNWRITTEN};
use clvk_tests::run::Prepared;
use clvk_tests::{judge as judges, pipeline};
use inputs::{Call, Value};
use judge::Outcome;
use libtest_mimic::{Arguments, Failed, Trial};
use number::Format;
use std::process::ExitCode;
use std::sync::Arc;
use subject::{Slot, Subject};
use table::Recorder;

fn main() -> ExitCode {
    let arguments = Arguments::from_args();
    let recorder = Arc::new(Recorder::default());
    match trials(&recorder) {
        Ok(trials) => {
            let conclusion = libtest_mimic::run(&arguments, trials);
            if std::env::var_os("CLVK_PRECISION_WRITE").is_some()
                && let Err(error) = recorder.write()
            {
                eprintln!("the table cannot be written: {error}");
                return ExitCode::FAILURE;
            }
            conclusion.exit_code()
        }
        Err(error) => {
            eprintln!("the precision tests cannot run: {error}");
            ExitCode::FAILURE
        }
    }
}

/// Whether the device may flush subnormal numbers of a format to zero.
fn may_flush(profile: &DeviceProfile, format: Format) -> bool {
    !match format {
        Format::Half => profile.denorm_preserve_f16,
        Format::Single => profile.denorm_preserve_f32,
        // Support for double precision includes its subnormal numbers (OpenCL C §7.2).
        Format::Double => !profile.has(Quirk::FlushedDoubles),
    }
}

/// A test for each usable device and function.
fn trials(recorder: &Arc<Recorder>) -> Result<Vec<Trial>, String> {
    let subjects: Vec<Arc<Subject>> = subject::all().into_iter().map(Arc::new).collect();
    let mut trials = vec![
        Trial::test("table", || table::check().map_err(Failed::from)),
        Trial::test("relaxed", || subject::check_relaxed().map_err(Failed::from)),
    ];
    for (index, info) in judges::devices().map_err(|error| error.to_string())? {
        let Some(profile) = info.profile() else { continue };
        let offered = FeatureSet::of(profile);
        let name = bench::short_name(info.name());
        let bench: Opened<Bench> = Arc::default();
        for subject in &subjects {
            let needed = match subject.format {
                Format::Half => Some(Feature::Fp16),
                Format::Single => None,
                Format::Double => Some(Feature::Fp64),
            };
            if needed.is_some_and(|feature| !offered.contains(feature)) {
                continue;
            }
            let (subject, bench, recorder) = (Arc::clone(subject), Arc::clone(&bench), Arc::clone(recorder));
            let (device, trial) = (table::device_key(profile), format!("{name}/{}", subject.label()));
            trials.push(Trial::test(trial, move || {
                let bench = bench.get_or_init(|| Bench::new(index, &Settings::default())).as_ref()?;
                let outcome = measure(bench, &subject)?;
                recorder.record(&device, &subject, &outcome);
                verdict(&subject, &outcome, known::reason(&device, &subject))
            }));
        }
    }
    Ok(trials)
}

fn verdict(subject: &Subject, outcome: &Outcome, known: Option<&str>) -> Result<(), Failed> {
    match (outcome.wrong, known) {
        (0, None) => Ok(()),
        (0, Some(_)) => {
            Err(format!("{} meets its bound: remove its line from known.txt", subject.label()).into())
        }
        (_, Some(_)) => Ok(()),
        (wrong, None) => {
            let calls = outcome.calls;
            Err(format!("{wrong} of {calls} results are wrong:\n  {}", outcome.examples.join("\n  ")).into())
        }
    }
}

/// The number of random calls of each function.
fn samples() -> usize {
    std::env::var("CLVK_PRECISION_SAMPLES").ok().and_then(|text| text.parse().ok()).unwrap_or(1000)
}

fn measure(bench: &Bench, subject: &Subject) -> Result<Outcome, Failed> {
    let calls = inputs::calls(subject, samples());
    let case = case(subject, &calls);
    let source = kernel::source(subject);
    let profile = bench.device.profile();
    let module = pipeline::compile("measure.cl", &source, &case.options, profile)?;
    judges::validate(&module, profile)?;
    let results: Vec<Vec<u8>> = bench.exclusively(|| {
        let prepared = Prepared::new(&bench.device, &case, module)?;
        prepared.run()?;
        let outputs = subject.params.len()..case.resources.len();
        Ok(outputs.map(|resource| prepared.read(resource)).collect::<Result<_, _>>()?)
    })?;
    if subject.precision == Precision::Free && subject.name.starts_with("native_") {
        return Ok(Outcome { calls: calls.len(), ..Outcome::default() });
    }
    Ok(judge::judge(subject, &calls, &results, may_flush(profile, subject.format)))
}

/// Work-items of a group: a size that every device supports.
const GROUP: usize = 64;

/// The launch that measures: inputs in buffers, with the last call repeated to fill the last group.
fn case(subject: &Subject, calls: &[Call]) -> Case {
    let mut case = Case::new(subject.label(), "measure.cl");
    case.options.push("-cl-std=CL3.0".to_owned());
    case.options.extend(subject.variant.option().map(str::to_owned));
    let count = calls.len().next_multiple_of(GROUP);
    let mut arguments = Vec::new();
    for (index, &slot) in subject.params.iter().enumerate() {
        let mut data = Vec::new();
        for call in (0..count).map(|call| &calls[call.min(calls.len() - 1)]) {
            for value in &call[index * subject.lanes..(index + 1) * subject.lanes] {
                write(subject.format, slot, *value, &mut data);
            }
        }
        let kind = ResourceKind::Buffer { record: vec![scalar_type(slot, subject.format)] };
        arguments.push(Argument::Resource(case.add(format!("a{index}"), kind, data)));
    }
    for (index, &(slot, by_lane)) in subject.results.iter().enumerate() {
        let lanes = if by_lane { subject.lanes } else { 1 };
        let kind = ResourceKind::Buffer { record: vec![scalar_type(slot, subject.format)] };
        let data = vec![UNWRITTEN; count * lanes * slot.size(subject.format)];
        arguments.push(Argument::Resource(case.add(format!("r{index}"), kind, data)));
    }
    case.launch("measure", [count], [GROUP], arguments);
    case
}

fn write(format: Format, slot: Slot, value: Value, data: &mut Vec<u8>) {
    match value {
        Value::Real(value) => format.write(value, data),
        Value::Int(value) => data.extend_from_slice(&value.to_le_bytes()[..slot.size(format)]),
    }
}

fn scalar_type(slot: Slot, format: Format) -> ScalarType {
    match (slot, format) {
        (Slot::Real, Format::Half) => ScalarType::F16,
        (Slot::Real, Format::Single) => ScalarType::F32,
        (Slot::Real, Format::Double) => ScalarType::F64,
        (Slot::Int, _) => ScalarType::I32,
        (Slot::Code, Format::Half) => ScalarType::U16,
        (Slot::Code, Format::Single) => ScalarType::U32,
        (Slot::Code, Format::Double) => ScalarType::U64,
    }
}
