//! Functions and kernels: what is declared of them, and their bodies.

use super::Module;
use super::globals::private_variable;
use super::halves::InMemory;
use super::writer::TypeKey;
use crate::emit::control::{self, Body};
use crate::emit::debug::Debug;
use crate::emit::functions;
use crate::emit::writer::instruction;
use crate::lines::LinePlace;
use clvk_ir::{
    AddressSpace, Constant, EntityId, Func, Function, Inst, KernelInfo, KernelParamKind, Scalar, Type, Value,
    ValueDef,
};
use rspirv::{
    dr::{self, Operand},
    spirv::{self, Decoration, FunctionParameterAttribute, StorageClass, Word},
};
use std::collections::BTreeSet;

/// What a written function tells its callers.
#[derive(Clone, Debug, Default)]
pub struct Written {
    /// The built-in inputs that it reads.
    pub inputs: BTreeSet<Word>,
    /// Whether it has sums or products that must not be fused.
    pub keeps_roundings: bool,
}

/// A function being written.
pub struct FunctionWriter<'w, 'f> {
    /// The module.
    pub module: &'w mut Module<'f>,
    /// The function.
    pub function: &'f Function,
    blocks: Vec<dr::Block>,
    label: Word,
    /// Ids of values; 0 if a value has none yet.
    ids: Vec<Word>,
    /// Variables, which come first in the first block.
    variables: Vec<dr::Instruction>,
    /// What follows them.
    prologue: Vec<dr::Instruction>,
    last_line: Option<LinePlace>,
    /// The halves that are only in memory.
    pub halves: InMemory,
    /// What is known of it so far.
    pub written: Written,
}

/// Writes a function; `kernel` says whether hosts launch it.
pub fn write(module: &mut Module<'_>, func: Func, id: Word, kernel: Option<&KernelInfo>) -> Written {
    let function = &module.ir.functions[func];
    let mut writer = FunctionWriter {
        ids: vec![0; function.values.len()],
        module,
        function,
        blocks: Vec::new(),
        label: 0,
        variables: Vec::new(),
        prologue: Vec::new(),
        last_line: None,
        halves: InMemory::default(),
        written: Written::default(),
    };
    writer.find_halves();
    let parameters = writer.parameters(kernel);
    if function.body.is_some() {
        writer.body();
    }
    let FunctionWriter { blocks, written, .. } = writer;
    let ty = module.function_type(function, kernel);
    let result = module.writer.value_type(function.result().unwrap_or(Type::Void));
    module.writer.module.functions.push(functions::definition(id, (result, ty), parameters, blocks));
    module.writer.name(id, &function.name);
    written
}

impl<'f> Module<'f> {
    fn function_type(&mut self, function: &Function, kernel: Option<&KernelInfo>) -> Word {
        let result = self.writer.value_type(function.result().unwrap_or(Type::Void));
        let params = (0..function.params.len())
            .map(|position| self.parameter_type(function, kernel, position))
            .collect();
        self.writer.type_id(TypeKey::Function(result, params))
    }

    /// The type of a parameter. Kernels' pointers have the pointee of the source, as far as it is known.
    fn parameter_type(&mut self, function: &Function, kernel: Option<&KernelInfo>, position: usize) -> Word {
        let ty = function.ty(function.params[position]);
        let param = kernel.and_then(|kernel| kernel.params.get(position));
        match (ty, param.map(|param| (&param.kind, param.element))) {
            (Type::Pointer(AddressSpace::Private), Some((KernelParamKind::Value { size, align }, _))) => {
                let structure = super::globals::structure_type(&mut self.writer, u64::from(*size), *align);
                self.writer.type_id(TypeKey::Pointer(StorageClass::Function, structure))
            }
            (Type::Pointer(space), Some((_, Some((scalar, lanes))))) if scalar != Scalar::Bool => {
                self.writer.pointer_type(super::writer::storage_class(space), Type::with_lanes(scalar, lanes))
            }
            _ => self.writer.value_type(ty),
        }
    }
}

impl<'f> FunctionWriter<'_, 'f> {
    /// Panics about an instruction that the passes should not have left.
    pub fn left(&self, inst: Inst) -> ! {
        panic!(
            "the pass `raise-opencl` left what SPIR-V for OpenCL does not have in `{}`: `{}`",
            self.function.name,
            clvk_ir::text::inst_to_string(None, self.function, inst)
        );
    }

    fn parameters(&mut self, kernel: Option<&KernelInfo>) -> Vec<dr::Instruction> {
        let mut parameters = Vec::new();
        for (position, &value) in self.function.params.iter().enumerate() {
            let ty = self.module.parameter_type(self.function, kernel, position);
            let id = self.module.writer.id();
            parameters.push(instruction(spirv::Op::FunctionParameter, Some(ty), Some(id), vec![]));
            let own = self.module.writer.value_type(self.function.ty(value));
            self.ids[value.index()] =
                if ty == own { id } else { self.ahead(spirv::Op::Bitcast, own, vec![Operand::IdRef(id)]) };
            if let Some(param) = kernel.and_then(|kernel| kernel.params.get(position)) {
                self.module.writer.name(id, &param.name);
                self.attributes(id, &param.kind, self.function.ty(value));
            }
        }
        parameters
    }

    /// Decorates a kernel's parameter.
    fn attributes(&mut self, id: Word, kind: &KernelParamKind, ty: Type) {
        let writer = &mut self.module.writer;
        let attribute = |attribute| [Operand::FunctionParameterAttribute(attribute)];
        match *kind {
            KernelParamKind::Buffer { restrict, volatile, .. }
            | KernelParamKind::Local { restrict, volatile, .. } => {
                if restrict {
                    let attribute = attribute(FunctionParameterAttribute::NoAlias);
                    writer.decorate(id, Decoration::FuncParamAttr, &attribute);
                }
                if volatile {
                    writer.decorate(id, Decoration::Volatile, &[]);
                }
            }
            KernelParamKind::Value { align, .. } if ty.is_pointer() => {
                let attribute = attribute(FunctionParameterAttribute::ByVal);
                writer.decorate(id, Decoration::FuncParamAttr, &attribute);
                writer.decorate(id, Decoration::Alignment, &[Operand::LiteralBit32(align)]);
            }
            _ => {}
        }
    }

    fn body(&mut self) {
        let entry = self.module.writer.id();
        self.begin(entry);
        control::regions(self);
        let first = self.variables.drain(..).chain(self.prologue.drain(..));
        self.blocks[0].instructions.splice(0..0, first);
    }

    /// Adds an instruction to the function's beginning.
    fn ahead(&mut self, op: spirv::Op, ty: Word, operands: Vec<Operand>) -> Word {
        let id = self.module.writer.id();
        self.prologue.push(instruction(op, Some(ty), Some(id), operands));
        id
    }

    /// A private variable of the call, as a pointer to bytes.
    pub fn variable(&mut self, size: u64, align: u32) -> Word {
        let (id, declaration) = private_variable(&mut self.module.writer, size, align);
        self.variables.push(declaration);
        let ty = self.module.writer.value_type(Type::Pointer(AddressSpace::Private));
        self.ahead(spirv::Op::Bitcast, ty, vec![Operand::IdRef(id)])
    }

    /// Adds an instruction on ids with a result of a type of the IR.
    pub fn compute(&mut self, op: spirv::Op, ty: Type, operands: &[Word]) -> Word {
        let ty = self.module.writer.value_type(ty);
        self.add(op, ty, operands.iter().copied().map(Operand::IdRef).collect())
    }

    /// The id of an operand of an instruction.
    pub fn operand(&mut self, inst: Inst, position: usize) -> Word {
        self.id(self.function.insts[inst].operands[position])
    }

    /// The type of an operand of an instruction.
    pub fn operand_type(&self, inst: Inst, position: usize) -> Type {
        self.function.ty(self.function.insts[inst].operands[position])
    }

    /// The ids of all operands of an instruction.
    pub fn operands(&mut self, inst: Inst) -> Vec<Word> {
        let function = self.function;
        function.insts[inst].operands.iter().map(|&value| self.id(value)).collect()
    }

    /// A vector of these scalars. LLVM's translator, up to version 15 at least, takes `OpCompositeConstruct`
    /// of constants only, so each lane is inserted.
    pub fn construct(&mut self, ty: Type, lanes: &[Word]) -> Word {
        let mut vector = self.module.writer.constant(ty, &Constant::Undef);
        let ty = self.module.writer.value_type(ty);
        let all_equal = lanes.iter().all(|&lane| lane == lanes[0]);
        let inserted = if all_equal { &lanes[..1] } else { lanes };
        for (position, &lane) in inserted.iter().enumerate() {
            let operands =
                vec![Operand::IdRef(lane), Operand::IdRef(vector), Operand::LiteralBit32(position as u32)];
            vector = self.add(spirv::Op::CompositeInsert, ty, operands);
        }
        if !all_equal {
            return vector;
        }
        let mut operands = vec![Operand::IdRef(vector), Operand::IdRef(vector)];
        operands.resize(2 + lanes.len(), Operand::LiteralBit32(0));
        self.add(spirv::Op::VectorShuffle, ty, operands)
    }

    /// The same scalar in each lane of a vector.
    pub fn splat(&mut self, id: Word, ty: Type) -> Word {
        self.construct(ty, &vec![id; ty.lanes() as usize])
    }
}

impl<'f> Body<'f> for FunctionWriter<'_, 'f> {
    const STRUCTURED: bool = false;

    fn function(&self) -> &'f Function {
        self.function
    }

    fn new_id(&mut self) -> Word {
        self.module.writer.id()
    }

    fn blocks(&mut self) -> &mut Vec<dr::Block> {
        &mut self.blocks
    }

    fn label(&self) -> Word {
        self.label
    }

    fn begin(&mut self, label: Word) {
        let label_instruction = instruction(spirv::Op::Label, None, Some(label), vec![]);
        self.blocks.push(dr::Block { label: Some(label_instruction), instructions: Vec::new() });
        self.label = label;
        self.last_line = None;
    }

    fn effect(&mut self, op: spirv::Op, operands: Vec<Operand>) {
        let block = self.blocks.last_mut().expect("a block is open");
        block.instructions.push(instruction(op, None, None, operands));
    }

    fn add(&mut self, op: spirv::Op, ty: Word, operands: Vec<Operand>) -> Word {
        let id = self.module.writer.id();
        let block = self.blocks.last_mut().expect("a block is open");
        block.instructions.push(instruction(op, Some(ty), Some(id), operands));
        id
    }

    fn type_of(&mut self, value: Value) -> Word {
        self.module.writer.value_type(self.function.ty(value))
    }

    fn id(&mut self, value: Value) -> Word {
        let known = self.ids[value.index()];
        if known != 0 {
            return known;
        }
        let ty = self.function.ty(value);
        let id = match &self.function.values[value].def {
            // Addresses that are not null: pointer types have no such constants.
            ValueDef::Constant(Constant::Bits(bits)) if ty.is_pointer() && *bits != 0 => {
                let address = self.module.writer.long(*bits);
                let ty = self.module.writer.value_type(ty);
                self.ahead(spirv::Op::ConvertUToPtr, ty, vec![Operand::IdRef(address)])
            }
            ValueDef::Constant(constant) => self.module.writer.constant(ty, constant),
            ValueDef::Global(global) => {
                let variable = self.module.global(*global);
                let ty = self.module.writer.value_type(ty);
                self.ahead(spirv::Op::Bitcast, ty, vec![Operand::IdRef(variable)])
            }
            def => panic!("the value {def:?} is used before it is written"),
        };
        self.ids[value.index()] = id;
        id
    }

    fn define(&mut self, value: Value, id: Word) {
        self.ids[value.index()] = id;
    }

    fn zero(&mut self) -> Word {
        self.module.writer.word(0)
    }

    fn returned(&mut self, _: Vec<Word>) -> Word {
        unreachable!("the source's functions have one result")
    }

    fn line(&mut self, inst: Inst) {
        let Some(debug) = self.module.debug else { return };
        let Some(place) = debug.place(self.function.insts[inst].span) else { return };
        if self.last_line != Some(place) {
            self.last_line = Some(place);
            let operands = Debug::operands(debug, place);
            self.effect(spirv::Op::Line, operands);
        }
    }

    fn instruction(&mut self, inst: Inst) {
        self.ordinary(inst);
    }
}
