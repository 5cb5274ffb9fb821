//! Division in single precision without the device's division ([`Quirk::LinkedDivisions`]). It multiplies by
//! the divisor's reciprocal, which is the square of its reciprocal square root, an instruction that every
//! device has in hardware, and corrects the quotient by the error of that reciprocal.
//!
//! For all operands the quotient is within 2.5 ulp, which is OpenCL's bound (OpenCL C §7.4) and not just
//! Vulkan's, without scaling. To correct it by the remainder of the dividend as well would round most
//! quotients correctly, but takes half as many operations again. Where reciprocals are allowed in place of
//! quotients, they are within 2.5 ulp for divisors from 2^-126 to 2^126. Quotients by constants are better
//! ([`Reciprocal`]). The library divides in double precision, and where quotients must be correctly rounded.
//!
//! The reciprocal square root may be 3 ulp off. `Fma` may flush subnormal numbers to zero; sums and products
//! may not, or the quotients of the largest divisors suffer.
//!
//! [`Quirk::LinkedDivisions`]: clvk_interface::Quirk::LinkedDivisions

use crate::passes::cursor::Cursor;
use clvk_ir::{BinaryOp, CompareOp, Constant, FastMath, Function, MathOp, Op, Scalar, Type, UnaryOp, Value};

/// Replaces the divisions in single precision.
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
    /// A product with the reciprocal is good enough.
    roughly: bool,
}

impl Dividing<'_, '_> {
    fn math(&mut self, op: MathOp, operands: &[Value]) -> Value {
        self.cursor.value(Op::Math(op), operands, self.ty)
    }

    fn product(&mut self, a: Value, b: Value) -> Value {
        self.cursor.value(Op::Binary(BinaryOp::FMul), &[a, b], self.ty)
    }

    fn negation(&mut self, value: Value) -> Value {
        self.cursor.value(Op::Unary(UnaryOp::FNeg), &[value], self.ty)
    }

    /// `better` if the correction in it is smaller than `limit`, else `value`: a larger correction comes from
    /// zeros, infinities, NaNs and flushed subnormal numbers.
    fn corrected(&mut self, better: Value, value: Value, correction: Value, limit: Value) -> Value {
        let [size, limit] = [correction, limit].map(|number| self.math(MathOp::FAbs, &[number]));
        let less = self.cursor.compare(CompareOp::FOLt, size, limit);
        self.cursor.select(less, better, value)
    }

    fn quotient(&mut self, a: Value, b: Value) -> Value {
        match self.cursor.function.as_constant(b).and_then(|b| self.known_reciprocal(b)) {
            Some(Reciprocal::Whole(reciprocal)) => {
                let reciprocal = self.constant(&reciprocal);
                self.product(a, reciprocal)
            }
            Some(Reciprocal::Parts { high, low }) => {
                let [high, low] = [high, low].map(|lanes| self.constant(&lanes));
                let less = self.product(a, low);
                self.math(MathOp::Fma, &[a, high, less])
            }
            None if self.roughly => self.rough_quotient(a, b),
            None => self.corrected_quotient(a, b),
        }
    }

    /// `-1 / b`, a few units too large or too small; exact for zeros and infinities.
    fn negated_reciprocal(&mut self, b: Value) -> Value {
        let words = self.ty.with_scalar(Scalar::I32);
        let size = self.math(MathOp::FAbs, &[b]);
        let root = self.math(MathOp::NativeRsqrt, &[size]);
        let [root_bits, b_bits] = [root, b].map(|number| self.cursor.bitcast(number, words));
        // Roots have no sign, so all of this is one operation on devices whose bit operations have three
        // operands.
        let flipped = self.cursor.value(Op::Unary(UnaryOp::Not), &[b_bits], words);
        let sign = self.cursor.binary_int(BinaryOp::And, flipped, 0x8000_0000);
        let signed = self.cursor.binary(BinaryOp::Or, root_bits, sign);
        let signed = self.cursor.bitcast(signed, self.ty);
        self.product(root, signed)
    }

    /// The product with the reciprocal, corrected by the reciprocal's error: within 2.4 ulp for all operands.
    fn corrected_quotient(&mut self, a: Value, b: Value) -> Value {
        let reciprocal = self.negated_reciprocal(b);
        let rough = self.product(a, reciprocal);
        let factor = self.negated_correction(b, reciprocal);
        self.product(rough, factor)
    }

    /// The factor, close to -1, that corrects a quotient found with this negated reciprocal. It changes
    /// nothing but the sign where the reciprocal is zero or infinite, because the minimum is not a NaN. It is
    /// not chosen by a comparison, which may flush subnormal quotients to zero.
    fn negated_correction(&mut self, b: Value, reciprocal: Value) -> Value {
        let [two, half] = [-2.0, -0.5].map(|number| self.cursor.function.float(self.ty, number));
        let product = self.product(b, reciprocal);
        let factor = self.cursor.value(Op::Binary(BinaryOp::FSub), &[two, product], self.ty);
        self.math(MathOp::FMin, &[factor, half])
    }

    /// The product with a reciprocal that is within 1 ulp.
    fn rough_quotient(&mut self, a: Value, b: Value) -> Value {
        let rough = self.negated_reciprocal(b);
        let one = self.cursor.function.float(self.ty, 1.0);
        let error = self.math(MathOp::Fma, &[b, rough, one]);
        let better = self.math(MathOp::Fma, &[rough, error, rough]);
        let reciprocal = self.corrected(better, rough, error, one);
        let reciprocal = self.negation(reciprocal);
        self.product(a, reciprocal)
    }

    fn known_reciprocal(&self, b: &Constant) -> Option<Reciprocal> {
        let lanes = self.ty.lanes() as usize;
        let numbers: Option<Vec<f32>> =
            (0..lanes).map(|lane| b.lane(lane).map(|bits| f32::from_bits(bits as u32))).collect();
        Reciprocal::of(&numbers?, self.roughly)
    }

    fn constant(&mut self, lanes: &[f32]) -> Value {
        let bits = lanes.iter().map(|number| u64::from(number.to_bits()));
        let constant = match lanes {
            [only] => Constant::Bits(u64::from(only.to_bits())),
            _ => Constant::Lanes(bits.collect()),
        };
        self.cursor.function.constant(self.ty, constant)
    }
}

/// The factors that replace division by the lanes of a constant.
#[derive(Debug, PartialEq)]
enum Reciprocal {
    /// The correctly rounded reciprocals.
    Whole(Vec<f32>),
    /// The reciprocals rounded toward zero, and the rest, with the same sign, so that the products of an
    /// infinity with both can be added. A number's product with both, added with one rounding, is as good as
    /// the quotient.
    Parts { high: Vec<f32>, low: Vec<f32> },
}

impl Reciprocal {
    /// `Some` if the numbers and their replacements are normal, and `low` is at most 1, so that the product
    /// with `low` vanishes where `Fma` flushes the other factor to zero.
    fn of(numbers: &[f32], roughly: bool) -> Option<Reciprocal> {
        let normal = |number: &f32| number.is_normal() && number.recip().is_normal();
        let power = |number: &f32| number.to_bits() & 0x007f_ffff == 0;
        if numbers.iter().all(normal) && (roughly || numbers.iter().all(power)) {
            return Some(Reciprocal::Whole(numbers.iter().map(|number| number.recip()).collect()));
        }
        let moderate = f32::EPSILON..=2_f32.powi(100);
        if roughly || !numbers.iter().all(|number| moderate.contains(&number.abs())) {
            return None;
        }
        let (high, low) = numbers.iter().map(|&number| Self::parts(number)).unzip();
        Some(Reciprocal::Parts { high, low })
    }

    fn parts(number: f32) -> (f32, f32) {
        let exact = 1.0 / f64::from(number);
        let nearest = exact as f32;
        let beyond = f64::from(nearest).abs() >= exact.abs();
        let high = f32::from_bits(nearest.to_bits() - u32::from(beyond));
        (high, (exact - f64::from(high)) as f32)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clvk_ir::{ConvertOp, text::parse_module};
    use rustc_hash::FxHashMap;

    fn quotient(a: f32, b: f32) -> f32 {
        let (high, low) = Reciprocal::parts(b);
        assert!(high.is_normal() && low.is_normal() && high.signum() == low.signum(), "{b}");
        a.mul_add(high, a * low)
    }

    #[test]
    fn products_with_both_parts_of_a_reciprocal_are_quotients() {
        for divisor in 1_u16..2000 {
            for factor in [1.0, -1.0, 3.0e-5, -1.7e25] {
                let b = f32::from(divisor) * factor;
                for multiple in 1_u16..40 {
                    let a = f32::from(multiple) * b;
                    assert_eq!(quotient(a, b), a / b, "{a} / {b}");
                    let a = f32::from(multiple);
                    assert_eq!(quotient(a, b), a / b, "{a} / {b}");
                }
                assert_eq!(quotient(f32::INFINITY, b), f32::INFINITY / b);
                assert_eq!(quotient(-0.0, b).to_bits(), (-0.0 / b).to_bits());
            }
        }
    }

    /// Subnormal numbers are zeros.
    fn flushed(number: f32) -> f32 {
        if number.is_subnormal() { 0.0_f32.copysign(number) } else { number }
    }

    /// The result on a device that flushes subnormal numbers to zero in `Fma` and comparisons, but not in
    /// sums and products, and whose reciprocal square roots are wrong by `off` units.
    fn executed(function: &Function, a: f32, b: f32, off: i32) -> f32 {
        let mut known: FxHashMap<Value, u32> = FxHashMap::default();
        known.extend(function.params.iter().copied().zip([a, b].map(f32::to_bits)));
        for &inst in &function.regions[function.body.expect("it has one")].insts {
            let data = &function.insts[inst];
            let bits = |index: usize| {
                let value = data.operands[index];
                known.get(&value).copied().unwrap_or_else(|| function.as_bits(value).expect("known") as u32)
            };
            let number = |index: usize| f32::from_bits(bits(index));
            let result = match &data.op {
                Op::Return => return number(0),
                Op::Unary(UnaryOp::Not) => !bits(0),
                Op::Unary(UnaryOp::FNeg) => (-number(0)).to_bits(),
                Op::Binary(BinaryOp::And) => bits(0) & bits(1),
                Op::Binary(BinaryOp::Or) => bits(0) | bits(1),
                Op::Binary(BinaryOp::FSub) => (number(0) - number(1)).to_bits(),
                Op::Binary(BinaryOp::FMul) => (number(0) * number(1)).to_bits(),
                Op::Convert(ConvertOp::Bitcast) => bits(0),
                Op::Compare(CompareOp::FOLt) => u32::from(flushed(number(0)) < flushed(number(1))),
                Op::Select if bits(0) != 0 => bits(1),
                Op::Select => bits(2),
                Op::Math(MathOp::FAbs) => number(0).abs().to_bits(),
                Op::Math(MathOp::FMin) => number(0).min(number(1)).to_bits(),
                Op::Math(MathOp::Fma) => {
                    let [a, b, c] = [0, 1, 2].map(|index| flushed(number(index)));
                    flushed(a.mul_add(b, c)).to_bits()
                }
                Op::Math(MathOp::NativeRsqrt) => {
                    let root = (1.0 / f64::from(flushed(number(0))).sqrt()) as f32;
                    if root.is_normal() { root.to_bits().wrapping_add_signed(off) } else { root.to_bits() }
                }
                other => panic!("{other:?} is not known here"),
            };
            known.insert(data.results[0], result);
        }
        panic!("the function returns")
    }

    /// The error of the quotient in units in the last place.
    fn units_off(found: f32, a: f32, b: f32) -> f64 {
        let exact = f64::from(a) / f64::from(b);
        let exponent = ((exact.abs().to_bits() >> 52) as i32 - 1023).max(-126);
        (f64::from(found) - exact).abs() / f64::from(exponent - 23).exp2()
    }

    #[test]
    fn quotients_are_within_two_and_a_half_units() {
        let text = "func @f(%a: f32, %b: f32) -> f32 {\n  %q: f32 = fdiv %a, %b\n  return %q\n}";
        let mut module = parse_module(text).expect("the text is right");
        let (_, function) = module.functions.iter_mut().next().expect("there is one");
        divide(function);
        let mut state = 1_u64;
        let mut next = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 32) as u32
        };
        for round in 0..200_000_u32 {
            let (a, mut b) = (f32::from_bits(next()), f32::from_bits(next()));
            if round % 3 == 0 {
                // The quotient is about as small as normal numbers are, or about 1.
                let exponent = (a.to_bits() >> 23 & 0xff) + if round % 2 == 0 { 126 } else { 0 };
                b = f32::from_bits(b.to_bits() & 0x807f_ffff | exponent.min(254) << 23);
            }
            let quotient = a / b;
            if !(b.is_normal() && quotient.is_finite() && quotient.abs() < 3.4e38) {
                continue;
            }
            let found = executed(function, a, b, (round % 7) as i32 - 3);
            let flushes = quotient.is_subnormal() || a.is_subnormal();
            let right = units_off(found, a, b) <= 2.5 || (flushes && found == 0.0);
            assert!(right, "{a:e} / {b:e} is {quotient:e}, not {found:e}");
        }
        for (a, b) in
            [(0.0, -1.0), (-0.0, 3.0), (1.0, 0.0), (-1.0, 0.0), (f32::INFINITY, -2.0), (5.0, f32::INFINITY)]
        {
            assert_eq!(executed(function, a, b, 2).to_bits(), (a / b).to_bits(), "{a} / {b}");
        }
        for (a, b) in [(0.0, 0.0), (f32::INFINITY, f32::INFINITY), (f32::NAN, 1.0), (1.0, f32::NAN)] {
            assert!(executed(function, a, b, 2).is_nan(), "{a} / {b}");
        }
    }

    #[test]
    fn only_normal_numbers_take_the_place_of_a_divisor() {
        for divisor in [0.0, 1e-40, 3e38, f32::INFINITY, f32::NAN] {
            assert_eq!(Reciprocal::of(&[divisor], false), None, "{divisor}");
            assert_eq!(Reciprocal::of(&[divisor], true), None, "{divisor}");
        }
        assert_eq!(Reciprocal::of(&[1e-8], false), None);
        assert_eq!(Reciprocal::of(&[3.0, 1e31], false), None);
        assert_eq!(Reciprocal::of(&[1e31], true), Some(Reciprocal::Whole(vec![1e-31])));
        assert_eq!(Reciprocal::of(&[2.0, -0.25], false), Some(Reciprocal::Whole(vec![0.5, -4.0])));
        assert!(matches!(Reciprocal::of(&[2.0, 3.0], false), Some(Reciprocal::Parts { .. })));
    }
}
