//! Variables, loads, stores and addresses (SPIR-V §3.49.8).

use super::Body;
use super::values::{Access, Definition};
use crate::binary::{Id, Instruction};
use crate::constant::Evaluator;
use crate::error::Error;
use crate::globals::is_variable;
use crate::types::{Ty, address_space};
use clvk_ir::{AddressSpace, BinaryOp, CompareOp, ConvertOp, Op as IrOp, Type, Value};
use rspirv::spirv::{Decoration, MemoryAccess, Op};

impl Body<'_, '_> {
    /// Translates an instruction of this chapter; gives whether it is one.
    pub fn memory_instruction(&mut self, op: Op, instruction: &Instruction<'_>) -> Result<bool, Error> {
        match op {
            Op::Variable | Op::UntypedVariableKHR => self.variable(instruction)?,
            Op::Load => self.load_instruction(instruction)?,
            Op::Store => self.store_instruction(instruction)?,
            Op::CopyMemory => self.copy_memory(instruction)?,
            Op::CopyMemorySized => self.copy_memory_sized(instruction)?,
            Op::AccessChain | Op::InBoundsAccessChain => self.typed_chain(instruction, false)?,
            Op::PtrAccessChain | Op::InBoundsPtrAccessChain => self.typed_chain(instruction, true)?,
            Op::UntypedAccessChainKHR | Op::UntypedInBoundsAccessChainKHR => {
                self.access_chain(instruction.operand(0)?, 1, false, instruction)?;
            }
            Op::UntypedPtrAccessChainKHR | Op::UntypedInBoundsPtrAccessChainKHR => {
                self.access_chain(instruction.operand(0)?, 1, true, instruction)?;
            }
            // Memory is there in time without it.
            Op::UntypedPrefetchKHR => {}
            Op::PtrEqual | Op::PtrNotEqual => {
                let op = if op == Op::PtrEqual { CompareOp::Eq } else { CompareOp::Ne };
                let (a, b) = (self.value_at(0, instruction)?, self.value_at(1, instruction)?);
                let is_address = |ty: Type| ty.is_pointer() || ty == Type::I64;
                if self.function.ty(a) != self.function.ty(b) || !is_address(self.function.ty(a)) {
                    return Err(instruction.error("the operands are not pointers of one type"));
                }
                let value = self.build().compare(op, a, b);
                self.define_value(instruction, value)?;
            }
            Op::PtrDiff => self.pointer_difference(instruction)?,
            _ => return Ok(false),
        }
        Ok(true)
    }

    fn variable(&mut self, instruction: &Instruction<'_>) -> Result<(), Error> {
        let id = instruction.result().unwrap_or_default();
        if address_space(instruction.operand(0)?) != Some(AddressSpace::Private) {
            return Err(instruction.error("functions have no variables of this storage class"));
        }
        let (pointee, initializer) = self.reader.contents_of(instruction)?;
        let data = self.reader.index.type_of(pointee, instruction)?;
        if matches!(data.ty, Ty::Image(_) | Ty::Sampler) {
            self.handles.insert(id, None);
            return Ok(());
        }
        let (size, align) = (data.size, data.align);
        let decorated = self.reader.index.decoration(id, Decoration::Alignment);
        let decorated = decorated.and_then(|words| words.first()).filter(|align| align.is_power_of_two());
        let address = self.alloca(size, align.max(decorated.map_or(1, |&align| u64::from(align))));
        self.locals.define(id, Definition::Value(address));
        if let Some(initializer) = initializer {
            let value = self.operand(initializer, instruction)?;
            self.store(address, value, pointee, Access::default(), instruction)?;
        }
        Ok(())
    }

    fn access(&self, from: usize, instruction: &Instruction<'_>) -> Result<Access, Error> {
        let words = instruction.operands().get(from..).unwrap_or_default();
        let Some((&mask, rest)) = words.split_first() else {
            return Ok(Access::default());
        };
        let mask = MemoryAccess::from_bits_retain(mask);
        let align = rest
            .first()
            .copied()
            .filter(|align| mask.contains(MemoryAccess::ALIGNED) && align.is_power_of_two());
        Ok(Access { align, volatile: mask.contains(MemoryAccess::VOLATILE) })
    }

    fn load_instruction(&mut self, instruction: &Instruction<'_>) -> Result<(), Error> {
        let ty = instruction.result_type().unwrap_or_default();
        let pointer = instruction.operand(0)?;
        if let Some(stored) = self.handles.get(&pointer) {
            let problem = "the image or sampler is not known: variables of such types are written once, before they are read";
            let value = stored.ok_or_else(|| instruction.error(problem))?;
            return self.define_value(instruction, value);
        }
        let data = self.reader.index.type_of(ty, instruction)?;
        if data.ty == Ty::Sampler {
            return self.load_sampler(pointer, instruction);
        }
        let address = self.pointer(pointer, instruction)?;
        let access = self.access(1, instruction)?;
        let value = self.load(address, ty, access, instruction)?;
        self.define(instruction, value)
    }

    /// Loads a sampler from a variable of module scope, whose contents are constant.
    fn load_sampler(&mut self, variable: Id, instruction: &Instruction<'_>) -> Result<(), Error> {
        let definition = self.reader.index.definition(variable).filter(|it| is_variable(it.op()));
        let contents = definition.map(|it| self.reader.contents_of(&it)).transpose()?;
        let initializer = contents.and_then(|(_, initializer)| initializer);
        let initializer = initializer.ok_or_else(|| instruction.error("the sampler is not a constant"))?;
        let value = self.value(initializer, instruction)?;
        self.define_value(instruction, value)
    }

    fn store_instruction(&mut self, instruction: &Instruction<'_>) -> Result<(), Error> {
        let (pointer, id) = (instruction.operand(0)?, instruction.operand(1)?);
        let value = self.operand(id, instruction)?;
        if let Some(known) = self.handles.get(&pointer).copied() {
            let value = self.value_of(value, instruction)?;
            if known.is_some_and(|known| known != value) {
                return Err(instruction.error("a variable that holds an image or a sampler is written twice"));
            }
            self.handles.insert(pointer, Some(value));
            return Ok(());
        }
        let ty = self.type_of_value(id, instruction)?;
        let address = self.writable(pointer, instruction)?;
        let access = self.access(2, instruction)?;
        self.store(address, value, ty, access, instruction)
    }

    /// An operand that is a pointer.
    pub fn pointer(&mut self, id: Id, instruction: &Instruction<'_>) -> Result<Value, Error> {
        let value = self.value(id, instruction)?;
        match self.function.ty(value) {
            Type::Pointer(_) => Ok(value),
            _ => Err(instruction.error(format!("%{id} is not a pointer"))),
        }
    }

    /// An operand that is a pointer to memory that may be written.
    pub fn writable(&mut self, id: Id, instruction: &Instruction<'_>) -> Result<Value, Error> {
        let value = self.pointer(id, instruction)?;
        match self.function.ty(value) {
            Type::Pointer(AddressSpace::Constant) => Err(instruction.error("constant memory is not written")),
            _ => Ok(value),
        }
    }

    fn copy_memory(&mut self, instruction: &Instruction<'_>) -> Result<(), Error> {
        let (target, source) = (instruction.operand(0)?, instruction.operand(1)?);
        // One of the pointers may be untyped.
        let pointee =
            self.pointee_of(target, instruction).or_else(|_| self.pointee_of(source, instruction))?;
        let (to, from) = (self.writable(target, instruction)?, self.pointer(source, instruction)?);
        let Access { align, .. } = self.access(2, instruction)?;
        let data = self.reader.index.type_of(pointee, instruction)?;
        let (size, align) = (data.size, align.unwrap_or(self.natural_align(data)));
        self.copy(to, from, size, align);
        Ok(())
    }

    fn copy_memory_sized(&mut self, instruction: &Instruction<'_>) -> Result<(), Error> {
        let to = self.writable(instruction.operand(0)?, instruction)?;
        let from = self.pointer(instruction.operand(1)?, instruction)?;
        let size = instruction.operand(2)?;
        let Access { align, .. } = self.access(3, instruction)?;
        if let Some(size) = Evaluator::new(self.reader.index).scalar(size)? {
            self.copy(to, from, size, align.unwrap_or(1));
            return Ok(());
        }
        let count = self.value(size, instruction)?;
        let count = self.resized(count, Type::I64);
        self.copy_bytes(to, from, count, instruction)
    }

    /// The type that a pointer's type names.
    pub fn pointee_of(&self, pointer: Id, user: &Instruction<'_>) -> Result<Id, Error> {
        let ty = self.type_of_value(pointer, user)?;
        self.reader.pointee(ty, user)
    }

    fn typed_chain(&mut self, instruction: &Instruction<'_>, element: bool) -> Result<(), Error> {
        let ty = self.pointee_of(instruction.operand(0)?, instruction)?;
        self.access_chain(ty, 0, element, instruction)
    }

    /// `OpAccessChain` and its kind, of an object of this type: the base's number among the operands, and
    /// whether the first index counts objects like the base's.
    fn access_chain(
        &mut self,
        ty: Id,
        base: usize,
        element: bool,
        instruction: &Instruction<'_>,
    ) -> Result<(), Error> {
        let expected = self.result_value_type(instruction)?;
        let base_id = instruction.operand(base)?;
        if !expected.is_pointer() || self.built_in(base_id).is_none() {
            let address = self.part_address(ty, base, element, instruction)?;
            return self.define_value(instruction, address);
        }
        // Modules may declare built-in variables in any memory, and ours are in private memory: the address
        // is not of the type that the module says.
        let is_fixed = |id: &Id| self.reader.index.integer(*id, instruction).is_ok();
        if !instruction.operands()[base + 1..].iter().all(is_fixed) {
            let address = self.part_address(ty, base, element, instruction)?;
            self.define_address(instruction, address);
            return Ok(());
        }
        // The address is found where every block can use it.
        self.pointer(base_id, instruction)?;
        let outer = std::mem::replace(&mut self.region, self.prologue);
        let address = self.part_address(ty, base, element, instruction);
        self.region = outer;
        self.locals.define(instruction.result().unwrap_or_default(), Definition::Value(address?));
        Ok(())
    }

    fn part_address(
        &mut self,
        mut ty: Id,
        base: usize,
        element: bool,
        instruction: &Instruction<'_>,
    ) -> Result<Value, Error> {
        let mut address = self.pointer(instruction.operand(base)?, instruction)?;
        let mut indices = instruction.operands()[base + 1..].iter();
        if element {
            let &index =
                indices.next().ok_or_else(|| instruction.error("the instruction lacks an operand"))?;
            let size = self.reader.index.type_of(ty, instruction)?.size;
            address = self.indexed(address, index, size, instruction)?;
        }
        for &index in indices {
            let data = self.reader.index.type_of(ty, instruction)?;
            match data.ty {
                Ty::Struct { .. } => {
                    let number = self.reader.index.integer(index, instruction)?;
                    let (member, offset) = self.reader.index.part(ty, number, instruction)?;
                    address = self.build().pointer_offset(address, offset as i64);
                    ty = member;
                }
                _ => {
                    let (part, size) = self.reader.index.part(ty, 1, instruction)?;
                    address = self.indexed(address, index, size, instruction)?;
                    ty = part;
                }
            }
        }
        Ok(address)
    }

    /// The address of an element.
    fn indexed(
        &mut self,
        base: Value,
        index: Id,
        stride: u64,
        user: &Instruction<'_>,
    ) -> Result<Value, Error> {
        let (index, scalar) = self.integer(index, user)?;
        if let Some(bits) = self.function.as_bits(index) {
            let position = scalar.sign_extend(bits);
            return Ok(self.build().pointer_offset(base, position.wrapping_mul(stride as i64)));
        }
        Ok(if stride == 0 { base } else { self.build().pointer_index(base, index, stride) })
    }

    fn pointer_difference(&mut self, instruction: &Instruction<'_>) -> Result<(), Error> {
        let pointee = self.pointee_of(instruction.operand(0)?, instruction)?;
        let size = self.reader.index.type_of(pointee, instruction)?.size.max(1);
        let ty = self.result_value_type(instruction)?;
        let mut addresses = Vec::new();
        for index in 0..2 {
            let pointer = self.pointer(instruction.operand(index)?, instruction)?;
            addresses.push(self.build().convert(ConvertOp::PointerToInt, pointer, Type::I64));
        }
        let bytes = self.build().binary(BinaryOp::Sub, addresses[0], addresses[1]);
        let size = self.function.int(Type::I64, size as i64);
        let count = self.build().binary(BinaryOp::SDiv, bytes, size);
        let count = self.resized(count, ty);
        self.define_value(instruction, count)
    }

    /// The memory semantics of a generic pointer.
    pub fn space_number(&mut self, pointer: Value, user: &Instruction<'_>) -> Result<Value, Error> {
        if self.function.ty(pointer) != Type::Pointer(AddressSpace::Generic) {
            return Err(user.error("the pointer is not a generic one"));
        }
        Ok(self.build().value(IrOp::PointerSpace, &[pointer], Type::I32))
    }
}
