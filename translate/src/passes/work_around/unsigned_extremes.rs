//! Computes minima and maxima of signed integers by a comparison and a selection, where the driver folds them
//! as if they were unsigned ([`Quirk::UnsignedExtremes`]).
//!
//! It runs after `legalise`, which makes minima and maxima too.

use crate::TranslateError;
use crate::passes::Context;
use crate::passes::cursor::{Cursor, replace_where};
use clvk_interface::Quirk;
use clvk_ir::{BinaryOp, Inst, Op, Value};

/// See the module.
///
/// # Errors
/// None.
pub fn run(context: &mut Context<'_, '_>) -> Result<(), Vec<TranslateError>> {
    if context.profile.has(Quirk::UnsignedExtremes) {
        for function in context.module.bodies_mut() {
            replace_where(function, replaced);
        }
    }
    Ok(())
}

fn replaced(cursor: &mut Cursor<'_>, inst: Inst) -> Option<Value> {
    let Op::Binary(op @ (BinaryOp::SMin | BinaryOp::SMax)) = cursor.function.insts[inst].op else {
        return None;
    };
    let (a, b) = (cursor.operand(inst, 0), cursor.operand(inst, 1));
    let first = cursor.compare(op.first_if()?, a, b);
    Some(cursor.select(first, a, b))
}
