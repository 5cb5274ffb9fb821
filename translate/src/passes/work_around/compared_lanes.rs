//! Extends vectors of integers to 64 bits lane by lane, for a driver that compares their lanes wrongly
//! otherwise ([`Quirk::ComparedLanes`]).

use crate::TranslateError;
use crate::passes::Context;
use crate::passes::cursor::{Cursor, replace_where};
use clvk_interface::Quirk;
use clvk_ir::{ConvertOp, Inst, Op, Scalar, Type, Value};

/// See the module.
///
/// # Errors
/// None.
pub fn run(context: &mut Context<'_, '_>) -> Result<(), Vec<TranslateError>> {
    if context.profile.has(Quirk::ComparedLanes) {
        for function in context.module.bodies_mut() {
            replace_where(function, replaced);
        }
    }
    Ok(())
}

fn replaced(cursor: &mut Cursor<'_>, inst: Inst) -> Option<Value> {
    let extension = Op::Convert(ConvertOp::SignExtend);
    if cursor.function.insts[inst].op != extension {
        return None;
    }
    let vector = cursor.operand(inst, 0);
    let to = cursor.function.ty(cursor.result(inst));
    if to.lanes() == 1 || to.scalar() != Some(Scalar::I64) || cursor.function.ty(vector).is_bool() {
        return None;
    }
    let mut lanes = cursor.lanes(vector);
    for lane in &mut lanes {
        *lane = cursor.convert(ConvertOp::SignExtend, *lane, Type::Scalar(Scalar::I64));
    }
    Some(cursor.construct(&lanes))
}
