//! Operands and results.

use super::Body;
use crate::binary::{Id, Instruction};
use crate::constant::Evaluator;
use crate::error::Error;
use crate::function::unsupported;
use crate::globals::is_variable;
use crate::types::{Ty, TypeData};
use clvk_ir::{
    AddressSpace, Block, CompareOp, Constant, ConvertOp, Op as IrOp, SamplerWord, Scalar, Type, Value,
    ValueDef, WorkItemQuery,
};
use rspirv::spirv::{BuiltIn, Op, SamplerAddressingMode, SamplerFilterMode};

/// How deep constants may refer to each other that are computed as instructions. Each level takes more of the
/// stack than in [`crate::constant`].
const MAX_DEPTH: u32 = 64;

/// In bytes, in every address space of the IR.
const POINTER_SIZE: u32 = 8;

/// How memory is accessed (SPIR-V §3.26).
#[derive(Clone, Copy, Debug, Default)]
pub struct Access {
    /// In bytes, if the module says it.
    pub align: Option<u32>,
    pub volatile: bool,
}

/// What an id is.
#[derive(Clone, Copy, Debug)]
pub enum Definition {
    /// A value that every block may use.
    Value(Value),
    /// A value of a block, and where others find it.
    Local { value: Value, block: Block, slot: Option<Value> },
    /// An aggregate, by its address.
    Memory(Value),
    /// An image with a sampler.
    Sampled(Value, Value),
}

impl Body<'_, '_> {
    /// What an id is: a value of this block, or an aggregate's address.
    pub fn operand(&mut self, id: Id, user: &Instruction<'_>) -> Result<Definition, Error> {
        match self.locals.definition(id) {
            Some(Definition::Local { value, block, .. }) if block == self.block => {
                Ok(Definition::Value(value))
            }
            Some(Definition::Local { value, slot: Some(slot), .. })
                if self.function.ty(value).is_pointer() =>
            {
                let ty = self.function.ty(value);
                Ok(Definition::Value(self.build().load(slot, ty, POINTER_SIZE, false)))
            }
            Some(Definition::Local { slot: Some(slot), .. }) => {
                let ty = self.type_of_value(id, user)?;
                self.load(slot, ty, Access::default(), user)
            }
            Some(Definition::Local { .. }) => {
                Err(user.error(format!("%{id} is not defined on every way to this instruction")))
            }
            Some(other) => Ok(other),
            None => self.constant(id, user),
        }
    }

    /// An operand that is a value.
    pub fn value(&mut self, id: Id, user: &Instruction<'_>) -> Result<Value, Error> {
        let operand = self.operand(id, user)?;
        self.value_of(operand, user)
    }

    /// The value of the operand of this number.
    pub fn value_at(&mut self, index: usize, user: &Instruction<'_>) -> Result<Value, Error> {
        self.value(user.operand(index)?, user)
    }

    /// An operand that is an integer, and its type.
    pub fn integer(&mut self, id: Id, user: &Instruction<'_>) -> Result<(Value, Scalar), Error> {
        let value = self.value(id, user)?;
        match self.function.ty(value) {
            Type::Scalar(scalar) if scalar.is_int() => Ok((value, scalar)),
            _ => Err(user.error(format!("%{id} is not an integer"))),
        }
    }

    /// The operand of this number, which is an integer.
    pub fn integer_at(&mut self, index: usize, user: &Instruction<'_>) -> Result<Value, Error> {
        Ok(self.integer(user.operand(index)?, user)?.0)
    }

    /// The type of an instruction's result, which is an integer.
    pub fn integer_result(&self, instruction: &Instruction<'_>) -> Result<Type, Error> {
        let ty = self.result_value_type(instruction)?;
        if ty.is_int() && ty.lanes() == 1 {
            Ok(ty)
        } else {
            Err(instruction.error("the result is not an integer"))
        }
    }

    /// A definition that must be a value.
    pub fn value_of(&self, operand: Definition, user: &Instruction<'_>) -> Result<Value, Error> {
        match operand {
            Definition::Value(value) | Definition::Local { value, .. } => Ok(value),
            Definition::Memory(_) | Definition::Sampled(..) => {
                Err(user.error("an operand is an aggregate where a value is expected"))
            }
        }
    }

    /// The type of an id's value.
    pub fn type_of_value(&self, id: Id, user: &Instruction<'_>) -> Result<Id, Error> {
        let known = self.locals.type_of(id);
        let ty = known.or_else(|| self.reader.index.definition(id).and_then(|it| it.result_type()));
        ty.ok_or_else(|| user.error(format!("%{id} is not a value that is defined before")))
    }

    /// The data of the type of an instruction's result.
    pub fn result_type(&self, instruction: &Instruction<'_>) -> Result<TypeData, Error> {
        let ty = instruction.result_type().unwrap_or_default();
        Ok(self.reader.index.type_of(ty, instruction)?.clone())
    }

    /// The type of an instruction's result, which must be a value.
    pub fn result_value_type(&self, instruction: &Instruction<'_>) -> Result<Type, Error> {
        let ty = instruction.result_type().unwrap_or_default();
        let data = self.reader.index.type_of(ty, instruction)?;
        data.value().ok_or_else(|| unsupported(&data.ty, instruction))
    }

    /// Keeps the result of an instruction.
    pub fn define(&mut self, instruction: &Instruction<'_>, defined: Definition) -> Result<(), Error> {
        let (id, ty) =
            (instruction.result().unwrap_or_default(), instruction.result_type().unwrap_or_default());
        let defined = match defined {
            Definition::Value(value) | Definition::Local { value, .. } => {
                self.keep(id, ty, value, instruction)?
            }
            other => other,
        };
        self.locals.define(id, defined);
        Ok(())
    }

    /// Keeps a value as the result of an instruction.
    pub fn define_value(&mut self, instruction: &Instruction<'_>, value: Value) -> Result<(), Error> {
        self.define(instruction, Definition::Value(value))
    }

    /// Keeps a value for this block, and in a slot if other blocks use it.
    pub fn keep(
        &mut self,
        id: Id,
        ty: Id,
        value: Value,
        user: &Instruction<'_>,
    ) -> Result<Definition, Error> {
        let expected = self.reader.index.type_of(ty, user)?.value();
        let found = self.function.ty(value);
        if expected != Some(found) {
            return Err(user.error(format!(
                "the operands give a result of type {found}, which is not that of the result"
            )));
        }
        if matches!(found, Type::Image(_) | Type::Sampler) {
            return Ok(Definition::Value(value));
        }
        let mut slot = None;
        if self.locals.get(id).is_some_and(|local| local.crosses) {
            let memory = self.memory_for(ty, user)?;
            self.store(memory, Definition::Value(value), ty, Access::default(), user)?;
            slot = Some(memory);
        }
        Ok(Definition::Local { value, block: self.block, slot })
    }

    /// Keeps an address as the result of an instruction, also if the module gives it another address space.
    pub fn define_address(&mut self, instruction: &Instruction<'_>, address: Value) {
        let id = instruction.result().unwrap_or_default();
        let mut slot = None;
        if self.locals.get(id).is_some_and(|local| local.crosses) {
            let memory = self.alloca(u64::from(POINTER_SIZE), u64::from(POINTER_SIZE));
            self.build().store(memory, address, POINTER_SIZE, false);
            slot = Some(memory);
        }
        self.locals.define(id, Definition::Local { value: address, block: self.block, slot });
    }

    /// New private memory.
    pub fn alloca(&mut self, size: u64, align: u64) -> Value {
        let op = IrOp::Alloca { size: size.max(1), align: align.max(1) as u32 };
        let ty = [Type::Pointer(AddressSpace::Private)];
        let inst = self.function.make_inst(op, &[], &ty, &[], clvk_ir::Span::NONE);
        self.tables.allocas.push(inst);
        self.function.insts[inst].results[0]
    }

    /// New private memory for a type.
    pub fn memory_for(&mut self, ty: Id, user: &Instruction<'_>) -> Result<Value, Error> {
        let data = self.reader.index.type_of(ty, user)?;
        if data.in_memory().is_none() && !data.is_aggregate() || matches!(data.ty, Ty::Image(_) | Ty::Sampler)
        {
            return Err(unsupported(&data.ty, user));
        }
        let (size, align) = (data.size, data.align);
        Ok(self.alloca(size, align))
    }

    /// The alignment that an access has if the module does not say: that of the type, unless it may be a part
    /// of a structure without padding.
    pub fn natural_align(&self, data: &TypeData) -> u32 {
        if self.reader.index.has_packed_structures() { 1 } else { data.align as u32 }
    }

    /// Loads a value of a type, or copies an aggregate.
    pub fn load(
        &mut self,
        address: Value,
        ty: Id,
        access: Access,
        user: &Instruction<'_>,
    ) -> Result<Definition, Error> {
        let data = self.reader.index.type_of(ty, user)?;
        let align = access.align.unwrap_or(self.natural_align(data));
        if data.is_aggregate() {
            let size = data.size;
            let memory = self.memory_for(ty, user)?;
            self.copy(memory, address, size, align);
            return Ok(Definition::Memory(memory));
        }
        let stored = data.in_memory().filter(|ty| ty.access_size() > 0);
        let stored = stored.ok_or_else(|| unsupported(&data.ty, user))?;
        self.check_place(address, stored, user)?;
        let is_stored = data.value() == Some(stored);
        let value = self.build().load(address, stored, align, access.volatile);
        Ok(Definition::Value(if is_stored { value } else { self.truth(value) }))
    }

    /// Stores a value of a type, or copies an aggregate.
    pub fn store(
        &mut self,
        address: Value,
        value: Definition,
        ty: Id,
        access: Access,
        user: &Instruction<'_>,
    ) -> Result<(), Error> {
        let data = self.reader.index.type_of(ty, user)?;
        let align = access.align.unwrap_or(self.natural_align(data));
        if let Definition::Memory(source) = value {
            let size = data.size;
            self.copy(address, source, size, align);
            return Ok(());
        }
        let mut value = self.value_of(value, user)?;
        let stored = data.in_memory().filter(|ty| ty.access_size() > 0);
        let stored = stored.ok_or_else(|| unsupported(&data.ty, user))?;
        self.check_place(address, stored, user)?;
        if self.function.ty(value).is_bool() {
            value = self.build().convert(ConvertOp::ZeroExtend, value, stored);
        }
        self.build().store(address, value, align, access.volatile);
        Ok(())
    }

    /// Refuses matrices in memory that is not private, through an untyped pointer.
    fn check_place(&self, address: Value, stored: Type, user: &Instruction<'_>) -> Result<(), Error> {
        let is_private = self.function.ty(address) == Type::Pointer(AddressSpace::Private);
        match stored {
            Type::Matrix(_) if !is_private => {
                Err(user.error("cooperative matrices are in private memory only"))
            }
            _ => Ok(()),
        }
    }

    /// Copies bytes that do not overlap.
    pub fn copy(&mut self, to: Value, from: Value, size: u64, align: u32) {
        if size > 0 && to != from {
            self.push(IrOp::MemoryCopy { size, align }, &[to, from], &[]);
        }
    }

    /// Whether integers are not zero.
    pub fn truth(&mut self, value: Value) -> Value {
        let ty = self.function.ty(value);
        let zero = self.function.zero(ty);
        self.build().compare(CompareOp::Ne, value, zero)
    }

    /// A constant, or the address of a variable of module scope.
    fn constant(&mut self, id: Id, user: &Instruction<'_>) -> Result<Definition, Error> {
        if self.constant_depth == 0
            && let Some(&known) = self.tables.constants.get(&id)
        {
            return Ok(known);
        }
        if self.constant_depth == MAX_DEPTH {
            return Err(user.error("constants refer to each other too deeply"));
        }
        self.constant_depth += 1;
        let defined = self.known_constant(id, user);
        self.constant_depth -= 1;
        if let Ok(known @ (Definition::Value(value) | Definition::Memory(value))) = defined
            && matches!(self.function.values[value].def, ValueDef::Constant(_) | ValueDef::Global(_))
        {
            self.tables.constants.insert(id, known);
        }
        defined
    }

    fn known_constant(&mut self, id: Id, user: &Instruction<'_>) -> Result<Definition, Error> {
        let Some(definition) = self.reader.index.definition(id) else {
            return Err(user.error(format!("%{id} is not defined before")));
        };
        if is_variable(definition.op()) {
            return self.variable_address(id, &definition);
        }
        let ty = definition.result_type().unwrap_or_default();
        let data = self.reader.index.type_of(ty, &definition)?.clone();
        if definition.op() == Some(Op::ConstantSampler) {
            return sampler(&definition).map(|word| {
                let inst = self.push(IrOp::ProgramSampler(word), &[], &[Type::Sampler]);
                Definition::Value(self.function.insts[inst].results[0])
            });
        }
        if data.is_aggregate() {
            let global = self.reader.constant_global(id, ty, &definition)?;
            return Ok(Definition::Memory(
                self.function.global(Type::Pointer(AddressSpace::Constant), global),
            ));
        }
        let value_type = data.value().ok_or_else(|| unsupported(&data.ty, user))?;
        if definition.op() == Some(Op::Undef) {
            return Ok(Definition::Value(self.function.undef(value_type)));
        }
        let value = match data.ty {
            Ty::Vector(_, lanes) => self.constant_vector(&definition, value_type, lanes)?,
            Ty::Matrix(matrix) => self.constant_matrix(&definition, matrix)?,
            Ty::Pointer { .. } => return self.constant_pointer(&definition, value_type),
            _ => match Evaluator::new(self.reader.index).scalar(id)? {
                Some(bits) => self.function.constant(value_type, Constant::Bits(bits)),
                None => return self.constant_operation(&definition),
            },
        };
        Ok(Definition::Value(value))
    }

    fn constant_vector(&mut self, definition: &Instruction<'_>, ty: Type, lanes: u8) -> Result<Value, Error> {
        match definition.op() {
            Some(Op::ConstantNull) => return Ok(self.function.zero(ty)),
            Some(Op::ConstantComposite | Op::SpecConstantComposite) => {}
            _ => {
                let operation = self.constant_operation(definition)?;
                return self.value_of(operation, definition);
            }
        }
        let mut bits = Vec::new();
        for &lane in definition.operands() {
            match Evaluator::new(self.reader.index).scalar(lane)? {
                Some(value) => bits.push(value & ty.scalar().map_or(u64::MAX, Scalar::mask)),
                // Undefined, or computed.
                None => {
                    let lanes = definition.operands().iter().map(|&lane| self.value(lane, definition));
                    let lanes = lanes.collect::<Result<Vec<_>, _>>()?;
                    return Ok(self.build().value(IrOp::Construct, &lanes, ty));
                }
            }
        }
        if bits.len() != usize::from(lanes) {
            return Err(definition.error("the constant has another number of parts than its type"));
        }
        Ok(self.function.constant(ty, Constant::Lanes(bits.into())))
    }

    fn constant_pointer(&mut self, definition: &Instruction<'_>, ty: Type) -> Result<Definition, Error> {
        match definition.op() {
            Some(Op::ConstantNull) => Ok(Definition::Value(self.function.zero(ty))),
            _ => self.constant_operation(definition),
        }
    }

    /// `OpSpecConstantOp` as an instruction of the function, which the translator folds.
    fn constant_operation(&mut self, definition: &Instruction<'_>) -> Result<Definition, Error> {
        if definition.op() != Some(Op::SpecConstantOp) {
            return Err(definition.error("this constant is not supported"));
        }
        let words = definition.inner();
        let instruction = Instruction::of(&words, definition.at);
        self.compute(&instruction)?;
        let id = definition.result().unwrap_or_default();
        // It belongs to this block only.
        let defined = self.locals.entry(id).definition.take();
        defined.ok_or_else(|| definition.error("this constant is not supported"))
    }

    /// The address of a variable of module scope. A built-in variable is copied to private memory at the
    /// start of the function.
    fn variable_address(&mut self, id: Id, definition: &Instruction<'_>) -> Result<Definition, Error> {
        let Some(built_in) = self.built_in(id) else {
            let global = self.reader.global(id, definition)?;
            let space = self.reader.module.globals[global].space;
            return Ok(Definition::Value(self.function.global(Type::Pointer(space), global)));
        };
        let (pointee, _) = self.reader.contents_of(definition)?;
        let ty = self.reader.index.type_of(pointee, definition)?.value();
        let ty = ty
            .filter(|ty| ty.is_int())
            .ok_or_else(|| definition.error("the built-in variable has a wrong type"))?;
        let address = self.memory_for(pointee, definition)?;
        let outer = std::mem::replace(&mut self.region, self.prologue);
        let value = self.query(built_in, ty, definition);
        if let Ok(value) = value {
            self.build().store(address, value, ty.access_size().next_power_of_two(), false);
        }
        self.region = outer;
        value?;
        self.locals.define(id, Definition::Value(address));
        Ok(Definition::Value(address))
    }

    /// The value of a built-in variable (OpenCL SPIR-V environment specification §2.9).
    fn query(&mut self, built_in: BuiltIn, ty: Type, user: &Instruction<'_>) -> Result<Value, Error> {
        let query = match built_in {
            BuiltIn::WorkDim => WorkItemQuery::WorkDim,
            BuiltIn::GlobalSize => WorkItemQuery::GlobalSize,
            BuiltIn::GlobalInvocationId => WorkItemQuery::GlobalId,
            BuiltIn::WorkgroupSize => WorkItemQuery::LocalSize,
            BuiltIn::EnqueuedWorkgroupSize => WorkItemQuery::EnqueuedLocalSize,
            BuiltIn::LocalInvocationId => WorkItemQuery::LocalId,
            BuiltIn::NumWorkgroups => WorkItemQuery::NumGroups,
            BuiltIn::WorkgroupId => WorkItemQuery::GroupId,
            BuiltIn::GlobalOffset => WorkItemQuery::GlobalOffset,
            BuiltIn::GlobalLinearId => WorkItemQuery::GlobalLinearId,
            BuiltIn::LocalInvocationIndex => WorkItemQuery::LocalLinearId,
            BuiltIn::SubgroupSize => WorkItemQuery::SubGroupSize,
            BuiltIn::SubgroupMaxSize => WorkItemQuery::MaxSubGroupSize,
            BuiltIn::NumSubgroups => WorkItemQuery::NumSubGroups,
            BuiltIn::NumEnqueuedSubgroups => WorkItemQuery::EnqueuedNumSubGroups,
            BuiltIn::SubgroupId => WorkItemQuery::SubGroupId,
            BuiltIn::SubgroupLocalInvocationId => WorkItemQuery::SubGroupLocalId,
            other => return Err(user.error(format!("the built-in variable {other:?} is not supported"))),
        };
        let scalar = Type::Scalar(ty.scalar().unwrap_or(Scalar::I64));
        if ty.lanes() == 1 {
            let narrow = query == WorkItemQuery::WorkDim || query.is_of_sub_groups();
            let value =
                self.build().value(IrOp::WorkItem(query), &[], if narrow { Type::I32 } else { Type::I64 });
            return Ok(self.resized(value, scalar));
        }
        let mut lanes = Vec::new();
        for dimension in 0..ty.lanes() {
            let dimension = self.function.int(Type::I32, i64::from(dimension));
            let value = self.build().value(IrOp::WorkItem(query), &[dimension], Type::I64);
            lanes.push(self.resized(value, scalar));
        }
        Ok(self.build().value(IrOp::Construct, &lanes, ty))
    }

    /// An unsigned integer of another width.
    pub fn resized(&mut self, value: Value, ty: Type) -> Value {
        let bits = |ty: Type| ty.scalar().map_or(0, Scalar::bits);
        match bits(self.function.ty(value)).cmp(&bits(ty)) {
            std::cmp::Ordering::Less => self.build().convert(ConvertOp::ZeroExtend, value, ty),
            std::cmp::Ordering::Equal => value,
            std::cmp::Ordering::Greater => self.build().convert(ConvertOp::Truncate, value, ty),
        }
    }
}

/// The properties of a sampler constant, as OpenCL C encodes them.
fn sampler(definition: &Instruction<'_>) -> Result<SamplerWord, Error> {
    let addressing = match SamplerAddressingMode::from_u32(definition.operand(0)?) {
        Some(SamplerAddressingMode::None) => 0,
        Some(SamplerAddressingMode::ClampToEdge) => 2,
        Some(SamplerAddressingMode::Clamp) => 4,
        Some(SamplerAddressingMode::Repeat) => 6,
        Some(SamplerAddressingMode::RepeatMirrored) => 8,
        None => return Err(definition.error("the sampler has an unknown addressing mode")),
    };
    let filter = match SamplerFilterMode::from_u32(definition.operand(2)?) {
        Some(SamplerFilterMode::Nearest) => 0x10,
        Some(SamplerFilterMode::Linear) => 0x20,
        None => return Err(definition.error("the sampler has an unknown filter")),
    };
    let word = addressing | filter | u32::from(definition.operand(1)? != 0);
    SamplerWord::new(word).ok_or_else(|| definition.error("the sampler has wrong properties"))
}
