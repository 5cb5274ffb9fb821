//! Sources to SPIR-V.

use crate::failure::{Failure, Result, Status};
use clvk_frontend::source::FileIncludes;
use clvk_frontend::{Compilation, Diagnostic, Diagnostics, Options};
use clvk_interface::{CompiledModule, DeviceProfile, FeatureSet};
use clvk_ir::Module;
use clvk_translate::{TranslateOptions, translate};
use std::path::Path;

/// Compiles a file for a device with this profile; messages go to the standard error.
pub fn compile(path: &Path, build_options: &[String], profile: &DeviceProfile) -> Result<Compilation> {
    let text = std::fs::read_to_string(path)
        .map_err(|error| Failure::usage(format!("cannot read `{}`: {error}", path.display())))?;
    let mut options = Options::parse_arguments(build_options.iter().cloned()).map_err(Failure::usage)?;
    options.features = FeatureSet::of(profile);
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

fn show(diagnostics: &Diagnostics, sources: &clvk_frontend::SourceMap) {
    if !diagnostics.list().is_empty() {
        anstream::eprint!("{}", diagnostics.render_pretty(sources, true));
    }
}

/// Translates a compiled program; messages go to the standard error. `after_pass` sees the IR after each pass.
pub fn lower(
    compilation: Compilation,
    kernels: Vec<String>,
    profile: &DeviceProfile,
    after_pass: &mut dyn FnMut(&'static str, &Module),
) -> Result<CompiledModule> {
    let Compilation { module, sources, .. } = compilation;
    let mut options =
        TranslateOptions { kernels, after_pass: Some(after_pass), ..TranslateOptions::default() };
    translate(module, clvk_shaders::library(), profile, &mut options).map_err(|errors| {
        let mut diagnostics = Diagnostics::default();
        for error in errors {
            let mut diagnostic = Diagnostic::error(error.span, error.message);
            if let Some(kernel) = error.kernel {
                diagnostic =
                    diagnostic.note(format!("in kernel `{kernel}`, for the device `{}`", profile.name));
            }
            diagnostics.push(diagnostic);
        }
        show(&diagnostics, &sources);
        Failure::told(Status::Source)
    })
}
