//! Integers and offsets as sums of products with constants, and what range these have.

use crate::passes::structure::Structure;
use crate::passes::unroll::counted;
use clvk_ir::{BinaryOp, ConvertOp, Function, Global, KnownBits, Op, Scalar, Type, Value, ValueDef};
use rustc_hash::FxHashMap;

/// How many operations a number is followed back through.
const MAX_OPERATIONS: u32 = 32;
/// The most summands.
const MAX_TERMS: usize = 8;

/// A sum of numbers times constants, and a constant. It is one of integers: nothing wraps.
#[derive(Clone, Default, PartialEq)]
pub struct Sum {
    /// Each number once, in order, with a factor that is not zero.
    terms: Vec<(Value, i64)>,
    constant: i64,
}

impl Sum {
    fn constant(constant: i64) -> Sum {
        Sum { terms: Vec::new(), constant }
    }

    /// This and `times` the other. `None` if it is too large.
    fn plus(&self, other: &Sum, times: i64) -> Option<Sum> {
        let mut sum = self.clone();
        sum.constant = sum.constant.checked_add(other.constant.checked_mul(times)?)?;
        for &(value, factor) in &other.terms {
            let factor = factor.checked_mul(times)?;
            match sum.terms.binary_search_by_key(&value, |term| term.0) {
                Ok(place) => {
                    sum.terms[place].1 = sum.terms[place].1.checked_add(factor)?;
                }
                Err(place) => sum.terms.insert(place, (value, factor)),
            }
        }
        sum.terms.retain(|term| term.1 != 0);
        (sum.terms.len() <= MAX_TERMS).then_some(sum)
    }

    /// The difference to another.
    pub fn minus(&self, other: &Sum) -> Option<Sum> {
        self.plus(other, -1)
    }

    /// The constant times which the other is this.
    pub fn multiple_of(&self, other: &Sum) -> Option<i64> {
        let (_, divisor) = other.terms.first()?;
        let times = self.terms.first()?.1.checked_div(*divisor)?;
        (Sum::default().plus(other, times)? == *self).then_some(times)
    }
}

/// What is known of the integers of a function.
pub struct Sums {
    known: KnownBits,
    /// The least and the greatest value of what counts a loop, behind the loop's check.
    counters: FxHashMap<Value, [i64; 2]>,
    /// The operations that the current number may still be followed through.
    left: u32,
}

impl Sums {
    /// For a function as it is now.
    pub fn of(function: &Function, structure: &Structure) -> Sums {
        let mut counters = FxHashMap::default();
        function.walk(|inst, data| {
            if data.op.is_loop() {
                counters.extend(counted::counter_range(function, structure, inst));
            }
        });
        Sums { known: KnownBits::new(function), counters, left: 0 }
    }

    /// The least and the greatest value that a sum can have, if they are known.
    pub fn range(&mut self, function: &Function, sum: &Sum) -> Option<[i64; 2]> {
        sum.terms.iter().try_fold([sum.constant; 2], |[least, greatest], &(value, factor)| {
            let ends = self.range_of(function, value)?.map(|end| end.checked_mul(factor));
            let (a, b) = (ends[0]?, ends[1]?);
            Some([least.checked_add(a.min(b))?, greatest.checked_add(a.max(b))?])
        })
    }

    fn range_of(&mut self, function: &Function, value: Value) -> Option<[i64; 2]> {
        if let Some(&range) = self.counters.get(&value) {
            return Some(range);
        }
        let mask = function.ty(value).scalar()?.mask();
        let bits = self.known.of(function, value);
        let ends = [bits.ones(), mask & !bits.zeros()].map(|end| i64::try_from(end).ok());
        if bits.is_not_negative() { Some([ends[0]?, ends[1]?]) } else { None }
    }

    /// An integer of 32 or 64 bits as a sum, which equals it as a signed number.
    pub fn number(&mut self, function: &Function, value: Value) -> Option<Sum> {
        let is_word = matches!(function.ty(value), Type::Scalar(Scalar::I32 | Scalar::I64));
        self.left = MAX_OPERATIONS;
        is_word.then(|| self.followed(function, value))
    }

    fn followed(&mut self, function: &Function, value: Value) -> Sum {
        let alone = Sum { terms: vec![(value, 1)], constant: 0 };
        let Some(scalar) = function.ty(value).scalar() else { return alone };
        if let Some(bits) = function.as_bits(value) {
            return Sum::constant(scalar.sign_extend(bits));
        }
        if self.left == 0 || self.counters.contains_key(&value) {
            return alone;
        }
        self.left -= 1;
        let sum = self.computed(function, value);
        // Where it may wrap, it is a number of its own.
        let half = i64::try_from(scalar.mask() >> 1).unwrap_or(i64::MAX);
        let fits = |[least, greatest]: [i64; 2]| least >= -half && greatest <= half;
        sum.filter(|sum| self.range(function, sum).is_some_and(fits)).unwrap_or(alone)
    }

    /// What an operation computes from integers, if these do not wrap.
    fn computed(&mut self, function: &Function, value: Value) -> Option<Sum> {
        let data = &function.insts[function.defining_inst(value)?];
        let is_word = |value: Value| matches!(function.ty(value), Type::Scalar(Scalar::I32 | Scalar::I64));
        if !data.operands.iter().all(|&operand| is_word(operand)) {
            return None;
        }
        let mut operand = |position: usize| self.followed(function, data.operands[position]);
        match data.op {
            Op::Binary(BinaryOp::Add) => operand(0).plus(&operand(1), 1),
            Op::Binary(BinaryOp::Sub) => operand(0).plus(&operand(1), -1),
            Op::Binary(BinaryOp::Mul) => {
                let (a, b) = (operand(0), operand(1));
                let (factor, sum) = if a.terms.is_empty() { (a, b) } else { (b, a) };
                if factor.terms.is_empty() { Sum::default().plus(&sum, factor.constant) } else { None }
            }
            Op::Binary(BinaryOp::Shl) => {
                let by = function.as_bits(data.operands[1]).filter(|&by| by < 31)?;
                Sum::default().plus(&operand(0), 1 << by)
            }
            Op::Convert(ConvertOp::SignExtend | ConvertOp::Truncate) => Some(operand(0)),
            Op::Convert(ConvertOp::ZeroExtend) => {
                let sum = operand(0);
                let [least, _] = self.range(function, &sum)?;
                (least >= 0).then_some(sum)
            }
            _ => None,
        }
    }

    /// The variable that a pointer points into, and the place there, in bytes.
    pub fn place(&mut self, function: &Function, mut pointer: Value) -> Option<(Global, Sum)> {
        let mut sum = Sum::default();
        loop {
            if let ValueDef::Global(global) = function.values[pointer].def {
                return Some((global, sum));
            }
            let data = &function.insts[function.defining_inst(pointer)?];
            match data.op {
                Op::PointerOffset(by) => sum = sum.plus(&Sum::constant(by), 1)?,
                Op::PointerIndex { stride } => {
                    let index = self.number(function, data.operands[1])?;
                    sum = sum.plus(&index, i64::try_from(stride).ok()?)?;
                }
                _ => return None,
            }
            pointer = data.operands[0];
        }
    }
}
