//! Rules of SPIR-V on operands that translating an instruction would not notice (SPIR-V §3.49).
//!
//! Types are compared by what they are, not by their ids, so a type that is declared twice does no harm. An
//! untyped pointer points to anything. `OpAtomicCompareExchangeWeak` is read in every version, though SPIR-V
//! 1.4 removed it: LLVM's translator 15 writes it all the same.

use super::Body;
use crate::binary::{Id, Instruction};
use crate::error::Error;
use crate::types::Ty;
use clvk_ir::{AddressSpace, EntityId, Scalar};
use rspirv::spirv::{Capability, MemorySemantics, Op, Scope};
use rustc_hash::FxHashSet;

/// Several of these bits are an error.
const ORDERS: MemorySemantics = MemorySemantics::ACQUIRE
    .union(MemorySemantics::RELEASE)
    .union(MemorySemantics::ACQUIRE_RELEASE)
    .union(MemorySemantics::SEQUENTIALLY_CONSISTENT);

/// What only shaders, and Vulkan's memory model, have.
const OF_SHADERS: MemorySemantics = MemorySemantics::UNIFORM_MEMORY
    .union(MemorySemantics::OUTPUT_MEMORY)
    .union(MemorySemantics::MAKE_AVAILABLE)
    .union(MemorySemantics::MAKE_VISIBLE)
    .union(MemorySemantics::VOLATILE);

/// An error at an instruction that breaks a rule.
pub fn demand(holds: bool, rule: &str, instruction: &Instruction<'_>) -> Result<(), Error> {
    if holds { Ok(()) } else { Err(instruction.error(rule)) }
}

impl Body<'_, '_> {
    /// Checks an instruction.
    pub fn check_rules(&self, op: Op, instruction: &Instruction<'_>) -> Result<(), Error> {
        let missing = self.reader.index.declared().missing(instruction);
        if let Some(capability) = missing {
            return Err(
                instruction.error(format!("the module does not declare the capability {capability:?}"))
            );
        }
        match op {
            Op::AtomicFlagTestAndSet | Op::AtomicFlagClear => self.check_flag(op, instruction),
            Op::AtomicLoad
            | Op::AtomicStore
            | Op::AtomicExchange
            | Op::AtomicCompareExchange
            | Op::AtomicCompareExchangeWeak
            | Op::AtomicIIncrement
            | Op::AtomicIDecrement
            | Op::AtomicIAdd
            | Op::AtomicISub
            | Op::AtomicSMin
            | Op::AtomicUMin
            | Op::AtomicSMax
            | Op::AtomicUMax
            | Op::AtomicAnd
            | Op::AtomicOr
            | Op::AtomicXor
            | Op::AtomicFAddEXT
            | Op::AtomicFMinEXT
            | Op::AtomicFMaxEXT => self.check_atomic(op, instruction),
            Op::PtrCastToGeneric | Op::GenericCastToPtr | Op::GenericCastToPtrExplicit => {
                self.check_cast(op, instruction)
            }
            Op::SatConvertSToU | Op::SatConvertUToS => {
                let operand = self.ty_at(0, instruction)?;
                demand(is_integers(operand), "the operand is not an integer", instruction)
            }
            Op::AssumeTrueKHR => {
                let operand = self.ty_at(0, instruction)?;
                demand(*operand == Ty::Bool, "the operand is not a truth value", instruction)
            }
            Op::ExpectKHR => self.check_expect(instruction),
            Op::Load => self.check_access(instruction.result_type().unwrap_or_default(), instruction),
            Op::Store => {
                self.check_access(self.type_of_value(instruction.operand(1)?, instruction)?, instruction)
            }
            Op::Select => self.check_select(instruction),
            Op::CopyMemory => self.check_copy(instruction),
            Op::CopyMemorySized => {
                let is_size = matches!(self.ty_at(2, instruction)?, Ty::Int(_));
                demand(is_size, "the size is not an integer", instruction)
            }
            Op::CopyLogical => self.check_logical_copy(instruction),
            Op::Variable | Op::UntypedVariableKHR => {
                let at = if op == Op::Variable { 1 } else { 2 };
                let initial = instruction.operands().get(at);
                let is_constant = initial.is_none_or(|&id| self.reader.index.definition(id).is_some());
                demand(is_constant, "the initial value is not a constant", instruction)
            }
            Op::Phi => {
                let is_first = self.block.index() == 0;
                demand(!is_first, "the first block of a function has no phis", instruction)
            }
            Op::LoopMerge => self.check_labels(2, instruction),
            Op::SelectionMerge => self.check_labels(1, instruction),
            _ => Ok(()),
        }
    }

    /// What the value of an id is.
    pub fn ty_of(&self, id: Id, instruction: &Instruction<'_>) -> Result<&Ty, Error> {
        let ty = self.type_of_value(id, instruction)?;
        Ok(&self.reader.index.type_of(ty, instruction)?.ty)
    }

    /// What an operand is.
    pub fn ty_at(&self, index: usize, instruction: &Instruction<'_>) -> Result<&Ty, Error> {
        self.ty_of(instruction.operand(index)?, instruction)
    }

    /// What the result is.
    pub fn ty_of_result(&self, instruction: &Instruction<'_>) -> Result<&Ty, Error> {
        let ty = instruction.result_type().unwrap_or_default();
        Ok(&self.reader.index.type_of(ty, instruction)?.ty)
    }

    /// What a pointer points to, if its type says it.
    pub fn target_of<'t>(&'t self, ty: &Ty, instruction: &Instruction<'_>) -> Result<Option<&'t Ty>, Error> {
        match *ty {
            Ty::Pointer { pointee: Some(pointee), .. } => {
                Ok(Some(&self.reader.index.type_of(pointee, instruction)?.ty))
            }
            Ty::Pointer { pointee: None, .. } => Ok(None),
            _ => Err(instruction.error("the operand is not a pointer")),
        }
    }

    /// A value of this type is where the first operand points to.
    fn check_access(&self, ty: Id, instruction: &Instruction<'_>) -> Result<(), Error> {
        let pointer = self.type_of_value(instruction.operand(0)?, instruction)?;
        let index = &self.reader.index;
        match index.type_of(pointer, instruction)?.ty {
            Ty::Pointer { pointee: Some(pointee), .. } if pointee != ty => {
                let same = index.type_of(pointee, instruction)?.ty == index.type_of(ty, instruction)?.ty;
                demand(same, "the pointer points to another type than the value has", instruction)
            }
            _ => Ok(()),
        }
    }

    /// Both pointers are to the same type, if both say it.
    fn check_copy(&self, instruction: &Instruction<'_>) -> Result<(), Error> {
        let to = self.target_of(self.ty_at(0, instruction)?, instruction)?;
        let from = self.target_of(self.ty_at(1, instruction)?, instruction)?;
        let same = to.is_none() || from.is_none() || to == from;
        demand(same, "the pointers are to different types", instruction)
    }

    /// The types of operand and result differ, but not what they consist of.
    fn check_logical_copy(&self, instruction: &Instruction<'_>) -> Result<(), Error> {
        let from = self.type_of_value(instruction.operand(0)?, instruction)?;
        let to = instruction.result_type().unwrap_or_default();
        demand(from != to, "operand and result have the same type", instruction)?;
        let (mut pending, mut seen) = (vec![(from, to)], FxHashSet::default());
        while let Some(pair @ (from, to)) = pending.pop() {
            if from == to || !seen.insert(pair) {
                continue;
            }
            let index = &self.reader.index;
            let (one, other) = (&index.type_of(from, instruction)?.ty, &index.type_of(to, instruction)?.ty);
            let same = match (one, other) {
                (Ty::Array { element, count }, Ty::Array { element: other, count: as_many }) => {
                    pending.push((*element, *other));
                    count == as_many
                }
                (Ty::Struct { members }, Ty::Struct { members: others }) => {
                    let is_as_long = members.len() == others.len();
                    let mut members = members.iter().zip(others);
                    pending.extend(members.clone().map(|(one, other)| (one.0, other.0)));
                    // The copy has the places of its operand.
                    is_as_long && members.all(|(one, other)| one.1 == other.1)
                }
                _ => one == other,
            };
            demand(same, "operand and result consist of different types", instruction)?;
        }
        Ok(())
    }

    /// As many operands are labels of blocks.
    fn check_labels(&self, count: usize, instruction: &Instruction<'_>) -> Result<(), Error> {
        let mut labels = instruction.operands().iter().take(count);
        demand(
            labels.all(|id| self.tables.blocks.contains_key(id)),
            "the operand is not a block",
            instruction,
        )
    }

    /// A vector of truth values chooses lane by lane.
    fn check_select(&self, instruction: &Instruction<'_>) -> Result<(), Error> {
        let Ty::Vector(_, lanes) = *self.ty_at(0, instruction)? else { return Ok(()) };
        let result = self.ty_of_result(instruction)?;
        let is_right = matches!(result, Ty::Vector(_, count) if *count == lanes);
        demand(is_right, "the condition has another number of lanes than the result", instruction)
    }

    /// Memory semantics: a word that has at most one order.
    fn check_semantics(&self, index: usize, instruction: &Instruction<'_>) -> Result<MemorySemantics, Error> {
        let ty = self.ty_at(index, instruction)?;
        demand(*ty == Ty::Int(Scalar::I32), "the memory semantics are not a 32-bit integer", instruction)?;
        let bits = self.reader.index.integer(instruction.operand(index)?, instruction)?;
        let bits = MemorySemantics::from_bits_retain(bits as u32);
        let orders = (bits & ORDERS).bits().count_ones();
        demand(orders < 2, "the memory semantics have more than one order", instruction)?;
        demand(
            !bits.intersects(OF_SHADERS),
            "the memory semantics name what only shaders have",
            instruction,
        )?;
        Ok(bits)
    }

    fn check_scope(&self, index: usize, instruction: &Instruction<'_>) -> Result<(), Error> {
        let ty = self.ty_at(index, instruction)?;
        demand(*ty == Ty::Int(Scalar::I32), "the scope is not a 32-bit integer", instruction)?;
        let scope = instruction.operand(index)?;
        let is_constant = self.reader.index.definition(scope).is_some();
        let is_known =
            !is_constant || self.reader.index.integer(scope, instruction)? <= Scope::Invocation as u64;
        demand(is_known, "kernels do not have this scope", instruction)
    }

    fn check_atomic(&self, op: Op, instruction: &Instruction<'_>) -> Result<(), Error> {
        self.check_scope(1, instruction)?;
        self.check_semantics(2, instruction)?;
        let value = match op {
            Op::AtomicStore => self.ty_at(3, instruction)?,
            _ => self.ty_of_result(instruction)?,
        };
        let pointer = self.ty_at(0, instruction)?;
        let target = self.target_of(pointer, instruction)?.unwrap_or(value);
        demand(target == value, "the pointer points to another type than the value has", instruction)?;
        let is_number = matches!(value, Ty::Int(_) | Ty::Float(_));
        demand(is_number, "atomic operations are of integers and floating-point numbers", instruction)?;
        let wide =
            *value == Ty::Int(Scalar::I64) && !self.reader.index.declared().has(Capability::Int64Atomics);
        demand(!wide, "the module does not declare the capability Int64Atomics", instruction)?;
        if let Op::AtomicCompareExchange | Op::AtomicCompareExchangeWeak = op {
            let unequal = self.check_semantics(3, instruction)?;
            let releases = MemorySemantics::RELEASE | MemorySemantics::ACQUIRE_RELEASE;
            demand(!unequal.intersects(releases), "a comparison that fails releases nothing", instruction)?;
        }
        Ok(())
    }

    fn check_flag(&self, op: Op, instruction: &Instruction<'_>) -> Result<(), Error> {
        self.check_scope(1, instruction)?;
        let semantics = self.check_semantics(2, instruction)?;
        let acquires = MemorySemantics::ACQUIRE | MemorySemantics::ACQUIRE_RELEASE;
        let is_store = op == Op::AtomicFlagClear;
        demand(!is_store || !semantics.intersects(acquires), "clearing acquires nothing", instruction)?;
        let pointer = self.ty_at(0, instruction)?;
        let target = self.target_of(pointer, instruction)?;
        let is_word = target.is_none_or(|ty| *ty == Ty::Int(Scalar::I32));
        demand(is_word, "the pointer does not point to a 32-bit integer", instruction)
    }

    /// Casts to and from generic pointers.
    fn check_cast(&self, op: Op, instruction: &Instruction<'_>) -> Result<(), Error> {
        let (from, to) = (self.ty_at(0, instruction)?, self.ty_of_result(instruction)?);
        let (from_target, to_target) = (self.target_of(from, instruction)?, self.target_of(to, instruction)?);
        let (generic, named) = if op == Op::PtrCastToGeneric { (to, from) } else { (from, to) };
        let is_generic = |ty: &Ty| matches!(ty, Ty::Pointer { space: AddressSpace::Generic, .. });
        demand(is_generic(generic), "the cast is not of a generic pointer", instruction)?;
        let is_part = |ty: &Ty| {
            let parts = [AddressSpace::Global, AddressSpace::Local, AddressSpace::Private];
            matches!(ty, Ty::Pointer { space, .. } if parts.contains(space))
        };
        demand(is_part(named), "generic pointers do not point to this address space", instruction)?;
        if op == Op::GenericCastToPtrExplicit {
            let class = crate::types::address_space(instruction.operand(1)?);
            let is_own = matches!(to, Ty::Pointer { space, .. } if Some(*space) == class);
            demand(is_own, "the result is not a pointer to the named storage class", instruction)?;
        }
        let same = from_target.is_none() || to_target.is_none() || from_target == to_target;
        demand(same, "operand and result point to different types", instruction)
    }

    fn check_expect(&self, instruction: &Instruction<'_>) -> Result<(), Error> {
        let result = self.ty_of_result(instruction)?;
        let is_right = is_integers(result) || matches!(result, Ty::Bool | Ty::Vector(Scalar::Bool, _));
        demand(is_right, "the result is neither an integer nor a truth value", instruction)?;
        let same = self.ty_at(0, instruction)? == result && self.ty_at(1, instruction)? == result;
        demand(same, "the operands have another type than the result", instruction)
    }
}

/// Whether a type is an integer or a vector of them.
pub fn is_integers(ty: &Ty) -> bool {
    match ty {
        Ty::Int(_) => true,
        Ty::Vector(scalar, _) => scalar.is_int(),
        _ => false,
    }
}
