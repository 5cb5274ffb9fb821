//! Built-ins that access memory.

use super::builtin::Arguments;
use super::function::FunctionLowering;
use crate::types::ScalarKind;
use clvk_ir::{AddressSpace, CompareOp, ConvertOp, Op, Type, Value};

impl FunctionLowering<'_, '_> {
    /// A generic pointer converted to one to `space`, or null if it points elsewhere (OpenCL C §6.15.10).
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

    /// `vload<n>(index, pointer)`: the pointer only has the alignment of an element (OpenCL C §6.15.7).
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
