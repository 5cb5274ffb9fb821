//! `__builtin_add_overflow` and similar functions: the result in the type of its target, and whether it
//! overflowed.
//!
//! Operands have the types `int`, `uint`, `long` and `ulong`. If they and the target have the same type, a
//! comparison or the high half of a product tells whether the result fits. Otherwise the exact result is
//! computed in 128 bits, two's complement.

use super::builtin::Arguments;
use super::function::FunctionLowering;
use crate::types::{QualifiedType, ScalarKind, TypeKind};
use clvk_ir::{BinaryOp, CompareOp, Type, Value};

/// A number of 128 bits.
#[derive(Clone, Copy)]
struct Wide {
    low: Value,
    high: Value,
}

impl FunctionLowering<'_, '_> {
    /// Stores `left op right`, wrapped, through the third argument. Returns 1 if it does not fit there, 0
    /// otherwise.
    pub fn overflow(&mut self, op: BinaryOp, arguments: &Arguments) -> Value {
        let &[left, right, pointer] = arguments.values.as_slice() else {
            unreachable!("two operands and a pointer")
        };
        let types = &self.lowering.program.types;
        let kind = |index: usize| crate::hir::arithmetic(types, arguments.types[index]).0;
        let TypeKind::Pointer { pointee, .. } = types.kind(arguments.types[2]) else {
            unreachable!("the checker demands a pointer")
        };
        let (from, pointee): ([ScalarKind; 2], QualifiedType) = ([kind(0), kind(1)], *pointee);
        let to = crate::hir::arithmetic(types, pointee.ty).0;
        let operands =
            [self.convert_arithmetic(left, from[0], to), self.convert_arithmetic(right, from[1], to)];
        let result = self.build().binary(op, operands[0], operands[1]);
        self.build().store(pointer, result, to.size() as u32, pointee.qualifiers.is_volatile);
        let overflows = if from == [to, to] {
            self.overflows_in_type(op, operands, result, to)
        } else {
            let [left, right] = [self.widened(left, from[0]), self.widened(right, from[1])];
            let exact = self.exact(op, left, right);
            self.exceeds(exact, to)
        };
        self.truth(overflows, arguments.result)
    }

    /// Whether the result of an operation on numbers of one type of 32 or 64 bits was wrapped.
    fn overflows_in_type(
        &mut self,
        op: BinaryOp,
        [left, right]: [Value; 2],
        result: Value,
        kind: ScalarKind,
    ) -> Value {
        let zero = self.function.zero(self.function.ty(result));
        match (op, kind.is_signed()) {
            (BinaryOp::Add, false) => self.is(CompareOp::ULt, result, left),
            (BinaryOp::Sub, false) => self.is(CompareOp::ULt, left, right),
            // The sign of a sum is wrong if both operands have the other sign; for a difference, the first
            // operand and the negated second one.
            (BinaryOp::Add | BinaryOp::Sub, true) => {
                let changed = self.build().binary(BinaryOp::Xor, left, result);
                let other = if op == BinaryOp::Add { result } else { left };
                let against = self.build().binary(BinaryOp::Xor, right, other);
                let both = self.build().binary(BinaryOp::And, changed, against);
                self.is(CompareOp::SLt, both, zero)
            }
            (_, false) => {
                let high = self.build().binary(BinaryOp::UMulHi, left, right);
                self.is(CompareOp::Ne, high, zero)
            }
            (_, true) => {
                let high = self.build().binary(BinaryOp::SMulHi, left, right);
                let sign = self.sign_of(result, kind.scalar().bits());
                self.is(CompareOp::Ne, high, sign)
            }
        }
    }

    /// The highest bit of a number of this many bits, copied to all bits.
    fn sign_of(&mut self, value: Value, bits: u32) -> Value {
        let last = self.function.int(self.function.ty(value), i64::from(bits - 1));
        self.build().binary(BinaryOp::AShr, value, last)
    }

    fn widened(&mut self, value: Value, kind: ScalarKind) -> Wide {
        let low = self.convert_arithmetic(
            value,
            kind,
            if kind.is_signed() { ScalarKind::Long } else { ScalarKind::ULong },
        );
        let high = if kind.is_signed() { self.sign_of(low, 64) } else { self.function.zero(Type::I64) };
        Wide { low, high }
    }

    /// The exact result. The product of two unsigned factors is unsigned; all other results are signed.
    fn exact(&mut self, op: BinaryOp, left: Wide, right: Wide) -> Wide {
        let low = self.build().binary(op, left.low, right.low);
        let high = match op {
            BinaryOp::Add | BinaryOp::Sub => {
                let high = self.build().binary(op, left.high, right.high);
                // The carry, or the borrow.
                let (smaller, larger) =
                    if op == BinaryOp::Add { (low, left.low) } else { (left.low, right.low) };
                let carries = self.is(CompareOp::ULt, smaller, larger);
                let (one, zero) = (self.function.int(Type::I64, 1), self.function.zero(Type::I64));
                let carry = self.choose(carries, one, zero);
                self.build().binary(op, high, carry)
            }
            _ => {
                // A negative factor counts 2⁶⁴ less than its low half.
                let mut high = self.build().binary(BinaryOp::UMulHi, left.low, right.low);
                for (sign, factor) in [(left.high, right.low), (right.high, left.low)] {
                    let less = self.build().binary(BinaryOp::And, sign, factor);
                    high = self.build().binary(BinaryOp::Sub, high, less);
                }
                high
            }
        };
        Wide { low, high }
    }

    /// Whether a number does not fit an integer type. An unsigned number is treated as signed: the largest
    /// product has 2⁶⁴ − 2 in its high half, which is not the sign extension of any low half.
    fn exceeds(&mut self, number: Wide, kind: ScalarKind) -> Value {
        let bits = kind.scalar().bits();
        let (rest, expected) = if kind.is_signed() {
            (self.sign_of(number.low, bits), self.sign_of(number.low, 64))
        } else if bits == 64 {
            let zero = self.function.zero(Type::I64);
            (zero, zero)
        } else {
            let count = self.function.int(Type::I64, i64::from(bits));
            (self.build().binary(BinaryOp::LShr, number.low, count), self.function.zero(Type::I64))
        };
        let low = self.is(CompareOp::Ne, rest, expected);
        let high = self.is(CompareOp::Ne, number.high, expected);
        self.build().binary(BinaryOp::Or, low, high)
    }
}
