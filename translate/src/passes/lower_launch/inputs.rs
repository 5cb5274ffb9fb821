//! What the host passes, as values and pointers: buffers, local memory, values and structures, and the
//! buffers that are not arguments.

use super::uses::Uses;
use super::variables::Placed;
use super::{Implicit, Lowering};
use crate::passes::cursor::{WIDEST_ACCESS, pieces};
use clvk_interface::{AddressingMode, ArgumentBuffer, ArgumentKind, BufferLocation, ImplicitBuffer};
use clvk_ir::{
    AddressSpace, CompareOp, ConvertOp, ElementCount, Global, KernelParam, Op, Scalar, Type, Value, Variable,
    VariableData, VariableSpace,
};

impl Lowering<'_, '_> {
    pub(super) fn next_binding(&mut self) -> u32 {
        self.binding += 1;
        self.binding - 1
    }

    /// A storage buffer of bytes; memory lowering recovers the element type.
    pub(super) fn storage_buffer(&mut self, name: &str, restrict: bool) -> (u32, Variable) {
        let binding = self.next_binding();
        let variable = self.cursor.function.variables.push(VariableData {
            name: name.to_owned(),
            space: VariableSpace::StorageBuffer { binding, restrict },
            shared: false,
            element: Type::I8,
            count: ElementCount::Runtime,
            initializer: Vec::new(),
        });
        (binding, variable)
    }

    /// Makes the argument buffer, if the layout has one.
    pub(super) fn argument_buffer(&mut self) -> Option<ArgumentBuffer> {
        let (size, offset) = self.layout.argument_buffer?;
        if self.profile.addressing() == AddressingMode::Physical {
            return Some(ArgumentBuffer { size, location: BufferLocation::Address { offset } });
        }
        let (binding, variable) = self.storage_buffer("arguments", true);
        self.spilled = Some(variable);
        Some(ArgumentBuffer { size, location: BufferLocation::Descriptor { binding } })
    }

    /// Makes the implicit buffers.
    pub(super) fn implicit_buffers(&mut self) {
        for (which, offset) in self.layout.implicit.clone() {
            let implicit = match offset {
                Some(offset) => {
                    let start = self.cursor.value(Op::PushConstant { offset }, &[], Type::I64);
                    Implicit { which, location: BufferLocation::Address { offset }, start, variable: None }
                }
                None => {
                    let name = match which {
                        ImplicitBuffer::ProgramVariables => "program variables",
                        ImplicitBuffer::Print => "print buffer",
                        ImplicitBuffer::PrivateMemory => "private memory",
                        ImplicitBuffer::DeviceQueue => "device queue",
                        ImplicitBuffer::LoopWatch => "loop watch",
                        ImplicitBuffer::Bounds => "bounds",
                        ImplicitBuffer::Reports => "reports",
                        ImplicitBuffer::Shadow => "shadow memory",
                    };
                    let (binding, variable) = self.storage_buffer(name, false);
                    let start = self.cursor.int(Type::I32, 0);
                    let location = BufferLocation::Descriptor { binding };
                    Implicit { which, location, start, variable: Some(variable) }
                }
            };
            self.implicit.push(implicit);
        }
    }

    /// A pointer into an implicit buffer, at an offset.
    pub(super) fn implicit_pointer(
        &mut self,
        which: ImplicitBuffer,
        space: AddressSpace,
        place: i64,
    ) -> Value {
        let found = self.implicit.iter().find(|implicit| implicit.which == which);
        let &Implicit { start, variable, .. } = found.expect("made where it is used");
        let ty = Type::Pointer(space);
        match variable {
            Some(variable) => {
                let bytes = if place == 0 { start } else { self.cursor.int(Type::I32, place) };
                self.cursor.value(Op::ElementPointer(variable), &[bytes], ty)
            }
            None => {
                let base = self.cursor.value(Op::PhysicalPointer(space), &[start], ty);
                match place {
                    0 => base,
                    _ => self.cursor.value(Op::PointerOffset(place), &[base], ty),
                }
            }
        }
    }

    /// Replaces the addresses of the program's variables that the kernel uses.
    pub(super) fn program_variables(&mut self, placed: &Placed, used: &[(Value, Global)]) {
        for &(value, global) in used {
            let space = self.cursor.function.ty(value).address_space();
            let space = space.expect("the address of a variable is a pointer");
            let place = placed.offset(global).expect("the variable is placed") as i64;
            let pointer = self.implicit_pointer(ImplicitBuffer::ProgramVariables, space, place);
            self.cursor.replace(value, pointer);
        }
    }

    /// A value that the host passes at an offset, in the push constants or in the argument buffer.
    pub(super) fn passed(&mut self, offset: u32, ty: Type) -> Value {
        let Some((_, address)) = self.layout.argument_buffer else {
            // Structures that blocks capture may contain pointers.
            return match ty.is_pointer() {
                true => {
                    let value = self.pushed(offset, Type::I64);
                    self.cursor.convert(ConvertOp::IntToPointer, value, ty)
                }
                false => self.pushed(offset, ty),
            };
        };
        let pointer_type = Type::Pointer(AddressSpace::Constant);
        let pointer = match self.spilled {
            Some(variable) => {
                let start = self.cursor.int(Type::I32, 0);
                self.cursor.value(Op::ElementPointer(variable), &[start], pointer_type)
            }
            None => {
                let base = self.cursor.value(Op::PushConstant { offset: address }, &[], Type::I64);
                self.cursor.value(Op::PhysicalPointer(AddressSpace::Constant), &[base], pointer_type)
            }
        };
        let pointer = match offset {
            0 => pointer,
            _ => self.cursor.value(Op::PointerOffset(i64::from(offset)), &[pointer], pointer_type),
        };
        let align = 1 << offset.trailing_zeros().min(4);
        self.cursor.value(Op::Load { align, volatile: false }, &[pointer], ty)
    }

    /// A value in the push constants, read in pieces if it is wide.
    fn pushed(&mut self, offset: u32, ty: Type) -> Value {
        if ty.access_size() <= WIDEST_ACCESS {
            return self.cursor.value(Op::PushConstant { offset }, &[], ty);
        }
        let scalar = ty.scalar().expect("values are scalars or vectors");
        let mut lanes = Vec::new();
        for piece in pieces(ty) {
            let offset = offset + piece.start * scalar.size();
            let part = Type::with_lanes(scalar, piece.len() as u32);
            let part = self.cursor.value(Op::PushConstant { offset }, &[], part);
            lanes.extend(self.cursor.lanes(part));
        }
        self.cursor.construct(&lanes)
    }

    /// A buffer. If it is a descriptor, the offset of a null pointer is -1.
    pub(super) fn buffer(
        &mut self,
        index: usize,
        param: &KernelParam,
        (read_only, restrict): (bool, bool),
        uses: &Uses,
    ) -> (ArgumentKind, Option<Value>) {
        let old = self.cursor.function.params[index];
        let pointer = self.cursor.function.ty(old);
        let space = pointer.address_space().expect("a buffer parameter is a pointer");
        let offset = self.layout.offsets[index].expect("buffers have a place");
        let location = self.layout.location(index);
        if self.profile.addressing() == AddressingMode::Physical {
            let address = self.passed(offset, Type::I64);
            let new = self.cursor.value(Op::PhysicalPointer(space), &[address], pointer);
            return (ArgumentKind::BufferAddress { location, read_only }, Some(new));
        }
        let (binding, variable) = self.storage_buffer(&param.name, restrict);
        let bytes = self.passed(offset, Type::I32);
        let bytes = self.masked(bytes);
        let mut new = self.cursor.value(Op::ElementPointer(variable), &[bytes], pointer);
        if uses.null {
            let none = self.cursor.int(Type::I32, -1);
            let is_null = self.cursor.compare(CompareOp::Eq, bytes, none);
            let null = self.cursor.function.zero(pointer);
            new = self.cursor.select(is_null, null, new);
        }
        (ArgumentKind::StorageBuffer { binding, offset_location: location, read_only }, Some(new))
    }

    pub(super) fn local(&mut self, param: &KernelParam) -> (ArgumentKind, Option<Value>) {
        let spec_id = *self.spec_id;
        *self.spec_id += 1;
        let variable = self.cursor.function.variables.push(VariableData {
            name: param.name.clone(),
            space: VariableSpace::Local,
            shared: false,
            element: Type::I8,
            count: ElementCount::Specialised { spec_id },
            initializer: Vec::new(),
        });
        let start = self.cursor.int(Type::I32, 0);
        let pointer = Type::Pointer(AddressSpace::Local);
        let new = self.cursor.value(Op::ElementPointer(variable), &[start], pointer);
        (ArgumentKind::Local { spec_id, element_size: 1 }, Some(new))
    }

    pub(super) fn by_value(
        &mut self,
        index: usize,
        old: Value,
        size: u32,
        uses: &Uses,
    ) -> (ArgumentKind, Option<Value>) {
        let offset = self.layout.offsets[index].expect("values have a place");
        let kind = ArgumentKind::Value { location: self.layout.location(index), size };
        let ty = self.cursor.function.ty(old);
        if !ty.is_pointer() {
            return (kind, Some(self.passed(offset, ty)));
        }
        if uses.copied_structures.contains(&old) {
            return (kind, Some(self.copy_of_structure(offset, size)));
        }
        self.structures.insert(old, i64::from(offset));
        (kind, None)
    }

    /// Private memory with a copy of what was passed, at the same offset from a word boundary, so that whole
    /// words can be copied.
    pub(super) fn copy_of_structure(&mut self, offset: u32, size: u32) -> Value {
        let pointer = Type::Pointer(AddressSpace::Private);
        let lead = offset % 4;
        let alloca = Op::Alloca { size: u64::from(lead + size), align: 16 };
        let memory = self.cursor.value(alloca, &[], pointer);
        let copy = self.step(memory, lead);
        let mut done = 0;
        while done < size {
            let aligned = (offset + done).trailing_zeros().min(2);
            let unit = (1u32 << aligned).min(1 << (size - done).ilog2());
            let ty = Type::Scalar(Scalar::int(unit * 8));
            let value = self.passed(offset + done, ty);
            let to = self.step(memory, lead + done);
            self.cursor.push(Op::Store { align: unit, volatile: false }, &[to, value], &[], &[]);
            done += unit;
        }
        copy
    }

    /// A pointer `by` bytes further.
    pub(super) fn step(&mut self, pointer: Value, bytes: u32) -> Value {
        if bytes == 0 {
            return pointer;
        }
        let ty = self.cursor.function.ty(pointer);
        self.cursor.value(Op::PointerOffset(i64::from(bytes)), &[pointer], ty)
    }
}
