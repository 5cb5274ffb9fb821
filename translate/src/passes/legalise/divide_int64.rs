//! Division of 64-bit integers in words.
//!
//! Where both upper words are zero, the device divides the lower ones. [`divide_by_constant`] divides by
//! constants. Otherwise the quotient is a sum of estimates in single precision, none of them too large: each
//! leaves at most a 2^17th of the dividend plus the divisor.

use super::divide_by_constant::{self, Arithmetic};
use super::split_int64::{Pair, Splitting};
use clvk_ir::{BinaryOp, CompareOp, ConvertOp, FastMath, MathOp, Op, RoundingMode, Scalar, Type, Value};

impl Splitting<'_> {
    /// A division or remainder, signed or not, of scalars or vectors.
    pub fn divide(&mut self, op: BinaryOp, a: Pair, b: Pair) -> Pair {
        let lanes = self.ty(a.low).lanes();
        let signed = matches!(op, BinaryOp::SDiv | BinaryOp::SRem);
        let quotient = matches!(op, BinaryOp::SDiv | BinaryOp::UDiv);
        if self.is_zero(a.high) && self.is_zero(b.high) {
            let op = if quotient { BinaryOp::UDiv } else { BinaryOp::URem };
            return Pair { low: self.cursor.binary(op, a.low, b.low), high: a.high };
        }
        let results: Vec<Pair> = (0..lanes)
            .map(|lane| {
                let (a, b) = (self.lane(a, lane), self.lane(b, lane));
                if signed {
                    self.divide_signed(quotient, a, b)
                } else {
                    self.divide_unsigned(quotient, a, b, u64::MAX)
                }
            })
            .collect();
        let lows: Vec<Value> = results.iter().map(|pair| pair.low).collect();
        let highs: Vec<Value> = results.iter().map(|pair| pair.high).collect();
        Pair { low: self.cursor.construct(&lows), high: self.cursor.construct(&highs) }
    }

    fn lane(&mut self, pair: Pair, lane: u32) -> Pair {
        Pair { low: self.cursor.extract(pair.low, lane), high: self.cursor.extract(pair.high, lane) }
    }

    /// The absolute value, and all ones if it was negative.
    pub fn magnitude(&mut self, value: Pair) -> (Pair, Value) {
        let sign = self.cursor.binary_int(BinaryOp::AShr, value.high, 31);
        (self.negated(value, sign), sign)
    }

    /// The value, or its negation where `sign` is all ones.
    pub fn negated(&mut self, value: Pair, sign: Value) -> Pair {
        let flipped = Pair {
            low: self.cursor.binary(BinaryOp::Xor, value.low, sign),
            high: self.cursor.binary(BinaryOp::Xor, value.high, sign),
        };
        self.subtract(flipped, Pair { low: sign, high: sign })
    }

    fn divide_signed(&mut self, quotient: bool, a: Pair, b: Pair) -> Pair {
        let (dividend, sign) = self.magnitude(a);
        let (divisor, other_sign) = match self.known(b) {
            Some(bits) if bits >> 63 == 0 => (b, self.cursor.int(Type::I32, 0)),
            Some(bits) => (self.constant(bits.wrapping_neg()), self.cursor.int(Type::I32, -1)),
            None => self.magnitude(b),
        };
        let result = self.divide_unsigned(quotient, dividend, divisor, 1 << 63);
        let sign = if quotient { self.cursor.binary(BinaryOp::Xor, sign, other_sign) } else { sign };
        self.negated(result, sign)
    }

    /// Division of a dividend up to `greatest`.
    fn divide_unsigned(&mut self, quotient: bool, a: Pair, b: Pair, greatest: u64) -> Pair {
        let op = if quotient { BinaryOp::UDiv } else { BinaryOp::URem };
        let zero = self.cursor.int(Type::I32, 0);
        if self.is_zero(a.high) && self.is_zero(b.high) {
            let low = self.cursor.binary(op, a.low, b.low);
            return Pair { low, high: zero };
        }
        if let Some(divisor) = self.known(b).filter(|&divisor| divisor != 0) {
            return divide_by_constant::divide(self, quotient, a, divisor, greatest);
        }
        let upper = self.cursor.binary(BinaryOp::Or, a.high, b.high);
        let short = self.cursor.compare(CompareOp::Eq, upper, zero);
        let regions = [self.cursor.function.add_region(), self.cursor.function.add_region()];
        let owner = self.cursor.push(Op::If, &[short], &[Type::I32, Type::I32], &regions);
        self.cursor.open(regions[0]);
        let low = self.cursor.binary(op, a.low, b.low);
        self.cursor.push(Op::Exit(owner), &[low, zero], &[], &[]);
        self.cursor.close();
        self.cursor.open(regions[1]);
        let fast_math = self.cursor.set_fast_math(FastMath::empty());
        let result = self.divide_by_estimates(quotient, a, b);
        self.cursor.set_fast_math(fast_math);
        self.cursor.push(Op::Exit(owner), &[result.low, result.high], &[], &[]);
        self.cursor.close();
        let results = &self.cursor.function.insts[owner].results;
        Pair { low: results[0], high: results[1] }
    }

    /// The value of a scalar that is a constant.
    fn known(&self, value: Pair) -> Option<u64> {
        let function = &self.cursor.function;
        Some(function.as_bits(value.low)? & 0xffff_ffff | function.as_bits(value.high)? << 32)
    }

    /// The number in single precision. Two conversions and a sum may each err by a unit in the last place.
    fn estimated(&mut self, value: Pair) -> Value {
        let to_float = ConvertOp::UnsignedToFloat(RoundingMode::NearestEven);
        let [high, low] = [value.high, value.low].map(|word| self.cursor.convert(to_float, word, Type::F32));
        let factor = self.cursor.function.float(Type::F32, 4_294_967_296.0);
        let high = self.cursor.value(Op::Binary(BinaryOp::FMul), &[high, factor], Type::F32);
        self.cursor.value(Op::Binary(BinaryOp::FAdd), &[high, low], Type::F32)
    }

    /// The reciprocal, too small by a little more than 2^-18: the square of the reciprocal square root, which
    /// every device has in hardware and which may be 2 ulp off.
    fn less_than_reciprocal(&mut self, value: Pair) -> Value {
        let estimate = self.estimated(value);
        let root = self.cursor.value(Op::Math(MathOp::NativeRsqrt), &[estimate], Type::F32);
        let square = self.cursor.value(Op::Binary(BinaryOp::FMul), &[root, root], Type::F32);
        let less = self.cursor.function.float(Type::F32, 1.0 - 1.0 / 262_144.0);
        self.cursor.value(Op::Binary(BinaryOp::FMul), &[square, less], Type::F32)
    }

    /// The loop carries the rest of the dividend, and the quotient so far.
    ///
    /// The inputs of an estimate err by 13 units in the last place, each unit at most 2^-23 of a number: both
    /// numbers by 3, the reciprocal by 5 and the products by 1. The estimate is reduced by 32 units, so it is
    /// never too large. If it is zero it counts as 1, because the divisor fits at least once. In a division
    /// by zero, which may have any result, the divisor is 1.
    fn divide_by_estimates(&mut self, quotient: bool, a: Pair, b: Pair) -> Pair {
        let zero = self.cursor.int(Type::I32, 0);
        let b = self.at_least_one(b);
        let reciprocal = self.less_than_reciprocal(b);
        let steps = self.cursor.begin_loop(&[a.low, a.high, zero, zero], &[Type::I32, Type::I32]);
        let carried = &steps.carried;
        let (rest, found) =
            (Pair { low: carried[0], high: carried[1] }, Pair { low: carried[2], high: carried[3] });
        let end = self.compare(CompareOp::ULt, rest, b).expect("integers are compared");
        let result = if quotient { found } else { rest };
        self.cursor.exit_when(end, true, steps.inst, &[result.low, result.high]);
        let estimate = self.estimated(rest);
        let estimate = self.cursor.value(Op::Binary(BinaryOp::FMul), &[estimate, reciprocal], Type::F32);
        let estimate = self.pair_of_float(estimate, false);
        let step = self.at_least_one(estimate);
        let product = self.multiply(step, b);
        let (rest, found) = (self.subtract(rest, product), self.add(found, step));
        self.cursor.end_loop(&steps, &[rest.low, rest.high, found.low, found.high]);
        let results = &self.cursor.function.insts[steps.inst].results;
        Pair { low: results[0], high: results[1] }
    }

    fn at_least_one(&mut self, value: Pair) -> Pair {
        let bits = self.cursor.binary(BinaryOp::Or, value.low, value.high);
        let zero = self.cursor.int(Type::I32, 0);
        let nothing = self.cursor.compare(CompareOp::Eq, bits, zero);
        let one = self.bit(nothing);
        Pair { low: self.cursor.binary(BinaryOp::Or, value.low, one), high: value.high }
    }

    /// A floating-point number, in single or double precision, as a 64-bit integer, toward zero.
    pub fn pair_of_float(&mut self, value: Value, signed: bool) -> Pair {
        let ty = self.ty(value);
        let words = ty.with_scalar(Scalar::I32);
        let magnitude = match signed {
            true => self.cursor.value(Op::Math(MathOp::FAbs), &[value], ty),
            false => value,
        };
        let to_word = ConvertOp::FloatToUnsigned { saturating: false };
        // All of this is exact: it only splits the significand.
        let scale = self.cursor.function.float(ty, 1.0 / 4_294_967_296.0);
        let scaled = self.cursor.value(Op::Binary(BinaryOp::FMul), &[magnitude, scale], ty);
        let high = self.cursor.convert(to_word, scaled, words);
        let back = self.cursor.convert(ConvertOp::UnsignedToFloat(RoundingMode::NearestEven), high, ty);
        let factor = self.cursor.function.float(ty, 4_294_967_296.0);
        let back = self.cursor.value(Op::Binary(BinaryOp::FMul), &[back, factor], ty);
        let rest = self.cursor.value(Op::Binary(BinaryOp::FSub), &[magnitude, back], ty);
        let low = self.cursor.convert(to_word, rest, words);
        let result = Pair { low, high };
        if !signed {
            return result;
        }
        let zero = self.cursor.function.float(ty, 0.0);
        let negative = self.cursor.compare(CompareOp::FOLt, value, zero);
        let sign = self.cursor.convert(ConvertOp::SignExtend, negative, words);
        self.negated(result, sign)
    }
}

impl Arithmetic for Splitting<'_> {
    type Number = Pair;

    fn constant(&mut self, value: u64) -> Pair {
        let mut word = |bits: u64| self.cursor.int(Type::I32, i64::from(bits as u32));
        Pair { low: word(value), high: word(value >> 32) }
    }

    fn apply(&mut self, op: BinaryOp, a: Pair, b: Pair) -> Pair {
        match op {
            BinaryOp::Add => self.add(a, b),
            BinaryOp::Sub => self.subtract(a, b),
            _ => self.multiply(a, b),
        }
    }

    fn upper_product(&mut self, a: Pair, b: Pair) -> Pair {
        let mut product = |x: Value, y: Value| Pair {
            low: self.cursor.binary(BinaryOp::Mul, x, y),
            high: self.cursor.value(Op::Binary(BinaryOp::UMulHi), &[x, y], Type::I32),
        };
        let (lowest, one, other, highest) =
            (product(a.low, b.low), product(a.low, b.high), product(a.high, b.low), product(a.high, b.high));
        let zero = self.cursor.int(Type::I32, 0);
        let word = |low: Value| Pair { low, high: zero };
        // None of these sums exceeds a pair.
        let middle = self.add(one, word(lowest.high));
        let carried = self.add(other, word(middle.low));
        let upper = self.add(highest, word(middle.high));
        self.add(upper, word(carried.high))
    }

    fn shift_right(&mut self, value: Pair, count: u32) -> Pair {
        if count == 0 {
            return value;
        }
        if count >= 32 {
            let low = self.cursor.binary_int(BinaryOp::LShr, value.high, i64::from(count - 32));
            return Pair { low, high: self.cursor.int(Type::I32, 0) };
        }
        let low = self.cursor.binary_int(BinaryOp::LShr, value.low, i64::from(count));
        let over = self.cursor.binary_int(BinaryOp::Shl, value.high, i64::from(32 - count));
        let high = self.cursor.binary_int(BinaryOp::LShr, value.high, i64::from(count));
        Pair { low: self.cursor.binary(BinaryOp::Or, low, over), high }
    }
}
