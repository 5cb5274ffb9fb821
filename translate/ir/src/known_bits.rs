//! What is known of the bits of integers, whatever the inputs are: which are zero, which are one, and how
//! many of the highest are copies of the sign.
//!
//! [`KnownBits`] follows a value through its operands, a limited number of steps back, and remembers what it
//! finds. Of what a loop carries, of parameters and of what memory holds it knows nothing; of local ids, what
//! a required work-group size says. Where the IR allows any value (a division by zero), it knows one of them.

use crate::types::sign_extend;
use crate::{
    BinaryOp, Constant, ConvertOp, Function, Inst, Op, Scalar, Type, UnaryOp, Value, ValueDef, WorkItemQuery,
};
use rustc_hash::FxHashMap;

/// How far a value is followed back, in operations.
const MAX_DEPTH: u32 = 24;

/// What is known of an integer of up to 64 bits. Of a vector: what holds for every lane.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bits {
    width: u32,
    zeros: u64,
    ones: u64,
    /// How many of the highest bits are equal, at least 1.
    signs: u32,
}

impl Bits {
    /// Nothing is known of an integer of this width.
    #[must_use]
    pub fn unknown(width: u32) -> Self {
        Bits { width, zeros: 0, ones: 0, signs: 1 }
    }

    /// A constant.
    #[must_use]
    pub fn constant(width: u32, bits: u64) -> Self {
        Bits::new(width, !bits, bits, 1)
    }

    /// Completes what one of the members says of the others.
    fn new(width: u32, zeros: u64, ones: u64, signs: u32) -> Self {
        let mut bits = Bits {
            width,
            zeros: zeros & mask(width),
            ones: ones & mask(width),
            signs: signs.clamp(1, width),
        };
        let top = mask(width) & !mask(width - bits.signs);
        let sign = 1 << (width - 1);
        if bits.zeros & sign != 0 {
            bits.zeros |= top;
        } else if bits.ones & sign != 0 {
            bits.ones |= top;
        }
        bits.signs = bits.signs.max(bits.leading(bits.zeros)).max(bits.leading(bits.ones));
        bits
    }

    /// Bits that are zero.
    #[must_use]
    pub fn zeros(self) -> u64 {
        self.zeros
    }

    /// Bits that are one.
    #[must_use]
    pub fn ones(self) -> u64 {
        self.ones
    }

    /// The value, if every bit is known.
    #[must_use]
    pub fn value(self) -> Option<u64> {
        (self.zeros | self.ones == mask(self.width)).then_some(self.ones)
    }

    /// Whether it is below 2 to the power of `bits`, as an unsigned number.
    #[must_use]
    pub fn fits_unsigned(self, bits: u32) -> bool {
        self.leading_zeros() + bits >= self.width
    }

    /// Whether it is a signed number of `bits` bits.
    #[must_use]
    pub fn fits_signed(self, bits: u32) -> bool {
        self.signs + bits > self.width
    }

    /// Whether it is not negative as a signed number.
    #[must_use]
    pub fn is_not_negative(self) -> bool {
        self.leading_zeros() > 0
    }

    /// How many of the highest bits of a mask are set.
    fn leading(self, mask: u64) -> u32 {
        (!(mask << (64 - self.width))).leading_zeros().min(self.width)
    }

    fn leading_zeros(self) -> u32 {
        self.leading(self.zeros)
    }

    fn trailing_zeros(self) -> u32 {
        (!self.zeros).trailing_zeros().min(self.width)
    }

    /// With this many zeros at the top.
    fn below(width: u32, leading_zeros: u32) -> Self {
        Bits::new(width, !mask(width.saturating_sub(leading_zeros)), 0, 1)
    }

    /// What is known of a value that is one of two.
    #[must_use]
    pub fn either(self, other: Bits) -> Bits {
        Bits::new(self.width, self.zeros & other.zeros, self.ones & other.ones, self.signs.min(other.signs))
    }

    /// What is known of a value if both hold.
    fn both(self, other: Bits) -> Bits {
        Bits::new(self.width, self.zeros | other.zeros, self.ones | other.ones, self.signs.max(other.signs))
    }

    fn unary(op: UnaryOp, a: Bits) -> Bits {
        let width = a.width;
        match op {
            UnaryOp::Not => Bits::new(width, a.ones, a.zeros, a.signs),
            UnaryOp::Neg => Bits::new(width, mask(a.trailing_zeros()), 0, a.signs - 1),
            // At most the width.
            UnaryOp::PopCount | UnaryOp::CountLeadingZeros | UnaryOp::CountTrailingZeros => {
                Bits::below(width, width.saturating_sub(width.ilog2() + 1))
            }
            UnaryOp::HighestBit | UnaryOp::LowestBit | UnaryOp::FNeg => Bits::unknown(width),
        }
    }

    fn binary(op: BinaryOp, a: Bits, b: Bits) -> Bits {
        let width = a.width;
        let signs = a.signs.min(b.signs);
        match op {
            BinaryOp::And => Bits::new(width, a.zeros | b.zeros, a.ones & b.ones, signs),
            BinaryOp::Or => Bits::new(width, a.zeros & b.zeros, a.ones | b.ones, signs),
            BinaryOp::Xor => {
                let zeros = a.zeros & b.zeros | a.ones & b.ones;
                Bits::new(width, zeros, a.zeros & b.ones | a.ones & b.zeros, signs)
            }
            // Without a carry, as in `y * 32 + x` of small numbers.
            BinaryOp::Add if a.zeros | b.zeros == mask(width) => Bits::binary(BinaryOp::Or, a, b),
            BinaryOp::Add => {
                let low = mask(a.trailing_zeros().min(b.trailing_zeros()));
                // The carry takes one bit.
                let high = a.leading_zeros().min(b.leading_zeros()).saturating_sub(1);
                Bits::new(width, low, 0, signs - 1).both(Bits::below(width, high))
            }
            BinaryOp::Sub => Bits::new(width, mask(a.trailing_zeros().min(b.trailing_zeros())), 0, signs - 1),
            BinaryOp::Mul => Bits::product(a, b),
            BinaryOp::UDiv => Bits::below(width, a.leading_zeros()),
            BinaryOp::URem => Bits::below(width, a.leading_zeros().max(b.leading_zeros())),
            BinaryOp::SDiv if a.is_not_negative() && b.is_not_negative() => {
                Bits::below(width, a.leading_zeros())
            }
            // The smallest number by −1 takes one bit more.
            BinaryOp::SDiv => Bits::new(width, 0, 0, a.signs - 1),
            BinaryOp::SRem => {
                let rest = Bits::new(width, 0, 0, a.signs.max(b.signs));
                if a.is_not_negative() { rest.both(Bits::below(width, a.leading_zeros())) } else { rest }
            }
            BinaryOp::Shl | BinaryOp::LShr | BinaryOp::AShr => Bits::shift(op, a, b),
            BinaryOp::SMin | BinaryOp::SMax | BinaryOp::UMax => a.either(b),
            BinaryOp::UMin => a.either(b).both(Bits::below(width, a.leading_zeros().max(b.leading_zeros()))),
            BinaryOp::SMulHi | BinaryOp::UMulHi => Bits::unknown(width),
            BinaryOp::FAdd | BinaryOp::FSub | BinaryOp::FMul | BinaryOp::FDiv => Bits::unknown(width),
        }
    }

    fn product(a: Bits, b: Bits) -> Bits {
        let width = a.width;
        if let Some(factor) = b.value().filter(|factor| factor.is_power_of_two()) {
            return Bits::shift(BinaryOp::Shl, a, Bits::constant(width, u64::from(factor.trailing_zeros())));
        }
        let low = mask((a.trailing_zeros() + b.trailing_zeros()).min(width));
        let unsigned = (a.leading_zeros() + b.leading_zeros()).saturating_sub(width);
        // A number with `signs` copies of its sign has `width - signs + 1` bits; a product has as many as
        // both.
        let signs = (a.signs + b.signs).saturating_sub(width + 1);
        Bits::new(width, low, 0, signs).both(Bits::below(width, unsigned))
    }

    fn shift(op: BinaryOp, a: Bits, b: Bits) -> Bits {
        let width = a.width;
        let Some(count) = b.value().map(|count| (count % u64::from(width)) as u32) else {
            return match op {
                BinaryOp::Shl => Bits::new(width, mask(a.trailing_zeros()), 0, 1),
                BinaryOp::LShr => Bits::below(width, a.leading_zeros()),
                _ => Bits::below(width, a.leading_zeros()).both(Bits::new(width, 0, 0, a.signs)),
            };
        };
        match op {
            BinaryOp::Shl => {
                let zeros = a.zeros << count | mask(count);
                Bits::new(width, zeros, a.ones << count, a.signs.saturating_sub(count))
            }
            BinaryOp::LShr if count == 0 => a,
            BinaryOp::LShr => Bits::new(width, a.zeros >> count | !mask(width - count), a.ones >> count, 1),
            _ => {
                let extended = |bits: u64| (sign_extend(width, bits) >> count) as u64;
                Bits::new(width, extended(a.zeros), extended(a.ones), a.signs + count)
            }
        }
    }

    fn convert(self, op: ConvertOp, width: u32) -> Bits {
        match op {
            ConvertOp::ZeroExtend => Bits::new(width, self.zeros | !mask(self.width), self.ones, 1),
            ConvertOp::SignExtend => {
                let extended = |bits: u64| sign_extend(self.width, bits) as u64;
                let signs = self.signs + width - self.width;
                Bits::new(width, extended(self.zeros), extended(self.ones), signs)
            }
            ConvertOp::Truncate => {
                Bits::new(width, self.zeros, self.ones, self.signs.saturating_sub(self.width - width))
            }
            _ => Bits::unknown(width),
        }
    }
}

/// The lowest bits.
fn mask(bits: u32) -> u64 {
    if bits >= 64 { u64::MAX } else { (1 << bits) - 1 }
}

/// The width of integers and truth values, or of the lanes of a vector of them.
fn width_of(ty: Type) -> Option<u32> {
    ty.scalar().filter(|scalar| scalar.is_int() || *scalar == Scalar::Bool).map(Scalar::bits)
}

/// What is known of the values of one function. It stays right while instructions are replaced by others that
/// mean the same.
#[derive(Default)]
pub struct KnownBits {
    known: FxHashMap<Value, Bits>,
    /// The exits of each construct.
    exits: FxHashMap<Inst, Vec<Inst>>,
}

impl KnownBits {
    /// For a function as it is now.
    #[must_use]
    pub fn new(function: &Function) -> Self {
        KnownBits { known: FxHashMap::default(), exits: function.exits() }
    }

    /// What is known of an integer, or of each lane of a vector of integers.
    ///
    /// # Panics
    /// If it is neither.
    pub fn of(&mut self, function: &Function, value: Value) -> Bits {
        let width = width_of(function.ty(value)).expect("only integers have known bits");
        self.at_depth(function, value, width, MAX_DEPTH)
    }

    fn at_depth(&mut self, function: &Function, value: Value, width: u32, depth: u32) -> Bits {
        if let Some(&known) = self.known.get(&value) {
            return known;
        }
        if depth == 0 {
            return Bits::unknown(width);
        }
        let bits = match &function.values[value].def {
            ValueDef::Constant(constant) => of_constant(constant, function.ty(value), width),
            ValueDef::Result(inst, index) => {
                self.of_result(function, *inst, *index as usize, width, depth - 1)
            }
            _ => Bits::unknown(width),
        };
        self.known.insert(value, bits);
        bits
    }

    fn of_result(&mut self, function: &Function, inst: Inst, index: usize, width: u32, depth: u32) -> Bits {
        let data = &function.insts[inst];
        let mut operand = |position: usize| {
            let value = data.operands[position];
            let width = width_of(function.ty(value))?;
            Some(self.at_depth(function, value, width, depth))
        };
        let bits = match data.op {
            Op::Unary(op) => operand(0).map(|a| Bits::unary(op, a)),
            Op::Binary(op) => operand(0).zip(operand(1)).map(|(a, b)| Bits::binary(op, a, b)),
            Op::Convert(op) => operand(0).map(|a| a.convert(op, width)),
            Op::Select => operand(1).zip(operand(2)).map(|(a, b)| a.either(b)),
            Op::Extract(_) | Op::ExtractDynamic => operand(0),
            Op::Construct | Op::Insert(_) | Op::Shuffle(_) => {
                let count = if data.op == Op::Construct { data.operands.len() } else { 2 };
                let lanes: Option<Vec<Bits>> = (0..count).map(operand).collect();
                lanes.and_then(|lanes| lanes.into_iter().reduce(Bits::either))
            }
            Op::If | Op::Loop(_) | Op::Switch(_) | Op::Block => {
                let exits = self.exits.get(&inst).cloned().unwrap_or_default();
                let results = exits.iter().map(|&exit| {
                    let value = function.insts[exit].operands[index];
                    self.at_depth(function, value, width, depth)
                });
                results.reduce(Bits::either)
            }
            Op::WorkItem(WorkItemQuery::LocalId) => local_id(function, data.operands[0], width),
            _ => None,
        };
        bits.unwrap_or_else(|| Bits::unknown(width))
    }
}

/// What is known of a local id: it is below the size that the kernel requires of its work-groups.
fn local_id(function: &Function, dimension: Value, width: u32) -> Option<Bits> {
    let size = function.kernel.as_ref()?.required_work_group_size?;
    let last = match size.get(function.as_bits(dimension)? as usize) {
        Some(size) => size.saturating_sub(1),
        None => 0,
    };
    Some(Bits::below(width, width - (u32::BITS - last.leading_zeros())))
}

fn of_constant(constant: &Constant, ty: Type, width: u32) -> Bits {
    let lanes = (0..ty.lanes() as usize).map(|lane| constant.lane(lane));
    let lanes: Option<Vec<Bits>> = lanes.map(|bits| Some(Bits::constant(width, bits?))).collect();
    lanes.and_then(|lanes| lanes.into_iter().reduce(Bits::either)).unwrap_or_else(|| Bits::unknown(width))
}

#[cfg(test)]
mod tests {
    use super::*;

    const WIDTH: u32 = 4;

    /// Everything that can be known of an integer of this width, with the values that it may have.
    fn all(width: u32) -> Vec<(Bits, Vec<u64>)> {
        let mut found: Vec<(Bits, Vec<u64>)> = Vec::new();
        for zeros in 0..1u64 << width {
            for ones in (0..1u64 << width).filter(|ones| ones & zeros == 0) {
                for signs in 1..=width {
                    let bits = Bits::new(width, zeros, ones, signs);
                    let values: Vec<u64> = (0..1 << width).filter(|&value| agrees(bits, value)).collect();
                    if !values.is_empty() && found.iter().all(|(known, _)| *known != bits) {
                        found.push((bits, values));
                    }
                }
            }
        }
        found
    }

    /// Whether a value is as it is known.
    fn agrees(bits: Bits, value: u64) -> bool {
        let number = sign_extend(bits.width, value);
        let range = 1i64 << (bits.width - bits.signs);
        value & bits.zeros == 0 && value & bits.ones == bits.ones && (-range..range).contains(&number)
    }

    /// What the operations mean, written apart from the rest; `None` where any value is right.
    fn meaning(op: BinaryOp, a: u64, b: u64) -> Option<u64> {
        let (x, y) = (sign_extend(WIDTH, a), sign_extend(WIDTH, b));
        let count = b % u64::from(WIDTH);
        Some(match op {
            BinaryOp::Add => a.wrapping_add(b),
            BinaryOp::Sub => a.wrapping_sub(b),
            BinaryOp::Mul => a * b,
            BinaryOp::UDiv => a.checked_div(b)?,
            BinaryOp::URem => a.checked_rem(b)?,
            BinaryOp::SDiv => x.checked_div(y).filter(|_| x != -8 || y != -1)? as u64,
            BinaryOp::SRem => x.checked_rem(y)? as u64,
            BinaryOp::Shl => a << count,
            BinaryOp::LShr => a >> count,
            BinaryOp::AShr => (x >> count) as u64,
            BinaryOp::And => a & b,
            BinaryOp::Or => a | b,
            BinaryOp::Xor => a ^ b,
            BinaryOp::SMin => x.min(y) as u64,
            BinaryOp::SMax => x.max(y) as u64,
            BinaryOp::UMin => a.min(b),
            BinaryOp::UMax => a.max(b),
            _ => return None,
        })
    }

    #[test]
    fn what_is_known_of_a_result_holds_for_all_operands() {
        use BinaryOp::*;
        let all = all(WIDTH);
        for op in [
            Add, Sub, Mul, UDiv, URem, SDiv, SRem, Shl, LShr, AShr, And, Or, Xor, SMin, SMax, UMin, UMax,
            SMulHi,
        ] {
            for (a, first) in &all {
                for (b, second) in &all {
                    let known = Bits::binary(op, *a, *b);
                    let pairs = first.iter().flat_map(|&x| second.iter().map(move |&y| (x, y)));
                    for (x, y) in pairs {
                        if let Some(result) = meaning(op, x, y) {
                            let result = result & mask(WIDTH);
                            assert!(agrees(known, result), "{op:?} {a:?} {b:?}: {x} {y} {result} {known:?}");
                        }
                    }
                }
            }
        }
    }

    #[test]
    fn what_is_known_survives_conversions_and_unary_operations() {
        for (bits, values) in all(WIDTH) {
            for value in values {
                let number = sign_extend(WIDTH, value);
                let check = |known: Bits, result: u64| {
                    let result = result & mask(known.width);
                    assert!(agrees(known, result), "{bits:?}: {value} {result} {known:?}");
                };
                check(bits.convert(ConvertOp::ZeroExtend, 8), value);
                check(bits.convert(ConvertOp::SignExtend, 8), number as u64);
                check(bits.convert(ConvertOp::Truncate, 2), value);
                check(Bits::unary(UnaryOp::Not, bits), !value);
                check(Bits::unary(UnaryOp::Neg, bits), number.wrapping_neg() as u64);
                check(Bits::unary(UnaryOp::PopCount, bits), value.count_ones().into());
            }
        }
    }

    #[test]
    fn extended_numbers_are_known_to_be_small() {
        let word = Bits::unknown(32);
        let (unsigned, signed) =
            (word.convert(ConvertOp::ZeroExtend, 64), word.convert(ConvertOp::SignExtend, 64));
        assert!(unsigned.fits_unsigned(32) && !unsigned.fits_unsigned(31));
        assert!(unsigned.is_not_negative() && unsigned.fits_signed(33) && !unsigned.fits_signed(32));
        assert!(signed.fits_signed(32) && !signed.fits_signed(31) && !signed.is_not_negative());
        let product = Bits::binary(BinaryOp::Mul, Bits::below(64, 48), Bits::below(64, 50));
        assert!(product.fits_unsigned(30) && !product.fits_unsigned(29));
        assert_eq!(Bits::binary(BinaryOp::Add, Bits::constant(8, 3), Bits::constant(8, 5)).value(), None);
        // `y * 32 + x` of a row below 8 and a column below 32.
        let row = Bits::binary(BinaryOp::Mul, Bits::below(32, 29), Bits::constant(32, 32));
        let place = Bits::binary(BinaryOp::Add, row, Bits::below(32, 27));
        assert!(place.fits_unsigned(8) && !place.fits_unsigned(7));
        assert_eq!(Bits::binary(BinaryOp::And, word, Bits::constant(32, 0)).value(), Some(0));
        let shifted = Bits::binary(BinaryOp::LShr, Bits::unknown(64), Bits::constant(64, 40));
        assert!(shifted.fits_unsigned(24) && !shifted.fits_unsigned(23));
    }
}
