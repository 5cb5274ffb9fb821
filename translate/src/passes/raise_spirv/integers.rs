//! Integers and truth values.

use crate::passes::cursor::Cursor;
use clvk_ir::{BinaryOp, CompareOp, ConvertOp, Inst, Op, Scalar, Type, UnaryOp, Value};

/// Counts zeros, using the position of a bit.
pub fn count(cursor: &mut Cursor<'_>, inst: Inst, op: UnaryOp) -> Option<Value> {
    let found = match op {
        UnaryOp::CountLeadingZeros => UnaryOp::HighestBit,
        UnaryOp::CountTrailingZeros => UnaryOp::LowestBit,
        _ => return None,
    };
    let value = cursor.operand(inst, 0);
    let ty = cursor.function.ty(value);
    let position = cursor.value(Op::Unary(found), &[value], ty);
    if op == UnaryOp::CountLeadingZeros {
        // The position for zero is −1.
        let last = cursor.int(ty, 31);
        return Some(cursor.binary(BinaryOp::Sub, last, position));
    }
    let (zero, width) = (cursor.function.zero(ty), cursor.int(ty, 32));
    let is_zero = cursor.compare(CompareOp::Eq, value, zero);
    Some(cursor.select(is_zero, width, position))
}

/// Truncates the count of a shift to the width, because SPIR-V leaves larger counts undefined.
pub fn shift(cursor: &mut Cursor<'_>, inst: Inst, op: BinaryOp) {
    if !matches!(op, BinaryOp::Shl | BinaryOp::LShr | BinaryOp::AShr) {
        return;
    }
    let count = cursor.operand(inst, 1);
    let bits = cursor.function.ty(count).scalar().map_or(0, Scalar::bits);
    if !cursor.function.is_below(count, u64::from(bits)) {
        let cut = cursor.binary_int(BinaryOp::And, count, i64::from(bits) - 1);
        cursor.function.insts[inst].operands[1] = cut;
    }
}

/// Converts truth values to integers.
pub fn of_truth(cursor: &mut Cursor<'_>, op: ConvertOp, value: Value, ty: Type) -> Option<Value> {
    let set = match op {
        ConvertOp::ZeroExtend => 1,
        ConvertOp::SignExtend => -1,
        _ => return None,
    };
    let (set, clear) = (cursor.int(ty, set), cursor.function.zero(ty));
    Some(cursor.select(value, set, clear))
}
