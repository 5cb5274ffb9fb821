//! Loads, stores, atomics and barriers.
//!
//! Programs wait for other work-groups by reading volatile variables in global memory, so such accesses are
//! coherent: in GLSL's model by the decoration, in Vulkan's by making memory visible and available. With
//! `Volatile` alone, NVIDIA's driver may read a work-group's own cache for ever.

use super::control::Body;
use super::kernel::Kernel;
use super::sub_groups::NOT_CORE;
use super::writer::TypeKey;
use clvk_ir::{
    AddressSpace, AtomicOp, EntityId, FenceFlags, Inst, MemoryOrder, Op, Scalar, Scope, Type, Value,
    VariableSpace,
};
use rspirv::{
    dr::Operand,
    spirv::{self, Capability, Decoration, MemorySemantics, StorageClass, Word},
};

/// A typed pointer.
#[derive(Clone, Copy)]
struct Pointer {
    id: Word,
    class: StorageClass,
}

impl Kernel<'_, '_> {
    /// Writes an instruction that makes or uses a pointer, or synchronises.
    pub fn memory(&mut self, inst: Inst) {
        let function = self.function;
        let data = &function.insts[inst];
        match data.op {
            Op::ElementPointer(_) => self.element_pointer(inst),
            Op::PhysicalPointer(_) => {
                let address = self.operand(inst, 0);
                self.ids[data.results[0].index()] = address;
            }
            Op::Load { align, volatile } => {
                let ty = function.ty(data.results[0]);
                let pointer = self.accessed(data.operands[0], ty, volatile);
                let mut operands = vec![Operand::IdRef(pointer.id)];
                let visible = volatile.then_some(spirv::MemoryAccess::MAKE_POINTER_VISIBLE);
                operands.extend(self.memory_access(pointer, align, visible));
                let ty = self.writer.value_type(ty);
                self.ids[data.results[0].index()] = self.add(spirv::Op::Load, ty, operands);
            }
            Op::Store { align, volatile } => {
                let ty = function.ty(data.operands[1]);
                let pointer = self.accessed(data.operands[0], ty, volatile);
                let value = self.operand(inst, 1);
                let mut operands = vec![Operand::IdRef(pointer.id), Operand::IdRef(value)];
                let available = volatile.then_some(spirv::MemoryAccess::MAKE_POINTER_AVAILABLE);
                operands.extend(self.memory_access(pointer, align, available));
                self.effect(spirv::Op::Store, operands);
            }
            Op::Barrier { execution, memory, flags } => self.barrier(execution, memory, flags),
            Op::Fence { order, scope, flags } => {
                self.fence(self.order_semantics(inst, order), scope, flags);
            }
            Op::AtomicRmw { .. }
            | Op::AtomicCompareExchange { .. }
            | Op::AtomicLoad { .. }
            | Op::AtomicStore { .. } => self.atomic(inst),
            _ => self.left(inst),
        }
    }

    fn element_pointer(&mut self, inst: Inst) {
        let data = &self.function.insts[inst];
        let Op::ElementPointer(variable) = data.op else { unreachable!("called for element pointers") };
        let variable_data = &self.function.variables[variable];
        let class = storage_class(variable_data.space);
        let index = self.operand(inst, 0);
        let lane = (data.operands.len() == 2).then(|| self.operand(inst, 1));
        let element = variable_data.element;
        let pointed = match element.scalar().filter(|_| lane.is_some()) {
            Some(scalar) => Type::Scalar(scalar),
            None => element,
        };
        let ty = self.writer.pointer_type(class, pointed);
        let mut operands = vec![Operand::IdRef(self.variables[&variable])];
        if class == StorageClass::StorageBuffer {
            operands.push(Operand::IdRef(self.writer.word(0)));
        }
        operands.push(Operand::IdRef(index));
        operands.extend(lane.map(Operand::IdRef));
        self.ids[data.results[0].index()] = self.add(spirv::Op::AccessChain, ty, operands);
    }

    /// A pointer operand, to a value of this type.
    fn pointer(&mut self, pointer: Value, ty: Type) -> Pointer {
        self.element(pointer).unwrap_or_else(|| {
            let pointer_type = self.physical(ty);
            self.converted(pointer, pointer_type)
        })
    }

    /// The pointer operand of a load or store, to a value of this type.
    fn accessed(&mut self, pointer: Value, ty: Type, volatile: bool) -> Pointer {
        let Some(decoration) = self.decoration(pointer, volatile) else { return self.pointer(pointer, ty) };
        let pointer_type = self.physical(ty);
        let element = self.writer.value_type(ty);
        let block = self.writer.type_id(TypeKey::Member(element, decoration));
        let block = self.writer.type_id(TypeKey::Pointer(StorageClass::PhysicalStorageBuffer, block));
        let Pointer { id, class } = self.converted(pointer, block);
        let member = vec![Operand::IdRef(id), Operand::IdRef(self.writer.word(0))];
        Pointer { id: self.add(spirv::Op::AccessChain, pointer_type, member), class }
    }

    /// What the driver must know, or wants to know, of memory at an address. Values have no decorations, but
    /// members of structures do.
    fn decoration(&mut self, pointer: Value, volatile: bool) -> Option<Decoration> {
        let made_by = self.function.defining_inst(pointer).map(|inst| &self.function.insts[inst].op);
        if matches!(made_by, Some(Op::ElementPointer(_))) {
            return None;
        }
        if volatile || self.coherent {
            return (self.writer.model == spirv::MemoryModel::GLSL450).then_some(Decoration::Coherent);
        }
        let is_constant = made_by == Some(&Op::PhysicalPointer(AddressSpace::Constant));
        (is_constant && self.writer.marks_constants).then_some(Decoration::NonWritable)
    }

    /// A pointer operand, if it points to an element of a variable.
    fn element(&mut self, pointer: Value) -> Option<Pointer> {
        let inst = self.function.defining_inst(pointer)?;
        let Op::ElementPointer(variable) = self.function.insts[inst].op else { return None };
        let class = storage_class(self.function.variables[variable].space);
        Some(Pointer { id: self.id(pointer), class })
    }

    /// The type of pointers to memory at addresses, and what the device needs for them.
    fn physical(&mut self, ty: Type) -> Word {
        match ty.scalar().map_or(0, Scalar::bits) {
            8 => {
                self.writer.require(Capability::StorageBuffer8BitAccess);
                self.writer.extension("SPV_KHR_8bit_storage", (1, 5));
            }
            16 => self.writer.require(Capability::StorageBuffer16BitAccess),
            _ => {}
        }
        self.writer.pointer_type(StorageClass::PhysicalStorageBuffer, ty)
    }

    /// An address as a pointer of a type.
    fn converted(&mut self, address: Value, pointer_type: Word) -> Pointer {
        let address = vec![Operand::IdRef(self.id(address))];
        let id = self.add(spirv::Op::ConvertUToPtr, pointer_type, address);
        Pointer { id, class: StorageClass::PhysicalStorageBuffer }
    }

    /// The memory operands of an access; a volatile one makes memory visible or available.
    fn memory_access(
        &mut self,
        pointer: Pointer,
        align: u32,
        volatile: Option<spirv::MemoryAccess>,
    ) -> Vec<Operand> {
        let physical = pointer.class == StorageClass::PhysicalStorageBuffer;
        let mut mask = spirv::MemoryAccess::NONE;
        let vulkan = self.writer.model == spirv::MemoryModel::Vulkan;
        if volatile.is_some() || (physical && self.coherent && !vulkan) {
            mask |= spirv::MemoryAccess::VOLATILE;
        }
        let mut scope = None;
        if vulkan && is_shared(pointer.class) {
            mask |= spirv::MemoryAccess::NON_PRIVATE_POINTER;
            let shown = volatile.filter(|_| pointer.class != StorageClass::Workgroup);
            mask |= shown.unwrap_or(spirv::MemoryAccess::NONE);
            scope = shown.map(|_| Operand::IdScope(self.scope(Scope::Device)));
        }
        let mut operands = Vec::new();
        if physical {
            mask |= spirv::MemoryAccess::ALIGNED;
            operands.push(Operand::LiteralBit32(align.max(1)));
        }
        operands.extend(scope);
        if mask != spirv::MemoryAccess::NONE {
            operands.insert(0, Operand::MemoryAccess(mask));
        }
        operands
    }

    fn barrier(&mut self, execution: Scope, memory: Scope, flags: FenceFlags) {
        let (execution, memory) = (self.scope(execution), self.scope(memory));
        let order = MemorySemantics::ACQUIRE_RELEASE;
        let semantics = self.ordering(order, storage_semantics(flags));
        let operands = vec![
            Operand::IdScope(execution),
            Operand::IdScope(memory),
            Operand::IdMemorySemantics(semantics),
        ];
        self.effect(spirv::Op::ControlBarrier, operands);
    }

    fn fence(&mut self, order: MemorySemantics, scope: Scope, flags: FenceFlags) {
        let scope = self.scope(scope);
        let semantics = self.ordering(order, storage_semantics(flags));
        self.effect(
            spirv::Op::MemoryBarrier,
            vec![Operand::IdScope(scope), Operand::IdMemorySemantics(semantics)],
        );
    }

    /// The semantics of an order and the memory that it concerns. In Vulkan's model, releasing makes memory
    /// available and acquiring makes it visible.
    fn ordering(&mut self, order: MemorySemantics, memory: MemorySemantics) -> Word {
        let mut semantics = order | memory;
        if self.writer.model == spirv::MemoryModel::Vulkan && order != MemorySemantics::RELAXED {
            if order.intersects(MemorySemantics::RELEASE | MemorySemantics::ACQUIRE_RELEASE) {
                semantics |= MemorySemantics::MAKE_AVAILABLE;
            }
            if order.intersects(MemorySemantics::ACQUIRE | MemorySemantics::ACQUIRE_RELEASE) {
                semantics |= MemorySemantics::MAKE_VISIBLE;
            }
        }
        self.writer.word(semantics.bits())
    }

    fn scope(&mut self, scope: Scope) -> Word {
        let scope = match scope {
            Scope::WorkItem => spirv::Scope::Invocation,
            Scope::SubGroup => spirv::Scope::Subgroup,
            Scope::WorkGroup => spirv::Scope::Workgroup,
            Scope::Device | Scope::AllDevices => spirv::Scope::Device,
        };
        if scope == spirv::Scope::Device && self.writer.model == spirv::MemoryModel::Vulkan {
            self.writer.require(Capability::VulkanMemoryModelDeviceScope);
        }
        self.writer.word(scope as u32)
    }

    /// The semantics of an atomic operation: it orders all memory that work-items share.
    fn semantics(&mut self, order: MemorySemantics) -> Word {
        if order == MemorySemantics::RELAXED {
            return self.writer.word(0);
        }
        self.ordering(order, storage_semantics(FenceFlags::LOCAL | FenceFlags::GLOBAL))
    }

    fn atomic(&mut self, inst: Inst) {
        let function = self.function;
        let data = &function.insts[inst];
        let ty = match data.results.first() {
            Some(&result) => function.ty(result),
            None => function.ty(data.operands[1]),
        };
        let pointer = self.pointer(data.operands[0], ty);
        if ty == Type::I64 {
            self.writer.require(Capability::Int64Atomics);
        }
        let (op, scope, orders) = match data.op {
            Op::AtomicRmw { op, order, scope } => {
                self.require_float_atomics(op, ty);
                (atomic_opcode(op), scope, vec![order])
            }
            Op::AtomicCompareExchange { success, failure, scope } => {
                (spirv::Op::AtomicCompareExchange, scope, vec![success, failure])
            }
            Op::AtomicLoad { order, scope } => (spirv::Op::AtomicLoad, scope, vec![order]),
            Op::AtomicStore { order, scope } => (spirv::Op::AtomicStore, scope, vec![order]),
            _ => self.left(inst),
        };
        let scope = self.scope(scope);
        let mut operands = vec![Operand::IdRef(pointer.id), Operand::IdScope(scope)];
        for order in orders {
            let semantics = self.order_semantics(inst, order);
            let semantics = self.semantics(semantics);
            operands.push(Operand::IdMemorySemantics(semantics));
        }
        // The IR has (expected, new), SPIR-V (new, expected).
        for &value in data.operands[1..].iter().rev() {
            operands.push(Operand::IdRef(self.id(value)));
        }
        match data.results.first() {
            Some(&result) => {
                let ty = self.writer.value_type(ty);
                self.ids[result.index()] = self.add(op, ty, operands);
            }
            None => self.effect(op, operands),
        }
    }

    fn order_semantics(&self, inst: Inst, order: MemoryOrder) -> MemorySemantics {
        match order {
            MemoryOrder::Relaxed => MemorySemantics::RELAXED,
            MemoryOrder::Acquire => MemorySemantics::ACQUIRE,
            MemoryOrder::Release => MemorySemantics::RELEASE,
            MemoryOrder::AcquireRelease => MemorySemantics::ACQUIRE_RELEASE,
            // `order-memory` splits it into two operations.
            MemoryOrder::SequentiallyConsistent => self.left(inst),
        }
    }

    /// Declares what an operation on floating-point numbers needs.
    fn require_float_atomics(&mut self, op: AtomicOp, ty: Type) {
        if let Some((capability, extension)) = float_atomics(op, ty) {
            self.writer.require(capability);
            self.writer.extension(extension, NOT_CORE);
        }
    }
}

/// The capability and the extension that an atomic operation on floating-point numbers needs.
pub fn float_atomics(op: AtomicOp, ty: Type) -> Option<(Capability, &'static str)> {
    let sums = "SPV_EXT_shader_atomic_float_add";
    let extremes = "SPV_EXT_shader_atomic_float_min_max";
    Some(match (op, ty.scalar()) {
        (AtomicOp::FAdd, Some(Scalar::F16)) => {
            (Capability::AtomicFloat16AddEXT, "SPV_EXT_shader_atomic_float16_add")
        }
        (AtomicOp::FMin | AtomicOp::FMax, Some(Scalar::F16)) => {
            (Capability::AtomicFloat16MinMaxEXT, extremes)
        }
        (AtomicOp::FAdd, Some(Scalar::F64)) => (Capability::AtomicFloat64AddEXT, sums),
        (AtomicOp::FAdd, _) => (Capability::AtomicFloat32AddEXT, sums),
        (AtomicOp::FMin | AtomicOp::FMax, Some(Scalar::F64)) => {
            (Capability::AtomicFloat64MinMaxEXT, extremes)
        }
        (AtomicOp::FMin | AtomicOp::FMax, _) => (Capability::AtomicFloat32MinMaxEXT, extremes),
        _ => return None,
    })
}

/// Whether other work-items see memory of this class.
fn is_shared(class: StorageClass) -> bool {
    matches!(
        class,
        StorageClass::PhysicalStorageBuffer | StorageClass::StorageBuffer | StorageClass::Workgroup
    )
}

fn storage_class(space: VariableSpace) -> StorageClass {
    match space {
        VariableSpace::Private => StorageClass::Function,
        VariableSpace::ConstantTable => StorageClass::Private,
        VariableSpace::Local => StorageClass::Workgroup,
        VariableSpace::StorageBuffer { .. } => StorageClass::StorageBuffer,
    }
}

fn storage_semantics(flags: FenceFlags) -> MemorySemantics {
    let mut semantics = MemorySemantics::RELAXED;
    if flags.contains(FenceFlags::LOCAL) {
        semantics |= MemorySemantics::WORKGROUP_MEMORY;
    }
    if flags.contains(FenceFlags::GLOBAL) {
        semantics |= MemorySemantics::UNIFORM_MEMORY;
    }
    if flags.contains(FenceFlags::IMAGE) {
        semantics |= MemorySemantics::IMAGE_MEMORY;
    }
    semantics
}

/// The instruction of an atomic operation.
pub fn atomic_opcode(op: AtomicOp) -> spirv::Op {
    match op {
        AtomicOp::Exchange => spirv::Op::AtomicExchange,
        AtomicOp::Add => spirv::Op::AtomicIAdd,
        AtomicOp::Sub => spirv::Op::AtomicISub,
        AtomicOp::And => spirv::Op::AtomicAnd,
        AtomicOp::Or => spirv::Op::AtomicOr,
        AtomicOp::Xor => spirv::Op::AtomicXor,
        AtomicOp::SMin => spirv::Op::AtomicSMin,
        AtomicOp::SMax => spirv::Op::AtomicSMax,
        AtomicOp::UMin => spirv::Op::AtomicUMin,
        AtomicOp::UMax => spirv::Op::AtomicUMax,
        AtomicOp::FAdd => spirv::Op::AtomicFAddEXT,
        AtomicOp::FMin => spirv::Op::AtomicFMinEXT,
        AtomicOp::FMax => spirv::Op::AtomicFMaxEXT,
    }
}
