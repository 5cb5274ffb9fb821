//! Numbers in place of values.

use crate::passes::cursor::Cursor;
use clvk_ir::{BinaryOp, ConvertOp, Scalar, Type, Value};

/// A number of 32 bits that equal values share, and other values seldom.
pub fn hash(cursor: &mut Cursor<'_>, value: Value) -> Value {
    let mut hash = cursor.int(Type::I32, 0);
    for lane in cursor.lanes(value) {
        for word in words(cursor, lane) {
            let mixed = cursor.binary(BinaryOp::Xor, hash, word);
            hash = cursor.binary_int(BinaryOp::Mul, mixed, 0x9e37_79b1);
        }
    }
    let high = cursor.binary_int(BinaryOp::LShr, hash, 16);
    cursor.binary(BinaryOp::Xor, hash, high)
}

/// The bits of a scalar, in words.
fn words(cursor: &mut Cursor<'_>, value: Value) -> Vec<Value> {
    let wide = match cursor.function.ty(value) {
        Type::Pointer(_) => cursor.convert(ConvertOp::PointerToInt, value, Type::I64),
        Type::Scalar(Scalar::F16) => cursor.bitcast(value, Type::Scalar(Scalar::I16)),
        Type::Scalar(Scalar::F32) => cursor.bitcast(value, Type::I32),
        Type::Scalar(Scalar::F64) => cursor.bitcast(value, Type::I64),
        _ => value,
    };
    if cursor.function.ty(wide) == Type::I64 {
        let high = cursor.binary_int(BinaryOp::LShr, wide, 32);
        return [wide, high].map(|half| cursor.convert(ConvertOp::Truncate, half, Type::I32)).to_vec();
    }
    vec![cursor.resize(ConvertOp::ZeroExtend, wide, Type::I32)]
}
