//! Packs four 16-bit numbers into 64 bits by arithmetic, for a driver whose compiler cannot do it in one step
//! ([`Quirk::PackedQuarters`]). That compiler knows the step again in bit casts by way of two words and in
//! `lower | upper << 16`; in a sum it does not.

use crate::TranslateError;
use crate::passes::Context;
use crate::passes::cursor::{Cursor, replace_where};
use clvk_interface::Quirk;
use clvk_ir::{BinaryOp, ConvertOp, Inst, Op, Scalar, Type, Value};

/// See the module.
///
/// # Errors
/// None.
pub fn run(context: &mut Context<'_, '_>) -> Result<(), Vec<TranslateError>> {
    if context.profile.has(Quirk::PackedQuarters) {
        for function in context.module.bodies_mut() {
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
        let quarters = cursor.bitcast(value, from.with_scalar(Scalar::I16));
        let lanes = cursor.lanes(quarters);
        let words: Vec<Value> = lanes.chunks(2).map(|pair| word(cursor, pair[0], pair[1])).collect();
        let words = cursor.construct(&words);
        cursor.bitcast(words, to)
    })
}

/// Two 16-bit numbers as one of 32 bits.
fn word(cursor: &mut Cursor<'_>, lower: Value, upper: Value) -> Value {
    let [lower, upper] = [lower, upper].map(|half| cursor.convert(ConvertOp::ZeroExtend, half, Type::I32));
    let upper = cursor.binary_int(BinaryOp::Shl, upper, 16);
    cursor.binary(BinaryOp::Add, lower, upper)
}
