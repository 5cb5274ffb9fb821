//! Writes negations as subtractions from zero, where the driver moves negations into quotients
//! ([`Quirk::NegatedQuotients`]).
//!
//! It runs after `legalise`, which makes negations too.

use crate::TranslateError;
use crate::passes::Context;
use crate::passes::cursor::{Cursor, replace_where};
use clvk_interface::Quirk;
use clvk_ir::{BinaryOp, Inst, Op, UnaryOp, Value};

/// See the module.
///
/// # Errors
/// None.
pub fn run(context: &mut Context<'_, '_>) -> Result<(), Vec<TranslateError>> {
    if context.profile.has(Quirk::NegatedQuotients) {
        for function in context.module.bodies_mut() {
            replace_where(function, replaced);
        }
    }
    Ok(())
}

fn replaced(cursor: &mut Cursor<'_>, inst: Inst) -> Option<Value> {
    if cursor.function.insts[inst].op != Op::Unary(UnaryOp::Neg) {
        return None;
    }
    let operand = cursor.operand(inst, 0);
    let ty = cursor.function.ty(operand);
    let zero = cursor.function.zero(ty);
    Some(cursor.value(Op::Binary(BinaryOp::Sub), &[zero, operand], ty))
}
