//! From the IR to WGSL, MSL, HLSL and GLSL, through naga.
//!
//! [`Shaders::new`] takes a module in
//! [`Stage::RaisedForNaga`](clvk_ir::verify::Stage::RaisedForNaga) and builds a [`naga::Module`], which
//! naga's validator checks. [`Shaders::write`] lets one of naga's back ends write it. This crate decides
//! nothing: the passes have done that, and they refused or replaced what these languages lack.
//!
//! Both representations are structured, so a construct of the IR becomes the statement of naga that it
//! resembles. Values that leave a construct or go round a loop become local variables, because naga has no
//! other way for them. Integers have no sign in the IR, and are unsigned here; operations on signed ones
//! convert their operands.
//!
//! - [`module`]: types, buffers, overrides, entry points;
//! - [`kernel`]: values and expressions of one kernel;
//! - [`control`], [`arithmetic`], [`memory`], [`images`], [`sub_groups`]: its instructions;
//! - [`text`]: the languages.
#![forbid(unsafe_code)]

mod arithmetic;
mod control;
mod images;
mod kernel;
mod memory;
mod module;
mod sub_groups;
mod text;

use clvk_interface::{ModuleInterface, ScalarType, ShaderInterface, ShaderLanguage, TexelFormat};
use std::collections::BTreeMap;

/// Kernels as a module of naga, ready to be written in any of its languages.
#[derive(Debug)]
pub struct Shaders {
    module: naga::Module,
    info: naga::valid::ModuleInfo,
    interface: ModuleInterface,
    /// For each entry point, what it binds.
    kernels: Vec<module::Resources>,
    features: Vec<clvk_interface::ShaderFeature>,
}

/// A shader's text, and how to launch its kernels.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ShaderText {
    /// The text.
    pub text: String,
    /// How to launch the kernels.
    pub interface: ShaderInterface,
}

/// Values of overrides, by their `SpecId`, for languages that have none.
pub type Overrides = BTreeMap<u32, u32>;

/// The formats of images that kernels write, by the argument's name. Without one, an image has that of
/// [`TexelFormat::usual`].
pub type TexelFormats = BTreeMap<String, TexelFormat>;

/// Why kernels cannot be written in a language.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ShaderError {
    /// An override without a default has no value, and the language needs it.
    #[error("{} needs the value of the override `{name}` (number {id}) when it is written", language.names().0)]
    MissingOverride {
        /// The language.
        language: ShaderLanguage,
        /// The override's name.
        name: String,
        /// Its `SpecId`.
        id: u32,
    },
    /// A value for an override that the kernels do not have.
    #[error("the kernels have no override with the number {0}")]
    UnknownOverride(u32),
    /// A format for an image that the kernels do not write.
    #[error("no kernel writes an image `{0}`, so it has no format")]
    UnknownImage(String),
    /// A format for other numbers than those that a kernel writes.
    #[error(
        "the kernel `{kernel}` writes {} to the image `{image}`, and {} has {}",
        numbers(*written), format.name(), numbers(format.element())
    )]
    TexelFormat {
        /// The kernel.
        kernel: String,
        /// The argument.
        image: String,
        /// Its format.
        format: TexelFormat,
        /// What the kernel writes.
        written: ScalarType,
    },
    /// naga's validator refuses the module: a limit of it, or an error of this crate.
    #[error("naga refuses the kernels: {0}")]
    Invalid(String),
    /// naga cannot write something in the language.
    #[error("{} cannot express it: {problem}", language.names().0)]
    Unsupported {
        /// The language.
        language: ShaderLanguage,
        /// What naga says.
        problem: String,
    },
}

fn numbers(element: ScalarType) -> &'static str {
    match element {
        ScalarType::I32 => "signed integers",
        ScalarType::U32 => "unsigned integers",
        _ => "floating-point numbers",
    }
}
