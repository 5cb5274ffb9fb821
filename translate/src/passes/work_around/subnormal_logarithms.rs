//! Flushes subnormal operands of logarithms to zero, where the driver returns neither their logarithm nor
//! that of zero ([`Quirk::SubnormalLogarithm`]). The device's own logarithms may flush them; in half
//! precision the conversion to single precision does so.

use crate::TranslateError;
use crate::passes::Context;
use crate::passes::cursor::{Cursor, replace_where};
use clvk_interface::Quirk;
use clvk_ir::{BinaryOp, CompareOp, Inst, MathOp, Op, Scalar, Value};

/// See the module.
///
/// # Errors
/// None.
pub fn run(context: &mut Context<'_, '_>) -> Result<(), Vec<TranslateError>> {
    if context.profile.has(Quirk::SubnormalLogarithm) {
        for function in context.module.bodies_mut() {
            replace_where(function, replaced);
        }
    }
    Ok(())
}

fn replaced(cursor: &mut Cursor<'_>, inst: Inst) -> Option<Value> {
    let Op::Math(op @ (MathOp::NativeLog | MathOp::NativeLog2)) = cursor.function.insts[inst].op else {
        return None;
    };
    let x = cursor.operand(inst, 0);
    let ty = cursor.function.ty(x);
    if ty.scalar() != Some(Scalar::F32) {
        return None;
    }
    let words = ty.with_scalar(Scalar::I32);
    let logarithm = cursor.value(Op::Math(op), &[x], ty);
    let word = cursor.bitcast(x, words);
    let magnitude = cursor.binary_int(BinaryOp::And, word, 0x7fff_ffff);
    let smallest = cursor.int(words, 0x0080_0000);
    let flushed = cursor.compare(CompareOp::ULt, magnitude, smallest);
    let none = cursor.function.float(ty, f64::NEG_INFINITY);
    Some(cursor.select(flushed, none, logarithm))
}
