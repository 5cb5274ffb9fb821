//! Operators on atomic objects (C++ for OpenCL, atomic operations): they are calls of the atomic functions,
//! sequentially consistent and for all devices.

use crate::Span;
use crate::ast::{BinaryOp, Name};
use crate::check::cxx::Cxx;
use crate::check::cxx::expression::Value;
use crate::hir::{ArithmeticOp, Expr, ExprKind as Hir, Place};
use crate::types::{ScalarKind, TypeId, TypeKind};

impl Cxx<'_> {
    /// The type of the value of an atomic object. A flag has none.
    pub(in crate::check::cxx) fn atomic_value(&mut self, ty: TypeId) -> Option<TypeId> {
        match *self.types.kind(ty) {
            TypeKind::Atomic(kind) if kind != ScalarKind::Bool => Some(self.types.scalar(kind)),
            _ => None,
        }
    }

    /// The value of an atomic object.
    pub(in crate::check::cxx) fn atomic_load(&mut self, place: Place) -> Expr {
        let span = place.span;
        self.atomic_call("atomic_load", place, None, span)
    }

    /// `a = value` or `a op= value`. `plain` is the type of the object's value.
    pub(super) fn atomic_assignment(
        &mut self,
        op: Option<BinaryOp>,
        place: Place,
        plain: TypeId,
        value: Value,
        span: Span,
    ) -> Value {
        let ty = place.ty.ty;
        let value = self.builtin_operand(value, span);
        let at = value.span();
        let value = self.implicit(value, plain, at, "assigning to");
        if self.types.is_error(value.ty) {
            return self.error_value_of(span);
        }
        let Some(op) = op else { return self.atomic_store(place, value, span) };
        match self.atomic_change(op, place, value, span) {
            Some(value) => value,
            None => {
                let (a, b) = (self.type_text(ty), self.type_text(plain));
                self.error(span, format!("invalid operands to binary expression ('{a}' and '{b}')"));
                self.error_value_of(span)
            }
        }
    }

    /// `a = value`. Its value is what was stored.
    fn atomic_store(&mut self, place: Place, value: Expr, span: Span) -> Value {
        let (keep, kept) = self.kept(value);
        let store = self.atomic_call("atomic_store", place, Some(kept.clone()), span);
        self.in_order([keep, store], kept)
    }

    /// `a op= value`: its value is the new one. `None` if there is no atomic function for it.
    fn atomic_change(&mut self, op: BinaryOp, place: Place, value: Expr, span: Span) -> Option<Value> {
        let (function, op) = match op {
            BinaryOp::Add => ("atomic_fetch_add", ArithmeticOp::Add),
            BinaryOp::Sub => ("atomic_fetch_sub", ArithmeticOp::Sub),
            BinaryOp::BitAnd => ("atomic_fetch_and", ArithmeticOp::And),
            BinaryOp::BitOr => ("atomic_fetch_or", ArithmeticOp::Or),
            BinaryOp::BitXor => ("atomic_fetch_xor", ArithmeticOp::Xor),
            _ => return None,
        };
        let (keep, kept) = self.kept(value);
        let old = self.atomic_call(function, place, Some(kept.clone()), span);
        if self.types.is_error(old.ty) {
            return Some(Value::Expr(old));
        }
        let (store, old) = self.kept(old);
        let (ty, left, right) = (old.ty, Box::new(old), Box::new(kept));
        let new = Expr { kind: Hir::Arithmetic { op, left, right }, ty, span };
        Some(self.in_order([keep, store], new))
    }

    /// `++a`, `a++` and so on.
    pub(super) fn atomic_increment(
        &mut self,
        place: Place,
        value: TypeId,
        decrement: bool,
        prefix: bool,
        span: Span,
    ) -> Value {
        let int = self.checker.int();
        let one = self.constant(1, int, span);
        let one = self.checker.convert_arithmetic(one, value);
        let (op, function) = match decrement {
            true => (BinaryOp::Sub, "atomic_fetch_sub"),
            false => (BinaryOp::Add, "atomic_fetch_add"),
        };
        match prefix {
            false => Value::Expr(self.atomic_call(function, place, Some(one), span)),
            true => self.atomic_change(op, place, one, span).expect("there is a function"),
        }
    }

    fn atomic_call(&mut self, function: &str, place: Place, value: Option<Expr>, span: Span) -> Expr {
        let name = Name { symbol: self.checker.interner.intern(function), span };
        let builtin = crate::builtins::lookup(function).expect("it is built in");
        let address = self.checker.address(place);
        let values = std::iter::once(address).chain(value).collect();
        self.note_builtin(builtin);
        self.checker.call_found(name, builtin, values, span)
    }

    /// A value in a variable: what stores it there, and the variable's value.
    pub(in crate::check::cxx) fn kept(&mut self, value: Expr) -> (Expr, Expr) {
        let (ty, span) = (value.ty, value.span);
        let local = self.new_local(ty, span);
        let place = self.local_place(local, ty, span);
        let kept = Expr { kind: Hir::Load(place.clone()), ty, span };
        (Expr { kind: Hir::Assign { target: place, value: Box::new(value) }, ty, span }, kept)
    }

    fn in_order(&mut self, first: [Expr; 2], last: Expr) -> Value {
        let comma = |then: Expr, first: Expr| {
            let (ty, span) = (then.ty, then.span);
            Expr { kind: Hir::Comma(Box::new(first), Box::new(then)), ty, span }
        };
        Value::Expr(first.into_iter().rev().fold(last, comma))
    }
}
