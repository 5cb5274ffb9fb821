//! Calls: of functions, and of library functions that the device has.

use super::function::FunctionWriter;
use crate::counterparts::{Counterpart, counterpart};
use crate::emit::control::Body;
use clvk_interface::print::spec::{Conversion, Directive, Length, directives};
use clvk_interface::{PrintArgument, PrintKind};
use clvk_ir::{AddressSpace, Func, Inst, Scalar, Type};
use rspirv::spirv::{self, Capability, OpenclStd100Op as Std, Word};

/// Whether calls of a function are instructions: a library function that is not linked, or a `printf`.
pub fn is_built_in(module: &clvk_ir::Module, func: Func) -> bool {
    let function = &module.functions[func];
    let is_library = function.body.is_none() && counterpart(&function.name).is_some();
    is_library || module.printed_format(func).is_some()
}

impl FunctionWriter<'_, '_> {
    /// Writes a call.
    pub fn call(&mut self, inst: Inst, callee: Func) {
        let data = &self.function.insts[inst];
        let function = &self.module.ir.functions[callee];
        let ty = data.results.first().map(|&result| self.function.ty(result));
        let printed = self.module.ir.printed_format(callee);
        let id = match (ty, counterpart(&function.name).filter(|_| function.body.is_none())) {
            (Some(ty), Some(counterpart)) => self.built_in(inst, counterpart, ty),
            (Some(ty), None) if printed.is_some() => self.print(inst, printed.unwrap_or_default(), ty),
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

impl FunctionWriter<'_, '_> {
    /// `printf`: the format, then the arguments. Strings that are known at compile time are constants.
    fn print(&mut self, inst: Inst, format: u32, ty: Type) -> Word {
        let format = &self.module.ir.print_formats[format as usize];
        let text = format.text.as_deref().unwrap_or_default();
        let mut conversions = directives(text).filter_map(|directive| match directive {
            Directive::Conversion(conversion) => Some(conversion),
            _ => None,
        });
        let mut passed = self.operands(inst).into_iter();
        let mut operands: Vec<Word> = match &format.text {
            Some(text) => vec![self.string(text)],
            None => passed.next().into_iter().collect(),
        };
        for argument in &format.arguments {
            let conversion = conversions.next().unwrap_or_default();
            operands.push(match argument {
                PrintArgument::Text(text) => self.string(text),
                _ => {
                    let value = passed.next().expect("a value is passed for each argument that is not known");
                    self.narrowed(value, argument, conversion)
                }
            });
        }
        self.extended(Std::printf, ty, &operands)
    }

    /// A vector as the length modifier demands: the IR passes lanes of 32 bits.
    fn narrowed(&mut self, value: Word, argument: &PrintArgument, conversion: Conversion) -> Word {
        let PrintArgument::Value(kind, lanes @ 2..) = argument else { return value };
        let (op, scalar) = match (kind, conversion.length) {
            (PrintKind::Char | PrintKind::Short | PrintKind::Int, Length::Char) => {
                (spirv::Op::UConvert, Scalar::I8)
            }
            (PrintKind::Char | PrintKind::Short | PrintKind::Int, Length::Short) => {
                (spirv::Op::UConvert, Scalar::I16)
            }
            (PrintKind::Half | PrintKind::Float, Length::Short) => (spirv::Op::FConvert, Scalar::F16),
            _ => return value,
        };
        if scalar == Scalar::F16 {
            self.module.writer.require(Capability::Float16);
        }
        self.compute(op, Type::with_lanes(scalar, *lanes), &[value])
    }

    /// The address of a constant string.
    fn string(&mut self, text: &[u8]) -> Word {
        let variable = self.module.constant_string(text);
        let zero = self.module.writer.word(0);
        let ty = Type::Pointer(AddressSpace::Constant);
        self.compute(spirv::Op::InBoundsPtrAccessChain, ty, &[variable, zero, zero])
    }
}

/// What a function with this result writes through its pointer.
fn target(op: Std, result: Type) -> Type {
    match op {
        Std::frexp | Std::lgamma_r | Std::remquo => result.with_scalar(Scalar::I32),
        _ => result,
    }
}
