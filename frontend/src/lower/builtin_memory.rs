//! Built-ins that touch memory or order it.

use super::builtin::Arguments;
use super::function::FunctionLowering;
use crate::builtins::{Special, fence_flags};
use crate::types::ScalarKind;
use clvk_ir::{AddressSpace, CompareOp, ConvertOp, FenceFlags, MemoryOrder, Op, Scope, Type, Value};

impl FunctionLowering<'_, '_> {
    /// `barrier` and `mem_fence` (OpenCL C §6.15.8, §6.15.9). Flags that are not constant mean all memory.
    pub fn synchronize(&mut self, special: Special, arguments: &Arguments) -> Option<Value> {
        let bits = arguments.values.first().and_then(|&value| self.function.as_bits(value));
        let flags = bits.map_or(FenceFlags::all(), fence_flags);
        let op = if special == Special::Barrier {
            // Memory of other work-groups is not ordered unless a scope says so.
            Op::Barrier { execution: Scope::WorkGroup, memory: self.barrier_scope(arguments), flags }
        } else {
            Op::Fence { order: MemoryOrder::AcquireRelease, scope: Scope::WorkGroup, flags }
        };
        self.push(op, &[], &[]);
        None
    }

    /// The scope of `work_group_barrier(flags, scope)`: the values of `memory_scope` (OpenCL C §6.15.12.3) count from
    /// the work-item up.
    fn barrier_scope(&self, arguments: &Arguments) -> Scope {
        let Some(&scope) = arguments.values.get(1) else { return Scope::WorkGroup };
        match self.function.as_bits(scope) {
            Some(0) => Scope::WorkItem,
            Some(1) => Scope::WorkGroup,
            Some(4) => Scope::SubGroup,
            Some(2) => Scope::Device,
            _ => Scope::AllDevices,
        }
    }

    /// A generic pointer as one to `space`, or null if it points elsewhere (OpenCL C §6.15.10).
    pub fn point_into(&mut self, pointer: Value, space: AddressSpace) -> Value {
        let to = Type::Pointer(space);
        let number = match space {
            AddressSpace::Local => 1,
            AddressSpace::Global => 2,
            _ => 0,
        };
        let number = self.function.int(Type::I32, number);
        let found = self.build().value(Op::PointerSpace, &[pointer], Type::I32);
        let same = self.build().compare(CompareOp::Eq, found, number);
        let null = self.function.zero(to);
        let moved = self.build().convert(ConvertOp::AddressSpace, pointer, to);
        self.build().select(same, moved, null)
    }

    /// `vload<n>(index, pointer)`: only as aligned as an element (OpenCL C §6.15.7).
    pub fn vector_load(&mut self, arguments: &Arguments) -> Value {
        let ty = self.lowering.value_type(arguments.result).expect("vload gives a vector");
        let element = ty.access_size() / ty.lanes();
        let address = self.pointer_add(
            arguments.values[1],
            arguments.values[0],
            ScalarKind::ULong,
            false,
            ty.access_size().into(),
        );
        self.build().load(address, ty, element, false)
    }

    /// `vstore<n>(value, index, pointer)`.
    pub fn vector_store(&mut self, arguments: &Arguments) -> Option<Value> {
        let (value, index, pointer) = (arguments.values[0], arguments.values[1], arguments.values[2]);
        let ty = self.function.ty(value);
        let element = ty.access_size() / ty.lanes();
        let address = self.pointer_add(pointer, index, ScalarKind::ULong, false, ty.access_size().into());
        self.build().store(address, value, element, false);
        None
    }
}
