//! Barriers, fences and atomic operations as operations of the IR.

use super::builtin::Arguments;
use super::function::FunctionLowering;
use crate::builtins::{AtomicAction, FetchKey};
use crate::hir::Synchronizing;
use crate::types::{ScalarKind, TypeKind};
use clvk_ir::{AtomicOp, CompareOp, ConvertOp, MemoryOrder, Op, Scalar, Scope, Type, UnaryOp, Value};

/// Orders and scope of an atomic operation.
#[derive(Clone, Copy)]
struct Ordering {
    success: MemoryOrder,
    failure: MemoryOrder,
    scope: Scope,
}

impl FunctionLowering<'_, '_> {
    pub fn synchronize(&mut self, what: Synchronizing, arguments: &Arguments) -> Option<Value> {
        match what {
            Synchronizing::Barrier { execution, memory, flags } => {
                self.push(Op::Barrier { execution, memory, flags }, &[], &[]);
                None
            }
            Synchronizing::Fence { order, scope, flags } => {
                self.push(Op::Fence { order, scope, flags }, &[], &[]);
                None
            }
            Synchronizing::Atomic { action, order, failure, scope } => {
                self.atomic_action(action, Ordering { success: order, failure, scope }, arguments)
            }
        }
    }

    fn atomic_action(
        &mut self,
        action: AtomicAction,
        ordering: Ordering,
        arguments: &Arguments,
    ) -> Option<Value> {
        let Ordering { success: order, scope, .. } = ordering;
        let object = arguments.values[0];
        let kind = self.object_kind(arguments);
        let bits = match action {
            // Its operands are compared as bits.
            AtomicAction::CompareExchange => Type::Scalar(Scalar::int(kind.scalar().bits())),
            _ if kind.is_float() => Type::Scalar(kind.scalar()),
            _ => Type::Scalar(Scalar::int(kind.scalar().bits().max(32))),
        };
        let operand = arguments.values.get(1).copied();
        let operand_bits = operand.map(|value| self.as_bits_of(value, bits));
        match action {
            AtomicAction::Init => {
                let align = kind.size() as u32;
                self.build().store(object, operand_bits.expect("a value"), align, false);
                None
            }
            AtomicAction::Store | AtomicAction::Clear => {
                let value = operand_bits.unwrap_or_else(|| self.function.int(bits, 0));
                self.push(Op::AtomicStore { order, scope }, &[object, value], &[]);
                None
            }
            AtomicAction::Load => Some(self.build().value(Op::AtomicLoad { order, scope }, &[object], bits)),
            AtomicAction::TestAndSet => {
                let set = self.function.int(bits, 1);
                let op = Op::AtomicRmw { op: AtomicOp::Exchange, order, scope };
                let old = self.build().value(op, &[object, set], bits);
                let clear = self.function.int(bits, 0);
                Some(self.build().compare(CompareOp::Ne, old, clear))
            }
            AtomicAction::Exchange => {
                let op = Op::AtomicRmw { op: AtomicOp::Exchange, order, scope };
                Some(self.build().value(op, &[object, operand_bits.expect("a value")], bits))
            }
            AtomicAction::Fetch(key) if kind.is_float() => {
                Some(self.fetch_float(key, ordering, object, operand.expect("an operand")))
            }
            AtomicAction::Fetch(key) => {
                let op = Op::AtomicRmw { op: key.on_integers(kind.is_signed()), order, scope };
                Some(self.build().value(op, &[object, operand.expect("an operand")], bits))
            }
            AtomicAction::CompareExchange => {
                let desired = operand_bits.expect("a value");
                Some(self.compare_exchange(ordering, object, desired, arguments.values[2]))
            }
        }
    }

    /// The kind of value in the atomic object.
    fn object_kind(&self, arguments: &Arguments) -> ScalarKind {
        let types = &self.lowering.program.types;
        let (target, _) = types.pointee(arguments.types[0]).expect("the object is a pointer");
        match types.kind(target.ty) {
            TypeKind::Atomic(ScalarKind::Bool) => ScalarKind::Int,
            TypeKind::Atomic(kind) => *kind,
            other => panic!("{other:?} is not an atomic type"),
        }
    }

    /// Converts floating-point numbers to integers with the same bits, and back.
    fn as_bits_of(&mut self, value: Value, to: Type) -> Value {
        if self.function.ty(value) == to {
            value
        } else {
            self.build().convert(ConvertOp::Bitcast, value, to)
        }
    }

    /// Exchanges if the object holds the expected value, compared as bits; otherwise stores the object's
    /// value where the expected one was.
    fn compare_exchange(
        &mut self,
        ordering: Ordering,
        object: Value,
        desired: Value,
        expected: Value,
    ) -> Value {
        let bits = self.function.ty(desired);
        let align = bits.access_size();
        let wanted = self.build().load(expected, bits, align, false);
        let Ordering { success, failure, scope } = ordering;
        let op = Op::AtomicCompareExchange { success, failure, scope };
        let old = self.build().value(op, &[object, wanted, desired], bits);
        let same = self.build().compare(CompareOp::Eq, old, wanted);
        let (choice, regions) = self.construct(Op::If, &[same], &[], 2);
        self.within(regions[0], |this| this.exit(choice, &[]));
        self.within(regions[1], |this| {
            this.build().store(expected, old, align, false);
            this.exit(choice, &[]);
        });
        same
    }

    /// `atomic_fetch_<key>` of floating-point numbers.
    fn fetch_float(&mut self, key: FetchKey, ordering: Ordering, object: Value, operand: Value) -> Value {
        let ty = self.function.ty(operand);
        let Ordering { success: order, scope, .. } = ordering;
        let (op, operand) = match key {
            FetchKey::Add => (AtomicOp::FAdd, operand),
            FetchKey::Sub => (AtomicOp::FAdd, self.build().unary(UnaryOp::FNeg, operand)),
            FetchKey::Min => (AtomicOp::FMin, operand),
            FetchKey::Max => (AtomicOp::FMax, operand),
            other => panic!("{other:?} is not an operation on floating-point numbers"),
        };
        self.build().value(Op::AtomicRmw { op, order, scope }, &[object, operand], ty)
    }
}
