//! Compiling and linking of programs: from what the application gives to what a device runs.
//!
//! A program is compiled to the IR, which is what binaries hold and what is linked; executables are translated for their
//! device. Nothing here knows of handles.

use super::device::Device;
use crate::code::{self, Result};
use clvk_frontend::source::FileIncludes;
use clvk_frontend::{Diagnostic, Diagnostics, IncludeResolver, LanguageVersion, Options, SourceMap};
use clvk_interface::{CompiledModule, DeviceProfile, fnv1a};
use clvk_ir::Module;
use clvk_translate::{TranslateError, TranslateOptions, translate};
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};
use std::sync::LazyLock;
use vk_runtime::{CacheKey, DiskCache};

/// What a build made (`cl_program_binary_type`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[expect(missing_docs)]
pub enum Kind {
    Object,
    Library,
    Executable,
}

/// What a build made for a device.
pub struct Output {
    /// What it is.
    pub kind: Kind,
    /// Whether all work-groups of a launch must have the same size: before OpenCL C 2.0, and where an option says so.
    pub uniform_groups: bool,
    /// The program.
    pub module: Module,
    /// What the device runs, if it is an executable that has kernels.
    pub executable: Option<vk_runtime::Program>,
}

impl Output {
    /// Names of the kernels, in the order of the source.
    pub fn kernel_names(&self) -> Vec<String> {
        let kernels = self.module.launched_kernels();
        kernels.map(|kernel| self.module.functions[kernel].name.clone()).collect()
    }
}

/// A compiled program, before it is made what was asked for.
pub struct Parts {
    /// The program.
    pub module: Module,
    /// As in [`Output`].
    pub uniform_groups: bool,
}

impl Output {
    /// To build it again, or to link it.
    pub fn parts(&self) -> Parts {
        Parts { module: self.module.clone(), uniform_groups: self.uniform_groups }
    }
}

/// A build that went right or wrong, with what it has to say.
pub struct Outcome {
    /// What was made; `None` if there were errors.
    pub output: Option<Output>,
    /// The build log.
    pub log: String,
}

impl Outcome {
    fn failed(log: String) -> Self {
        Outcome { output: None, log }
    }
}

/// Reads build options: `CL_INVALID_BUILD_OPTIONS`, and why, if they are wrong.
pub fn options(text: &str) -> Result<Options, String> {
    Options::parse(text).map_err(|error| error.to_string())
}

/// Source texts that are included by name (`clCompileProgram`).
#[derive(Default)]
pub struct Headers {
    /// Names and texts.
    pub texts: Vec<(String, String)>,
}

struct Includes<'a> {
    headers: &'a Headers,
    files: FileIncludes,
}

impl IncludeResolver for Includes<'_> {
    fn resolve(
        &self,
        name: &str,
        quoted: bool,
        from: &Path,
    ) -> Option<std::result::Result<(PathBuf, String), String>> {
        let header = self.headers.texts.iter().find(|(known, _)| known == name);
        match header {
            Some((name, text)) => Some(Ok((PathBuf::from(name), text.clone()))),
            None => self.files.resolve(name, quoted, from),
        }
    }

    fn resolve_next(
        &self,
        name: &str,
        from: &Path,
    ) -> Option<std::result::Result<(PathBuf, String), String>> {
        self.files.resolve_next(name, from)
    }
}

/// What messages call the source.
const SOURCE_NAME: &str = "program.cl";

/// Compiles a source for a device, and makes an executable of it if that is asked for.
pub fn compile(device: &Device, text: &str, mut options: Options, headers: &Headers, kind: Kind) -> Outcome {
    options.features = device.features();
    options.for_linking = kind != Kind::Executable;
    let uniform_groups = options.uniform_work_group_size || options.version < LanguageVersion::C20;
    let includes = Includes { headers, files: FileIncludes { directories: options.include_dirs.clone() } };
    match clvk_frontend::compile(SOURCE_NAME, text, &options, &includes) {
        Err(failure) => Outcome::failed(failure.diagnostics.render_plain(&failure.sources)),
        Ok(compilation) => {
            let log = compilation.diagnostics.render_plain(&compilation.sources);
            let parts = Parts { module: compilation.module, uniform_groups };
            finish(device, parts, kind, log, Some(&compilation.sources))
        }
    }
}

/// Links modules to a library or an executable.
pub fn link(device: &Device, parts: Vec<Parts>, kind: Kind) -> Outcome {
    let uniform_groups = parts.iter().any(|part| part.uniform_groups);
    let modules = parts.into_iter().map(|part| part.module).collect();
    match clvk_ir::merge(modules, kind == Kind::Executable) {
        Ok(module) => finish(device, Parts { module, uniform_groups }, kind, String::new(), None),
        Err(errors) => Outcome::failed(errors.iter().map(|error| format!("error: {error}\n")).collect()),
    }
}

/// Makes what was asked for of a module.
pub fn finish(
    device: &Device,
    Parts { module, uniform_groups }: Parts,
    kind: Kind,
    mut log: String,
    sources: Option<&SourceMap>,
) -> Outcome {
    let has_kernels = module.kernels().next().is_some();
    if kind != Kind::Executable || !has_kernels {
        return Outcome { output: Some(Output { kind, uniform_groups, module, executable: None }), log };
    }
    let translated = translate_for(device, module.clone());
    let executable = translated.map_err(|errors| render(device, errors, sources)).and_then(|compiled| {
        let opened =
            device.open().map_err(|code| format!("error: the device cannot be used ({})\n", code.0))?;
        vk_runtime::Program::new(opened, compiled).map_err(|error| format!("error: {error}\n"))
    });
    match executable {
        Ok(executable) => Outcome {
            output: Some(Output { kind, uniform_groups, module, executable: Some(executable) }),
            log,
        },
        Err(errors) => {
            log.push_str(&errors);
            Outcome::failed(log)
        }
    }
}

fn translate_for(
    device: &Device,
    module: Module,
) -> std::result::Result<CompiledModule, Vec<TranslateError>> {
    let options = TranslateOptions { robust: device.info().is_robust(), ..TranslateOptions::default() };
    let cache = DiskCache::shared().zip(translation_key(&module, device.profile(), &options));
    if let Some((cache, key)) = &cache
        && let Some(compiled) = cache.get(key).and_then(|data| postcard::from_bytes(&data).ok())
    {
        return Ok(compiled);
    }
    let compiled = translate(module, clvk_shaders::library(), device.profile(), &options)?;
    if let Some((cache, key)) = &cache
        && let Ok(data) = postcard::to_stdvec(&compiled)
    {
        cache.put(key, &data);
    }
    Ok(compiled)
}

/// What a translation depends on: the module, the device, the caller's wishes, the translator and the library that it links.
fn translation_key(module: &Module, profile: &DeviceProfile, options: &TranslateOptions) -> Option<CacheKey> {
    static COMPILER: LazyLock<CacheKey> = LazyLock::new(|| {
        let translator = clvk_translate::IDENTITY.as_bytes();
        CacheKey::new("spirv").with(translator).with(&clvk_shaders::fingerprint().to_le_bytes())
    });
    let module = postcard::to_stdvec(module).ok()?;
    let profile = postcard::to_stdvec(profile).ok()?;
    let options = postcard::to_stdvec(options).ok()?;
    Some(COMPILER.clone().with(&module).with(&profile).with(&options))
}

fn render(device: &Device, errors: Vec<TranslateError>, sources: Option<&SourceMap>) -> String {
    let Some(sources) = sources else {
        return errors.iter().map(|error| format!("error: {error}\n")).collect();
    };
    let mut diagnostics = Diagnostics::default();
    for error in errors {
        let device = format!("for the device `{}`", device.profile().name);
        diagnostics.push(Diagnostic::error(error.span, error.to_string()).note(device));
    }
    diagnostics.render_plain(sources)
}

/// First bytes of a binary; the last one is the version of the format.
const MAGIC: &[u8; 8] = b"clvkPRG\x01";

/// What a binary holds, after [`MAGIC`] and a checksum that finds damage, not malice.
#[derive(Serialize, Deserialize)]
struct Binary {
    /// Version of the compiler and of its IR.
    version: (String, u64),
    kind: Kind,
    options: String,
    uniform_groups: bool,
    module: Module,
}

/// The version of the compiler and of its IR: only the same one reads a binary.
fn version() -> (String, u64) {
    (env!("CARGO_PKG_VERSION").to_owned(), clvk_shaders::fingerprint())
}

/// A program as bytes, which any device can take.
pub fn write_binary(output: &Output, options: &str) -> Vec<u8> {
    let binary = Binary {
        version: version(),
        kind: output.kind,
        options: options.to_owned(),
        uniform_groups: output.uniform_groups,
        module: output.module.clone(),
    };
    let content = postcard::to_stdvec(&binary).expect("IR is plain data");
    [MAGIC.as_slice(), &fnv1a(&content).to_le_bytes(), &content].concat()
}

/// A program from bytes: `CL_INVALID_BINARY` if [`write_binary`] of this version did not write them.
pub fn read_binary(bytes: &[u8]) -> Result<(Output, String)> {
    let rest = bytes.strip_prefix(MAGIC).ok_or(code::INVALID_BINARY)?;
    let (sum, content) = rest.split_first_chunk::<8>().ok_or(code::INVALID_BINARY)?;
    code::ensure(u64::from_le_bytes(*sum) == fnv1a(content), code::INVALID_BINARY)?;
    // What another version wrote is not decoded at all.
    let own = postcard::to_stdvec(&version()).expect("a version is plain data");
    code::ensure(content.starts_with(&own), code::INVALID_BINARY)?;
    let binary: Binary = postcard::from_bytes(content).map_err(|_| code::INVALID_BINARY)?;
    clvk_ir::verify::verify(&binary.module).map_err(|_| code::INVALID_BINARY)?;
    let Binary { kind, options, uniform_groups, module, .. } = binary;
    Ok((Output { kind, uniform_groups, module, executable: None }, options))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn robust_translations_have_their_own_key() {
        let profile = DeviceProfile::preset("swiftshader").expect("a preset");
        let key = |robust| {
            let options = TranslateOptions { robust, ..TranslateOptions::default() };
            format!(
                "{:?}",
                translation_key(&Module::default(), &profile, &options).expect("it can be written")
            )
        };
        assert_eq!(key(false), key(false));
        assert_ne!(key(false), key(true));
    }
}
