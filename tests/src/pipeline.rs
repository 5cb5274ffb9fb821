//! From OpenCL C text to SPIR-V in one call: where the tests are joined to the compiler.

use clvk_frontend::source::IncludeResolver;
use clvk_frontend::{Compilation, Diagnostics, Options, Severity, SourceMap};
use clvk_interface::{CompiledModule, DeviceProfile, FeatureSet};
use clvk_ir::Module;
use clvk_translate::{TranslateError, TranslateOptions};
use std::fmt;
use std::path::{Path, PathBuf};

/// Why there is no compiled module.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CompileError {
    /// The source or the options are wrong: the diagnostics, a line each.
    Source(String),
    /// The source is right, but its kernels need what the device, or this version of the compiler, does not have.
    Unsupported(String),
}

impl fmt::Display for CompileError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            CompileError::Source(text) => write!(f, "the source is refused:\n{text}"),
            CompileError::Unsupported(text) => write!(f, "not supported: {text}"),
        }
    }
}

impl std::error::Error for CompileError {}

/// What to compile for: a device, not in robust mode where only its profile is given.
#[derive(Clone, Copy, Debug)]
pub struct Target<'a> {
    /// The device.
    pub profile: &'a DeviceProfile,
    /// Kernels check each access.
    pub robust: bool,
}

impl<'a> From<&'a DeviceProfile> for Target<'a> {
    fn from(profile: &'a DeviceProfile) -> Self {
        Target { profile, robust: false }
    }
}

impl<'a> From<&'a vk_runtime::Device> for Target<'a> {
    fn from(device: &'a vk_runtime::Device) -> Self {
        Target { profile: device.profile(), robust: device.info().is_robust() }
    }
}

impl Target<'_> {
    /// The optional features that programs can use.
    #[must_use]
    pub fn features(&self) -> FeatureSet {
        let offered = FeatureSet::of(self.profile);
        if self.robust { offered.in_robust_mode() } else { offered }
    }

    fn translate(&self, module: Module) -> Result<CompiledModule, Vec<TranslateError>> {
        let options = TranslateOptions { robust: self.robust, ..TranslateOptions::default() };
        clvk_translate::translate(module, clvk_shaders::library(), self.profile, &options)
    }
}

/// Compiles `text`, which messages call `name`.
///
/// # Errors
/// See [`CompileError`].
pub fn compile<'a>(
    name: &str,
    text: &str,
    options: &[String],
    target: impl Into<Target<'a>>,
) -> Result<CompiledModule, CompileError> {
    compile_with_includes(name, text, options, &[], target)
}

/// Like [`compile`]; `includes` are the names and texts of the files that may be included.
///
/// # Errors
/// See [`CompileError`].
pub fn compile_with_includes<'a>(
    name: &str,
    text: &str,
    options: &[String],
    includes: &[(&str, &str)],
    target: impl Into<Target<'a>>,
) -> Result<CompiledModule, CompileError> {
    let target = target.into();
    let options = parse_options(options, target)?;
    let compilation = to_ir(name, text, &options, includes)?;
    let render = |errors: Vec<_>| render_translate_errors(&errors, &compilation.sources);
    target.translate(compilation.module).map_err(|errors| CompileError::Unsupported(render(errors)))
}

/// Compiles several texts and links them to one module.
///
/// # Errors
/// See [`CompileError`].
pub fn link(
    texts: &[&str],
    options: &[String],
    profile: &DeviceProfile,
) -> Result<CompiledModule, CompileError> {
    let target = Target::from(profile);
    let options = Options { for_linking: true, ..parse_options(options, target)? };
    let modules = texts
        .iter()
        .map(|text| to_ir("part.cl", text, &options, &[]).map(|compilation| compilation.module))
        .collect::<Result<Vec<_>, _>>()?;
    let module = clvk_ir::merge(modules, true).map_err(|errors| CompileError::Source(errors.join("\n")))?;
    target.translate(module).map_err(|errors| {
        let messages: Vec<String> = errors.iter().map(ToString::to_string).collect();
        CompileError::Unsupported(messages.join("; "))
    })
}

fn parse_options(options: &[String], target: Target<'_>) -> Result<Options, CompileError> {
    let options = Options::parse_arguments(options.iter().cloned())
        .map_err(|error| CompileError::Source(error.to_string()))?;
    Ok(Options { features: target.features(), ..options })
}

fn to_ir(
    name: &str,
    text: &str,
    options: &Options,
    includes: &[(&str, &str)],
) -> Result<Compilation, CompileError> {
    clvk_frontend::compile(name, text, options, &Includes(includes))
        .map_err(|failure| CompileError::Source(render(&failure.diagnostics, &failure.sources)))
}

struct Includes<'a>(&'a [(&'a str, &'a str)]);

impl IncludeResolver for Includes<'_> {
    fn resolve(&self, name: &str, _quoted: bool, _from: &Path) -> Option<Result<(PathBuf, String), String>> {
        let &(name, text) = self.0.iter().find(|(known, _)| *known == name)?;
        Some(Ok((PathBuf::from(name), text.to_owned())))
    }
}

fn render(diagnostics: &Diagnostics, sources: &SourceMap) -> String {
    let mut lines = String::new();
    for diagnostic in diagnostics.list() {
        let place = sources.location(diagnostic.span);
        let severity = match diagnostic.severity {
            Severity::Note => "note",
            Severity::Warning => "warning",
            Severity::Error => "error",
        };
        lines +=
            &format!("{}:{}:{}: {severity}: {}\n", place.file, place.line, place.column, diagnostic.message);
    }
    lines
}

fn render_translate_errors(errors: &[TranslateError], sources: &SourceMap) -> String {
    let mut lines = Vec::new();
    for error in errors {
        let place = sources.location(error.span);
        lines.push(format!("{}:{}:{}: {error}", place.file, place.line, place.column));
    }
    lines.join("; ")
}
