//! From the IR to Vulkan SPIR-V.
//!
//! [`translate`] takes a module as the front end makes it, links the built-in library functions that it uses, runs the
//! passes of [`passes::PIPELINE`] in order and writes SPIR-V with one entry point for each kernel, together with the
//! [`clvk_interface::ModuleInterface`] that tells the host how to launch them. It reads a
//! [`DeviceProfile`], never a live device, and knows nothing of source text beyond spans.
//!
//! - [`passes`]: the ordered table of passes, one file each.
//! - [`survey`]: what of a kernel a device can only do by other means, counted.
//! - [`emit`]: the SPIR-V writer, the only part that uses `rspirv`.
#![forbid(unsafe_code)]

pub mod emit;
pub mod passes;
pub mod survey;

mod error;

pub use error::TranslateError;

use clvk_interface::{CompiledModule, DeviceProfile};
use clvk_ir::{Module, container::Library};

/// What this translator is: another one may make other SPIR-V of the same module. For caches.
pub const IDENTITY: &str = env!("CLVK_TRANSLATOR");

/// Is told the name of each pass and the module after it.
pub type AfterPass<'a> = &'a mut dyn FnMut(&'static str, &Module);

/// What to translate, and what to show of it.
#[derive(Default)]
pub struct TranslateOptions<'a> {
    /// Translate only these kernels; all if empty.
    pub kernels: Vec<String>,
    /// Called with the name of each pass and the module after it (for `--dump-after`).
    pub after_pass: Option<AfterPass<'a>>,
    /// Run the IR verifier after each pass; always on in builds with debug assertions.
    pub verify: bool,
}

/// Translates the kernels of a module for a device.
///
/// # Errors
/// What a kernel needs and the profile or this version of the translation lacks, with the place in the source; all
/// such errors of the module, not only the first.
pub fn translate(
    mut module: Module,
    library: &Library<'_>,
    profile: &DeviceProfile,
    options: &mut TranslateOptions<'_>,
) -> Result<CompiledModule, Vec<TranslateError>> {
    let interface = passes::run(&mut module, library, profile, options)?;
    emit::emit(&module, interface, profile)
}
