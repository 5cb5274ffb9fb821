//! The compiler as the tests use it: through the crate `clvk`, without the user's cache and without include
//! files.

use std::ffi::OsStr;
use std::path::PathBuf;
use std::process::Command;

use crate::program::Program;
use crate::spirv;
use clvk::{BuildOptions, CompiledModule, Compiler, Error, Object, ObjectKind, Severity};

/// Compiles `text`, whose name in messages is `name`, for a device: a profile, or an opened device.
///
/// # Errors
/// See [`Compiler::compile`].
pub fn compile(
    name: &str,
    text: &str,
    options: &[String],
    device: impl Into<Compiler>,
) -> Result<CompiledModule, Error> {
    compile_with_includes(name, text, options, &[], device)
}

/// Like [`compile`], but in the form that is faster on the device ([`Compiler::translate_preferred`]).
///
/// # Errors
/// See [`Compiler::compile`].
pub fn compile_preferred(
    name: &str,
    text: &str,
    options: &[String],
    device: impl Into<Compiler>,
) -> Result<CompiledModule, Error> {
    let compiler = compiler(options, device)?;
    let object = object(&compiler, name, text, options, &[])?;
    Ok(compiler.translate_preferred(&object)?.into_module())
}

/// Like [`compile`]; `includes` are the names and texts of the files that may be included.
///
/// # Errors
/// See [`Compiler::compile`].
pub fn compile_with_includes(
    name: &str,
    text: &str,
    options: &[String],
    includes: &[(&str, &str)],
    device: impl Into<Compiler>,
) -> Result<CompiledModule, Error> {
    let compiler = compiler(options, device)?;
    let with_header = |compiler: Compiler, &(name, text): &(&str, &str)| compiler.with_header(name, text);
    let compiler = includes.iter().fold(compiler, with_header);
    let object = object(&compiler, name, text, options, includes)?;
    let program = if prefers_descriptors() {
        compiler.translate_preferred(&object)
    } else {
        compiler.translate(&object)
    };
    Ok(program?.into_module())
}

/// Whether programs are compiled as for devices that prefer descriptors: `CLVK_TESTS_BUFFERS` is
/// `descriptors`.
#[must_use]
pub fn prefers_descriptors() -> bool {
    std::env::var_os("CLVK_TESTS_BUFFERS").is_some_and(|value| value == "descriptors")
}

/// A whole program in the intermediate representation, by the way that the environment chooses.
fn object(
    compiler: &Compiler,
    name: &str,
    text: &str,
    options: &[String],
    includes: &[(&str, &str)],
) -> Result<Object, Error> {
    match spirv_of(compiler, name, text, options, includes)? {
        Some(bytes) => compiler.spirv_object(ObjectKind::Executable, name, &bytes),
        None => compiler.object(ObjectKind::Executable, name, text),
    }
}

/// Compiles a small program with its options and headers.
///
/// # Errors
/// See [`Compiler::compile`].
pub fn compile_program(program: &Program, device: impl Into<Compiler>) -> Result<CompiledModule, Error> {
    let headers: Vec<(&str, &str)> =
        program.headers.iter().map(|(name, text)| (name.as_str(), text.as_str())).collect();
    compile_with_includes(&program.file, &program.text, &program.case.options, &headers, device)
}

/// The variable that names a command, `tests/opencl-to-spirv` for instance, which compiles OpenCL C to SPIR-V
/// in place of our front end: its arguments are the source, the output and the build options. What it refuses
/// is an [`Error::File`]. [`OUR_OWN`] is our own compiler.
pub const TO_SPIRV: &str = "CLVK_TESTS_TO_SPIRV";

/// The value of [`TO_SPIRV`] with which programs become SPIR-V for OpenCL by our own compiler, and are read
/// from that.
pub const OUR_OWN: &str = "clvk";

/// Whether programs go through SPIR-V for OpenCL, and whether clang makes it.
#[must_use]
pub fn through_spirv() -> (bool, bool) {
    let command = std::env::var_os(TO_SPIRV);
    (command.is_some(), command.is_some_and(|command| command != OUR_OWN))
}

/// SPIR-V, if the text is that (`NAME.spvasm`), or if another compiler makes it.
fn spirv_of(
    compiler: &Compiler,
    name: &str,
    text: &str,
    options: &[String],
    includes: &[(&str, &str)],
) -> Result<Option<Vec<u8>>, Error> {
    let failed = |problem: String| Error::File { path: PathBuf::from(name), problem };
    if name.ends_with(".spvasm") {
        let words = spirv::assemble(text).unwrap_or_else(|error| panic!("{name}: {error}"));
        return Ok(Some(spirv::bytes(&words)));
    }
    match std::env::var_os(TO_SPIRV) {
        Some(command) if command == OUR_OWN => by_ourselves(compiler, name, text).map(Some),
        Some(command) => to_spirv(&command, text, options, includes).map(Some).map_err(failed),
        None => Ok(None),
    }
}

/// Compiles for other drivers of OpenCL, with the features of the compiler's device.
///
/// # Panics
/// If spirv-val rejects what was made.
fn by_ourselves(compiler: &Compiler, name: &str, text: &str) -> Result<Vec<u8>, Error> {
    match compiler.compile_opencl_spirv(name, text) {
        Ok(bytes) => {
            if let Err(problem) = crate::judge::validate_opencl(&bytes) {
                panic!("{name} becomes invalid SPIR-V for OpenCL: {problem}");
            }
            Ok(bytes)
        }
        // The front end's messages are what the program says they are.
        Err(error @ Error::Unsupported { .. }) => {
            Err(Error::File { path: PathBuf::from(name), problem: messages(&error) })
        }
        Err(error) => Err(error),
    }
}

fn to_spirv(
    command: &OsStr,
    text: &str,
    options: &[String],
    includes: &[(&str, &str)],
) -> Result<Vec<u8>, String> {
    let failed = |error: std::io::Error| format!("{}: {error}", command.display());
    let folder = tempfile::tempdir().map_err(failed)?;
    for (name, text) in includes.iter().chain(&[("source.cl", text)]) {
        std::fs::write(folder.path().join(name), text).map_err(failed)?;
    }
    let (source, output) = (folder.path().join("source.cl"), folder.path().join("out.spv"));
    let done = Command::new(command).args([&source, &output]).args(options).output().map_err(failed)?;
    if !done.status.success() {
        let text = String::from_utf8_lossy(&done.stderr).into_owned();
        let line = text.lines().find(|line| line.contains("error")).or(text.lines().next());
        return Err(line.unwrap_or("the other compiler fails without a message").to_owned());
    }
    std::fs::read(&output).map_err(failed)
}

/// Compiles several texts and links them to one module.
///
/// # Errors
/// See [`Compiler::object`] and [`Compiler::link`].
pub fn link(
    texts: &[&str],
    options: &[String],
    device: impl Into<Compiler>,
) -> Result<CompiledModule, Error> {
    let compiler = compiler(options, device)?;
    let objects = texts.iter().map(|text| compiler.object(ObjectKind::Compiled, "part.cl", text));
    Ok(compiler.link(&objects.collect::<Result<Vec<_>, _>>()?)?.into_module())
}

fn compiler(options: &[String], device: impl Into<Compiler>) -> Result<Compiler, Error> {
    let options = BuildOptions::from_arguments(options.iter().cloned())?;
    Ok(device.into().with_cache(None).without_files().with_build_options(options))
}

/// The text of an error, a line for each message, without source excerpts and notes:
/// `file:line:column: error: message`.
#[must_use]
pub fn messages(error: &Error) -> String {
    let mut lines = Vec::new();
    for message in error.list() {
        let severity = match message.severity {
            Severity::Note => "note",
            Severity::Warning => "warning",
            Severity::Error => "error",
        };
        let place = message
            .place
            .map_or(String::new(), |place| format!("{}:{}:{}: ", place.file, place.line, place.column));
        lines.push(format!("{place}{severity}: {}", message.text));
    }
    lines.join("\n")
}
