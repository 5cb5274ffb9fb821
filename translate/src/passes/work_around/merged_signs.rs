//! Computes `copysign` by a choice between the negative and the positive number, where the driver gets a sign
//! composed from bits wrong ([`Quirk::MergedSigns`]).

use crate::TranslateError;
use crate::passes::cursor::{Cursor, replace_where};
use crate::passes::{Context, float_bits::layout};
use clvk_interface::Quirk;
use clvk_ir::{BinaryOp, CompareOp, Inst, MathOp, Op, Value};

/// See the module.
///
/// # Errors
/// None.
pub fn run(context: &mut Context<'_, '_>) -> Result<(), Vec<TranslateError>> {
    if context.profile.has(Quirk::MergedSigns) {
        for function in context.module.bodies_mut() {
            replace_where(function, replaced);
        }
    }
    Ok(())
}

fn replaced(cursor: &mut Cursor<'_>, inst: Inst) -> Option<Value> {
    if cursor.function.insts[inst].op != Op::Math(MathOp::CopySign) {
        return None;
    }
    let (magnitude, signed) = (cursor.operand(inst, 0), cursor.operand(inst, 1));
    let ty = cursor.function.ty(magnitude);
    let (integers, sign) = layout(ty);
    let [magnitude, signed] = [magnitude, signed].map(|number| cursor.bitcast(number, integers));
    let positive = cursor.binary_int(BinaryOp::And, magnitude, !sign);
    let negative = cursor.binary_int(BinaryOp::Or, magnitude, sign);
    let zero = cursor.function.zero(integers);
    let is_negative = cursor.compare(CompareOp::SLt, signed, zero);
    let bits = cursor.select(is_negative, negative, positive);
    Some(cursor.bitcast(bits, ty))
}
