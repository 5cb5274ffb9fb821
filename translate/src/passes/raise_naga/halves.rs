//! Conversions between halves and integers, by way of single precision.
//!
//! An integer that single precision does not have is beyond the largest half, so rounding twice is harmless.

use crate::passes::cursor::Cursor;
use clvk_ir::{ConvertOp, RoundingMode, Scalar, Type, Value};

/// A conversion in two steps; `None` if there is no half, or no integer.
pub fn convert(cursor: &mut Cursor<'_>, op: ConvertOp, value: Value, to: Type) -> Option<Value> {
    let from = cursor.function.ty(value);
    let through = ConvertOp::Float(RoundingMode::NearestEven);
    match op {
        ConvertOp::SignedToFloat(_) | ConvertOp::UnsignedToFloat(_) if to.scalar() == Some(Scalar::F16) => {
            let op = match op {
                ConvertOp::SignedToFloat(_) => ConvertOp::SignedToFloat(RoundingMode::NearestEven),
                _ => ConvertOp::UnsignedToFloat(RoundingMode::NearestEven),
            };
            let single = cursor.convert(op, value, to.with_scalar(Scalar::F32));
            Some(cursor.convert(through, single, to))
        }
        ConvertOp::FloatToSigned { .. } | ConvertOp::FloatToUnsigned { .. }
            if from.scalar() == Some(Scalar::F16) =>
        {
            let single = cursor.convert(through, value, from.with_scalar(Scalar::F32));
            Some(cursor.convert(op, single, to))
        }
        _ => None,
    }
}
