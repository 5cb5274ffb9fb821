//! Atomic operations on numbers that are parts of words: repeated on the whole word until no other change
//! intervenes.
//!
//! The rest of the word is written back as it was read, by a compare-exchange of the whole word. A concurrent
//! store to the word makes the comparison fail, and the operation is repeated. Arrays with such operations
//! consist of words (see `views`), so that other stores to them are compare-exchanges too (see `words`).

use super::access::{Flags, Place, bits_of};
use super::pointers::Lowering;
use super::words::Word;
use clvk_ir::{BinaryOp, CompareOp, ConvertOp, MemoryOrder, Op, Type, UnaryOp, Value};

/// The position of a number in its word.
#[derive(Clone, Copy)]
struct Part {
    word: Word,
    /// A pointer to the word.
    pointer: Value,
    /// The number of bits below the number, as a value of the word's type.
    shift: Value,
    /// The integer type with as many bits as the number.
    bits: Type,
}

impl<'a> Lowering<'a, '_> {
    /// An operation on a number in a word that others see; returns the old number, if the operation has a
    /// result.
    pub fn narrow_atomic(&mut self, op: &Op, place: Place<'a>, ty: Type, values: &[Value]) -> Option<Value> {
        let (word, pointer, shift) =
            self.word_of(place, Flags { align: ty.access_size(), volatile: false, constant: false });
        let part = Part { word, pointer, shift, bits: bits_of(ty) };
        let old = match *op {
            Op::AtomicLoad { .. } => self.cursor.value(op.clone(), &[pointer], word.ty()),
            Op::AtomicStore { order, scope } => {
                let exchange =
                    Op::AtomicCompareExchange { success: order, failure: MemoryOrder::Relaxed, scope };
                self.exchange_part(part, exchange, ty, None, &mut |_, _| values[0]);
                return None;
            }
            Op::AtomicRmw { op, order, scope } => {
                let exchange =
                    Op::AtomicCompareExchange { success: order, failure: MemoryOrder::Relaxed, scope };
                let mut new = |this: &mut Self, old| this.combined(op, old, values[0], ty);
                self.exchange_part(part, exchange, ty, None, &mut new)
            }
            Op::AtomicCompareExchange { .. } => {
                self.exchange_part(part, op.clone(), ty, Some(values[0]), &mut |_, _| values[1])
            }
            _ => unreachable!("called for atomic operations"),
        };
        Some(self.part_of(old, part, ty))
    }

    /// The number in a word.
    fn part_of(&mut self, word: Value, part: Part, ty: Type) -> Value {
        let low = self.cursor.binary(BinaryOp::LShr, word, part.shift);
        let bits = self.cursor.convert(ConvertOp::Truncate, low, part.bits);
        self.cursor.bitcast(bits, ty)
    }

    /// A word with another number in it.
    fn with_part(&mut self, word: Value, part: Part, value: Value) -> Value {
        let ty = part.word.ty();
        let bits = self.cursor.bitcast(value, part.bits);
        let bits = self.cursor.convert(ConvertOp::ZeroExtend, bits, ty);
        let bits = self.cursor.binary(BinaryOp::Shl, bits, part.shift);
        let all = self.cursor.int(ty, (1 << (part.bits.access_size() * 8)) - 1);
        let mask = self.cursor.binary(BinaryOp::Shl, all, part.shift);
        let kept = self.cursor.value(Op::Unary(UnaryOp::Not), &[mask], ty);
        let rest = self.cursor.binary(BinaryOp::And, word, kept);
        self.cursor.binary(BinaryOp::Or, rest, bits)
    }

    /// Replaces a number by what `new` computes from it, with `exchange`, the word's compare-exchange. If a
    /// number is expected, replaces only that one. Returns the old word.
    fn exchange_part(
        &mut self,
        part: Part,
        exchange: Op,
        ty: Type,
        expected: Option<Value>,
        new: &mut dyn FnMut(&mut Self, Value) -> Value,
    ) -> Value {
        let Op::AtomicCompareExchange { failure, scope, .. } = exchange else {
            unreachable!("words are exchanged by comparison")
        };
        let first =
            self.cursor.value(Op::AtomicLoad { order: failure, scope }, &[part.pointer], part.word.ty());
        self.exchange_or_repeat(exchange, part.pointer, first, |this, tries, word| {
            let old = this.part_of(word, part, ty);
            if let Some(expected) = expected {
                let (old, expected) =
                    (this.cursor.bitcast(old, part.bits), this.cursor.bitcast(expected, part.bits));
                let same = this.cursor.compare(CompareOp::Eq, old, expected);
                this.cursor.exit_when(same, false, tries, &[word]);
            }
            let new = new(this, old);
            this.with_part(word, part, new)
        })
    }
}
