//! Adds, subtracts and multiplies 64-bit integers by words and comparisons, for a driver that runs out of
//! the GPU's only register for carries ([`Quirk::SingleCarry`]). GPUs with half precision have other
//! instructions. Products are sums too: the driver makes sums of shifted numbers of those by constants such
//! as 12, and knows specialisation constants.
//!
//! It runs after the last simplification, because addresses are sums as well.

use crate::TranslateError;
use crate::passes::Context;
use crate::passes::cursor::{Cursor, replace_where};
use clvk_interface::{DeviceProfile, Quirk};
use clvk_ir::{BinaryOp, CompareOp, Inst, KnownBits, Op, Scalar, Type, UnaryOp, Value};

/// See the module.
///
/// # Errors
/// None.
pub fn run(context: &mut Context<'_, '_>) -> Result<(), Vec<TranslateError>> {
    if applies(context.profile) {
        for function in context.module.bodies_mut() {
            let mut known = KnownBits::new(function);
            replace_where(function, |cursor, inst| replaced(cursor, &mut known, inst));
        }
    }
    Ok(())
}

/// Whether the device's GPU has one register for carries. Sums among the work-items of a sub-group are then
/// the compiler's too ([`sub_groups`](crate::passes::legalise)).
pub(crate) fn applies(profile: &DeviceProfile) -> bool {
    profile.has(Quirk::SingleCarry) && !profile.float16
}

fn replaced(cursor: &mut Cursor<'_>, known: &mut KnownBits, inst: Inst) -> Option<Value> {
    let ty = cursor.function.ty(*cursor.function.insts[inst].results.first()?);
    if ty.scalar() != Some(Scalar::I64) {
        return None;
    }
    let (op, operands) = match cursor.function.insts[inst].op {
        Op::Binary(op @ (BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul)) => {
            (op, [cursor.operand(inst, 0), cursor.operand(inst, 1)])
        }
        Op::Unary(UnaryOp::Neg) => (BinaryOp::Sub, [zero(cursor, ty), cursor.operand(inst, 0)]),
        _ => return None,
    };
    let bits = operands.map(|operand| known.of(cursor.function, operand));
    let high_product = if bits.iter().all(|bits| bits.fits_unsigned(32)) {
        Some(BinaryOp::UMulHi)
    } else if bits.iter().all(|bits| bits.fits_signed(32)) {
        Some(BinaryOp::SMulHi)
    } else {
        None
    };
    let [a, b] = operands.map(|operand| cursor.lanes(operand));
    let lanes = a.into_iter().zip(b).map(|(a, b)| {
        let [a, b] = [words(cursor, a), words(cursor, b)];
        let result = match op {
            BinaryOp::Mul => product(cursor, high_product, a, b),
            _ => sum(cursor, op, a, b),
        };
        let result = cursor.construct(&result);
        cursor.bitcast(result, Type::Scalar(Scalar::I64))
    });
    let lanes: Vec<Value> = lanes.collect();
    Some(cursor.construct(&lanes))
}

fn zero(cursor: &mut Cursor<'_>, ty: Type) -> Value {
    let zero = cursor.int(Type::I64, 0);
    cursor.construct(&vec![zero; ty.lanes() as usize])
}

/// The lower and the upper word.
fn words(cursor: &mut Cursor<'_>, number: Value) -> [Value; 2] {
    let words = cursor.bitcast(number, Type::Vector(Scalar::I32, 2));
    [0, 1].map(|lane| cursor.extract(words, lane))
}

/// The sum or difference of two numbers.
fn sum(cursor: &mut Cursor<'_>, op: BinaryOp, a: [Value; 2], b: [Value; 2]) -> [Value; 2] {
    let low = cursor.binary(op, a[0], b[0]);
    let carries = match op {
        BinaryOp::Add => cursor.compare(CompareOp::ULt, low, a[0]),
        _ => cursor.compare(CompareOp::ULt, a[0], b[0]),
    };
    let [one, none] = [1, 0].map(|number| cursor.int(Type::I32, number));
    let carry = cursor.select(carries, one, none);
    let high = cursor.binary(op, a[1], b[1]);
    [low, cursor.binary(op, high, carry)]
}

/// The product of two numbers; `high` gives the upper word of that of two words if both numbers are words,
/// extended.
fn product(cursor: &mut Cursor<'_>, high: Option<BinaryOp>, a: [Value; 2], b: [Value; 2]) -> [Value; 2] {
    let low = cursor.binary(BinaryOp::Mul, a[0], b[0]);
    let carried = cursor.binary(high.unwrap_or(BinaryOp::UMulHi), a[0], b[0]);
    if high.is_some() {
        return [low, carried];
    }
    let [one, other] = [(a[0], b[1]), (a[1], b[0])].map(|(a, b)| cursor.binary(BinaryOp::Mul, a, b));
    let cross = cursor.binary(BinaryOp::Add, one, other);
    [low, cursor.binary(BinaryOp::Add, carried, cross)]
}
