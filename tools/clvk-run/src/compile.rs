//! `clvk-run compile`.

use crate::cli::{CompileCommand, DEFAULT_PROFILE};
use crate::console;
use crate::failure::{Failure, Result, Status};
use crate::profiles;
use crate::program::{Source, check_kernel};
use crate::shaders;
use crate::similar::did_you_mean;
use clap::ValueEnum;
use clvk::interface::Quirk;
use clvk::ir::Module;
use clvk::{Compiler, Object};
use rspirv::binary::Disassemble;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// What `compile` writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Emit {
    /// SPIR-V words.
    Spirv,
    /// SPIR-V disassembled.
    Asm,
    /// The source with macros expanded and headers included.
    Preprocessed,
    /// The intermediate representation, as the front end makes it.
    Ir,
    /// How to launch the kernels, as JSON.
    Interface,
    /// WebGPU's language.
    Wgsl,
    /// Metal's language.
    Msl,
    /// Direct3D's language, for shader model 6.
    Hlsl,
    /// OpenGL's language, version 4.50, for one kernel.
    Glsl,
    /// SPIR-V for other drivers of OpenCL.
    OpenclSpirv,
    /// The same disassembled.
    OpenclAsm,
}

/// Runs the command.
pub fn compile(command: &CompileCommand, build_options: &[String]) -> Result<ExitCode> {
    let mut profile = profiles::one(&command.profile)?;
    if !command.shader_features.is_empty() {
        profile = profile.with_shader_features(&command.shader_features);
    }
    let language = shaders::language(command.emit);
    let for_opencl = matches!(command.emit, Emit::OpenclSpirv | Emit::OpenclAsm);
    if language.is_none() {
        match for_opencl {
            true => check_passes(&command.dump_after, clvk::opencl_pass_names())?,
            false => check_passes(&command.dump_after, clvk::pass_names())?,
        }
        let given = [
            ("--set", command.set.is_empty()),
            ("--texel-format", command.texel_format.is_empty()),
            ("--shader-features", command.shader_features.is_empty()),
        ];
        if let Some((option, _)) = given.iter().find(|(_, absent)| !absent) {
            let message = format!("`{option}` is for `--emit wgsl`, `msl`, `hlsl` and `glsl`");
            return Err(Failure::usage(message));
        }
    }
    if !for_opencl && !command.avoid.is_empty() {
        return Err(Failure::usage("`--avoid` is for `--emit opencl-spirv` and `opencl-asm`"));
    }
    if command.part && (command.emit != Emit::Ir || !command.dump_after.is_empty()) {
        let message = "`--part` is for `--emit ir` alone: only whole programs are translated";
        return Err(Failure::usage(message));
    }
    check_output(command)?;
    let source = Source::read(&command.file, build_options)?;
    // The command does what it says each time: it is also what measures and tests the compiler.
    let compiler = Compiler::new(&profile).with_cache(None).judging_kernels();
    let mut compiler = source.compiler(compiler).with_kernels(&command.kernel);
    compiler = compiler.avoiding_for_opencl(&command.avoid);
    if for_opencl && command.profile == DEFAULT_PROFILE {
        // Nobody said which device.
        compiler = compiler.with_opencl_features();
    }
    if command.emit == Emit::Preprocessed {
        write(command, source.preprocessed(&compiler)?.as_bytes())?;
        return Ok(ExitCode::SUCCESS);
    }
    let object = if command.part { source.part(&compiler)? } else { source.object(&compiler)? };
    let kernels: Vec<&str> = object.kernel_names().collect();
    command
        .kernel
        .iter()
        .filter(|_| !kernels.is_empty())
        .try_for_each(|name| check_kernel(name, &kernels))?;
    if let Some(language) = language {
        shaders::emit(command, language, &compiler, &object)?;
        return Ok(ExitCode::SUCCESS);
    }
    if for_opencl {
        return emit_opencl(command, &compiler, &object);
    }
    if command.emit == Emit::Ir {
        write(command, object.module().to_string().as_bytes())?;
        if command.dump_after.is_empty() {
            return Ok(ExitCode::SUCCESS);
        }
    }
    let program = match command.dump_after.as_slice() {
        [] => compiler.translate(&object)?,
        _ => compiler.translate_watched(&object, |pass, module| dump(command, pass, module))?,
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
        Emit::Ir
        | Emit::Preprocessed
        | Emit::Wgsl
        | Emit::Msl
        | Emit::Hlsl
        | Emit::Glsl
        | Emit::OpenclSpirv
        | Emit::OpenclAsm => {}
        Emit::Interface => write(command, interface.as_bytes())?,
        Emit::Asm => write(command, disassemble(program.spirv()).as_bytes())?,
        // Only the passes were asked for.
        Emit::Spirv if command.output.is_none() => {}
        Emit::Spirv => write_with_interface(command, &program.spirv_bytes(), &interface)?,
    }
    Ok(ExitCode::SUCCESS)
}

/// Parses a value of `--avoid`: the name that profiles have for it.
pub fn avoided(text: &str) -> std::result::Result<Quirk, String> {
    let name = |quirk: &Quirk| serde_json::to_value(quirk).expect("it is a name");
    let found = Quirk::IN_OPENCL.iter().find(|quirk| name(quirk) == text);
    let known: Vec<String> = Quirk::IN_OPENCL.iter().map(|quirk| name(quirk).to_string()).collect();
    found.copied().ok_or_else(|| format!("these errors can be avoided: {}", known.join(", ")))
}

/// Shows the IR after a pass, if that is wanted.
fn dump(command: &CompileCommand, pass: &str, module: &Module) {
    if command.dump_after.iter().any(|name| name == pass || name == "all") {
        console::tell(format!("; after {pass}\n{module}\n"));
    }
}

/// Writes SPIR-V for other drivers of OpenCL. It says itself how its kernels are launched.
fn emit_opencl(command: &CompileCommand, compiler: &Compiler, object: &Object) -> Result<ExitCode> {
    let bytes = compiler.opencl_spirv_watched(object, |pass, module| dump(command, pass, module))?;
    match command.emit {
        Emit::OpenclAsm => write(command, disassemble_bytes(&bytes).as_bytes())?,
        // Only the passes were asked for.
        _ if command.output.is_none() => {}
        _ => write(command, &bytes)?,
    }
    Ok(ExitCode::SUCCESS)
}

/// Writes a result and, if it goes to a file, the interface beside it.
pub fn write_with_interface(command: &CompileCommand, bytes: &[u8], interface: &str) -> Result<()> {
    write(command, bytes)?;
    // Nothing lies beside a device.
    let Some(path) = output(command).filter(|path| path.is_file()) else { return Ok(()) };
    let beside = beside(path);
    write_file(&beside, interface.as_bytes())?;
    let (path, beside) = (path.display(), beside.display());
    console::print(format!("wrote {path} and {beside}, the interface (how to launch its kernels)"))
}

/// Refuses names of passes that do not exist.
pub fn check_passes(names: &[String], known: impl Iterator<Item = &'static str>) -> Result<()> {
    let known: Vec<&str> = known.collect();
    match names.iter().find(|name| *name != "all" && !known.contains(&name.as_str())) {
        Some(name) => {
            let meant = did_you_mean(name, known.iter().copied(), || {
                format!("; the passes are {}", known.join(", "))
            });
            Err(Failure::usage(format!("there is no pass `{name}`{meant}")))
        }
        None => Ok(()),
    }
}

fn disassemble(words: &[u32]) -> String {
    rspirv::dr::load_words(words).expect("what was emitted is well-formed").disassemble() + "\n"
}

fn disassemble_bytes(bytes: &[u8]) -> String {
    rspirv::dr::load_bytes(bytes).expect("what was emitted is well-formed").disassemble() + "\n"
}

fn output(command: &CompileCommand) -> Option<&Path> {
    command.output.as_deref().filter(|path| *path != Path::new("-"))
}

/// Where the interface of a SPIR-V file goes.
fn beside(path: &Path) -> PathBuf {
    path.with_extension("json")
}

fn check_output(command: &CompileCommand) -> Result<()> {
    let is_binary = matches!(command.emit, Emit::Spirv | Emit::OpenclSpirv);
    if is_binary && command.output.is_none() && command.dump_after.is_empty() {
        return Err(Failure::usage(
            "SPIR-V is binary: name a file with `-o OUT.spv` (`-o -` is the standard output)",
        ));
    }
    let Some(path) = output(command) else { return Ok(()) };
    let is_source = || Some(path.canonicalize().ok()? == command.file.canonicalize().ok()?);
    if is_source() == Some(true) {
        return Err(Failure::usage(format!(
            "`{}` is the source; name another file with `-o`",
            path.display()
        )));
    }
    if command.emit == Emit::OpenclSpirv {
        return keep_foreign(path, "SPIR-V", |bytes| bytes.starts_with(&SPIRV_MAGIC));
    }
    let ending = match shaders::language(command.emit) {
        None if command.emit != Emit::Spirv => return Ok(()),
        None => "spv",
        Some(language) => language.names().1,
    };
    if path.extension().is_some_and(|extension| extension == "json") {
        let what = if ending == "spv" { "SPIR-V" } else { "shader" };
        return Err(Failure::usage(format!(
            "`{}` is where the interface goes; let the name of the {what} end in `.{ending}`",
            path.display()
        )));
    }
    if ending == "spv" {
        keep_foreign(path, "SPIR-V", |bytes| bytes.starts_with(&SPIRV_MAGIC))?;
    }
    keep_foreign(&beside(path), "an interface, which would go there", is_interface)
}

/// How SPIR-V begins.
const SPIRV_MAGIC: [u8; 4] = 0x0723_0203u32.to_le_bytes();

/// Refuses to overwrite a file that this program has not written.
fn keep_foreign(path: &Path, what: &str, is_ours: impl Fn(&[u8]) -> bool) -> Result<()> {
    if !path.is_file() {
        return Ok(());
    }
    match std::fs::read(path) {
        Ok(bytes) if !bytes.is_empty() && !is_ours(&bytes) => Err(Failure::usage(format!(
            "`{}` exists and is not {what}; remove it, or choose another name with `-o`",
            path.display()
        ))),
        _ => Ok(()),
    }
}

/// Whether a file has the members of an interface, of this or another version.
fn is_interface(bytes: &[u8]) -> bool {
    let Ok(value) = serde_json::from_slice::<serde_json::Value>(bytes) else { return false };
    let of_shader = value.get("entry_points").is_some_and(serde_json::Value::is_array);
    let kernels = value.get("kernels").is_some_and(serde_json::Value::is_array);
    of_shader || kernels && value.get("addressing").is_some()
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
