//! Calls: of functions, and of library functions that the device has.

use super::function::FunctionWriter;
use crate::counterparts::{Counterpart, counterpart};
use crate::emit::control::Body;
use clvk_ir::{Func, Function, Inst, Type};
use rspirv::spirv::{self, OpenclStd100Op as Std, Word};

/// Whether calls of a function are instructions: a library function that is not linked.
pub fn is_built_in(function: &Function) -> bool {
    function.body.is_none() && counterpart(&function.name).is_some()
}

impl FunctionWriter<'_, '_> {
    /// Writes a call.
    pub fn call(&mut self, inst: Inst, callee: Func) {
        let data = &self.function.insts[inst];
        let function = &self.module.ir.functions[callee];
        let ty = data.results.first().map(|&result| self.function.ty(result));
        let id = match (ty, counterpart(&function.name).filter(|_| function.body.is_none())) {
            (Some(ty), Some(counterpart)) => self.built_in(inst, counterpart, ty),
            _ => self.function_call(inst, callee, ty.unwrap_or(Type::Void)),
        };
        if let Some(&result) = data.results.first() {
            self.define(result, id);
        }
    }

    fn function_call(&mut self, inst: Inst, callee: Func, ty: Type) -> Word {
        let mut operands = vec![self.module.function(callee)];
        operands.extend(self.operands(inst));
        self.compute(spirv::Op::FunctionCall, ty, &operands)
    }

    fn built_in(&mut self, inst: Inst, counterpart: Counterpart, ty: Type) -> Word {
        match counterpart {
            Counterpart::Extended(op) => self.extended_call(inst, op, ty),
            Counterpart::Divide => self.simple(inst, spirv::Op::FDiv, ty),
            Counterpart::WorkGroup(participants, op) => self.work_group(inst, participants, op, ty),
            Counterpart::WorkGroupBroadcast => self.work_group_broadcast(inst, ty),
            Counterpart::Sample(sample) => self.sample(inst, sample, ty),
            Counterpart::Colour => self.left(inst),
        }
    }

    /// A call of a function of `OpenCL.std`. In the IR, scalars are the same for all lanes.
    fn extended_call(&mut self, inst: Inst, op: Std, ty: Type) -> Word {
        let mut operands = Vec::new();
        for &value in &self.function.insts[inst].operands {
            operands.push(match self.function.ty(value) {
                Type::Pointer(_) => self.typed_pointer(value, target(op, ty)),
                Type::Scalar(scalar) if ty.lanes() > 1 => {
                    let id = self.id(value);
                    self.splat(id, ty.with_scalar(scalar))
                }
                _ => self.id(value),
            });
        }
        self.extended(op, ty, &operands)
    }
}

/// What a function with this result writes through its pointer.
fn target(op: Std, result: Type) -> Type {
    match op {
        Std::frexp | Std::lgamma_r | Std::remquo => result.with_scalar(clvk_ir::Scalar::I32),
        _ => result,
    }
}
