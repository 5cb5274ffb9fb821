//! Packs four 16-bit numbers into 64 bits by way of two 32-bit words, for a driver whose compiler cannot do
//! it in one step ([`Quirk::PackedQuarters`]).

use crate::TranslateError;
use crate::passes::Context;
use crate::passes::cursor::{Cursor, replace_where};
use clvk_interface::Quirk;
use clvk_ir::{ConvertOp, Inst, Op, Scalar, Type, Value};

/// See the module.
///
/// # Errors
/// None.
pub fn run(context: &mut Context<'_, '_>) -> Result<(), Vec<TranslateError>> {
    if context.profile.has(Quirk::PackedQuarters) {
        for function in context.module.kernels_mut() {
            replace_where(function, replaced);
        }
    }
    Ok(())
}

fn replaced(cursor: &mut Cursor<'_>, inst: Inst) -> Option<Value> {
    if cursor.function.insts[inst].op != Op::Convert(ConvertOp::Bitcast) {
        return None;
    }
    let value = cursor.operand(inst, 0);
    let from = cursor.function.ty(value);
    let to = cursor.function.ty(cursor.result(inst));
    let packs = matches!(from, Type::Vector(scalar, 4) if scalar.bits() == 16)
        && matches!(to, Type::Scalar(scalar) if scalar.bits() == 64);
    packs.then(|| {
        let words = cursor.bitcast(value, Type::Vector(Scalar::I32, 2));
        cursor.bitcast(words, to)
    })
}
