//! Integers, truth values and vectors.

use super::{Generator, Scope};
use clvk_ir::{BinaryOp, CompareOp, ConvertOp, Op, PackedDot, Scalar, Type, UnaryOp, Value, WorkItemQuery};

/// The depth to which expressions are nested.
const DEPTH: u32 = 3;

impl Generator<'_> {
    /// A value of a type, new or existing.
    pub(super) fn value(&mut self, scope: &mut Scope, ty: Type, depth: u32) -> Value {
        let known: Vec<Value> = scope.values.iter().copied().filter(|&value| self.ty(value) == ty).collect();
        if !known.is_empty() && (depth >= DEPTH || self.random.below(5) < 3) {
            return self.random.pick(&known);
        }
        if depth >= DEPTH {
            let loaded = if self.random.once_in(3) { None } else { self.load(scope, ty) };
            return loaded.unwrap_or_else(|| self.constant(ty));
        }
        let value = self.new_value(scope, ty, depth + 1);
        scope.values.push(value);
        value
    }

    /// A value that is computed here.
    pub(super) fn new_value(&mut self, scope: &mut Scope, ty: Type, depth: u32) -> Value {
        if ty.is_bool() {
            return self.condition(scope, ty, depth);
        }
        match self.random.below(12) {
            0 => self.constant(ty),
            1 => {
                let lanes = if self.random.once_in(2) { ty.lanes() } else { 1 };
                let condition = self.value(scope, Type::with_lanes(Scalar::Bool, lanes), depth);
                let (a, b) = (self.value(scope, ty, depth), self.value(scope, ty, depth));
                self.builder.select(condition, a, b)
            }
            2 | 3 => self.converted(scope, ty, depth),
            4 => self.cast(scope, ty, depth),
            5 | 6 => match self.load(scope, ty) {
                Some(value) => value,
                None => self.constant(ty),
            },
            7 if ty.lanes() > 1 => self.vector(scope, ty, depth),
            7 => self.lane(scope, ty, depth),
            8 if ty == Type::I32 || ty == Type::I64 => self.query(ty),
            _ if ty.is_float() => self.float_arithmetic(scope, ty, depth),
            _ => self.arithmetic(scope, ty, depth),
        }
    }

    pub(super) fn constant(&mut self, ty: Type) -> Value {
        if ty.is_float() {
            return self.float_constant(ty);
        }
        let bits = ty.scalar().map_or(32, Scalar::bits);
        let value = match self.random.below(8) {
            0 => 1i64.wrapping_shl(bits - 1),
            1 => (1i64.wrapping_shl(bits - 1)).wrapping_sub(1),
            2 => -1,
            3 => (self.random.below(1 << 40) as i64).wrapping_mul(0x7123_4567_89ab),
            4 => self.random.pick(&[0xffff_ffff, 1 << 32, 1 << 31, 0x8000_0001, -0x8000_0000]),
            _ => self.random.pick(&[0, 1, 2, 3, 7, 8, 10, 31, 100, 255, -2, -7]),
        };
        self.builder.function.int(ty, value)
    }

    fn query(&mut self, ty: Type) -> Value {
        use WorkItemQuery::*;
        let query = self.random.pick(&[
            GlobalSize,
            GlobalId,
            LocalSize,
            EnqueuedLocalSize,
            LocalId,
            NumGroups,
            GroupId,
            GlobalOffset,
            GlobalLinearId,
            LocalLinearId,
            WorkDim,
            SubGroupSize,
            NumSubGroups,
            SubGroupId,
            SubGroupLocalId,
            MaxSubGroupSize,
            EnqueuedNumSubGroups,
        ]);
        let narrow = query == WorkDim || query.is_of_sub_groups();
        let dimension = self.random.below(4) as i64;
        let dimension = self.builder.function.int(Type::I32, dimension);
        let operands = match query {
            GlobalLinearId | LocalLinearId => &[][..],
            _ if narrow => &[],
            _ => &[dimension],
        };
        let own = if narrow { Type::I32 } else { Type::I64 };
        let value = self.builder.value(Op::WorkItem(query), operands, own);
        match (own, ty) {
            (Type::I64, Type::I32) => self.builder.convert(ConvertOp::Truncate, value, ty),
            (Type::I32, Type::I64) => self.builder.convert(ConvertOp::ZeroExtend, value, ty),
            _ => value,
        }
    }

    fn arithmetic(&mut self, scope: &mut Scope, ty: Type, depth: u32) -> Value {
        use BinaryOp::*;
        let a = self.value(scope, ty, depth);
        if self.random.once_in(5) {
            let op = self.random.pick(&[
                UnaryOp::Neg,
                UnaryOp::Not,
                UnaryOp::PopCount,
                UnaryOp::CountLeadingZeros,
                UnaryOp::CountTrailingZeros,
            ]);
            return self.builder.unary(op, a);
        }
        let b = self.value(scope, ty, depth);
        if ty == Type::I32 && self.random.once_in(12) {
            let signs = self.random.pick(&[PackedDot::Unsigned, PackedDot::Signed, PackedDot::Mixed]);
            return self.builder.value(Op::PackedDot(signs), &[a, b], ty);
        }
        let op = self.random.pick(&[
            Add, Add, Sub, Mul, Mul, Shl, LShr, AShr, And, Or, Xor, SMin, SMax, UMin, UMax, SMulHi, UMulHi,
            SDiv, UDiv, SRem, URem, SDiv, UDiv,
        ]);
        let b = if op.divides_integers() { self.divisor(op, b) } else { b };
        self.builder.binary(op, a, b)
    }

    /// A number that is neither zero nor, if signed, -1.
    fn divisor(&mut self, op: BinaryOp, b: Value) -> Value {
        let ty = self.ty(b);
        if self.random.once_in(3) {
            let bits = ty.scalar().map_or(32, Scalar::bits);
            let divisor = self.random.pick(&[1, 2, 3, 7, 10, 100, -3, -128, 1i64.wrapping_shl(bits - 2) + 5]);
            return self.builder.function.int(ty, divisor);
        }
        let mut divisor = b;
        let excluded: &[i64] = if matches!(op, BinaryOp::SDiv | BinaryOp::SRem) { &[0, -1] } else { &[0] };
        for &number in excluded {
            let number = self.builder.function.int(ty, number);
            let other = self.builder.function.int(ty, 11);
            let is = self.builder.compare(CompareOp::Eq, divisor, number);
            divisor = self.builder.select(is, other, divisor);
        }
        divisor
    }

    /// A value converted from another type with the same number of lanes.
    fn converted(&mut self, scope: &mut Scope, ty: Type, depth: u32) -> Value {
        if !ty.is_float() && self.random.once_in(6) {
            let condition = self.value(scope, ty.with_scalar(Scalar::Bool), depth);
            let op = self.random.pick(&[ConvertOp::ZeroExtend, ConvertOp::SignExtend]);
            return self.builder.convert(op, condition, ty);
        }
        let from = Type::with_lanes(self.scalar(), ty.lanes());
        let value = self.value(scope, from, depth);
        let bits = |ty: Type| ty.scalar().map_or(0, Scalar::bits);
        match (from.is_float(), ty.is_float()) {
            _ if from == ty => value,
            (_, true) => self.float_of(value, ty),
            (true, false) => self.integer_of(value, ty),
            (false, false) if bits(from) > bits(ty) => self.builder.convert(ConvertOp::Truncate, value, ty),
            (false, false) => {
                let op = self.random.pick(&[ConvertOp::ZeroExtend, ConvertOp::SignExtend]);
                self.builder.convert(op, value, ty)
            }
        }
    }

    /// The bits of a value of another type with the same size.
    fn cast(&mut self, scope: &mut Scope, ty: Type, depth: u32) -> Value {
        let from = self.scalar();
        let lanes = ty.access_size() / from.size();
        let exact = ty.access_size().is_multiple_of(from.size());
        let from = Type::with_lanes(from, lanes);
        if !exact || ![1, 2, 3, 4, 8, 16].contains(&lanes) || from == ty {
            return self.value(scope, ty, depth);
        }
        let value = self.value(scope, from, depth);
        let value = self.observed(value);
        self.builder.convert(ConvertOp::Bitcast, value, ty)
    }

    pub(super) fn condition(&mut self, scope: &mut Scope, ty: Type, depth: u32) -> Value {
        use CompareOp::*;
        match self.random.below(7) {
            0 => {
                let a = self.value(scope, ty, depth);
                self.builder.unary(UnaryOp::Not, a)
            }
            1 => {
                let (a, b) = (self.value(scope, ty, depth), self.value(scope, ty, depth));
                let op = self.random.pick(&[BinaryOp::And, BinaryOp::Or, BinaryOp::Xor]);
                self.builder.binary(op, a, b)
            }
            _ => {
                let of = Type::with_lanes(self.scalar(), ty.lanes());
                if of.is_float() {
                    return self.float_condition(scope, of, depth);
                }
                let (a, b) = (self.value(scope, of, depth), self.value(scope, of, depth));
                let op = self.random.pick(&[Eq, Ne, SLt, SLe, SGt, SGe, ULt, ULe, UGt, UGe]);
                self.builder.compare(op, a, b)
            }
        }
    }

    /// An index of some integer type, below a power of two.
    pub(super) fn index(&mut self, scope: &mut Scope, limit: u64) -> Value {
        let types = [Type::I32, Type::I32, Type::I64, Type::I16, Type::I8];
        // Indices are signed.
        let count = if limit <= 128 { 5 } else { 4 };
        let ty = self.random.pick(&types[..count]);
        let value = self.value(scope, ty, DEPTH);
        let mask = self.builder.function.int(ty, limit as i64 - 1);
        self.builder.binary(BinaryOp::And, value, mask)
    }

    /// A scalar from a vector.
    fn lane(&mut self, scope: &mut Scope, ty: Type, depth: u32) -> Value {
        let scalar = ty.scalar().expect("values are scalars or vectors");
        let lanes = self.random.pick(&[2, 3, 4, 8, 16]);
        let vector = self.value(scope, Type::with_lanes(scalar, lanes), depth);
        if self.random.once_in(2) {
            let lane = self.random.below(u64::from(lanes)) as u8;
            return self.builder.extract(vector, lane);
        }
        let index = self.index(scope, if lanes == 3 { 2 } else { u64::from(lanes) });
        self.builder.value(Op::ExtractDynamic, &[vector, index], ty)
    }

    /// A vector from scalars and other vectors.
    fn vector(&mut self, scope: &mut Scope, ty: Type, depth: u32) -> Value {
        let scalar = Type::Scalar(ty.scalar().expect("vectors have scalars"));
        let lanes = ty.lanes();
        match self.random.below(4) {
            0 => {
                let lanes: Vec<Value> = (0..lanes).map(|_| self.value(scope, scalar, depth)).collect();
                self.builder.value(Op::Construct, &lanes, ty)
            }
            1 => {
                let (vector, value) = (self.value(scope, ty, depth), self.value(scope, scalar, depth));
                let lane = self.random.below(u64::from(lanes)) as u8;
                self.builder.value(Op::Insert(lane), &[vector, value], ty)
            }
            2 => {
                let (vector, value) = (self.value(scope, ty, depth), self.value(scope, scalar, depth));
                let index = self.index(scope, if lanes == 3 { 2 } else { u64::from(lanes) });
                self.builder.value(Op::InsertDynamic, &[vector, value, index], ty)
            }
            _ => {
                let sources = self.random.pick(&[2, 3, 4, 8]);
                let from = ty.scalar().map(|scalar| Type::with_lanes(scalar, sources)).unwrap_or(ty);
                let (a, b) = (self.value(scope, from, depth), self.value(scope, from, depth));
                let mut mask = [255; 16];
                for entry in &mut mask[..lanes as usize] {
                    *entry = self.random.below(2 * u64::from(sources)) as u8;
                }
                self.builder.value(Op::Shuffle(mask), &[a, b], ty)
            }
        }
    }
}
