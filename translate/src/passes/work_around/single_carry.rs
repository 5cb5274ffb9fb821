//! Adds and subtracts 64-bit integers by words and comparisons, for a driver that runs out of the GPU's only
//! register for carries ([`Quirk::SingleCarry`]). GPUs with half precision have other instructions.
//!
//! It runs after the last simplification, because addresses are sums as well.

use crate::TranslateError;
use crate::passes::Context;
use crate::passes::cursor::{Cursor, replace_where};
use clvk_interface::{DeviceProfile, Quirk};
use clvk_ir::{BinaryOp, CompareOp, Inst, Op, Scalar, Type, Value};

/// See the module.
///
/// # Errors
/// None.
pub fn run(context: &mut Context<'_, '_>) -> Result<(), Vec<TranslateError>> {
    if applies(context.profile) {
        for function in context.module.bodies_mut() {
            replace_where(function, replaced);
        }
    }
    Ok(())
}

/// Whether the device's GPU has one register for carries. Sums among the work-items of a sub-group are then the
/// compiler's too ([`sub_groups`](crate::passes::legalise)).
pub(crate) fn applies(profile: &DeviceProfile) -> bool {
    profile.has(Quirk::SingleCarry) && !profile.float16
}

fn replaced(cursor: &mut Cursor<'_>, inst: Inst) -> Option<Value> {
    let Op::Binary(op @ (BinaryOp::Add | BinaryOp::Sub)) = cursor.function.insts[inst].op else {
        return None;
    };
    if cursor.function.ty(cursor.result(inst)).scalar() != Some(Scalar::I64) {
        return None;
    }
    let [a, b] = [0, 1].map(|position| {
        let operand = cursor.operand(inst, position);
        cursor.lanes(operand)
    });
    let lanes: Vec<Value> = a.into_iter().zip(b).map(|(a, b)| by_words(cursor, op, a, b)).collect();
    Some(cursor.construct(&lanes))
}

/// The sum or difference of two numbers.
fn by_words(cursor: &mut Cursor<'_>, op: BinaryOp, a: Value, b: Value) -> Value {
    let [a, b] = [a, b].map(|number| {
        let words = cursor.bitcast(number, Type::Vector(Scalar::I32, 2));
        cursor.lanes(words)
    });
    let low = cursor.binary(op, a[0], b[0]);
    let carries = match op {
        BinaryOp::Add => cursor.compare(CompareOp::ULt, low, a[0]),
        _ => cursor.compare(CompareOp::ULt, a[0], b[0]),
    };
    let [one, none] = [1, 0].map(|number| cursor.int(Type::I32, number));
    let carry = cursor.select(carries, one, none);
    let high = cursor.binary(op, a[1], b[1]);
    let high = cursor.binary(op, high, carry);
    let words = cursor.construct(&[low, high]);
    cursor.bitcast(words, Type::Scalar(Scalar::I64))
}
