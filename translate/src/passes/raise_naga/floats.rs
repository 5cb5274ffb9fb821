//! Floating-point numbers. WGSL lets implementations assume that there are no NaNs, and its comparisons and
//! extremes say nothing of them, so what must respect them is made of ordered comparisons and of tests of
//! bits.

use crate::passes::cursor::Cursor;
use crate::passes::float_bits;
use clvk_ir::fold::to_f64;
use clvk_ir::{BinaryOp, CompareOp, FastMath, MathOp, Op, UnaryOp, Value};

/// A comparison, made of ordered ones.
pub fn compare(
    cursor: &mut Cursor<'_>,
    op: CompareOp,
    (a, b): (Value, Value),
    fast_math: FastMath,
) -> Option<Value> {
    use CompareOp::{FOEq, FOGe, FOGt, FOLe, FOLt, FONe, FOrd, FUEq, FUGe, FUGt, FULe, FULt, FUNe, FUno};
    let numbers = fast_math.contains(FastMath::NO_NAN);
    match op {
        // True for all numbers, and false if one of the operands is a NaN.
        FOrd | FUno => {
            let [a, b] = [a, b].map(|number| is_nan(cursor, number));
            let either = cursor.binary(BinaryOp::Or, a, b);
            Some(if op == FUno { either } else { not(cursor, either) })
        }
        FONe | FUEq if numbers => {
            let equal = cursor.compare(FOEq, a, b);
            Some(if op == FUEq { equal } else { not(cursor, equal) })
        }
        FONe | FUEq => {
            let [less, greater] = [FOLt, FOGt].map(|ordered| cursor.compare(ordered, a, b));
            let differ = cursor.binary(BinaryOp::Or, less, greater);
            Some(if op == FONe { differ } else { not(cursor, differ) })
        }
        FUNe => negated(cursor, FOEq, a, b),
        FULt if numbers => Some(cursor.compare(FOLt, a, b)),
        FULe if numbers => Some(cursor.compare(FOLe, a, b)),
        FUGt if numbers => Some(cursor.compare(FOGt, a, b)),
        FUGe if numbers => Some(cursor.compare(FOGe, a, b)),
        FULt => negated(cursor, FOGe, a, b),
        FULe => negated(cursor, FOGt, a, b),
        FUGt => negated(cursor, FOLe, a, b),
        FUGe => negated(cursor, FOLt, a, b),
        _ => None,
    }
}

fn not(cursor: &mut Cursor<'_>, value: Value) -> Value {
    let ty = cursor.function.ty(value);
    cursor.value(Op::Unary(UnaryOp::Not), &[value], ty)
}

/// What is true where an ordered comparison is false.
fn negated(cursor: &mut Cursor<'_>, ordered: CompareOp, a: Value, b: Value) -> Option<Value> {
    let holds = cursor.compare(ordered, a, b);
    Some(not(cursor, holds))
}

/// A minimum or maximum that ignores a NaN.
pub fn extreme(
    cursor: &mut Cursor<'_>,
    op: MathOp,
    operands: &[Value],
    fast_math: FastMath,
) -> Option<Value> {
    let comparison = match op {
        MathOp::FMin => CompareOp::FOLt,
        MathOp::FMax => CompareOp::FOGt,
        _ => return None,
    };
    if fast_math.contains(FastMath::NO_NAN) {
        return None;
    }
    // A constant that is a number comes second: then only the comparison is needed.
    let (mut first, mut second) = (operands[0], operands[1]);
    if is_number(cursor, first) {
        std::mem::swap(&mut first, &mut second);
    }
    let mut takes_first = cursor.compare(comparison, first, second);
    if !is_number(cursor, second) {
        let nothing = is_nan(cursor, second);
        takes_first = cursor.binary(BinaryOp::Or, takes_first, nothing);
    }
    Some(cursor.select(takes_first, first, second))
}

/// Whether a number is a NaN. There are no 16-bit integers.
fn is_nan(cursor: &mut Cursor<'_>, number: Value) -> Value {
    float_bits::on_bits(cursor, MathOp::IsNan, &[number], false)
}

/// Whether a value is a constant without a NaN.
fn is_number(cursor: &Cursor<'_>, value: Value) -> bool {
    let lanes = cursor.function.ty(value).lanes() as usize;
    let Some(scalar) = cursor.function.ty(value).scalar() else { return false };
    let is_number = |bits: u64| !to_f64(scalar, bits).is_nan();
    cursor
        .function
        .as_constant(value)
        .is_some_and(|constant| (0..lanes).all(|lane| constant.lane(lane).is_some_and(is_number)))
}
