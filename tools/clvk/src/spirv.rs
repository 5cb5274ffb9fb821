//! OpenCL-flavoured SPIR-V as a source.

use crate::message::Messages;
use crate::{Compiler, Error, Object, ObjectKind};
use clvk_frontend::source::Location;
use clvk_frontend::{LanguageVersion, Options, Severity, SourceMap};
use clvk_interface::FeatureSet;
use clvk_ir::Module;
use clvk_spirv::Wishes;
use std::sync::Arc;

pub use clvk_spirv::Summary as SpirvSummary;

/// The first bytes of SPIR-V modules, of either byte order.
const MAGIC: [[u8; 4]; 2] = [0x0723_0203_u32.to_le_bytes(), 0x0723_0203_u32.to_be_bytes()];

/// Whether bytes begin as a SPIR-V module does.
#[must_use]
pub fn is_spirv(bytes: &[u8]) -> bool {
    MAGIC.iter().any(|magic| bytes.starts_with(magic))
}

/// What a SPIR-V module declares for its host. Messages call the module `name`. Its kernels are not read, so
/// this takes little time, however large they are.
///
/// # Errors
/// [`Error::Source`]: the module is damaged, or not for kernels.
pub fn spirv_summary(name: &str, bytes: &[u8]) -> Result<SpirvSummary, Error> {
    let summary = clvk_spirv::binary::words(bytes).and_then(|words| clvk_spirv::summary(&words));
    summary.map_err(|error| wrong(name, &error))
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
    /// Reads a SPIR-V module for kernels (`clCreateProgramWithIL`), which messages call `name`. Where kernels
    /// are chosen ([`Compiler::with_kernels`]), only those are read.
    ///
    /// # Errors
    /// [`Error::Source`]: the module is damaged, or uses something that is not supported.
    pub fn spirv_object(&self, kind: ObjectKind, name: &str, bytes: &[u8]) -> Result<Object, Error> {
        let wishes = Wishes {
            kernels: self.wishes.kernels.clone(),
            specialised: self.options.specialised.clone(),
            uniform_work_groups: self.options.uniform_work_group_size,
            flush_subnormals: self.options.denorms_are_zero,
            sub_group_size: self.options.sub_group_size,
        };
        let words = clvk_spirv::binary::words(bytes).map_err(|error| wrong(name, &error))?;
        let reading = clvk_spirv::read(&words, &wishes).map_err(|error| wrong(name, &error))?;
        let built_ins = self
            .built_ins(&reading.built_ins)
            .map_err(|(line, problem)| wrong(name, &reading.built_in_error(line, problem, &words)))?;
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
