//! Geometric functions (OpenCL C §6.15.5).

use super::function::FunctionLowering;
use crate::builtins::Special;
use clvk_ir::{BinaryOp, CompareOp, ConvertOp, MathOp, Op, RoundingMode, Scalar, Value};

/// Factors that keep the length of a vector in range.
struct Scale {
    /// For the vector whose length is taken, and for that length.
    factor: Value,
    inverse: Value,
    /// For a lane that is divided by the length of the vector times `factor`, and for that quotient, so that
    /// small lanes of large vectors do not vanish.
    numerator: Value,
    denominator: Value,
}

impl FunctionLowering<'_, '_> {
    pub fn geometric(&mut self, special: Special, v: &[Value]) -> Value {
        match special {
            Special::Cross => self.cross(v[0], v[1]),
            Special::FastDistance => {
                let difference = self.build().binary(BinaryOp::FSub, v[0], v[1]);
                self.fast_length(difference)
            }
            Special::FastLength => self.fast_length(v[0]),
            Special::FastNormalize => {
                let square = self.dot(v[0], v[0]);
                // Zero is its own result, as may be what is as short (OpenCL C §6.15.5).
                let least = match self.function.ty(square).scalar() {
                    Some(Scalar::F16) => -14,
                    Some(Scalar::F64) => -1022,
                    _ => -126,
                };
                let (least, one) = (self.real(square, f64::powi(2.0, least)), self.real(square, 1.0));
                let is_short = self.is(CompareOp::FOLt, square, least);
                let square = self.choose(is_short, one, square);
                let inverse = self.build().math(MathOp::NativeRsqrt, &[square]);
                let lanes = self.function.ty(v[0]).lanes();
                let inverse = self.build().splat(inverse, lanes);
                self.build().binary(BinaryOp::FMul, v[0], inverse)
            }
            _ if self.function.ty(v[0]).scalar() == Some(Scalar::F16) => self.in_single(special, v),
            Special::Distance => self.distance(v[0], v[1]),
            Special::Length => self.length(v[0]),
            _ => self.normalize(v[0]),
        }
    }

    /// Computes half precision in single precision, where squares neither overflow nor vanish.
    fn in_single(&mut self, special: Special, v: &[Value]) -> Value {
        let wide: Vec<Value> = v.iter().map(|&value| self.convert_float(value, Scalar::F32)).collect();
        let result = match special {
            Special::Normalize => self.normalize(wide[0]),
            _ => {
                let value = match *wide {
                    [from, to] => self.build().binary(BinaryOp::FSub, from, to),
                    _ => wide[0],
                };
                if self.function.ty(value).lanes() == 1 {
                    self.build().math(MathOp::FAbs, &[value])
                } else {
                    let square = self.dot(value, value);
                    self.square_root(square)
                }
            }
        };
        self.convert_float(result, Scalar::F16)
    }

    fn convert_float(&mut self, value: Value, scalar: Scalar) -> Value {
        let ty = self.function.ty(value).with_scalar(scalar);
        self.build().convert(ConvertOp::Float(RoundingMode::NearestEven), value, ty)
    }

    fn dot(&mut self, a: Value, b: Value) -> Value {
        if self.function.ty(a).lanes() == 1 {
            return self.build().binary(BinaryOp::FMul, a, b);
        }
        self.build().math(MathOp::Dot, &[a, b])
    }

    fn fast_length(&mut self, value: Value) -> Value {
        let square = self.dot(value, value);
        self.build().math(MathOp::NativeSqrt, &[square])
    }

    fn largest(&mut self, value: Value) -> Value {
        let magnitudes = self.build().math(MathOp::FAbs, &[value]);
        let mut largest = self.lane(magnitudes, 0);
        for lane in 1..self.function.ty(value).lanes() as usize {
            let next = self.lane(magnitudes, lane);
            largest = self.build().math(MathOp::FMax, &[largest, next]);
        }
        largest
    }

    /// Small vectors are scaled up before their subtraction, because the difference might vanish.
    fn distance(&mut self, from: Value, to: Value) -> Value {
        let (of_from, of_to) = (self.largest(from), self.largest(to));
        let largest = self.build().math(MathOp::FMax, &[of_from, of_to]);
        let (small, grow) = match self.function.ty(from).scalar() {
            Some(Scalar::F32) => (-48, 86),
            _ => (-450, 564),
        };
        let mut power = |exponent: i32| self.real(largest, f64::powi(2.0, exponent));
        let (small, grow, ungrow, one) = (power(small), power(grow), power(-grow), power(0));
        let is_small = self.is(CompareOp::FOLt, largest, small);
        let factor = self.choose(is_small, grow, one);
        let inverse = self.choose(is_small, ungrow, one);
        let lanes = self.function.ty(from).lanes();
        let factor = self.build().splat(factor, lanes);
        let from = self.build().binary(BinaryOp::FMul, from, factor);
        let to = self.build().binary(BinaryOp::FMul, to, factor);
        let difference = self.build().binary(BinaryOp::FSub, from, to);
        let length = self.length(difference);
        self.build().binary(BinaryOp::FMul, length, inverse)
    }

    /// The powers of two that bring a vector's square into range. Large vectors are scaled down and small
    /// ones up, so that no square overflows and no significant one vanishes.
    fn length_scale(&mut self, value: Value) -> Scale {
        let largest = self.largest(value);
        // The bound for large vectors and the factor that shrinks them, and the same for small vectors.
        let (large, shrink, small, grow) = match self.function.ty(value).scalar() {
            Some(Scalar::F32) => (62, 66, -48, 86),
            _ => (510, 514, -450, 564),
        };
        let mut power = |exponent: i32| self.real(largest, f64::powi(2.0, exponent));
        let (large, small, one) = (power(large), power(small), power(0));
        let (half_shrink, half_unshrink) = (power(2 - shrink / 2), power(shrink / 2 + 2));
        let (shrink, unshrink, grow, ungrow) = (power(-shrink), power(shrink), power(grow), power(-grow));
        let is_large = self.is(CompareOp::FOGt, largest, large);
        let is_small = self.is(CompareOp::FOLt, largest, small);
        let factor = self.choose(is_small, grow, one);
        let factor = self.choose(is_large, shrink, factor);
        let inverse = self.choose(is_small, ungrow, one);
        let inverse = self.choose(is_large, unshrink, inverse);
        let numerator = self.choose(is_small, grow, one);
        let numerator = self.choose(is_large, half_shrink, numerator);
        let denominator = self.choose(is_large, half_unshrink, one);
        Scale { factor, inverse, numerator, denominator }
    }

    fn length(&mut self, value: Value) -> Value {
        if self.function.ty(value).lanes() == 1 {
            return self.build().math(MathOp::FAbs, &[value]);
        }
        let Scale { factor, inverse, .. } = self.length_scale(value);
        let lanes = self.function.ty(value).lanes();
        let factor = self.build().splat(factor, lanes);
        let scaled = self.build().binary(BinaryOp::FMul, value, factor);
        let square = self.dot(scaled, scaled);
        let root = self.square_root(square);
        self.build().binary(BinaryOp::FMul, root, inverse)
    }

    /// `normalize` (OpenCL C §7.5.1): the zero vector stays; infinite lanes count as ±1 and the others as
    /// zero, but a NaN makes every lane one.
    fn normalize(&mut self, value: Value) -> Value {
        let ty = self.function.ty(value);
        let lanes = ty.lanes();
        let magnitude = self.build().math(MathOp::FAbs, &[value]);
        let infinity = self.real(value, f64::INFINITY);
        let infinite = self.is(CompareOp::FOEq, magnitude, infinity);
        let (zero, one) = (self.real(value, 0.0), self.real(value, 1.0));
        let nan = self.build().math(MathOp::IsNan, &[value]);
        let unit = self.choose(nan, value, zero);
        let unit = self.choose(infinite, one, unit);
        let unit = self.build().math(MathOp::CopySign, &[unit, value]);
        let mut any = self.lane(infinite, 0);
        for lane in 1..lanes as usize {
            let next = self.lane(infinite, lane);
            any = self.build().binary(BinaryOp::Or, any, next);
        }
        let finite = self.choose(any, unit, value);
        let Scale { factor, numerator, denominator, .. } = self.length_scale(finite);
        let factor = self.build().splat(factor, lanes);
        let numerator = self.build().splat(numerator, lanes);
        let scaled = self.build().binary(BinaryOp::FMul, finite, factor);
        let square = self.dot(scaled, scaled);
        let root = self.square_root(square);
        let zero = self.real(root, 0.0);
        let one = self.real(root, 1.0);
        let is_zero = self.is(CompareOp::FOEq, root, zero);
        let root = self.choose(is_zero, one, root);
        let root = self.build().binary(BinaryOp::FMul, root, denominator);
        let root = self.build().splat(root, lanes);
        let scaled = self.build().binary(BinaryOp::FMul, finite, numerator);
        // In single precision, devices divide precisely enough by numbers of these roots' size.
        match ty.scalar() {
            Some(Scalar::F64) => self.elementwise("divide", &[scaled, root]),
            _ => self.build().binary(BinaryOp::FDiv, scaled, root),
        }
    }

    fn cross(&mut self, a: Value, b: Value) -> Value {
        let ty = self.function.ty(a);
        let mut lanes = Vec::new();
        for lane in 0..3 {
            let (next, after) = ((lane + 1) % 3, (lane + 2) % 3);
            let parts =
                [(a, next), (b, after), (a, after), (b, next)].map(|(value, index)| self.lane(value, index));
            let first = self.build().binary(BinaryOp::FMul, parts[0], parts[1]);
            let second = self.build().binary(BinaryOp::FMul, parts[2], parts[3]);
            lanes.push(self.build().binary(BinaryOp::FSub, first, second));
        }
        if ty.lanes() == 4 {
            let element = self.lane(a, 3);
            lanes.push(self.real(element, 0.0));
        }
        self.build().value(Op::Construct, &lanes, ty)
    }
}
