//! Every kernel and every small program, compiled to machine code for AMD's GPUs by Mesa's RADV, which needs
//! no GPU for that: its null device. Nothing runs; what these tests find is SPIR-V that a driver's compiler
//! refuses, crashes on or does not finish.
//!
//! Each pipeline of each launch is compiled, with the profile that the driver reports for the GPU. A program
//! that needs what the GPU lacks counts as not applicable. Where RADV is not installed, or has no null device
//! (as from Mesa 26 on), no test applies.
//!
//! The driver reads the name of the GPU from the environment, so each GPU has a process of its own, which is
//! started again after a crash.

use clvk::{Compiler, Error};
use clvk_interface::{ArgumentKind, ModuleInterface};
use clvk_tests::applicable::not_applicable;
use clvk_tests::case::{Argument, Case, Size};
use clvk_tests::program::{self, Program};
use clvk_tests::run::launch_config;
use clvk_tests::{cases, judge, pipeline};
use libtest_mimic::{Arguments, Completion, Failed, Trial};
use serde::{Deserialize, Serialize};
use std::collections::HashMap;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::sync::{Arc, OnceLock};
use std::time::Duration;
use vk_runtime::{CompiledPipeline, Instance, InstanceOptions, LaunchConfig, PipelineCompiler};

/// The GPUs: GCN 3 of 2016, without native half precision in pairs; GCN 5; RDNA 2, with sub-groups of 32.
const FAMILIES: [&str; 3] = ["polaris10", "vega10", "navi21"];

/// How long the driver may take for the pipelines of a program.
const PATIENCE: Duration = Duration::from_secs(60);

/// Of modules with less than these words the driver's code is asked for, too.
const MOST_SHOWN: usize = 1200;

/// In a process that compiles: how many programs to skip, because earlier processes have compiled them.
const SKIP: &str = "CLVK_TESTS_NULL_DEVICE_SKIP";

fn main() -> ExitCode {
    if let Some(skip) = std::env::var(SKIP).ok().and_then(|skip| skip.parse().ok()) {
        return compile_all(skip);
    }
    let arguments = Arguments::from_args();
    match trials() {
        Ok(trials) => libtest_mimic::run(&arguments, trials).exit_code(),
        Err(error) => {
            eprintln!("the tests of drivers without hardware cannot run: {error}");
            ExitCode::FAILURE
        }
    }
}

/// What is compiled: a kernel of `tests/kernels` or a program of `tests/programs`.
struct Subject {
    name: String,
    load: Box<dyn Fn() -> Result<Program, String> + Send>,
}

/// Everything, in an order that is the same in all processes.
fn subjects() -> Result<Vec<Subject>, String> {
    let kernels = cases::ALL.iter().chain(cases::CXX).chain(cases::MATH).map(|definition| Subject {
        name: format!("kernels/{}", definition.name),
        load: Box::new(|| program_of((definition.build)(Size::Small))),
    });
    let programs = program::all()?.into_iter().filter(|program| program.refused.is_none()).map(|program| {
        Subject { name: format!("programs/{}", program.name), load: Box::new(move || Ok(program.clone())) }
    });
    Ok(kernels.chain(programs).collect())
}

/// A kernel's case as a program.
fn program_of(case: Case) -> Result<Program, String> {
    let path = case.source_path();
    let text = std::fs::read_to_string(&path).map_err(|error| format!("{}: {error}", path.display()))?;
    Ok(Program {
        name: case.name.clone(),
        file: case.source.clone(),
        text,
        headers: Arc::new([]),
        case,
        needs: Vec::new(),
        quirks: Vec::new(),
        preferences: Vec::new(),
        spirv: None,
        refused: None,
        prints: Vec::new(),
    })
}

/// What became of a subject.
#[derive(Clone, Debug, Serialize, Deserialize)]
enum Outcome {
    /// This many pipelines compiled.
    Compiled(usize),
    /// The GPU lacks something.
    NotApplicable(String),
    /// Something is wrong.
    Failed(String),
}

/// What a process that compiles says, a line of JSON each.
#[derive(Debug, Serialize, Deserialize)]
enum Line {
    /// The device that it has found.
    Device(String),
    /// Its performance counters: their names and units.
    Counters(Vec<(String, String)>),
    /// Why there is no device, and nothing to compile for.
    NoDevice(String),
    /// The number of the subject that comes next.
    Next(usize),
    /// What became of it.
    Done(Outcome),
}

/// What became of all subjects of a GPU.
#[derive(Default)]
struct Results {
    device: String,
    counters: Vec<(String, String)>,
    /// Why there is no such GPU.
    missing: Option<String>,
    outcomes: HashMap<String, Outcome>,
}

fn trials() -> Result<Vec<Trial>, String> {
    let names: Arc<[String]> = subjects()?.into_iter().map(|subject| subject.name).collect();
    let manifest = manifest();
    let mut trials = Vec::new();
    for family in FAMILIES {
        let Some(manifest) = &manifest else {
            trials.push(Trial::ignorable_test(format!("radv-{family}"), move || {
                let reason = "Mesa's RADV is not installed";
                Ok(Completion::ignored_with(not_applicable("null_devices", family, reason)))
            }));
            continue;
        };
        let results: Arc<OnceLock<Result<Results, String>>> = Arc::default();
        let (of_counters, all, file) = (Arc::clone(&results), Arc::clone(&names), manifest.clone());
        trials.push(Trial::ignorable_test(format!("radv-{family}/counters"), move || {
            let results = of_counters.get_or_init(|| compile_in_processes(family, &file, &all));
            judge_counters(results, family)
        }));
        for name in names.iter() {
            let (results, names) = (Arc::clone(&results), Arc::clone(&names));
            let (name, manifest) = (name.clone(), manifest.clone());
            trials.push(Trial::ignorable_test(format!("radv-{family}/{name}"), move || {
                judge(results.get_or_init(|| compile_in_processes(family, &manifest, &names)), family, &name)
            }));
        }
    }
    Ok(trials)
}

fn judge(results: &Result<Results, String>, family: &str, name: &str) -> Result<Completion, Failed> {
    let skip = |device: &str, reason: &str| Completion::ignored_with(not_applicable(name, device, reason));
    let results = results.as_ref()?;
    if let Some(reason) = &results.missing {
        return Ok(skip(family, reason));
    }
    match results.outcomes.get(name) {
        Some(Outcome::Compiled(0)) => Err("it has no pipelines".into()),
        Some(Outcome::Compiled(_)) => Ok(Completion::Completed),
        Some(Outcome::NotApplicable(reason)) => Ok(skip(&results.device, reason)),
        Some(Outcome::Failed(message)) => Err(message.clone().into()),
        None => Err("the process that compiles did not reach it".into()),
    }
}

/// RADV has performance counters for RDNA 2 alone, and lists them without a GPU, too.
fn judge_counters(results: &Result<Results, String>, family: &str) -> Result<Completion, Failed> {
    let results = results.as_ref()?;
    if let Some(reason) = &results.missing {
        return Ok(Completion::ignored_with(not_applicable("counters", family, reason)));
    }
    let counters = &results.counters;
    let has =
        |name: &str, unit: &str| counters.iter().any(|it| (it.0.as_str(), it.1.as_str()) == (name, unit));
    match family {
        "navi21" if has("GPU active cycles", "cycles") => Ok(Completion::Completed),
        "navi21" => Err(format!("its counters are {counters:?}").into()),
        _ if counters.is_empty() => Ok(Completion::Completed),
        _ => Err(format!("it has counters: {counters:?}").into()),
    }
}

/// The manifest of the installed RADV.
fn manifest() -> Option<PathBuf> {
    let folders = ["/usr/share/vulkan/icd.d", "/usr/local/share/vulkan/icd.d", "/etc/vulkan/icd.d"];
    let files = folders.iter().filter_map(|folder| std::fs::read_dir(folder).ok()).flatten().flatten();
    let mut found: Vec<PathBuf> = files.map(|file| file.path()).filter(|path| is_radv(path)).collect();
    found.sort();
    found.into_iter().next()
}

fn is_radv(path: &Path) -> bool {
    let name = path.file_name().and_then(std::ffi::OsStr::to_str).unwrap_or_default();
    name.starts_with("radeon_icd") && name.contains(std::env::consts::ARCH) && name.ends_with(".json")
}

/// Compiles everything for a GPU.
fn compile_in_processes(family: &str, manifest: &Path, names: &[String]) -> Result<Results, String> {
    let mut results = Results::default();
    let mut first = 0;
    while first < names.len() && results.missing.is_none() {
        let last = compile_in_process(family, manifest, names, first, &mut results)?;
        first = last + 1;
    }
    Ok(results)
}

/// Compiles in one process, from the subject `first` on; returns the last one that it has come to.
fn compile_in_process(
    family: &str,
    manifest: &Path,
    names: &[String],
    first: usize,
    results: &mut Results,
) -> Result<usize, String> {
    let failed = |error: std::io::Error| error.to_string();
    let mut child = Command::new(std::env::current_exe().map_err(failed)?)
        .env(SKIP, first.to_string())
        .env("RADV_FORCE_FAMILY", family)
        .env("VK_DRIVER_FILES", manifest)
        .env("VK_ICD_FILENAMES", manifest)
        .env("MESA_SHADER_CACHE_DISABLE", "1")
        .stdout(Stdio::piped())
        .spawn()
        .map_err(failed)?;
    let output = child.stdout.take().expect("it was asked for");
    let (sender, lines) = mpsc::channel();
    std::thread::spawn(move || {
        for line in BufReader::new(output).lines().map_while(Result::ok) {
            let _ = sender.send(line);
        }
    });
    let mut current = first;
    let why = loop {
        let line = match lines.recv_timeout(PATIENCE) {
            Ok(line) => line,
            Err(RecvTimeoutError::Timeout) => {
                child.kill().map_err(failed)?;
                break format!("the driver did not finish within {} s", PATIENCE.as_secs());
            }
            Err(RecvTimeoutError::Disconnected) => break String::new(),
        };
        match serde_json::from_str(&line) {
            Ok(Line::Device(name)) => results.device = name,
            Ok(Line::Counters(counters)) => results.counters = counters,
            Ok(Line::NoDevice(reason)) => results.missing = Some(reason),
            Ok(Line::Next(index)) => current = index,
            Ok(Line::Done(outcome)) => drop(results.outcomes.insert(names[current].clone(), outcome)),
            // What the driver says.
            Err(_) => println!("{line}"),
        }
    };
    let status = child.wait().map_err(failed)?;
    if !status.success() {
        let why = if why.is_empty() { format!("the driver crashed: {status}") } else { why };
        results.outcomes.entry(names[current].clone()).or_insert(Outcome::Failed(why));
        return Ok(current);
    }
    Ok(names.len())
}

/// In a process of its own: compiles everything for the GPU that the environment names.
fn compile_all(skip: usize) -> ExitCode {
    let say = |line: &Line| {
        let text = serde_json::to_string(line).expect("it is plain data");
        let mut output = std::io::stdout().lock();
        // Whoever reads may be gone.
        let _ = writeln!(output, "{text}").and_then(|()| output.flush());
    };
    let subjects = match subjects() {
        Ok(subjects) => subjects,
        Err(error) => {
            eprintln!("{error}");
            return ExitCode::FAILURE;
        }
    };
    let compiler = match null_device() {
        Ok(compiler) => compiler,
        Err(reason) => {
            say(&Line::NoDevice(reason));
            return ExitCode::SUCCESS;
        }
    };
    say(&Line::Device(compiler.info().name().to_owned()));
    let counters = compiler.info().performance_counters().unwrap_or_default();
    say(&Line::Counters(counters.into_iter().map(|it| (it.name, it.unit.to_owned())).collect()));
    for (index, subject) in subjects.iter().enumerate().skip(skip) {
        say(&Line::Next(index));
        say(&Line::Done(
            (subject.load)().map_or_else(Outcome::Failed, |program| compile(&compiler, &program)),
        ));
    }
    ExitCode::SUCCESS
}

fn null_device() -> Result<PipelineCompiler, String> {
    let failed = |error: vk_runtime::Error| error.to_string();
    let info =
        Instance::new(&InstanceOptions::default()).and_then(|it| it.default_device()).map_err(failed)?;
    if info.memory() != Some(0) {
        return Err(format!("`{info}` is not a device without hardware"));
    }
    PipelineCompiler::new(&info).map_err(failed)
}

/// Whether the driver's code is there, which ends with `s_endpgm` on all of AMD's GPUs.
fn shows_machine_code(pipeline: &CompiledPipeline) -> bool {
    let mut codes = pipeline.executables.iter().flat_map(|executable| &executable.representations);
    codes.any(|code| code.is_text && String::from_utf8_lossy(&code.data).contains("s_endpgm"))
}

fn compile(compiler: &PipelineCompiler, program: &Program) -> Outcome {
    let mut profile = compiler.profile().clone();
    let offered = Compiler::new(&profile).features();
    if let Some(&missing) = program.needs.iter().find(|feature| !offered.contains(**feature)) {
        return Outcome::NotApplicable(format!("it needs {}", missing.name()));
    }
    profile.quirks.extend(program.quirks.iter().filter(|quirk| !compiler.profile().has(**quirk)));
    let headers: Vec<(&str, &str)> =
        program.headers.iter().map(|(name, text)| (name.as_str(), text.as_str())).collect();
    let (name, options) = (program.file.clone(), &program.case.options);
    let module = match pipeline::compile_with_includes(&name, &program.text, options, &headers, &profile) {
        Ok(module) => module,
        Err(error @ Error::Unsupported { .. }) => return Outcome::NotApplicable(pipeline::messages(&error)),
        Err(error) => return Outcome::Failed(pipeline::messages(&error)),
    };
    let compiled = judge::validate(&module, &profile).and_then(|()| {
        let shows_code = module.spirv.len() < MOST_SHOWN;
        let module = compiler.load(module).map_err(|error| error.to_string())?;
        let module = if shows_code { module.with_code() } else { module };
        let mut pipelines = 0;
        for (kernel, config, locals) in launches(program, module.interface()) {
            let compiled = module.compile(kernel, &config, &locals);
            let compiled = compiled.map_err(|error| format!("kernel `{kernel}`: {error}"))?;
            let told = |pipeline: &CompiledPipeline| {
                let cost = pipeline.cost();
                cost.registers.is_some() && cost.instructions.is_some_and(|count| count > 0)
            };
            if shows_code && !compiled.iter().all(shows_machine_code) {
                return Err(format!("kernel `{kernel}`: RADV does not show its code"));
            }
            if !compiled.iter().all(told) {
                return Err(format!("kernel `{kernel}`: RADV's statistics are not understood: {compiled:?}"));
            }
            pipelines += compiled.len();
        }
        Ok(pipelines)
    });
    compiled.map_or_else(Outcome::Failed, Outcome::Compiled)
}

/// The kernels that a program launches, with sizes of the launches and of local arguments in bytes. Blocks,
/// which only kernels launch, get a size of our own.
fn launches<'a>(
    program: &'a Program,
    interface: &'a ModuleInterface,
) -> impl Iterator<Item = (&'a str, LaunchConfig, Vec<u64>)> {
    let given = program.case.launches.iter().map(|launch| {
        let locals = launch.arguments.iter().filter_map(|argument| match argument {
            Argument::Local(bytes) => Some(*bytes as u64),
            _ => None,
        });
        (launch.kernel.as_str(), launch_config(launch), locals.collect())
    });
    let blocks = interface.kernels.iter().filter(|kernel| kernel.is_block).map(|block| {
        let is_local =
            |argument: &&clvk_interface::Argument| matches!(argument.kind, ArgumentKind::Local { .. });
        let locals = block.arguments.iter().filter(is_local).map(|_| 256);
        (block.name.as_str(), LaunchConfig::linear(64), locals.collect())
    });
    given.chain(blocks)
}
