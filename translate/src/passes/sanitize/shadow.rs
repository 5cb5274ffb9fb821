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
    ARGUMENT, NULL_OBJECT, Object, ObjectKind, UNKNOWN_OBJECT, UNKNOWN_SIZE, UNKNOWN_START,
};
use clvk_ir::{
    AddressSpace, Arena, BinaryOp, CompareOp, Constant, ConvertOp, Function, Global, GlobalData, Inst,
    KernelParamKind, Op, Span, Type, Value, ValueDef,
};
use rustc_hash::FxHashMap;

/// What is known of a pointer.
#[derive(Clone, Copy)]
pub struct Shadow {
    /// The object's number, `I32`.
    pub object: Value,
    /// Bytes from the object's start, `I64`.
    pub offset: Value,
    /// The object's bytes, `I64`.
    pub size: Value,
    /// A power of two that is known to divide the offset.
    pub align: u32,
}

impl Shadow {
    fn types() -> [Type; 3] {
        [Type::I32, Type::I64, Type::I64]
    }

    fn values(self) -> [Value; 3] {
        [self.object, self.offset, self.size]
    }
}

/// The numbers of module-scope variables.
pub type GlobalObjects = FxHashMap<Global, u32>;

/// The shadows of a kernel's pointers.
pub struct Shadows<'m> {
    globals: &'m Arena<Global, GlobalData>,
    numbers: &'m mut GlobalObjects,
    of: FxHashMap<Value, Shadow>,
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
    ) -> Self {
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
                    let [object, offset, size] = Shadow::types().map(|ty| function.add_result(inst, ty));
                    of.insert(result, Shadow { object, offset, size, align: 1 });
                }
            }
            for region in function.insts[inst].regions.clone() {
                for param in function.regions[region].params.clone() {
                    if function.ty(param).is_pointer() {
                        let [object, offset, size] =
                            Shadow::types().map(|ty| function.add_region_param(region, ty));
                        of.insert(param, Shadow { object, offset, size, align: 1 });
                    }
                }
            }
        }
        Shadows { globals, numbers, of }
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
                    Shadow { object, offset, size, align: 16 }
                }
                _ => {
                    let mut word = |bytes: u32| {
                        let place = step(cursor, table, position as u32 * ARGUMENT + bytes);
                        cursor.value(Op::Load { align: 8, volatile: false }, &[place], Type::I64)
                    };
                    let (offset, size) = (word(0), word(8));
                    // The host demands that pointers are aligned as their type.
                    let element = param.element.map_or(1, |(scalar, lanes)| scalar.size() * lanes);
                    Shadow { object, offset, size, align: 1 << element.trailing_zeros().min(4) }
                }
            };
            self.of.insert(value, shadow);
        }
    }

    /// The shadow of a pointer.
    pub fn of(&mut self, cursor: &mut Cursor<'_>, reporter: &mut Reporter<'_>, pointer: Value) -> Shadow {
        if let Some(&shadow) = self.of.get(&pointer) {
            return shadow;
        }
        match cursor.function.values[pointer].def.clone() {
            ValueDef::Global(global) => self.global(cursor, reporter, global),
            ValueDef::Constant(Constant::Bits(0)) => fixed(cursor, NULL_OBJECT, 0, 0, 16),
            _ => unknown(cursor),
        }
    }

    fn global(&mut self, cursor: &mut Cursor<'_>, reporter: &mut Reporter<'_>, global: Global) -> Shadow {
        let data = &self.globals[global];
        // The library's own variables.
        if data.name.starts_with("__clvk_") {
            return unknown(cursor);
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
        fixed(cursor, number, 0, data.size, data.align)
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
                fixed(cursor, number, 0, size, align)
            }
            Op::PointerOffset(bytes) => {
                let base = self.of(cursor, reporter, operands[0]);
                let offset = cursor.binary_int(BinaryOp::Add, base.offset, bytes);
                let align = base.align.min(1 << bytes.trailing_zeros().min(30));
                Shadow { offset, align, ..base }
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
                let align = base.align.min(1 << stride.trailing_zeros().min(30));
                Shadow { offset, align, ..base }
            }
            Op::Select => {
                let condition = cursor.get(operands[0]);
                let [first, second] = [1, 2].map(|choice| self.of(cursor, reporter, operands[choice]));
                let mut choose = |a: Value, b: Value| if a == b { a } else { cursor.select(condition, a, b) };
                let object = choose(first.object, second.object);
                let offset = choose(first.offset, second.offset);
                let size = choose(first.size, second.size);
                Shadow { object, offset, size, align: first.align.min(second.align) }
            }
            Op::Convert(ConvertOp::AddressSpace) => self.of(cursor, reporter, operands[0]),
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
        let part = fixed(cursor, number, 0, bytes, base.align);
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
    Shadow { object, offset, size, align }
}

fn unknown(cursor: &mut Cursor<'_>) -> Shadow {
    fixed(cursor, UNKNOWN_OBJECT, UNKNOWN_START, UNKNOWN_SIZE, 1 << 16)
}
