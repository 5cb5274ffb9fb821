//! Division in single precision without the device's own ([`Quirk::LinkedDivisions`]): by the divisor's reciprocal, found from the square
//! of its reciprocal root, which every device has in hardware, by Newton's method with sums that are rounded once.
//!
//! Results are as good as Vulkan wants of a device, 2.5 ulp for divisors from 2^-126 to 2^126; those that are normal, of a dividend
//! that is not below 2^-100, are rounded correctly but for very few, unless reciprocals are allowed in place of quotients. Double precision
//! is divided by the library.
//!
//! [`Quirk::LinkedDivisions`]: clvk_interface::Quirk::LinkedDivisions

use crate::passes::cursor::Cursor;
use clvk_ir::{BinaryOp, CompareOp, Constant, FastMath, Function, MathOp, Op, Scalar, Type, UnaryOp, Value};

/// Divides the numbers of single precision.
pub fn divide(function: &mut Function) {
    let mut cursor = Cursor::new(function);
    while let Some(inst) = cursor.advance() {
        let ty = cursor.function.insts[inst].results.first().map(|&result| cursor.function.ty(result));
        match (&cursor.function.insts[inst].op, ty) {
            (Op::Binary(BinaryOp::FDiv) | Op::Math(MathOp::NativeDivide), Some(ty))
                if ty.scalar() == Some(Scalar::F32) =>
            {
                let operands = cursor.operands(inst);
                let fast_math = cursor.set_fast_math(FastMath::empty());
                let roughly = fast_math.contains(FastMath::RECIPROCAL);
                let quotient =
                    Dividing { cursor: &mut cursor, ty, roughly }.quotient(operands[0], operands[1]);
                cursor.set_fast_math(fast_math);
                cursor.replace_result(inst, quotient);
            }
            _ => cursor.keep(inst),
        }
    }
}

struct Dividing<'c, 'f> {
    cursor: &'c mut Cursor<'f>,
    ty: Type,
    /// A product with the reciprocal will do.
    roughly: bool,
}

impl Dividing<'_, '_> {
    fn math(&mut self, op: MathOp, operands: &[Value]) -> Value {
        self.cursor.value(Op::Math(op), operands, self.ty)
    }

    fn product(&mut self, a: Value, b: Value) -> Value {
        self.cursor.value(Op::Binary(BinaryOp::FMul), &[a, b], self.ty)
    }

    /// `c - a * b`, rounded once.
    fn rest(&mut self, a: Value, b: Value, c: Value) -> Value {
        let negated = self.cursor.value(Op::Unary(UnaryOp::FNeg), &[a], self.ty);
        self.math(MathOp::Fma, &[negated, b, c])
    }

    /// `value` plus the product, or just `value` where that is no improvement, since `rest` is no less than `limit` or no number.
    fn improved(&mut self, value: Value, rest: Value, factor: Value, limit: Value) -> Value {
        let better = self.math(MathOp::Fma, &[rest, factor, value]);
        let [size, limit] = [rest, limit].map(|number| self.math(MathOp::FAbs, &[number]));
        let less = self.cursor.compare(CompareOp::FOLt, size, limit);
        self.cursor.select(less, better, value)
    }

    fn quotient(&mut self, a: Value, b: Value) -> Value {
        let reciprocal = self.known_reciprocal(b).unwrap_or_else(|| self.reciprocal(b));
        let quotient = self.product(a, reciprocal);
        if self.roughly {
            return quotient;
        }
        let rest = self.rest(quotient, b, a);
        self.improved(quotient, rest, reciprocal, a)
    }

    /// Within 1 ulp; of zeros, subnormal numbers and infinities, what the device says of their roots, with their sign.
    fn reciprocal(&mut self, b: Value) -> Value {
        let size = self.math(MathOp::FAbs, &[b]);
        let root = self.math(MathOp::NativeRsqrt, &[size]);
        let signed = self.math(MathOp::CopySign, &[root, b]);
        let rough = self.product(root, signed);
        let one = self.cursor.function.float(self.ty, 1.0);
        let rest = self.rest(b, rough, one);
        self.improved(rough, rest, rough, one)
    }

    /// The reciprocal of a constant, where that and the constant are normal numbers.
    fn known_reciprocal(&mut self, b: Value) -> Option<Value> {
        let reciprocal = |bits: u64| {
            let number = f32::from_bits(bits as u32);
            (number.is_normal() && number.recip().is_normal()).then(|| u64::from(number.recip().to_bits()))
        };
        let reciprocals = match self.cursor.function.as_constant(b)? {
            Constant::Bits(bits) => Constant::Bits(reciprocal(*bits)?),
            Constant::Lanes(lanes) => {
                Constant::Lanes(lanes.iter().map(|&bits| reciprocal(bits)).collect::<Option<_>>()?)
            }
            Constant::Undef => return None,
        };
        Some(self.cursor.function.constant(self.ty, reciprocals))
    }
}
