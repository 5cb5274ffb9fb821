//! The compiler as the tests use it: through the crate `clvk`, without the user's cache and without include
//! files.

use clvk::{BuildOptions, CompiledModule, Compiler, Error, ObjectKind, Severity};

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
    let program = includes.iter().fold(compiler, with_header).compile(name, text)?;
    Ok(program.into_module())
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
