//! Checks that strings which `printf` writes end inside of their objects.

use super::shadow::Shadow;
use crate::passes::cursor::Cursor;
use clvk_interface::sanitize::NULL_OBJECT;
use clvk_ir::{BinaryOp, CompareOp, ConvertOp, Op, Type, Value};

/// Searches for the end of a string, in at most `limit` bytes. Gives whether it is in the object, which holds
/// for null pointers too, and the distance from the object's start at which the search ended, `I64`.
pub fn search(cursor: &mut Cursor<'_>, pointer: Value, shadow: Shadow, limit: u32) -> (Value, Value) {
    let ty = cursor.function.ty(pointer);
    let (zero, most) = (cursor.int(Type::I32, 0), cursor.int(Type::I32, limit.into()));
    let null = cursor.int(Type::I32, NULL_OBJECT.into());
    let is_null = cursor.compare(CompareOp::Eq, shadow.object, null);
    let most = cursor.select(is_null, zero, most);
    let begun = cursor.begin_loop(&[zero], &[Type::BOOL, Type::I64]);
    let index = begun.carried[0];
    let wide = cursor.convert(ConvertOp::ZeroExtend, index, Type::I64);
    let place = cursor.binary(BinaryOp::Add, shadow.offset, wide);
    let (good, bad) = (cursor.int(Type::BOOL, 1), cursor.int(Type::BOOL, 0));
    let goes_on = cursor.compare(CompareOp::ULt, index, most);
    cursor.exit_when(goes_on, false, begun.inst, &[good, place]);
    let inside = cursor.compare(CompareOp::ULt, place, shadow.size);
    cursor.exit_when(inside, false, begun.inst, &[bad, place]);
    let address = cursor.value(Op::PointerIndex { stride: 1 }, &[pointer, wide], ty);
    let byte = cursor.value(Op::Load { align: 1, volatile: false }, &[address], Type::I8);
    let end = cursor.int(Type::I8, 0);
    let ends = cursor.compare(CompareOp::Eq, byte, end);
    cursor.exit_when(ends, true, begun.inst, &[good, place]);
    let next = cursor.binary_int(BinaryOp::Add, index, 1);
    cursor.end_loop(&begun, &[next]);
    let results = &cursor.function.insts[begun.inst].results;
    (results[0], results[1])
}
