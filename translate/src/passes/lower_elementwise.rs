//! Replaces each element-wise call by one call for each lane, so the library needs scalar bodies only.

use super::Context;
use super::rewrite::{Emitter, replace_insts};
use crate::TranslateError;
use clvk_ir::{Function, Inst, Op, Type, Value};

/// Runs the pass.
///
/// # Errors
/// None.
pub fn run(context: &mut Context<'_, '_>) -> Result<(), Vec<TranslateError>> {
    for (_, function) in context.module.functions.iter_mut() {
        replace_insts(function, |function, inst, out| {
            let elementwise = matches!(function.insts[inst].op, Op::CallElementwise(_));
            elementwise.then(|| call_each_lane(function, inst, out))
        });
    }
    Ok(())
}

fn call_each_lane(function: &mut Function, inst: Inst, out: &mut Vec<Inst>) -> Value {
    let data = function.insts[inst].clone();
    let Op::CallElementwise(callee) = data.op else { unreachable!("the caller looked") };
    let ty = function.ty(data.results[0]);
    let element = Type::Scalar(ty.scalar().expect("the result of an element-wise call is a vector"));
    let mut emitter = Emitter::like(function, out, inst);
    let lanes: Vec<_> = (0..ty.lanes())
        .map(|lane| {
            let arguments: Vec<_> = data
                .operands
                .iter()
                .map(|&argument| match emitter.function.ty(argument) {
                    Type::Vector(scalar, _) => {
                        emitter.value(Op::Extract(lane as u8), &[argument], Type::Scalar(scalar))
                    }
                    _ => argument,
                })
                .collect();
            emitter.value(Op::Call(callee), &arguments, element)
        })
        .collect();
    emitter.value(Op::Construct, &lanes, ty)
}
