//! Replaces each element-wise call by one call for each lane, so the library needs scalar bodies only.

use super::Context;
use super::rewrite::{Emitter, replace_insts};
use crate::TranslateError;
use clvk_ir::{EntityId, Function, Inst, Module, Op, Type, Value};

/// Runs the pass.
///
/// # Errors
/// None.
pub fn run(context: &mut Context<'_, '_>) -> Result<(), Vec<TranslateError>> {
    lower(context.module, |_| true);
    Ok(())
}

/// Replaces the element-wise calls of these functions.
pub fn lower(module: &mut Module, is_meant: impl Fn(&Function) -> bool) {
    let meant: Vec<bool> = module.functions.iter().map(|(_, callee)| is_meant(callee)).collect();
    for (_, function) in module.functions.iter_mut() {
        replace_insts(function, |function, inst, out| {
            let Op::CallElementwise(callee) = function.insts[inst].op else { return None };
            meant[callee.index()].then(|| call_each_lane(function, inst, out))
        });
    }
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
