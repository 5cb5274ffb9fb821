//! From the checked program to the IR.

use crate::diagnostic::Diagnostics;
use crate::hir::Program;
use crate::options::Options;
use crate::symbol::Interner;
use clvk_ir::Module;

/// Lowers a checked program. What the language allows and lowering cannot do yet is reported; then the result is `None`.
pub fn lower(
    _program: &Program,
    _interner: &Interner,
    _options: &Options,
    _diagnostics: &mut Diagnostics,
) -> Option<Module> {
    None
}
