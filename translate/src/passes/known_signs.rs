//! Decides what the signs of numbers decide.
//!
//! - What library functions ask ([`MathOp::NeverPositive`]): whether a number is known not to be positive.
//!   Exponentials of such numbers take fewer operations, and `exp(-x * x)` is the most common one.
//! - Comparisons, as `dot(v, v) < 0`, and extremes, as `max(sqrt(x), 0)`, where that is right for NaNs, too.
//!
//! It stands before loops are unrolled, so that their bodies show their real size.

use super::Context;
use super::cursor::{Cursor, replace_where};
use crate::TranslateError;
use clvk_ir::{CompareOp, Function, Inst, KnownSigns, MathOp, Op, Value};

/// See the module.
///
/// # Errors
/// None.
pub fn run(context: &mut Context<'_, '_>) -> Result<(), Vec<TranslateError>> {
    for function in context.module.bodies_mut() {
        if !function.insts.iter().any(|(inst, _)| asks(function, inst)) {
            continue;
        }
        let mut known = KnownSigns::new(function);
        replace_where(function, |cursor, inst| decided(cursor, &mut known, inst));
    }
    Ok(())
}

/// Whether an instruction's result may follow from signs.
fn asks(function: &Function, inst: Inst) -> bool {
    match function.insts[inst].op {
        Op::Compare(_) => function.ty(function.insts[inst].operands[0]).is_float(),
        Op::Math(MathOp::NeverPositive | MathOp::FMin | MathOp::FMax) => true,
        _ => false,
    }
}

/// What an instruction's result is.
fn decided(cursor: &mut Cursor<'_>, known: &mut KnownSigns, inst: Inst) -> Option<Value> {
    if !asks(cursor.function, inst) {
        return None;
    }
    let op = cursor.function.insts[inst].op.clone();
    let operands = cursor.operands(inst);
    let signs = |known: &mut KnownSigns, position: usize| known.of(cursor.function, operands[position]);
    let truth = match op {
        Op::Math(MathOp::NeverPositive) => signs(known, 0).is_never_positive(),
        Op::Math(op) => {
            let is_beyond = if op == MathOp::FMax { CompareOp::FUGe } else { CompareOp::FULe };
            let mut is_result = |this: usize, other: usize| {
                let (this, other) = (signs(known, this), signs(known, other));
                this.is_never_nan() && this.compared(is_beyond, other) == Some(true)
            };
            return [(0, 1), (1, 0)].into_iter().find(|&(a, b)| is_result(a, b)).map(|(a, _)| operands[a]);
        }
        Op::Compare(op) => signs(known, 0).compared(op, signs(known, 1))?,
        _ => return None,
    };
    let ty = cursor.function.ty(cursor.result(inst));
    Some(cursor.int(ty, i64::from(truth)))
}
