//! From the IR to Vulkan SPIR-V.
//!
//! [`translate`] takes a module as the front end makes it, links the built-in library functions that it uses,
//! and runs the passes of [`pipeline`] in order. It returns SPIR-V with one entry point for each kernel, and
//! the [`clvk_interface::ModuleInterface`] that tells the host how to launch the kernels. The translator
//! reads a [`DeviceProfile`], never a live device, and knows nothing of source text beyond spans and, for
//! line information, a table of their places.
//!
//! [`raise`] stops before a writer: it gives the IR from which the crate `clvk-naga` makes modules of naga.
//!
//! - [`pipeline`]: the ordered tables of passes, one file each.
//! - [`survey`]: counts what a device can do only by other means, for each kernel.
//! - `emit`: the writer of SPIR-V for Vulkan. It and the next one are the only parts that use `rspirv`.
//! - `emit_opencl`: the writer of SPIR-V for OpenCL.
#![forbid(unsafe_code)]

mod addresses;
mod counterparts;
mod emit;
mod emit_opencl;
mod lines;
mod passes;
pub mod survey;

mod error;

/// Inner parts that this workspace's tests look into. Not for users: they change without notice.
#[doc(hidden)]
pub mod testing {
    pub use crate::passes::{inline::MAX_NESTING, run_named};
}

pub use addresses::{kernels_with_constants, kernels_with_vectors, kernels_without_state};
pub use error::TranslateError;
pub use lines::{LinePlace, LineTable, SourceFile};
pub use passes::{Pass, Property, pipeline};

use clvk_interface::clspv::{ClspvLaunch, Reflection};
use clvk_interface::measure::Measure;
use clvk_interface::sanitize::Kinds;
use clvk_interface::{CompiledModule, DeviceProfile, ModuleInterface, Quirk};
use clvk_ir::{Module, container::Library};
use passes::Outcome;
use serde::{Deserialize, Serialize};

/// Identifies this translator, for caches: another one may make other SPIR-V of the same module.
pub const IDENTITY: &str = env!("CLVK_TRANSLATOR");

/// What the kernels are written as.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Target {
    /// SPIR-V for Vulkan.
    Spirv,
    /// A module of naga, which is written as WGSL, MSL, HLSL or GLSL.
    Naga,
    /// SPIR-V for OpenCL.
    OpenCl,
}

/// Which calls stay calls in SPIR-V for Vulkan. All are inlined in modules for other targets and for hosts of
/// clspv, in robust mode, and where kernels check or measure themselves.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Calls {
    /// Those of large functions in large kernels.
    #[default]
    Chosen,
    /// All that can.
    Kept,
    /// None.
    Inlined,
}

/// The caller's wishes for the translation; the device's abilities are in its [`DeviceProfile`].
///
/// Together with the module, the profile and [`IDENTITY`] they determine the result, so a cache's key must
/// contain them.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct TranslateOptions {
    /// Translate only these kernels; all if empty.
    pub kernels: Vec<String>,
    /// Kernels check each access, so that they reach only their arguments and variables. Elsewhere loads give
    /// zero, and stores and atomic operations do nothing. The front end must have been given the features
    /// that remain in this mode ([`FeatureSet::in_robust_mode`](clvk_interface::FeatureSet::in_robust_mode)).
    pub robust: bool,
    /// Kernels check for these errors, and leave reports in [`ImplicitBuffer::Reports`]. What fails a check
    /// is not executed.
    ///
    /// [`ImplicitBuffer::Reports`]: clvk_interface::ImplicitBuffer::Reports
    pub sanitize: Kinds,
    /// Kernels measure this, and leave it in [`ImplicitBuffer::Reports`]. Not together with
    /// [`TranslateOptions::sanitize`].
    ///
    /// [`ImplicitBuffer::Reports`]: clvk_interface::ImplicitBuffer::Reports
    pub measure: Option<Measure>,
    /// Write line information from this table.
    pub lines: Option<LineTable>,
    /// Which calls stay calls.
    pub calls: Calls,
    /// Kernels that reach buffers through descriptors compute what they would with addresses, or are refused:
    /// those that show addresses, and those that enqueue others. For programs that run in both forms.
    pub as_with_addresses: bool,
    /// Kernels are launched by a host of clspv, in its way ([`translate_for_clspv`]).
    pub clspv: Option<ClspvLaunch>,
}

impl TranslateOptions {
    /// Whether the kernels do nothing but what the program says, for our own hosts.
    pub(crate) fn is_plain(&self) -> bool {
        !self.robust && self.sanitize.is_empty() && self.measure.is_none() && self.clspv.is_none()
    }
}

/// Translates the kernels of a module for a device.
///
/// # Errors
/// What a kernel needs and the profile or this version of the translator lacks, with the source position; all
/// such errors of the module, not only the first.
pub fn translate(
    module: Module,
    library: &Library<'_>,
    profile: &DeviceProfile,
    options: &TranslateOptions,
) -> Result<CompiledModule, Vec<TranslateError>> {
    translate_observed(module, library, profile, options, &mut |_, _| {})
}

/// Like [`translate`]; `observe` is called with the name of each pass and the module after it.
///
/// # Errors
/// Those of [`translate`].
pub fn translate_observed(
    mut module: Module,
    library: &Library<'_>,
    profile: &DeviceProfile,
    options: &TranslateOptions,
    observe: &mut dyn FnMut(&'static str, &Module),
) -> Result<CompiledModule, Vec<TranslateError>> {
    let Outcome { interface, declarations, sanitized, measured } =
        passes::run(&mut module, library, profile, options, Target::Spirv, observe)?;
    let spirv = emit::emit(&module, &interface, &declarations, profile, options.lines.as_ref());
    let sanitized = (!options.sanitize.is_empty()).then(|| Box::new(sanitized));
    let measured = options.measure.is_some().then(|| Box::new(measured));
    Ok(CompiledModule { spirv, interface, sanitized, measured })
}

/// Translates the kernels of a module for a host of clspv, which launches them as the SPIR-V itself says: by
/// the extended instruction set `NonSemantic.ClspvReflection`, whose contents are also returned. The SPIR-V
/// has no words if there are no kernels. `options` must say how the host launches
/// ([`TranslateOptions::clspv`]); `observe` is called with the name of each pass and the module after it.
///
/// # Errors
/// Those of [`translate`], and what such hosts cannot provide.
pub fn translate_for_clspv(
    mut module: Module,
    library: &Library<'_>,
    profile: &DeviceProfile,
    options: &TranslateOptions,
    observe: &mut dyn FnMut(&'static str, &Module),
) -> Result<(Vec<u32>, Reflection), Vec<TranslateError>> {
    let profile = passes::clspv::profile(profile);
    let Outcome { interface, declarations, .. } =
        passes::run(&mut module, library, &profile, options, Target::Spirv, observe)?;
    let spirv = emit::emit(&module, &interface, &declarations, &profile, options.lines.as_ref());
    Ok((spirv, declarations.reflection.unwrap_or_default()))
}

/// Raises the kernels of a module to what naga's IR can express, for what it can use of a device
/// ([`DeviceProfile::for_naga`]). The result is in
/// [`Stage::RaisedForNaga`](clvk_ir::verify::Stage::RaisedForNaga). `observe` is called with the
/// name of each pass and the module after it.
///
/// # Errors
/// Those of [`translate`], and what such modules cannot express.
pub fn raise(
    mut module: Module,
    library: &Library<'_>,
    profile: &DeviceProfile,
    options: &TranslateOptions,
    observe: &mut dyn FnMut(&'static str, &Module),
) -> Result<(Module, ModuleInterface), Vec<TranslateError>> {
    // Small products are right in WGSL; large ones gave wrong results on lavapipe, and why is not known.
    if passes::lower_matrices::has_matrices(&module) {
        return Err(vec![TranslateError::of_program(
            "computes with cooperative matrices, which WGSL, MSL, HLSL and GLSL do not get",
        )]);
    }
    let profile = profile.for_naga();
    let outcome = passes::run(&mut module, library, &profile, options, Target::Naga, observe)?;
    Ok((module, outcome.interface))
}

/// Translates a module to SPIR-V for OpenCL: kernels that any driver with OpenCL 2.1 or later takes
/// (`clCreateProgramWithIL`), whatever its device. What a device lacks is found by its driver.
/// `language_version` is that of OpenCL C, `120` for 1.2; `avoided` are errors of a driver
/// ([`Quirk::IN_OPENCL`]); `observe` is called with the name of each pass and the module after it.
///
/// # Errors
/// What such modules cannot express, with the source position.
pub fn translate_for_opencl(
    mut module: Module,
    library: &Library<'_>,
    options: &TranslateOptions,
    language_version: u32,
    avoided: &[Quirk],
    observe: &mut dyn FnMut(&'static str, &Module),
) -> Result<Vec<u32>, Vec<TranslateError>> {
    // No driver is trusted, and only the errors that were named need to be avoided.
    let profile = DeviceProfile { quirks: avoided.to_vec(), ..DeviceProfile::default() };
    passes::run(&mut module, library, &profile, options, Target::OpenCl, observe)?;
    Ok(emit_opencl::emit(&module, options, language_version))
}
