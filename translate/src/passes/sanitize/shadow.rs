//! What is known of each pointer: the object that it was made from, its distance from the start of that
//! object, and the object's size. These are values, too, which go with the pointer wherever it goes: through
//! selections, and in and out of constructs.
//!
//! Memory does not hold them. A pointer that is loaded from memory, or made of a number, has an unknown
//! object of unbounded size.

use super::report::{Reporter, step};
use crate::passes::cursor::Cursor;
use clvk_interface::ImplicitBuffer;
use clvk_interface::sanitize::{
    ARGUMENT, ARGUMENTS, Kind, Kinds, NULL_OBJECT, Object, ObjectKind, UNKNOWN_OBJECT, UNKNOWN_POSITION,
    UNKNOWN_SIZE, UNKNOWN_START, forbidden,
};
use clvk_ir::{
    AccessOp, AddressSpace, Arena, BinaryOp, CompareOp, Constant, ConvertOp, Function, Global, GlobalData,
    Inst, KernelParamKind, Op, Span, Type, Value, ValueDef,
};
use rustc_hash::FxHashMap;

/// Whether a pointer that an operation gives has a shadow ([`Shadows::follow`]).
pub fn is_followed(op: &Op) -> bool {
    let computes = matches!(
        op,
        Op::PointerOffset(_)
            | Op::PointerIndex { .. }
            | Op::Within(_)
            | Op::Apart { .. }
            | Op::Access { op: AccessOp::Done, .. }
            | Op::Select
    );
    let is_ours = matches!(op, Op::Alloca { .. } | Op::ImplicitBuffer(_));
    computes || is_ours || op.has_regions() || *op == Op::Convert(ConvertOp::AddressSpace)
}

/// What is known of a pointer.
#[derive(Clone, Copy)]
pub struct Shadow {
    /// The object's number, `I32`, with bits of [`forbidden`].
    pub object: Value,
    /// Bytes from the object's start, `I64`.
    pub offset: Value,
    /// The object's bytes, `I64`.
    pub size: Value,
    /// Where the pointer's cell is, `I64`, if kernels remember memory
    /// ([`Cells`](clvk_interface::sanitize::Cells)).
    pub position: Option<Value>,
    /// A power of two that is known to divide the offset.
    pub align: u32,
}

impl Shadow {
    /// The types of its values, with a position or without.
    fn types(has_position: bool) -> &'static [Type] {
        const TYPES: [Type; 4] = [Type::I32, Type::I64, Type::I64, Type::I64];
        &TYPES[..3 + usize::from(has_position)]
    }

    fn values(self) -> impl Iterator<Item = Value> {
        [Some(self.object), Some(self.offset), Some(self.size), self.position].into_iter().flatten()
    }

    /// Of values of those types, about whose alignment nothing is known.
    fn of_values(values: &[Value]) -> Shadow {
        let position = values.get(3).copied();
        Shadow { object: values[0], offset: values[1], size: values[2], position, align: 1 }
    }
}

/// The numbers of module-scope variables.
pub type GlobalObjects = FxHashMap<Global, u32>;

/// The shadows of a kernel's pointers.
pub struct Shadows<'m> {
    pub globals: &'m Arena<Global, GlobalData>,
    numbers: &'m mut GlobalObjects,
    of: FxHashMap<Value, Shadow>,
    kinds: Kinds,
    /// Where cells are, if there are any.
    places: Option<Places<'m>>,
}

/// Where the cells of module-scope variables are.
#[derive(Clone, Copy)]
pub struct Places<'m> {
    /// Of those in local memory, counted from the start of the work-group's local memory.
    pub positions: &'m FxHashMap<Global, u64>,
    /// The position of the work-group's local memory, `I64`. Known at the kernel's entry.
    pub local: Value,
}

/// How a span is stored.
pub fn positions(span: Span) -> (u32, u32) {
    (span.start, span.end)
}

impl<'m> Shadows<'m> {
    /// Prepares a kernel: where pointers go into constructs and out of them, their shadows go too.
    pub fn prepare(
        function: &mut Function,
        globals: &'m Arena<Global, GlobalData>,
        numbers: &'m mut GlobalObjects,
        kinds: Kinds,
        has_positions: bool,
    ) -> Self {
        let types = Shadow::types(has_positions);
        let mut of = FxHashMap::default();
        let mut constructs: Vec<Inst> = Vec::new();
        function.walk(|inst, data| {
            if data.op.has_regions() {
                constructs.push(inst);
            }
        });
        for inst in constructs {
            for result in function.insts[inst].results.clone() {
                if function.ty(result).is_pointer() {
                    let values: Vec<Value> = types.iter().map(|&ty| function.add_result(inst, ty)).collect();
                    of.insert(result, Shadow::of_values(&values));
                }
            }
            for region in function.insts[inst].regions.clone() {
                for param in function.regions[region].params.clone() {
                    if function.ty(param).is_pointer() {
                        let values: Vec<Value> =
                            types.iter().map(|&ty| function.add_region_param(region, ty)).collect();
                        of.insert(param, Shadow::of_values(&values));
                    }
                }
            }
        }
        Shadows { globals, numbers, of, kinds, places: None }
    }

    /// Says where cells are. Needed before the first shadow, if shadows have positions.
    pub fn place(&mut self, places: Places<'m>) {
        self.places = Some(places);
    }

    /// Makes the shadows of the parameters, at the kernel's entry.
    pub fn parameters(&mut self, cursor: &mut Cursor<'_>, reporter: &mut Reporter<'_>) {
        let pointer = Type::Pointer(AddressSpace::Global);
        let params = cursor.function.kernel.as_ref().map_or(Vec::new(), |info| info.params.clone());
        let table = cursor.value(Op::ImplicitBuffer(ImplicitBuffer::Reports), &[], pointer);
        for (position, param) in params.iter().enumerate() {
            let value = cursor.function.params[position];
            if !cursor.function.ty(value).is_pointer() {
                continue;
            }
            let kind = ObjectKind::Argument { position: position as u32 };
            let (name, span) = (param.name.clone(), positions(Span::NONE));
            let size = match param.kind {
                KernelParamKind::Value { size, .. } => size.into(),
                _ => 0,
            };
            let number = reporter.object(Object { kind, name, size, span, place: None });
            let object = cursor.int(Type::I32, number.into());
            let shadow = match param.kind {
                KernelParamKind::Value { size, .. } => {
                    let (offset, size) = (cursor.int(Type::I64, 0), cursor.int(Type::I64, size.into()));
                    Shadow { object, offset, size, position: self.unplaced(cursor), align: 16 }
                }
                _ => {
                    let position = position as u32;
                    let argument = ARGUMENTS + position * ARGUMENT;
                    let offset = word(cursor, table, argument);
                    let size = word(cursor, table, argument + 8);
                    let object = self.forbidding(cursor, table, argument, object, &param.kind);
                    let is_local = matches!(param.kind, KernelParamKind::Local { .. });
                    let position = self.places.map(|places| {
                        let start = word(cursor, table, reporter.position(position));
                        let start = cursor.binary(BinaryOp::Add, start, offset);
                        if is_local { cursor.binary(BinaryOp::Add, start, places.local) } else { start }
                    });
                    // The host demands that pointers are aligned as their type.
                    let element = param.element.map_or(1, |(scalar, lanes)| scalar.size() * lanes);
                    Shadow { object, offset, size, position, align: 1 << element.trailing_zeros().min(4) }
                }
            };
            self.of.insert(value, shadow);
        }
    }

    /// The number of an argument's object, with bits of what is [`forbidden`].
    fn forbidding(
        &self,
        cursor: &mut Cursor<'_>,
        table: Value,
        argument: u32,
        object: Value,
        kind: &KernelParamKind,
    ) -> Value {
        let is_constant = matches!(
            kind,
            KernelParamKind::Buffer { read_only: true, .. } | KernelParamKind::Local { read_only: true, .. }
        );
        let mut object = object;
        if is_constant && self.kinds.has(Kind::Constness) {
            let number = cursor.function.as_bits(object).unwrap_or_default();
            object = cursor.int(Type::I32, number as i64 | i64::from(forbidden::CHANGES));
        }
        let asks = self.kinds.has(Kind::Flags) || self.kinds.has(Kind::Uninitialised);
        if asks && matches!(kind, KernelParamKind::Buffer { .. }) {
            let place = step(cursor, table, argument + 16);
            let flags = cursor.value(Op::Load { align: 4, volatile: false }, &[place], Type::I32);
            object = cursor.binary(BinaryOp::Or, object, flags);
        }
        object
    }

    /// The shadow of a pointer.
    pub fn of(&mut self, cursor: &mut Cursor<'_>, reporter: &mut Reporter<'_>, pointer: Value) -> Shadow {
        if let Some(&shadow) = self.of.get(&pointer) {
            return shadow;
        }
        match cursor.function.values[pointer].def.clone() {
            ValueDef::Global(global) => self.global(cursor, reporter, global),
            ValueDef::Constant(Constant::Bits(0)) => {
                Shadow { position: self.unplaced(cursor), ..fixed(cursor, NULL_OBJECT, 0, 0, 16) }
            }
            _ => self.unknown(cursor),
        }
    }

    /// The position of memory without cells, if shadows have positions.
    fn unplaced(&self, cursor: &mut Cursor<'_>) -> Option<Value> {
        self.places.map(|_| cursor.int(Type::I64, UNKNOWN_POSITION as i64))
    }

    fn unknown(&self, cursor: &mut Cursor<'_>) -> Shadow {
        let position = self.unplaced(cursor);
        Shadow { position, ..fixed(cursor, UNKNOWN_OBJECT, UNKNOWN_START, UNKNOWN_SIZE, 1 << 16) }
    }

    /// The position of a variable.
    fn variable(&self, cursor: &mut Cursor<'_>, global: Global) -> Option<Value> {
        let places = self.places?;
        let Some(&position) = places.positions.get(&global) else { return self.unplaced(cursor) };
        let position = cursor.int(Type::I64, position as i64);
        let is_local = self.globals[global].space == AddressSpace::Local;
        Some(if is_local { cursor.binary(BinaryOp::Add, places.local, position) } else { position })
    }

    fn global(&mut self, cursor: &mut Cursor<'_>, reporter: &mut Reporter<'_>, global: Global) -> Shadow {
        let data = &self.globals[global];
        // The library's own variables.
        if data.name.starts_with("__clvk_") {
            return self.unknown(cursor);
        }
        let number = *self.numbers.entry(global).or_insert_with(|| {
            let kind = match data.space {
                AddressSpace::Local => ObjectKind::Local,
                AddressSpace::Constant => ObjectKind::Constant,
                _ => ObjectKind::Global,
            };
            let name = data.name.clone();
            let size = data.size;
            reporter.object(Object { kind, name, size, span: positions(Span::NONE), place: None })
        });
        let position = self.variable(cursor, global);
        Shadow { position, ..fixed(cursor, number, 0, data.size, data.align) }
    }

    /// Makes the shadow of what an instruction, which stays, computes.
    pub fn follow(&mut self, cursor: &mut Cursor<'_>, reporter: &mut Reporter<'_>, inst: Inst) {
        let data = &cursor.function.insts[inst];
        let Some(&result) = data.results.first() else { return };
        if !cursor.function.ty(result).is_pointer() || data.op.has_regions() {
            return;
        }
        let (op, operands, span) = (data.op.clone(), data.operands.clone(), data.span);
        let shadow = match op {
            Op::Alloca { size, align } => {
                let object = Object {
                    kind: ObjectKind::Private,
                    name: String::new(),
                    size,
                    span: positions(span),
                    place: None,
                };
                let number = reporter.object(object);
                Shadow { position: self.unplaced(cursor), ..fixed(cursor, number, 0, size, align) }
            }
            Op::PointerOffset(bytes) => {
                let base = self.of(cursor, reporter, operands[0]);
                let offset = cursor.binary_int(BinaryOp::Add, base.offset, bytes);
                let position = base.position.map(|it| cursor.binary_int(BinaryOp::Add, it, bytes));
                let align = base.align.min(1 << bytes.trailing_zeros().min(30));
                Shadow { offset, position, align, ..base }
            }
            Op::Within(bytes) => {
                let base = self.of(cursor, reporter, operands[0]);
                self.within(cursor, reporter, base, bytes)
            }
            Op::PointerIndex { stride } => {
                let base = self.of(cursor, reporter, operands[0]);
                let index = cursor.get(operands[1]);
                let index = cursor.resize(ConvertOp::SignExtend, index, Type::I64);
                let distance = cursor.binary_int(BinaryOp::Mul, index, stride as i64);
                let offset = cursor.binary(BinaryOp::Add, base.offset, distance);
                let position = base.position.map(|it| cursor.binary(BinaryOp::Add, it, distance));
                let align = base.align.min(1 << stride.trailing_zeros().min(30));
                Shadow { offset, position, align, ..base }
            }
            Op::Select => {
                let condition = cursor.get(operands[0]);
                let [first, second] = [1, 2].map(|choice| self.of(cursor, reporter, operands[choice]));
                let mut choose = |a: Value, b: Value| if a == b { a } else { cursor.select(condition, a, b) };
                let object = choose(first.object, second.object);
                let offset = choose(first.offset, second.offset);
                let size = choose(first.size, second.size);
                let position = first.position.zip(second.position).map(|(a, b)| choose(a, b));
                Shadow { object, offset, size, position, align: first.align.min(second.align) }
            }
            Op::Convert(ConvertOp::AddressSpace)
            | Op::Apart { .. }
            | Op::Access { op: AccessOp::Done, .. } => self.of(cursor, reporter, operands[0]),
            _ => return,
        };
        self.of.insert(result, shadow);
    }

    /// A part of an object, which is an object of its own if all of it is inside the whole.
    fn within(
        &mut self,
        cursor: &mut Cursor<'_>,
        reporter: &mut Reporter<'_>,
        base: Shadow,
        bytes: u64,
    ) -> Shadow {
        let known = |value: Value| cursor.function.as_bits(value);
        let inside = known(base.offset)
            .zip(known(base.size))
            .map(|(offset, size)| offset <= size && bytes <= size - offset);
        if inside == Some(false) {
            return base;
        }
        let span = positions(cursor.span());
        let object = Object { kind: ObjectKind::Part, name: String::new(), size: bytes, span, place: None };
        let number = reporter.object(object);
        let mut part = Shadow { position: base.position, ..fixed(cursor, number, 0, bytes, base.align) };
        let kinds = [Kind::Flags, Kind::Constness, Kind::Uninitialised];
        if kinds.into_iter().any(|kind| self.kinds.has(kind)) {
            let bits = cursor.binary_int(BinaryOp::And, base.object, i64::from(forbidden::ALL));
            part.object = cursor.binary(BinaryOp::Or, part.object, bits);
        }
        if inside == Some(true) {
            return part;
        }
        let bytes = cursor.int(Type::I64, bytes as i64);
        let begins = cursor.compare(CompareOp::ULe, base.offset, base.size);
        let rest = cursor.binary(BinaryOp::Sub, base.size, base.offset);
        let ends = cursor.compare(CompareOp::ULe, bytes, rest);
        let inside = cursor.binary(BinaryOp::And, begins, ends);
        Shadow {
            object: cursor.select(inside, part.object, base.object),
            offset: cursor.select(inside, part.offset, base.offset),
            size: cursor.select(inside, part.size, base.size),
            position: base.position,
            align: base.align,
        }
    }

    /// The shadows of the pointers among an instruction's operands that go into a construct or out of it, or
    /// into its next iteration, in order.
    pub fn carried(
        &mut self,
        cursor: &mut Cursor<'_>,
        reporter: &mut Reporter<'_>,
        inst: Inst,
    ) -> Vec<Value> {
        let data = &cursor.function.insts[inst];
        if !matches!(data.op, Op::Loop(_) | Op::Exit(_) | Op::Continue(_) | Op::NextIteration) {
            return Vec::new();
        }
        let mut values = Vec::new();
        for operand in data.operands.clone() {
            if cursor.function.ty(operand).is_pointer() {
                values.extend(self.of(cursor, reporter, operand).values());
            }
        }
        values
    }
}

fn fixed(cursor: &mut Cursor<'_>, object: u32, offset: u64, size: u64, align: u32) -> Shadow {
    let object = cursor.int(Type::I32, object.into());
    let [offset, size] = [offset, size].map(|value| cursor.int(Type::I64, value as i64));
    Shadow { object, offset, size, position: None, align }
}

/// 64 bits of the head of the reports.
pub fn word(cursor: &mut Cursor<'_>, table: Value, bytes: u32) -> Value {
    let place = step(cursor, table, bytes);
    cursor.value(Op::Load { align: 8, volatile: false }, &[place], Type::I64)
}
