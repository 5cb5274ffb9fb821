//! What is known of the signs of floating-point numbers, whatever the inputs are: whether they may be
//! negative, zero, positive or a NaN.
//!
//! [`KnownSigns`] follows a value through its operands, a limited number of steps back, and remembers what it
//! finds. A square is never negative, and neither is a sum of squares. Of what a loop carries, of parameters
//! and of what memory holds it knows nothing. Devices may flush subnormal numbers to zero, so that a result
//! which is positive may be zero, too; the sign of a zero is never known.

use crate::fold::to_f64;
use crate::{
    BinaryOp, CompareOp, Constant, ConvertOp, Function, Inst, MathOp, Op, Scalar, Type, UnaryOp, Value,
    ValueDef,
};
use rustc_hash::FxHashMap;

/// How far a value is followed back, in operations.
const MAX_DEPTH: u32 = 24;
/// How many factors are taken off a number to find what decides its sign.
const MAX_FACTORS: u32 = 8;

/// A set of signs. Infinities are positive or negative.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Signs(u8);

/// The sign of one number: a set with one member.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Sign {
    Negative,
    Zero,
    Positive,
    Nan,
}

impl Sign {
    const ALL: [Sign; 4] = [Sign::Negative, Sign::Zero, Sign::Positive, Sign::Nan];

    fn of(number: f64) -> Sign {
        match number {
            _ if number.is_nan() => Sign::Nan,
            _ if number == 0.0 => Sign::Zero,
            _ if number > 0.0 => Sign::Positive,
            _ => Sign::Negative,
        }
    }
}

impl Signs {
    const NEGATIVE: Signs = Signs(1);
    const ZERO: Signs = Signs(2);
    const POSITIVE: Signs = Signs(4);
    const NAN: Signs = Signs(8);
    /// Nothing is known.
    pub const ANY: Signs = Signs(15);

    /// What is known of a constant. It may be so small that devices take it for zero.
    fn of(number: f64, scalar: Scalar) -> Signs {
        let least_normal = match scalar {
            Scalar::F64 => f64::MIN_POSITIVE,
            Scalar::F32 => f64::from(f32::MIN_POSITIVE),
            _ => 2f64.powi(-14),
        };
        let signs = Signs::one(Sign::of(number));
        if number.abs() < least_normal { signs.rounded() } else { signs }
    }

    fn one(sign: Sign) -> Signs {
        match sign {
            Sign::Negative => Signs::NEGATIVE,
            Sign::Zero => Signs::ZERO,
            Sign::Positive => Signs::POSITIVE,
            Sign::Nan => Signs::NAN,
        }
    }

    fn or(self, other: Signs) -> Signs {
        Signs(self.0 | other.0)
    }

    fn without(self, other: Signs) -> Signs {
        Signs(self.0 & !other.0)
    }

    fn has(self, sign: Signs) -> bool {
        self.0 & sign.0 != 0
    }

    fn members(self) -> impl Iterator<Item = Sign> {
        Sign::ALL.into_iter().filter(move |&sign| self.has(Signs::one(sign)))
    }

    /// Whether a number cannot be above zero: it is negative, a zero or a NaN.
    #[must_use]
    pub fn is_never_positive(self) -> bool {
        !self.has(Signs::POSITIVE)
    }

    /// Whether a number cannot be below zero: it is a zero, positive or a NaN.
    #[must_use]
    pub fn is_never_negative(self) -> bool {
        !self.has(Signs::NEGATIVE)
    }

    /// Whether a number cannot be a NaN.
    #[must_use]
    pub fn is_never_nan(self) -> bool {
        !self.has(Signs::NAN)
    }

    /// What is known of a number that is one of two.
    #[must_use]
    pub fn either(self, other: Signs) -> Signs {
        self.or(other)
    }

    /// How two numbers compare, if their signs decide it.
    #[must_use]
    pub fn compared(self, op: CompareOp, other: Signs) -> Option<bool> {
        let mut outcomes = self.members().flat_map(|a| other.members().map(move |b| outcome(op, a, b)));
        let first = outcomes.next()??;
        outcomes.all(|other| other == Some(first)).then_some(first)
    }

    /// A result that is rounded, and zero where it is too small.
    fn rounded(self) -> Signs {
        if self.has(Signs::NEGATIVE.or(Signs::POSITIVE)) { self.or(Signs::ZERO) } else { self }
    }

    fn negated(self) -> Signs {
        let mut negated = self.without(Signs::NEGATIVE.or(Signs::POSITIVE));
        if self.has(Signs::NEGATIVE) {
            negated = negated.or(Signs::POSITIVE);
        }
        if self.has(Signs::POSITIVE) {
            negated = negated.or(Signs::NEGATIVE);
        }
        negated
    }

    fn magnitude(self) -> Signs {
        if self.has(Signs::NEGATIVE) { self.without(Signs::NEGATIVE).or(Signs::POSITIVE) } else { self }
    }

    fn pairs(self, other: Signs, of: impl Fn(Sign, Sign) -> Signs) -> Signs {
        let of = &of;
        let all = self.members().flat_map(|a| other.members().map(move |b| of(a, b)));
        all.fold(Signs(0), Signs::or)
    }

    fn sum(self, other: Signs) -> Signs {
        let of_pair = |a, b| match (a, b) {
            (Sign::Nan, _) | (_, Sign::Nan) => Signs::NAN,
            (Sign::Zero, other) | (other, Sign::Zero) => Signs::one(other),
            _ if a == b => Signs::one(a),
            // Also of two infinities.
            _ => Signs::ANY,
        };
        self.pairs(other, of_pair).rounded()
    }

    fn product(self, other: Signs) -> Signs {
        let of_pair = |a, b| match (a, b) {
            (Sign::Nan, _) | (_, Sign::Nan) => Signs::NAN,
            (Sign::Zero, Sign::Zero) => Signs::ZERO,
            // Also by infinity.
            (Sign::Zero, _) | (_, Sign::Zero) => Signs::ZERO.or(Signs::NAN),
            _ if a == b => Signs::POSITIVE,
            _ => Signs::NEGATIVE,
        };
        self.pairs(other, of_pair).rounded()
    }

    fn quotient(self, other: Signs) -> Signs {
        let of_pair = |a, b| match (a, b) {
            (Sign::Nan, _) | (_, Sign::Nan) | (Sign::Zero, Sign::Zero) => Signs::NAN,
            (Sign::Zero, _) => Signs::ZERO,
            // Infinity, with the sign of the zero.
            (_, Sign::Zero) => Signs::NEGATIVE.or(Signs::POSITIVE).or(Signs::NAN),
            // The quotient of infinities is a NaN.
            _ if a == b => Signs::POSITIVE.or(Signs::NAN),
            _ => Signs::NEGATIVE.or(Signs::NAN),
        };
        self.pairs(other, of_pair).rounded()
    }

    fn extreme(self, other: Signs, largest: bool) -> Signs {
        self.pairs(other, |a, b| match (a, b) {
            (Sign::Nan, other) | (other, Sign::Nan) => Signs::one(other),
            _ if (a as u8 > b as u8) == largest => Signs::one(a),
            _ => Signs::one(b),
        })
    }

    /// Rounded to an integer.
    fn whole(self, op: MathOp) -> Signs {
        match op {
            // Between 0 and 1, and between −1 and 0.
            MathOp::Floor if !self.has(Signs::POSITIVE) => self,
            MathOp::Ceil if !self.has(Signs::NEGATIVE) => self,
            _ => self.rounded(),
        }
    }
}

/// How two numbers compare. A number that is not zero may be so small that the device takes it for zero.
fn outcome(op: CompareOp, a: Sign, b: Sign) -> Option<bool> {
    use CompareOp::*;
    let unordered = a == Sign::Nan || b == Sign::Nan;
    let (a, b) = (a as u8, b as u8);
    match op {
        FOrd => Some(!unordered),
        FUno => Some(unordered),
        FOEq | FONe | FOLt | FOLe | FOGt | FOGe if unordered => Some(false),
        FUEq | FUNe | FULt | FULe | FUGt | FUGe if unordered => Some(true),
        FOLt | FULt if a >= b && (a != b || a == Sign::Zero as u8) => Some(false),
        FOLe | FULe if a < b || a == b && a == Sign::Zero as u8 => Some(true),
        FOGt | FUGt if a <= b && (a != b || a == Sign::Zero as u8) => Some(false),
        FOGe | FUGe if a > b || a == b && a == Sign::Zero as u8 => Some(true),
        _ => None,
    }
}

/// What is known of the numbers of one function. It stays right while instructions are replaced by others
/// that mean the same.
#[derive(Default)]
pub struct KnownSigns {
    known: FxHashMap<Value, Signs>,
    /// The exits of each construct.
    exits: FxHashMap<Inst, Vec<Inst>>,
}

impl KnownSigns {
    /// For a function as it is now.
    #[must_use]
    pub fn new(function: &Function) -> Self {
        KnownSigns { known: FxHashMap::default(), exits: function.exits() }
    }

    /// What is known of a number, or of each lane of a vector of numbers.
    pub fn of(&mut self, function: &Function, value: Value) -> Signs {
        self.at_depth(function, value, MAX_DEPTH)
    }

    fn at_depth(&mut self, function: &Function, value: Value, depth: u32) -> Signs {
        if let Some(&known) = self.known.get(&value) {
            return known;
        }
        if depth == 0 || !function.ty(value).is_float() {
            return Signs::ANY;
        }
        let signs = match &function.values[value].def {
            ValueDef::Constant(constant) => of_constant(constant, function.ty(value)),
            ValueDef::Result(inst, index) => self.of_result(function, *inst, *index as usize, depth - 1),
            _ => Signs::ANY,
        };
        self.known.insert(value, signs);
        signs
    }

    fn of_result(&mut self, function: &Function, inst: Inst, index: usize, depth: u32) -> Signs {
        let data = &function.insts[inst];
        let mut operand = |position: usize| self.at_depth(function, data.operands[position], depth);
        match data.op {
            Op::Unary(UnaryOp::FNeg) => operand(0).negated(),
            Op::Binary(BinaryOp::FAdd) => operand(0).sum(operand(1)),
            Op::Binary(BinaryOp::FSub) => operand(0).sum(operand(1).negated()),
            Op::Binary(BinaryOp::FMul) => self.product(function, inst, depth),
            Op::Binary(BinaryOp::FDiv) => operand(0).quotient(operand(1)),
            Op::Convert(ConvertOp::UnsignedToFloat(_)) => Signs::ZERO.or(Signs::POSITIVE),
            Op::Convert(ConvertOp::SignedToFloat(_)) => Signs::ANY.without(Signs::NAN),
            Op::Convert(ConvertOp::Float(_)) => operand(0).rounded(),
            Op::Select => operand(1).or(operand(2)),
            Op::Extract(_) | Op::ExtractDynamic => operand(0),
            Op::Construct => (0..data.operands.len()).map(operand).fold(Signs(0), Signs::or),
            Op::Insert(_) | Op::Shuffle(_) => operand(0).or(operand(1)),
            Op::Math(op) => self.of_math(function, inst, op, depth),
            Op::If | Op::Loop(_) | Op::Switch(_) | Op::Block => {
                let exits = self.exits.get(&inst).cloned().unwrap_or_default();
                let values = exits.iter().map(|&exit| function.insts[exit].operands[index]);
                let results: Vec<Signs> = values.map(|value| self.at_depth(function, value, depth)).collect();
                results.into_iter().reduce(Signs::or).unwrap_or(Signs::ANY)
            }
            _ => Signs::ANY,
        }
    }

    fn of_math(&mut self, function: &Function, inst: Inst, op: MathOp, depth: u32) -> Signs {
        let data = &function.insts[inst];
        let mut operand = |position: usize| self.at_depth(function, data.operands[position], depth);
        match op {
            MathOp::FAbs => operand(0).magnitude(),
            MathOp::FMin | MathOp::FMax => operand(0).extreme(operand(1), op == MathOp::FMax),
            MathOp::FClamp => operand(0).extreme(operand(1), true).extreme(operand(2), false),
            MathOp::Floor | MathOp::Ceil | MathOp::Trunc | MathOp::RoundEven => operand(0).whole(op),
            MathOp::Fma => {
                let summand = operand(2);
                self.product(function, inst, depth).sum(summand)
            }
            MathOp::Dot => {
                let product = self.product(function, inst, depth);
                product.sum(product)
            }
            MathOp::Sqrt => {
                let of = operand(0);
                let root = of.without(Signs::NEGATIVE).rounded();
                if of.has(Signs::NEGATIVE) { root.or(Signs::NAN) } else { root }
            }
            MathOp::NativeSqrt if operand(0).is_never_negative() => operand(0).rounded(),
            MathOp::NativeExp | MathOp::NativeExp2 => Signs::ANY.without(Signs::NEGATIVE),
            _ => Signs::ANY,
        }
    }

    /// What is known of the product of an instruction's first operands.
    fn product(&mut self, function: &Function, inst: Inst, depth: u32) -> Signs {
        let operands = &function.insts[inst].operands;
        let [(a, a_is_negated), (b, b_is_negated)] =
            [0, 1].map(|position| decisive(function, operands[position]));
        let [of_a, of_b] = [0, 1].map(|position| self.at_depth(function, operands[position], depth));
        let product = of_a.product(of_b);
        match (a == b, a_is_negated == b_is_negated) {
            (true, true) => product.without(Signs::NEGATIVE).or(Signs::ZERO),
            (true, false) => product.without(Signs::POSITIVE).or(Signs::ZERO),
            _ => product,
        }
    }
}

/// The number that decides another one's sign, because that is its product with constants, and whether the
/// sign is the other one.
fn decisive(function: &Function, mut value: Value) -> (Value, bool) {
    let mut is_negated = false;
    for _ in 0..MAX_FACTORS {
        let Some(inst) = function.defining_inst(value) else { break };
        let data = &function.insts[inst];
        let sign_of = |position: usize| match function.as_constant(data.operands[position]) {
            Some(constant) => of_constant(constant, function.ty(value)),
            None => Signs::ANY,
        };
        let (next, factor) = match data.op {
            Op::Unary(UnaryOp::FNeg) => (0, Signs::NEGATIVE),
            Op::Convert(ConvertOp::Float(_)) => (0, Signs::POSITIVE),
            Op::Binary(BinaryOp::FMul) if sign_of(0) != Signs::ANY => (1, sign_of(0)),
            Op::Binary(BinaryOp::FMul) => (0, sign_of(1)),
            _ => break,
        };
        if factor != Signs::NEGATIVE && factor != Signs::POSITIVE {
            break;
        }
        is_negated ^= factor == Signs::NEGATIVE;
        value = data.operands[next];
    }
    (value, is_negated)
}

fn of_constant(constant: &Constant, ty: Type) -> Signs {
    let scalar = ty.scalar().unwrap_or(Scalar::F32);
    let lanes = (0..ty.lanes() as usize).map(|lane| constant.lane(lane));
    let lanes: Option<Vec<Signs>> =
        lanes.map(|bits| Some(Signs::of(to_f64(scalar, bits?), scalar))).collect();
    lanes.and_then(|lanes| lanes.into_iter().reduce(Signs::or)).unwrap_or(Signs::ANY)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Numbers of all kinds, among them some whose sums and products overflow and vanish.
    const NUMBERS: [f32; 12] = [
        f32::NEG_INFINITY,
        f32::MIN,
        -1.5,
        -1e-30,
        -0.0,
        0.0,
        1e-30,
        0.5,
        3.0,
        f32::MAX,
        f32::INFINITY,
        f32::NAN,
    ];

    fn sign_of(number: f32) -> Signs {
        Signs::of(f64::from(number), Scalar::F32)
    }

    /// Whether what is known of all sets of signs holds for all their numbers.
    fn check(name: &str, known: impl Fn(Signs, Signs) -> Signs, meaning: impl Fn(f32, f32) -> f32) {
        let members = |signs: Signs| NUMBERS.into_iter().filter(move |&it| signs.has(sign_of(it)));
        for (first, second) in (1..16).flat_map(|a| (1..16).map(move |b| (Signs(a), Signs(b)))) {
            let known = known(first, second);
            for (a, b) in members(first).flat_map(|a| members(second).map(move |b| (a, b))) {
                let result = meaning(a, b);
                assert!(
                    known.has(sign_of(result)),
                    "{name} {first:?} {second:?}: {a} {b} {result} {known:?}"
                );
            }
        }
    }

    #[test]
    fn what_is_known_of_a_result_holds_for_all_operands() {
        check("sum", Signs::sum, |a, b| a + b);
        check("difference", |a, b| a.sum(b.negated()), |a, b| a - b);
        check("product", Signs::product, |a, b| a * b);
        check("quotient", Signs::quotient, |a, b| a / b);
        check("minimum", |a, b| a.extreme(b, false), f32::min);
        check("maximum", |a, b| a.extreme(b, true), f32::max);
        check("magnitude", |a, _| a.magnitude(), |a, _| a.abs());
        check("floor", |a, _| a.whole(MathOp::Floor), |a, _| a.floor());
        check("ceil", |a, _| a.whole(MathOp::Ceil), |a, _| a.ceil());
        check("nearest", |a, _| a.whole(MathOp::RoundEven), |a, _| a.round_ties_even());
    }

    #[test]
    fn comparisons_are_decided_as_numbers_compare() {
        use CompareOp::*;
        let ordered = |a: f32, b: f32| !a.is_nan() && !b.is_nan();
        let meaning = |op, a: f32, b: f32| match op {
            FOrd => ordered(a, b),
            FUno => !ordered(a, b),
            FOEq => a == b,
            FONe => ordered(a, b) && a != b,
            FOLt => a < b,
            FOLe => a <= b,
            FOGt => a > b,
            FOGe => a >= b,
            FUEq => a == b || !ordered(a, b),
            FUNe => a != b,
            FULt => a < b || !ordered(a, b),
            FULe => a <= b || !ordered(a, b),
            FUGt => a > b || !ordered(a, b),
            _ => a >= b || !ordered(a, b),
        };
        let mut decided = 0;
        for op in [FOrd, FUno, FOEq, FONe, FOLt, FOLe, FOGt, FOGe, FUEq, FUNe, FULt, FULe, FUGt, FUGe] {
            for (a, b) in NUMBERS.into_iter().flat_map(|a| NUMBERS.map(|b| (a, b))) {
                if let Some(answer) = sign_of(a).compared(op, sign_of(b)) {
                    assert_eq!(answer, meaning(op, a, b), "{op:?} {a} {b}");
                    decided += 1;
                }
            }
        }
        assert!(decided > 500, "only {decided} are decided");
    }
}
