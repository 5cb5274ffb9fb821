//! Loads, stores and atomics.

use super::float_atomics::{self, Memory};
use super::{Buffers, pointers::Lowering, targets::Targets, views::View, words::Word};
use crate::passes::cursor::{WIDEST_ACCESS, pieces};
use clvk_ir::{
    AddressSpace, AtomicOp, BinaryOp, CompareOp, ElementCount, Inst, MathOp, Op, Scalar, Type, Value,
    Variable, VariableSpace,
};

/// The properties of an access besides its type.
#[derive(Clone, Copy)]
pub struct Flags {
    /// Alignment in bytes.
    pub align: u32,
    /// Must not be removed, duplicated or merged.
    pub volatile: bool,
    /// Nothing changes the memory while the kernel runs.
    pub constant: bool,
}

impl Flags {
    /// The flags of a piece of a wide access.
    fn narrowed(self) -> Flags {
        Flags { align: self.align.min(WIDEST_ACCESS), ..self }
    }
}

/// Memory at a pointer.
#[derive(Clone, Copy)]
pub enum Place<'v> {
    /// Physical memory.
    Address(Value),
    /// An element of an array; the offset counts in the view's units.
    Element(&'v View, Variable, Value),
}

/// The integer type with the same number of bits.
pub fn bits_of(ty: Type) -> Type {
    Type::Scalar(Scalar::int(ty.access_size() * 8))
}

impl<'a> Lowering<'a, '_> {
    /// Lowers an instruction that accesses memory.
    pub fn memory(&mut self, inst: Inst) {
        let data = &self.cursor.function.insts[inst];
        let (op, operands) = (data.op.clone(), data.operands.clone());
        let targets = self.targets(operands[0]);
        match op {
            Op::Load { align, volatile } => {
                let constant = self.constants.contains(&operands[0]);
                self.load(inst, &targets, Flags { align, volatile, constant });
            }
            Op::Store { align, volatile } => {
                let value = self.stored_value(operands[1], &targets);
                self.at_each(&targets, None, &mut |this, place| {
                    this.store_value(place, value, Flags { align, volatile, constant: false });
                    None
                });
            }
            Op::MemoryCopy { size, align } => {
                let sources = self.targets(operands[1]);
                self.at_each(&targets, None, &mut |this, to| {
                    this.at_each(&sources, None, &mut |this, from| {
                        this.bulk(to, Some(from), size, align);
                        None
                    })
                });
            }
            Op::MemoryZero { size, align } => {
                self.at_each(&targets, None, &mut |this, to| {
                    this.bulk(to, None, size, align);
                    None
                });
            }
            _ => self.atomic(inst, &op, &targets),
        }
    }

    fn load(&mut self, inst: Inst, targets: &Targets<'a>, flags: Flags) {
        let result = self.cursor.result(inst);
        let is_pointer = self.was_pointer(result);
        let ty = if is_pointer { Type::I64 } else { self.cursor.function.ty(result) };
        let mut value =
            self.at_each(targets, Some(ty), &mut |this, place| Some(this.load_value(place, ty, flags)));
        if is_pointer {
            self.check_pointers_in_buffers(targets, None);
            let form = self.form(result);
            value = value.map(|bits| self.pointer_of_bits(bits, form));
        }
        self.cursor.replace_result(inst, value.expect("a load gives a value"));
    }

    /// A value as it is stored in memory.
    fn stored_value(&mut self, value: Value, targets: &Targets<'a>) -> Value {
        if !self.was_pointer(value) {
            return self.cursor.get(value);
        }
        self.check_pointers_in_buffers(targets, Some(value));
        self.pointer_bits(value)
    }

    /// Refuses pointers in storage buffers, because their tags mean nothing to another kernel. Only pointers
    /// to the program's variables mean the same everywhere, and they are looked for only among these
    /// variables.
    fn check_pointers_in_buffers(&mut self, targets: &Targets<'a>, stored: Option<Value>) {
        let Buffers { holder, private, .. } = *self.buffers;
        let in_buffer = targets.variables().any(|variable| {
            let space = self.cursor.function.variables[variable].space;
            let is_buffer = matches!(space, VariableSpace::StorageBuffer { .. });
            is_buffer && Some(variable) != holder && Some(variable) != private
        });
        let holds = targets.variables().any(|variable| Some(variable) == holder);
        let foreign = holds
            && stored.is_some_and(|value| {
                let pointed = self.targets(value);
                pointed.has_address() || pointed.variables().any(|variable| Some(variable) != holder)
            });
        if in_buffer || foreign {
            self.refuse(
                "keeps a pointer in a buffer; the device addresses buffers through descriptors (it has no \
                 bufferDeviceAddress with shaderInt64), so a kernel cannot tell which buffer is meant",
            );
        }
    }

    fn atomic(&mut self, inst: Inst, op: &Op, targets: &Targets<'a>) {
        let result = self.cursor.function.insts[inst].results.first().copied();
        let ty =
            self.cursor.function.ty(result.unwrap_or_else(|| self.cursor.function.insts[inst].operands[1]));
        if ty.access_size() == 8 && !self.profile().int64 {
            self.refuse("has 64-bit atomic operations; the device has no shaderInt64");
            if let Some(result) = result {
                let undefined = self.cursor.function.undef(ty);
                self.cursor.replace(result, undefined);
            }
            return;
        }
        let operands = self.cursor.operands(inst);
        let value = self.at_each(targets, result.map(|_| ty), &mut |this, place| {
            this.atomic_at(op, place, ty, &operands[1..], result.is_some())
        });
        if let (Some(result), Some(value)) = (result, value) {
            self.cursor.replace(result, value);
        }
    }

    /// An atomic operation on one kind of memory.
    fn atomic_at(
        &mut self,
        op: &Op,
        place: Place<'a>,
        ty: Type,
        values: &[Value],
        has_result: bool,
    ) -> Option<Value> {
        let arithmetic = float_atomics::arithmetic(op);
        let alone = matches!(place, Place::Element(view, ..) if view.space == AddressSpace::Private);
        if ty.access_size() < Word::of(place).map_or(0, Word::bytes) && !alone {
            return self.narrow_atomic(op, place, ty, values);
        }
        let (pointer, held, memory) = match place {
            Place::Address(address) => {
                let native = arithmetic.is_some_and(|op| self.adds_floats(op, ty, Memory::Buffer));
                let bits = if native { ty } else { bits_of(ty) };
                (self.physical_pointer(address, false), bits, Memory::Buffer)
            }
            Place::Element(..) if alone => return self.alone(op, place, ty, values),
            Place::Element(view, variable, offset) => {
                let held = view.element;
                if held != ty && held != bits_of(ty) {
                    self.refuse(
                        "accesses the same memory by atomic operations and in units of another size, which is not supported",
                    );
                    return has_result.then(|| self.cursor.function.undef(ty));
                }
                let index = self.element_index(view, offset, 0);
                let local = self.cursor.function.variables[variable].space == VariableSpace::Local;
                let memory = if local { Memory::Local } else { Memory::Buffer };
                (self.element_pointer_at(view, variable, index), held, memory)
            }
        };
        if let (Some(arithmetic), &Op::AtomicRmw { order, scope, .. }) = (arithmetic, op)
            && held != ty
        {
            return Some(self.float_by_exchange(arithmetic, (order, scope), pointer, values[0]));
        }
        assert!(
            arithmetic.is_none_or(|op| self.adds_floats(op, ty, memory)),
            "lower-memory: an array of floats for an operation that the device lacks"
        );
        let mut operands = vec![pointer];
        operands.extend(values.iter().map(|&value| self.cursor.bitcast(value, held)));
        if !has_result {
            self.cursor.push(op.clone(), &operands, &[], &[]);
            return None;
        }
        let old = self.cursor.value(op.clone(), &operands, held);
        Some(self.cursor.bitcast(old, ty))
    }

    fn adds_floats(&self, op: AtomicOp, ty: Type, memory: Memory) -> bool {
        ty.scalar().is_some_and(|scalar| float_atomics::is_native(self.profile(), op, scalar, memory))
    }

    /// An atomic operation on private memory, which other work-items do not see.
    fn alone(&mut self, op: &Op, place: Place<'a>, ty: Type, values: &[Value]) -> Option<Value> {
        let flags = Flags { align: ty.access_size(), volatile: false, constant: false };
        if let Op::AtomicStore { .. } = op {
            self.store_value(place, values[0], flags);
            return None;
        }
        let old = self.load_value(place, ty, flags);
        let new = match op {
            Op::AtomicCompareExchange { .. } => {
                let bits = Type::Scalar(Scalar::int(ty.access_size() * 8));
                let (found, expected) =
                    (self.cursor.bitcast(old, bits), self.cursor.bitcast(values[0], bits));
                let same = self.cursor.compare(CompareOp::Eq, found, expected);
                self.cursor.select(same, values[1], old)
            }
            Op::AtomicRmw { op, .. } => self.combined(*op, old, values[0], ty),
            _ => return Some(old),
        };
        self.store_value(place, new, flags);
        Some(old)
    }

    /// The new value that an operation computes from the old one.
    pub fn combined(&mut self, op: AtomicOp, old: Value, operand: Value, ty: Type) -> Value {
        let op = match op {
            AtomicOp::Exchange => return operand,
            AtomicOp::Add => Op::Binary(BinaryOp::Add),
            AtomicOp::Sub => Op::Binary(BinaryOp::Sub),
            AtomicOp::And => Op::Binary(BinaryOp::And),
            AtomicOp::Or => Op::Binary(BinaryOp::Or),
            AtomicOp::Xor => Op::Binary(BinaryOp::Xor),
            AtomicOp::SMin => Op::Binary(BinaryOp::SMin),
            AtomicOp::SMax => Op::Binary(BinaryOp::SMax),
            AtomicOp::UMin => Op::Binary(BinaryOp::UMin),
            AtomicOp::UMax => Op::Binary(BinaryOp::UMax),
            AtomicOp::FAdd => Op::Binary(BinaryOp::FAdd),
            AtomicOp::FMin => Op::Math(MathOp::FMin),
            AtomicOp::FMax => Op::Math(MathOp::FMax),
        };
        self.cursor.value(op, &[old, operand], ty)
    }

    /// A pointer with this address, to memory that nothing changes or to any.
    pub fn physical_pointer(&mut self, address: Value, constant: bool) -> Value {
        let space = if constant { AddressSpace::Constant } else { AddressSpace::Global };
        self.cursor.value(Op::PhysicalPointer(space), &[address], Type::Pointer(space))
    }

    /// A pointer to an element of an array.
    pub fn element_pointer_at(&mut self, _: &View, variable: Variable, index: Value) -> Value {
        let space = match self.cursor.function.variables[variable].space {
            VariableSpace::Private => AddressSpace::Private,
            VariableSpace::ConstantTable => AddressSpace::Constant,
            VariableSpace::Local => AddressSpace::Local,
            VariableSpace::StorageBuffer { .. } => AddressSpace::Global,
        };
        let index = self.index_or_only(variable, index);
        self.cursor.value(Op::ElementPointer(variable), &[index], Type::Pointer(space))
    }

    /// The index of an element. A single element has only one; drivers recognise this only if it is constant.
    pub fn index_or_only(&mut self, variable: Variable, index: Value) -> Value {
        let only = self.cursor.function.variables[variable].count == ElementCount::Fixed(1);
        if only { self.cursor.int(Type::I32, 0) } else { index }
    }

    /// A pointer to the element at an offset.
    pub fn matrix_pointer(&mut self, view: &View, variable: Variable, offset: Value) -> Value {
        let index = self.element_index(view, offset, 0);
        self.element_pointer_at(view, variable, index)
    }

    /// The index of the element that comes `further` elements after the one at an offset.
    pub fn element_index(&mut self, view: &View, offset: Value, further: u32) -> Value {
        let index = match self.vector_index(view, offset) {
            Some(index) => index,
            None => self.cursor.binary_int(BinaryOp::LShr, offset, i64::from(view.stride - view.scale)),
        };
        self.cursor.binary_int(BinaryOp::Add, index, i64::from(further))
    }

    /// Loads a value.
    pub fn load_value(&mut self, place: Place<'_>, ty: Type, flags: Flags) -> Value {
        if self.is_in_words(place, ty, flags) {
            return self.load_from_words(place, ty, flags);
        }
        let (view, variable, offset) = match place {
            Place::Address(address) => {
                if is_misaligned(ty, flags) {
                    return self.load_units(address, ty, flags);
                }
                if ty.access_size() > WIDEST_ACCESS {
                    return self.load_pieces(address, ty, flags);
                }
                let Flags { align, volatile, constant } = flags;
                let pointer = self.physical_pointer(address, constant);
                let held = self.held_type(ty);
                let value = self.cursor.value(Op::Load { align, volatile }, &[pointer], held);
                return self.cursor.bitcast(value, ty);
            }
            Place::Element(view, variable, offset) => (view, variable, offset),
        };
        if alike(ty, view.element) {
            let value = self.load_element(view, variable, offset, 0, flags);
            return self.cursor.bitcast(value, ty);
        }
        if let Some(lane) = view.lane_type() {
            let value = self.load_lane(view, variable, offset, lane, flags);
            return self.cursor.bitcast(value, ty);
        }
        let scalar = ty.scalar().expect("values in memory are scalars or vectors");
        let units = scalar.size() >> view.stride;
        let lanes: Vec<Value> = (0..ty.lanes())
            .map(|lane| {
                let parts: Vec<Value> = (0..units)
                    .map(|unit| self.load_element(view, variable, offset, lane * units + unit, flags))
                    .collect();
                self.join(&parts, scalar)
            })
            .collect();
        self.cursor.construct(&lanes)
    }

    /// The type with which a buffer holds a value: integers for half precision where the device has none.
    fn held_type(&self, ty: Type) -> Type {
        match ty.scalar() {
            Some(Scalar::F16) if !self.profile().native_half() => ty.with_scalar(Scalar::I16),
            _ => ty,
        }
    }

    /// Loads a value in units that are as aligned as the value: Vulkan requires every scalar at a multiple of
    /// its size.
    fn load_units(&mut self, address: Value, ty: Type, flags: Flags) -> Value {
        let scalar = ty.scalar().expect("values in memory are scalars or vectors");
        let unit = Type::Scalar(Scalar::int(flags.align * 8));
        let units = scalar.size() / flags.align;
        let lanes: Vec<Value> = (0..ty.lanes())
            .map(|lane| {
                let parts: Vec<Value> = (lane * units..(lane + 1) * units)
                    .map(|index| {
                        let offset = i64::from(index * flags.align);
                        let address = self.cursor.binary_int(BinaryOp::Add, address, offset);
                        self.load_value(Place::Address(address), unit, flags)
                    })
                    .collect();
                self.join(&parts, scalar)
            })
            .collect();
        self.cursor.construct(&lanes)
    }

    /// Stores a value in units that are as aligned as the value.
    fn store_units(&mut self, address: Value, value: Value, flags: Flags) {
        let ty = self.cursor.function.ty(value);
        let scalar = ty.scalar().expect("values in memory are scalars or vectors");
        let unit = Type::Scalar(Scalar::int(flags.align * 8));
        let units = scalar.size() / flags.align;
        for lane in 0..ty.lanes() {
            let part = self.cursor.extract(value, lane);
            for (index, part) in self.split(part, units, unit).into_iter().enumerate() {
                let offset = i64::from((lane * units + index as u32) * flags.align);
                let address = self.cursor.binary_int(BinaryOp::Add, address, offset);
                self.store_value(Place::Address(address), part, flags);
            }
        }
    }

    /// Loads a vector wider than one access by several accesses.
    fn load_pieces(&mut self, address: Value, ty: Type, flags: Flags) -> Value {
        let scalar = ty.scalar().expect("values in memory are scalars or vectors");
        let mut lanes = Vec::new();
        for piece in pieces(ty) {
            let place = self.piece(address, scalar, piece.start);
            let part = self.load_value(place, Type::with_lanes(scalar, piece.len() as u32), flags.narrowed());
            lanes.extend(self.cursor.lanes(part));
        }
        self.cursor.construct(&lanes)
    }

    fn store_pieces(&mut self, address: Value, value: Value, flags: Flags) {
        let ty = self.cursor.function.ty(value);
        let scalar = ty.scalar().expect("values in memory are scalars or vectors");
        for piece in pieces(ty) {
            let place = self.piece(address, scalar, piece.start);
            let lanes: Vec<Value> = piece.map(|lane| self.cursor.extract(value, lane)).collect();
            let part = self.cursor.construct(&lanes);
            self.store_value(place, part, flags.narrowed());
        }
    }

    /// The position of a lane of a vector at an address.
    fn piece(&mut self, address: Value, scalar: Scalar, lane: u32) -> Place<'a> {
        Place::Address(self.cursor.binary_int(BinaryOp::Add, address, i64::from(lane * scalar.size())))
    }

    fn load_element(
        &mut self,
        view: &View,
        variable: Variable,
        offset: Value,
        further: u32,
        flags: Flags,
    ) -> Value {
        let index = self.element_index(view, offset, further);
        let pointer = self.element_pointer_at(view, variable, index);
        let op = Op::Load { align: view.element.access_size().next_power_of_two(), volatile: flags.volatile };
        self.cursor.value(op, &[pointer], view.element)
    }

    /// Stores a value.
    pub fn store_value(&mut self, place: Place<'_>, value: Value, flags: Flags) {
        let ty = self.cursor.function.ty(value);
        if self.is_in_words(place, ty, flags) {
            return self.store_to_words(place, value, flags);
        }
        let (view, variable, offset) = match place {
            Place::Address(address) => {
                if is_misaligned(ty, flags) {
                    return self.store_units(address, value, flags);
                }
                if ty.access_size() > WIDEST_ACCESS {
                    return self.store_pieces(address, value, flags);
                }
                let pointer = self.physical_pointer(address, false);
                let Flags { align, volatile, .. } = flags;
                let held = self.held_type(ty);
                let value = self.cursor.bitcast(value, held);
                self.cursor.push(Op::Store { align, volatile }, &[pointer, value], &[], &[]);
                return;
            }
            Place::Element(view, variable, offset) => (view, variable, offset),
        };
        if alike(ty, view.element) {
            let value = self.cursor.bitcast(value, view.element);
            return self.store_element(view, variable, offset, 0, value, flags);
        }
        if let Some(lane) = view.lane_type() {
            let value = self.cursor.bitcast(value, lane);
            return self.store_lane(view, variable, offset, value, flags);
        }
        let scalar = ty.scalar().expect("values in memory are scalars or vectors");
        let units = scalar.size() >> view.stride;
        for lane in 0..ty.lanes() {
            let part = self.cursor.extract(value, lane);
            for (unit, part) in self.split(part, units, view.element).into_iter().enumerate() {
                self.store_element(view, variable, offset, lane * units + unit as u32, part, flags);
            }
        }
    }

    fn store_element(
        &mut self,
        view: &View,
        variable: Variable,
        offset: Value,
        further: u32,
        value: Value,
        flags: Flags,
    ) {
        let index = self.element_index(view, offset, further);
        let pointer = self.element_pointer_at(view, variable, index);
        let op =
            Op::Store { align: view.element.access_size().next_power_of_two(), volatile: flags.volatile };
        self.cursor.push(op, &[pointer, value], &[], &[]);
    }

    /// A scalar composed of consecutive units, lowest first.
    pub fn join(&mut self, parts: &[Value], scalar: Scalar) -> Value {
        let ty = Type::Scalar(scalar);
        if parts.len() <= 4 {
            let vector = self.cursor.construct(parts);
            return self.cursor.bitcast(vector, ty);
        }
        let half = Scalar::int(scalar.bits() / 2);
        let (low, high) = parts.split_at(parts.len() / 2);
        let (low, high) = (self.join(low, half), self.join(high, half));
        let vector = self.cursor.construct(&[low, high]);
        self.cursor.bitcast(vector, ty)
    }

    /// The units of a scalar, lowest first, as elements.
    pub fn split(&mut self, value: Value, units: u32, element: Type) -> Vec<Value> {
        if units == 1 {
            return vec![self.cursor.bitcast(value, element)];
        }
        let bits = self.cursor.function.ty(value).scalar().map_or(0, Scalar::bits);
        let lanes = if units > 4 { 2 } else { units };
        let part = Scalar::int(bits / lanes);
        let vector = self.cursor.bitcast(value, Type::with_lanes(part, lanes));
        let parts = self.cursor.lanes(vector);
        parts.into_iter().flat_map(|part| self.split(part, units / lanes, element)).collect()
    }
}

/// Whether values of both types have the same lanes of the same width.
fn alike(a: Type, b: Type) -> bool {
    a.lanes() == b.lanes() && a.access_size() == b.access_size()
}

/// Whether scalars of a value may not be at multiples of their size.
fn is_misaligned(ty: Type, flags: Flags) -> bool {
    ty.scalar().is_some_and(|scalar| flags.align < scalar.size())
}
