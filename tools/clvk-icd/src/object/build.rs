//! Compiling and linking programs: from the application's input to what a device runs.
//!
//! The crate `clvk` does the work. This module adds the build log, and the rule that only executables with
//! kernels are translated. A program's binary holds its intermediate representation. Nothing here knows about
//! handles.

use super::device::Device;
use super::program::Intermediate;
use crate::code::{self, Result};
use clvk::{BuildOptions, Error, Object, ObjectKind};

/// The result of a successful build for a device.
pub struct Output {
    /// The program.
    pub object: Object,
    /// What the device runs, if it is an executable that has kernels.
    pub executable: Option<vk_runtime::Program>,
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

/// Compiles a source for a device, to an executable if that is asked for.
pub fn compile(
    device: &Device,
    text: &str,
    options: BuildOptions,
    headers: &Headers,
    kind: ObjectKind,
) -> Outcome {
    let mut compiler = device.compiler().with_build_options(options);
    for (name, text) in &headers.texts {
        compiler = compiler.with_header(name, text);
    }
    match compiler.object(kind, SOURCE_NAME, text) {
        Ok(object) => {
            let log = object.warnings().plain();
            finish(device, object, log)
        }
        Err(error) => Outcome::failed(error.plain()),
    }
}

/// Reads SPIR-V for a device, to an executable if that is asked for.
pub fn read(device: &Device, module: &Intermediate, options: BuildOptions, kind: ObjectKind) -> Outcome {
    let compiler = device.compiler().with_build_options(options).with_specialisation(module.constants());
    match compiler.spirv_object(kind, "program.spv", &module.bytes) {
        Ok(object) => finish(device, object, String::new()),
        Err(error) => Outcome::failed(error.plain()),
    }
}

/// Links programs to a library or an executable.
pub fn link<'a>(device: &Device, parts: impl IntoIterator<Item = &'a Object>, kind: ObjectKind) -> Outcome {
    match Object::link(kind, parts) {
        Ok(object) => finish(device, object, String::new()),
        Err(error) => Outcome::failed(error.plain()),
    }
}

/// Translates a program for the device, if it is an executable that has kernels. `log` holds the earlier
/// messages.
pub fn finish(device: &Device, object: Object, mut log: String) -> Outcome {
    let has_kernels = object.module().kernels().next().is_some();
    if object.kind() != ObjectKind::Executable || !has_kernels {
        return Outcome { output: Some(Output { object, executable: None }), log };
    }
    match executable(device, &object) {
        Ok(executable) => Outcome { output: Some(Output { object, executable: Some(executable) }), log },
        Err(errors) => {
            log.push_str(&errors);
            Outcome::failed(log)
        }
    }
}

fn executable(device: &Device, object: &Object) -> Result<vk_runtime::Program, String> {
    let program = device.compiler().translate(object).map_err(|error| error.plain())?;
    let opened = device.open().map_err(|code| format!("error: the device cannot be used ({})\n", code.0))?;
    vk_runtime::Program::new(opened, program.into_module()).map_err(|error| Error::from(error).plain())
}

/// A program from the bytes of a binary, and the options that it was built with: `CL_INVALID_BINARY` if this
/// version did not write them.
pub fn read_binary(bytes: &[u8]) -> Result<(Output, String)> {
    let (object, options) = Object::from_bytes(bytes).map_err(|_| code::INVALID_BINARY)?;
    Ok((Output { object, executable: None }, options))
}
