//! `clvk-run clspv-compat`: takes the options of clspv and writes SPIR-V for its hosts. A program that is
//! called `clspv` does the same, so a link of that name replaces clspv.
//!
//! `options` is the table of clspv's options; `settings` what they say. Messages and exit codes are clspv's:
//! 1 for the command line, 255 for everything else.

mod options;
mod settings;

use crate::cli::ClspvCommand;
use crate::console;
use crate::failure::{Failure, Result, Status};
use crate::file;
use clvk::{BuildOptions, ClspvProgram, Compiler, ErrorLimit, Form, Object, ObjectKind};
pub use options::help;
use settings::{OutputFormat, Settings};
use std::path::Path;
use std::process::ExitCode;

/// What the command is for.
pub const HELP: &str = "\
Hosts of clspv (clvk by kpet, ANGLE, applications for Android) learn how to launch a kernel
from instructions in the SPIR-V (`NonSemantic.ClspvReflection`). `--help` lists the options;
one that cannot be honoured is refused by name. A link to clvk-run that is called `clspv`
does the same as this command.

Exit codes: 0 written, 1 a wrong option, 255 anything else, as of clspv.

Examples:
  clvk-run clspv-compat blur.cl -o blur.spv
  clvk-run clspv-compat blur.cl -cl-std=CL3.0 -spv-version=1.3 -descriptormap=blur.csv
  ln -s \"$(command -v clvk-run)\" clspv && ./clspv blur.cl -o blur.spv";

/// The name under which the program is clspv.
const NAME: &str = "clspv";

/// What clspv's exit code says after anything but a wrong option.
const FAILED: u8 = 255;

/// The arguments of clspv, if the program was called by its name, or with its command. They are not split as
/// those of other commands.
pub fn arguments(all: &[String]) -> Option<&[String]> {
    let called = all.first().and_then(|name| Path::new(name).file_stem());
    if called.is_some_and(|name| name == NAME) {
        return Some(&all[1..]);
    }
    (all.get(1).map(String::as_str) == Some("clspv-compat")).then(|| &all[2..])
}

/// Runs the command, if clap read it.
pub fn clspv(command: &ClspvCommand) -> Result<ExitCode> {
    Ok(run(&command.arguments))
}

/// Does what clspv does.
pub fn run(arguments: &[String]) -> ExitCode {
    let asks = |names: &[&str]| arguments.iter().any(|it| names.contains(&it.as_str()));
    if asks(&["--help", "-help", "-h"]) {
        return report(console::print(help()));
    }
    if asks(&["--version", "-version"]) {
        return report(console::print(concat!("clvk ", env!("CARGO_PKG_VERSION"), ", as clspv")));
    }
    match Settings::read(arguments) {
        Ok(settings) => report(compile(&settings)),
        Err(problem) => {
            console::tell(format!("{NAME}: {problem}\n"));
            ExitCode::from(1)
        }
    }
}

fn report(result: Result<()>) -> ExitCode {
    let Err(failure) = result else { return ExitCode::SUCCESS };
    console::tell(failure.plain());
    ExitCode::from(FAILED)
}

fn compile(settings: &Settings) -> Result<()> {
    let options = BuildOptions::from_arguments(settings.build.iter().cloned())?;
    let compiler = Compiler::for_clspv(&settings.profile).with_cache(None).with_build_options(options);
    let features = settings.features(compiler.features());
    let compiler = compiler.with_features(features);
    let object = object(settings, &compiler)?;
    let warnings = object.warnings();
    console::tell(warnings.render(Form::Short, ErrorLimit::default()));
    if settings.format == OutputFormat::Object {
        return file::write_bytes(Path::new(settings.output()), &object.to_bytes(&settings.build.join(" ")));
    }
    let program = compiler.translate_for_clspv(&object, &settings.launch)?;
    if program.spirv.is_empty() {
        let message = "the program has no kernels, so there is no SPIR-V for Vulkan to write";
        return Err(Failure::new(Status::Source, message));
    }
    file::write_bytes(Path::new(settings.output()), &bytes(&program, settings.format))?;
    match &settings.descriptor_map {
        Some(path) => file::write_bytes(Path::new(path), program.reflection.descriptor_map().as_bytes()),
        None => Ok(()),
    }
}

/// The program that all inputs are.
fn object(settings: &Settings, compiler: &Compiler) -> Result<Object> {
    let part = settings.inputs.len() > 1 || settings.format == OutputFormat::Object;
    let kind = if part { ObjectKind::Compiled } else { ObjectKind::Executable };
    let mut objects = Vec::new();
    for input in &settings.inputs {
        objects.push(match stored(input, settings.takes_objects)? {
            Some(object) => object,
            None => {
                let (name, file) = file::source(Path::new(input));
                compiler.object(kind, &name.display().to_string(), &clvk::read_source(file)?)?
            }
        });
    }
    match objects.len() {
        1 if kind == objects[0].kind() => Ok(objects.remove(0)),
        _ => {
            let kind = match settings.format {
                OutputFormat::Object => ObjectKind::Library,
                _ => ObjectKind::Executable,
            };
            Ok(Object::link(kind, &objects)?)
        }
    }
}

/// The most bytes of a stored object.
const LARGEST_OBJECT: u64 = 1 << 30;

/// The object that a file holds, if it is one of ours.
fn stored(input: &str, must_be: bool) -> Result<Option<Object>> {
    if !must_be {
        return Ok(None);
    }
    let problem = |what: &dyn std::fmt::Display| Failure::usage(format!("`{input}`: {what}"));
    let bytes = file::read_bytes(Path::new(input), LARGEST_OBJECT)?;
    match Object::from_bytes(&bytes) {
        Ok((object, _)) => Ok(Some(object)),
        Err(_) => Err(problem(
            &"`-x ir` takes what this program wrote with `--output-format=bc`, not LLVM's representation; compile from source",
        )),
    }
}

fn bytes(program: &ClspvProgram, format: OutputFormat) -> Vec<u8> {
    match format {
        OutputFormat::C => {
            let words: Vec<String> = program.spirv.iter().map(u32::to_string).collect();
            format!("{{{}}}\n", words.join(", ")).into_bytes()
        }
        _ => program.spirv.iter().flat_map(|word| word.to_le_bytes()).collect(),
    }
}
