//! Rules for variables that are specialisation constants (OpenCL C++ 1.0 §3.5).

use super::Cxx;
use super::types::Type;
use crate::Span;
use crate::cxx::ast::Specifiers;
use crate::diagnostic::Diagnostic;

impl Cxx<'_> {
    /// A specialisation constant is not `constexpr`, and no other has its ID.
    pub(super) fn check_spec_constant(&mut self, specifiers: &Specifiers, ty: Type, span: Span) {
        let Some(record) = self.record_of(ty.ty()) else { return };
        self.require_complete(record, span);
        let is_one = self.class(record).is_spec_constant;
        if !is_one || specifiers.is_extern.is_some() {
            return;
        }
        if specifiers.is_constexpr.is_some() {
            self.error(span, "a specialization constant cannot be 'constexpr'");
        }
        // The type has the ID. Where types differ, the built-in function sees it.
        match self.spec_constants.insert(ty.ty(), span) {
            Some(other) if other != span => {
                let message = "another specialization constant has this ID";
                self.report(Diagnostic::error(span, message).related(other, "it is here"));
            }
            _ => {}
        }
    }
}
