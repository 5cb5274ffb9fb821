//! From the syntax tree to the checked program.

use crate::ast::TranslationUnit;
use crate::diagnostic::Diagnostics;
use crate::hir::Program;
use crate::options::Options;
use crate::symbol::Interner;

/// Checks a translation unit. `None` if there are errors.
pub fn check(
    _unit: &TranslationUnit,
    _interner: &mut Interner,
    _options: &Options,
    _diagnostics: &mut Diagnostics,
) -> Option<Program> {
    None
}
