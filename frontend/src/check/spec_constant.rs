//! Specialisation constants (OpenCL C++ 1.0 §3.5).
//!
//! The header `opencl_spec_constant` makes a class of the compiler built-in `__builtin_spec_constant`.
//! Whoever compiles sets values before ([`crate::Options::specialised`]), so to the program they are
//! constants.

use super::Checker;
use super::constant::Value;
use crate::Span;
use crate::hir::{Constant, Expr, ExprKind};
use crate::types::ScalarKind;

impl Checker<'_> {
    /// The value of the constant with this ID: what it is set to, or the default value. `None` if the
    /// arguments are wrong.
    pub(super) fn spec_constant(&mut self, id: &Expr, default: &Expr, span: Span) -> Option<Expr> {
        let Some(kind) = self.types.as_scalar(default.ty) else {
            let text = self.type_text(default.ty);
            self.error(span, format!("a specialization constant is a number, not of type '{text}'"));
            return Some(self.error_value(span));
        };
        let Some(Value::Lanes(lanes)) = self.evaluate(id) else { return None };
        let id = u32::try_from(*lanes.first()?).ok()?;
        let known = *self.specialisation.entry(id).or_insert(kind);
        if known != kind {
            let (first, second) = (known.name(), kind.name());
            self.error(
                span,
                format!("the specialization constants with ID {id} have different types ('{first}' and '{second}')"),
            );
        }
        let set = self.options.specialised.iter().find(|(set, _)| *set == id);
        Some(match set {
            Some(&(_, bits)) => {
                let bits = if kind == ScalarKind::Bool { u64::from(bits != 0) } else { bits };
                Expr { kind: ExprKind::Constant(Constant::Bits(bits)), ty: default.ty, span }
            }
            None => default.clone(),
        })
    }
}
