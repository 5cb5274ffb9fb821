//! From source to program, for a device.

use crate::lines;
use crate::message::Messages;
use crate::{BuildOptions, Error, Object, ObjectKind, Program};
use clvk_cache::{CacheKey, DiskCache};
use clvk_frontend::limits::FILE_SIZE;
use clvk_frontend::source::FileIncludes;
use clvk_frontend::{Compilation, IncludeResolver, LanguageVersion, Options, Preprocessed};
use clvk_interface::sanitize::Kind;
use clvk_interface::{CompiledModule, DeviceProfile, FeatureSet, Quirk};
use clvk_ir::Module;
use clvk_translate::{Calls, TranslateError, TranslateOptions, translate, translate_observed};
use std::borrow::Cow;
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::{Arc, LazyLock};

/// Compiles OpenCL C for a device, which its profile describes.
///
/// ```
/// use clvk::{Compiler, DeviceProfile};
///
/// # fn main() -> Result<(), clvk::Error> {
/// let profile = DeviceProfile::preset("vulkan-1.1").expect("it is a preset");
/// let program = Compiler::new(&profile)
///     .with_options("-cl-std=CL3.0 -Werror")?
///     .with_header("step.h", "#define STEP 4")
///     .compile("count.cl", "#include \"step.h\"\nkernel void count(global int *a) { *a += STEP; }")?;
/// assert!(program.warnings().is_empty());
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug)]
pub struct Compiler {
    profile: DeviceProfile,
    pub(crate) options: Options,
    headers: Vec<(String, String)>,
    reads_files: bool,
    pub(crate) wishes: TranslateOptions,
    defers_features: bool,
    pub(crate) for_opencl: bool,
    pub(crate) avoided_for_opencl: Vec<Quirk>,
    cache: Option<Arc<DiskCache>>,
    #[cfg(feature = "naga")]
    pub(crate) texel_formats: clvk_naga::TexelFormats,
}

impl Compiler {
    /// A compiler for the device of this profile, without build options. Translations are kept in the user's
    /// cache ([`DiskCache::shared`]), if there is one.
    #[must_use]
    pub fn new(profile: &DeviceProfile) -> Self {
        Compiler {
            profile: profile.clone(),
            options: Options {
                features: FeatureSet::of(profile),
                sub_group_size: Some(match profile.least_sub_group_size() == profile.sub_group_size() {
                    true => profile.sub_group_size(),
                    false => 0,
                }),
                ..Options::default()
            },
            headers: Vec::new(),
            reads_files: true,
            wishes: TranslateOptions::default(),
            defers_features: false,
            for_opencl: false,
            avoided_for_opencl: Vec::new(),
            cache: DiskCache::shared(),
            #[cfg(feature = "naga")]
            texel_formats: clvk_naga::TexelFormats::new(),
        }
    }

    /// Sets the build options, spelled as in OpenCL, replacing earlier ones:
    /// `-cl-std=CL3.0 -D N=4 -I include`.
    ///
    /// # Errors
    /// [`Error::Options`] names the first option that is wrong.
    pub fn with_options(self, options: &str) -> Result<Self, Error> {
        Ok(self.with_build_options(BuildOptions::parse(options)?))
    }

    /// Sets the build options, replacing earlier ones.
    #[must_use]
    pub fn with_build_options(self, options: BuildOptions) -> Self {
        let Options { features, sub_group_size, specialised, .. } = self.options;
        Compiler { options: Options { features, sub_group_size, specialised, ..options.options }, ..self }
    }

    /// Adds a text that `#include` finds under this name, before any file (`clCompileProgram`).
    #[must_use]
    pub fn with_header(mut self, name: impl Into<String>, text: impl Into<String>) -> Self {
        self.headers.push((name.into(), text.into()));
        self
    }

    /// Sets specialisation constants of SPIR-V modules and of programs in OpenCL C++, by ID, to these bits
    /// (`clSetProgramSpecializationConstant`). A module or program need not have them.
    #[must_use]
    pub fn with_specialisation(mut self, constants: impl IntoIterator<Item = (u32, u64)>) -> Self {
        self.options.specialised = constants.into_iter().collect();
        self
    }

    /// Keeps `#include` from reading files, so that it finds only texts from [`Compiler::with_header`]. For
    /// untrusted sources.
    #[must_use]
    pub fn without_files(self) -> Self {
        Compiler { reads_files: false, ..self }
    }

    /// Translates only these kernels and what they enqueue; all kernels if `names` is empty.
    #[must_use]
    pub fn with_kernels(mut self, names: impl IntoIterator<Item = impl Into<String>>) -> Self {
        self.wishes.kernels = names.into_iter().map(Into::into).collect();
        self
    }

    /// Whether kernels check each access, so that they can reach only their arguments and variables. Optional
    /// features that such kernels cannot use are then absent.
    #[must_use]
    pub fn with_robustness(mut self, robust: bool) -> Self {
        let offered = FeatureSet::of(&self.profile);
        self.options.features = if robust { offered.in_robust_mode() } else { offered };
        self.wishes.robust = robust;
        self
    }

    /// Which calls stay calls in SPIR-V for Vulkan: by default those of large functions in large kernels.
    #[must_use]
    pub fn with_calls(mut self, calls: Calls) -> Self {
        self.wishes.calls = calls;
        self
    }

    /// Offers programs these optional language features instead of those in [`Compiler::features`]. A program
    /// that the device cannot run is refused when it is translated.
    #[must_use]
    pub fn with_features(mut self, features: FeatureSet) -> Self {
        self.options.features = features;
        self
    }

    /// Judges kernels one by one: a source that uses features which the device does not offer compiles, and
    /// [`Compiler::translate`] refuses the kernels that reach such a use, by name and place, unless they are
    /// left out ([`Compiler::with_kernels`]). Without this, the source is refused as a whole, as
    /// `clBuildProgram` must.
    #[must_use]
    pub fn judging_kernels(mut self) -> Self {
        self.defers_features = true;
        self
    }

    /// The same compiler for another device and with other wishes; features and options stay.
    pub(crate) fn changed(&self, profile: DeviceProfile, wishes: TranslateOptions) -> Self {
        Compiler { profile, wishes, ..self.clone() }
    }

    /// Keeps translations in this cache; `None` for none at all.
    #[must_use]
    pub fn with_cache(self, cache: Option<Arc<DiskCache>>) -> Self {
        Compiler { cache, ..self }
    }

    /// The device.
    #[must_use]
    pub fn profile(&self) -> &DeviceProfile {
        &self.profile
    }

    /// The optional language features that programs can use: those of the profile, except features that
    /// kernels with checked accesses cannot use, unless [`Compiler::with_features`] set others.
    #[must_use]
    pub fn features(&self) -> FeatureSet {
        self.options.features
    }

    /// Compiles a whole program; messages call its text `name`.
    ///
    /// # Errors
    /// [`Error::Source`], [`Error::Unsupported`].
    pub fn compile(&self, name: &str, text: &str) -> Result<Program, Error> {
        self.translate(&self.object(ObjectKind::Executable, name, text)?)
    }

    /// Compiles files, and links them if there are several.
    ///
    /// # Errors
    /// [`Error::File`], [`Error::Source`] of the first file that is wrong, [`Error::Link`],
    /// [`Error::Unsupported`].
    pub fn compile_files<P: AsRef<Path>>(&self, paths: &[P]) -> Result<Program, Error> {
        let compile = |kind, path: &Path| self.object(kind, &path.to_string_lossy(), &read_source(path)?);
        match paths {
            [path] => self.translate(&compile(ObjectKind::Executable, path.as_ref())?),
            _ => {
                let parts = paths.iter().map(|path| compile(ObjectKind::Compiled, path.as_ref()));
                self.link(&parts.collect::<Result<Vec<_>, _>>()?)
            }
        }
    }

    /// Links objects to a whole program, and translates it. [`Object::link`] makes libraries, too.
    ///
    /// # Errors
    /// [`Error::Link`], [`Error::Unsupported`].
    pub fn link<'a>(&self, objects: impl IntoIterator<Item = &'a Object>) -> Result<Program, Error> {
        self.translate(&Object::link(ObjectKind::Executable, objects)?)
    }

    /// Compiles a text, which messages call `name`, to the intermediate representation: a whole program
    /// ([`ObjectKind::Executable`]), or a part of one.
    ///
    /// # Errors
    /// [`Error::Source`].
    pub fn object(&self, kind: ObjectKind, name: &str, text: &str) -> Result<Object, Error> {
        let for_linking = kind != ObjectKind::Executable;
        let defers_features = self.defers_features;
        // Not for other drivers, whose SPIR-V cannot say it.
        let marks_arrays = self.wishes.sanitize.has(Kind::Bounds) && !self.for_opencl;
        let kinds = self.wishes.sanitize;
        let marks_arithmetic = (kinds.has(Kind::Overflow) || kinds.has(Kind::Shifts)) && !self.for_opencl;
        let marks_order = kinds.has(Kind::Unsequenced) && !self.for_opencl;
        let options = Options {
            for_linking,
            defers_features,
            marks_arrays,
            marks_arithmetic,
            marks_order,
            ..self.options.clone()
        };
        let uniform_work_groups = options.uniform_work_group_size || options.version < LanguageVersion::C20;
        let directories = options.include_dirs.clone();
        let files = self.reads_files.then_some(FileIncludes { directories });
        match clvk_frontend::compile(name, text, &options, &Includes { headers: &self.headers, files }) {
            Ok(Compilation { module, layouts, specialisation, diagnostics, sources }) => {
                let sources = Arc::new(sources);
                let (deferred, narrowed) = (diagnostics.deferred().to_vec(), diagnostics.narrowed().to_vec());
                let warnings = Messages::new(diagnostics, Arc::clone(&sources));
                let sources = Some(sources);
                Ok(Object {
                    kind,
                    uniform_work_groups,
                    module,
                    deferred,
                    narrowed,
                    warnings,
                    layouts,
                    specialisation,
                    sources,
                })
            }
            Err(failure) => Err(Error::Source(Messages::new(failure.diagnostics, Arc::new(failure.sources)))),
        }
    }

    /// Expands the macros of a text, which messages call `name`, and includes what it includes (`-E`). Gives
    /// the text, which compiles to the same program, and the warnings.
    ///
    /// # Errors
    /// [`Error::Source`].
    pub fn preprocess(&self, name: &str, text: &str) -> Result<(String, Messages), Error> {
        let directories = self.options.include_dirs.clone();
        let files = self.reads_files.then_some(FileIncludes { directories });
        let includes = Includes { headers: &self.headers, files };
        match clvk_frontend::preprocess_only(name, text, &self.options, &includes) {
            Ok(Preprocessed { text, diagnostics, sources }) => {
                Ok((text, Messages::new(diagnostics, Arc::new(sources))))
            }
            Err(failure) => Err(Error::Source(Messages::new(failure.diagnostics, Arc::new(failure.sources)))),
        }
    }

    /// Translates an object for the device, or finds its translation in the cache.
    ///
    /// # Errors
    /// [`Error::Unsupported`]: what the kernels need and the device does not have.
    pub fn translate(&self, object: &Object) -> Result<Program, Error> {
        self.refuse_deferred(object)?;
        let wishes = &*self.wishes_for(object);
        let cache = self.cache.as_deref().and_then(|cache| Some((cache, self.key(&object.module, wishes)?)));
        let found = cache.as_ref().and_then(|(cache, key)| {
            cache.get(key).and_then(|data| postcard::from_bytes::<CompiledModule>(&data).ok())
        });
        if let Some(compiled) = found {
            return Ok(self.program(compiled, object));
        }
        let (module, library) = (object.module.clone(), clvk_shaders::library());
        let program = self.outcome(object, translate(module, library, &self.profile, wishes))?;
        if let Some((cache, key)) = &cache
            && let Ok(data) = postcard::to_stdvec(&program.compiled)
        {
            cache.put(key, &data);
        }
        Ok(program)
    }

    /// Translates an object for the device, whatever the cache holds, and shows the module after each pass by
    /// the pass's name ([`pass_names`]).
    ///
    /// # Errors
    /// As for [`Compiler::translate`].
    pub fn translate_watched(
        &self,
        object: &Object,
        mut after_pass: impl FnMut(&'static str, &Module),
    ) -> Result<Program, Error> {
        self.refuse_deferred(object)?;
        let (module, library) = (object.module.clone(), clvk_shaders::library());
        let wishes = self.wishes_for(object);
        let result = translate_observed(module, library, &self.profile, &wishes, &mut after_pass);
        self.outcome(object, result)
    }

    /// The wishes, with the lines of an object's sources if they are wanted and known.
    pub(crate) fn wishes_for(&self, object: &Object) -> Cow<'_, TranslateOptions> {
        match &object.sources {
            Some(sources) if self.options.line_information => {
                let version = self.options.version.number();
                let lines = Some(lines::table(&object.module, sources, version));
                Cow::Owned(TranslateOptions { lines, ..self.wishes.clone() })
            }
            _ => Cow::Borrowed(&self.wishes),
        }
    }

    fn outcome(
        &self,
        object: &Object,
        result: Result<CompiledModule, Vec<TranslateError>>,
    ) -> Result<Program, Error> {
        match result {
            Ok(compiled) => Ok(self.program(compiled, object)),
            Err(errors) => Err(self.unsupported(errors, object)),
        }
    }

    /// What a translation depends on: the module, the device, the options, the translator and the library
    /// that it links.
    fn key(&self, module: &Module, wishes: &TranslateOptions) -> Option<CacheKey> {
        static COMPILER: LazyLock<CacheKey> = LazyLock::new(|| {
            let translator = clvk_translate::IDENTITY.as_bytes();
            CacheKey::new("spirv").with(translator).with(&clvk_shaders::fingerprint().to_le_bytes())
        });
        let module = postcard::to_stdvec(module).ok()?;
        let profile = postcard::to_stdvec(&self.profile).ok()?;
        let wishes = postcard::to_stdvec(wishes).ok()?;
        Some(COMPILER.clone().with(&module).with(&profile).with(&wishes))
    }
}

impl From<&DeviceProfile> for Compiler {
    fn from(profile: &DeviceProfile) -> Self {
        Compiler::new(profile)
    }
}

/// The names of the translator's passes, in order, for [`Compiler::translate_watched`].
pub fn pass_names() -> impl Iterator<Item = &'static str> {
    clvk_translate::pipeline(clvk_translate::Target::Spirv).map(|pass| pass.name)
}

/// Reads a source in OpenCL C, which may be a pipe.
///
/// # Errors
/// [`Error::File`]: it cannot be read, or is not UTF-8.
pub fn read_source(path: &Path) -> Result<String, Error> {
    match read_input(path)? {
        Input::OpenClC(text) => Ok(text),
        Input::Spirv(_) => {
            let problem = "it is a SPIR-V module; name an OpenCL C file".to_owned();
            Err(Error::File { path: path.to_owned(), problem })
        }
    }
}

/// What a file holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Input {
    /// A text, for [`Compiler::object`].
    OpenClC(String),
    /// A SPIR-V module, for [`Compiler::spirv_object`].
    Spirv(Vec<u8>),
}

/// The most bytes of a SPIR-V module.
const SPIRV_SIZE: usize = 1 << 28;

/// Reads a source, which may be a pipe. It reads at most one byte more than the compiler accepts, so that the
/// compiler reports a source that is too large.
///
/// # Errors
/// [`Error::File`]: it cannot be read, or is neither SPIR-V nor UTF-8.
pub fn read_input(path: &Path) -> Result<Input, Error> {
    let fail = |problem: String| Error::File { path: path.to_owned(), problem };
    let mut bytes = Vec::new();
    let read = File::open(path).and_then(|mut file| {
        file.by_ref().take(FILE_SIZE as u64 + 1).read_to_end(&mut bytes)?;
        if crate::is_spirv(&bytes) {
            file.take((SPIRV_SIZE - FILE_SIZE) as u64 + 1).read_to_end(&mut bytes)?;
        }
        Ok(())
    });
    read.map_err(|error| fail(format!("{error}; name an existing OpenCL C file")))?;
    if crate::is_spirv(&bytes) {
        let fits = bytes.len() <= SPIRV_SIZE;
        return if fits {
            Ok(Input::Spirv(bytes))
        } else {
            Err(fail(format!("it is larger than {} MiB", SPIRV_SIZE >> 20)))
        };
    }
    // UTF-8 has zeros, but no text does: without this, each is an error of its own.
    if let Some(position) = bytes.iter().position(|&byte| byte == 0).filter(|_| bytes.len() <= FILE_SIZE) {
        return Err(fail(format!("it is not text (byte {position} is zero); name an OpenCL C file")));
    }
    let text = String::from_utf8(bytes).map_err(|error| {
        let position = error.utf8_error().valid_up_to();
        fail(format!("it is not valid UTF-8 text (at byte {position}); save it as UTF-8"))
    })?;
    Ok(Input::OpenClC(text))
}

/// Finds included texts: headers by their names, then files.
struct Includes<'a> {
    headers: &'a [(String, String)],
    files: Option<FileIncludes>,
}

impl IncludeResolver for Includes<'_> {
    fn resolve(&self, name: &str, quoted: bool, from: &Path) -> Option<Result<(PathBuf, String), String>> {
        match self.headers.iter().find(|(known, _)| known == name) {
            Some((name, text)) => Some(Ok((PathBuf::from(name), text.clone()))),
            None => self.files.as_ref()?.resolve(name, quoted, from),
        }
    }

    fn resolve_next(&self, name: &str, from: &Path) -> Option<Result<(PathBuf, String), String>> {
        self.files.as_ref()?.resolve_next(name, from)
    }
}
