//! OpenCL-flavoured SPIR-V as a source.

use crate::message::Messages;
use crate::{Compiler, Error, Object, ObjectKind};
use clvk_frontend::source::Location;
use clvk_frontend::{LanguageVersion, Options, Severity, SourceMap};
use clvk_interface::FeatureSet;
use clvk_ir::Module;
use clvk_spirv::{Indexed, Wishes};
use std::sync::Arc;

pub use clvk_spirv::Summary as SpirvSummary;

/// The first bytes of SPIR-V modules, of either byte order.
const MAGIC: [[u8; 4]; 2] = [0x0723_0203_u32.to_le_bytes(), 0x0723_0203_u32.to_be_bytes()];

/// Whether bytes begin as a SPIR-V module does.
#[must_use]
pub fn is_spirv(bytes: &[u8]) -> bool {
    MAGIC.iter().any(|magic| bytes.starts_with(magic))
}

/// A SPIR-V module for kernels, whose declarations have been read. Its words are there once, also for clones.
#[derive(Clone, Debug)]
pub struct SpirvModule {
    /// What messages call it.
    name: Arc<str>,
    module: Indexed,
    constants: Vec<(u32, u64)>,
    is_big_endian: bool,
}

impl SpirvModule {
    /// Reads what a module declares, which messages call `name`. Its kernels are not read, so this takes
    /// little time, however large they are.
    ///
    /// # Errors
    /// [`Error::Source`]: the module is damaged, or not for kernels.
    pub fn new(name: &str, bytes: &[u8]) -> Result<Self, Error> {
        let module = clvk_spirv::binary::words(bytes).and_then(|words| Indexed::new(words, &[]));
        let module = module.map_err(|error| wrong(name, &error))?;
        let is_big_endian = bytes.starts_with(&MAGIC[1]);
        Ok(SpirvModule { name: name.into(), module, constants: Vec::new(), is_big_endian })
    }

    /// The same module, whose specialisation constants have these bits where they are set, by `SpecId`.
    ///
    /// # Errors
    /// [`Error::Source`]: with these constants the module is wrong.
    pub fn specialised(self, constants: &[(u32, u64)]) -> Result<Self, Error> {
        if self.constants == constants {
            return Ok(self);
        }
        let module = Indexed::new(Arc::clone(self.module.words()), constants);
        let module = module.map_err(|error| wrong(&self.name, &error))?;
        Ok(SpirvModule { module, constants: constants.to_vec(), ..self })
    }

    /// What it declares for its host.
    #[must_use]
    pub fn summary(&self) -> SpirvSummary {
        self.module.summary()
    }

    /// The bytes that it was made from.
    #[must_use]
    pub fn bytes(&self) -> Vec<u8> {
        let bytes = if self.is_big_endian { u32::to_be_bytes } else { u32::to_le_bytes };
        self.module.words().iter().flat_map(|&word| bytes(word)).collect()
    }
}

fn wrong(name: &str, error: &clvk_spirv::Error) -> Error {
    Error::Source(Messages::without_sources(vec![format!("{name}: {error}")]))
}

/// The lines that a module names.
fn sources(lines: Vec<clvk_spirv::Line>) -> Option<SourceMap> {
    let place =
        |line: clvk_spirv::Line| Location { file: line.file, line: line.line, column: line.column.max(1) };
    let places: Vec<Location> = lines.into_iter().map(place).collect();
    if places.is_empty() { None } else { SourceMap::of_places(places).ok() }
}

impl Compiler {
    /// Reads a SPIR-V module for kernels, which messages call `name`, as [`Compiler::spirv_module_object`]
    /// does.
    ///
    /// # Errors
    /// [`Error::Source`]: the module is damaged, or uses something that is not supported.
    pub fn spirv_object(&self, kind: ObjectKind, name: &str, bytes: &[u8]) -> Result<Object, Error> {
        self.spirv_module_object(kind, &SpirvModule::new(name, bytes)?)
    }

    /// Reads the kernels of a SPIR-V module (`clCreateProgramWithIL`), with the compiler's values of its
    /// specialisation constants. Where kernels are chosen ([`Compiler::with_kernels`]), only those are read.
    ///
    /// # Errors
    /// [`Error::Source`]: a kernel is wrong, or uses something that is not supported.
    pub fn spirv_module_object(&self, kind: ObjectKind, module: &SpirvModule) -> Result<Object, Error> {
        let SpirvModule { name, module, .. } = module.clone().specialised(&self.options.specialised)?;
        let wishes = self.spirv_wishes();
        let reading = module.read(&wishes).map_err(|error| wrong(&name, &error))?;
        let built_ins = self.built_ins(&reading.built_ins).map_err(|(line, problem)| {
            wrong(&name, &reading.built_in_error(line, problem, module.words()))
        })?;
        let parts = vec![reading.module, built_ins];
        let mut module = clvk_ir::merge_with_spans(parts, kind == ObjectKind::Executable)
            .map_err(|errors| Error::Link(Messages::without_sources(errors)))?;
        // Other modules have functions with these names, too.
        let names = module.functions.iter().map(|(_, function)| function.name.clone());
        let own: Vec<String> = names.filter(|name| name.starts_with(clvk_spirv::PREFIX)).collect();
        module.linkage.internal_functions.extend(own);
        let sources = sources(reading.lines).map(Arc::new);
        Ok(Object { sources, ..Object::of(kind, wishes.uniform_work_groups, module) })
    }

    fn spirv_wishes(&self) -> Wishes {
        Wishes {
            kernels: self.wishes.kernels.clone(),
            uniform_work_groups: self.options.uniform_work_group_size,
            flush_subnormals: self.options.denorms_are_zero,
            sub_group_size: self.options.sub_group_size,
            is_built_in: Some(|name| clvk_frontend::builtins::lookup(name).is_some()),
        }
    }

    /// Compiles the functions of OpenCL C that a SPIR-V module calls. What a device lacks is found when the
    /// module is translated. An error has the line of the text that is wrong.
    fn built_ins(&self, text: &str) -> Result<Module, (u32, String)> {
        if text.is_empty() {
            return Ok(Module::default());
        }
        let options = Options {
            version: LanguageVersion::C31,
            cxx: None,
            features: FeatureSet::all(),
            no_warnings: true,
            for_linking: true,
            macros: Vec::new(),
            ..self.options.clone()
        };
        let includes = clvk_frontend::source::FileIncludes { directories: Vec::new() };
        clvk_frontend::compile("built-in functions", text, &options, &includes)
            .map(|compilation| compilation.module)
            .map_err(|failure| {
                let first = failure.diagnostics.list().iter().find(|it| it.severity == Severity::Error);
                let line = first.map_or(0, |first| failure.sources.location(first.span).line);
                let message = first.map(|first| first.message.as_str()).unwrap_or_default();
                let problem = format!(
                    "the instruction is used with types that its function in OpenCL C does not take: {message}"
                );
                (line, problem)
            })
    }
}
