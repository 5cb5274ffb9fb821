//! Programs in the intermediate representation, which can be stored, linked, and translated for a device.

use crate::Error;
use crate::message::{Messages, Place};
use clvk_frontend::{Deferred, Layout, Narrowed, ParameterLayout, SourceMap};
use clvk_interface::fnv1a;
use clvk_ir::{AddressSpace, Module};
use serde::{Deserialize, Serialize};
use std::fmt;
use std::sync::Arc;

/// What an [`Object`] is (`cl_program_binary_type`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum ObjectKind {
    /// One compiled source, which may declare names that another source defines (`clCompileProgram`).
    Compiled,
    /// Several linked sources, which may still declare names that another source defines (`-create-library`).
    Library,
    /// A whole program, which can be translated.
    Executable,
}

/// A program in the intermediate representation, as `clCompileProgram` and `clLinkProgram` make it and as
/// OpenCL's program binaries hold it.
///
/// It was checked against the optional features of the device that it was compiled for. It can also be
/// translated for another device; what that device lacks is refused then.
#[derive(Clone)]
pub struct Object {
    pub(crate) kind: ObjectKind,
    pub(crate) uniform_work_groups: bool,
    pub(crate) module: Module,
    /// Uses of features that the device lacks, where kernels are judged one by one.
    pub(crate) deferred: Vec<Deferred>,
    /// Constants of type `double` that became single precision.
    pub(crate) narrowed: Vec<Narrowed>,
    pub(crate) warnings: Messages,
    /// The structures that kernels take, if it was compiled from a single source.
    pub(crate) layouts: Vec<ParameterLayout>,
    /// Specialisation constants (ID and bytes), if it was compiled from a single source.
    pub(crate) specialisation: Vec<(u32, u32)>,
    /// The sources that positions in the module refer to, if it was compiled from a single source.
    pub(crate) sources: Option<Arc<SourceMap>>,
}

impl Object {
    /// A module without messages, positions and whatever else only a source has.
    pub(crate) fn of(kind: ObjectKind, uniform_work_groups: bool, module: Module) -> Self {
        Object {
            kind,
            uniform_work_groups,
            module,
            deferred: Vec::new(),
            narrowed: Vec::new(),
            warnings: Messages::default(),
            layouts: Vec::new(),
            specialisation: Vec::new(),
            sources: None,
        }
    }

    /// The place of a position in the module, if the object was made of a single source.
    #[must_use]
    pub fn place(&self, span: clvk_ir::Span) -> Option<Place> {
        Place::of(span, self.sources.as_ref()?).filter(|_| span != clvk_ir::Span::NONE)
    }

    /// Where a kernel, or what it calls, has constants of type `double` that became single precision because
    /// the device has no doubles: it runs, with lower precision.
    #[must_use]
    pub fn narrowed_constants(&self, kernel: &str) -> Vec<Place> {
        let Some(func) = self.module.function(kernel) else { return Vec::new() };
        if self.narrowed.is_empty() {
            return Vec::new();
        }
        let reached = self.module.reachable([func]);
        let is_reached =
            |name: &String| reached.iter().any(|&func| self.module.functions[func].name == *name);
        let concerns = self.narrowed.iter().filter(|it| it.function.as_ref().is_some_and(is_reached));
        concerns.filter_map(|it| self.place(it.span)).collect()
    }

    /// What it is.
    #[must_use]
    pub fn kind(&self) -> ObjectKind {
        self.kind
    }

    /// Whether all work-groups of a launch must have the same size: before OpenCL C 2.0, and where an option
    /// says so.
    #[must_use]
    pub fn has_uniform_work_groups(&self) -> bool {
        self.uniform_work_groups
    }

    /// The intermediate representation.
    #[must_use]
    pub fn module(&self) -> &Module {
        &self.module
    }

    /// The compiler's warnings; empty if the object was stored and read again.
    #[must_use]
    pub fn warnings(&self) -> &Messages {
        &self.warnings
    }

    /// The names of the kernels that a host can launch, in the order of the source.
    pub fn kernel_names(&self) -> impl Iterator<Item = &str> {
        self.module.launched_kernels().map(|kernel| self.module.functions[kernel].name.as_str())
    }

    /// How the structure lies in memory that a kernel takes as a parameter, counted from 0, or through a
    /// pointer (OpenCL C §6.3.5). `None` if it is not one, or if the object was linked, or stored and read
    /// again.
    #[must_use]
    pub fn structure(&self, kernel: &str, parameter: usize) -> Option<&Layout> {
        let mut layouts = self.layouts.iter();
        layouts.find(|it| it.kernel == kernel && it.parameter == parameter).map(|it| &it.layout)
    }

    /// The specialisation constants of a source in OpenCL C++ ([`crate::Compiler::with_specialisation`]): ID
    /// and size in bytes, by ID. Empty if the object was linked, read from SPIR-V, or stored and read again.
    #[must_use]
    pub fn specialisation(&self) -> &[(u32, u32)] {
        &self.specialisation
    }

    /// Bytes of the variables in global memory (`CL_PROGRAM_BUILD_GLOBAL_VARIABLE_TOTAL_SIZE`).
    #[must_use]
    pub fn global_variable_size(&self) -> u64 {
        let globals = self.module.globals.iter().map(|(_, global)| global);
        globals.filter(|global| global.space == AddressSpace::Global).map(|global| global.size).sum()
    }

    /// Links objects to a library or to a whole program. For [`ObjectKind::Executable`], one of them must
    /// define every declared variable.
    ///
    /// # Errors
    /// [`Error::Link`]: something is defined twice, or not at all.
    pub fn link<'a>(kind: ObjectKind, objects: impl IntoIterator<Item = &'a Object>) -> Result<Self, Error> {
        let (mut modules, mut warnings, mut uniform_work_groups) = (Vec::new(), Messages::default(), false);
        let mut deferred = Vec::new();
        for object in objects {
            // Functions may get other names.
            deferred.extend(object.deferred.iter().map(|it| Deferred { function: None, ..it.clone() }));
            modules.push(object.module.clone());
            warnings.append(&object.warnings);
            uniform_work_groups |= object.uniform_work_groups;
        }
        match clvk_ir::merge(modules, kind == ObjectKind::Executable) {
            Ok(module) => Ok(Object { deferred, warnings, ..Object::of(kind, uniform_work_groups, module) }),
            Err(errors) => Err(Error::Link(Messages::without_sources(errors))),
        }
    }
}

/// The kind and the kernels; [`Object::module`] has its own text form.
impl fmt::Debug for Object {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let kernels: Vec<&str> = self.kernel_names().collect();
        f.debug_struct("Object").field("kind", &self.kind).field("kernels", &kernels).finish_non_exhaustive()
    }
}

/// First bytes of a stored object; the last one is the version of the format.
const MAGIC: &[u8; 8] = b"clvkPRG\x01";

/// What is stored, after [`MAGIC`] and the checksum.
#[derive(Serialize, Deserialize)]
struct Stored {
    /// Version of the compiler and of its IR.
    version: (String, u64),
    kind: ObjectKind,
    options: String,
    uniform_work_groups: bool,
    module: Module,
}

/// The version of the compiler and of its IR: an object is only readable by the same version.
fn version() -> (String, u64) {
    (env!("CARGO_PKG_VERSION").to_owned(), clvk_shaders::fingerprint())
}

/// The bytes are not an object, are damaged, or were written by another version of the compiler.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct InvalidObject;

impl fmt::Display for InvalidObject {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("these bytes are not a program written by this version of the compiler")
    }
}

impl std::error::Error for InvalidObject {}

impl Object {
    /// The object as bytes, for this version of the compiler. `options` are stored with it, as OpenCL
    /// requires for program binaries. Warnings and the source text are not stored.
    #[must_use]
    pub fn to_bytes(&self, options: &str) -> Vec<u8> {
        let stored = Stored {
            version: version(),
            kind: self.kind,
            options: options.to_owned(),
            uniform_work_groups: self.uniform_work_groups,
            module: self.module.clone(),
        };
        let content = postcard::to_stdvec(&stored).expect("IR is plain data");
        [MAGIC.as_slice(), &fnv1a(&content).to_le_bytes(), &content].concat()
    }

    /// The object in these bytes, and the options stored with it.
    ///
    /// # Errors
    /// [`InvalidObject`], if [`Object::to_bytes`] of this version did not write them.
    pub fn from_bytes(bytes: &[u8]) -> Result<(Self, String), InvalidObject> {
        let rest = bytes.strip_prefix(MAGIC).ok_or(InvalidObject)?;
        let (sum, content) = rest.split_first_chunk::<8>().ok_or(InvalidObject)?;
        // Data of another version is not decoded at all.
        let own = postcard::to_stdvec(&version()).expect("a version is plain data");
        if u64::from_le_bytes(*sum) != fnv1a(content) || !content.starts_with(&own) {
            return Err(InvalidObject);
        }
        let stored: Stored = postcard::from_bytes(content).map_err(|_| InvalidObject)?;
        clvk_ir::verify::verify(&stored.module).map_err(|_| InvalidObject)?;
        let Stored { kind, options, uniform_work_groups, module, .. } = stored;
        Ok((Object::of(kind, uniform_work_groups, module), options))
    }
}
