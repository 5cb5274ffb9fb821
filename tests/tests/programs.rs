//! Every small program of `tests/programs` on every Vulkan device found: compiled, validated, run and
//! compared with what its header expects (`clvk_tests::program` describes the header).
//!
//! As in the execution tests, any message from spirv-val or the Khronos validation layer is a failure. A
//! program that a device cannot run counts as not applicable, unless the device's name contains the value of
//! `CLVK_TESTS_NO_SKIPS`.
//!
//! `CLVK_TESTS_WITHOUT` names features of the device profile, separated by commas, that the compiler must not
//! use, such as `buffer_device_address,int64`.
//!
//! With `CLVK_TESTS_TO_SPIRV` the programs are compiled to SPIR-V by another compiler, and read from that
//! (`clvk_tests::pipeline::TO_SPIRV`).
//!
//! Devices with buffer addresses run every program a second time without them (`DEVICE-descriptors/…`); only
//! programs that are refused because they need addresses do not apply there.

mod common;

use clvk::{Compiler, Error};
use clvk_interface::{AddressingMode, DeviceProfile};
use clvk_tests::applicable::not_applicable;
use clvk_tests::compare;
use clvk_tests::judge;
use clvk_tests::pipeline;
use clvk_tests::program::{self, FromSpirv, Program};
use clvk_tests::run::Prepared;
use libtest_mimic::{Arguments, Completion, Failed, Trial};
use std::process::ExitCode;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use vk_runtime::{Device, DeviceOptions, Instance, InstanceOptions, PrintHandler};

fn main() -> ExitCode {
    let arguments = Arguments::from_args();
    match trials() {
        Ok(trials) => libtest_mimic::run(&arguments, trials).exit_code(),
        Err(error) => {
            eprintln!("the program tests cannot run: {error}");
            ExitCode::FAILURE
        }
    }
}

/// A device with the validation layer on. Programs run on it one at a time, so that its messages belong to
/// one of them.
struct Bench {
    instance: Instance,
    device: Device,
    profile: DeviceProfile,
    running: Mutex<()>,
    printed: Arc<Mutex<Vec<u8>>>,
}

impl Bench {
    fn new(index: usize, descriptors: bool) -> Result<Bench, String> {
        let failed = |error: vk_runtime::Error| error.to_string();
        let instance = Instance::new(&InstanceOptions { validation: true, ..InstanceOptions::default() })
            .map_err(failed)?;
        let info = instance.devices().map_err(failed)?.swap_remove(index);
        let robust = std::env::var_os("CLVK_TESTS_ROBUST").is_some_and(|value| value == "1");
        let info = if robust { info.robust() } else { info };
        let printed: Arc<Mutex<Vec<u8>>> = Arc::default();
        let print_handler = {
            let printed = Arc::clone(&printed);
            PrintHandler::new(move |print| lock(&printed).extend_from_slice(print.text))
        };
        let options = DeviceOptions { print_handler, ..DeviceOptions::default() };
        let device = Device::new(&info, &options).map_err(failed)?;
        let without = std::env::var("CLVK_TESTS_WITHOUT").unwrap_or_default();
        let mut profile = judge::without(device.profile(), &without)?;
        profile.buffer_device_address &= !descriptors;
        Ok(Bench { instance, device, profile, running: Mutex::new(()), printed })
    }
}

/// A test for each usable device and program.
fn trials() -> Result<Vec<Trial>, String> {
    let programs: Vec<Arc<Program>> = program::all()?.into_iter().map(Arc::new).collect();
    let mut trials = Vec::new();
    for (index, info) in judge::devices().map_err(|error| error.to_string())? {
        let must_run = common::must_run_everything(info.name());
        let has_addresses =
            info.profile().is_some_and(|profile| profile.addressing() == AddressingMode::Physical);
        for descriptors in [false, true].into_iter().take(1 + usize::from(has_addresses)) {
            let bench: Arc<OnceLock<Result<Bench, String>>> = Arc::default();
            let mode = if descriptors { "-descriptors" } else { "" };
            for program in &programs {
                let name = format!("{}{mode}/{}", common::short_name(info.name()), program.name);
                let (program, bench) = (Arc::clone(program), Arc::clone(&bench));
                trials.push(Trial::ignorable_test(name, move || {
                    let bench = bench.get_or_init(|| Bench::new(index, descriptors)).as_ref()?;
                    run_program(bench, &program, must_run)
                }));
            }
        }
    }
    Ok(trials)
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The differences between the lines that a program printed and the expected ones.
fn wrong_lines(printed: &[u8], expected: &[String]) -> Option<String> {
    let text = String::from_utf8_lossy(printed);
    let mut lines: Vec<&str> = text.lines().map(str::trim_end).collect();
    let mut expected: Vec<&str> = expected.iter().map(String::as_str).collect();
    lines.sort_unstable();
    expected.sort_unstable();
    (lines != expected).then(|| format!("it printed {lines:#?}, not {expected:#?}"))
}

fn run_program(bench: &Bench, program: &Program, must_run: bool) -> Result<Completion, Failed> {
    let skip = |reason: String| {
        Ok(Completion::ignored_with(not_applicable(&program.name, bench.device.info().name(), &reason)))
    };
    let case = &program.case;
    let compiler = |profile| Compiler::new(profile).with_robustness(bench.device.info().is_robust());
    let offered = compiler(&bench.profile).features();
    if let Some(&missing) = program.needs.iter().find(|feature| !offered.contains(**feature)) {
        return skip(format!("it needs {}", missing.name()));
    }
    if let Some(reason) = common::too_large_group(case, &bench.profile).filter(|_| !must_run) {
        return skip(reason);
    }
    let mut profile = bench.profile.clone();
    profile.quirks.extend(program.quirks.iter().filter(|quirk| !bench.profile.has(**quirk)));
    let headers: Vec<(&str, &str)> =
        program.headers.iter().map(|(name, text)| (name.as_str(), text.as_str())).collect();
    let compiled = pipeline::compile_with_includes(
        &program.file,
        &program.text,
        &case.options,
        &headers,
        compiler(&profile),
    );
    if let Err(Error::File { problem, .. }) = &compiled {
        return skip(format!("the other compiler refuses it: {problem}"));
    }
    let (through_spirv, by_clang) = pipeline::through_spirv();
    let refused = match &program.spirv {
        Some(FromSpirv::Differs(reason)) if by_clang => return skip(reason.clone()),
        // The reader refuses it, unless our own compiler writes what is easier to read.
        Some(FromSpirv::Refused(text)) if by_clang || through_spirv && compiled.is_err() => Some(text),
        _ if by_clang && program.refused.is_some() => {
            return skip("it is about messages of our front end".to_owned());
        }
        _ => program.refused.as_ref(),
    };
    if let Some(text) = refused {
        return match compiled {
            Err(error) if pipeline::messages(&error).contains(text) => Ok(Completion::Completed),
            Err(error) => Err(format!("it is refused, but not with `{text}`: {error}").into()),
            Ok(_) => Err("it compiles, and must be refused".into()),
        };
    }
    let module = match compiled {
        Ok(module) => module,
        Err(error @ Error::Unsupported { .. }) if !must_run => return skip(pipeline::messages(&error)),
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
    lock(&bench.printed).clear();
    let mut prepared = Prepared::new(&bench.device, case, module)?;
    prepared.run()?;
    prepared.end();
    let mut wrong = Vec::new();
    for output in &case.outputs {
        let result = prepared.read(output.resource.0)?;
        wrong.extend(compare::verify(case, output, &result).err().map(|mismatch| mismatch.to_string()));
    }
    wrong.extend(wrong_lines(&lock(&bench.printed), &program.prints));
    drop(prepared);
    judge::no_messages(&bench.instance)?;
    drop(running);
    if wrong.is_empty() { Ok(Completion::Completed) } else { Err(wrong.join("\n").into()) }
}
