//! Sub-group operations, replaced by what the device's sub-groups can do.
//!
//! - Where the device cannot compute with sub-groups, each work-item is a sub-group, and everything is
//!   trivial.
//! - Small integers and half precision are computed in 32 bits: results are truncated to the type, and the
//!   identities of scans are limited to it.
//! - Where the device lacks 64-bit integers, they are moved as two words. Sums are made of sums of their
//!   parts, also where its compiler cannot add them ([`single_carry`]), and "and", "or" and "xor" of those
//!   of their words. By other operations they are combined one work-item after the other. So are clusters,
//!   and scans by other operations than sums and products, where the device lacks them. It then combines
//!   truth values as words.
//!
//! After it, values have 32 bits, or 64 where the device supports that, or are truth values; broadcasts have
//! a constant index.

use crate::passes::cursor::Cursor;
use crate::passes::work_around::single_carry;
use clvk_interface::DeviceProfile;
use clvk_ir::{
    BinaryOp, CompareOp, Constant, ConvertOp, Function, GroupArithmetic, InputVariable, Inst, MathOp,
    MemoryOrder, Op, RoundingMode, Scalar, Scope, SubGroupOp, Type, Value,
};

/// Legalises the operations of sub-groups in a function.
pub fn legalise(function: &mut Function, profile: &DeviceProfile) {
    let mut found = false;
    function.walk(|_, data| {
        found |= matches!(data.op, Op::SubGroup(_) | Op::Barrier { execution: Scope::SubGroup, .. });
    });
    if !found {
        return;
    }
    let mut legalising = Legalising { cursor: Cursor::new(function), profile };
    while let Some(inst) = legalising.cursor.advance() {
        legalising.inst(inst);
    }
}

struct Legalising<'f, 'p> {
    cursor: Cursor<'f>,
    profile: &'p DeviceProfile,
}

impl Legalising<'_, '_> {
    fn inst(&mut self, inst: Inst) {
        match self.cursor.function.insts[inst].op {
            Op::SubGroup(op) => {
                let operands = self.cursor.operands(inst);
                let result = self.cursor.result(inst);
                let ty = self.cursor.function.ty(result);
                let value = if self.profile.has_sub_groups() {
                    self.together(op, &operands, ty)
                } else {
                    self.alone(op, &operands, ty)
                };
                self.cursor.replace(result, value);
            }
            Op::Barrier { execution: Scope::SubGroup, memory, flags } if !self.profile.has_sub_groups() => {
                let fence = Op::Fence { order: MemoryOrder::AcquireRelease, scope: memory, flags };
                self.cursor.push(fence, &[], &[], &[]);
            }
            _ => self.cursor.keep(inst),
        }
    }

    /// An operation of the only work-item of a sub-group.
    fn alone(&mut self, op: SubGroupOp, operands: &[Value], ty: Type) -> Value {
        match op {
            SubGroupOp::Elect => self.cursor.function.constant(Type::BOOL, Constant::Bits(1)),
            SubGroupOp::Ballot => {
                let (none, one) = (self.cursor.int(Type::I32, 0), self.cursor.int(Type::I32, 1));
                let bit = self.cursor.select(operands[0], one, none);
                self.cursor.construct(&[bit, none, none, none])
            }
            SubGroupOp::ExclusiveScan(op) => self.identity(op, ty),
            _ => operands[0],
        }
    }

    fn together(&mut self, op: SubGroupOp, operands: &[Value], ty: Type) -> Value {
        match op {
            SubGroupOp::All | SubGroupOp::Any | SubGroupOp::Elect | SubGroupOp::Ballot => {
                self.native(op, operands, ty)
            }
            SubGroupOp::Broadcast | SubGroupOp::BroadcastFirst | SubGroupOp::Shuffle => {
                self.moved(op, operands[0], operands.get(1).copied())
            }
            SubGroupOp::ClusteredReduce(arithmetic) => self.clustered(arithmetic, operands[0], operands[1]),
            _ => self.arithmetic(op, operands[0]),
        }
    }

    /// Whether the device's sub-groups support values of this type.
    fn is_native(&self, ty: Type) -> bool {
        match ty.scalar() {
            Some(Scalar::Bool | Scalar::I32 | Scalar::F32 | Scalar::F64) => true,
            Some(Scalar::I64) => self.profile.int64 && self.profile.subgroup_extended_types,
            _ => false,
        }
    }

    /// A value from another work-item.
    fn moved(&mut self, op: SubGroupOp, value: Value, index: Option<Value>) -> Value {
        let ty = self.cursor.function.ty(value);
        let scalar = ty.scalar().expect("values are scalars");
        if scalar.bits() < 32 {
            let bits = self.cursor.bitcast(value, Type::Scalar(Scalar::int(scalar.bits())));
            let word = self.cursor.convert(ConvertOp::ZeroExtend, bits, Type::I32);
            let word = self.moved(op, word, index);
            let bits =
                self.cursor.convert(ConvertOp::Truncate, word, Type::Scalar(Scalar::int(scalar.bits())));
            return self.cursor.bitcast(bits, ty);
        }
        // Broadcasts need a constant index. Others become shuffles, or a reduction to which only the source
        // brings bits.
        let constant = index.is_none_or(|index| self.cursor.function.as_bits(index).is_some());
        let op = if op == SubGroupOp::Broadcast && !constant && self.profile.subgroup_shuffle {
            SubGroupOp::Shuffle
        } else {
            op
        };
        let by_bits = op == SubGroupOp::Broadcast && !constant;
        if scalar.bits() == 64 && (by_bits || !self.is_native(ty)) {
            let words = self.cursor.bitcast(value, Type::Vector(Scalar::I32, 2));
            let parts: Vec<Value> = (0..2)
                .map(|part| {
                    let word = self.cursor.extract(words, part);
                    self.moved(op, word, index)
                })
                .collect();
            let words = self.cursor.construct(&parts);
            return self.cursor.bitcast(words, ty);
        }
        if by_bits {
            let word = self.cursor.bitcast(value, Type::I32);
            let word = self.broadcast_by_bits(word, index.expect("a broadcast has an index"));
            return self.cursor.bitcast(word, ty);
        }
        let operands: Vec<Value> = [Some(value), index].into_iter().flatten().collect();
        self.native(op, &operands, ty)
    }

    /// One work-item's word, as the bitwise or of it and of zeros from the others.
    fn broadcast_by_bits(&mut self, word: Value, index: Value) -> Value {
        let here = self.local_id();
        let is_source = self.cursor.compare(CompareOp::Eq, here, index);
        let none = self.cursor.int(Type::I32, 0);
        let part = self.cursor.select(is_source, word, none);
        self.native(SubGroupOp::Reduce(GroupArithmetic::Or), &[part], Type::I32)
    }

    /// An operation of the device.
    fn native(&mut self, op: SubGroupOp, operands: &[Value], ty: Type) -> Value {
        self.cursor.value(Op::SubGroup(op), operands, ty)
    }

    fn local_id(&mut self) -> Value {
        self.cursor.value(Op::Input(InputVariable::SubgroupLocalInvocationId), &[], Type::I32)
    }

    /// A reduction or scan of the whole sub-group.
    fn arithmetic(&mut self, op: SubGroupOp, value: Value) -> Value {
        let arithmetic = op.arithmetic().expect("the other operations were handled");
        let ty = self.cursor.function.ty(value);
        match ty.scalar().expect("values are scalars") {
            Scalar::F16 => {
                let widen = ConvertOp::Float(RoundingMode::NearestEven);
                let wide = self.cursor.convert(widen, value, Type::F32);
                let wide = self.arithmetic(op, wide);
                self.cursor.convert(widen, wide, ty)
            }
            scalar @ (Scalar::I8 | Scalar::I16) => self.small_arithmetic(op, arithmetic, value, scalar),
            Scalar::Bool if !self.profile.scans_by_all() => self.of_truth(op, value),
            Scalar::I64 if self.has(op) && self.in_parts(arithmetic) => {
                self.by_parts(arithmetic, value, &mut |it, part| it.arithmetic(op, part))
            }
            _ if self.is_native(ty) && self.has(op) => self.native(op, &[value], ty),
            _ => {
                let (first, end) = (self.cursor.int(Type::I32, 0), self.size());
                self.one_by_one(op, value, first, end)
            }
        }
    }

    /// Whether the device has a reduction or scan, for types that it computes with.
    fn has(&self, op: SubGroupOp) -> bool {
        use GroupArithmetic::{Add, FAdd, FMul, Mul};
        match op {
            SubGroupOp::InclusiveScan(arithmetic) | SubGroupOp::ExclusiveScan(arithmetic) => {
                self.profile.scans_by_all() || matches!(arithmetic, Add | FAdd | Mul | FMul)
            }
            _ => true,
        }
    }

    /// Whether 64-bit integers are to be combined by parts of 32 bits.
    fn in_parts(&self, arithmetic: GroupArithmetic) -> bool {
        let native = self.is_native(Type::I64);
        match arithmetic {
            GroupArithmetic::Add => !native || single_carry::applies(self.profile),
            GroupArithmetic::And | GroupArithmetic::Or | GroupArithmetic::Xor => !native,
            _ => false,
        }
    }

    /// Combines 64-bit integers, given how 32-bit integers are combined. For sums, the parts have so few bits
    /// that their sums fit 32: 27 in sub-groups of 32 work-items.
    fn by_parts(
        &mut self,
        arithmetic: GroupArithmetic,
        value: Value,
        of_part: &mut dyn FnMut(&mut Self, Value) -> Value,
    ) -> Value {
        let growth = i64::from(self.profile.sub_group_size().next_power_of_two().ilog2());
        let (bits, join) = match arithmetic {
            GroupArithmetic::Add => (32 - growth, BinaryOp::Add),
            _ => (32, BinaryOp::Or),
        };
        let mut total = self.cursor.int(Type::I64, 0);
        for place in (0..64).step_by(bits as usize) {
            let part = self.cursor.binary_int(BinaryOp::LShr, value, place);
            let part = self.cursor.convert(ConvertOp::Truncate, part, Type::I32);
            let part = match bits {
                32 => part,
                _ => self.cursor.binary_int(BinaryOp::And, part, (1 << bits) - 1),
            };
            let part = of_part(self, part);
            let part = self.cursor.convert(ConvertOp::ZeroExtend, part, Type::I64);
            let part = self.cursor.binary_int(BinaryOp::Shl, part, place);
            total = self.cursor.binary(join, total, part);
        }
        total
    }

    /// Of truth values, as words that are 0 or 1.
    fn of_truth(&mut self, op: SubGroupOp, value: Value) -> Value {
        let (none, one) = (self.cursor.int(Type::I32, 0), self.cursor.int(Type::I32, 1));
        let word = self.cursor.select(value, one, none);
        let word = self.arithmetic(op, word);
        self.cursor.compare(CompareOp::Ne, word, none)
    }

    fn size(&mut self) -> Value {
        self.cursor.value(Op::Input(InputVariable::SubgroupSize), &[], Type::I32)
    }

    /// In 32 bits. A scan gives the first work-item the identity of the small type.
    fn small_arithmetic(
        &mut self,
        op: SubGroupOp,
        arithmetic: GroupArithmetic,
        value: Value,
        scalar: Scalar,
    ) -> Value {
        use GroupArithmetic::{SMax, SMin, UMin};
        let signed = matches!(arithmetic, SMin | SMax);
        let extend = if signed { ConvertOp::SignExtend } else { ConvertOp::ZeroExtend };
        let wide = self.cursor.convert(extend, value, Type::I32);
        let mut result = self.arithmetic(op, wide);
        if let SubGroupOp::ExclusiveScan(_) = op {
            let most = scalar.mask() as i64;
            let limit = match arithmetic {
                SMin => Some((BinaryOp::SMin, most >> 1)),
                SMax => Some((BinaryOp::SMax, -(most >> 1) - 1)),
                UMin => Some((BinaryOp::UMin, most)),
                _ => None,
            };
            if let Some((limit, bound)) = limit {
                let bound = self.cursor.int(Type::I32, bound);
                result = self.cursor.value(Op::Binary(limit), &[result, bound], Type::I32);
            }
        }
        self.cursor.convert(ConvertOp::Truncate, result, Type::Scalar(scalar))
    }

    /// A reduction over clusters of a constant number of consecutive work-items.
    fn clustered(&mut self, arithmetic: GroupArithmetic, value: Value, size: Value) -> Value {
        let count = self.cursor.function.as_bits(size).expect("the front end took only constants");
        if count == 1 {
            return value;
        }
        if count >= u64::from(self.profile.sub_group_size()) {
            return self.arithmetic(SubGroupOp::Reduce(arithmetic), value);
        }
        let ty = self.cursor.function.ty(value);
        if ty.is_bool() {
            let (none, one) = (self.cursor.int(Type::I32, 0), self.cursor.int(Type::I32, 1));
            let word = self.cursor.select(value, one, none);
            let word = self.clustered(arithmetic, word, size);
            return self.cursor.compare(CompareOp::Ne, word, none);
        }
        if self.profile.subgroup_clustered && ty == Type::I64 && self.in_parts(arithmetic) {
            return self.by_parts(arithmetic, value, &mut |it, part| it.clustered(arithmetic, part, size));
        }
        if self.profile.subgroup_clustered
            && let Some(value) = self.native_clusters(arithmetic, value, size)
        {
            return value;
        }
        let here = self.local_id();
        let first = self.cursor.binary_int(BinaryOp::And, here, -(count as i64));
        let end = self.cursor.binary(BinaryOp::Add, first, size);
        self.one_by_one(SubGroupOp::ClusteredReduce(arithmetic), value, first, end)
    }

    /// A cluster reduction on the device, if it has one for the type; small types use that of 32 bits.
    fn native_clusters(&mut self, arithmetic: GroupArithmetic, value: Value, size: Value) -> Option<Value> {
        let ty = self.cursor.function.ty(value);
        let op = SubGroupOp::ClusteredReduce(arithmetic);
        let (extend, shrink) = match ty.scalar()? {
            _ if self.is_native(ty) => return Some(self.native(op, &[value, size], ty)),
            Scalar::F16 => {
                (ConvertOp::Float(RoundingMode::NearestEven), ConvertOp::Float(RoundingMode::NearestEven))
            }
            Scalar::I8 | Scalar::I16 => match arithmetic {
                GroupArithmetic::SMin | GroupArithmetic::SMax => (ConvertOp::SignExtend, ConvertOp::Truncate),
                _ => (ConvertOp::ZeroExtend, ConvertOp::Truncate),
            },
            _ => return None,
        };
        let wide_type = if ty.is_float() { Type::F32 } else { Type::I32 };
        let wide = self.cursor.convert(extend, value, wide_type);
        let wide = self.native(op, &[wide, size], wide_type);
        Some(self.cursor.convert(shrink, wide, ty))
    }

    /// Combines the values of the work-items from `first` to `end` (exclusive) that take part.
    fn one_by_one(&mut self, op: SubGroupOp, value: Value, first: Value, end: Value) -> Value {
        let arithmetic = op.arithmetic().expect("a reduction or scan");
        let ty = self.cursor.function.ty(value);
        let here = self.local_id();
        let everyone = self.cursor.function.constant(Type::BOOL, Constant::Bits(1));
        let words = Type::Vector(Scalar::I32, 4);
        let active = self.native(SubGroupOp::Ballot, &[everyone], words);
        let identity = self.identity(arithmetic, ty);
        let turns = self.cursor.begin_loop(&[first, identity], &[ty]);
        let (index, so_far) = (turns.carried[0], turns.carried[1]);
        let finished = self.cursor.compare(CompareOp::UGe, index, end);
        self.cursor.exit_when(finished, true, turns.inst, &[so_far]);
        let source = match op {
            SubGroupOp::ClusteredReduce(_) => SubGroupOp::Shuffle,
            _ => SubGroupOp::Broadcast,
        };
        let other = self.moved(source, value, Some(index));
        let counts = self.counts(op, active, index, here);
        let combined = self.combined(arithmetic, so_far, other);
        let so_far = self.cursor.select(counts, combined, so_far);
        let following = self.cursor.binary_int(BinaryOp::Add, index, 1);
        self.cursor.end_loop(&turns, &[following, so_far]);
        self.cursor.result(turns.inst)
    }

    /// Whether the work-item with an index takes part, and its value counts here.
    fn counts(&mut self, op: SubGroupOp, active: Value, index: Value, here: Value) -> Value {
        let word = self.cursor.binary_int(BinaryOp::LShr, index, 5);
        let word = self.cursor.value(Op::ExtractDynamic, &[active, word], Type::I32);
        let bit = self.cursor.binary_int(BinaryOp::And, index, 31);
        let shifted = self.cursor.binary(BinaryOp::LShr, word, bit);
        let bit = self.cursor.binary_int(BinaryOp::And, shifted, 1);
        let zero = self.cursor.int(Type::I32, 0);
        let active = self.cursor.compare(CompareOp::Ne, bit, zero);
        let limit = match op {
            SubGroupOp::InclusiveScan(_) => CompareOp::ULe,
            SubGroupOp::ExclusiveScan(_) => CompareOp::ULt,
            _ => return active,
        };
        let before = self.cursor.compare(limit, index, here);
        self.cursor.binary(BinaryOp::And, active, before)
    }

    fn combined(&mut self, op: GroupArithmetic, a: Value, b: Value) -> Value {
        use GroupArithmetic::*;
        let ty = self.cursor.function.ty(a);
        let op = match op {
            Add => Op::Binary(BinaryOp::Add),
            FAdd => Op::Binary(BinaryOp::FAdd),
            Mul => Op::Binary(BinaryOp::Mul),
            FMul => Op::Binary(BinaryOp::FMul),
            SMin => Op::Binary(BinaryOp::SMin),
            UMin => Op::Binary(BinaryOp::UMin),
            FMin => Op::Math(MathOp::FMin),
            SMax => Op::Binary(BinaryOp::SMax),
            UMax => Op::Binary(BinaryOp::UMax),
            FMax => Op::Math(MathOp::FMax),
            And => Op::Binary(BinaryOp::And),
            Or => Op::Binary(BinaryOp::Or),
            Xor => Op::Binary(BinaryOp::Xor),
        };
        self.cursor.value(op, &[a, b], ty)
    }

    /// The value that leaves any other value unchanged when combined with it.
    fn identity(&mut self, op: GroupArithmetic, ty: Type) -> Value {
        use GroupArithmetic::*;
        let scalar = ty.scalar().expect("values are scalars");
        let mask = scalar.mask();
        let float = |function: &mut Function, value: f64, half: u64| match scalar {
            Scalar::F16 => function.constant(ty, Constant::Bits(half)),
            _ => function.float(ty, value),
        };
        let bits = match op {
            Add | Or | Xor | UMax => 0,
            Mul => 1,
            SMin => mask >> 1,
            SMax => (mask >> 1) + 1,
            UMin | And => mask,
            FAdd => return float(self.cursor.function, 0.0, 0),
            FMul => return float(self.cursor.function, 1.0, 0x3c00),
            FMin => return float(self.cursor.function, f64::INFINITY, 0x7c00),
            FMax => return float(self.cursor.function, f64::NEG_INFINITY, 0xfc00),
        };
        self.cursor.function.constant(ty, Constant::Bits(bits))
    }
}
