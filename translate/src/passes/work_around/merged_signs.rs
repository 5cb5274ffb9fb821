//! Computes `copysign` by a choice between the negative and the positive number, where the driver gets a sign
//! composed from bits wrong ([`Quirk::MergedSigns`]).

use crate::TranslateError;
use crate::passes::{Context, cursor::Cursor, float_bits::layout};
use clvk_interface::Quirk;
use clvk_ir::{BinaryOp, CompareOp, Func, Function, MathOp, Op, Value};

/// See the module.
///
/// # Errors
/// None.
pub fn run(context: &mut Context<'_, '_>) -> Result<(), Vec<TranslateError>> {
    if context.profile.has(Quirk::MergedSigns) {
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
        if cursor.function.insts[inst].op == Op::Math(MathOp::CopySign) {
            let operands = cursor.operands(inst);
            let value = copy_sign(&mut cursor, operands[0], operands[1]);
            cursor.replace_result(inst, value);
        } else {
            cursor.keep(inst);
        }
    }
}

fn copy_sign(cursor: &mut Cursor<'_>, magnitude: Value, signed: Value) -> Value {
    let ty = cursor.function.ty(magnitude);
    let (integers, sign) = layout(ty);
    let [magnitude, signed] = [magnitude, signed].map(|number| cursor.bitcast(number, integers));
    let positive = cursor.binary_int(BinaryOp::And, magnitude, !sign);
    let negative = cursor.binary_int(BinaryOp::Or, magnitude, sign);
    let zero = cursor.function.zero(integers);
    let is_negative = cursor.compare(CompareOp::SLt, signed, zero);
    let bits = cursor.select(is_negative, negative, positive);
    cursor.bitcast(bits, ty)
}
