//! OpenCL C on Vulkan: the front door to the compiler and the runtime.
//!
//! A [`Compiler`] has a [`DeviceProfile`], which describes a device, and options. It makes a [`Program`]:
//! SPIR-V, and the interfaces by which kernels are launched. Every failure is an [`Error`], which renders as
//! text for a log, as text for a terminal, or as JSON.
//!
//! ```
//! use clvk::{Compiler, DeviceProfile};
//!
//! # fn main() -> Result<(), clvk::Error> {
//! // A phone that need not be at hand.
//! let phone = DeviceProfile::preset("adreno-740").expect("it is a preset");
//! let compiler = Compiler::new(&phone).with_options("-cl-std=CL3.0 -D FACTOR=2")?;
//! let program = compiler.compile("scale.cl", "kernel void scale(global int *a) { *a *= FACTOR; }")?;
//! assert_eq!(program.kernel_names().collect::<Vec<_>>(), ["scale"]);
//! assert_eq!(program.spirv()[0], 0x0723_0203);
//!
//! let error = compiler.compile("scale.cl", "kernel void scale(global int *a) { *b = 0; }").unwrap_err();
//! assert!(error.plain().starts_with("scale.cl:1:37: error: "));
//! # Ok(())
//! # }
//! ```
//!
//! # From source to device
//!
//! [`Compiler::compile`] and [`Compiler::link`] do everything at once. To use the intermediate
//! representation, take two steps. [`Compiler::object`] makes an [`Object`], a program in the intermediate
//! representation, which can be stored, inspected and linked ([`Object::link`]). [`Compiler::translate`]
//! makes a [`Program`] from it.
//!
//! # The runtime
//!
//! With the feature `runtime`, which is on by default, programs also run: [`open_device`], [`upload`],
//! [`Program::load`], [`runtime::Kernel::launch`] and [`download`] are a line each. The types are those of
//! the crate [`runtime`] (`vk-runtime`), which offers more: command queues, events, images, mappings. Without
//! the feature this crate compiles for devices elsewhere and does not need Vulkan.
//!
//! # Invariants
//!
//! - Only this crate joins the front end, the library of built-in functions, the translator and the messages.
//!   The optional language features come from the device's profile unless a caller replaces them, so they
//!   cannot be forgotten.
//! - No source, option or binary makes anything here panic, hang or use unbounded memory.
#![forbid(unsafe_code)]

mod clspv;
mod compiler;
mod error;
mod forms;
mod judge;
mod level;
mod lines;
mod measure;
mod message;
mod object;
mod opencl;
mod options;
mod places;
mod program;
mod sanitize;
#[cfg(feature = "naga")]
mod shaders;
mod spirv;

#[cfg(feature = "runtime")]
mod device;

pub use clspv::ClspvProgram;
pub use clvk_cache::DiskCache;
pub use clvk_frontend::{Layout, MemberLayout};
pub use clvk_interface as interface;
pub use clvk_interface::{CompiledModule, DeviceProfile, KernelInterface};
pub use clvk_ir as ir;
#[cfg(feature = "naga")]
pub use clvk_naga::{Overrides, ShaderError, ShaderText, TexelFormats};
pub use clvk_translate::{Calls, TranslateError, survey};
pub use compiler::{Compiler, Input, pass_names, read_input, read_source};
#[cfg(feature = "runtime")]
pub use device::{download, open_device, upload, value};
pub use error::Error;
pub use forms::Forms;
pub use judge::Reason;
pub use level::Level;
pub use message::{ErrorLimit, Form, Message, Messages, Place, Related, Severity};
pub use object::{InvalidObject, Object, ObjectKind};
pub use opencl::opencl_pass_names;
pub use options::BuildOptions;
pub use program::Program;
pub use sanitize::{OtherAccess, Report, ReportLog, ReportedObject};
#[cfg(feature = "naga")]
pub use shaders::{Shaders, shader_pass_names};
pub use spirv::{SpirvModule, SpirvSummary, is_spirv};
#[cfg(feature = "runtime")]
pub use vk_runtime as runtime;
#[cfg(feature = "runtime")]
pub use vk_runtime::{
    Arg, Buffer, Command, CommandQueue, Device, Event, Image, ImageDescription, Kernel, LaunchConfig, Sampler,
};
