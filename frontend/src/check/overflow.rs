//! `__builtin_add_overflow` and similar functions from GNU C: arithmetic that reports whether its result
//! fits.

use super::Checker;
use crate::Span;
use crate::diagnostic::Diagnostic;
use crate::hir::{Expr, Operation};
use crate::types::ScalarKind;
use clvk_ir::{AddressSpace, BinaryOp};

/// A function: its operation, and its type if it has a fixed one.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Overflow {
    pub op: BinaryOp,
    pub kind: Option<ScalarKind>,
}

/// The function of this name, without `__builtin_`: `add_overflow`, `usubll_overflow`.
pub(super) fn overflow(name: &str) -> Option<Overflow> {
    let name = name.strip_suffix("_overflow")?;
    let operation = |name| match name {
        "add" => Some(BinaryOp::Add),
        "sub" => Some(BinaryOp::Sub),
        "mul" => Some(BinaryOp::Mul),
        _ => None,
    };
    if let Some(op) = operation(name) {
        return Some(Overflow { op, kind: None });
    }
    let unsigned = match name.as_bytes().first()? {
        b'u' => true,
        b's' => false,
        _ => return None,
    };
    let kind = match (name.get(4..)?, unsigned) {
        ("", false) => ScalarKind::Int,
        ("", true) => ScalarKind::UInt,
        ("l" | "ll", false) => ScalarKind::Long,
        ("l" | "ll", true) => ScalarKind::ULong,
        _ => return None,
    };
    operation(name.get(1..4)?).map(|op| Overflow { op, kind: Some(kind) })
}

impl Checker<'_> {
    /// A call with two operands and a pointer for the result. Its value is a `bool`: whether the exact result
    /// does not fit there.
    pub(super) fn overflow_call(
        &mut self,
        function: Overflow,
        [left, right, target]: [Expr; 3],
        span: Span,
    ) -> Expr {
        let Overflow { op, kind } = function;
        let Some(target_kind) = self.overflow_target(&target, kind) else { return self.error_value(span) };
        let mut arguments = Vec::with_capacity(3);
        for operand in [left, right] {
            let given = self.types.as_scalar(operand.ty);
            let Some(given) = given.filter(|given| given.is_integer() || kind.is_some()) else {
                let text = self.type_text(operand.ty);
                self.error(
                    operand.span,
                    format!("an operand of an overflow function must be an integer, not '{text}'"),
                );
                return self.error_value(span);
            };
            // All values of a small type are values of `int`.
            let kind = kind.unwrap_or(if given.size() < 4 { ScalarKind::Int } else { given });
            let ty = self.types.scalar(kind);
            arguments.push(self.convert_arithmetic(operand, ty));
        }
        debug_assert!(target_kind.is_integer());
        arguments.push(target);
        let (int, bool) = (self.int(), self.types.scalar(ScalarKind::Bool));
        let call = self.builtin("overflow", Operation::Overflow(op), arguments, int, span);
        self.convert_arithmetic(call, bool)
    }

    /// The type of the result; an error if it has none, or one that the function does not accept.
    fn overflow_target(&mut self, target: &Expr, kind: Option<ScalarKind>) -> Option<ScalarKind> {
        let pointee = self.types.pointee(target.ty);
        let found = pointee.filter(|(ty, space)| !ty.qualifiers.is_const && *space != AddressSpace::Constant);
        let found = found.and_then(|(ty, _)| self.types.as_scalar(ty.ty));
        let takes = |found: &ScalarKind| match kind {
            // Like clang, it also accepts the type of the other signedness.
            Some(kind) => found.is_integer() && found.size() == kind.size(),
            None => found.is_integer() && *found != ScalarKind::Bool,
        };
        let result = found.filter(takes);
        if result.is_none() {
            let text = self.type_text(target.ty);
            let message = format!(
                "the result of an overflow function needs a pointer to an integer that can be written, not '{text}'"
            );
            let diagnostic = Diagnostic::error(target.span, message);
            self.report(match kind {
                Some(kind) => {
                    diagnostic.note(format!("this function writes a value of type '{}'", kind.name()))
                }
                None => diagnostic,
            });
        }
        result
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_say_operation_and_type() {
        let of = |name| overflow(name).map(|function| (function.op, function.kind));
        assert_eq!(of("mul_overflow"), Some((BinaryOp::Mul, None)));
        assert_eq!(of("usub_overflow"), Some((BinaryOp::Sub, Some(ScalarKind::UInt))));
        assert_eq!(of("saddl_overflow"), Some((BinaryOp::Add, Some(ScalarKind::Long))));
        assert_eq!(of("umulll_overflow"), Some((BinaryOp::Mul, Some(ScalarKind::ULong))));
        for name in [
            "_overflow",
            "u_overflow",
            "udiv_overflow",
            "xadd_overflow",
            "uaddlll_overflow",
            "sadd",
            "é_overflow",
        ] {
            assert_eq!(of(name), None, "{name}");
        }
    }
}
