//! Sources to SPIR-V.

use crate::console;
use crate::failure::{Failure, Result, Status};
use clvk_frontend::limits::FILE_SIZE;
use clvk_frontend::source::FileIncludes;
use clvk_frontend::{Compilation, Diagnostic, Diagnostics, Options, Severity};
use clvk_interface::{CompiledModule, DeviceProfile, FeatureSet};
use clvk_ir::Module;
use clvk_translate::{TranslateError, TranslateOptions, translate_observed};
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

/// A source that has been read, and how to compile it.
pub struct Source {
    path: PathBuf,
    text: String,
    options: Options,
}

impl Source {
    /// Reads a file and the build options.
    pub fn read(path: &Path, build_options: &[String]) -> Result<Source> {
        let options = Options::parse_arguments(build_options.iter().cloned()).map_err(Failure::usage)?;
        let fail = |what: String| Failure::usage(format!("cannot read `{}`: {what}", path.display()));
        let mut bytes = Vec::new();
        // One more than the front end accepts: it says so. The file may be a pipe or endless.
        File::open(path)
            .and_then(|file| file.take(FILE_SIZE as u64 + 1).read_to_end(&mut bytes))
            .map_err(|error| fail(format!("{error}; name an existing file of OpenCL C")))?;
        let text = String::from_utf8(bytes).map_err(|error| {
            let position = error.utf8_error().valid_up_to();
            fail(format!("it is no valid UTF-8 text (at byte {position}); save it as UTF-8"))
        })?;
        Ok(Source { path: path.to_owned(), text, options })
    }
}

/// The optional features that a program can use.
fn features(profile: &DeviceProfile, robust: bool) -> FeatureSet {
    let offered = FeatureSet::of(profile);
    if robust { offered.in_robust_mode() } else { offered }
}

/// Compiles a source for a device with this profile; messages go to the standard error.
pub fn compile(source: Source, profile: &DeviceProfile, robust: bool) -> Result<Compilation> {
    let Source { path, text, mut options } = source;
    options.features = features(profile, robust);
    let includes = FileIncludes { directories: options.include_dirs.clone() };
    match clvk_frontend::compile(&path.to_string_lossy(), &text, &options, &includes) {
        Ok(compilation) => {
            show(&compilation.diagnostics, &compilation.sources);
            Ok(compilation)
        }
        Err(failure) => {
            show(&failure.diagnostics, &failure.sources);
            Err(Failure::told(Status::Source))
        }
    }
}

/// Compiles a source without printing messages; the first error, with its line in the file.
pub fn compile_quietly(source: &Source, profile: &DeviceProfile) -> std::result::Result<Compilation, String> {
    let mut options = source.options.clone();
    options.features = features(profile, false);
    let includes = FileIncludes { directories: options.include_dirs.clone() };
    clvk_frontend::compile(&source.path.to_string_lossy(), &source.text, &options, &includes).map_err(
        |failure| {
            let errors = failure.diagnostics.list().iter().filter(|it| it.severity == Severity::Error);
            match errors.map(|error| (failure.sources.location(error.span), &error.message)).next() {
                Some((place, message)) => format!("line {}: {message}", place.line),
                None => "it does not compile".to_owned(),
            }
        },
    )
}

/// Translates one kernel of a compiled program without printing messages; what it needs and the device lacks.
pub fn lower_quietly(
    compilation: &Compilation,
    kernel: &str,
    profile: &DeviceProfile,
    observe: &mut dyn FnMut(&'static str, &Module),
) -> std::result::Result<CompiledModule, Vec<String>> {
    let options = TranslateOptions { kernels: vec![kernel.to_owned()], ..TranslateOptions::default() };
    translate_observed(compilation.module.clone(), clvk_shaders::library(), profile, &options, observe)
        .map_err(|errors| errors.iter().map(TranslateError::reason).collect())
}

fn show(diagnostics: &Diagnostics, sources: &clvk_frontend::SourceMap) {
    if !diagnostics.list().is_empty() {
        console::tell(diagnostics.render_pretty(sources, true));
    }
}

/// Translates a compiled program; messages go to the standard error. `observe` sees the IR after each pass.
pub fn lower(
    compilation: Compilation,
    profile: &DeviceProfile,
    options: &TranslateOptions,
    observe: &mut dyn FnMut(&'static str, &Module),
) -> Result<CompiledModule> {
    let Compilation { module, sources, .. } = compilation;
    translate_observed(module, clvk_shaders::library(), profile, options, observe).map_err(|errors| {
        let mut diagnostics = Diagnostics::default();
        for error in errors {
            let device = format!("for the device `{}`", profile.name);
            diagnostics.push(Diagnostic::error(error.span, error.to_string()).note(device));
        }
        show(&diagnostics, &sources);
        Failure::told(Status::Source)
    })
}
