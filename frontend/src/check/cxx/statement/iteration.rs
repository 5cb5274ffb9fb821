//! Loops ([stmt.iter]), also those over ranges ([stmt.ranged]).

use super::{Out, made};
use crate::Span;
use crate::ast::Name;
use crate::check::cxx::Cxx;
use crate::check::cxx::expression::{Given, Value};
use crate::check::cxx::scope::ScopeKind;
use crate::check::cxx::types::Type;
use crate::cxx::ast::{Condition, Decl, Expr as Ast, InitClause, InitClauseKind, Statement};
use crate::hir::{self, Expr, ExprKind as Hir, Place, StatementKind};
use crate::types::{ScalarKind, TypeKind};
use clvk_ir::UnrollHint;
use std::rc::Rc;

impl Cxx<'_> {
    pub(super) fn while_loop(
        &mut self,
        condition: &Condition,
        body: &Statement,
        unroll: UnrollHint,
        span: Span,
        out: &mut Out,
    ) {
        if let Condition::Expr(expr) = condition {
            let condition = Some(self.full_value(|cxx| cxx.condition(expr)));
            let body = self.loop_body(body);
            out.push(made(StatementKind::While { condition, step: None, body, unroll }, span));
            return;
        }
        // The variable lives for one round: `for (;;) { T x = e; if (!x) break; body }`.
        let body = self.round(Some(condition), body, span);
        out.push(made(StatementKind::While { condition: None, step: None, body, unroll }, span));
    }

    /// A round of a loop whose condition declares a variable.
    fn round(&mut self, condition: Option<&Condition>, body: &Statement, span: Span) -> Box<hir::Statement> {
        let depth = self.frame().cleanups.len();
        self.frame().jumps.push((depth, Some(depth)));
        self.checker.current.as_mut().expect("a function").flow.push(crate::check::statement::Flow::Loop);
        let mut list = Vec::new();
        let scope = self.new_scope(self.scope, ScopeKind::Block);
        self.enter_cleanups();
        self.in_scope(scope, |cxx| {
            if let Some(condition) = condition {
                let truth = cxx.condition_value(condition, &mut list);
                if !cxx.types.is_error(truth.ty) {
                    let int = cxx.checker.int();
                    let bool = cxx.checker.bool();
                    let not = Expr { kind: Hir::LogicalNot(Box::new(truth)), ty: int, span };
                    let not = cxx.checker.convert_arithmetic(not, bool);
                    let mut exit = Vec::new();
                    cxx.unwind(depth, &mut exit);
                    exit.push(made(StatementKind::Break, span));
                    let then = Box::new(made(StatementKind::Block(exit), span));
                    list.push(made(StatementKind::If { condition: not, then, otherwise: None }, span));
                }
            }
            let body = cxx.single(body);
            list.push(*body);
        });
        self.leave_cleanups(&mut list);
        self.checker.current.as_mut().expect("a function").flow.pop();
        self.frame().jumps.pop();
        Box::new(made(StatementKind::Block(list), span))
    }

    pub(super) fn for_loop(
        &mut self,
        condition: Option<&Condition>,
        step: Option<&Ast>,
        body: &Statement,
        unroll: UnrollHint,
        span: Span,
        out: &mut Out,
    ) {
        if let Some(condition @ Condition::Decl(_)) = condition {
            let step = step.map(|step| self.full_value(|cxx| cxx.discarded_expression(step)));
            let body = self.round(Some(condition), body, span);
            out.push(made(StatementKind::While { condition: None, step, body, unroll }, span));
            return;
        }
        let condition = condition.map(|condition| match condition {
            Condition::Expr(expr) => self.full_value(|cxx| cxx.condition(expr)),
            Condition::Decl(_) => unreachable!("handled above"),
        });
        let step = step.map(|step| self.full_value(|cxx| cxx.discarded_expression(step)));
        let step = step.filter(|step| !self.types.is_error(step.ty));
        let body = self.loop_body(body);
        out.push(made(StatementKind::While { condition, step, body, unroll }, span));
    }

    /// `for (T x : range)` ([stmt.ranged]).
    pub(super) fn range_for(
        &mut self,
        decl: &Rc<Decl>,
        range: &InitClause,
        body: &Statement,
        unroll: UnrollHint,
        span: Span,
        out: &mut Out,
    ) {
        let range_span = crate::check::cxx::expression::clause_span(range);
        let expr = match &range.kind {
            InitClauseKind::Expr(expr) => expr,
            InitClauseKind::List(list) => {
                return self.range_for_list(list);
            }
        };
        // The range is bound to a reference, which keeps a temporary object alive.
        let before = self.begin_full();
        let value = self.expression(expr);
        if self.is_error(&value) || matches!(value, Value::Functions(_)) {
            if matches!(value, Value::Functions(_)) {
                self.rvalue(value, range_span);
            }
            _ = self.end_full(before, span);
            self.note_error();
            return;
        }
        let object = self.object(value, range_span);
        let (prelude, object) = self.stable(object);
        // The temporaries of the range live as long as the loop.
        let temporaries = std::mem::take(&mut self.frame().temporaries);
        let (first, _) = self.end_full(before, span);
        out.extend(first);
        if let Some(prelude) = prelude {
            out.push(made(StatementKind::Expr(prelude), range_span));
        }
        for temporary in temporaries {
            self.frame().cleanups.last_mut().expect("a scope").push(temporary.cleanup);
        }
        let Some((begin, end)) = self.range_ends(&object, range_span, out) else { return };
        let current = Value::Place(begin.clone());
        let last = Value::Place(end);
        let test = self.full_value(|cxx| {
            let value =
                cxx.binary_of(crate::ast::BinaryOp::NotEqual, range_span, current.clone(), last, range_span);
            cxx.truth_of(value, range_span)
        });
        let step = self.full_value(|cxx| {
            cxx.discards = true;
            let value = cxx.prefix_of(crate::ast::PrefixOp::Increment, current.clone(), range_span);
            cxx.discards = false;
            cxx.discarded(value, range_span)
        });
        let depth = self.frame().cleanups.len();
        self.frame().jumps.push((depth, Some(depth)));
        self.checker.current.as_mut().expect("a function").flow.push(crate::check::statement::Flow::Loop);
        let mut list = Vec::new();
        let scope = self.new_scope(self.scope, ScopeKind::Block);
        self.enter_cleanups();
        self.in_scope(scope, |cxx| {
            let item = cxx.prefix_of(crate::ast::PrefixOp::Dereference, current, range_span);
            cxx.declare_item(decl, item, span, &mut list);
            let body = cxx.single(body);
            list.push(*body);
        });
        self.leave_cleanups(&mut list);
        self.checker.current.as_mut().expect("a function").flow.pop();
        self.frame().jumps.pop();
        let body = Box::new(made(StatementKind::Block(list), span));
        if self.types.is_error(test.ty) || self.types.is_error(step.ty) {
            return;
        }
        out.push(made(StatementKind::While { condition: Some(test), step: Some(step), body, unroll }, span));
    }

    fn range_for_list(&mut self, list: &crate::cxx::ast::InitList) {
        self.error(list.span, "a range of a list needs 'std::initializer_list', which there is none of");
    }

    /// Variables for the begin and the end of a range.
    fn range_ends(&mut self, object: &Place, span: Span, out: &mut Out) -> Option<(Place, Place)> {
        let (begin, end) = match *self.types.kind(object.ty.ty) {
            TypeKind::Array { length: Some(count), .. } => {
                let first = self.checker.decay(object.clone());
                let ulong = self.types.scalar(ScalarKind::ULong);
                let index = Box::new(self.constant(count, ulong, span));
                let kind = Hir::PointerAdd { pointer: Box::new(first.clone()), index, subtract: false };
                let end = Expr { kind, ty: first.ty, span };
                (Value::Expr(first), Value::Expr(end))
            }
            TypeKind::Record(record) => {
                self.require_complete(record, span);
                let (begin, end) = (self.names.begin, self.names.end);
                let is_member =
                    self.find_member(record, begin).is_some() && self.find_member(record, end).is_some();
                let object = Value::Place(object.clone());
                if is_member {
                    let first = self.call_member(object.clone(), begin, Vec::new(), span);
                    let last = self.call_member(object, end, Vec::new(), span);
                    (first, last)
                } else {
                    let call = |cxx: &mut Self, symbol| {
                        let functions = cxx.argument_dependent(symbol, &[object.ty()]);
                        if functions.is_empty() {
                            let text = cxx.text_of(cxx.type_of_value(&object));
                            cxx.error(span, format!("invalid range expression of type '{text}'; no viable 'begin' function available"));
                            return cxx.error_value_of(span);
                        }
                        let set = crate::check::cxx::expression::Set {
                            name: Name { symbol, span },
                            functions,
                            object: None,
                            naming: None,
                            explicit: None,
                            is_open: false,
                            is_qualified: false,
                        };
                        cxx.call_set(set, vec![Given::Value(object.clone())], span)
                    };
                    let first = call(self, begin);
                    if self.is_error(&first) {
                        return None;
                    }
                    let last = call(self, end);
                    (first, last)
                }
            }
            _ => {
                let text = self.type_text(object.ty.ty);
                self.error(
                    span,
                    format!(
                        "invalid range expression of type '{text}'; no viable 'begin' function available"
                    ),
                );
                return None;
            }
        };
        if self.is_error(&begin) || self.is_error(&end) {
            self.note_error();
            return None;
        }
        Some((self.hidden_variable(begin, span, out), self.hidden_variable(end, span, out)))
    }

    /// A variable without a name that holds a value.
    fn hidden_variable(&mut self, value: Value, span: Span, out: &mut Out) -> Place {
        let ty = Type::of(self.decayed_type(&value));
        let before = self.begin_full();
        let init = self.copy_initialize(ty, value, span);
        let hir = self.hir_type(ty.ty());
        let local = self.new_local(hir, span);
        let place = self.local_place(local, hir, span);
        let mut stores = Vec::new();
        self.declare_with(local, &place, ty, init, span, &mut stores);
        let (first, last) = self.end_full(before, span);
        out.extend(first);
        out.extend(stores);
        out.extend(last);
        let place = Place { ty: ty.ty().into(), ..place };
        self.destroy_at_exit(&place, span);
        place
    }
}
