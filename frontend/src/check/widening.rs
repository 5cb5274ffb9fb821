//! Scalars that become vectors implicitly: in an operation with a vector (OpenCL C §6.4.6), and in OpenCL C++
//! (§2.3) wherever a vector is expected.

use super::Checker;
use super::constant::{Value, convert, to_float, to_integer};
use super::conversion::rank;
use crate::Span;
use crate::diagnostic::Diagnostic;
use crate::hir::Expr;
use crate::types::{ScalarKind, TypeId};

/// Whether a conversion may cut off a part of the value, or make it less precise. Integers may become
/// floating-point numbers, as in operations of OpenCL C.
fn may_lose(from: ScalarKind, to: ScalarKind) -> bool {
    match (from.is_float(), to.is_float()) {
        (true, false) => true,
        (false, true) => false,
        _ => from.scalar().bits() > to.scalar().bits(),
    }
}

/// Whether an element can hold a constant. A floating-point number may be rounded.
fn holds(from: ScalarKind, to: ScalarKind, bits: u64) -> bool {
    let converted = convert(from, to, bits);
    match (from.is_float(), to.is_float()) {
        (true, true) => to_float(to, converted).is_finite() || !to_float(from, bits).is_finite(),
        (true, false) => to_float(from, bits) == to_integer(to, converted) as f64,
        (false, false) => to_integer(from, bits) == to_integer(to, converted),
        (false, true) => true,
    }
}

impl Checker<'_> {
    /// The vector type, if a scalar may be widened to it in an operation with a vector.
    pub(super) fn widening_target(
        &mut self,
        vector: TypeId,
        element: ScalarKind,
        scalar: ScalarKind,
        operand: &Expr,
        span: Span,
    ) -> Option<TypeId> {
        if self.options.is_opencl_cxx() {
            return self.check_widened(operand, vector).then_some(vector);
        }
        if rank(scalar) <= rank(element) {
            return Some(vector);
        }
        let (vector_text, scalar_text) = (self.type_text(vector), self.type_text(operand.ty));
        let lanes = self.types.as_vector(vector).map_or(1, |(_, lanes)| lanes);
        self.report(
            Diagnostic::error(
                span,
                format!(
                    "scalar operand type has greater rank than the type of the vector element ('{vector_text}' and \
                     '{scalar_text}')"
                ),
            )
            .note(format!("convert the scalar with '({})', or the vector with convert_{}{lanes}()", element.name(), scalar.name())),
        );
        None
    }

    /// Reports a scalar that becomes elements of a vector implicitly and would lose something, unless it is a
    /// constant that the elements can hold (OpenCL C++ §2.3). Whether it is right.
    pub(super) fn check_widened(&mut self, value: &Expr, vector: TypeId) -> bool {
        let (Some(from), Some((element, _))) = (self.types.as_scalar(value.ty), self.types.as_vector(vector))
        else {
            return true;
        };
        let is_constant = |checker: &Self| match checker.evaluate(value) {
            Some(Value::Lanes(lanes)) => lanes.first().is_some_and(|bits| holds(from, element, *bits)),
            _ => false,
        };
        if !may_lose(from, element) || is_constant(self) {
            return true;
        }
        let (from, to) = (self.type_text(value.ty), self.type_text(vector));
        let message = format!(
            "a scalar of type '{from}' does not become elements of '{to}' implicitly, because they may not hold it \
             (OpenCL C++ §2.3)"
        );
        let remedy = format!("convert it with 'static_cast<{}>'", element.name());
        self.report(Diagnostic::error(value.span, message).note(remedy));
        false
    }
}
