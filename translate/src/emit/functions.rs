//! Functions that kernels call, and calls of them.
//!
//! Several results are one structure, which the caller takes apart at once.

use super::control::Body;
use super::debug::Debug;
use super::kernel::Kernel;
use super::writer::{TypeKey, Writer, instruction};
use clvk_ir::{EntityId, Function, Inst, Op, Type};
use rspirv::{
    dr::{self, Operand},
    spirv::{self, Word},
};

/// Writes a function under an id; gives the global variables that it uses. `coherent` says that a kernel that
/// calls it must see what other work-groups write while it runs, and show them what it writes.
pub fn write<'f>(
    writer: &mut Writer,
    function: &'f Function,
    id: Word,
    coherent: bool,
    debug: Option<&'f Debug<'f>>,
) -> Vec<Word> {
    let result = result_type(writer, &function.results);
    let params: Vec<Word> =
        function.params.iter().map(|&param| writer.value_type(function.ty(param))).collect();
    let ty =
        writer.listing_type(spirv::Op::TypeFunction, [result].into_iter().chain(params.clone()).collect());
    let mut kernel = Kernel::new(writer, function, coherent, debug);
    let mut parameters = Vec::new();
    for (&param, ty) in function.params.iter().zip(params) {
        let id = kernel.writer.id();
        kernel.ids[param.index()] = id;
        parameters.push(instruction(spirv::Op::FunctionParameter, Some(ty), Some(id), vec![]));
    }
    kernel.declare_variables();
    kernel.body();
    let (blocks, interface) = kernel.written();
    writer.module.functions.push(definition(id, (result, ty), parameters, blocks));
    writer.name(id, &function.name);
    interface
}

/// A function, given its result type and its own.
pub fn definition(
    id: Word,
    (result, ty): (Word, Word),
    parameters: Vec<dr::Instruction>,
    blocks: Vec<dr::Block>,
) -> dr::Function {
    let operands = vec![Operand::FunctionControl(spirv::FunctionControl::NONE), Operand::IdRef(ty)];
    dr::Function {
        def: Some(instruction(spirv::Op::Function, Some(result), Some(id), operands)),
        end: Some(instruction(spirv::Op::FunctionEnd, None, None, vec![])),
        parameters,
        blocks,
    }
}

/// The type of what a function with these results returns.
fn result_type(writer: &mut Writer, results: &[Type]) -> Word {
    match results {
        [] => writer.type_id(TypeKey::Void),
        [only] => writer.value_type(*only),
        several => {
            let members = several.iter().map(|&ty| writer.value_type(ty)).collect();
            writer.listing_type(spirv::Op::TypeStruct, members)
        }
    }
}

impl Kernel<'_, '_> {
    /// One value of several results.
    pub fn result_structure(&mut self, values: Vec<Word>) -> Word {
        let ty = result_type(self.writer, &self.function.results);
        let operands = values.into_iter().map(Operand::IdRef).collect();
        self.add(spirv::Op::CompositeConstruct, ty, operands)
    }

    /// A call.
    pub fn call(&mut self, inst: Inst) {
        let function = self.function;
        let data = &function.insts[inst];
        let Op::Call(callee) = data.op else { unreachable!("called for calls") };
        let types: Vec<Type> = data.results.iter().map(|&result| function.ty(result)).collect();
        let ty = result_type(self.writer, &types);
        let mut operands = vec![Operand::IdRef(self.writer.functions[&callee])];
        operands.extend(data.operands.iter().map(|&operand| Operand::IdRef(self.id(operand))));
        let returned = self.add(spirv::Op::FunctionCall, ty, operands);
        if let [only] = data.results[..] {
            self.ids[only.index()] = returned;
            return;
        }
        for (position, (&result, ty)) in data.results.iter().zip(types).enumerate() {
            let operands = vec![Operand::IdRef(returned), Operand::LiteralBit32(position as u32)];
            let ty = self.writer.value_type(ty);
            self.ids[result.index()] = self.add(spirv::Op::CompositeExtract, ty, operands);
        }
    }
}
