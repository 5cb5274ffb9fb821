//! Which calls may throw: the operator `noexcept` ([expr.unary.noexcept]) and exception specifications
//! ([except.spec]).
//!
//! Nothing throws in OpenCL. What is asked is what functions promise.

use super::{Function, Kind};
use crate::Span;
use crate::builtins::{Builtin, Family, Strategy};
use crate::check::cxx::expression::Value;
use crate::check::cxx::scope::ScopeKind;
use crate::check::cxx::this::OtherThis;
use crate::check::cxx::{Cxx, FnId};
use crate::cxx::ast::{Expr, ExprKind, Noexcept, Operator};
use crate::diagnostic::Diagnostic;
use crate::types::{QualifiedType, TypeId};

impl Cxx<'_> {
    /// `noexcept(operand)`: whether no call in the operand, which is not evaluated, may throw.
    pub(in crate::check::cxx) fn never_throws(&mut self, operand: &Expr) -> bool {
        let outer = std::mem::take(&mut self.may_throw);
        let before = self.begin_full();
        self.unevaluated += 1;
        let value = self.expression(operand);
        if matches!(value, Value::Functions(_)) {
            // Reports that functions have no addresses.
            self.rvalue(value.clone(), operand.span);
        }
        // What is not an object that existed before is destroyed.
        if value.place().is_none() {
            self.note_destruction(value.ty(), operand.span);
        }
        self.unevaluated -= 1;
        self.restore_full(before);
        !std::mem::replace(&mut self.may_throw, outer)
    }

    /// Does something whose calls are not those of the expression around it.
    pub(in crate::check::cxx) fn apart<T>(&mut self, work: impl FnOnce(&mut Self) -> T) -> T {
        let outer = self.may_throw;
        let result = work(self);
        self.may_throw = outer;
        result
    }

    /// Notes that an object of a type is destroyed.
    pub(in crate::check::cxx) fn note_destruction(&mut self, ty: TypeId, span: Span) {
        if let Some(record) = self.record_of(self.element_of(ty))
            && self.class(record).is_complete
            && let Some(destructor) = self.destructor_of(record, span)
        {
            self.note_call(destructor);
        }
    }

    /// Notes that a built-in function is called. Those that compilers know without declaring them, because
    /// any type may be their argument, do not throw.
    pub(in crate::check::cxx) fn note_builtin(&mut self, builtin: Builtin) {
        self.may_throw |= !matches!(
            builtin.strategy,
            Strategy::Family(Family::Reinterpret { .. } | Family::ToSpace { .. })
                | Strategy::Pipe(_)
                | Strategy::Enqueue(_)
        );
    }

    /// Notes that a function is called.
    pub(super) fn note_call(&mut self, id: FnId) {
        let throws = self.call_may_throw(id);
        self.may_throw |= throws;
    }

    /// Notes what the body of a function may throw, from which those that the compiler makes have their
    /// specification.
    pub(super) fn note_body(&mut self, id: FnId) {
        let throws = self.may_throw;
        let function = self.function(id);
        let is_made = function.is_defaulted || function.inherits.is_some();
        if is_made && function.kind != Kind::Destructor && function.suffix.noexcept.is_none() {
            self.function_mut(id).may_throw = Some(throws);
        }
    }

    pub(super) fn call_may_throw(&mut self, id: FnId) -> bool {
        if let Some(known) = self.function(id).may_throw {
            return known;
        }
        let function = self.function(id).clone();
        let throws = match (&function.suffix.noexcept, function.kind) {
            (Some(written), _) => match self.promises(&function, written) {
                Some(promises) => !promises,
                // While something is only tried, the error is reported later.
                None => return true,
            },
            (None, Kind::Destructor) => self.parts_throw(&function),
            (None, _) => !self.is_deallocation(&function),
        };
        self.function_mut(id).may_throw = Some(throws);
        throws
    }

    /// Destructors promise what those of all bases and members do ([except.spec]/8).
    fn parts_throw(&mut self, function: &Function) -> bool {
        let record = function.class.expect("a destructor has a class");
        self.parts_of(record).into_iter().any(|part| {
            self.apart(|cxx| {
                cxx.may_throw = false;
                cxx.note_destruction(part.ty.ty(), function.span);
                cxx.may_throw
            })
        })
    }

    fn is_deallocation(&mut self, function: &Function) -> bool {
        let mut is = |is_array| {
            let symbol = self.operator_symbol(Operator::Delete { is_array });
            function.symbol == Some(symbol)
        };
        is(false) || is(true)
    }

    /// The value of an exception specification. `None` after an error.
    fn promises(&mut self, function: &Function, written: &Noexcept) -> Option<bool> {
        let Some(condition) = &written.condition else { return Some(true) };
        let Some(condition) = condition.get() else {
            self.error(written.span, "exception specification is not available until end of class");
            return None;
        };
        if let ExprKind::Bool(value) = condition.kind {
            return Some(value);
        }
        self.in_initializer(|cxx| {
            let this = function.class.filter(|_| !function.is_static).map(|record| {
                let qualifiers = function.this_qualifiers;
                let target = QualifiedType { ty: cxx.class(record).ty, qualifiers };
                let ty = cxx.types.pointer(target, function.this_space);
                OtherThis { frames: cxx.frames.len(), ty, holder: None, is_used: false }
            });
            let outer = (std::mem::replace(&mut cxx.other_this, this), cxx.horizon);
            cxx.horizon = function.horizon;
            let scope = cxx.new_scope(function.scope, ScopeKind::Block);
            let value = cxx.in_scope(scope, |cxx| {
                cxx.bind_unevaluated(&function.suffix, &function.params);
                cxx.promise(condition)
            });
            (cxx.other_this, cxx.horizon) = outer;
            value
        })
    }

    fn promise(&mut self, condition: &Expr) -> Option<bool> {
        let value = self.full_value(|cxx| cxx.condition(condition));
        if self.types.is_error(value.ty) {
            self.note_error();
            return None;
        }
        let known = self.known_truth(&value);
        known
            .map_err(|reason| {
                let message = "argument to noexcept specifier must be a constant expression";
                let diagnostic = Diagnostic::error(condition.span, message);
                self.report(match reason.span == Span::NONE {
                    true => diagnostic.note(reason.reason),
                    false => diagnostic.related(reason.span, reason.reason),
                });
            })
            .ok()
    }

    /// Declarations of a function promise the same ([except.spec]/4).
    pub(super) fn check_promises(&mut self, known: FnId, again: &Function) {
        let known = self.function(known).clone();
        let has_own_default = known.kind == Kind::Destructor || self.is_deallocation(&known);
        if has_own_default || known.is_defaulted {
            return;
        }
        let mut promise = |function: &Function| match &function.suffix.noexcept {
            Some(written) => self.promises(function, written),
            None => Some(false),
        };
        if let (Some(before), Some(now)) = (promise(&known), promise(again))
            && before != now
        {
            let message = "exception specification in declaration does not match previous declaration";
            let diagnostic = Diagnostic::error(again.span, message);
            self.report(diagnostic.related(known.span, "previous declaration is here"));
        }
    }
}
