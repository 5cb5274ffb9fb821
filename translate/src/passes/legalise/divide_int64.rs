//! Division of 64-bit integers by words.
//!
//! Where both upper words are zero the device divides the lower ones. Otherwise the quotient is found bit by bit, as many
//! as it has: the divisor moves left until its first bit stands where the dividend's does.

use super::split_int64::{Pair, Splitting};
use clvk_ir::{BinaryOp, CompareOp, Op, Scalar, Type, UnaryOp, Value};

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
                if signed { self.divide_signed(quotient, a, b) } else { self.divide_unsigned(quotient, a, b) }
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
        let (divisor, other_sign) = self.magnitude(b);
        let result = self.divide_unsigned(quotient, dividend, divisor);
        let sign = if quotient { self.cursor.binary(BinaryOp::Xor, sign, other_sign) } else { sign };
        self.negated(result, sign)
    }

    fn divide_unsigned(&mut self, quotient: bool, a: Pair, b: Pair) -> Pair {
        let op = if quotient { BinaryOp::UDiv } else { BinaryOp::URem };
        let zero = self.cursor.int(Type::I32, 0);
        if self.is_zero(a.high) && self.is_zero(b.high) {
            let low = self.cursor.binary(op, a.low, b.low);
            return Pair { low, high: zero };
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
        let result = self.divide_bit_by_bit(quotient, a, b);
        self.cursor.push(Op::Exit(owner), &[result.low, result.high], &[], &[]);
        self.cursor.close();
        let results = &self.cursor.function.insts[owner].results;
        Pair { low: results[0], high: results[1] }
    }

    fn leading_zeros(&mut self, value: Pair) -> Value {
        let count = |this: &mut Self, word| {
            this.cursor.value(Op::Unary(UnaryOp::CountLeadingZeros), &[word], Type::I32)
        };
        let (high, low) = (count(self, value.high), count(self, value.low));
        let zero = self.cursor.int(Type::I32, 0);
        let empty = self.cursor.compare(CompareOp::Eq, value.high, zero);
        let beyond = self.cursor.binary_int(BinaryOp::Add, low, 32);
        self.cursor.select(empty, beyond, high)
    }

    /// The loop carries the remainder, the divisor as it moves back to the right, the quotient and the bits to go.
    fn divide_bit_by_bit(&mut self, quotient: bool, a: Pair, b: Pair) -> Pair {
        let zero = self.cursor.int(Type::I32, 0);
        let (of_a, of_b) = (self.leading_zeros(a), self.leading_zeros(b));
        let distance = self.cursor.binary(BinaryOp::Sub, of_b, of_a);
        let distance = self.cursor.value(Op::Binary(BinaryOp::SMax), &[distance, zero], Type::I32);
        let divisor = self.shift(BinaryOp::Shl, b, distance);
        let bits = self.cursor.binary_int(BinaryOp::Add, distance, 1);
        let first = [a.low, a.high, divisor.low, divisor.high, zero, zero, bits];
        let steps = self.cursor.begin_loop(&first, &[Type::I32, Type::I32]);
        let carried = &steps.carried;
        let (rest, divisor) =
            (Pair { low: carried[0], high: carried[1] }, Pair { low: carried[2], high: carried[3] });
        let found = Pair { low: carried[4], high: carried[5] };
        let end = self.cursor.compare(CompareOp::Eq, carried[6], zero);
        let result = if quotient { found } else { rest };
        self.cursor.exit_when(end, true, steps.inst, &[result.low, result.high]);
        let fits = self.compare(CompareOp::UGe, rest, divisor).expect("integers are compared");
        let less = self.subtract(rest, divisor);
        let rest = self.choose(fits, less, rest);
        let doubled = self.add(found, found);
        let bit = self.bit(fits);
        let low = self.cursor.binary(BinaryOp::Or, doubled.low, bit);
        let one = self.cursor.int(Type::I32, 1);
        let divisor = self.shift(BinaryOp::LShr, divisor, one);
        let bits = self.cursor.binary_int(BinaryOp::Sub, carried[6], 1);
        let values = [rest.low, rest.high, divisor.low, divisor.high, low, doubled.high, bits];
        self.cursor.end_loop(&steps, &values);
        let results = &self.cursor.function.insts[steps.inst].results;
        Pair { low: results[0], high: results[1] }
    }

    /// One of two pairs.
    pub fn choose(&mut self, condition: Value, if_true: Pair, if_false: Pair) -> Pair {
        Pair {
            low: self.cursor.select(condition, if_true.low, if_false.low),
            high: self.cursor.select(condition, if_true.high, if_false.high),
        }
    }

    /// A floating-point number, in single or double precision, as a 64-bit integer, toward zero.
    pub fn pair_of_float(&mut self, value: Value, signed: bool) -> Pair {
        use clvk_ir::{ConvertOp, MathOp, RoundingMode};
        let ty = self.ty(value);
        let words = ty.with_scalar(Scalar::I32);
        let magnitude = match signed {
            true => self.cursor.value(Op::Math(MathOp::FAbs), &[value], ty),
            false => value,
        };
        let to_word = ConvertOp::FloatToUnsigned { saturating: false };
        // All of this is exact: it only takes the significand apart.
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
