//! Floating-point numbers: only what the language determines to the last bit is observed.

use super::{Generator, Scope};
use clvk_ir::{
    BinaryOp, CompareOp, ConvertOp, FastMath, MathOp, Op, RoundingMode, Scalar, Type, UnaryOp, Value,
};

pub(super) const MODES: [RoundingMode; 4] = [
    RoundingMode::NearestEven,
    RoundingMode::TowardZero,
    RoundingMode::TowardPositive,
    RoundingMode::TowardNegative,
];

impl Generator<'_> {
    /// A constant: zeros, small and large numbers, subnormal ones, infinities, NaNs.
    pub(super) fn float_constant(&mut self, ty: Type) -> Value {
        let bits = match ty.scalar() {
            Some(Scalar::F16) => self
                .random
                .pick(&[0, 0x8000, 0x3c00, 0xbe00, 1, 0x3ff, 0x7bff, 0x7c00, 0x2e66, 0x6400, 0x7e00]),
            Some(Scalar::F32) => {
                let number = self.random.pick(&[
                    0.0f32,
                    -0.0,
                    1.0,
                    -1.5,
                    0.1,
                    65504.0,
                    65520.0,
                    2049.0,
                    3e-8,
                    -5.9e-8,
                    1e9,
                    3e38,
                    f32::INFINITY,
                    f32::NAN,
                    16_777_215.0,
                    0.333_333_34,
                ]);
                u64::from(number.to_bits())
            }
            _ => {
                let numbers =
                    [0.0, -0.0, 1.0, -1.5, 0.1, 1e300, 3e-42, f64::NEG_INFINITY, 1.000_000_059_604_645, 5e-8];
                self.random.pick(&numbers).to_bits()
            }
        };
        self.builder.function.constant(ty, clvk_ir::Constant::Bits(bits))
    }

    fn one(&mut self, ty: Type) -> Value {
        let bits = match ty.scalar() {
            Some(Scalar::F16) => 0x3c00,
            Some(Scalar::F32) => 0x3f80_0000,
            _ => 0x3ff0_0000_0000_0000,
        };
        self.builder.function.constant(ty, clvk_ir::Constant::Bits(bits))
    }

    /// The same value, but 1 for NaNs, whose bits may be anything; other types are unchanged.
    pub(super) fn observed(&mut self, value: Value) -> Value {
        let ty = self.ty(value);
        if !ty.is_float() {
            return value;
        }
        let is_nan = self.builder.math(MathOp::IsNan, &[value]);
        let one = self.one(ty);
        self.builder.select(is_nan, one, value)
    }

    /// A number computed from others of its type.
    pub(super) fn float_arithmetic(&mut self, scope: &mut Scope, ty: Type, depth: u32) -> Value {
        let a = self.value(scope, ty, depth);
        match self.random.below(10) {
            0 => self.builder.unary(UnaryOp::FNeg, a),
            1 => {
                let op = self.random.pick(&[
                    MathOp::FAbs,
                    MathOp::Floor,
                    MathOp::Ceil,
                    MathOp::Trunc,
                    MathOp::RoundEven,
                ]);
                self.builder.math(op, &[a])
            }
            2 => {
                // The sign of a minimum of zeros may be either.
                let b = self.value(scope, ty, depth);
                let op = self.random.pick(&[MathOp::FMin, MathOp::FMax]);
                let chosen = self.builder.math(op, &[a, b]);
                let zero = self.builder.function.zero(ty);
                self.builder.binary(BinaryOp::FAdd, chosen, zero)
            }
            3 => {
                let b = self.value(scope, ty, depth);
                let b = self.observed(b);
                self.builder.math(MathOp::CopySign, &[a, b])
            }
            4 => {
                let (b, c) = (self.value(scope, ty, depth), self.value(scope, ty, depth));
                self.builder.math(MathOp::Fma, &[a, b, c])
            }
            5 if ty.scalar() == Some(Scalar::F32) => self.inexact(scope, ty, depth),
            5 if self.random.once_in(2) => self.builder.math(MathOp::Sqrt, &[a]),
            5 => {
                let b = self.value(scope, ty, depth);
                self.builder.binary(BinaryOp::FDiv, a, b)
            }
            6 if ty.scalar() == Some(Scalar::F32) => self.contracted(scope, ty, depth),
            9 => self.of_known_sign(a),
            _ => {
                let b = self.value(scope, ty, depth);
                let op = self.random.pick(&[BinaryOp::FAdd, BinaryOp::FSub, BinaryOp::FMul]);
                self.builder.binary(op, a, b)
            }
        }
    }

    /// A whole number below a limit, a power of two.
    fn small(&mut self, scope: &mut Scope, ty: Type, depth: u32, limit: i64) -> Value {
        let words = ty.with_scalar(Scalar::I32);
        let value = self.value(scope, words, depth);
        let mask = self.builder.function.int(words, limit - 1);
        let value = self.builder.binary(BinaryOp::And, value, mask);
        self.builder.convert(ConvertOp::UnsignedToFloat(RoundingMode::NearestEven), value, ty)
    }

    /// A single-precision quotient or root that is nearly a whole number, as that number.
    fn inexact(&mut self, scope: &mut Scope, ty: Type, depth: u32) -> Value {
        let a = self.small(scope, ty, depth, 1 << 10);
        let rough = if self.random.once_in(3) {
            let square = self.builder.binary(BinaryOp::FMul, a, a);
            self.builder.math(MathOp::Sqrt, &[square])
        } else {
            let b = self.small(scope, ty, depth, 1 << 8);
            let one = self.one(ty);
            let b = self.builder.binary(BinaryOp::FAdd, b, one);
            let product = self.builder.binary(BinaryOp::FMul, a, b);
            self.builder.binary(BinaryOp::FDiv, product, b)
        };
        self.builder.math(MathOp::RoundEven, &[rough])
    }

    /// A number, whatever the compiler knows of its sign, unless that is wrong.
    fn of_known_sign(&mut self, number: Value) -> Value {
        let ty = self.ty(number);
        let number = match self.random.below(3) {
            0 => number,
            1 => {
                let magnitude = self.builder.math(MathOp::FAbs, &[number]);
                self.builder.unary(UnaryOp::FNeg, magnitude)
            }
            _ => {
                let square = self.builder.binary(BinaryOp::FMul, number, number);
                self.builder.unary(UnaryOp::FNeg, square)
            }
        };
        let known = self.builder.math(MathOp::NeverPositive, &[number]);
        let magnitude = self.builder.math(MathOp::FAbs, &[number]);
        let negative = self.builder.unary(UnaryOp::FNeg, magnitude);
        let chosen = self.builder.select(known, negative, number);
        let zero = self.builder.function.zero(ty);
        self.builder.binary(BinaryOp::FAdd, chosen, zero)
    }

    /// A sum with a product that may be fused: of whole numbers, so fusing makes no difference.
    fn contracted(&mut self, scope: &mut Scope, ty: Type, depth: u32) -> Value {
        let [a, b, c] = [0; 3].map(|_| self.small(scope, ty, depth, 1 << 10));
        self.builder.set_fast_math(FastMath::CONTRACT);
        let product = self.builder.binary(BinaryOp::FMul, a, b);
        let (x, y) = if self.random.once_in(2) { (product, c) } else { (c, product) };
        let op = self.random.pick(&[BinaryOp::FAdd, BinaryOp::FSub]);
        let sum = self.builder.binary(op, x, y);
        self.builder.set_fast_math(FastMath::empty());
        sum
    }

    /// A truth value about numbers.
    pub(super) fn float_condition(&mut self, scope: &mut Scope, ty: Type, depth: u32) -> Value {
        use CompareOp::*;
        let a = self.value(scope, ty, depth);
        match self.random.below(6) {
            0 => self.builder.math(MathOp::IsNan, &[a]),
            1 => self.builder.math(MathOp::IsInf, &[a]),
            _ => {
                let b = self.value(scope, ty, depth);
                let op = self.random.pick(&[
                    FOEq, FONe, FOLt, FOLe, FOGt, FOGe, FUEq, FUNe, FULt, FULe, FUGt, FUGe, FOrd, FUno,
                ]);
                self.builder.compare(op, a, b)
            }
        }
    }

    /// A number converted to an integer: saturating, or from a number in range.
    pub(super) fn integer_of(&mut self, value: Value, to: Type) -> Value {
        let signed = self.random.once_in(2);
        let op = |saturating| match signed {
            true => ConvertOp::FloatToSigned { saturating },
            false => ConvertOp::FloatToUnsigned { saturating },
        };
        if self.random.once_in(2) {
            return self.builder.convert(op(true), value, to);
        }
        // Numbers in the range of every integer type, in every format.
        let ty = self.ty(value);
        let limit = |generator: &mut Self, number: i64| {
            let ints = generator.builder.function.int(ty.with_scalar(Scalar::I32), number);
            generator.builder.convert(ConvertOp::SignedToFloat(RoundingMode::NearestEven), ints, ty)
        };
        let (least, most) = (limit(self, if signed { -127 } else { 0 }), limit(self, 127));
        let above = self.builder.math(MathOp::FMax, &[value, least]);
        let inside = self.builder.math(MathOp::FMin, &[above, most]);
        self.builder.convert(op(false), inside, to)
    }

    /// A number of another floating-point type, or an integer, converted.
    pub(super) fn float_of(&mut self, value: Value, to: Type) -> Value {
        let mode = self.random.pick(&MODES);
        let op = match self.ty(value) {
            from if from.is_float() => {
                let widens = from.scalar().map_or(0, Scalar::bits) < to.scalar().map_or(0, Scalar::bits);
                ConvertOp::Float(if widens { RoundingMode::NearestEven } else { mode })
            }
            _ if self.random.once_in(2) => ConvertOp::SignedToFloat(mode),
            _ => ConvertOp::UnsignedToFloat(mode),
        };
        self.builder.value(Op::Convert(op), &[value], to)
    }
}
