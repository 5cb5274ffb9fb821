//! `switch`, labels and jumps ([stmt.switch], [stmt.jump]), and what functions return.

use super::{Out, made};
use crate::Span;
use crate::check::cxx::Cxx;
use crate::check::cxx::expression::{Given, Value};
use crate::check::cxx::initialize::Init;
use crate::check::cxx::scope::{Entity, Storage};
use crate::check::cxx::types::Type;
use crate::cxx::ast::{Condition, Expr as Ast, ExprKind, InitClause, InitClauseKind, Statement};
use crate::diagnostic::Diagnostic;
use crate::hir::{
    self, Expr, ExprKind as Hir, Initializer as HirInitializer, Place, PlaceKind, StatementKind,
};

impl Cxx<'_> {
    pub(super) fn switch(&mut self, condition: &Condition, body: &Statement, span: Span, out: &mut Out) {
        let value = match condition {
            Condition::Expr(expr) => self.full_value(|cxx| {
                let value = cxx.expression(expr);
                cxx.switch_value(value, expr.span)
            }),
            Condition::Decl(decl) => {
                self.declaration(decl, Some(out));
                match self.declared_value(decl) {
                    Some(value) => self.switch_value(value, decl.span),
                    None => self.checker.error_value(decl.span),
                }
            }
        };
        let scalar = self.types.as_scalar(value.ty).filter(|kind| kind.is_integer());
        let Some(kind) = scalar else {
            if !self.types.is_error(value.ty) {
                let text = self.type_text(value.ty);
                self.error(
                    value.span,
                    format!("statement requires expression of integer type ('{text}' invalid)"),
                );
            }
            return;
        };
        let enumeration = value.ty;
        let plain = self.types.scalar(kind);
        let value = Expr { ty: plain, ..value };
        let selector = self.checker.promote(value);
        let kind = crate::check::conversion::promoted(kind);
        let state = crate::check::statement::SwitchState { kind, ranges: Vec::new(), default: None };
        self.checker
            .current
            .as_mut()
            .expect("a function")
            .flow
            .push(crate::check::statement::Flow::Switch(state));
        let depth = self.frame().cleanups.len();
        self.frame().jumps.push((depth, None));
        self.switch_types.push(enumeration);
        self.frame().bypass.enter_switch();
        let body = self.single(body);
        self.frame().bypass.leave_switch();
        self.switch_types.pop();
        self.frame().jumps.pop();
        self.checker.current.as_mut().expect("a function").flow.pop();
        out.push(made(StatementKind::Switch { selector, body }, span));
    }

    fn switch_value(&mut self, value: Value, span: Span) -> Expr {
        let value = self.integral(value, span);
        self.rvalue(value, span)
    }

    pub(super) fn case(&mut self, value: &Ast, high: Option<&Ast>, span: Span, out: &mut Out) {
        let constant = |cxx: &mut Self, expr: &Ast| {
            let (value, ty) = cxx.constant_with_type(expr, "the value of a case")?;
            if let Some(wanted) = cxx.switch_types.last().copied()
                && (cxx.is_scoped_enum(wanted) || cxx.is_scoped_enum(ty))
                && wanted != ty
            {
                let (a, b) = (cxx.type_text(ty), cxx.type_text(wanted));
                cxx.error(expr.span, format!("value of type '{a}' is not implicitly convertible to '{b}'"));
                return None;
            }
            Some(value)
        };
        let first = constant(self, value);
        let last = match high {
            Some(high) => constant(self, high),
            None => first,
        };
        self.check_case_jump(value.span);
        match self.checker.innermost_switch().map(|state| state.kind) {
            None => self.error(span, "'case' statement not in switch statement"),
            Some(kind) => {
                if let (Some(first), Some(last)) = (first, last) {
                    self.checker.add_case(kind, first, last, value.span, out);
                }
            }
        }
    }

    pub(super) fn default_label(&mut self, whole: Span, out: &mut Out) {
        let span = Span::new(whole.start, (whole.start + "default".len() as u32).min(whole.end));
        self.check_case_jump(span);
        match self.checker.innermost_switch() {
            None => self.error(span, "'default' statement not in switch statement"),
            Some(state) => {
                if let Some(previous) = state.default.replace(span) {
                    let diagnostic = Diagnostic::error(span, "multiple default labels in one switch");
                    self.report(diagnostic.related(previous, "previous default defined here"));
                }
                out.push(made(StatementKind::Case { values: hir::CaseValues::Default }, span));
            }
        }
    }

    /// `break` and `continue`, which destroy the objects of the scopes that they leave.
    pub(super) fn jump(&mut self, is_break: bool, span: Span, out: &mut Out) {
        let target = match is_break {
            true => self.frame().jumps.last().map(|(depth, _)| *depth),
            false => self.frame().jumps.iter().rev().find_map(|(_, depth)| *depth),
        };
        let Some(depth) = target else {
            let message = match is_break {
                true => "'break' statement not in loop or switch statement",
                false => "'continue' statement not in loop statement",
            };
            self.error(span, message);
            return;
        };
        self.unwind(depth, out);
        let kind = if is_break { StatementKind::Break } else { StatementKind::Continue };
        out.push(made(kind, span));
    }

    pub(super) fn return_statement(&mut self, value: Option<&InitClause>, span: Span, out: &mut Out) {
        let function = self.frame().function;
        if function == crate::check::cxx::global::START {
            self.error(span, "'return' is not allowed here");
            return;
        }
        self.frame().returned.get_or_insert(span);
        let result = self.frame().result;
        let before = self.begin_full();
        let kind = self.function(function).kind;
        let mut stores = Vec::new();
        let returned = match value {
            None => {
                if self.has_auto(result.ty()) {
                    let void = Type::of(self.types.void());
                    self.deduce_result(void, span);
                } else if !self.types.is_void(result.ty()) && !self.is_error_type(result) {
                    let name = self.function_text(function);
                    self.error(span, format!("non-void function '{name}' should return a value"));
                }
                None
            }
            Some(clause) => self.returned(clause, result, kind, span, &mut stores),
        };
        let (first, last) = self.end_full(before, span);
        out.extend(first);
        out.extend(stores);
        let has_cleanups = self.frame().cleanups.iter().any(|scope| !scope.is_empty());
        let is_destructor = kind == crate::check::cxx::function::Kind::Destructor;
        match returned {
            Some(value) if !last.is_empty() || has_cleanups => {
                // The value is computed before the objects are destroyed.
                let (ty, at) = (value.ty, value.span);
                if self.types.is_void(ty) {
                    out.push(made(StatementKind::Expr(value), at));
                    out.extend(last);
                    self.unwind(0, out);
                    out.push(made(StatementKind::Return(None), span));
                    return;
                }
                let local = self.new_local(ty, at);
                let initializer = Some(HirInitializer::Value(value));
                out.push(made(StatementKind::Declare { local, initializer }, at));
                out.extend(last);
                self.unwind(0, out);
                let place = self.local_place(local, ty, at);
                let value = Expr { kind: Hir::Load(place), ty, span: at };
                out.push(made(StatementKind::Return(Some(value)), span));
            }
            returned => {
                out.extend(last);
                self.unwind(0, out);
                if is_destructor {
                    // The members are destroyed at each exit.
                    let mut epilogue = Vec::new();
                    self.destructor_epilogue(function, &mut epilogue);
                    out.extend(epilogue);
                }
                out.push(made(StatementKind::Return(returned), span));
            }
        }
    }

    /// The value of a `return`; an object that must not be copied is made where the caller wants it.
    fn returned(
        &mut self,
        clause: &InitClause,
        result: Type,
        kind: crate::check::cxx::function::Kind,
        span: Span,
        stores: &mut Out,
    ) -> Option<Expr> {
        let given = match &clause.kind {
            InitClauseKind::Expr(expr) => Given::Value(self.returned_value(expr)),
            InitClauseKind::List(list) => Given::List(list.clone()),
        };
        if let Given::Value(value) = &given
            && self.is_error(value)
        {
            self.note_error();
            if self.has_auto(result.ty()) {
                let error = self.error_type();
                self.frame().deduced.get_or_insert(error);
            }
            return None;
        }
        let mut result = result;
        if self.has_auto(result.ty()) {
            let Given::Value(value) = &given else {
                self.error(span, "cannot deduce a return type from an initializer list");
                return None;
            };
            let value = value.clone();
            let decltype = self.returns_decltype();
            let deduced = match (decltype, &clause.kind) {
                (true, InitClauseKind::Expr(expr)) => self.decltype(expr),
                _ if matches!(value, Value::Functions(_)) => {
                    self.rvalue(value.clone(), span);
                    return None;
                }
                _ => match self.types.is_void(value.ty()) {
                    true => Type::of(value.ty()),
                    false => self.deduce_auto(result, &value, span)?,
                },
            };
            if !self.deduce_result(deduced, span) {
                return None;
            }
            result = deduced;
            // A class that must be returned in memory needs another signature.
            if self.is_passed_in_memory(result.ty()) && self.frame().home.result.is_none() {
                // The body is checked again with the right signature.
                self.frame().restart = Some(result);
                return None;
            }
        }
        if self.types.is_void(result.ty()) {
            let Given::Value(value) = given else {
                self.error(span, "void function must not return a value");
                return None;
            };
            let is_void = self.types.is_void(value.ty_or_none());
            if !is_void {
                let function = self.frame().function;
                let name = self.function_text(function);
                let what = match kind {
                    crate::check::cxx::function::Kind::Constructor => "constructor",
                    crate::check::cxx::function::Kind::Destructor => "destructor",
                    _ => "void function",
                };
                self.error(span, format!("{what} '{name}' should not return a value"));
                return None;
            }
            let value = self.rvalue(value, span);
            stores.push(made(StatementKind::Expr(value), span));
            return None;
        }
        if let Some(reference) = self.reference(result.ty()) {
            self.warn_of_local_reference(&given, span);
            return Some(self.bind_reference(given, reference, span, "return value"));
        }
        let init = match given {
            Given::Value(value) => {
                self.copy_initialize_as(result.plain(), value, span, "return value of type")
            }
            Given::List(list) => self.list_initialize(result.plain(), &list, true),
        };
        if matches!(init, Init::Error) {
            self.note_error();
            return None;
        }
        if let Some(home) = self.frame().home.result {
            let pointer = self.result_address(result.ty());
            let (_, space) = self.types.pointee(pointer).expect("a pointer type");
            let holder = self.local_place(home, pointer, span);
            let address = Expr { kind: Hir::Load(holder), ty: pointer, span };
            let kind = PlaceKind::Deref(Box::new(address));
            let place = Place { kind, ty: result.ty().into(), space, span };
            let mut list = Vec::new();
            self.emit(&place, result, init, &mut list);
            stores.extend(list.into_iter().map(|expr| made(StatementKind::Expr(expr), span)));
            return None;
        }
        let hir = self.hir_type(result.ty());
        let value = self.value_of_init(result.ty(), init, span);
        Some(Expr { ty: hir, ..value })
    }

    /// The operand of `return`: a local variable is moved from, if that is possible ([class.copy.elision]).
    fn returned_value(&mut self, expr: &Ast) -> Value {
        let inner = {
            let mut inner = expr;
            while let ExprKind::Paren(next) = &inner.kind {
                inner = next;
            }
            inner
        };
        let value = self.expression(expr);
        let ExprKind::Name(name) = &inner.kind else { return value };
        let Some(plain) = name.plain() else { return value };
        let Some(Entity::Variable(id)) = self.find(plain.symbol).map(|found| found.entity) else {
            return value;
        };
        let variable = self.variable(id);
        let is_own = matches!(variable.storage, Storage::Local(_, function)
            if self.frames.last().is_some_and(|frame| frame.function == function));
        let is_object =
            self.reference(variable.ty.ty()).is_none() && self.record_of(variable.ty.ty()).is_some();
        match value {
            Value::Place(place) if is_own && is_object => Value::Moved(place),
            value => value,
        }
    }

    fn warn_of_local_reference(&mut self, given: &Given, span: Span) {
        if let Given::Value(Value::Place(Place { kind: PlaceKind::Local(_), .. })) = given {
            self.checker.warn(span, "reference to stack memory associated with a local variable is returned");
        }
    }

    fn returns_decltype(&mut self) -> bool {
        let function = self.frame().function;
        self.function(function).returns_decltype
    }

    /// Sets the result of a function that was declared `auto`; all `return` must agree.
    fn deduce_result(&mut self, ty: Type, span: Span) -> bool {
        let deduced = self.frame().deduced;
        match deduced {
            None => {
                self.frame().deduced = Some(ty);
                true
            }
            Some(known) if known == ty || self.is_error_type(known) => true,
            Some(known) => {
                let (a, b) = (self.text_of(ty), self.text_of(known));
                self.error(span, format!("'auto' in return type deduced as '{a}' here but deduced as '{b}' in earlier return statement"));
                false
            }
        }
    }
}
