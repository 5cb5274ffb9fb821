//! Integers.

use crate::passes::cursor::Cursor;
use clvk_ir::{BinaryOp, Type, Value};

/// The upper word of a product, from products of half words.
pub fn multiply_high(cursor: &mut Cursor<'_>, op: BinaryOp, a: Value, b: Value) -> Value {
    assert_eq!(cursor.function.ty(a), Type::I32, "`legalise` leaves only high products of words");
    let mut halves = |value| {
        let low = cursor.binary_int(BinaryOp::And, value, 0xffff);
        (low, cursor.binary_int(BinaryOp::LShr, value, 16))
    };
    let ((a_low, a_high), (b_low, b_high)) = (halves(a), halves(b));
    let lowest = cursor.binary(BinaryOp::Mul, a_low, b_low);
    let carry = cursor.binary_int(BinaryOp::LShr, lowest, 16);
    let first = cursor.binary(BinaryOp::Mul, a_high, b_low);
    let first = cursor.binary(BinaryOp::Add, first, carry);
    let second = cursor.binary(BinaryOp::Mul, a_low, b_high);
    let first_low = cursor.binary_int(BinaryOp::And, first, 0xffff);
    let second = cursor.binary(BinaryOp::Add, second, first_low);
    let highest = cursor.binary(BinaryOp::Mul, a_high, b_high);
    let mut high = highest;
    for middle in [first, second] {
        let upper = cursor.binary_int(BinaryOp::LShr, middle, 16);
        high = cursor.binary(BinaryOp::Add, high, upper);
    }
    if op == BinaryOp::UMulHi {
        return high;
    }
    // A negative factor was counted as 2^32 more.
    for (negative, other) in [(a, b), (b, a)] {
        let sign = cursor.binary_int(BinaryOp::AShr, negative, 31);
        let excess = cursor.binary(BinaryOp::And, sign, other);
        high = cursor.binary(BinaryOp::Sub, high, excess);
    }
    high
}
