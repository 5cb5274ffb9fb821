//! Expressions.

use super::function::FunctionLowering;
use crate::hir::{
    ArithmeticOp, ComparisonOp, Constant, Conversion, Expr, ExprKind, FunctionId, Place, PlaceKind,
    arithmetic,
};
use crate::types::{ScalarKind, TypeId, TypeKind};
use clvk_ir::{AddressSpace, BinaryOp, CompareOp, ConvertOp, Op, SamplerWord, Type, UnaryOp, Value};

/// Whether C leaves open what arithmetic gives that does not fit. Shorter integers than `int` are only
/// stored.
fn may_overflow(kind: ScalarKind) -> bool {
    matches!(kind, ScalarKind::Int | ScalarKind::Long)
}

impl<'p> FunctionLowering<'_, 'p> {
    /// Evaluates an expression for its effects.
    pub fn effect(&mut self, expr: &'p Expr) {
        match &expr.kind {
            ExprKind::Comma(first, second) => {
                self.effect(first);
                self.effect(second);
            }
            ExprKind::Statements { statements, value } => {
                self.statements(statements);
                if let Some(value) = value {
                    self.effect(value);
                }
            }
            ExprKind::Convert { conversion: Conversion::Discard, operand } => self.effect(operand),
            ExprKind::Block(block) => {
                for capture in &block.captures {
                    if let Some(value) = &capture.value {
                        let address = self.local(capture.local);
                        let align = self.hir.locals[capture.local.0 as usize].align;
                        self.store_expr(address, value, align, false);
                    }
                }
            }
            _ if self.lowering.is_record(expr.ty) => {
                self.record(expr);
            }
            _ => {
                self.evaluate(expr);
            }
        }
    }

    /// Evaluates an expression that has a value and is not a structure.
    pub fn value(&mut self, expr: &'p Expr) -> Value {
        self.evaluate(expr).expect("the checker refuses void where a value is needed")
    }

    fn evaluate(&mut self, expr: &'p Expr) -> Option<Value> {
        let outer = std::mem::replace(&mut self.span, expr.span);
        let value = self.evaluate_kind(expr);
        self.span = outer;
        value
    }

    fn evaluate_kind(&mut self, expr: &'p Expr) -> Option<Value> {
        Some(match &expr.kind {
            ExprKind::Constant(constant) => self.constant(constant, expr.ty),
            ExprKind::Load(place) => {
                let object = self.accessed(place);
                self.load_object(&object)
            }
            ExprKind::AddressOf(place) => self.object(place).address,
            ExprKind::Negate(operand) => {
                let value = self.value(operand);
                let kind = self.kind(expr.ty);
                let op = if kind.is_float() { UnaryOp::FNeg } else { UnaryOp::Neg };
                let negated = self.build().unary(op, value);
                if may_overflow(kind) { self.marked(negated) } else { negated }
            }
            ExprKind::BitNot(operand) => {
                let value = self.value(operand);
                self.not(value)
            }
            ExprKind::LogicalNot(operand) => {
                let value = self.value(operand);
                let inverted = self.not(value);
                self.bool_as(inverted, expr.ty)
            }
            ExprKind::Arithmetic { op, left, right } => {
                let (left, right) = (self.value(left), self.value(right));
                self.arithmetic(*op, left, right, self.kind(expr.ty))
            }
            ExprKind::Compare { op, left, right } => {
                let condition = self.compare(*op, left, right);
                if self.function.ty(condition).lanes() > 1 {
                    self.truth(condition, expr.ty)
                } else {
                    self.bool_as(condition, expr.ty)
                }
            }
            ExprKind::Logical { and, left, right } => {
                let condition = self.logical(*and, left, right);
                self.bool_as(condition, expr.ty)
            }
            ExprKind::Conditional { condition, then, otherwise } => {
                return self.conditional(condition, then, otherwise, expr.ty);
            }
            ExprKind::VectorSelect { condition, then, otherwise } => {
                let condition = self.value(condition);
                let (then, otherwise) = (self.value(then), self.value(otherwise));
                let condition = self.sign_bit(condition);
                self.build().select(condition, then, otherwise)
            }
            ExprKind::Convert { conversion, operand } => {
                if let Some(condition) = self.condition(*conversion, operand, expr.ty) {
                    return Some(condition);
                }
                return self.conversion(*conversion, operand, expr.ty);
            }
            ExprKind::PointerAdd { pointer, index, subtract } => {
                let size = self.pointee_size(pointer.ty);
                let mut base = self.value(pointer);
                if let Some(bytes) = self.marked_array(pointer) {
                    let (ty, outer) =
                        (self.function.ty(base), std::mem::replace(&mut self.span, pointer.span));
                    base = self.build().value(Op::Within(bytes), &[base], ty);
                    self.span = outer;
                }
                let position = self.value(index);
                self.pointer_add(base, position, self.kind(index.ty), *subtract, size)
            }
            ExprKind::PointerDifference { left, right } => {
                let size = self.pointee_size(left.ty);
                let (left, right) = (self.value(left), self.value(right));
                self.pointer_difference(left, right, size)
            }
            ExprKind::Assign { target, value } => self.assign(target, value),
            ExprKind::CompoundAssign { op, target, compute, value } => {
                self.compound_assign(*op, target, *compute, value)
            }
            ExprKind::Increment { target, decrement, prefix } => self.increment(target, *decrement, *prefix),
            ExprKind::Comma(first, second) => {
                self.effect(first);
                return self.evaluate(second);
            }
            ExprKind::Block(_) => panic!("blocks are called or evaluated, never values"),
            ExprKind::Call { function, arguments } => return self.call(*function, arguments, None),
            ExprKind::Builtin(call) => return self.builtin(call, expr.ty),
            ExprKind::VectorLiteral(parts) => self.vector_literal(parts, expr.ty),
            ExprKind::Swizzle { vector, lanes } => {
                let vector = self.value(vector);
                self.swizzle(vector, lanes)
            }
            ExprKind::Shuffle { vectors, lanes } => {
                let [first, second] = vectors.each_ref().map(|vector| self.value(vector));
                self.shuffle(first, second, lanes)
            }
            ExprKind::Statements { statements, value } => {
                self.statements(statements);
                return value.as_ref().and_then(|value| self.evaluate(value));
            }
            ExprKind::MemberOf { value, offset } => {
                let (base, align) = self.record(value);
                let address = self.build().pointer_offset(base, *offset as i64);
                self.load_value(address, expr.ty, super::statement::align_at(align, *offset), false)
            }
        })
    }

    fn kind(&self, ty: TypeId) -> ScalarKind {
        arithmetic(&self.lowering.program.types, ty).0
    }

    fn constant(&mut self, constant: &Constant, ty: TypeId) -> Value {
        let ty = self.lowering.value_type(ty).expect("constants are values");
        if let (Type::Sampler, Constant::Bits(bits)) = (ty, constant) {
            let word = SamplerWord::new(*bits as u32).expect("the checker refuses words without a meaning");
            return self.build().value(Op::ProgramSampler(word), &[], Type::Sampler);
        }
        let constant = match constant {
            Constant::Bits(bits) => clvk_ir::Constant::Bits(*bits),
            Constant::Lanes(lanes) => clvk_ir::Constant::Lanes(lanes.clone().into()),
        };
        self.function.constant(ty, constant)
    }

    /// A truth value as `int`, or unchanged if the type is `bool`.
    fn bool_as(&mut self, condition: Value, ty: TypeId) -> Value {
        let ty = self.lowering.value_type(ty).expect("truth values are values");
        if ty == Type::BOOL { condition } else { self.build().convert(ConvertOp::ZeroExtend, condition, ty) }
    }

    /// A comparison converted to `bool`, without the detour over `int`.
    fn condition(&mut self, conversion: Conversion, operand: &'p Expr, to: TypeId) -> Option<Value> {
        if conversion != Conversion::Arithmetic || self.lowering.value_type(to) != Some(Type::BOOL) {
            return None;
        }
        match &operand.kind {
            ExprKind::Compare { op, left, right } => {
                Some(self.compare(*op, left, right)).filter(|&value| self.function.ty(value) == Type::BOOL)
            }
            ExprKind::Logical { and, left, right } => Some(self.logical(*and, left, right)),
            ExprKind::LogicalNot(inner) => {
                let value = self.value(inner);
                Some(self.not(value))
            }
            _ => None,
        }
    }

    pub fn arithmetic(&mut self, op: ArithmeticOp, left: Value, right: Value, kind: ScalarKind) -> Value {
        let pick = |signed, unsigned, float| by_kind(kind, signed, unsigned, float);
        if op == ArithmeticOp::Div && kind.is_float() {
            return self.divide(left, right, kind);
        }
        let op = match op {
            ArithmeticOp::Add => pick(BinaryOp::Add, BinaryOp::Add, BinaryOp::FAdd),
            ArithmeticOp::Sub => pick(BinaryOp::Sub, BinaryOp::Sub, BinaryOp::FSub),
            ArithmeticOp::Mul => pick(BinaryOp::Mul, BinaryOp::Mul, BinaryOp::FMul),
            ArithmeticOp::Div => pick(BinaryOp::SDiv, BinaryOp::UDiv, BinaryOp::FDiv),
            // Of integers only, as are the operations below.
            ArithmeticOp::Rem => pick(BinaryOp::SRem, BinaryOp::URem, BinaryOp::URem),
            ArithmeticOp::Shl => BinaryOp::Shl,
            ArithmeticOp::Shr => pick(BinaryOp::AShr, BinaryOp::LShr, BinaryOp::LShr),
            ArithmeticOp::And => BinaryOp::And,
            ArithmeticOp::Or => BinaryOp::Or,
            ArithmeticOp::Xor => BinaryOp::Xor,
        };
        let value = self.build().binary(op, left, right);
        match op {
            BinaryOp::Shl | BinaryOp::LShr | BinaryOp::AShr => self.marked(value),
            BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul if may_overflow(kind) => self.marked(value),
            _ => value,
        }
    }

    /// The result of an operation of the source, with a mark if that is wanted.
    fn marked(&mut self, value: Value) -> Value {
        let ty = self.function.ty(value);
        if self.lowering.marks_arithmetic { self.build().value(Op::Checked, &[value], ty) } else { value }
    }

    fn compare(&mut self, op: ComparisonOp, left: &'p Expr, right: &'p Expr) -> Value {
        let ty = left.ty;
        let (mut left, mut right) = (self.value(left), self.value(right));
        let type_kind = self.lowering.program.types.kind(ty);
        let is_pointer = matches!(type_kind, TypeKind::Pointer { .. });
        let is_number = is_pointer || matches!(type_kind, TypeKind::Opaque(_));
        let kind = if is_number { ScalarKind::ULong } else { self.kind(ty) };
        if is_pointer && !matches!(op, ComparisonOp::Equal | ComparisonOp::NotEqual) {
            left = self.build().convert(ConvertOp::PointerToInt, left, Type::I64);
            right = self.build().convert(ConvertOp::PointerToInt, right, Type::I64);
        }
        self.build().compare(compare_op(op, kind), left, right)
    }

    fn logical(&mut self, and: bool, left: &'p Expr, right: &'p Expr) -> Value {
        let left = self.value(left);
        let (inst, regions) = self.construct(Op::If, &[left], &[Type::BOOL], 2);
        let (evaluated, short) = if and { (regions[0], regions[1]) } else { (regions[1], regions[0]) };
        self.within(evaluated, |this| {
            let right = this.value(right);
            this.exit(inst, &[right]);
        });
        let known = self.function.int(Type::BOOL, i64::from(!and));
        self.within(short, |this| this.exit(inst, &[known]));
        self.function.insts[inst].results[0]
    }

    fn conditional(
        &mut self,
        condition: &'p Expr,
        then: &'p Expr,
        otherwise: &'p Expr,
        ty: TypeId,
    ) -> Option<Value> {
        let condition = self.value(condition);
        let result = self.lowering.value_type(ty);
        let results: Vec<Type> = result.into_iter().collect();
        let (inst, regions) = self.construct(Op::If, &[condition], &results, 2);
        for (region, expr) in regions.into_iter().zip([then, otherwise]) {
            self.within(region, |this| {
                if result.is_some() {
                    let value = this.value(expr);
                    this.exit(inst, &[value]);
                } else {
                    this.effect(expr);
                    this.exit(inst, &[]);
                }
            });
        }
        self.function.insts[inst].results.first().copied()
    }

    /// Base plus index × size bytes.
    pub fn pointer_add(
        &mut self,
        base: Value,
        index: Value,
        kind: ScalarKind,
        subtract: bool,
        size: u64,
    ) -> Value {
        if let Some(bits) = self.function.as_bits(index) {
            let index = if kind.is_signed() { kind.scalar().sign_extend(bits) } else { bits as i64 };
            let offset = index.wrapping_mul(size as i64);
            return self.build().pointer_offset(base, if subtract { offset.wrapping_neg() } else { offset });
        }
        // The IR extends the index as a signed number.
        let widen = subtract || !kind.is_signed();
        let mut index = if widen { self.convert_arithmetic(index, kind, ScalarKind::Long) } else { index };
        if subtract {
            index = self.build().unary(UnaryOp::Neg, index);
        }
        // Elements without size are all at the same address.
        if size == 0 { base } else { self.build().pointer_index(base, index, size) }
    }

    /// The bytes of the array that a pointer is made of, if its end is not that of a whole variable and is to
    /// be marked. An array of one element at the end of a structure may have any number of them in memory.
    fn marked_array(&self, pointer: &Expr) -> Option<u64> {
        let ExprKind::AddressOf(place) = &pointer.kind else { return None };
        let is_part = matches!(place.kind, PlaceKind::Member(..) | PlaceKind::Deref(_));
        if !self.lowering.marks_arrays || !is_part {
            return None;
        }
        let types = &self.lowering.program.types;
        let (pointee, _) = types.pointee(pointer.ty)?;
        match types.kind(place.ty.ty) {
            TypeKind::Array { element, length: Some(length) } if *length > 1 && element.ty == pointee.ty => {
                Some(self.lowering.layout(place.ty.ty).0)
            }
            _ => None,
        }
    }

    fn pointer_difference(&mut self, left: Value, right: Value, size: u64) -> Value {
        let left = self.build().convert(ConvertOp::PointerToInt, left, Type::I64);
        let right = self.build().convert(ConvertOp::PointerToInt, right, Type::I64);
        let bytes = self.build().binary(BinaryOp::Sub, left, right);
        // Undefined for elements without size (a warning says so).
        let size = size.max(1);
        if size.is_power_of_two() {
            let shift = self.function.int(Type::I64, i64::from(size.trailing_zeros()));
            return self.build().binary(BinaryOp::AShr, bytes, shift);
        }
        let size = self.function.int(Type::I64, size as i64);
        self.build().binary(BinaryOp::SDiv, bytes, size)
    }

    fn assign(&mut self, target: &'p Place, value: &'p Expr) -> Value {
        if self.lowering.is_record(value.ty) {
            let (source, source_align) = self.record(value);
            let object = self.accessed(target);
            self.copy(object.address, object.align, source, source_align, value.ty);
            return object.address;
        }
        let value = self.value(value);
        let object = self.accessed(target);
        self.store_object(&object, value);
        value
    }

    fn compound_assign(
        &mut self,
        op: ArithmeticOp,
        target: &'p Place,
        compute: TypeId,
        value: &'p Expr,
    ) -> Value {
        let operand = self.value(value);
        let object = self.accessed(target);
        let old = self.load_object(&object);
        let new = if let TypeKind::Pointer { .. } = self.lowering.program.types.kind(target.ty.ty) {
            let size = self.pointee_size(target.ty.ty);
            self.pointer_add(old, operand, self.kind(value.ty), op == ArithmeticOp::Sub, size)
        } else {
            let (kind, compute) = (self.kind(target.ty.ty), self.kind(compute));
            let wide = self.convert_arithmetic(old, kind, compute);
            let computed = self.arithmetic(op, wide, operand, compute);
            self.convert_arithmetic(computed, compute, kind)
        };
        self.store_object(&object, new);
        new
    }

    fn increment(&mut self, target: &'p Place, decrement: bool, prefix: bool) -> Value {
        let object = self.accessed(target);
        let old = self.load_object(&object);
        let ty = self.function.ty(old);
        let new = if ty.is_pointer() {
            let size = self.pointee_size(target.ty.ty) as i64;
            self.build().pointer_offset(old, if decrement { -size } else { size })
        } else {
            let kind = self.kind(target.ty.ty);
            let op = if decrement { ArithmeticOp::Sub } else { ArithmeticOp::Add };
            match kind {
                // Incrementing a bool gives true; decrementing inverts it, since 0 − 1 is not zero.
                ScalarKind::Bool if decrement => self.not(old),
                ScalarKind::Bool => self.one(kind, ty),
                _ => {
                    let one = self.one(kind, ty);
                    self.arithmetic(op, old, one, kind)
                }
            }
        };
        self.store_object(&object, new);
        if prefix { new } else { old }
    }

    fn one(&mut self, kind: ScalarKind, ty: Type) -> Value {
        let bits = match kind {
            ScalarKind::Half => u64::from(half::f16::ONE.to_bits()),
            ScalarKind::Float => u64::from(1f32.to_bits()),
            ScalarKind::Double => 1f64.to_bits(),
            _ => 1,
        };
        self.function.constant(ty, clvk_ir::Constant::Bits(bits))
    }

    fn vector_literal(&mut self, parts: &'p [Expr], ty: TypeId) -> Value {
        let ty = self.lowering.value_type(ty).expect("vectors are values");
        let mut lanes = Vec::new();
        for part in parts {
            let value = self.value(part);
            for lane in 0..self.function.ty(value).lanes() as usize {
                lanes.push(self.lane(value, lane));
            }
        }
        self.build().value(Op::Construct, &lanes, ty)
    }

    /// Calls a function. A structure result is written to `result`.
    fn call(&mut self, function: FunctionId, arguments: &'p [Expr], result: Option<Value>) -> Option<Value> {
        let callee = self.lowering.functions[function.0 as usize];
        let mut operands: Vec<Value> = result.into_iter().collect();
        for argument in arguments {
            let operand = if self.lowering.is_record(argument.ty) {
                self.private_record(argument)
            } else {
                self.value(argument)
            };
            operands.push(operand);
        }
        let results: Vec<Type> =
            self.lowering.value_type(self.lowering.program.function(function).result).into_iter().collect();
        let inst = self.push(Op::Call(callee), &operands, &results);
        self.function.insts[inst].results.first().copied()
    }

    /// A structure value in private memory, for a callee to copy.
    pub fn private_record(&mut self, expr: &'p Expr) -> Value {
        let (address, align) = self.record(expr);
        if self.function.ty(address) == Type::Pointer(AddressSpace::Private) {
            return address;
        }
        let (copy, copy_align) = self.temporary(expr.ty);
        self.copy(copy, copy_align, address, align, expr.ty);
        copy
    }

    /// Evaluates a structure. Returns the address of its value, valid until the next write to memory, and the
    /// alignment of that address.
    pub fn record(&mut self, expr: &'p Expr) -> (Value, u32) {
        match &expr.kind {
            ExprKind::Load(place) => {
                let object = self.accessed(place);
                (object.address, object.align)
            }
            ExprKind::Assign { target, value } => {
                let address = self.assign(target, value);
                (address, self.lowering.layout(expr.ty).1.min(self.place_align(target)))
            }
            ExprKind::Comma(first, second) => {
                self.effect(first);
                self.record(second)
            }
            ExprKind::Statements { statements, value } => {
                self.statements(statements);
                self.record(value.as_ref().expect("the checker knows that it has a value"))
            }
            ExprKind::Call { function, arguments } => {
                let (address, align) = self.temporary(expr.ty);
                self.call(*function, arguments, Some(address));
                (address, align)
            }
            ExprKind::Conditional { condition, then, otherwise } => {
                let condition = self.value(condition);
                let (address, align) = self.temporary(expr.ty);
                let (inst, regions) = self.construct(Op::If, &[condition], &[], 2);
                for (region, value) in regions.into_iter().zip([then, otherwise]) {
                    self.within(region, |this| {
                        this.store_expr(address, value, align, false);
                        this.exit(inst, &[]);
                    });
                }
                (address, align)
            }
            ExprKind::MemberOf { value, offset } => {
                let (base, align) = self.record(value);
                (
                    self.build().pointer_offset(base, *offset as i64),
                    super::statement::align_at(align, *offset),
                )
            }
            ExprKind::Builtin(call) => self.range(call),
            other => panic!("no structure is computed by {other:?}"),
        }
    }

    /// The known alignment of a place, without evaluating it again.
    pub(super) fn place_align(&self, place: &Place) -> u32 {
        use crate::hir::PlaceKind;
        let natural = self.natural_align(place.ty.ty);
        match &place.kind {
            PlaceKind::Member(base, offset) => super::statement::align_at(self.place_align(base), *offset),
            // Elements of an array member of a packed structure.
            PlaceKind::Deref(pointer) => natural.min(self.target_align(pointer)),
            _ => natural,
        }
    }

    /// The alignment of a pointer's target: that of its type, except inside packed structures.
    fn target_align(&self, pointer: &Expr) -> u32 {
        let pointee = self.lowering.program.types.pointee(pointer.ty).map(|(pointee, _)| pointee.ty);
        let natural = pointee.map_or(1, |pointee| self.natural_align(pointee));
        match &pointer.kind {
            ExprKind::AddressOf(place) => self.place_align(place),
            ExprKind::PointerAdd { pointer, .. } => natural.min(self.target_align(pointer)),
            _ => natural,
        }
    }

    fn natural_align(&self, ty: TypeId) -> u32 {
        self.lowering.program.types.layout(ty).map_or(1, |(_, align)| align)
    }
}

/// The alternative for numbers of a kind.
fn by_kind<T>(kind: ScalarKind, signed: T, unsigned: T, float: T) -> T {
    if kind.is_float() {
        float
    } else if kind.is_signed() {
        signed
    } else {
        unsigned
    }
}

fn compare_op(op: ComparisonOp, kind: ScalarKind) -> CompareOp {
    let pick = |signed, unsigned, float| by_kind(kind, signed, unsigned, float);
    match op {
        ComparisonOp::Equal => pick(CompareOp::Eq, CompareOp::Eq, CompareOp::FOEq),
        ComparisonOp::NotEqual => pick(CompareOp::Ne, CompareOp::Ne, CompareOp::FUNe),
        ComparisonOp::Less => pick(CompareOp::SLt, CompareOp::ULt, CompareOp::FOLt),
        ComparisonOp::LessEqual => pick(CompareOp::SLe, CompareOp::ULe, CompareOp::FOLe),
        ComparisonOp::Greater => pick(CompareOp::SGt, CompareOp::UGt, CompareOp::FOGt),
        ComparisonOp::GreaterEqual => pick(CompareOp::SGe, CompareOp::UGe, CompareOp::FOGe),
    }
}
