//! Divides and multiplies 64-bit integers that are known to have 32 bits as what they are.
//!
//! `get_global_id(0) / n` is a division of extended numbers, and 32-bit division is a fraction of the other
//! one's price on every device, between a third and a thirtieth on GPUs:
//!
//! - Both numbers have 32 bits, unsigned: so have quotient and remainder.
//! - The dividend has 32 bits, unsigned: a divisor that has more gives the quotient 0, and the dividend as
//!   the remainder.
//! - Both have 32 bits, signed: their magnitudes are divided, because the smallest number divided by -1 has
//!   33 bits. Where that cannot be, the numbers themselves are divided.
//!
//! `(a & 0xffffffff) * (b >> 32)` is a product of words. Its factors become extensions of them, by which
//! drivers know that one multiplication of words with a result of 64 bits is enough, instead of three.
//!
//! It relies on [`KnownBits`], which sees most after launch and memory are lowered. No 32-bit division is
//! made that divides by zero where the 64-bit one does not.

use super::Context;
use super::cursor::Cursor;
use crate::TranslateError;
use clvk_ir::{
    BinaryOp, Bits, CompareOp, ConvertOp, Function, Inst, KnownBits, Op, Scalar, Type, Value, ValueDef,
};

/// See the module.
///
/// # Errors
/// None.
pub fn run(context: &mut Context<'_, '_>) -> Result<(), Vec<TranslateError>> {
    for function in context.module.bodies_mut() {
        let mut concerned = false;
        function.walk(|_, data| {
            let op = matches!(data.op, Op::Binary(op) if op.divides_integers() || op == BinaryOp::Mul);
            concerned |= op && function.ty(data.operands[0]).scalar() == Some(Scalar::I64);
        });
        if !concerned {
            continue;
        }
        let mut known = KnownBits::new(function);
        let mut cursor = Cursor::new(function);
        while let Some(inst) = cursor.advance() {
            match narrowed(&mut cursor, &mut known, inst) {
                Some(value) => cursor.replace_result(inst, value),
                None => cursor.keep(inst),
            }
        }
    }
    Ok(())
}

/// A division, with what is known of its operands.
struct Division {
    op: BinaryOp,
    a: Value,
    b: Value,
    known_a: Bits,
    known_b: Bits,
    /// The type of 32-bit numbers.
    narrow: Type,
    wide: Type,
}

fn narrowed(cursor: &mut Cursor<'_>, known: &mut KnownBits, inst: Inst) -> Option<Value> {
    let Op::Binary(op) = cursor.function.insts[inst].op else { return None };
    let wide = cursor.function.ty(cursor.result(inst));
    if wide.scalar() != Some(Scalar::I64) {
        return None;
    }
    if op == BinaryOp::Mul {
        return product_of_words(cursor, known, inst);
    }
    if !op.divides_integers() {
        return None;
    }
    let (a, b) = (cursor.operand(inst, 0), cursor.operand(inst, 1));
    let (known_a, known_b) = (known.of(cursor.function, a), known.of(cursor.function, b));
    let narrow = wide.with_scalar(Scalar::I32);
    let mut division = Division { op, a, b, known_a, known_b, narrow, wide };
    let signed = matches!(op, BinaryOp::SDiv | BinaryOp::SRem);
    if !signed || known_a.is_not_negative() && known_b.is_not_negative() {
        division.op = if division.is_quotient() { BinaryOp::UDiv } else { BinaryOp::URem };
        return match (known_a.fits_unsigned(32), known_b.fits_unsigned(32)) {
            (true, true) => Some(division.unsigned(cursor)),
            (true, false) => Some(division.by_any(cursor)),
            _ => None,
        };
    }
    match known_a.fits_signed(32) && known_b.fits_signed(32) {
        true if division.cannot_overflow() => Some(division.signed(cursor)),
        true => Some(division.by_magnitudes(cursor)),
        false => None,
    }
}

impl Division {
    fn is_quotient(&self) -> bool {
        matches!(self.op, BinaryOp::UDiv | BinaryOp::SDiv)
    }

    /// Whether the dividend is not the smallest number, or the divisor is not -1.
    fn cannot_overflow(&self) -> bool {
        self.known_a.fits_signed(31) || self.known_b.zeros() != 0
    }

    fn words(&self, cursor: &mut Cursor<'_>) -> (Value, Value) {
        let mut low = |value| cursor.convert(ConvertOp::Truncate, value, self.narrow);
        (low(self.a), low(self.b))
    }

    fn unsigned(&self, cursor: &mut Cursor<'_>) -> Value {
        let (a, b) = self.words(cursor);
        let result = cursor.binary(self.op, a, b);
        cursor.convert(ConvertOp::ZeroExtend, result, self.wide)
    }

    fn signed(&self, cursor: &mut Cursor<'_>) -> Value {
        let (a, b) = self.words(cursor);
        let result = cursor.binary(self.op, a, b);
        cursor.convert(ConvertOp::SignExtend, result, self.wide)
    }

    /// The divisor may have more than 32 bits.
    fn by_any(&self, cursor: &mut Cursor<'_>) -> Value {
        let (a, mut b) = self.words(cursor);
        let greatest = cursor.int(self.wide, 0xffff_ffff);
        let fits = cursor.compare(CompareOp::ULe, self.b, greatest);
        // The lower word of a large sign-extended number is not zero.
        if !self.known_b.fits_signed(32) {
            let one = cursor.int(self.narrow, 1);
            b = cursor.select(fits, b, one);
        }
        let result = cursor.binary(self.op, a, b);
        let result = cursor.convert(ConvertOp::ZeroExtend, result, self.wide);
        let otherwise = if self.is_quotient() { cursor.int(self.wide, 0) } else { self.a };
        cursor.select(fits, result, otherwise)
    }

    fn by_magnitudes(&self, cursor: &mut Cursor<'_>) -> Value {
        let (a, b) = self.words(cursor);
        let [sign_a, sign_b] = [a, b].map(|word| cursor.binary_int(BinaryOp::AShr, word, 31));
        let (a, b) = (negated_by(cursor, a, sign_a), negated_by(cursor, b, sign_b));
        if self.is_quotient() {
            let quotient = cursor.binary(BinaryOp::UDiv, a, b);
            let sign = cursor.binary(BinaryOp::Xor, sign_a, sign_b);
            let [quotient, sign] = [(ConvertOp::ZeroExtend, quotient), (ConvertOp::SignExtend, sign)]
                .map(|(op, value)| cursor.convert(op, value, self.wide));
            negated_by(cursor, quotient, sign)
        } else {
            let rest = cursor.binary(BinaryOp::URem, a, b);
            let rest = negated_by(cursor, rest, sign_a);
            cursor.convert(ConvertOp::SignExtend, rest, self.wide)
        }
    }
}

/// The product of two numbers that have 32 bits, both unsigned or both signed, as one of extended words.
/// Constants and extensions show their size themselves.
fn product_of_words(cursor: &mut Cursor<'_>, known: &mut KnownBits, inst: Inst) -> Option<Value> {
    let factors = [cursor.operand(inst, 0), cursor.operand(inst, 1)];
    let bits = factors.map(|factor| known.of(cursor.function, factor));
    let extension = if bits.iter().all(|bits| bits.fits_unsigned(32)) {
        ConvertOp::ZeroExtend
    } else if bits.iter().all(|bits| bits.fits_signed(32)) {
        ConvertOp::SignExtend
    } else {
        return None;
    };
    let tells = factors.map(|factor| tells_its_size(cursor.function, factor));
    if tells == [true, true] {
        return None;
    }
    let wide = cursor.function.ty(factors[0]);
    let [a, b] = [0, 1].map(|at| match tells[at] {
        true => factors[at],
        false => {
            let word = cursor.convert(ConvertOp::Truncate, factors[at], wide.with_scalar(Scalar::I32));
            cursor.convert(extension, word, wide)
        }
    });
    Some(cursor.binary(BinaryOp::Mul, a, b))
}

fn tells_its_size(function: &Function, value: Value) -> bool {
    match function.values[value].def {
        ValueDef::Constant(_) => true,
        ValueDef::Result(inst, _) => {
            matches!(function.insts[inst].op, Op::Convert(ConvertOp::ZeroExtend | ConvertOp::SignExtend))
        }
        _ => false,
    }
}

/// The value, or its negation where `sign` is all ones.
fn negated_by(cursor: &mut Cursor<'_>, value: Value, sign: Value) -> Value {
    let flipped = cursor.binary(BinaryOp::Xor, value, sign);
    cursor.binary(BinaryOp::Sub, flipped, sign)
}
