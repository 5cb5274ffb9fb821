//! The walk that lowers pointers, and their arithmetic.

use super::{
    objects::{Class, Objects, Root},
    views::View,
};
use crate::{TranslateError, passes::cursor::Cursor};
use clvk_interface::{AddressingMode, DeviceProfile};
use clvk_ir::{AddressSpace, BinaryOp, Constant, ConvertOp, Function, Inst, Op, Type, Value, ValueDef};
use rustc_hash::FxHashMap;

/// How pointers of a class are held.
#[derive(Clone, Copy)]
pub enum Form<'v> {
    /// As 64-bit addresses.
    Address,
    /// As 32-bit offsets into an array.
    Offset(&'v View),
    /// The pointer is a constant that meets no other pointer.
    Nothing,
}

/// The state of the walk.
pub struct Lowering<'a, 'f> {
    /// Where the walk is.
    pub cursor: Cursor<'f>,
    /// Classes.
    pub objects: &'a Objects,
    views: &'a FxHashMap<Class, View>,
    profile: &'a DeviceProfile,
    errors: Vec<TranslateError>,
}

/// Lowers a function.
pub fn lower(
    function: &mut Function,
    objects: &Objects,
    views: &FxHashMap<Class, View>,
    profile: &DeviceProfile,
) -> Result<(), Vec<TranslateError>> {
    let values = function.values.len();
    let mut pointers = Vec::new();
    for (value, data) in function.values.iter().take(values) {
        if data.ty.is_pointer() && !matches!(data.def, ValueDef::Constant(_) | ValueDef::Global(_)) {
            pointers.push(value);
        }
    }
    let mut lowering =
        Lowering { cursor: Cursor::new(function), objects, views, profile, errors: Vec::new() };
    lowering.retype(&pointers);
    while let Some(inst) = lowering.cursor.advance() {
        lowering.inst(inst);
    }
    if lowering.errors.is_empty() { Ok(()) } else { Err(lowering.errors) }
}

impl<'a> Lowering<'a, '_> {
    /// Pointers become integers where they stand: region parameters, results and selections need no more.
    fn retype(&mut self, pointers: &[Value]) {
        for &pointer in pointers {
            let ty = self.pointer_type(self.form(pointer));
            self.cursor.function.values[pointer].ty = ty;
        }
    }

    fn pointer_type(&self, form: Form<'_>) -> Type {
        if matches!(form, Form::Address) { Type::I64 } else { Type::I32 }
    }

    /// How a pointer is held.
    pub fn form(&self, pointer: Value) -> Form<'a> {
        self.objects.class(pointer).map_or(Form::Nothing, |class| self.form_of_class(class))
    }

    /// How pointers of a class are held.
    pub fn form_of_class(&self, class: Class) -> Form<'a> {
        if self.objects.is_physical(class) {
            return Form::Address;
        }
        self.views.get(&class).map_or(Form::Nothing, Form::Offset)
    }

    /// The device.
    pub fn profile(&self) -> &'a DeviceProfile {
        self.profile
    }

    /// Refuses something here.
    pub fn refuse(&mut self, what: &str) {
        let kernel = self.cursor.function.name.clone();
        let message = format!("kernel `{kernel}`: {what}");
        let span = self.cursor.span();
        self.errors.push(TranslateError { kernel: Some(kernel), message, span });
    }

    /// The integer that now stands for a pointer operand, held as `form`.
    pub fn pointer(&mut self, pointer: Value, form: Form<'_>) -> Value {
        let ty = self.pointer_type(form);
        match self.cursor.function.values[pointer].def.clone() {
            ValueDef::Constant(Constant::Undef) => self.cursor.function.undef(ty),
            // Offsets count from zero, so that null is the one offset that no pointer has.
            ValueDef::Constant(_) => self.cursor.int(ty, if matches!(form, Form::Address) { 0 } else { -1 }),
            ValueDef::Global(global) => {
                let offset = match form {
                    Form::Offset(view) => view.root_offset(Root::Global(global)),
                    _ => 0,
                };
                if matches!(form, Form::Address) {
                    self.refuse(
                        "a pointer may point to program-scope data or into a buffer, which is not supported yet",
                    );
                }
                self.cursor.int(ty, offset)
            }
            _ => self.cursor.get(pointer),
        }
    }

    fn inst(&mut self, inst: Inst) {
        let data = &self.cursor.function.insts[inst];
        let (op, operands) = (data.op.clone(), data.operands.clone());
        match op {
            Op::Alloca { .. } => self.root(inst, Root::Alloca(inst)),
            Op::ElementPointer(variable) => self.element_pointer(inst, Root::Variable(variable), operands[0]),
            Op::PhysicalPointer(_) => {
                let address = self.cursor.get(operands[0]);
                self.cursor.replace_result(inst, address);
            }
            Op::PointerOffset(offset) => self.offset(inst, operands[0], offset),
            Op::PointerIndex { stride } => self.index(inst, operands[0], operands[1], stride),
            Op::Convert(ConvertOp::AddressSpace) => {
                let form = self.form(self.cursor.result(inst));
                let pointer = self.pointer(operands[0], form);
                self.cursor.replace_result(inst, pointer);
            }
            Op::Convert(ConvertOp::PointerToInt) => self.pointer_to_int(inst, operands[0]),
            Op::Convert(ConvertOp::IntToPointer) => self.int_to_pointer(inst, operands[0]),
            Op::Compare(_) if self.was_pointer(operands[0]) || self.was_pointer(operands[1]) => {
                let form = match self.form(operands[0]) {
                    Form::Nothing => self.form(operands[1]),
                    form => form,
                };
                let replaced: Vec<Value> = operands.iter().map(|&value| self.pointer(value, form)).collect();
                self.keep_with(inst, &replaced);
            }
            Op::Load { .. }
            | Op::Store { .. }
            | Op::MemoryCopy { .. }
            | Op::MemoryZero { .. }
            | Op::AtomicLoad { .. }
            | Op::AtomicStore { .. }
            | Op::AtomicRmw { .. }
            | Op::AtomicCompareExchange { .. } => self.memory(inst),
            _ => self.flow(inst),
        }
    }

    /// Whether a value was a pointer before the walk.
    fn was_pointer(&self, value: Value) -> bool {
        self.objects.class(value).is_some() || self.cursor.function.ty(value).is_pointer()
    }

    fn keep_with(&mut self, inst: Inst, operands: &[Value]) {
        self.cursor.function.insts[inst].operands.copy_from_slice(operands);
        self.cursor.append(inst);
    }

    /// Everything else: constant pointers among the operands take the form of what they become.
    fn flow(&mut self, inst: Inst) {
        let region = Some(self.cursor.region());
        for flow in self.objects.lowered_flows(self.cursor.function, inst, region) {
            let operand = self.cursor.function.insts[inst].operands[flow.operand];
            let form = self.form(flow.target);
            let pointer = self.pointer(operand, form);
            self.cursor.function.insts[inst].operands[flow.operand] = pointer;
        }
        self.cursor.keep(inst);
    }

    fn root(&mut self, inst: Inst, root: Root) {
        let offset = match self.form(self.cursor.result(inst)) {
            Form::Offset(view) => view.root_offset(root),
            _ => 0,
        };
        let offset = self.cursor.int(Type::I32, offset);
        self.cursor.replace_result(inst, offset);
    }

    /// A pointer that the launch made: its operand is a byte offset.
    fn element_pointer(&mut self, inst: Inst, root: Root, bytes: Value) {
        let Form::Offset(view) = self.form(self.cursor.result(inst)) else {
            return self
                .refuse("a pointer may point into a variable or be an address, which is not supported yet");
        };
        let bytes = self.cursor.get(bytes);
        let offset = self.cursor.binary_int(BinaryOp::LShr, bytes, i64::from(view.scale));
        let offset = self.cursor.binary_int(BinaryOp::Add, offset, view.root_offset(root));
        self.cursor.replace_result(inst, offset);
    }

    fn offset(&mut self, inst: Inst, base: Value, offset: i64) {
        let form = self.form(self.cursor.result(inst));
        let base = self.pointer(base, form);
        let offset = match form {
            Form::Offset(view) => offset >> view.scale,
            _ => offset,
        };
        let sum = self.cursor.binary_int(BinaryOp::Add, base, offset);
        self.cursor.replace_result(inst, sum);
    }

    fn index(&mut self, inst: Inst, base: Value, index: Value, stride: u64) {
        let form = self.form(self.cursor.result(inst));
        let base = self.pointer(base, form);
        let index = self.cursor.get(index);
        let (ty, stride) = match form {
            Form::Offset(view) => (Type::I32, stride >> view.scale),
            Form::Address => (Type::I64, stride),
            Form::Nothing => (Type::I32, stride),
        };
        let index = self.cursor.resize_signed(index, ty);
        let distance = match stride {
            0 => self.cursor.int(ty, 0),
            _ if stride.is_power_of_two() => {
                self.cursor.binary_int(BinaryOp::Shl, index, i64::from(stride.trailing_zeros()))
            }
            _ => self.cursor.binary_int(BinaryOp::Mul, index, stride as i64),
        };
        let sum = self.cursor.binary(BinaryOp::Add, base, distance);
        self.cursor.replace_result(inst, sum);
    }

    fn pointer_to_int(&mut self, inst: Inst, pointer: Value) {
        let form = self.form(pointer);
        match form {
            Form::Address => {
                let address = self.pointer(pointer, form);
                self.cursor.replace_result(inst, address);
            }
            Form::Nothing => {
                let zero = self.cursor.int(Type::I64, 0);
                self.cursor.replace_result(inst, zero);
            }
            Form::Offset(_) => self.refuse(
                "the address of a variable (or of a buffer, on a device without bufferDeviceAddress and shaderInt64) is \
                 converted to an integer, which is not supported yet",
            ),
        }
    }

    fn int_to_pointer(&mut self, inst: Inst, address: Value) {
        let address = self.cursor.get(address);
        if self.profile.addressing() == AddressingMode::Logical {
            self.refuse("an integer is converted to a pointer; the device has no bufferDeviceAddress with shaderInt64");
        }
        self.cursor.replace_result(inst, address);
    }

    /// The address space that instructions name for an address.
    pub fn address_space(&self) -> AddressSpace {
        AddressSpace::Global
    }
}
