//! Compiling and linking programs: from the application's input to what a device runs.
//!
//! The crate `clvk` does the work. This module adds the build log, and the rule that only executables with
//! kernels are translated. A program's binary holds its intermediate representation. Nothing here knows about
//! handles.

use super::by_kernel::{self, ByKernel};
use super::device::Device;
use super::forms::Executable;
use super::program::{Intermediate, Source};
use crate::code::{self, Result};
use clvk::{BuildOptions, Object, ObjectKind};
use std::sync::Arc;
use vk_runtime::PrintOptions;

/// The result of a successful build for a device.
pub enum Output {
    /// All of the program.
    Whole(Arc<Unit>),
    /// Kernels are built when they are created.
    ByKernel(Box<ByKernel>),
}

impl Output {
    /// What the program is.
    pub fn kind(&self) -> ObjectKind {
        match self {
            Output::Whole(unit) => unit.object.kind(),
            Output::ByKernel(_) => ObjectKind::Executable,
        }
    }

    /// The names of the kernels, in order.
    pub fn kernel_names(&self) -> Vec<String> {
        match self {
            Output::Whole(unit) => unit.object.kernel_names().map(str::to_owned).collect(),
            Output::ByKernel(kernels) => kernels.kernel_names().to_vec(),
        }
    }

    /// What holds a kernel; `None` if the program has no such kernel.
    ///
    /// # Errors
    /// The build log: the kernel is wrong, or cannot run on the device.
    pub fn of_kernel(&self, name: &str) -> Result<Option<Arc<Unit>>, String> {
        match self {
            Output::Whole(unit) => {
                let module = unit.object.module();
                let function = module.function(name).map(|function| &module.functions[function]);
                Ok(function.is_some_and(|function| function.kernel.is_some()).then(|| Arc::clone(unit)))
            }
            Output::ByKernel(kernels) => kernels.kernel(name),
        }
    }

    /// All of the program; `None` if a kernel that was not built yet is wrong.
    pub fn whole(&self) -> Option<Arc<Unit>> {
        match self {
            Output::Whole(unit) => Some(Arc::clone(unit)),
            Output::ByKernel(kernels) => kernels.whole(),
        }
    }
}

/// What is compiled and translated at once.
pub struct Unit {
    /// The program.
    pub object: Object,
    /// What the device runs, if it is an executable that has kernels.
    pub executable: Option<Executable>,
}

/// What programs are built for.
#[derive(Clone, Copy)]
pub struct Target<'a> {
    /// The device.
    pub device: &'a Arc<Device>,
    /// How they print when they begin and end, if not as the device's kernels do.
    pub printing: Option<&'a Arc<PrintOptions>>,
}

/// A build that succeeded or failed, with its log.
pub struct Outcome {
    /// The result; `None` if there were errors.
    pub output: Option<Output>,
    /// The build log.
    pub log: String,
}

impl Outcome {
    /// A build that found errors.
    pub fn failed(log: String) -> Self {
        Outcome { output: None, log }
    }
}

/// Source texts that are included by name (`clCompileProgram`).
#[derive(Default)]
pub struct Headers {
    /// Names and texts.
    pub texts: Vec<(String, String)>,
}

/// The name of the source in messages.
const SOURCE_NAME: &str = "program.cl";
/// The name of SPIR-V in messages.
pub const IL_NAME: &str = "program.spv";

/// Compiles a source for a device, to an executable if that is asked for.
pub fn compile(
    target: Target<'_>,
    source: &Source,
    options: BuildOptions,
    headers: &Headers,
    kind: ObjectKind,
) -> Outcome {
    let compiler = target.device.compiler().with_build_options(options);
    let mut compiler = compiler.with_specialisation(source.constants.bits());
    for (name, text) in &headers.texts {
        compiler = compiler.with_header(name, text);
    }
    match compiler.object(kind, SOURCE_NAME, &source.text) {
        Ok(object) => {
            let log = object.warnings().plain();
            let problems = source.constants.problems(object.specialisation());
            if !problems.is_empty() {
                return Outcome::failed(log + &problems);
            }
            finish(target, object, log)
        }
        Err(error) => Outcome::failed(error.plain()),
    }
}

/// Reads SPIR-V for a device, to an executable if that is asked for.
pub fn read(
    target: Target<'_>,
    intermediate: &Arc<Intermediate>,
    options: BuildOptions,
    kind: ObjectKind,
) -> Outcome {
    let constants = intermediate.constants.bits();
    let module = match intermediate.module.clone().specialised(&constants) {
        Ok(module) => module,
        Err(error) => return Outcome::failed(error.plain()),
    };
    let compiler = target.device.compiler().with_build_options(options).with_specialisation(constants);
    if kind == ObjectKind::Executable && by_kernel::suits(intermediate.summary()) {
        let kernels = ByKernel::new(target.device, intermediate, module, compiler);
        return Outcome { output: Some(Output::ByKernel(Box::new(kernels))), log: String::new() };
    }
    match compiler.spirv_module_object(kind, &module) {
        Ok(object) => finish(target, object, String::new()),
        Err(error) => Outcome::failed(error.plain()),
    }
}

/// Links programs to a library or an executable.
pub fn link<'a>(
    target: Target<'_>,
    parts: impl IntoIterator<Item = &'a Object>,
    kind: ObjectKind,
) -> Outcome {
    match Object::link(kind, parts) {
        Ok(object) => finish(target, object, String::new()),
        Err(error) => Outcome::failed(error.plain()),
    }
}

/// Translates a program for the device, if it is an executable that has kernels. `log` holds the earlier
/// messages.
pub fn finish(target: Target<'_>, object: Object, mut log: String) -> Outcome {
    match unit(target, object) {
        Ok(unit) => Outcome { output: Some(Output::Whole(Arc::new(unit))), log },
        Err(errors) => {
            log.push_str(&errors);
            Outcome::failed(log)
        }
    }
}

/// Translates an object for the device, if it is an executable that has kernels.
///
/// # Errors
/// The build log.
pub fn unit(target: Target<'_>, object: Object) -> Result<Unit, String> {
    let has_kernels = object.module().kernels().next().is_some();
    if object.kind() != ObjectKind::Executable || !has_kernels {
        return Ok(Unit { object, executable: None });
    }
    let executable = Some(Executable::new(target, &object)?);
    Ok(Unit { object, executable })
}

/// A program from the bytes of a binary, and the options that it was built with: `CL_INVALID_BINARY` if this
/// version did not write them.
pub fn read_binary(bytes: &[u8]) -> Result<(Output, String)> {
    let (object, options) = Object::from_bytes(bytes).map_err(|_| code::INVALID_BINARY)?;
    Ok((Output::Whole(Arc::new(Unit { object, executable: None })), options))
}
