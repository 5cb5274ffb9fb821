//! Calls of built-in functions: the lowering of each [`Operation`] and each [`Lowering`].

use super::function::FunctionLowering;
use crate::builtins::{Lowering, Special};
use crate::hir::{BuiltinCall, Expr, Operation};
use crate::types::{ScalarKind, TypeId, TypeKind};
use clvk_ir::{
    AddressSpace, AtomicOp, BinaryOp, CompareOp, ConvertOp, Func, MathOp, MemoryOrder, Op, Scalar, Scope,
    Type, Value,
};

/// The evaluated arguments of a call; the language leaves the order of evaluation open.
pub(super) struct Arguments {
    /// Values, in order; for structures, their addresses in private memory.
    pub values: Vec<Value>,
    /// Element kind of the first arithmetic argument (of the pointer's target if there is none).
    pub kind: ScalarKind,
    /// Source type of each.
    pub types: Vec<TypeId>,
    /// Type of the result.
    pub result: TypeId,
}

impl<'p> FunctionLowering<'_, 'p> {
    pub fn builtin(&mut self, call: &'p BuiltinCall, result: TypeId) -> Option<Value> {
        let arguments = self.arguments(&call.arguments, result);
        let values = arguments.values.as_slice();
        Some(match call.operation {
            Operation::Row(lowering) => return self.by_row(lowering, call, &arguments),
            Operation::Pipe { function, size, align } => {
                return self.pipe(function, (size, align), &arguments);
            }
            Operation::Enqueue(what) => return self.enqueue(what, &arguments),
            Operation::Synchronize(what) => return self.synchronize(what, &arguments),
            Operation::Matrix(op) => return self.matrix(op, values, result),
            Operation::AsyncCopy(copy) => self.async_copy(copy, values),
            Operation::Events => {
                self.events(values);
                return None;
            }
            Operation::Print(format) => self.print(format, &arguments),
            Operation::Overflow(op) => self.overflow(op, &arguments),
            Operation::VectorLoad => self.vector_load(&arguments),
            Operation::VectorStore => return self.vector_store(&arguments),
            Operation::BlockRead => self.block_read(&arguments),
            Operation::BlockWrite => return self.block_write(&arguments),
            Operation::Convert { saturating, rounding } => {
                let to = crate::hir::arithmetic(&self.lowering.program.types, result).0;
                self.explicit_conversion(values[0], arguments.kind, to, saturating, rounding)
            }
            Operation::Shuffle => {
                let (mask, sources) = values.split_last().expect("the mask is the last argument");
                self.dynamic_shuffle(sources, *mask, &arguments)
            }
            Operation::ToSpace => {
                let to = self.lowering.value_type(result).expect("a pointer is a value");
                let space = to.address_space().expect("the result is a pointer");
                self.point_into(values[0], space)
            }
            // The fence flags have the numbers of the address spaces: local 1, global 2. Private memory has
            // none.
            Operation::GetFence => self.build().value(Op::PointerSpace, &values[..1], Type::I32),
        })
    }

    /// A call that the row of its overload lowers.
    fn by_row(&mut self, lowering: Lowering, call: &'p BuiltinCall, arguments: &Arguments) -> Option<Value> {
        let values = arguments.values.as_slice();
        let result = arguments.result;
        Some(match lowering {
            Lowering::Unary(op) => self.build().unary(op, values[0]),
            Lowering::Binary { signed, unsigned, float } => {
                let op = if arguments.kind.is_float() {
                    float
                } else if arguments.kind.is_signed() {
                    signed
                } else {
                    unsigned
                };
                let op =
                    op.unwrap_or_else(|| panic!("`{}` has no operation for {:?}", call.name, arguments.kind));
                self.build().binary(op, values[0], values[1])
            }
            Lowering::Math(op @ (MathOp::IsNan | MathOp::IsInf | MathOp::NeverPositive)) => {
                let condition = self.build().math(op, values);
                self.truth(condition, result)
            }
            // The dot product of scalars is their product.
            Lowering::Math(MathOp::Dot) if self.function.ty(values[0]).lanes() == 1 => {
                self.build().binary(BinaryOp::FMul, values[0], values[1])
            }
            Lowering::Math(op) => self.build().math(op, values),
            Lowering::Library("sqrt") => {
                let stem = self.square_root_stem(Some(arguments.kind.scalar()));
                return self.library_call(stem, arguments);
            }
            Lowering::Library(stem) => return self.library_call(stem, arguments),
            Lowering::WorkItem(query) => {
                let ty = self.lowering.value_type(result).expect("queries give integers");
                self.build().value(Op::WorkItem(query), values, ty)
            }
            Lowering::Image(op) => return self.image(op, arguments),
            Lowering::ImageLibrary(stem) => self.image_library(stem, arguments),
            Lowering::Atomic { signed, unsigned } => {
                let op = if arguments.kind.is_signed() { signed } else { unsigned };
                self.atomic(op, values[0], values[1])
            }
            Lowering::OfWords(stem) => self.call_of_words(stem, values, result),
            Lowering::SubGroup(function) => self.sub_group(function, arguments),
            Lowering::WholeSubGroup(function) => self.whole_sub_group(function, arguments),
            Lowering::WorkGroup(function) => self.work_group(function, arguments),
            Lowering::Call(stem) => {
                let ty = self.lowering.value_type(result).expect("the functions give values");
                self.plain_call(stem, values, ty)
            }
            Lowering::Special(special) => return self.special(special, call, arguments),
        })
    }

    fn arguments(&mut self, arguments: &'p [Expr], result: TypeId) -> Arguments {
        let mut value = |argument: &'p Expr| match self.lowering.is_record(argument.ty) {
            true => self.private_record(argument),
            false => self.value(argument),
        };
        let values = arguments.iter().map(&mut value).collect();
        let types: Vec<TypeId> = arguments.iter().map(|argument| argument.ty).collect();
        let program = &self.lowering.program.types;
        let pointee = |ty: &TypeId| match program.kind(*ty) {
            TypeKind::Pointer { pointee, .. } => program.as_arithmetic(pointee.ty),
            _ => None,
        };
        let kind = types
            .iter()
            .find_map(|ty| program.as_arithmetic(*ty))
            .or_else(|| types.iter().find_map(pointee))
            .map_or(ScalarKind::Int, |(kind, _)| kind);
        // A pointer argument decides the kind of values stored through it.
        let kind = types.first().and_then(pointee).map_or(kind, |(kind, _)| kind);
        Arguments { values, kind, types, result }
    }

    fn special(&mut self, special: Special, call: &'p BuiltinCall, arguments: &Arguments) -> Option<Value> {
        let values = arguments.values.as_slice();
        let result = arguments.result;
        Some(match special {
            Special::Nothing => return None,
            Special::AtomicStep { decrement } => {
                let pointee = self.lowering.value_type(result).expect("atomics give integers");
                let one = self.function.int(pointee, 1);
                self.atomic(if decrement { AtomicOp::Sub } else { AtomicOp::Add }, values[0], one)
            }
            Special::AtomicCompareExchange => self.atomic_compare_exchange(values),
            Special::PackedDot { signs, exchanged } => {
                let mut words: Vec<Value> = values.iter().map(|&value| self.word_of_bytes(value)).collect();
                if exchanged {
                    words.reverse();
                }
                self.build().value(Op::PackedDot(signs), &words, Type::I32)
            }
            Special::Clock { scope } => {
                let words = self.build().value(Op::ReadClock(scope), &[], Type::Vector(Scalar::I32, 2));
                let ty = self.lowering.value_type(result).expect("clocks give integers");
                self.reinterpret(words, ty)
            }
            Special::Compare(op) => {
                let condition = self.build().compare(op, values[0], values[1]);
                self.truth(condition, result)
            }
            Special::Classify(op) => {
                let condition = self.build().math(op, values);
                self.truth(condition, result)
            }
            Special::ImageSize => self.image_size(arguments),
            Special::ImageDataType => {
                let info = self.image_info(values[0]);
                self.bit_field(info, 16, 0x7fff)
            }
            Special::ImageOrder => {
                let info = self.image_info(values[0]);
                self.bit_field(info, 0, 0x7fff)
            }
            Special::SamplerWord => self.build().value(Op::SamplerWord, values, Type::I32),
            _ => self.common(special, call, arguments),
        })
    }

    /// A scalar library function for each lane. Its writes through pointers go through private memory.
    fn library_call(&mut self, stem: &str, arguments: &Arguments) -> Option<Value> {
        let result = self.lowering.value_type(arguments.result);
        let scalar_of = |ty: Type| ty.scalar().map_or(ty, Type::Scalar);
        let operand_types: Vec<Type> =
            arguments.values.iter().map(|&value| self.function.ty(value)).collect();
        let parameter_types: Vec<Type> = operand_types
            .iter()
            .map(|&ty| if ty.is_pointer() { Type::Pointer(AddressSpace::Private) } else { scalar_of(ty) })
            .collect();
        let name = format!("__clvk_{stem}_{}", suffix(arguments.kind));
        let func = self.lowering.library_function(name, &parameter_types, result.map(scalar_of));
        let lanes = operand_types.iter().map(|ty| ty.lanes()).max().unwrap_or(1);
        if operand_types.iter().any(|ty| ty.is_pointer()) {
            return self.library_call_by_lane(func, arguments, lanes, result);
        }
        let op = if lanes > 1 { Op::CallElementwise(func) } else { Op::Call(func) };
        let results: Vec<Type> = result.into_iter().collect();
        let inst = self.push(op, &arguments.values, &results);
        self.function.insts[inst].results.first().copied()
    }

    fn library_call_by_lane(
        &mut self,
        func: Func,
        arguments: &Arguments,
        lanes: u32,
        result: Option<Type>,
    ) -> Option<Value> {
        let scalar = result.map(|ty| ty.scalar().map_or(ty, Type::Scalar));
        let results: Vec<Type> = scalar.into_iter().collect();
        let mut parts = Vec::new();
        for lane in 0..lanes as usize {
            let mut operands = Vec::new();
            let mut written = Vec::new();
            for (&value, &ty) in arguments.values.iter().zip(&arguments.types) {
                if !self.function.ty(value).is_pointer() {
                    operands.push(self.lane(value, lane));
                    continue;
                }
                let TypeKind::Pointer { pointee, .. } = self.lowering.program.types.kind(ty) else {
                    unreachable!("the value is a pointer")
                };
                let (kind, _) = crate::hir::arithmetic(&self.lowering.program.types, pointee.ty);
                let temporary = self.alloca(kind.size(), kind.size() as u32);
                let target = self.build().pointer_offset(value, (kind.size() * lane as u64) as i64);
                written.push((temporary, target, kind));
                operands.push(temporary);
            }
            let inst = self.push(Op::Call(func), &operands, &results);
            parts.extend(self.function.insts[inst].results.first().copied());
            for (temporary, target, kind) in written {
                let align = kind.size() as u32;
                let value = self.build().load(temporary, Type::Scalar(kind.scalar()), align, false);
                self.build().store(target, value, align, false);
            }
        }
        match result? {
            ty @ Type::Vector(..) => Some(self.build().value(Op::Construct, &parts, ty)),
            _ => parts.first().copied(),
        }
    }

    /// An atomic of OpenCL C 1.x: relaxed, device scope (OpenCL C §6.15.12.8). A floating-point exchange is
    /// an integer exchange.
    fn atomic(&mut self, op: AtomicOp, pointer: Value, operand: Value) -> Value {
        let ty = self.function.ty(operand);
        let as_int = |ty: Type| {
            ty.scalar().filter(|scalar| scalar.is_float()).map(|scalar| Scalar::int(scalar.bits()))
        };
        let op = Op::AtomicRmw { op, order: MemoryOrder::Relaxed, scope: Scope::Device };
        let Some(int) = as_int(ty) else {
            return self.build().value(op, &[pointer, operand], ty);
        };
        let bits = self.build().convert(ConvertOp::Bitcast, operand, Type::Scalar(int));
        let old = self.build().value(op, &[pointer, bits], Type::Scalar(int));
        self.build().convert(ConvertOp::Bitcast, old, ty)
    }

    fn atomic_compare_exchange(&mut self, values: &[Value]) -> Value {
        let ty = self.function.ty(values[1]);
        let (success, failure) = (MemoryOrder::Relaxed, MemoryOrder::Relaxed);
        let op = Op::AtomicCompareExchange { success, failure, scope: Scope::Device };
        self.build().value(op, values, ty)
    }

    /// `condition ? if_true : if_false` on values.
    pub fn choose(&mut self, condition: Value, if_true: Value, if_false: Value) -> Value {
        self.build().select(condition, if_true, if_false)
    }

    /// A comparison.
    pub fn is(&mut self, op: CompareOp, left: Value, right: Value) -> Value {
        self.build().compare(op, left, right)
    }
}

/// The last part of a library function's name.
pub(super) fn suffix(kind: ScalarKind) -> &'static str {
    match kind {
        ScalarKind::Bool | ScalarKind::UChar => "u8",
        ScalarKind::Char => "i8",
        ScalarKind::Short => "i16",
        ScalarKind::UShort => "u16",
        ScalarKind::Int => "i32",
        ScalarKind::UInt => "u32",
        ScalarKind::Long => "i64",
        ScalarKind::ULong => "u64",
        ScalarKind::Half => "f16",
        ScalarKind::Float => "f32",
        ScalarKind::Double => "f64",
    }
}
