//! One entry point: its variables, its interface, its execution modes.

use super::control::{self, Body};
use super::debug::{self, Debug};
use super::functions;
use super::writer::{TypeKey, Writer, instruction};
use crate::lines::LinePlace;
use crate::passes::declare::{FloatControl, KernelDeclarations};
use clvk_ir::{
    ElementCount, EntityId, Function, InputVariable, Inst, Op, Scalar, Type, Value, ValueDef, Variable,
    VariableData, VariableSpace, descriptor,
};
use rspirv::{
    dr::{self, Operand},
    spirv::{self, Capability, Decoration, StorageClass, Word},
};
use rustc_hash::FxHashMap;

/// Writes a kernel; `others` are the global variables that the functions it calls use.
pub fn write<'f>(
    writer: &mut Writer,
    function: &'f Function,
    others: Vec<Word>,
    declarations: &KernelDeclarations,
    debug: Option<&'f Debug<'f>>,
) {
    let entry = writer.id();
    let mut kernel = Kernel::new(writer, function, declarations.coherent, debug);
    kernel.declare_variables();
    kernel.declare_push_constants();
    kernel.body();
    let (blocks, mut globals) = kernel.written();
    let others: Vec<Word> = others.into_iter().filter(|other| !globals.contains(other)).collect();
    globals.extend(others);
    let void = writer.type_id(TypeKey::Void);
    let ty = writer.type_id(TypeKey::EntryPoint);
    writer.module.functions.push(functions::definition(entry, (void, ty), Vec::new(), blocks));
    writer.name(entry, &function.name);
    let mut operands = vec![
        Operand::ExecutionModel(spirv::ExecutionModel::GLCompute),
        Operand::IdRef(entry),
        Operand::LiteralString(function.name.clone()),
    ];
    operands.extend(globals.into_iter().map(Operand::IdRef));
    writer.module.entry_points.push(instruction(spirv::Op::EntryPoint, None, None, operands));
    execution_modes(writer, entry, &declarations.float_controls);
}

fn execution_modes(writer: &mut Writer, entry: Word, controls: &[(u32, FloatControl)]) {
    writer.work_group_size();
    let one = || Operand::LiteralBit32(1);
    let mut mode = |mode: spirv::ExecutionMode, extra: Vec<Operand>| {
        let mut operands = vec![Operand::IdRef(entry), Operand::ExecutionMode(mode)];
        operands.extend(extra);
        writer.module.execution_modes.push(instruction(spirv::Op::ExecutionMode, None, None, operands));
    };
    mode(spirv::ExecutionMode::LocalSize, vec![one(), one(), one()]);
    for &(width, control) in controls {
        mode(float_control(control).0, vec![Operand::LiteralBit32(width)]);
    }
    for &(_, control) in controls {
        writer.require(float_control(control).1);
        writer.extension("SPV_KHR_float_controls", (1, 4));
    }
}

fn float_control(control: FloatControl) -> (spirv::ExecutionMode, Capability) {
    use spirv::ExecutionMode as Mode;
    match control {
        FloatControl::SignedZeroInfNanPreserve => {
            (Mode::SignedZeroInfNanPreserve, Capability::SignedZeroInfNanPreserve)
        }
        FloatControl::DenormPreserve => (Mode::DenormPreserve, Capability::DenormPreserve),
        FloatControl::DenormFlushToZero => (Mode::DenormFlushToZero, Capability::DenormFlushToZero),
        FloatControl::RoundingModeRTE => (Mode::RoundingModeRTE, Capability::RoundingModeRTE),
    }
}

/// The block of push constants: its variable, and the member of each offset and type.
pub type PushConstants = (Word, FxHashMap<(u32, Type), u32>);

/// A kernel, or a function that one calls, being written.
pub struct Kernel<'w, 'f> {
    /// The module.
    pub writer: &'w mut Writer,
    /// The kernel's function.
    pub function: &'f Function,
    /// Finished blocks, and the one being written.
    pub blocks: Vec<dr::Block>,
    /// Label of the block being written.
    pub label: Word,
    /// Ids of values; 0 if a value has none yet.
    pub ids: Vec<Word>,
    /// Global variables that the kernel uses.
    interface: Vec<Word>,
    /// Variables.
    pub variables: FxHashMap<Variable, Word>,
    /// Push constants: the block's variable, and the member of each offset and type.
    pub push_constants: Option<PushConstants>,
    /// Descriptors by binding and type: one image may be used with several texel types.
    pub descriptors: FxHashMap<(u32, Word), Word>,
    /// Whether ordinary accesses to buffers must be seen by other work-groups while the kernel runs.
    pub coherent: bool,
    /// Line information, if it is wanted.
    pub debug: Option<&'f Debug<'f>>,
    /// The place that the last instruction of the block being written came from.
    pub last_line: Option<LinePlace>,
    /// Function-scope variables, which come first in the first block.
    locals: Vec<dr::Instruction>,
}

impl<'w, 'f> Kernel<'w, 'f> {
    /// A kernel, or a function, before anything is written.
    pub fn new(
        writer: &'w mut Writer,
        function: &'f Function,
        coherent: bool,
        debug: Option<&'f Debug<'f>>,
    ) -> Self {
        Kernel {
            ids: vec![0; function.values.len()],
            writer,
            function,
            blocks: Vec::new(),
            label: 0,
            interface: Vec::new(),
            variables: FxHashMap::default(),
            push_constants: None,
            descriptors: FxHashMap::default(),
            coherent,
            debug,
            last_line: None,
            locals: Vec::new(),
        }
    }

    /// Its blocks, and the global variables that it uses.
    pub fn written(self) -> (Vec<dr::Block>, Vec<Word>) {
        (self.blocks, self.interface)
    }

    /// Panics about an instruction that the passes should not have left.
    pub fn left(&self, inst: Inst) -> ! {
        panic!(
            "the pass `raise-spirv` left what SPIR-V does not have in the kernel `{}`: `{}`",
            self.function.name,
            clvk_ir::text::inst_to_string(None, self.function, inst)
        );
    }

    /// Adds an instruction on ids with a result of a scalar or vector type.
    pub fn compute(&mut self, op: spirv::Op, ty: Type, operands: &[Word]) -> Word {
        let ty = self.writer.value_type(ty);
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

    /// Notes that the kernel uses a module-scope variable.
    pub fn uses(&mut self, variable: Word, class: StorageClass) {
        let listed = self.writer.version >= (1, 4) || class == StorageClass::Input;
        if listed && !self.interface.contains(&variable) {
            self.interface.push(variable);
        }
    }

    /// Declares its variables.
    pub fn declare_variables(&mut self) {
        let mut used = vec![false; self.function.variables.len()];
        let mut volatile = used.clone();
        self.function.walk(|_, data| match data.op {
            Op::ElementPointer(variable) => used[variable.index()] = true,
            Op::Load { volatile: true, .. } | Op::Store { volatile: true, .. } => {
                let pointer = self.function.defining_inst(data.operands[0]);
                if let Some(Op::ElementPointer(variable)) = pointer.map(|inst| &self.function.insts[inst].op)
                {
                    volatile[variable.index()] = true;
                }
            }
            _ => {}
        });
        for (variable, data) in self.function.variables.iter().filter(|(variable, _)| used[variable.index()])
        {
            if let Some(&id) = self.writer.shared.get(&data.name).filter(|_| data.shared) {
                self.uses(id, StorageClass::Workgroup);
                self.variables.insert(variable, id);
                continue;
            }
            let id = match data.space {
                VariableSpace::Private => self.private_variable(data),
                VariableSpace::ConstantTable => self.array_variable(data, StorageClass::Private),
                VariableSpace::Local => self.array_variable(data, StorageClass::Workgroup),
                VariableSpace::StorageBuffer { binding, restrict } => {
                    let coherent = self.coherent || volatile[variable.index()];
                    self.buffer_variable(data, (binding, restrict, coherent))
                }
            };
            self.writer.name(id, &data.name);
            if data.shared {
                self.writer.shared.insert(data.name.clone(), id);
            }
            self.variables.insert(variable, id);
        }
    }

    fn array_type(&mut self, data: &VariableData) -> Word {
        let element = self.writer.value_type(data.element);
        let length = match data.count {
            ElementCount::Fixed(count) => self.writer.word(count.max(1)),
            ElementCount::Specialised { spec_id } => self.writer.spec_constant(spec_id, 1),
            ElementCount::Runtime => unreachable!("only buffers have no length"),
        };
        self.writer.type_id(TypeKey::Array(element, length))
    }

    fn private_variable(&mut self, data: &VariableData) -> Word {
        let array = self.array_type(data);
        let pointer = self.writer.type_id(TypeKey::Pointer(StorageClass::Function, array));
        self.local_variable(pointer)
    }

    /// A variable of the function, to which a pointer is of this type.
    pub fn local_variable(&mut self, pointer: Word) -> Word {
        let id = self.writer.id();
        let class = Operand::StorageClass(StorageClass::Function);
        self.locals.push(instruction(spirv::Op::Variable, Some(pointer), Some(id), vec![class]));
        id
    }

    fn array_variable(&mut self, data: &VariableData, class: StorageClass) -> Word {
        let array = self.array_type(data);
        let pointer = self.writer.type_id(TypeKey::Pointer(class, array));
        let mut operands = vec![Operand::StorageClass(class)];
        if !data.initializer.is_empty() {
            let elements = data
                .initializer
                .iter()
                .map(|element| Operand::IdRef(self.writer.constant(data.element, element)))
                .collect();
            operands.push(Operand::IdRef(self.writer.declare(
                spirv::Op::ConstantComposite,
                Some(array),
                elements,
            )));
        }
        let id = self.writer.declare(spirv::Op::Variable, Some(pointer), operands);
        self.uses(id, class);
        id
    }

    fn buffer_variable(
        &mut self,
        data: &VariableData,
        (binding, restrict, coherent): (u32, bool, bool),
    ) -> Word {
        let scalar = data.element.scalar().expect("elements are scalars or vectors");
        let stride = scalar.size() * data.element.lanes().next_power_of_two();
        match scalar.bits() {
            8 => {
                self.writer.require(Capability::StorageBuffer8BitAccess);
                self.writer.extension("SPV_KHR_8bit_storage", (1, 5));
            }
            16 => {
                self.writer.require(Capability::StorageBuffer16BitAccess);
                self.writer.extension("SPV_KHR_16bit_storage", (1, 3));
            }
            _ => {}
        }
        self.writer.extension("SPV_KHR_storage_buffer_storage_class", (1, 3));
        let element = self.writer.value_type(data.element);
        let array = self.writer.type_id(TypeKey::BufferArray(element, stride));
        let block = self.writer.declare(spirv::Op::TypeStruct, None, vec![Operand::IdRef(array)]);
        self.writer.decorate(block, Decoration::Block, &[]);
        self.writer.member_offset(block, 0, 0);
        let id = self.descriptor(block, StorageClass::StorageBuffer, binding);
        // Two arguments may be the same buffer, unless the source says otherwise (`restrict`).
        let aliasing = if restrict { Decoration::Restrict } else { Decoration::Aliased };
        self.writer.decorate(id, aliasing, &[]);
        if coherent && self.writer.model == spirv::MemoryModel::GLSL450 {
            self.writer.decorate(id, Decoration::Coherent, &[]);
        }
        id
    }

    /// Whether this descriptor variable exists already.
    pub fn has_descriptor(&self, ty: Word, binding: u32) -> bool {
        self.descriptors.contains_key(&(binding, ty))
    }

    /// The variable of a descriptor.
    pub fn descriptor(&mut self, ty: Word, class: StorageClass, binding: u32) -> Word {
        if let Some(&id) = self.descriptors.get(&(binding, ty)) {
            return id;
        }
        let pointer = self.writer.type_id(TypeKey::Pointer(class, ty));
        let id = self.writer.declare(spirv::Op::Variable, Some(pointer), vec![Operand::StorageClass(class)]);
        let (set, number) = descriptor::parts(binding);
        self.writer.decorate(id, Decoration::DescriptorSet, &[Operand::LiteralBit32(set)]);
        self.writer.decorate(id, Decoration::Binding, &[Operand::LiteralBit32(number)]);
        self.uses(id, class);
        self.descriptors.insert((binding, ty), id);
        id
    }

    /// Declares the block of push constants: a member for each one that is read.
    fn declare_push_constants(&mut self) {
        let mut members: Vec<(u32, Type)> = Vec::new();
        self.function.walk(|_, data| {
            if let Op::PushConstant { offset } = data.op {
                members.push((offset, self.function.ty(data.results[0])));
            }
        });
        members.sort_unstable();
        members.dedup();
        if members.is_empty() {
            return;
        }
        let mut types = Vec::new();
        for (_, ty) in &members {
            match ty.scalar().map_or(32, Scalar::bits) {
                8 => {
                    self.writer.require(Capability::StoragePushConstant8);
                    self.writer.extension("SPV_KHR_8bit_storage", (1, 5));
                }
                16 => {
                    self.writer.require(Capability::StoragePushConstant16);
                    self.writer.extension("SPV_KHR_16bit_storage", (1, 3));
                }
                _ => {}
            }
            types.push(Operand::IdRef(self.writer.value_type(*ty)));
        }
        let block = self.writer.declare(spirv::Op::TypeStruct, None, types);
        self.writer.decorate(block, Decoration::Block, &[]);
        for (member, (offset, _)) in members.iter().enumerate() {
            self.writer.member_offset(block, member as u32, *offset);
        }
        let class = StorageClass::PushConstant;
        let pointer = self.writer.type_id(TypeKey::Pointer(class, block));
        let id = self.writer.declare(spirv::Op::Variable, Some(pointer), vec![Operand::StorageClass(class)]);
        self.uses(id, class);
        let members = members.into_iter().enumerate().map(|(member, key)| (key, member as u32)).collect();
        self.push_constants = Some((id, members));
    }

    /// Writes the body.
    pub fn body(&mut self) {
        let entry = self.writer.id();
        self.begin(entry);
        control::regions(self);
        let locals = std::mem::take(&mut self.locals);
        self.blocks[0].instructions.splice(0..0, locals);
    }

    /// An input of the shader, or a constant in its place.
    pub fn input(&mut self, input: InputVariable, ty: Type) -> Word {
        if let Some(constant) = self.writer.constant_input(input) {
            return constant;
        }
        let variable = self.writer.input(input);
        self.uses(variable, StorageClass::Input);
        self.compute(spirv::Op::Load, ty, &[variable])
    }

    /// A push constant.
    pub fn push_constant(&mut self, offset: u32, ty: Type) -> Word {
        let (variable, members) = self.push_constants.as_ref().expect("the block was declared");
        let (variable, member) = (*variable, members[&(offset, ty)]);
        let member = self.writer.word(member);
        let pointer = self.writer.pointer_type(StorageClass::PushConstant, ty);
        let operands = vec![Operand::IdRef(variable), Operand::IdRef(member)];
        let pointer = self.add(spirv::Op::AccessChain, pointer, operands);
        self.compute(spirv::Op::Load, ty, &[pointer])
    }
}

impl<'f> Body<'f> for Kernel<'_, 'f> {
    const STRUCTURED: bool = true;

    fn function(&self) -> &'f Function {
        self.function
    }

    fn new_id(&mut self) -> Word {
        self.writer.id()
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
        let id = self.writer.id();
        let block = self.blocks.last_mut().expect("a block is open");
        block.instructions.push(instruction(op, Some(ty), Some(id), operands));
        id
    }

    fn type_of(&mut self, value: Value) -> Word {
        self.writer.value_type(self.function.ty(value))
    }

    fn id(&mut self, value: Value) -> Word {
        let known = self.ids[value.index()];
        if known != 0 {
            return known;
        }
        let id = match &self.function.values[value].def {
            ValueDef::Constant(constant) => self.writer.constant(self.function.ty(value), constant),
            def => panic!("the value {def:?} is used before it is written"),
        };
        self.ids[value.index()] = id;
        id
    }

    fn define(&mut self, value: Value, id: Word) {
        self.ids[value.index()] = id;
    }

    fn zero(&mut self) -> Word {
        self.writer.word(0)
    }

    fn returned(&mut self, values: Vec<Word>) -> Word {
        self.result_structure(values)
    }

    fn line(&mut self, inst: Inst) {
        debug::line(self, inst);
    }

    fn instruction(&mut self, inst: Inst) {
        self.ordinary(inst);
    }
}
