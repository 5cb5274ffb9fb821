//! 64-bit integers as pairs of 32-bit words.
//!
//! Every value of 64-bit integers (a scalar or a vector) becomes a low and a high word. Where a high word is
//! known to be zero or a copy of the sign, as for work-item ids and widened `int`s, 32-bit operations
//! suffice.

use super::divide_by_constant;
use super::int_to_float::{self, Magnitude};
use crate::{TranslateError, passes::cursor::Cursor};
use clvk_ir::{
    BinaryOp, CompareOp, Constant, ConvertOp, Function, Inst, Op, RoundingMode, Scalar, Type, UnaryOp, Value,
};
use rustc_hash::{FxHashMap, FxHashSet};

/// Splits the 64-bit integers of a function.
pub fn split(function: &mut Function) -> Result<(), Vec<TranslateError>> {
    if !function.values.iter().any(|(_, data)| is_wide(data.ty)) {
        return Ok(());
    }
    let mut splitting = Splitting::new(function);
    while let Some(inst) = splitting.cursor.advance() {
        splitting.inst(inst);
    }
    if splitting.errors.is_empty() { Ok(()) } else { Err(splitting.errors) }
}

/// Divides 64-bit integers by words, or by constants, on devices that can do everything else with them
/// ([`Quirk::LinkedDivisions`], [`Quirk::ExpandedDivisions`]).
///
/// [`Quirk::LinkedDivisions`]: clvk_interface::Quirk::LinkedDivisions
/// [`Quirk::ExpandedDivisions`]: clvk_interface::Quirk::ExpandedDivisions
pub fn split_divisions(function: &mut Function) {
    let mut splitting = Splitting::new(function);
    while let Some(inst) = splitting.cursor.advance() {
        match splitting.cursor.function.insts[inst].op {
            Op::Binary(op)
                if op.divides_integers() && is_wide(splitting.ty(splitting.cursor.result(inst))) =>
            {
                let operands = splitting.cursor.operands(inst);
                let whole =
                    divide_by_constant::divide_whole(&mut splitting.cursor, op, operands[0], operands[1]);
                let result = whole.unwrap_or_else(|| {
                    let (a, b) = (splitting.halves_of(operands[0]), splitting.halves_of(operands[1]));
                    let pair = splitting.divide(op, a, b);
                    splitting.joined(pair)
                });
                splitting.cursor.replace_result(inst, result);
            }
            _ => splitting.cursor.keep(inst),
        }
    }
}

fn is_wide(ty: Type) -> bool {
    ty.scalar() == Some(Scalar::I64)
}

/// Low and high words.
#[derive(Clone, Copy)]
pub struct Pair {
    /// Low word.
    pub low: Value,
    /// High word.
    pub high: Value,
}

/// The state of the walk.
pub struct Splitting<'f> {
    /// The position of the walk.
    pub cursor: Cursor<'f>,
    pairs: FxHashMap<Value, Pair>,
    /// High words that are copies of the sign of a low one.
    sign_extended: FxHashSet<Value>,
    errors: Vec<TranslateError>,
}

impl<'f> Splitting<'f> {
    fn new(function: &'f mut Function) -> Self {
        Splitting {
            cursor: Cursor::new(function),
            pairs: FxHashMap::default(),
            sign_extended: FxHashSet::default(),
            errors: Vec::new(),
        }
    }
}

impl Splitting<'_> {
    /// The type of a value.
    pub fn ty(&self, value: Value) -> Type {
        self.cursor.function.ty(value)
    }

    fn refuse(&mut self, what: &str) {
        let problem = format!("{what}; the device has no shaderInt64");
        let error = TranslateError::of_kernel(self.cursor.function, problem)
            .at(self.cursor.span())
            .needs("shaderInt64");
        self.errors.push(error);
    }

    /// The words of an operand that is a 64-bit integer.
    fn pair(&mut self, value: Value) -> Pair {
        if let Some(&pair) = self.pairs.get(&value) {
            return pair;
        }
        let ty = self.ty(value).with_scalar(Scalar::I32);
        let constant = self.cursor.function.as_constant(value).cloned().unwrap_or(Constant::Undef);
        let word = |shift: u32| match &constant {
            Constant::Bits(bits) => Constant::Bits((bits >> shift) & 0xffff_ffff),
            Constant::Lanes(lanes) => {
                Constant::Lanes(lanes.iter().map(|bits| (bits >> shift) & 0xffff_ffff).collect())
            }
            Constant::Undef => Constant::Undef,
        };
        let (low, high) = (word(0), word(32));
        let pair = Pair {
            low: self.cursor.function.constant(ty, low),
            high: self.cursor.function.constant(ty, high),
        };
        self.pairs.insert(value, pair);
        pair
    }

    /// The words of a value that is not split.
    fn halves_of(&mut self, value: Value) -> Pair {
        if self.cursor.function.as_constant(value).is_some() {
            return self.pair(value);
        }
        if let Some(inst) = self.cursor.function.defining_inst(value)
            && let Op::Convert(op @ (ConvertOp::ZeroExtend | ConvertOp::SignExtend)) =
                self.cursor.function.insts[inst].op
        {
            let extended = self.cursor.function.insts[inst].operands[0];
            return self.widen(op, extended, value).expect("integers are extended");
        }
        self.both_words(value)
    }

    /// One value from both words.
    fn joined(&mut self, pair: Pair) -> Value {
        let (lows, highs) = (self.cursor.lanes(pair.low), self.cursor.lanes(pair.high));
        let lanes: Vec<Value> = lows
            .into_iter()
            .zip(highs)
            .map(|(low, high)| {
                let words = self.cursor.construct(&[low, high]);
                self.cursor.bitcast(words, Type::Scalar(Scalar::I64))
            })
            .collect();
        self.cursor.construct(&lanes)
    }

    /// Whether a value is the constant zero.
    pub fn is_zero(&self, value: Value) -> bool {
        self.cursor.function.as_constant(value).is_some_and(Constant::is_zero)
    }

    fn inst(&mut self, inst: Inst) {
        let data = &self.cursor.function.insts[inst];
        let (op, operands, results) = (data.op.clone(), data.operands.to_vec(), data.results.to_vec());
        if let (Op::Switch(cases), true) =
            (&op, operands.first().is_some_and(|&value| is_wide(self.ty(value))))
        {
            let selector = self.switch(inst, cases, operands[0]);
            return self.structural_with(inst, &[selector]);
        }
        if op.has_regions() || op.is_terminator() {
            return self.structural(inst, &operands);
        }
        let wide_operand = operands.iter().any(|&value| is_wide(self.ty(value)));
        let Some(&result) = results.first() else {
            if wide_operand {
                self.refuse("stores 64-bit integers in a way that is not supported");
            }
            return self.cursor.keep(inst);
        };
        if is_wide(self.ty(result)) {
            let pair = self.wide_result(&op, &operands, result);
            let words = self.ty(result).with_scalar(Scalar::I32);
            let pair = pair.unwrap_or_else(|| {
                self.refuse(&format!("computes {op:?} of 64-bit integers"));
                let low = self.cursor.function.undef(words);
                Pair { low, high: low }
            });
            self.pairs.insert(result, pair);
        } else if wide_operand {
            match self.narrow_result(&op, &operands, result) {
                Some(value) => self.cursor.replace(result, value),
                None => {
                    self.refuse(&format!("computes {op:?} of 64-bit integers"));
                    let undefined = self.cursor.function.undef(self.cursor.function.ty(result));
                    self.cursor.replace(result, undefined);
                }
            }
        } else {
            self.cursor.keep(inst);
        }
    }

    /// An operation whose result is a 64-bit integer.
    fn wide_result(&mut self, op: &Op, operands: &[Value], result: Value) -> Option<Pair> {
        match op {
            Op::Unary(UnaryOp::Not) => Some(self.by_words(op, operands, result)),
            Op::Unary(UnaryOp::Neg) => {
                let zero = self.cursor.function.zero(self.cursor.function.ty(result));
                let (zero, value) = (self.pair(zero), self.pair(operands[0]));
                Some(self.subtract(zero, value))
            }
            Op::Binary(binary) => self.binary(*binary, operands, result),
            Op::Select
            | Op::Construct
            | Op::Extract(_)
            | Op::ExtractDynamic
            | Op::Insert(_)
            | Op::InsertDynamic
            | Op::Shuffle(_) => Some(self.by_words(op, operands, result)),
            Op::Convert(convert) => self.widen(*convert, operands[0], result),
            Op::PushConstant { offset } => {
                let mut words = |half: u32| {
                    let lanes: Vec<Value> = (0..self.ty(result).lanes())
                        .map(|lane| {
                            let offset = offset + lane * 8 + half * 4;
                            self.cursor.value(Op::PushConstant { offset }, &[], Type::I32)
                        })
                        .collect();
                    self.cursor.construct(&lanes)
                };
                Some(Pair { low: words(0), high: words(1) })
            }
            _ => None,
        }
    }

    /// The same operation on the low and on the high words.
    fn by_words(&mut self, op: &Op, operands: &[Value], result: Value) -> Pair {
        let ty = self.ty(result).with_scalar(Scalar::I32);
        let (mut lows, mut highs) = (Vec::new(), Vec::new());
        for &operand in operands {
            // A dynamic index may be wide too; any index with bits in its high word is out of range anyway.
            let is_index =
                matches!(op, Op::ExtractDynamic | Op::InsertDynamic) && Some(&operand) == operands.last();
            if !is_wide(self.ty(operand)) {
                let value = self.cursor.get(operand);
                lows.push(value);
                highs.push(value);
            } else {
                let pair = self.pair(operand);
                lows.push(pair.low);
                highs.push(if is_index { pair.low } else { pair.high });
            }
        }
        Pair {
            low: self.cursor.value(op.clone(), &lows, ty),
            high: self.cursor.value(op.clone(), &highs, ty),
        }
    }

    fn binary(&mut self, op: BinaryOp, operands: &[Value], result: Value) -> Option<Pair> {
        let (a, b) = (self.pair(operands[0]), self.pair(operands[1]));
        Some(match op {
            BinaryOp::And | BinaryOp::Or | BinaryOp::Xor => self.by_words(&Op::Binary(op), operands, result),
            BinaryOp::Add => self.add(a, b),
            BinaryOp::Sub => self.subtract(a, b),
            BinaryOp::Mul => self.multiply(a, b),
            BinaryOp::Shl | BinaryOp::LShr | BinaryOp::AShr => self.shift(op, a, b.low),
            BinaryOp::UDiv | BinaryOp::URem | BinaryOp::SDiv | BinaryOp::SRem => self.divide(op, a, b),
            _ => {
                let first = self.compare(op.first_if()?, a, b)?;
                self.choose(first, a, b)
            }
        })
    }

    /// One of two pairs.
    pub fn choose(&mut self, condition: Value, if_true: Pair, if_false: Pair) -> Pair {
        Pair {
            low: self.cursor.select(condition, if_true.low, if_false.low),
            high: self.cursor.select(condition, if_true.high, if_false.high),
        }
    }

    /// A truth value as 0 or 1.
    pub fn bit(&mut self, condition: Value) -> Value {
        let ty = self.ty(condition).with_scalar(Scalar::I32);
        self.cursor.convert(ConvertOp::ZeroExtend, condition, ty)
    }

    /// The sum.
    pub fn add(&mut self, a: Pair, b: Pair) -> Pair {
        let low = self.cursor.binary(BinaryOp::Add, a.low, b.low);
        let carry = self.cursor.compare(CompareOp::ULt, low, a.low);
        let carry = self.bit(carry);
        let high = self.cursor.binary(BinaryOp::Add, a.high, b.high);
        Pair { low, high: self.cursor.binary(BinaryOp::Add, high, carry) }
    }

    /// The difference.
    pub fn subtract(&mut self, a: Pair, b: Pair) -> Pair {
        let low = self.cursor.binary(BinaryOp::Sub, a.low, b.low);
        let borrow = self.cursor.compare(CompareOp::ULt, a.low, b.low);
        let borrow = self.bit(borrow);
        let high = self.cursor.binary(BinaryOp::Sub, a.high, b.high);
        Pair { low, high: self.cursor.binary(BinaryOp::Sub, high, borrow) }
    }

    /// The lower half of the product.
    pub fn multiply(&mut self, a: Pair, b: Pair) -> Pair {
        let low = self.cursor.binary(BinaryOp::Mul, a.low, b.low);
        let lanes: Vec<Value> = (0..self.ty(low).lanes())
            .map(|lane| {
                let (a, b) = (self.cursor.extract(a.low, lane), self.cursor.extract(b.low, lane));
                self.cursor.value(Op::Binary(BinaryOp::UMulHi), &[a, b], Type::I32)
            })
            .collect();
        let carried = self.cursor.construct(&lanes);
        let (one, other) = (
            self.cursor.binary(BinaryOp::Mul, a.low, b.high),
            self.cursor.binary(BinaryOp::Mul, a.high, b.low),
        );
        let cross = self.cursor.binary(BinaryOp::Add, one, other);
        Pair { low, high: self.cursor.binary(BinaryOp::Add, carried, cross) }
    }

    /// A shift by a count modulo 64: within words if the count is below 32, otherwise by a whole word and the
    /// rest.
    pub fn shift(&mut self, op: BinaryOp, value: Pair, count: Value) -> Pair {
        let ty = self.ty(count);
        let within = self.cursor.binary_int(BinaryOp::And, count, 31);
        let word_bit = self.cursor.binary_int(BinaryOp::And, count, 32);
        let zero = self.cursor.function.zero(ty);
        let by_word = self.cursor.compare(CompareOp::Ne, word_bit, zero);
        let last = self.cursor.int(ty, 31);
        let complement = self.cursor.binary(BinaryOp::Sub, last, within);
        let left = op == BinaryOp::Shl;
        // `moved` loses bits, which move into `other`.
        let (moved, other) = if left { (value.low, value.high) } else { (value.high, value.low) };
        let (forward, backward) =
            if left { (BinaryOp::Shl, BinaryOp::LShr) } else { (BinaryOp::LShr, BinaryOp::Shl) };
        let shifted = self.cursor.binary(op, moved, within);
        let over = self.cursor.binary_int(backward, moved, 1);
        let over = self.cursor.binary(backward, over, complement);
        let rest = self.cursor.binary(forward, other, within);
        let joined = self.cursor.binary(BinaryOp::Or, rest, over);
        let fill = match op {
            BinaryOp::AShr => self.cursor.binary_int(BinaryOp::AShr, value.high, 31),
            _ => zero,
        };
        let moved = self.cursor.select(by_word, fill, shifted);
        let other = self.cursor.select(by_word, shifted, joined);
        if left { Pair { low: moved, high: other } } else { Pair { low: other, high: moved } }
    }

    /// A comparison of integers; `None` for other comparisons.
    pub fn compare(&mut self, op: CompareOp, a: Pair, b: Pair) -> Option<Value> {
        let both = |this: &mut Self, op, high, low| {
            let ty = this.ty(high);
            this.cursor.value(Op::Binary(op), &[high, low], ty)
        };
        let (less, swapped, negated) = match op {
            CompareOp::Eq | CompareOp::Ne => {
                let high = self.cursor.compare(op, a.high, b.high);
                let low = self.cursor.compare(op, a.low, b.low);
                let join = if op == CompareOp::Eq { BinaryOp::And } else { BinaryOp::Or };
                return Some(both(self, join, high, low));
            }
            CompareOp::SLt => (CompareOp::SLt, false, false),
            CompareOp::SGt => (CompareOp::SLt, true, false),
            CompareOp::SGe => (CompareOp::SLt, false, true),
            CompareOp::SLe => (CompareOp::SLt, true, true),
            CompareOp::ULt => (CompareOp::ULt, false, false),
            CompareOp::UGt => (CompareOp::ULt, true, false),
            CompareOp::UGe => (CompareOp::ULt, false, true),
            CompareOp::ULe => (CompareOp::ULt, true, true),
            _ => return None,
        };
        let (a, b) = if swapped { (b, a) } else { (a, b) };
        let high_less = self.cursor.compare(less, a.high, b.high);
        let high_equal = self.cursor.compare(CompareOp::Eq, a.high, b.high);
        let low_less = self.cursor.compare(CompareOp::ULt, a.low, b.low);
        let tie = both(self, BinaryOp::And, high_equal, low_less);
        let result = both(self, BinaryOp::Or, high_less, tie);
        if !negated {
            return Some(result);
        }
        let ty = self.ty(result);
        Some(self.cursor.value(Op::Unary(UnaryOp::Not), &[result], ty))
    }

    /// A conversion to a 64-bit integer.
    fn widen(&mut self, op: ConvertOp, value: Value, result: Value) -> Option<Pair> {
        let ty = self.ty(result).with_scalar(Scalar::I32);
        match op {
            ConvertOp::ZeroExtend => {
                let value = self.cursor.get(value);
                let low = self.cursor.convert(ConvertOp::ZeroExtend, value, ty);
                Some(Pair { low, high: self.cursor.function.zero(ty) })
            }
            ConvertOp::SignExtend => {
                let value = self.cursor.get(value);
                let low = self.cursor.convert(ConvertOp::SignExtend, value, ty);
                let high = self.cursor.binary_int(BinaryOp::AShr, low, 31);
                self.sign_extended.insert(high);
                Some(Pair { low, high })
            }
            ConvertOp::FloatToSigned { saturating: false }
            | ConvertOp::FloatToUnsigned { saturating: false } => {
                let mut value = self.cursor.get(value);
                if self.ty(value).scalar() == Some(Scalar::F16) {
                    let single = ty.with_scalar(Scalar::F32);
                    value = self.cursor.convert(ConvertOp::Float(RoundingMode::NearestEven), value, single);
                }
                Some(self.pair_of_float(value, matches!(op, ConvertOp::FloatToSigned { .. })))
            }
            ConvertOp::Bitcast => {
                let value = self.cursor.get(value);
                Some(self.both_words(value))
            }
            _ => None,
        }
    }

    /// The low and the high words that a value consists of.
    fn both_words(&mut self, value: Value) -> Pair {
        let (mut lows, mut highs) = (Vec::new(), Vec::new());
        for pair in self.words_of(value).chunks(2) {
            lows.push(pair[0]);
            highs.push(pair[1]);
        }
        Pair { low: self.cursor.construct(&lows), high: self.cursor.construct(&highs) }
    }

    /// The words that a value consists of, lowest first.
    fn words_of(&mut self, value: Value) -> Vec<Value> {
        let ty = self.ty(value);
        let parts: Vec<Value> = match ty.access_size() {
            8 | 16 => vec![value],
            _ => self.cursor.lanes(value),
        };
        let mut words = Vec::new();
        for part in parts {
            let count = self.ty(part).access_size() / 4;
            let all = self.cursor.bitcast(part, Type::with_lanes(Scalar::I32, count));
            words.extend(self.cursor.lanes(all));
        }
        words
    }

    /// An operation on 64-bit integers whose result has another type.
    fn narrow_result(&mut self, op: &Op, operands: &[Value], result: Value) -> Option<Value> {
        let ty = self.ty(result);
        match op {
            Op::Compare(compare) => {
                let (a, b) = (self.pair(operands[0]), self.pair(operands[1]));
                self.compare(*compare, a, b)
            }
            Op::Convert(convert) => self.narrow(*convert, operands[0], ty),
            Op::ExtractDynamic | Op::InsertDynamic => {
                // Only the index is wide.
                let (index, others) = operands.split_last()?;
                let mut all: Vec<Value> = others.iter().map(|&value| self.cursor.get(value)).collect();
                all.push(self.pair(*index).low);
                Some(self.cursor.value(op.clone(), &all, ty))
            }
            _ => None,
        }
    }

    fn narrow(&mut self, op: ConvertOp, value: Value, ty: Type) -> Option<Value> {
        let Pair { low, high } = self.pair(value);
        match op {
            ConvertOp::Truncate => Some(self.cursor.convert(ConvertOp::Truncate, low, ty)),
            ConvertOp::UnsignedToFloat(_) if self.is_zero(high) => Some(self.cursor.convert(op, low, ty)),
            ConvertOp::SignedToFloat(mode) if self.is_zero(high) => {
                Some(self.cursor.convert(ConvertOp::UnsignedToFloat(mode), low, ty))
            }
            ConvertOp::SignedToFloat(_) if self.sign_extended.contains(&high) => {
                Some(self.cursor.convert(op, low, ty))
            }
            ConvertOp::SignedToFloat(mode) | ConvertOp::UnsignedToFloat(mode) => {
                self.float_of_pair(Pair { low, high }, matches!(op, ConvertOp::SignedToFloat(_)), mode, ty)
            }
            ConvertOp::Bitcast => {
                let lanes = self.ty(low).lanes();
                let words: Vec<Value> = (0..lanes)
                    .flat_map(|lane| [self.cursor.extract(low, lane), self.cursor.extract(high, lane)])
                    .collect();
                if lanes <= 2 {
                    let words = self.cursor.construct(&words);
                    return Some(self.cursor.bitcast(words, ty));
                }
                // Only doubles have this many 64-bit lanes.
                let scalar = Type::Scalar(ty.scalar()?);
                let lanes: Vec<Value> = words
                    .chunks(2)
                    .map(|pair| {
                        let pair = self.cursor.construct(pair);
                        self.cursor.bitcast(pair, scalar)
                    })
                    .collect();
                Some(self.cursor.construct(&lanes))
            }
            _ => None,
        }
    }

    /// A pair as a floating-point number.
    fn float_of_pair(&mut self, value: Pair, signed: bool, mode: RoundingMode, ty: Type) -> Option<Value> {
        let (magnitude, sign) = match signed {
            true => self.magnitude(value),
            false => (value, self.cursor.function.zero(self.ty(value.high))),
        };
        match ty.scalar()? {
            Scalar::F32 => {
                let Pair { low, high } = magnitude;
                Some(int_to_float::to_single(&mut self.cursor, Magnitude { high, low }, sign, mode))
            }
            Scalar::F16 => {
                // Integers too large for a float are beyond the largest half.
                let single = self.float_of_pair(
                    value,
                    signed,
                    RoundingMode::NearestEven,
                    ty.with_scalar(Scalar::F32),
                )?;
                Some(self.cursor.convert(ConvertOp::Float(mode), single, ty))
            }
            Scalar::F64 if mode == RoundingMode::NearestEven => {
                // The upper part is exact: only the sum is rounded.
                let op =
                    if signed { ConvertOp::SignedToFloat(mode) } else { ConvertOp::UnsignedToFloat(mode) };
                let high = self.cursor.convert(op, value.high, ty);
                let low = self.cursor.convert(ConvertOp::UnsignedToFloat(mode), value.low, ty);
                let factor = self.cursor.function.float(ty, 4_294_967_296.0);
                let high = self.cursor.value(Op::Binary(BinaryOp::FMul), &[high, factor], ty);
                Some(self.cursor.value(Op::Binary(BinaryOp::FAdd), &[high, low], ty))
            }
            _ => None,
        }
    }

    /// A switch on a 64-bit integer: on its low word if the high one is known to be zero, otherwise on the
    /// number of the case.
    fn switch(&mut self, inst: Inst, cases: &[Box<[u64]>], selector: Value) -> Value {
        let pair = self.pair(selector);
        if self.is_zero(pair.high) {
            let low = |labels: &[u64]| {
                labels.iter().copied().filter(|&label| label <= u64::from(u32::MAX)).collect()
            };
            let narrow: Vec<Box<[u64]>> = cases.iter().map(|labels| low(labels)).collect();
            if narrow.iter().all(|labels| !labels.is_empty()) {
                self.cursor.function.insts[inst].op = Op::Switch(narrow.into());
                return pair.low;
            }
        }
        let mut number = self.cursor.int(Type::I32, cases.len() as i64);
        for (case, labels) in cases.iter().enumerate() {
            for &label in labels {
                let label = self.cursor.int(Type::I64, label as i64);
                let label = self.pair(label);
                let equal = self.compare(CompareOp::Eq, pair, label).expect("integers are compared");
                let case = self.cursor.int(Type::I32, case as i64);
                number = self.cursor.select(equal, case, number);
            }
        }
        let numbers: Vec<Box<[u64]>> = (0..cases.len() as u64).map(|case| Box::from([case])).collect();
        self.cursor.function.insts[inst].op = Op::Switch(numbers.into());
        number
    }

    fn structural(&mut self, inst: Inst, operands: &[Value]) {
        let mut all = Vec::with_capacity(operands.len());
        for &operand in operands {
            if !is_wide(self.ty(operand)) {
                all.push(self.cursor.get(operand));
                continue;
            }
            let pair = self.pair(operand);
            all.extend([pair.low, pair.high]);
        }
        self.structural_with(inst, &all);
    }

    fn structural_with(&mut self, inst: Inst, operands: &[Value]) {
        let split = |ty: Type| is_wide(ty).then(|| (2, ty.with_scalar(Scalar::I32)));
        for (value, words) in self.cursor.keep_split(inst, operands, split) {
            self.pairs.insert(value, Pair { low: words[0], high: words[1] });
        }
    }
}
