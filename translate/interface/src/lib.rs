//! Plain data that crosses the border between the compiler and the runtime.
//!
//! - [`DeviceProfile`]: what a Vulkan device can do, as far as the compiler cares. The runtime fills it from
//!   a live device, or it is read from a JSON file or a named preset, so a kernel can be compiled for a
//!   device that is not present.
//! - [`Feature`]: the optional parts of OpenCL C (extensions and `__opencl_c_*` features), each with the
//!   predicate on a profile that decides whether it is offered. The front end derives macros, pragmas and
//!   gates from it.
//! - [`Quirk`]: driver errors that the compiler avoids; [`Guarantee`]: what drivers do better than they must.
//! - [`bounds`]: the table of the memory that a launch may reach, for kernels that check it.
//! - [`mod@print`]: the records that kernels print, and how the host formats them.
//! - [`enqueue`]: how kernels tell the host what they enqueue.
//! - [`measure`]: what kernels measure about themselves, for the profiler and the tracer.
//! - [`clspv`]: how hosts of clspv launch kernels, which is another way than our own.
//! - [`fnv1a`]: the hash of contents that are stored or compared.
//! - [`KernelInterface`]: how the host must launch a translated kernel: arguments, push constants, local
//!   memory; [`ShaderInterface`]: the same for a kernel in another language than SPIR-V.
//!
//! Nothing here compiles or executes anything, or refers to a source language or a live device. Everything
//! serialises with serde, so an application may ship SPIR-V and interfaces and link only the runtime.
#![forbid(unsafe_code)]

pub mod bounds;
pub mod clspv;
mod driver;
pub mod enqueue;
mod feature;
mod guarantee;
mod hash;
mod hook;
mod interface;
mod limits;
mod matrix;
pub mod measure;
mod preference;
pub mod print;
mod profile;
mod quirk;
mod sampler;
pub mod sanitize;
mod shader;
mod spec_constants;
pub mod vulkan;

pub use feature::{Feature, FeatureKind, FeatureSet};
pub use guarantee::Guarantee;
pub use hash::fnv1a;
pub use hook::ProgramHook;
pub use interface::{
    Argument, ArgumentBuffer, ArgumentKind, BufferLocation, CompiledModule, ImageAccess, ImageDimension,
    ImageInfo, ImageQuery, ImplicitBuffer, InitialContents, Interpolation, KernelInterface, LocalSize,
    MOST_LEVELS, ModuleInterface, PROGRAM_VARIABLES_TAG, ProgramVariables, ScalarType, ValueLocation,
    VariablePointer,
};
pub use limits::ExceededLimit;
pub use matrix::{MatrixElement, MatrixProduct, NotAProduct};
pub use preference::Preference;
pub use print::{PrintArgument, PrintFormat, PrintKind};
pub use profile::{AddressingMode, DeviceProfile, ProfileError};
pub use quirk::Quirk;
pub use sampler::{
    ProgramSampler, SamplerAddressing, SamplerLevels, SamplerSource, TexelSampler, sampler_word,
};
pub use shader::{
    ShaderBinding, ShaderEntryPoint, ShaderFeature, ShaderInterface, ShaderLanguage, ShaderOverride,
    ShaderResource, TexelFormat, UniformBlock,
};
pub use spec_constants::SpecConstants;
