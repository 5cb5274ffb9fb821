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

use clvk::Error;
use clvk_tests::bench::{self, Bench, Ended, Mode, Opened, Settings, lock};
use clvk_tests::program::{self, FromSpirv, Program};
use clvk_tests::{judge, pipeline};
use libtest_mimic::{Arguments, Trial};
use std::process::ExitCode;
use std::sync::{Arc, Mutex};
use vk_runtime::{DeviceOptions, PrintHandler};

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

/// A device, and what programs have printed there.
struct Printer {
    bench: Bench,
    printed: Arc<Mutex<Vec<u8>>>,
}

impl Printer {
    fn new(mode: &Mode) -> Result<Printer, String> {
        let printed: Arc<Mutex<Vec<u8>>> = Arc::default();
        let receiver = Arc::clone(&printed);
        let print_handler = PrintHandler::new(move |print| lock(&receiver).extend_from_slice(print.text));
        let options = DeviceOptions { print_handler, ..DeviceOptions::default() };
        Ok(Printer { bench: Bench::new(mode.index, &Settings::of_environment(mode, options))?, printed })
    }
}

/// A test for each usable device, mode and program.
fn trials() -> Result<Vec<Trial>, String> {
    let programs: Vec<Arc<Program>> = program::all()?.into_iter().map(Arc::new).collect();
    let mut trials = Vec::new();
    for mode in bench::modes()? {
        let printer: Opened<Printer> = Arc::default();
        for program in &programs {
            let (program, printer, mode) = (Arc::clone(program), Arc::clone(&printer), mode.clone());
            trials.push(Trial::ignorable_test(format!("{}/{}", mode.name, program.name), move || {
                let printer = printer.get_or_init(|| Printer::new(&mode)).as_ref()?;
                let done = run(printer, &program, mode.must_run);
                printer.bench.completion(&program.name, done)
            }));
        }
    }
    Ok(trials)
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

/// What the compiler's refusal must contain, if it must refuse the program.
fn refusal(program: &Program, is_refused: bool) -> Result<Option<&str>, Ended> {
    let (through_spirv, by_clang) = pipeline::through_spirv();
    match &program.spirv {
        Some(FromSpirv::Differs(reason)) if by_clang => Err(Ended::NotApplicable(reason.clone())),
        // Another version of clang, or our own compiler, may write what can be read.
        Some(FromSpirv::Refused(text)) if through_spirv && is_refused => Ok(Some(text)),
        _ if by_clang && program.refused.is_some() => {
            Err(Ended::NotApplicable("it is about messages of our front end".to_owned()))
        }
        _ => Ok(program.refused.as_deref()),
    }
}

fn run(printer: &Printer, program: &Program, must_run: bool) -> Result<(), Ended> {
    let Printer { bench, printed } = printer;
    let mut profile = bench.profile.clone();
    profile.quirks.extend(program.quirks.iter().filter(|quirk| !bench.profile.has(**quirk)));
    let missing = program.preferences.iter().filter(|preference| !bench.profile.prefers(**preference));
    profile.preferences.extend(missing);
    let compiler = bench.compiler_for(&profile);
    bench.applies(program, &compiler, must_run)?;
    let compiled = pipeline::compile_program(program, compiler);
    if let Err(Error::File { problem, .. }) = &compiled {
        return Err(Ended::NotApplicable(format!("the other compiler refuses it: {problem}")));
    }
    if let Some(text) = refusal(program, compiled.is_err())? {
        return match compiled {
            Err(error) if pipeline::messages(&error).contains(text) => Ok(()),
            Err(error) => Err(Ended::Failed(format!("it is refused, but not with `{text}`: {error}"))),
            Ok(_) => Err(Ended::Failed("it compiles, and must be refused".to_owned())),
        };
    }
    let module = compiled.map_err(|error| bench.refusal(&error, must_run))?;
    judge::validate(&module, &bench.profile)?;
    bench.exclusively(|| {
        lock(printed).clear();
        let mut wrong = bench.run(&program.case, module, false)?;
        wrong.extend(wrong_lines(&lock(printed), &program.prints));
        bench::none(&wrong)
    })
}
