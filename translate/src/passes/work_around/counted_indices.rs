//! Adds a zero that the driver does not know to the indices of private arrays that a loop carries from
//! iteration to iteration, for a driver that gives such a number and its next value one register too early
//! ([`Quirk::CountedIndices`]).
//!
//! It runs after the last pass that changes which values regions pass on.

use crate::TranslateError;
use crate::passes::{Context, cursor::Cursor, zero::Zero};
use clvk_interface::Quirk;
use clvk_ir::{BinaryOp, Function, Op, Scalar, Type, Value};
use rustc_hash::FxHashSet;

/// See the module.
///
/// # Errors
/// None.
pub fn run(context: &mut Context<'_, '_>) -> Result<(), Vec<TranslateError>> {
    if !context.profile.has(Quirk::CountedIndices) {
        return Ok(());
    }
    for function in context.module.bodies_mut() {
        if let Some(zero) = Zero::of(function, &context.interface) {
            hide(function, zero);
        }
    }
    Ok(())
}

/// Adds the word to the indices.
fn hide(function: &mut Function, zero: Zero) {
    let passed = passed_on(function);
    let mut cursor = Cursor::new(function);
    while let Some(inst) = cursor.advance() {
        if !matches!(cursor.function.insts[inst].op, Op::ElementPointer(_)) {
            cursor.keep(inst);
            continue;
        }
        let index = cursor.operand(inst, 0);
        let function = &cursor.function;
        let is_parameter = function.defining_inst(index).is_none() && function.as_constant(index).is_none();
        let is_word = function.ty(index).scalar() == Some(Scalar::I32);
        if !is_word || !(is_parameter || passed.contains(&index)) {
            cursor.keep(inst);
            continue;
        }
        let zero = zero.read(|op| cursor.value(op, &[], Type::I32));
        let hidden = cursor.value(Op::Binary(BinaryOp::Add), &[index, zero], Type::I32);
        let mut operands = cursor.operands(inst);
        operands[0] = hidden;
        cursor.keep_with(inst, &operands);
    }
}

/// The values that regions pass on, without constants: an index that is one needs no register.
fn passed_on(function: &Function) -> FxHashSet<Value> {
    let mut passed = FxHashSet::default();
    function.walk(|_, data| {
        if data.op.is_terminator() {
            passed.extend(data.operands.iter().filter(|value| function.as_constant(**value).is_none()));
        }
    });
    passed
}
