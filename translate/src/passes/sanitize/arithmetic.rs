//! Checks of integer divisions, and of conversions to integers. Shifts need none: OpenCL C takes their count
//! modulo the width (§6.5.10).

use super::report::{Details, Reporter};
use super::when;
use crate::passes::cursor::Cursor;
use clvk_interface::sanitize::Checked;
use clvk_ir::{
    BinaryOp, CompareOp, Constant, ConvertOp, FastMath, Inst, RoundingMode, Scalar, Type, UnaryOp, Value,
};

/// Whether a condition is true in any lane.
fn any(cursor: &mut Cursor<'_>, condition: Value) -> Value {
    let lanes = cursor.lanes(condition);
    let all = lanes.into_iter().reduce(|any, lane| cursor.binary(BinaryOp::Or, any, lane));
    all.expect("vectors have lanes")
}

/// Checks the divisor and the quotient of a division.
pub fn division(cursor: &mut Cursor<'_>, reporter: &mut Reporter<'_>, inst: Inst, op: BinaryOp) {
    let (dividend, divisor) = (cursor.operand(inst, 0), cursor.operand(inst, 1));
    let ty = cursor.function.ty(divisor);
    let scalar = ty.scalar().expect("integers are divided");
    let lanes = ty.lanes() as usize;
    let signed = matches!(op, BinaryOp::SDiv | BinaryOp::SRem);
    let known = cursor.function.as_constant(divisor);
    let lane = |lane: usize| known.and_then(|constant| constant.lane(lane));
    let is_harmless = (0..lanes).all(|at| lane(at).is_some_and(|bits| bits != 0));
    let fits = (0..lanes).all(|at| lane(at).is_some_and(|bits| bits != scalar.mask()));
    let extend = if signed { ConvertOp::SignExtend } else { ConvertOp::ZeroExtend };
    if !is_harmless {
        let zero = cursor.function.zero(ty);
        let is_zero = cursor.compare(CompareOp::Eq, divisor, zero);
        let fails = any(cursor, is_zero);
        let remainder = matches!(op, BinaryOp::SRem | BinaryOp::URem);
        when(cursor, fails, |cursor| {
            let details = of_scalar(cursor, dividend, extend);
            reporter.report(cursor, Checked::Divisor { remainder }, details);
        });
    }
    if signed && !fits {
        let least = cursor.int(ty, 1i64.wrapping_shl(scalar.bits() - 1));
        let minus_one = cursor.int(ty, -1);
        let is_least = cursor.compare(CompareOp::Eq, dividend, least);
        let is_minus_one = cursor.compare(CompareOp::Eq, divisor, minus_one);
        let both = cursor.binary(BinaryOp::And, is_least, is_minus_one);
        let fails = any(cursor, both);
        when(cursor, fails, |cursor| {
            let details = of_scalar(cursor, dividend, extend);
            reporter.report(cursor, Checked::Quotient, details);
        });
    }
}

/// An integer, if it is one number.
fn of_scalar(cursor: &mut Cursor<'_>, value: Value, extend: ConvertOp) -> Details {
    let ty = cursor.function.ty(value);
    let value = (ty.lanes() == 1).then(|| cursor.resize(extend, value, Type::I64));
    Details { object: None, values: [value, None] }
}

/// Checks that a floating-point number fits the integer that it becomes.
pub fn conversion(cursor: &mut Cursor<'_>, reporter: &mut Reporter<'_>, inst: Inst, op: ConvertOp) {
    let signed = match op {
        ConvertOp::FloatToSigned { saturating: false } => true,
        ConvertOp::FloatToUnsigned { saturating: false } => false,
        _ => return,
    };
    let (mut number, result) = (cursor.operand(inst, 0), cursor.result(inst));
    let (from, to) = (cursor.function.ty(number), cursor.function.ty(result));
    let bits = to.scalar().map_or(0, Scalar::bits);
    // Nothing that makes the number less than it is may be assumed about it.
    let fast_math = cursor.set_fast_math(FastMath::empty());
    if from.scalar() == Some(Scalar::F16) {
        let wide = from.with_scalar(Scalar::F32);
        number = cursor.convert(ConvertOp::Float(RoundingMode::NearestEven), number, wide);
    }
    let ty = cursor.function.ty(number);
    let digits = if ty.scalar() == Some(Scalar::F64) { 53 } else { 24 };
    let (low, high) = match signed {
        true => (-(2f64.powi(bits as i32 - 1)), 2f64.powi(bits as i32 - 1)),
        false => (0.0, 2f64.powi(bits as i32)),
    };
    // Fractions are dropped, so numbers above `low - 1` fit, where that can be told from `low`.
    let (low, above) = if bits < digits { (low - 1.0, CompareOp::FOGt) } else { (low, CompareOp::FOGe) };
    let (above, low) = if !signed { (CompareOp::FOGt, -1.0) } else { (above, low) };
    let [low, high] = [low, high].map(|bound| float(cursor, ty, bound));
    let above = cursor.compare(above, number, low);
    let below = cursor.compare(CompareOp::FOLt, number, high);
    let fits = cursor.binary(BinaryOp::And, above, below);
    let fails = cursor.value(clvk_ir::Op::Unary(UnaryOp::Not), &[fits], cursor.function.ty(fits));
    let fails = any(cursor, fails);
    when(cursor, fails, |cursor| {
        let value = match ty {
            Type::Scalar(Scalar::F32) => {
                let word = cursor.bitcast(number, Type::I32);
                Some(cursor.convert(ConvertOp::ZeroExtend, word, Type::I64))
            }
            Type::Scalar(Scalar::F64) => Some(cursor.bitcast(number, Type::I64)),
            _ => None,
        };
        let single = digits == 24;
        let details = Details { object: None, values: [value, None] };
        reporter.report(cursor, Checked::Conversion { bits, signed, single, lanes: ty.lanes() }, details);
    });
    cursor.set_fast_math(fast_math);
}

/// A floating-point constant in all lanes.
fn float(cursor: &mut Cursor<'_>, ty: Type, value: f64) -> Value {
    let bits = match ty.scalar() {
        Some(Scalar::F64) => value.to_bits(),
        _ => u64::from((value as f32).to_bits()),
    };
    cursor.function.constant(ty, Constant::Bits(bits))
}
