//! The whole front end in one call.

use crate::diagnostic::Diagnostics;
use crate::options::Options;
use crate::source::{IncludeResolver, SourceMap};
use clvk_ir::Module;

/// What a compilation gives.
pub struct Compilation {
    /// The program.
    pub module: Module,
    /// Warnings.
    pub diagnostics: Diagnostics,
    /// To give spans a meaning: of the diagnostics and of the module's instructions.
    pub sources: SourceMap,
}

/// A compilation that found errors.
pub struct Failure {
    /// Errors and warnings.
    pub diagnostics: Diagnostics,
    /// To render them.
    pub sources: SourceMap,
}

/// Compiles `text`, which messages call `name`.
///
/// # Errors
/// All diagnostics, if one is an error.
pub fn compile(
    _name: &str,
    _text: &str,
    _options: &Options,
    _includes: &dyn IncludeResolver,
) -> Result<Compilation, Box<Failure>> {
    Err(Box::new(Failure { diagnostics: Diagnostics::default(), sources: SourceMap::default() }))
}
