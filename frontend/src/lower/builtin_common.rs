//! Integer, common, geometric and relational built-ins that take only a few operations.

use super::builtin::Arguments;
use super::function::FunctionLowering;
use crate::builtins::Special;
use crate::hir::BuiltinCall;
use crate::types::ScalarKind;
use clvk_ir::{BinaryOp, CompareOp, Constant, ConvertOp, FastMath, MathOp, Op, Scalar, Type, UnaryOp, Value};

impl FunctionLowering<'_, '_> {
    pub fn common(&mut self, special: Special, call: &BuiltinCall, arguments: &Arguments) -> Value {
        let v = arguments.values.as_slice();
        match special {
            Special::Select => {
                let condition = self.selector(v[2]);
                self.choose(condition, v[1], v[0])
            }
            Special::BitSelect => self.bit_select(v[0], v[1], v[2]),
            Special::Any => self.reduce_signs(v[0], BinaryOp::Or, arguments),
            Special::All => self.reduce_signs(v[0], BinaryOp::And, arguments),
            Special::IsFinite => {
                let condition = self.is_finite(v[0]);
                self.truth(condition, arguments.result)
            }
            Special::IsNormal => {
                let magnitude = self.build().math(MathOp::FAbs, v);
                let least = self.real(v[0], min_normal(arguments.kind));
                let finite = self.is_finite(v[0]);
                let normal = self.is(CompareOp::FOGe, magnitude, least);
                let condition = self.build().binary(BinaryOp::And, finite, normal);
                self.truth(condition, arguments.result)
            }
            Special::SignBit => {
                let bits = self.as_ints(v[0]);
                let condition = self.sign_bit(bits);
                self.truth(condition, arguments.result)
            }
            Special::Mad => self.multiply_add(v[0], v[1], v[2]),
            Special::Clamp => self.clamp(v, arguments.kind),
            Special::Mix => {
                let difference = self.build().binary(BinaryOp::FSub, v[1], v[0]);
                self.multiply_add(difference, v[2], v[0])
            }
            Special::Step => {
                let (zero, one) = (self.real(v[1], 0.0), self.real(v[1], 1.0));
                let below = self.is(CompareOp::FOLt, v[1], v[0]);
                self.choose(below, zero, one)
            }
            Special::Degrees => self.scale(v[0], 180.0 / std::f64::consts::PI),
            Special::Radians => self.scale(v[0], std::f64::consts::PI / 180.0),
            Special::Sign => self.sign(v[0]),
            Special::Distance
            | Special::FastDistance
            | Special::Length
            | Special::FastLength
            | Special::Normalize
            | Special::FastNormalize
            | Special::Cross => self.geometric(special, v),
            _ => self.integer(special, call, arguments),
        }
    }

    fn integer(&mut self, special: Special, call: &BuiltinCall, arguments: &Arguments) -> Value {
        use BinaryOp::{AShr, Add, And, LShr, Mul, Or, SMulHi, Shl, Sub, UMulHi, Xor};
        let v = arguments.values.as_slice();
        let signed = arguments.kind.is_signed();
        match special {
            Special::Abs if signed => {
                let negated = self.build().unary(UnaryOp::Neg, v[0]);
                let negative = self.sign_bit(v[0]);
                self.choose(negative, negated, v[0])
            }
            Special::Abs => v[0],
            Special::AbsDiff => {
                let greater = self.is(if signed { CompareOp::SGt } else { CompareOp::UGt }, v[0], v[1]);
                let forward = self.build().binary(Sub, v[0], v[1]);
                let backward = self.build().binary(Sub, v[1], v[0]);
                self.choose(greater, forward, backward)
            }
            Special::AddSat | Special::SubSat => self.saturating(special == Special::AddSat, v, signed),
            Special::HAdd | Special::RHAdd => {
                // a + b = 2(a & b) + (a ^ b) = 2(a | b) − (a ^ b), so that nothing overflows.
                let (both, combine) = if special == Special::HAdd { (And, Add) } else { (Or, Sub) };
                let base = self.build().binary(both, v[0], v[1]);
                let differing = self.build().binary(Xor, v[0], v[1]);
                let one = self.function.int(self.function.ty(v[0]), 1);
                let half = self.build().binary(if signed { AShr } else { LShr }, differing, one);
                self.build().binary(combine, base, half)
            }
            Special::Rotate => {
                // Counts are taken modulo the width, so that −n is width − n.
                let left = self.build().binary(Shl, v[0], v[1]);
                let count = self.build().unary(UnaryOp::Neg, v[1]);
                let right = self.build().binary(LShr, v[0], count);
                self.build().binary(Or, left, right)
            }
            Special::MadHi => {
                let high = self.build().binary(if signed { SMulHi } else { UMulHi }, v[0], v[1]);
                self.build().binary(Add, high, v[2])
            }
            Special::Mul24 => self.build().binary(Mul, v[0], v[1]),
            Special::Mad24 => {
                let product = self.build().binary(Mul, v[0], v[1]);
                self.build().binary(Add, product, v[2])
            }
            Special::Upsample => {
                let ty = self.lowering.value_type(arguments.result).expect("upsample gives integers");
                let low_bits = self.function.ty(v[1]).scalar().map_or(0, Scalar::bits);
                let high = self.build().convert(ConvertOp::ZeroExtend, v[0], ty);
                let low = self.build().convert(ConvertOp::ZeroExtend, v[1], ty);
                let count = self.function.int(ty, i64::from(low_bits));
                let high = self.build().binary(Shl, high, count);
                self.build().binary(Or, high, low)
            }
            other => panic!("`{}` has no lowering ({other:?})", call.name),
        }
    }

    /// The condition of `select`: the sign bit of vector lanes, any bit of a scalar (OpenCL C §6.15.6).
    fn selector(&mut self, condition: Value) -> Value {
        let ty = self.function.ty(condition);
        if ty.lanes() > 1 || ty.is_bool() {
            return self.sign_bit(condition);
        }
        let zero = self.function.zero(self.function.ty(condition));
        self.is(CompareOp::Ne, condition, zero)
    }

    fn as_ints(&mut self, value: Value) -> Value {
        let ty = self.function.ty(value);
        let int = ty.with_scalar(Scalar::int(ty.scalar().expect("an arithmetic value").bits()));
        self.reinterpret(value, int)
    }

    fn bit_select(&mut self, a: Value, b: Value, mask: Value) -> Value {
        let ty = self.function.ty(a);
        let (a, b, mask) = (self.as_ints(a), self.as_ints(b), self.as_ints(mask));
        let inverse = self.not(mask);
        let kept = self.build().binary(BinaryOp::And, a, inverse);
        let taken = self.build().binary(BinaryOp::And, b, mask);
        let bits = self.build().binary(BinaryOp::Or, kept, taken);
        self.reinterpret(bits, ty)
    }

    /// `any`, `all`: 1 if the combined sign bit is set.
    fn reduce_signs(&mut self, value: Value, op: BinaryOp, arguments: &Arguments) -> Value {
        let mut joined = self.lane(value, 0);
        for lane in 1..self.function.ty(value).lanes() as usize {
            let next = self.lane(value, lane);
            joined = self.build().binary(op, joined, next);
        }
        let condition = self.sign_bit(joined);
        self.truth(condition, arguments.result)
    }

    fn is_finite(&mut self, value: Value) -> Value {
        let magnitude = self.build().math(MathOp::FAbs, &[value]);
        let infinity = self.real(value, f64::INFINITY);
        self.is(CompareOp::FOLt, magnitude, infinity)
    }

    /// A floating-point constant of the type of `like`.
    pub fn real(&mut self, like: Value, number: f64) -> Value {
        let ty = self.function.ty(like);
        if ty.scalar() == Some(Scalar::F16) {
            let bits = half::f16::from_f64(number).to_bits();
            return self.function.constant(ty, Constant::Bits(u64::from(bits)));
        }
        self.function.float(ty, number)
    }

    /// `a * b + c`, which may be fused even if contraction is off: that is the purpose of `mad`.
    fn multiply_add(&mut self, a: Value, b: Value, c: Value) -> Value {
        let product = self.build().binary(BinaryOp::FMul, a, b);
        let sum = self.build().binary(BinaryOp::FAdd, product, c);
        for value in [product, sum] {
            let inst = self.function.defining_inst(value).expect("the builder made it");
            self.function.insts[inst].fast_math.insert(FastMath::CONTRACT);
        }
        sum
    }

    fn scale(&mut self, value: Value, factor: f64) -> Value {
        let factor = self.real(value, factor);
        self.build().binary(BinaryOp::FMul, value, factor)
    }

    fn clamp(&mut self, v: &[Value], kind: ScalarKind) -> Value {
        if kind.is_float() {
            let raised = self.build().math(MathOp::FMax, &[v[0], v[1]]);
            return self.build().math(MathOp::FMin, &[raised, v[2]]);
        }
        let (max, min) = if kind.is_signed() {
            (BinaryOp::SMax, BinaryOp::SMin)
        } else {
            (BinaryOp::UMax, BinaryOp::UMin)
        };
        let raised = self.build().binary(max, v[0], v[1]);
        self.build().binary(min, raised, v[2])
    }

    /// `sign`: zeros keep their sign, a NaN gives zero (OpenCL C §6.15.4).
    fn sign(&mut self, value: Value) -> Value {
        let (zero, one) = (self.real(value, 0.0), self.real(value, 1.0));
        let unit = self.build().math(MathOp::CopySign, &[one, value]);
        let is_zero = self.is(CompareOp::FOEq, value, zero);
        // A zero, also if the device treats a subnormal number as one.
        let signed_zero = self.build().math(MathOp::CopySign, &[zero, value]);
        let kept = self.choose(is_zero, signed_zero, unit);
        let is_nan = self.build().math(MathOp::IsNan, &[value]);
        self.choose(is_nan, zero, kept)
    }

    fn saturating(&mut self, add: bool, v: &[Value], signed: bool) -> Value {
        let ty = self.function.ty(v[0]);
        let scalar = ty.scalar().expect("integers");
        if !signed {
            // Adds or subtracts at most the distance to the bound. That takes as many operations as comparing
            // the sum, or one less, and it is right on drivers that lose a part of a compared sum
            // (`tests/programs/random/constants_plus_quotients.cl`).
            let room = if add { self.build().unary(UnaryOp::Not, v[1]) } else { v[1] };
            let change = self.build().binary(BinaryOp::UMin, v[0], room);
            return match add {
                true => self.build().binary(BinaryOp::Add, change, v[1]),
                false => self.build().binary(BinaryOp::Sub, v[0], change),
            };
        }
        let result = self.build().binary(if add { BinaryOp::Add } else { BinaryOp::Sub }, v[0], v[1]);
        // It overflowed if the result's sign differs from a's and b's (added) or from a's and −b's
        // (subtracted).
        let from_a = self.build().binary(BinaryOp::Xor, v[0], result);
        let from_b = self.build().binary(BinaryOp::Xor, if add { result } else { v[0] }, v[1]);
        let both = self.build().binary(BinaryOp::And, from_a, from_b);
        let overflowed = self.sign_bit(both);
        let low = self.function.int(ty, (1u64 << (scalar.bits() - 1)) as i64);
        let high = self.function.int(ty, ((1u64 << (scalar.bits() - 1)) - 1) as i64);
        let negative = self.sign_bit(v[0]);
        let bound = self.choose(negative, low, high);
        self.choose(overflowed, bound, result)
    }

    /// `shuffle`, `shuffle2` (OpenCL C §6.15.13): only the low bits of each mask lane count.
    pub fn dynamic_shuffle(&mut self, sources: &[Value], mask: Value, arguments: &Arguments) -> Value {
        let ty = self.lowering.value_type(arguments.result).expect("shuffle gives a vector");
        let source = self.function.ty(sources[0]);
        let element = Type::Scalar(source.scalar().expect("vectors"));
        let count = i64::from(source.lanes().next_power_of_two());
        let mask_element = Type::Scalar(self.function.ty(mask).scalar().expect("integers"));
        let (low, high) =
            (self.function.int(mask_element, count - 1), self.function.int(mask_element, count));
        let mut lanes = Vec::new();
        for lane in 0..ty.lanes() as usize {
            let index = self.lane(mask, lane);
            let position = self.build().binary(BinaryOp::And, index, low);
            let mut chosen = self.build().value(Op::ExtractDynamic, &[sources[0], position], element);
            if let Some(&second) = sources.get(1) {
                let other = self.build().value(Op::ExtractDynamic, &[second, position], element);
                let bit = self.build().binary(BinaryOp::And, index, high);
                let zero = self.function.zero(mask_element);
                let from_second = self.is(CompareOp::Ne, bit, zero);
                chosen = self.choose(from_second, other, chosen);
            }
            lanes.push(chosen);
        }
        self.build().value(Op::Construct, &lanes, ty)
    }
}

/// The least normal number.
fn min_normal(kind: ScalarKind) -> f64 {
    match kind {
        ScalarKind::Half => f64::powi(2.0, -14),
        ScalarKind::Float => f64::from(f32::MIN_POSITIVE),
        _ => f64::MIN_POSITIVE,
    }
}
