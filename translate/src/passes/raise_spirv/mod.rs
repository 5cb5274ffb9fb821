//! Replaces operations that SPIR-V lacks by operations that it has, so the writer can write each as it is.
//!
//! - [`integers`]: shifts by counts beyond the width, counts of leading and trailing zeros, extensions of
//!   truth values;
//! - [`floats`]: comparisons that detect NaNs, clamps, conversions;
//! - here: selections of vectors by one condition, and selectors of few bits.
//!
//! After it the module is in [`Stage::Raised`](clvk_ir::verify::Stage::Raised). An operation that other
//! passes should have replaced is an assertion failure here: `legalise` leaves only what some device has. No
//! simplification may follow, because `simplify` would undo what was raised.

pub(super) mod floats;
pub(super) mod integers;

use super::{Context, cursor::Cursor, simplify::dce};
use crate::TranslateError;
use clvk_ir::{ConvertOp, Function, Inst, Op, Scalar, Type, Value};

/// The first version of SPIR-V that can select vectors by one condition.
const SELECTS_WHOLE_VECTORS: (u32, u32) = (1, 4);

/// See the module.
///
/// # Errors
/// None.
pub fn run(context: &mut Context<'_, '_>) -> Result<(), Vec<TranslateError>> {
    for function in context.module.bodies_mut() {
        raise(function, context.profile.spirv);
    }
    Ok(())
}

fn raise(function: &mut Function, version: (u32, u32)) {
    let mut cursor = Cursor::new(function);
    let mut clamps = false;
    while let Some(inst) = cursor.advance() {
        let raised = match cursor.function.insts[inst].op {
            Op::Unary(op) => integers::count(&mut cursor, inst, op),
            Op::Binary(op) => {
                integers::shift(&mut cursor, inst, op);
                None
            }
            Op::Compare(op) => floats::compare(&mut cursor, inst, op),
            Op::Convert(op) => convert(&mut cursor, inst, op),
            Op::Math(op) => {
                let clamp = floats::clamp(&mut cursor, inst, op);
                clamps |= clamp.is_some();
                clamp
            }
            Op::Select if version < SELECTS_WHOLE_VECTORS => {
                select(&mut cursor, inst);
                None
            }
            Op::Switch(_) => {
                widen_selector(&mut cursor, inst);
                None
            }
            _ => None,
        };
        match raised {
            Some(value) => cursor.replace_result(inst, value),
            None => cursor.keep(inst),
        }
    }
    if clamps {
        // The maximum that only the clamp used.
        dce::run(function);
    }
}

/// A conversion to the operand's own type, of truth values, or whose rounding has nothing to round.
fn convert(cursor: &mut Cursor<'_>, inst: Inst, op: ConvertOp) -> Option<Value> {
    let value = cursor.operand(inst, 0);
    let (from, to) = (cursor.function.ty(value), cursor.function.ty(cursor.result(inst)));
    if from == to {
        return Some(value);
    }
    if from.is_bool() {
        return integers::of_truth(cursor, op, value, to);
    }
    floats::set_rounding(cursor.function, inst, op, from, to);
    None
}

/// Selects each lane of a vector by its own condition.
fn select(cursor: &mut Cursor<'_>, inst: Inst) {
    let condition = cursor.operand(inst, 0);
    let lanes = cursor.function.ty(cursor.result(inst)).lanes() as usize;
    if lanes > 1 && cursor.function.ty(condition) == Type::BOOL {
        let conditions = cursor.construct(&vec![condition; lanes]);
        cursor.function.insts[inst].operands[0] = conditions;
    }
}

/// Switches are over integers of 32 bits or more.
fn widen_selector(cursor: &mut Cursor<'_>, inst: Inst) {
    let selector = cursor.operand(inst, 0);
    let bits = cursor.function.ty(selector).scalar().map_or(0, Scalar::bits);
    if bits < 32 {
        let wide = cursor.convert(ConvertOp::ZeroExtend, selector, Type::I32);
        cursor.function.insts[inst].operands[0] = wide;
    }
}
