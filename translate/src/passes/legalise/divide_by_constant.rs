//! Division of 64-bit integers by constants: the upper half of a product with 2^64 times a power of two over
//! the divisor, rounded up (Granlund and Montgomery, 1994; Warren, “Hacker's Delight”, chapter 10).
//!
//! The underlying arithmetic depends on the device ([`Arithmetic`]): 64-bit integers, or pairs of words.

use super::expand::multiply_high_64;
use crate::passes::cursor::Cursor;
use clvk_ir::{BinaryOp, ConvertOp, Op, Type, Value};

/// Arithmetic on 64-bit integers.
pub trait Arithmetic {
    /// One of these integers.
    type Number: Copy;
    /// A constant.
    fn constant(&mut self, value: u64) -> Self::Number;
    /// A sum, difference or product, modulo 2^64.
    fn apply(&mut self, op: BinaryOp, a: Self::Number, b: Self::Number) -> Self::Number;
    /// The upper half of a product of 128 bits.
    fn upper_product(&mut self, a: Self::Number, b: Self::Number) -> Self::Number;
    /// Shifts right by `count`, at most 63.
    fn shift_right(&mut self, value: Self::Number, count: u32) -> Self::Number;
}

/// The quotient, or otherwise the remainder, of an unsigned number up to `greatest` by a constant that is not
/// zero.
pub fn divide<A: Arithmetic>(
    arithmetic: &mut A,
    quotient: bool,
    dividend: A::Number,
    divisor: u64,
    greatest: u64,
) -> A::Number {
    let found = match divisor.is_power_of_two() {
        true => arithmetic.shift_right(dividend, divisor.trailing_zeros()),
        false => Magic::of(divisor, greatest).quotient(arithmetic, dividend),
    };
    if quotient {
        return found;
    }
    let divisor = arithmetic.constant(divisor);
    let product = arithmetic.apply(BinaryOp::Mul, found, divisor);
    arithmetic.apply(BinaryOp::Sub, dividend, product)
}

/// The magic number of a divisor that is not a power of two.
struct Magic {
    /// The number of bits by which the dividend is shifted before the multiplication.
    before: u32,
    multiplier: u64,
    /// The multiplier omits its top bit, 2^64.
    carries: bool,
    /// The number of bits by which the product's upper half is shifted.
    after: u32,
}

impl Magic {
    /// The numbers for dividends up to `greatest`. The multiplier is 2^(64 + `after`) over the divisor,
    /// rounded up. The quotient is exact if the amount rounded up, times the divisor and the dividend, is
    /// less than 2^(64 + `after`): then the product's error stays below the distance to the next quotient.
    fn of(divisor: u64, greatest: u64) -> Magic {
        let bits = 64 - divisor.leading_zeros();
        let (wide, after) = (u128::from(divisor), bits - 1);
        let multiplier = (1 << (64 + after)) / wide + 1;
        let excess = multiplier * wide - (1 << (64 + after));
        if excess * u128::from(greatest) < 1 << (64 + after) {
            let spare = multiplier.trailing_zeros().min(after);
            let multiplier = (multiplier >> spare) as u64;
            return Magic { before: 0, multiplier, carries: false, after: after - spare };
        }
        let before = divisor.trailing_zeros();
        if before > 0 {
            // The saved bits make room for one more bit of the multiplier.
            return Magic { before, ..Magic::of(divisor >> before, greatest >> before) };
        }
        let multiplier = ((((1 << bits) - wide) << 64) / wide + 1) as u64;
        Magic { before: 0, multiplier, carries: true, after }
    }

    fn quotient<A: Arithmetic>(&self, arithmetic: &mut A, dividend: A::Number) -> A::Number {
        let dividend = arithmetic.shift_right(dividend, self.before);
        let multiplier = arithmetic.constant(self.multiplier);
        let mut upper = arithmetic.upper_product(dividend, multiplier);
        if self.carries {
            // Half the sum with the dividend, which has 65 bits.
            let difference = arithmetic.apply(BinaryOp::Sub, dividend, upper);
            let half = arithmetic.shift_right(difference, 1);
            upper = arithmetic.apply(BinaryOp::Add, half, upper);
        }
        arithmetic.shift_right(upper, self.after)
    }
}

/// Replaces quotients and remainders of 64-bit integers that are not split, by constants that are not zero,
/// unless words are divided.
pub fn divide_whole(cursor: &mut Cursor<'_>, op: BinaryOp, dividend: Value, divisor: Value) -> Option<Value> {
    let function = &cursor.function;
    let constant = function.as_constant(divisor)?;
    let lanes = function.ty(divisor).lanes() as usize;
    let divisors: Vec<u64> = (0..lanes).map(|lane| constant.lane(lane)).collect::<Option<_>>()?;
    let extended = function
        .defining_inst(dividend)
        .is_some_and(|inst| function.insts[inst].op == Op::Convert(ConvertOp::ZeroExtend));
    let words = divisors.iter().all(|&divisor| divisor <= u64::from(u32::MAX));
    if divisors.contains(&0) || (extended && words) {
        return None;
    }
    let dividends = cursor.lanes(dividend);
    let mut whole = Whole { cursor };
    let pairs = dividends.into_iter().zip(divisors);
    let results: Vec<Value> = pairs.map(|(dividend, divisor)| whole.divide(op, dividend, divisor)).collect();
    Some(cursor.construct(&results))
}

/// 64-bit scalars, where the device has them.
struct Whole<'c, 'f> {
    cursor: &'c mut Cursor<'f>,
}

impl Arithmetic for Whole<'_, '_> {
    type Number = Value;

    fn constant(&mut self, value: u64) -> Value {
        self.cursor.int(Type::I64, value as i64)
    }

    fn apply(&mut self, op: BinaryOp, a: Value, b: Value) -> Value {
        self.cursor.binary(op, a, b)
    }

    fn upper_product(&mut self, a: Value, b: Value) -> Value {
        multiply_high_64(self.cursor, BinaryOp::UMulHi, a, b)
    }

    fn shift_right(&mut self, value: Value, count: u32) -> Value {
        self.cursor.binary_int(BinaryOp::LShr, value, i64::from(count))
    }
}

impl Whole<'_, '_> {
    /// The quotient or otherwise the remainder by a constant that is not zero.
    fn divide(&mut self, op: BinaryOp, dividend: Value, divisor: u64) -> Value {
        let quotient = matches!(op, BinaryOp::SDiv | BinaryOp::UDiv);
        if matches!(op, BinaryOp::UDiv | BinaryOp::URem) {
            return divide(self, quotient, dividend, divisor, u64::MAX);
        }
        let sign = self.cursor.binary_int(BinaryOp::AShr, dividend, 63);
        let magnitude = self.negated(dividend, sign);
        let result = divide(self, quotient, magnitude, (divisor as i64).unsigned_abs(), 1 << 63);
        let ones = self.cursor.int(Type::I64, -1);
        let negative = quotient && (divisor as i64) < 0;
        let sign = if negative { self.cursor.binary(BinaryOp::Xor, sign, ones) } else { sign };
        self.negated(result, sign)
    }

    /// The value, or its negation where `sign` is all ones.
    fn negated(&mut self, value: Value, sign: Value) -> Value {
        let flipped = self.cursor.binary(BinaryOp::Xor, value, sign);
        self.cursor.binary(BinaryOp::Sub, flipped, sign)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Evaluates immediately.
    struct Computing;

    impl Arithmetic for Computing {
        type Number = u64;

        fn constant(&mut self, value: u64) -> u64 {
            value
        }

        fn apply(&mut self, op: BinaryOp, a: u64, b: u64) -> u64 {
            match op {
                BinaryOp::Add => a.wrapping_add(b),
                BinaryOp::Sub => a.wrapping_sub(b),
                BinaryOp::Mul => a.wrapping_mul(b),
                _ => panic!("{op:?} is not asked for"),
            }
        }

        fn upper_product(&mut self, a: u64, b: u64) -> u64 {
            ((u128::from(a) * u128::from(b)) >> 64) as u64
        }

        fn shift_right(&mut self, value: u64, count: u32) -> u64 {
            value >> count
        }
    }

    fn some_numbers(count: usize) -> impl Iterator<Item = u64> {
        let step = |state: &u64| {
            Some(state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407))
        };
        let random = std::iter::successors(Some(1_u64), step);
        random.enumerate().map(|(index, number)| (number ^ (number >> 29)) >> (index % 64)).take(count)
    }

    fn divisors() -> Vec<u64> {
        let powers = (1..64).map(|bit| 1_u64 << bit).flat_map(|power| [power - 1, power, power + 1]);
        let largest = [u64::MAX, u64::MAX - 1, u64::MAX / 3, 1_000_000_007, 10_000_000_000_000_000_000];
        let all = (1..1000).chain(powers).chain(largest).chain(some_numbers(4000));
        all.filter(|&divisor| divisor != 0).collect()
    }

    /// The dividends at which quotients change, and some others.
    fn dividends(divisor: u64) -> Vec<u64> {
        let multiples =
            [1, 2, 3, u64::MAX / divisor, u64::MAX / divisor / 2, (u64::MAX / divisor).saturating_sub(1)];
        let edges = multiples.into_iter().chain(some_numbers(8)).map(|factor| factor.wrapping_mul(divisor));
        let near = edges.flat_map(|edge| [edge.wrapping_sub(1), edge, edge.wrapping_add(1)]);
        let fixed = [0, 1, u64::MAX, u64::MAX - 1, 1 << 63, (1 << 63) - 1, 1 << 32, (1 << 32) - 1];
        near.chain(fixed).chain(some_numbers(70)).collect()
    }

    #[test]
    fn quotients_and_remainders_by_constants_are_right() {
        for divisor in divisors() {
            for dividend in dividends(divisor) {
                for greatest in [u64::MAX, 1 << 63] {
                    let dividend = dividend.min(greatest);
                    let found = [true, false]
                        .map(|quotient| divide(&mut Computing, quotient, dividend, divisor, greatest));
                    assert_eq!(found, [dividend / divisor, dividend % divisor], "{dividend} by {divisor}");
                }
            }
        }
    }

    #[test]
    fn magnitudes_never_need_a_multiplier_of_65_bits() {
        for divisor in divisors().into_iter().filter(|divisor| !divisor.is_power_of_two()) {
            assert!(!Magic::of(divisor, 1 << 63).carries, "{divisor}");
        }
        assert!(Magic::of(7, u64::MAX).carries);
        assert!(!Magic::of(10, u64::MAX).carries);
    }
}
