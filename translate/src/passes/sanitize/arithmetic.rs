//! Checks of the arithmetic of integers, and of conversions to integers.

use super::report::{Details, Reporter};
use super::when;
use crate::passes::cursor::Cursor;
use clvk_interface::sanitize::{Checked, Kind, Kinds, Signed};
use clvk_ir::{
    BinaryOp, CompareOp, Constant, ConvertOp, FastMath, Inst, Op, RoundingMode, Scalar, Type, UnaryOp, Value,
};

/// Whether a condition is true in any lane.
pub fn any(cursor: &mut Cursor<'_>, condition: Value) -> Value {
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
            reporter.report(cursor, Checked::Divisor { remainder, signed, lanes: ty.lanes() }, details);
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
    of_scalars(cursor, &[value], extend)
}

/// One or two integers, if they are single numbers.
fn of_scalars(cursor: &mut Cursor<'_>, values: &[Value], extend: ConvertOp) -> Details {
    let mut details = Details::default();
    for (detail, &value) in details.values.iter_mut().zip(values) {
        let is_one = cursor.function.ty(value).lanes() == 1;
        *detail = is_one.then(|| cursor.resize(extend, value, Type::I64));
    }
    details
}

/// Checks how the operand of an [`Op::Checked`] is made.
pub fn checked(cursor: &mut Cursor<'_>, reporter: &mut Reporter<'_>, inst: Inst, kinds: Kinds) {
    let result = cursor.operand(inst, 0);
    let Some(data) = cursor.function.defining_inst(result).map(|inst| &cursor.function.insts[inst]) else {
        return;
    };
    let (op, operands) = (data.op.clone(), data.operands.to_vec());
    match op {
        Op::Binary(BinaryOp::Shl | BinaryOp::LShr | BinaryOp::AShr) if kinds.has(Kind::Shifts) => {
            shift(cursor, reporter, operands[1]);
        }
        _ if kinds.has(Kind::Overflow) => overflow(cursor, reporter, result, &op, &operands),
        _ => {}
    }
}

/// Checks the count of a shift. OpenCL C takes it modulo the width (§6.5.10), so the shift is kept.
fn shift(cursor: &mut Cursor<'_>, reporter: &mut Reporter<'_>, count: Value) {
    let ty = cursor.function.ty(count);
    let bits = ty.scalar().map_or(0, Scalar::bits);
    let constant = cursor.function.as_constant(count);
    let is_less = |lane: usize| constant.and_then(|it| it.lane(lane)).is_some_and(|it| it < u64::from(bits));
    if (0..ty.lanes() as usize).all(is_less) {
        return;
    }
    let width = cursor.int(ty, bits.into());
    let is_too_large = cursor.compare(CompareOp::UGe, count, width);
    let fails = any(cursor, is_too_large);
    when(cursor, fails, |cursor| {
        let details = of_scalar(cursor, count, ConvertOp::SignExtend);
        reporter.report(cursor, Checked::Count { bits, lanes: ty.lanes() }, details);
    });
}

/// Checks that the result of signed arithmetic fits.
fn overflow(
    cursor: &mut Cursor<'_>,
    reporter: &mut Reporter<'_>,
    result: Value,
    op: &Op,
    operands: &[Value],
) {
    let ty = cursor.function.ty(result);
    let bits = ty.scalar().map_or(0, Scalar::bits);
    let zero = cursor.function.zero(ty);
    let sign = |cursor: &mut Cursor<'_>, first, second| cursor.binary(BinaryOp::Xor, first, second);
    let (operation, overflows) = match (op, operands) {
        (Op::Binary(BinaryOp::Add), &[left, right]) => {
            // Both operands have another sign than the sum.
            let (first, second) = (sign(cursor, left, result), sign(cursor, right, result));
            let both = cursor.binary(BinaryOp::And, first, second);
            (Signed::Sum, cursor.compare(CompareOp::SLt, both, zero))
        }
        (Op::Binary(BinaryOp::Sub), &[left, right]) => {
            let (first, second) = (sign(cursor, left, right), sign(cursor, left, result));
            let both = cursor.binary(BinaryOp::And, first, second);
            (Signed::Difference, cursor.compare(CompareOp::SLt, both, zero))
        }
        (Op::Binary(BinaryOp::Mul), &[left, right]) => {
            let high = cursor.value(Op::Binary(BinaryOp::SMulHi), &[left, right], ty);
            let extension = cursor.binary_int(BinaryOp::AShr, result, i64::from(bits) - 1);
            (Signed::Product, cursor.compare(CompareOp::Ne, high, extension))
        }
        (Op::Unary(UnaryOp::Neg), &[operand]) => {
            let least = cursor.int(ty, 1i64.wrapping_shl(bits - 1));
            (Signed::Negation, cursor.compare(CompareOp::Eq, operand, least))
        }
        _ => return,
    };
    let fails = any(cursor, overflows);
    when(cursor, fails, |cursor| {
        let details = of_scalars(cursor, operands, ConvertOp::SignExtend);
        reporter.report(cursor, Checked::Overflow { operation, bits, lanes: ty.lanes() }, details);
    });
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
    let fails = cursor.value(Op::Unary(UnaryOp::Not), &[fits], cursor.function.ty(fits));
    let fails = any(cursor, fails);
    when(cursor, fails, |cursor| {
        let value = bits_of(cursor, number);
        let single = digits == 24;
        let details = Details { object: None, values: [value, None] };
        reporter.report(cursor, Checked::Conversion { bits, signed, single, lanes: ty.lanes() }, details);
    });
    cursor.set_fast_math(fast_math);
}

/// The bits of a number of single or double precision, `I64`.
pub fn bits_of(cursor: &mut Cursor<'_>, number: Value) -> Option<Value> {
    match cursor.function.ty(number) {
        Type::Scalar(Scalar::F32) => {
            let word = cursor.bitcast(number, Type::I32);
            Some(cursor.convert(ConvertOp::ZeroExtend, word, Type::I64))
        }
        Type::Scalar(Scalar::F64) => Some(cursor.bitcast(number, Type::I64)),
        _ => None,
    }
}

/// A floating-point constant in all lanes.
fn float(cursor: &mut Cursor<'_>, ty: Type, value: f64) -> Value {
    let bits = match ty.scalar() {
        Some(Scalar::F64) => value.to_bits(),
        _ => u64::from((value as f32).to_bits()),
    };
    cursor.function.constant(ty, Constant::Bits(bits))
}
