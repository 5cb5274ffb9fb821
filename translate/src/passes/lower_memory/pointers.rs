//! The walk that lowers pointers, and their arithmetic.

use super::{
    Buffers,
    objects::{Class, Objects, Root},
    reach::Reach,
    shown,
    views::{View, Views},
};
use crate::{TranslateError, passes::cursor::Cursor};
use clvk_interface::{AddressingMode, DeviceProfile};
use clvk_ir::{
    AddressSpace, BinaryOp, CompareOp, Constant, ConvertOp, Function, Inst, Op, Type, Value, ValueDef,
};
use rustc_hash::{FxHashMap, FxHashSet};

/// The representation of a class's pointers.
#[derive(Clone, Copy)]
pub enum Form<'v> {
    /// As 64-bit addresses.
    Address,
    /// As 32-bit offsets into an array; null is -1.
    Offset(&'v View),
    /// As 64-bit integers: the tag of one of these arrays and an offset in bytes, or an address.
    Tagged(&'v [View]),
    /// Only null.
    Nothing,
}

/// The state of the walk.
pub struct Lowering<'a, 'f> {
    /// The position of the walk.
    pub cursor: Cursor<'f>,
    /// Classes.
    pub objects: &'a Objects,
    views: &'a Views,
    /// The memories that each pointer may point into.
    pub reach: &'a Reach,
    /// What the launch determines about the storage buffers.
    pub buffers: &'a Buffers,
    profile: &'a DeviceProfile,
    /// The indices of the vectors at offsets into wide arrays ([`View::wide`]), where they are known without
    /// a division of the offset.
    pub vectors: FxHashMap<Value, Value>,
    /// The pointers to constant memory.
    pub constants: FxHashSet<Value>,
    errors: Vec<TranslateError>,
}

/// Lowers a function.
pub fn lower(
    function: &mut Function,
    objects: &Objects,
    views: &Views,
    profile: &DeviceProfile,
    buffers: &Buffers,
    as_with_addresses: bool,
) -> Result<(), Vec<TranslateError>> {
    let values = function.values.len();
    let mut pointers = Vec::new();
    for (value, data) in function.values.iter().take(values) {
        if data.ty.is_pointer() && !matches!(data.def, ValueDef::Constant(_) | ValueDef::Global(_)) {
            pointers.push(value);
        }
    }
    let reach = &Reach::find(function, objects, views);
    if as_with_addresses {
        shown::check(function, objects, views, reach, buffers.holder)?;
    }
    let cursor = Cursor::new(function);
    let (vectors, errors) = (FxHashMap::default(), Vec::new());
    let is_constant = |pointer: &Value| cursor.function.ty(*pointer) == Type::Pointer(AddressSpace::Constant);
    let constants = pointers.iter().copied().filter(is_constant).collect();
    let mut lowering =
        Lowering { cursor, objects, views, reach, buffers, profile, vectors, constants, errors };
    lowering.retype(&pointers);
    while let Some(inst) = lowering.cursor.advance() {
        lowering.inst(inst);
    }
    if lowering.errors.is_empty() { Ok(()) } else { Err(lowering.errors) }
}

impl<'a> Lowering<'a, '_> {
    /// Pointers become integers in place, so region parameters, results and selections need nothing else.
    fn retype(&mut self, pointers: &[Value]) {
        for &pointer in pointers {
            let ty = self.pointer_type(self.form(pointer));
            self.cursor.function.values[pointer].ty = ty;
        }
    }

    fn pointer_type(&self, form: Form<'_>) -> Type {
        if matches!(form, Form::Address | Form::Tagged(_)) { Type::I64 } else { Type::I32 }
    }

    /// The representation of a pointer.
    pub fn form(&self, pointer: Value) -> Form<'a> {
        self.objects.class(pointer).map_or(Form::Nothing, |class| self.form_of_class(class))
    }

    /// The representation of a class's pointers.
    pub fn form_of_class(&self, class: Class) -> Form<'a> {
        match (self.views.of(class), self.objects.is_physical(class)) {
            ([], true) => Form::Address,
            ([], false) => Form::Nothing,
            ([view], false) => Form::Offset(view),
            (views, _) => Form::Tagged(views),
        }
    }

    /// The device.
    pub fn profile(&self) -> &'a DeviceProfile {
        self.profile
    }

    /// Reports that something here is refused.
    pub fn refuse(&mut self, problem: &str) {
        let error = TranslateError::of_kernel(self.cursor.function, problem).at(self.cursor.span());
        self.errors.push(error);
    }

    /// The integer that now represents a pointer operand, in representation `form`.
    pub fn pointer(&mut self, pointer: Value, form: Form<'_>) -> Value {
        let ty = self.pointer_type(form);
        match self.cursor.function.values[pointer].def.clone() {
            ValueDef::Constant(Constant::Undef) => self.cursor.function.undef(ty),
            // Offsets count from zero, so null is -1, which is never a pointer's offset.
            ValueDef::Constant(_) => self.cursor.int(ty, if ty == Type::I64 { 0 } else { -1 }),
            ValueDef::Global(global) => self.root_pointer(Root::Global(global), form),
            _ => self.cursor.get(pointer),
        }
    }

    /// A pointer to the start of a variable.
    fn root_pointer(&mut self, root: Root, form: Form<'_>) -> Value {
        match form {
            Form::Offset(view) => self.cursor.int(Type::I32, view.root_offset(root)),
            Form::Tagged(views) => {
                let view = view_of(views, root);
                self.cursor.int(Type::I64, view.tagged(view.roots[&root] as u32) as i64)
            }
            Form::Address | Form::Nothing => unreachable!("lower-memory: {root:?} has no view"),
        }
    }

    /// A pointer as stored in memory or converted to an integer: tagged, or an address.
    pub fn pointer_bits(&mut self, pointer: Value) -> Value {
        let form = self.form(pointer);
        if self.cursor.function.as_constant(pointer).is_some_and(Constant::is_zero) {
            return self.cursor.int(Type::I64, 0);
        }
        let value = self.pointer(pointer, form);
        match form {
            Form::Address | Form::Tagged(_) => value,
            Form::Nothing => self.cursor.int(Type::I64, 0),
            Form::Offset(view) => {
                let bytes = self.cursor.binary_int(BinaryOp::Shl, value, i64::from(view.scale));
                let wide = self.cursor.convert(ConvertOp::ZeroExtend, bytes, Type::I64);
                let tagged = self.cursor.binary_int(BinaryOp::Add, wide, view.tagged(0) as i64);
                if !self.reach.of(pointer).has_null() {
                    return tagged;
                }
                let (null, zero) = (self.cursor.int(Type::I32, -1), self.cursor.int(Type::I64, 0));
                let is_null = self.cursor.compare(CompareOp::Eq, value, null);
                self.cursor.select(is_null, zero, tagged)
            }
        }
    }

    /// A pointer in representation `form`, from its bits in memory.
    pub fn pointer_of_bits(&mut self, bits: Value, form: Form<'_>) -> Value {
        match form {
            Form::Address | Form::Tagged(_) => bits,
            Form::Nothing => self.cursor.int(Type::I32, -1),
            Form::Offset(view) => {
                let bytes = self.cursor.convert(ConvertOp::Truncate, bits, Type::I32);
                let offset = self.cursor.binary_int(BinaryOp::LShr, bytes, i64::from(view.scale));
                // The upper word is a tag, which is zero only for null.
                let upper = self.cursor.binary_int(BinaryOp::LShr, bits, 32);
                let tag = self.cursor.convert(ConvertOp::Truncate, upper, Type::I32);
                let (null, zero) = (self.cursor.int(Type::I32, -1), self.cursor.int(Type::I32, 0));
                let is_null = self.cursor.compare(CompareOp::Eq, tag, zero);
                self.cursor.select(is_null, null, offset)
            }
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
            Op::PointerSpace => {
                let space = self.space_of(operands[0]);
                self.cursor.replace_result(inst, space);
            }
            Op::Convert(ConvertOp::PointerToInt) => self.pointer_to_int(inst, operands[0]),
            Op::Convert(ConvertOp::IntToPointer) => self.int_to_pointer(inst, operands[0]),
            Op::Compare(_) if self.was_pointer(operands[0]) || self.was_pointer(operands[1]) => {
                self.compare(inst, operands[0], operands[1]);
            }
            Op::Compare(_) | Op::Binary(BinaryOp::Sub) if self.integer_pointers(&operands).is_some() => {
                self.relate(inst, &op, &operands);
            }
            Op::Matrix(op) if op.accesses_memory() => self.matrix(inst, op),
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

    /// Pointers are equal if their integers are; within a class the integers need not be made.
    fn compare(&mut self, inst: Inst, a: Value, b: Value) {
        let (of_a, of_b) = (self.objects.class(a), self.objects.class(b));
        let operands = match (of_a.or(of_b), of_a.is_none() || of_b.is_none() || of_a == of_b) {
            (Some(class), true) => {
                let form = self.form_of_class(class);
                [self.pointer(a, form), self.pointer(b, form)]
            }
            (None, _) => [a, b].map(|value| self.pointer(value, Form::Nothing)),
            (Some(_), false) => [self.pointer_bits(a), self.pointer_bits(b)],
        };
        self.keep_with(inst, &operands);
    }

    /// The pointers, into one array, that two integers were made from.
    fn integer_pointers(&self, operands: &[Value]) -> Option<(&'a View, [Value; 2])> {
        let made_of = |value: Value| {
            let data = &self.cursor.function.insts[self.cursor.function.defining_inst(value)?];
            (data.op == Op::Convert(ConvertOp::PointerToInt)).then(|| data.operands[0])
        };
        let (a, b) = (made_of(*operands.first()?)?, made_of(*operands.get(1)?)?);
        match (self.objects.class(a)?, self.objects.class(b)?) {
            (of_a, of_b) if of_a == of_b => match self.form_of_class(of_a) {
                Form::Offset(view) => Some((view, [a, b])),
                _ => None,
            },
            _ => None,
        }
    }

    /// Order and distance of pointers into one array, by their offsets; OpenCL C defines them only within one
    /// variable.
    fn relate(&mut self, inst: Inst, op: &Op, operands: &[Value]) {
        let (view, pointers) = self.integer_pointers(operands).expect("checked by the caller");
        let form = Form::Offset(view);
        let [a, b] = pointers.map(|pointer| self.pointer(pointer, form));
        if matches!(op, Op::Compare(_)) {
            return self.keep_with(inst, &[a, b]);
        }
        let distance = self.cursor.binary(BinaryOp::Sub, a, b);
        let bytes = self.cursor.binary_int(BinaryOp::Shl, distance, i64::from(view.scale));
        let wide = self.cursor.convert(ConvertOp::SignExtend, bytes, Type::I64);
        self.cursor.replace_result(inst, wide);
    }

    /// Whether a value was a pointer before the walk.
    pub fn was_pointer(&self, value: Value) -> bool {
        self.objects.class(value).is_some() || self.cursor.function.ty(value).is_pointer()
    }

    fn keep_with(&mut self, inst: Inst, operands: &[Value]) {
        self.cursor.function.insts[inst].operands.copy_from_slice(operands);
        self.cursor.append(inst);
    }

    /// All other instructions: constant pointers among the operands take the representation of their targets.
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
        let form = self.form(self.cursor.result(inst));
        let pointer = self.root_pointer(root, form);
        self.cursor.replace_result(inst, pointer);
    }

    /// A pointer made by launch lowering: its operand is a byte offset.
    fn element_pointer(&mut self, inst: Inst, root: Root, bytes: Value) {
        let bytes = self.cursor.get(bytes);
        let pointer = match self.form(self.cursor.result(inst)) {
            Form::Offset(view) => {
                let offset = self.cursor.binary_int(BinaryOp::LShr, bytes, i64::from(view.scale));
                self.cursor.binary_int(BinaryOp::Add, offset, view.root_offset(root))
            }
            Form::Tagged(views) => {
                let wide = self.cursor.convert(ConvertOp::ZeroExtend, bytes, Type::I64);
                self.cursor.binary_int(BinaryOp::Add, wide, view_of(views, root).tagged(0) as i64)
            }
            Form::Address | Form::Nothing => unreachable!("lower-memory: {root:?} has no view"),
        };
        self.cursor.replace_result(inst, pointer);
    }

    fn offset(&mut self, inst: Inst, base: Value, offset: i64) {
        let form = self.form(self.cursor.result(inst));
        let base = self.pointer(base, form);
        let bytes = offset;
        let offset = match form {
            Form::Offset(view) => offset >> view.scale,
            _ => offset,
        };
        let sum = self.cursor.binary_int(BinaryOp::Add, base, offset);
        self.cursor.replace_result(inst, sum);
        if let Form::Offset(view) = form {
            self.note_vector_at(view, base, bytes, sum);
        }
    }

    fn index(&mut self, inst: Inst, base: Value, index: Value, stride: u64) {
        let form = self.form(self.cursor.result(inst));
        let base = self.pointer(base, form);
        let index = self.cursor.get(index);
        let (ty, stride) = match form {
            Form::Offset(view) => (Type::I32, stride >> view.scale),
            Form::Address | Form::Tagged(_) => (Type::I64, stride),
            Form::Nothing => (Type::I32, stride),
        };
        let index = self.cursor.resize(ConvertOp::SignExtend, index, ty);
        let distance = match stride {
            0 => self.cursor.int(ty, 0),
            _ if stride.is_power_of_two() => {
                self.cursor.binary_int(BinaryOp::Shl, index, i64::from(stride.trailing_zeros()))
            }
            _ => self.cursor.binary_int(BinaryOp::Mul, index, stride as i64),
        };
        let sum = self.cursor.binary(BinaryOp::Add, base, distance);
        self.cursor.replace_result(inst, sum);
        if let Form::Offset(view) = form {
            self.note_vector_of(view, base, index, stride << view.scale, sum);
        }
    }

    fn pointer_to_int(&mut self, inst: Inst, pointer: Value) {
        let bits = self.pointer_bits(pointer);
        self.cursor.replace_result(inst, bits);
    }

    fn int_to_pointer(&mut self, inst: Inst, bits: Value) {
        let result = self.cursor.result(inst);
        let form = self.form(result);
        if matches!(form, Form::Nothing) && self.profile.addressing() == AddressingMode::Logical {
            self.refuse(
                "converts an integer to a pointer; the device has no bufferDeviceAddress with shaderInt64",
            );
        }
        let bits = self.cursor.get(bits);
        let pointer = self.pointer_of_bits(bits, form);
        self.cursor.replace_result(inst, pointer);
    }
}

/// The view, of several, that holds a variable.
fn view_of(views: &[View], root: Root) -> &View {
    views.iter().find(|view| view.roots.contains_key(&root)).expect("each variable of a class has a view")
}
