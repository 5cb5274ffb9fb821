//! Plain data that crosses the border between the compiler and the runtime.
//!
//! - [`DeviceProfile`]: what a Vulkan device can do, as the compiler needs to know it. Filled by the runtime
//!   from a live device, read from a JSON file, or taken from a named preset; so a kernel can be compiled for
//!   a device that is not there.
//! - [`Feature`]: the optional parts of OpenCL C (extensions and `__opencl_c_*` features), each with the
//!   predicate on a profile that decides whether it is offered. The front end derives macros, pragmas and
//!   gates from it.
//! - [`Quirk`]: what drivers do wrong, which the compiler avoids; [`Guarantee`]: what they do better than
//!   they must.
//! - [`bounds`]: the table of what a launch may reach, for kernels that check it.
//! - [`mod@print`]: what kernels print, and how the host writes it.
//! - [`enqueue`]: how kernels tell the host what they enqueue.
//! - [`fnv1a`]: the hash of contents that are stored or compared.
//! - [`KernelInterface`]: how the host must launch a translated kernel: arguments, push constants, local
//!   memory.
//!
//! Nothing here compiles or executes anything, and nothing here refers to a source language or to a live
//! device. Everything serialises with serde; an application may ship SPIR-V and interfaces and link only the
//! runtime.
#![forbid(unsafe_code)]

pub mod bounds;
mod driver;
pub mod enqueue;
mod feature;
mod guarantee;
mod hash;
mod interface;
pub mod print;
mod profile;
mod quirk;

pub use feature::{Feature, FeatureKind, FeatureSet};
pub use guarantee::Guarantee;
pub use hash::fnv1a;
pub use interface::{
    Argument, ArgumentBuffer, ArgumentKind, BufferLocation, CompiledModule, ImageAccess, ImageDimension,
    ImageInfo, ImageQuery, ImplicitBuffer, InitialContents, Interpolation, KernelInterface, LocalSize,
    MOST_LEVELS, ModuleInterface, PROGRAM_VARIABLES_TAG, ProgramSampler, ProgramVariables, SamplerAddressing,
    SamplerLevels, ScalarType, SpecConstants, ValueLocation, VariablePointer, sampler_word,
};
pub use print::{PrintArgument, PrintFormat, PrintKind};
pub use profile::{AddressingMode, DeviceProfile, ProfileError};
pub use quirk::Quirk;
