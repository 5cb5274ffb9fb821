//! 8- and 16-bit integers and half precision as 32-bit values, where the device cannot compute with them.
//!
//! A small integer is held in a 32-bit one whose upper bits may be anything. Operations that read the upper
//! bits set them first ([`Narrowing::zero_extended`], [`Narrowing::sign_extended`]); operations whose lower
//! bits depend only on lower bits (sums, products, left shifts, selections) need nothing. A half is held as a
//! float of the same value; [`super::half`] says how to compute with it.
//!
//! Values keep their identity and change their type in place, so region parameters and results need nothing
//! else. Private arrays and constant tables get wider elements. Memory that others see has small elements
//! only where the device has the types (otherwise `lower-memory` made it words): loaded values are widened at
//! once, and stored values are truncated. Push constants have no small types here.

use super::expand::with_mode;
use super::half;
use crate::passes::cursor::Cursor;
use clvk_interface::{DeviceProfile, ShaderFeature};
use clvk_ir::{
    BinaryOp, CompareOp, Constant, ConvertOp, FastMath, Function, Inst, MathOp, Op, RoundingMode, Scalar,
    Type, UnaryOp, Value, ValueDef, VariableSpace,
};
use rustc_hash::FxHashMap;

/// The replacements of the small types.
#[derive(Clone, Copy)]
struct Replacement {
    int8: bool,
    int16: bool,
    half: bool,
    /// The device has no 16-bit integers at all, not even to hold the bits of a half.
    no_int16: bool,
    /// It has no other way to their bits either, such as two of them as a word: shaders in naga's languages.
    opaque_halves: bool,
}

impl Replacement {
    fn of(profile: &DeviceProfile) -> Self {
        Replacement {
            int8: !profile.native_int8(),
            int16: !profile.native_int16(),
            half: !profile.native_half(),
            no_int16: !profile.int16,
            opaque_halves: !profile.int16 && profile.shader_features.contains(&ShaderFeature::Half),
        }
    }

    fn scalar(self, scalar: Scalar) -> Scalar {
        match scalar {
            Scalar::I8 if self.int8 => Scalar::I32,
            Scalar::I16 if self.int16 => Scalar::I32,
            Scalar::F16 if self.half => Scalar::F32,
            other => other,
        }
    }

    fn replaces(self, ty: Type) -> bool {
        ty.scalar().is_some_and(|scalar| self.scalar(scalar) != scalar)
    }

    /// Whether bits that are reinterpreted from or to this type must be computed.
    fn computes_bits(self, ty: Type) -> bool {
        self.opaque_halves && ty.scalar() == Some(Scalar::F16)
    }

    fn ty(self, ty: Type) -> Type {
        ty.scalar().map_or(ty, |scalar| ty.with_scalar(self.scalar(scalar)))
    }
}

/// Replaces the small types of a function that the device lacks.
pub fn widen(function: &mut Function, profile: &DeviceProfile) {
    let replacement = Replacement::of(profile);
    let concerns = |ty| replacement.replaces(ty) || replacement.computes_bits(ty);
    if !function.values.iter().any(|(_, data)| concerns(data.ty)) {
        return;
    }
    widen_variables(function, replacement);
    let types: Vec<Type> = function.values.iter().map(|(_, data)| data.ty).collect();
    for value in function.values.ids().collect::<Vec<_>>() {
        let data = &mut function.values[value];
        if !matches!(data.def, ValueDef::Constant(_)) {
            data.ty = replacement.ty(data.ty);
        }
    }
    let cursor = Cursor::new(function);
    let mut narrowing = Narrowing { cursor, replacement, types, extended: FxHashMap::default() };
    while let Some(inst) = narrowing.cursor.advance() {
        narrowing.inst(inst);
    }
}

fn widen_variables(function: &mut Function, replacement: Replacement) {
    for variable in function.variables.ids().collect::<Vec<_>>() {
        let data = &mut function.variables[variable];
        if !replacement.replaces(data.element) {
            continue;
        }
        if !is_ours(data.space) {
            continue;
        }
        let element = data.element;
        data.element = replacement.ty(element);
        for constant in &mut data.initializer {
            *constant = widened_constant(element, constant);
        }
    }
}

/// Whether only the work-item itself sees the memory.
fn is_ours(space: VariableSpace) -> bool {
    matches!(space, VariableSpace::Private | VariableSpace::ConstantTable)
}

/// A constant of a small type, in the form in which it is held.
fn widened_constant(ty: Type, constant: &Constant) -> Constant {
    let half = ty.scalar() == Some(Scalar::F16);
    let widened = |bits: u64| match half {
        true => expanded_bits(bits as u16),
        false => bits,
    };
    match constant {
        Constant::Bits(bits) => Constant::Bits(widened(*bits)),
        Constant::Lanes(lanes) => Constant::Lanes(lanes.iter().copied().map(widened).collect()),
        Constant::Undef => Constant::Undef,
    }
}

/// The bits of a half as a float; NaNs become those of `half::expand`.
fn expanded_bits(bits: u16) -> u64 {
    let number = ::half::f16::from_bits(bits);
    if number.is_nan() {
        let sign = u64::from(bits & 0x8000) << 16;
        return sign | 0x7f80_0000 | (u64::from(bits & 0x3ff) << 13);
    }
    u64::from(number.to_f32().to_bits())
}

/// Whether an operation without a case of its own may take small integers as they are held: it moves them, or
/// its lower bits depend only on lower bits.
fn ignores_upper_bits(op: &Op) -> bool {
    let moves = matches!(
        op,
        Op::Select
            | Op::Construct
            | Op::Extract(_)
            | Op::Insert(_)
            | Op::Shuffle(_)
            | Op::PushConstant { .. }
    );
    moves || matches!(op, Op::Unary(_) | Op::Math(_)) || !op.is_pure()
}

struct Narrowing<'f> {
    cursor: Cursor<'f>,
    replacement: Replacement,
    /// The original types of the values.
    types: Vec<Type>,
    /// Values whose upper bits were set on request: zero (false) or copies of the sign (true).
    extended: FxHashMap<Value, (bool, u32)>,
}

impl Narrowing<'_> {
    /// The type that a value had.
    fn old(&self, value: Value) -> Type {
        use clvk_ir::EntityId;
        self.types.get(value.index()).copied().unwrap_or_else(|| self.cursor.function.ty(value))
    }

    /// The value that now represents an operand.
    fn get(&mut self, value: Value) -> Value {
        let old = self.old(value);
        match (&self.cursor.function.values[value].def, self.replacement.replaces(old)) {
            (ValueDef::Constant(constant), true) => {
                let constant = widened_constant(old, constant);
                self.cursor.function.constant(self.replacement.ty(old), constant)
            }
            _ => self.cursor.get(value),
        }
    }

    fn bits(&self, value: Value) -> u32 {
        self.old(value).scalar().map_or(0, Scalar::bits)
    }

    fn is_small_int(&self, value: Value) -> bool {
        let old = self.old(value);
        old.is_int() && self.replacement.replaces(old)
    }

    /// An integer operand with its upper bits clear.
    fn zero_extended(&mut self, value: Value) -> Value {
        let (bits, held) = (self.bits(value), self.get(value));
        if !self.is_small_int(value)
            || self.extended.get(&held).is_some_and(|&(sign, at)| !sign && at <= bits)
        {
            return held;
        }
        if self.cursor.function.as_constant(held).is_some() {
            return held;
        }
        let extended = self.cursor.binary_int(BinaryOp::And, held, (1 << bits) - 1);
        self.extended.insert(extended, (false, bits));
        extended
    }

    /// An integer operand with its upper bits copies of the sign.
    fn sign_extended(&mut self, value: Value) -> Value {
        let (bits, held) = (self.bits(value), self.get(value));
        if !self.is_small_int(value) || self.extended.get(&held).is_some_and(|&(sign, at)| sign && at <= bits)
        {
            return held;
        }
        let up = self.cursor.binary_int(BinaryOp::Shl, held, i64::from(32 - bits));
        let extended = self.cursor.binary_int(BinaryOp::AShr, up, i64::from(32 - bits));
        self.extended.insert(extended, (true, bits));
        extended
    }

    fn inst(&mut self, inst: Inst) {
        let data = &self.cursor.function.insts[inst];
        let (op, operands) = (data.op.clone(), data.operands.to_vec());
        let result = data.results.first().copied();
        let small = |this: &Self, value: &Value| this.replacement.replaces(this.old(*value));
        let computed = op == Op::Convert(ConvertOp::Bitcast)
            && operands.iter().chain(&result).any(|&value| self.replacement.computes_bits(self.old(value)));
        if !computed && !operands.iter().chain(&result).any(|value| small(self, value)) {
            return self.cursor.keep(inst);
        }
        let new = match (&op, result) {
            (Op::Unary(UnaryOp::PopCount | UnaryOp::CountLeadingZeros | UnaryOp::CountTrailingZeros), _) => {
                unreachable!("bits are counted in 32 bits")
            }
            (Op::Binary(binary), Some(result)) => self.binary(*binary, &operands, result),
            (Op::Compare(compare), Some(_)) => self.compare(*compare, &operands),
            (Op::Convert(convert), Some(result)) => Some(self.convert(*convert, operands[0], result)),
            (Op::Math(math), Some(result)) if self.old(operands[0]).scalar() == Some(Scalar::F16) => {
                self.math(*math, &operands, result)
            }
            (Op::Load { .. }, Some(result)) if self.is_shared(operands[0]) => {
                Some(self.load(op, operands[0], result))
            }
            (Op::Store { .. }, _) if self.is_shared(operands[0]) => {
                let (pointer, held) = (self.get(operands[0]), self.get(operands[1]));
                let cut = self.cut(held, self.old(operands[1]));
                return self.cursor.keep_with(inst, &[pointer, cut]);
            }
            (Op::Switch(_), _) => {
                let selector = self.zero_extended(operands[0]);
                return self.cursor.keep_with(inst, &[selector]);
            }
            (Op::ExtractDynamic | Op::InsertDynamic, _) => {
                let (&index, others) = operands.split_last().expect("the index is an operand");
                let mut all: Vec<Value> = others.iter().map(|&value| self.get(value)).collect();
                all.push(self.zero_extended(index));
                return self.cursor.keep_with(inst, &all);
            }
            _ => {
                assert!(ignores_upper_bits(&op), "`legalise` has no case for {op:?} of small types");
                None
            }
        };
        match (new, result) {
            (Some(new), Some(result)) => self.cursor.replace(result, new),
            _ => {
                let operands: Vec<Value> = operands.iter().map(|&value| self.get(value)).collect();
                self.cursor.keep_with(inst, &operands);
            }
        }
    }

    /// Whether a pointer points to memory that keeps its small elements.
    fn is_shared(&self, pointer: Value) -> bool {
        let function = &self.cursor.function;
        match function.defining_inst(pointer).map(|inst| &function.insts[inst].op) {
            Some(Op::ElementPointer(variable)) => !is_ours(function.variables[*variable].space),
            _ => true,
        }
    }

    /// A load of a small type.
    fn load(&mut self, op: Op, pointer: Value, result: Value) -> Value {
        let (pointer, ty) = (self.get(pointer), self.old(result));
        let small = self.cursor.value(op, &[pointer], ty);
        if ty.is_float() {
            return self.cursor.convert(
                ConvertOp::Float(RoundingMode::NearestEven),
                small,
                self.replacement.ty(ty),
            );
        }
        let wide = self.cursor.convert(ConvertOp::ZeroExtend, small, self.replacement.ty(ty));
        self.extended.insert(wide, (false, ty.scalar().map_or(0, Scalar::bits)));
        wide
    }

    /// A value as it is stored in memory with small elements.
    fn cut(&mut self, held: Value, to: Type) -> Value {
        let op =
            if to.is_float() { ConvertOp::Float(RoundingMode::NearestEven) } else { ConvertOp::Truncate };
        self.cursor.convert(op, held, to)
    }

    /// `None` where the operation on the held values is already right.
    fn binary(&mut self, op: BinaryOp, operands: &[Value], result: Value) -> Option<Value> {
        let (a, b) = (operands[0], operands[1]);
        let ty = self.replacement.ty(self.old(result));
        let (a, b) = match op {
            BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul | BinaryOp::And | BinaryOp::Or | BinaryOp::Xor => {
                return None;
            }
            BinaryOp::Shl => (self.get(a), self.shift_count(b)),
            BinaryOp::LShr => (self.zero_extended(a), self.shift_count(b)),
            BinaryOp::AShr => (self.sign_extended(a), self.shift_count(b)),
            BinaryOp::UDiv | BinaryOp::URem | BinaryOp::UMin | BinaryOp::UMax => {
                (self.zero_extended(a), self.zero_extended(b))
            }
            BinaryOp::SDiv | BinaryOp::SRem | BinaryOp::SMin | BinaryOp::SMax => {
                (self.sign_extended(a), self.sign_extended(b))
            }
            BinaryOp::SMulHi | BinaryOp::UMulHi => unreachable!("high products are made in 32 bits"),
            BinaryOp::FDiv => {
                let (a, b) = (self.get(a), self.get(b));
                let quotient = half::divide(&mut self.cursor, a, b);
                return Some(half::round(&mut self.cursor, quotient, RoundingMode::NearestEven));
            }
            BinaryOp::FAdd | BinaryOp::FSub | BinaryOp::FMul => {
                let (a, b) = (self.get(a), self.get(b));
                let exact = self.uncontracted(Op::Binary(op), &[a, b], ty);
                return Some(half::round(&mut self.cursor, exact, RoundingMode::NearestEven));
            }
        };
        Some(self.cursor.value(Op::Binary(op), &[a, b], ty))
    }

    /// An operation in single precision that must not be fused with others.
    fn uncontracted(&mut self, op: Op, operands: &[Value], ty: Type) -> Value {
        let before = self.cursor.set_fast_math(FastMath::empty());
        let value = self.cursor.value(op, operands, ty);
        self.cursor.set_fast_math(before);
        value
    }

    /// The count of a shift, modulo the value's original width.
    fn shift_count(&mut self, count: Value) -> Value {
        let (bits, held) = (self.bits(count), self.get(count));
        let last = i64::from(bits) - 1;
        if let Some(constant) = self.cursor.function.as_bits(held) {
            let ty = self.cursor.function.ty(held);
            return self.cursor.int(ty, constant as i64 & last);
        }
        self.cursor.binary_int(BinaryOp::And, held, last)
    }

    fn compare(&mut self, op: CompareOp, operands: &[Value]) -> Option<Value> {
        if self.old(operands[0]).is_float() {
            return None;
        }
        let signed = matches!(op, CompareOp::SLt | CompareOp::SLe | CompareOp::SGt | CompareOp::SGe);
        let extend = |this: &mut Self, value| match signed {
            true => this.sign_extended(value),
            false => this.zero_extended(value),
        };
        let (a, b) = (extend(self, operands[0]), extend(self, operands[1]));
        Some(self.cursor.compare(op, a, b))
    }

    fn convert(&mut self, op: ConvertOp, value: Value, result: Value) -> Value {
        let (from, to) = (self.old(value), self.old(result));
        let ty = self.replacement.ty(to);
        match op {
            ConvertOp::Truncate => {
                let held = self.get(value);
                self.cursor.resize(ConvertOp::ZeroExtend, held, ty)
            }
            ConvertOp::ZeroExtend => {
                let extended = self.zero_extended(value);
                self.cursor.resize(op, extended, ty)
            }
            ConvertOp::SignExtend => {
                let extended = self.sign_extended(value);
                self.cursor.resize(op, extended, ty)
            }
            ConvertOp::SignedToFloat(mode) | ConvertOp::UnsignedToFloat(mode) => {
                assert!(!self.is_small_int(value), "small integers are converted in 32 bits");
                // Integers too large for a float are all beyond the largest half.
                let op = with_mode(op, RoundingMode::NearestEven);
                let held = self.get(value);
                let float = self.cursor.convert(op, held, ty);
                half::round(&mut self.cursor, float, mode)
            }
            ConvertOp::FloatToSigned { .. } | ConvertOp::FloatToUnsigned { .. } => {
                assert!(!self.is_small_int(result), "small integers are converted in 32 bits");
                let held = self.get(value);
                self.cursor.convert(op, held, ty)
            }
            ConvertOp::Float(mode) => self.convert_float(mode, value, from, to),
            ConvertOp::Bitcast => self.bitcast(value, from, to),
            ConvertOp::PointerToInt | ConvertOp::IntToPointer | ConvertOp::AddressSpace => {
                unreachable!("pointers were lowered")
            }
        }
    }

    fn convert_float(&mut self, mode: RoundingMode, value: Value, from: Type, to: Type) -> Value {
        let held = self.get(value);
        match (from.scalar(), to.scalar()) {
            (Some(Scalar::F16), Some(Scalar::F32)) => held,
            (Some(Scalar::F16), _) => self.cursor.convert(ConvertOp::Float(mode), held, to),
            (Some(Scalar::F64), _) => {
                let float = half::from_double(&mut self.cursor, held);
                half::round(&mut self.cursor, float, mode)
            }
            _ => half::round(&mut self.cursor, held, mode),
        }
    }

    fn math(&mut self, op: MathOp, operands: &[Value], result: Value) -> Option<Value> {
        let held: Vec<Value> = operands.iter().map(|&value| self.get(value)).collect();
        let ty = self.replacement.ty(self.old(result));
        let exact = match op {
            // Applied to halves, these give halves.
            MathOp::FAbs
            | MathOp::FMin
            | MathOp::FMax
            | MathOp::FClamp
            | MathOp::Floor
            | MathOp::Ceil
            | MathOp::Trunc
            | MathOp::RoundEven
            | MathOp::CopySign
            | MathOp::IsNan
            | MathOp::IsInf
            | MathOp::NeverPositive => return None,
            MathOp::Fma => half::fused(&mut self.cursor, held[0], held[1], held[2]),
            MathOp::Sqrt | MathOp::NativeSqrt => half::square_root(&mut self.cursor, held[0]),
            MathOp::NativeDivide => half::divide(&mut self.cursor, held[0], held[1]),
            MathOp::Dot => return Some(self.dot(held[0], held[1])),
            MathOp::NativeRsqrt
            | MathOp::NativeExp2
            | MathOp::NativeExp
            | MathOp::NativeLog
            | MathOp::NativeLog2
            | MathOp::NativeSin
            | MathOp::NativeCos => self.cursor.value(Op::Math(op), &held, ty),
        };
        Some(half::round(&mut self.cursor, exact, RoundingMode::NearestEven))
    }

    /// Products and sums, each of them rounded.
    fn dot(&mut self, a: Value, b: Value) -> Value {
        let ty = self.cursor.function.ty(a);
        let products = self.uncontracted(Op::Binary(BinaryOp::FMul), &[a, b], ty);
        let products = half::round(&mut self.cursor, products, RoundingMode::NearestEven);
        let mut sum = self.cursor.extract(products, 0);
        for lane in 1..ty.lanes() {
            let product = self.cursor.extract(products, lane);
            let exact = self.uncontracted(Op::Binary(BinaryOp::FAdd), &[sum, product], Type::F32);
            sum = half::round(&mut self.cursor, exact, RoundingMode::NearestEven);
        }
        sum
    }

    /// The same bits with other lanes.
    fn bitcast(&mut self, value: Value, from: Type, to: Type) -> Value {
        let words = self.words(value, from);
        self.value_of_words(&words, to)
    }

    /// The bits of a value as 32-bit words, lowest first. For a value of less than 32 bits, the upper bits
    /// may be anything.
    fn words(&mut self, value: Value, from: Type) -> Vec<Value> {
        let scalar = from.scalar().expect("bits are of scalars and vectors");
        if scalar.bits() >= 32 {
            let held = self.get(value);
            let words = self.cursor.bitcast(held, Type::with_lanes(Scalar::I32, from.access_size() / 4));
            return self.cursor.lanes(words);
        }
        let bits = match scalar {
            Scalar::F16 if self.replacement.half => {
                let held = self.get(value);
                half::compress(&mut self.cursor, held)
            }
            Scalar::F16 if self.replacement.no_int16 => {
                let held = self.get(value);
                let float_type = from.with_scalar(Scalar::F32);
                let float =
                    self.cursor.convert(ConvertOp::Float(RoundingMode::NearestEven), held, float_type);
                half::compress(&mut self.cursor, float)
            }
            Scalar::F16 => {
                let held = self.get(value);
                let ints = self.cursor.bitcast(held, from.with_scalar(Scalar::I16));
                self.cursor.convert(ConvertOp::ZeroExtend, ints, from.with_scalar(Scalar::I32))
            }
            _ if self.is_small_int(value) => self.zero_extended(value),
            _ => {
                let held = self.cursor.get(value);
                self.cursor.convert(ConvertOp::ZeroExtend, held, from.with_scalar(Scalar::I32))
            }
        };
        let lanes = self.cursor.lanes(bits);
        lanes
            .chunks((32 / scalar.bits()) as usize)
            .map(|lanes| {
                let mut word = lanes[0];
                for (position, &lane) in lanes.iter().enumerate().skip(1) {
                    let shift = position as i64 * i64::from(scalar.bits());
                    let moved = self.cursor.binary_int(BinaryOp::Shl, lane, shift);
                    word = self.cursor.binary(BinaryOp::Or, word, moved);
                }
                word
            })
            .collect()
    }

    fn value_of_words(&mut self, words: &[Value], to: Type) -> Value {
        let scalar = to.scalar().expect("bits become scalars and vectors");
        if scalar.bits() >= 32 {
            let whole = self.cursor.construct(words);
            return self.cursor.bitcast(whole, to);
        }
        let each = 32 / scalar.bits();
        let lanes: Vec<Value> = (0..to.lanes())
            .map(|lane| {
                let shift = i64::from(lane % each * scalar.bits());
                self.cursor.binary_int(BinaryOp::LShr, words[(lane / each) as usize], shift)
            })
            .collect();
        let bits = self.cursor.construct(&lanes);
        match scalar {
            Scalar::F16 if self.replacement.half => {
                let bits = self.cursor.binary_int(BinaryOp::And, bits, 0xffff);
                half::expand(&mut self.cursor, bits)
            }
            Scalar::F16 if self.replacement.no_int16 => {
                let bits = self.cursor.binary_int(BinaryOp::And, bits, 0xffff);
                let float = half::expand(&mut self.cursor, bits);
                self.cursor.convert(ConvertOp::Float(RoundingMode::NearestEven), float, to)
            }
            Scalar::F16 => {
                let ints = self.cursor.convert(ConvertOp::Truncate, bits, to.with_scalar(Scalar::I16));
                self.cursor.bitcast(ints, to)
            }
            scalar if self.replacement.scalar(scalar) == scalar => {
                self.cursor.convert(ConvertOp::Truncate, bits, to)
            }
            _ => bits,
        }
    }
}
