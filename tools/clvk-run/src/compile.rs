//! `clvk-run compile`.

use crate::cli::{CompileCommand, Emit};
use crate::console;
use crate::failure::{Failure, Result, Status};
use crate::profiles;
use crate::program::Source;
use clvk::Compiler;
use clvk::ir::Module;
use rspirv::binary::Disassemble;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// Runs the command.
pub fn compile(command: &CompileCommand, build_options: &[String]) -> Result<ExitCode> {
    let profile = profiles::one(&command.profile)?;
    check_passes(&command.dump_after)?;
    check_output(command)?;
    let source = Source::read(&command.file, build_options)?;
    // The command does what it says each time: it is also what measures and tests the compiler.
    let compiler = Compiler::new(&profile).with_cache(None).judging_kernels();
    let compiler = source.compiler(compiler).with_kernels(&command.kernel);
    let object = source.object(&compiler)?;
    if command.emit == Emit::Ir {
        write(command, object.module().to_string().as_bytes())?;
        if command.dump_after.is_empty() {
            return Ok(ExitCode::SUCCESS);
        }
    }
    let wanted = |pass: &str| command.dump_after.iter().any(|name| name == pass || name == "all");
    let dump = |pass: &'static str, module: &Module| {
        if wanted(pass) {
            console::tell(format!("; after {pass}\n{module}\n"));
        }
    };
    let program = match command.dump_after.as_slice() {
        [] => compiler.translate(&object)?,
        _ => compiler.translate_watched(&object, dump)?,
    };
    let wants_spirv = command.emit == Emit::Asm || command.emit == Emit::Spirv && command.output.is_some();
    if wants_spirv && program.kernels().is_empty() {
        let message = format!(
            "`{}` compiles, but has no kernels: there is no SPIR-V for Vulkan to write (`--emit ir` shows its functions)",
            command.file.display()
        );
        return Err(Failure::new(Status::Source, message));
    }
    console::tell_messages(program.translation_warnings());
    let interface = program.interface_json();
    match command.emit {
        Emit::Ir => {}
        Emit::Interface => write(command, interface.as_bytes())?,
        Emit::Asm => write(command, disassemble(program.spirv()).as_bytes())?,
        // Only the passes were asked for.
        Emit::Spirv if command.output.is_none() => {}
        Emit::Spirv => {
            write(command, &program.spirv_bytes())?;
            if let Some(path) = output(command) {
                write_file(&beside(path), interface.as_bytes())?;
            }
        }
    }
    Ok(ExitCode::SUCCESS)
}

fn check_passes(names: &[String]) -> Result<()> {
    let known: Vec<&str> = clvk::pass_names().collect();
    match names.iter().find(|name| *name != "all" && !known.contains(&name.as_str())) {
        Some(name) => {
            Err(Failure::usage(format!("there is no pass `{name}`; the passes are {}", known.join(", "))))
        }
        None => Ok(()),
    }
}

fn disassemble(words: &[u32]) -> String {
    rspirv::dr::load_words(words).expect("what was emitted is well-formed").disassemble() + "\n"
}

fn output(command: &CompileCommand) -> Option<&Path> {
    command.output.as_deref().filter(|path| *path != Path::new("-"))
}

/// Where the interface of a SPIR-V file goes.
fn beside(path: &Path) -> PathBuf {
    path.with_extension("json")
}

fn check_output(command: &CompileCommand) -> Result<()> {
    if command.emit != Emit::Spirv {
        return Ok(());
    }
    if command.output.is_none() && command.dump_after.is_empty() {
        return Err(Failure::usage(
            "SPIR-V is binary: name a file with `-o OUT.spv` (`-o -` is the standard output)",
        ));
    }
    let is_json = |path: &Path| path.extension().is_some_and(|extension| extension == "json");
    match output(command).filter(|path| is_json(path)) {
        Some(path) => Err(Failure::usage(format!(
            "`{}` is where the interface goes; let the name of the SPIR-V end in `.spv`",
            path.display()
        ))),
        None => Ok(()),
    }
}

fn write(command: &CompileCommand, bytes: &[u8]) -> Result<()> {
    match output(command) {
        Some(path) => write_file(path, bytes),
        None => console::write(bytes),
    }
}

fn write_file(path: &Path, bytes: &[u8]) -> Result<()> {
    std::fs::write(path, bytes)
        .map_err(|error| Failure::usage(format!("cannot write `{}`: {error}", path.display())))
}
