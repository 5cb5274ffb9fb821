//! Addresses, loads and stores, atomic operations, barriers and fences.

use super::function::FunctionWriter;
use super::writer::storage_class;
use crate::emit::control::Body;
use crate::emit::memory::{atomic_opcode, float_atomics};
use clvk_ir::{AddressSpace, CompareOp, ConvertOp, FenceFlags, Inst, MemoryOrder, Op, Scope, Type, Value};
use rspirv::{
    dr::Operand,
    spirv::{self, Capability, MemoryAccess, MemorySemantics, Word},
};

impl FunctionWriter<'_, '_> {
    /// Writes an instruction that makes or uses a pointer, or synchronises.
    pub fn memory(&mut self, inst: Inst) {
        let function = self.function;
        let data = &function.insts[inst];
        let id = match data.op {
            Op::Alloca { size, align } => self.variable(size, align),
            Op::Load { .. } if self.loads_half(inst) => self.load_half(inst),
            Op::Load { align, volatile } => {
                let ty = function.ty(data.results[0]);
                let pointer = self.typed_pointer(data.operands[0], ty);
                let mut operands = vec![Operand::IdRef(pointer)];
                operands.extend(access(align, volatile));
                let ty = self.module.writer.value_type(ty);
                self.add(spirv::Op::Load, ty, operands)
            }
            Op::PointerOffset(offset) => {
                let offset = self.module.writer.long(offset as u64);
                self.address(inst, offset)
            }
            Op::PointerIndex { stride } => self.index(inst, stride),
            Op::PointerSpace => self.pointer_space(inst),
            Op::AtomicRmw { .. } | Op::AtomicCompareExchange { .. } | Op::AtomicLoad { .. } => {
                self.atomic(inst)
            }
            _ => return self.effects(inst),
        };
        self.define(data.results[0], id);
    }

    /// Writes an instruction without a result.
    fn effects(&mut self, inst: Inst) {
        let data = &self.function.insts[inst];
        match data.op {
            Op::Store { .. } if self.store_half(inst) => {}
            Op::Store { align, volatile } => {
                let ty = self.operand_type(inst, 1);
                let pointer = self.typed_pointer(data.operands[0], ty);
                let value = self.operand(inst, 1);
                let mut operands = vec![Operand::IdRef(pointer), Operand::IdRef(value)];
                operands.extend(access(align, volatile));
                self.effect(spirv::Op::Store, operands);
            }
            Op::AtomicStore { order, scope } => {
                let ty = self.operand_type(inst, 1);
                let pointer = self.typed_pointer(data.operands[0], ty);
                self.require_atomics(ty);
                let (scope, semantics) = (self.scope(scope), self.semantics(inst, order));
                let value = self.operand(inst, 1);
                let operands = vec![
                    Operand::IdRef(pointer),
                    Operand::IdScope(scope),
                    Operand::IdMemorySemantics(semantics),
                    Operand::IdRef(value),
                ];
                self.effect(spirv::Op::AtomicStore, operands);
            }
            Op::MemoryCopy { size, align } => {
                let (target, source) = (self.operand(inst, 0), self.operand(inst, 1));
                self.copy(target, source, size, align);
            }
            Op::MemoryZero { size, align } => {
                let zeros = self.module.writer.zeros(size);
                let ty = self.module.writer.value_type(Type::Pointer(AddressSpace::Constant));
                let source = self.add(spirv::Op::Bitcast, ty, vec![Operand::IdRef(zeros)]);
                let target = self.operand(inst, 0);
                self.copy(target, source, size, align.min(16));
            }
            Op::Barrier { execution, memory, flags } => {
                let (execution, memory) = (self.scope(execution), self.scope(memory));
                let order = MemorySemantics::SEQUENTIALLY_CONSISTENT | storage_semantics(flags);
                let semantics = self.module.writer.word(order.bits());
                let operands = vec![
                    Operand::IdScope(execution),
                    Operand::IdScope(memory),
                    Operand::IdMemorySemantics(semantics),
                ];
                self.effect(spirv::Op::ControlBarrier, operands);
            }
            // It orders nothing.
            Op::Fence { order: MemoryOrder::Relaxed, .. } => {}
            Op::Fence { order, scope, flags } => {
                let scope = self.scope(scope);
                let semantics = self.module.writer.word((ordering(order) | storage_semantics(flags)).bits());
                let operands = vec![Operand::IdScope(scope), Operand::IdMemorySemantics(semantics)];
                self.effect(spirv::Op::MemoryBarrier, operands);
            }
            _ => self.left(inst),
        }
    }

    /// A pointer to values of a type, made of a pointer to bytes.
    pub fn typed_pointer(&mut self, pointer: Value, ty: Type) -> Word {
        let id = self.id(pointer);
        if ty == Type::I8 {
            return id;
        }
        let space = self.function.ty(pointer).address_space().expect("it is a pointer");
        let ty = self.module.writer.pointer_type(storage_class(space), ty);
        self.add(spirv::Op::Bitcast, ty, vec![Operand::IdRef(id)])
    }

    /// The base of an instruction plus this many bytes.
    fn address(&mut self, inst: Inst, offset: Word) -> Word {
        let base = self.operand(inst, 0);
        let ty = self.operand_type(inst, 0);
        self.compute(spirv::Op::PtrAccessChain, ty, &[base, offset])
    }

    fn index(&mut self, inst: Inst, stride: u64) -> Word {
        let mut index = self.operand(inst, 1);
        if self.operand_type(inst, 1) != Type::I64 {
            index = self.compute(spirv::Op::SConvert, Type::I64, &[index]);
        }
        if stride != 1 {
            let stride = self.module.writer.long(stride);
            index = self.compute(spirv::Op::IMul, Type::I64, &[index, stride]);
        }
        self.address(inst, index)
    }

    /// The semantics of local memory are bit 8, those of global memory bit 9.
    fn pointer_space(&mut self, inst: Inst) -> Word {
        let pointer = self.operand(inst, 0);
        let semantics = self.compute(spirv::Op::GenericPtrMemSemantics, Type::I32, &[pointer]);
        let (eight, both) = (self.module.writer.word(8), self.module.writer.word(3));
        let moved = self.compute(spirv::Op::ShiftRightLogical, Type::I32, &[semantics, eight]);
        self.compute(spirv::Op::BitwiseAnd, Type::I32, &[moved, both])
    }

    /// `to_global` and its kind, for which devices have an instruction: a generic pointer in another address
    /// space if it points there, and null otherwise.
    pub fn moved_if_there(&mut self, inst: Inst, ty: Type) -> Option<Word> {
        let function = self.function;
        let defined = |value: Value| function.defining_inst(value).map(|inst| &function.insts[inst]);
        let space = ty.address_space()?;
        let [condition, moved, otherwise] = function.insts[inst].operands[..] else { return None };
        let (compared, cast) = (defined(condition)?, defined(moved)?);
        let number = match space {
            AddressSpace::Private => 0,
            AddressSpace::Local => 1,
            AddressSpace::Global => 2,
            _ => return None,
        };
        let found = defined(*compared.operands.first()?)?;
        let matches = function.as_constant(otherwise)?.is_zero()
            && compared.op == Op::Compare(CompareOp::Eq)
            && function.as_bits(compared.operands[1]) == Some(number)
            && found.op == Op::PointerSpace
            && cast.op == Op::Convert(ConvertOp::AddressSpace)
            && cast.operands == found.operands;
        if !matches {
            return None;
        }
        let (pointer, ty) = (self.id(cast.operands[0]), self.module.writer.value_type(ty));
        let operands = vec![Operand::IdRef(pointer), Operand::StorageClass(storage_class(space))];
        Some(self.add(spirv::Op::GenericCastToPtrExplicit, ty, operands))
    }

    /// A pointer in another address space.
    pub fn other_space(&mut self, inst: Inst, ty: Type) -> Word {
        let opcode = match (self.operand_type(inst, 0).address_space(), ty.address_space()) {
            (_, Some(AddressSpace::Generic)) => spirv::Op::PtrCastToGeneric,
            (Some(AddressSpace::Generic), _) => spirv::Op::GenericCastToPtr,
            _ => self.left(inst),
        };
        self.simple(inst, opcode, ty)
    }

    fn copy(&mut self, target: Word, source: Word, size: u64, align: u32) {
        let size = self.module.writer.long(size);
        let mut operands = vec![Operand::IdRef(target), Operand::IdRef(source), Operand::IdRef(size)];
        operands.extend(access(align, false));
        self.effect(spirv::Op::CopyMemorySized, operands);
    }

    fn require_atomics(&mut self, ty: Type) {
        if ty == Type::I64 {
            self.module.writer.require(Capability::Int64Atomics);
        }
    }

    /// An atomic operation with a result.
    fn atomic(&mut self, inst: Inst) -> Word {
        let function = self.function;
        let data = &function.insts[inst];
        let ty = function.ty(data.results[0]);
        self.require_atomics(ty);
        let pointer = self.typed_pointer(data.operands[0], ty);
        let (op, scope, orders) = match data.op {
            Op::AtomicRmw { op, order, scope } => {
                if let Some((capability, extension)) = float_atomics(op, ty) {
                    self.module.writer.require(capability);
                    self.module.writer.extension(extension);
                }
                (atomic_opcode(op), scope, vec![order])
            }
            Op::AtomicCompareExchange { success, failure, scope } => {
                (spirv::Op::AtomicCompareExchange, scope, vec![success, failure])
            }
            Op::AtomicLoad { order, scope } => (spirv::Op::AtomicLoad, scope, vec![order]),
            _ => self.left(inst),
        };
        let scope = self.scope(scope);
        let mut operands = vec![Operand::IdRef(pointer), Operand::IdScope(scope)];
        for order in orders {
            operands.push(Operand::IdMemorySemantics(self.semantics(inst, order)));
        }
        // The IR has (expected, new), SPIR-V (new, expected).
        for &value in data.operands[1..].iter().rev() {
            operands.push(Operand::IdRef(self.id(value)));
        }
        let ty = self.module.writer.value_type(ty);
        self.add(op, ty, operands)
    }

    /// The semantics of an atomic operation: its order, in the memory that it is in.
    fn semantics(&mut self, inst: Inst, order: MemoryOrder) -> Word {
        let (local, global) = (MemorySemantics::WORKGROUP_MEMORY, MemorySemantics::CROSS_WORKGROUP_MEMORY);
        let memory = match self.operand_type(inst, 0).address_space() {
            _ if order == MemoryOrder::Relaxed => MemorySemantics::RELAXED,
            Some(AddressSpace::Local) => local,
            Some(AddressSpace::Generic) => local | global,
            Some(AddressSpace::Private) => MemorySemantics::RELAXED,
            _ => global,
        };
        self.module.writer.word((ordering(order) | memory).bits())
    }

    /// The id of a scope.
    pub fn scope(&mut self, scope: Scope) -> Word {
        let scope = match scope {
            Scope::WorkItem => spirv::Scope::Invocation,
            Scope::SubGroup => spirv::Scope::Subgroup,
            Scope::WorkGroup => spirv::Scope::Workgroup,
            Scope::Device => spirv::Scope::Device,
            Scope::AllDevices => spirv::Scope::CrossDevice,
        };
        self.module.writer.word(scope as u32)
    }
}

/// The memory operands of an access.
fn access(align: u32, volatile: bool) -> [Operand; 2] {
    let mut mask = MemoryAccess::ALIGNED;
    if volatile {
        mask |= MemoryAccess::VOLATILE;
    }
    [Operand::MemoryAccess(mask), Operand::LiteralBit32(align.max(1))]
}

fn ordering(order: MemoryOrder) -> MemorySemantics {
    match order {
        MemoryOrder::Relaxed => MemorySemantics::RELAXED,
        MemoryOrder::Acquire => MemorySemantics::ACQUIRE,
        MemoryOrder::Release => MemorySemantics::RELEASE,
        MemoryOrder::AcquireRelease => MemorySemantics::ACQUIRE_RELEASE,
        MemoryOrder::SequentiallyConsistent => MemorySemantics::SEQUENTIALLY_CONSISTENT,
    }
}

fn storage_semantics(flags: FenceFlags) -> MemorySemantics {
    let mut semantics = MemorySemantics::RELAXED;
    for (flag, memory) in [
        (FenceFlags::LOCAL, MemorySemantics::WORKGROUP_MEMORY),
        (FenceFlags::GLOBAL, MemorySemantics::CROSS_WORKGROUP_MEMORY),
        (FenceFlags::IMAGE, MemorySemantics::IMAGE_MEMORY),
    ] {
        if flags.contains(flag) {
            semantics |= memory;
        }
    }
    semantics
}
