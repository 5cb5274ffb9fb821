//! Writes negations as subtractions from zero, where the driver moves negations into quotients
//! ([`Quirk::NegatedQuotients`]).
//!
//! It runs after `legalise`, which makes negations too.

use crate::TranslateError;
use crate::passes::{Context, cursor::Cursor};
use clvk_interface::Quirk;
use clvk_ir::{BinaryOp, Func, Function, Inst, Op, UnaryOp, Value};

/// See the module.
///
/// # Errors
/// None.
pub fn run(context: &mut Context<'_, '_>) -> Result<(), Vec<TranslateError>> {
    if context.profile.has(Quirk::NegatedQuotients) {
        let kernels: Vec<Func> = context.module.kernels().collect();
        for kernel in kernels {
            replace(&mut context.module.functions[kernel]);
        }
    }
    Ok(())
}

fn replace(function: &mut Function) {
    let mut cursor = Cursor::new(function);
    while let Some(inst) = cursor.advance() {
        match replaced(&mut cursor, inst) {
            Some(value) => cursor.replace_result(inst, value),
            None => cursor.keep(inst),
        }
    }
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
