//! Statements ([stmt.stmt]).

use super::Cxx;
use super::expression::{Given, Value};
use super::initialize::Init;
use super::scope::{Entity, ScopeKind, Storage, Variable};
use super::types::Type;
use crate::Span;
use crate::ast::Name;
use crate::cxx::ast::{
    Condition, Decl, DeclKind, Expr as Ast, ExprKind, InitClause, InitClauseKind, Initializer, Statement,
    StatementKind as Kind, TemplateArgumentKind,
};
use crate::diagnostic::Diagnostic;
use crate::hir::{
    self, Expr, ExprKind as Hir, Initializer as HirInitializer, Place, PlaceKind, StatementKind,
};
use crate::token::Pragma;
use crate::types::{ScalarKind, TypeKind};
use clvk_ir::{AddressSpace, UnrollHint};
use std::rc::Rc;

type Out = Vec<hir::Statement>;

fn made(kind: StatementKind, span: Span) -> hir::Statement {
    hir::Statement { kind, span }
}

impl Cxx<'_> {
    /// Statements in the current scope, which is the function's.
    pub(super) fn block_in_scope(&mut self, list: &[Statement], out: &mut Out) {
        let mut unroll = UnrollHint::None;
        for (index, statement) in list.iter().enumerate() {
            if let Kind::Pragma(pragma) = &statement.kind {
                self.checker.block_pragma(*pragma, statement.span, index == 0, &mut unroll);
                continue;
            }
            self.statement(statement, std::mem::take(&mut unroll), out);
        }
        // What the scope declared is destroyed at its end; `return` did it at its place.
        if self.checker.falls_through(out) {
            let depth = self.frame().cleanups.len() - 1;
            self.unwind(depth, out);
        }
    }

    /// A block with a scope of its own.
    fn block(&mut self, list: &[Statement]) -> StatementKind {
        let contract = self.checker.contract;
        let scope = self.new_scope(self.scope, ScopeKind::Block);
        let mut out = Vec::new();
        self.enter_cleanups();
        self.in_scope(scope, |cxx| cxx.block_in_scope(list, &mut out));
        self.frame().cleanups.pop();
        self.checker.contract = contract;
        StatementKind::Block(out)
    }

    /// A statement as the body of another one.
    fn single(&mut self, statement: &Statement) -> Box<hir::Statement> {
        let list = std::slice::from_ref(statement);
        let kind = match &statement.kind {
            Kind::Block(list) => self.block(list),
            _ => self.block(list),
        };
        Box::new(made(kind, statement.span))
    }

    fn loop_body(&mut self, body: &Statement) -> Box<hir::Statement> {
        let depth = self.frame().cleanups.len();
        self.frame().jumps.push((depth, Some(depth)));
        self.checker.current.as_mut().expect("a function").flow.push(super::super::statement::Flow::Loop);
        let body = self.single(body);
        self.checker.current.as_mut().expect("a function").flow.pop();
        self.frame().jumps.pop();
        body
    }

    fn unroll_of(&mut self, statement: &Statement, given: UnrollHint) -> UnrollHint {
        for attribute in &statement.attributes {
            match attribute.name.as_str() {
                "opencl_unroll_hint" | "cl::unroll_hint" | "unroll_hint" => {
                    let count = match attribute.arguments.first().map(|argument| &argument.kind) {
                        Some(TemplateArgumentKind::Expr(expr)) => self.constant_of(expr, "an unroll count"),
                        _ => None,
                    };
                    return match count {
                        None => UnrollHint::Full,
                        Some(count) if count > 0 => UnrollHint::By(u32::try_from(count).unwrap_or(u32::MAX)),
                        Some(_) => {
                            self.error(attribute.span, "'opencl_unroll_hint' attribute requires a positive integral compile time constant expression");
                            given
                        }
                    };
                }
                "fallthrough" | "likely" | "unlikely" | "maybe_unused" | "clang::fallthrough" => {}
                name if super::super::attribute::is_known_attribute(name) => {}
                name => {
                    let message = format!("unknown attribute '{name}' ignored");
                    self.checker.warn(attribute.span, message);
                }
            }
        }
        given
    }

    fn statement(&mut self, statement: &Statement, unroll: UnrollHint, out: &mut Out) {
        stacker::maybe_grow(256 << 10, 4 << 20, || self.statement_inner(statement, unroll, out));
    }

    fn statement_inner(&mut self, statement: &Statement, unroll: UnrollHint, out: &mut Out) {
        let span = statement.span;
        let unroll = self.unroll_of(statement, unroll);
        match &statement.kind {
            Kind::Expr(expr) => self.expression_statement(expr, span, out),
            Kind::Decl(decl) => self.declaration(decl, Some(out)),
            Kind::Block(list) => {
                let kind = self.block(list);
                out.push(made(kind, span));
            }
            Kind::If { is_constexpr, init, condition, then, otherwise } => {
                self.scoped(span, out, |cxx, out| {
                    if let Some(init) = init {
                        cxx.statement(init, UnrollHint::None, out);
                    }
                    cxx.if_statement(*is_constexpr, condition, then, otherwise.as_deref(), span, out);
                });
            }
            Kind::While { condition, body } => self.while_loop(condition, body, unroll, span, out),
            Kind::DoWhile { body, condition } => {
                let body = self.loop_body(body);
                let condition = self.full_value(|cxx| cxx.condition(condition));
                out.push(made(StatementKind::DoWhile { body, condition, unroll }, span));
            }
            Kind::For { init, condition, step, body } => {
                self.scoped(span, out, |cxx, out| {
                    if let Some(init) = init {
                        cxx.statement(init, UnrollHint::None, out);
                    }
                    cxx.for_loop(condition.as_ref(), step.as_ref(), body, unroll, span, out);
                });
            }
            Kind::RangeFor { decl, range, body } => {
                self.scoped(span, out, |cxx, out| cxx.range_for(decl, range, body, unroll, span, out));
            }
            Kind::Switch { init, condition, body } => {
                self.scoped(span, out, |cxx, out| {
                    if let Some(init) = init {
                        cxx.statement(init, UnrollHint::None, out);
                    }
                    cxx.switch(condition, body, span, out);
                });
            }
            Kind::Case { value, high, body } => {
                self.case(value, high.as_ref(), span, out);
                self.statement(body, UnrollHint::None, out);
            }
            Kind::Default(body) => {
                self.default_label(span, out);
                self.statement(body, UnrollHint::None, out);
            }
            Kind::Label(name, body) => {
                self.checker.label(*name);
                out.push(made(StatementKind::Label(name.symbol), name.span));
                self.statement(body, unroll, out);
            }
            Kind::Goto(name) => {
                // Objects with destructors would have to be followed along every jump.
                if self.frame().cleanups.iter().any(|scope| !scope.is_empty()) {
                    self.error(span, "'goto' where objects with destructors live is not supported");
                }
                self.checker.current.as_mut().expect("a function").gotos.push(*name);
                out.push(made(StatementKind::Goto(name.symbol), span));
            }
            Kind::Break => self.jump(true, span, out),
            Kind::Continue => self.jump(false, span, out),
            Kind::Return(value) => self.return_statement(value.as_ref(), span, out),
            Kind::Pragma(pragma) => {
                let mut ignored = UnrollHint::None;
                if !matches!(pragma, Pragma::Pack(_)) {
                    self.checker.block_pragma(*pragma, span, true, &mut ignored);
                }
            }
            Kind::Empty => {}
        }
    }

    /// Statements in a scope of their own; as a block, if there are several.
    fn scoped(&mut self, span: Span, out: &mut Out, work: impl FnOnce(&mut Self, &mut Out)) {
        let scope = self.new_scope(self.scope, ScopeKind::Block);
        let mut list = Vec::new();
        self.enter_cleanups();
        self.in_scope(scope, |cxx| work(cxx, &mut list));
        self.leave_cleanups(&mut list);
        if list.len() == 1 && !matches!(list[0].kind, StatementKind::Declare { .. }) {
            out.extend(list);
        } else if !list.is_empty() {
            out.push(made(StatementKind::Block(list), span));
        }
    }

    fn expression_statement(&mut self, expr: &Ast, span: Span, out: &mut Out) {
        let before = self.begin_full();
        let value = self.discarded_expression(expr);
        let (first, last) = self.end_full(before, span);
        out.extend(first);
        if self.types.is_error(value.ty) {
            if !self.checker.diagnostics.has_errors() {
                self.error(span, "this statement cannot be translated");
            }
        } else if !Self::is_nothing(&value) {
            out.push(made(StatementKind::Expr(value), span));
        }
        out.extend(last);
    }

    /// An expression whose value is not used.
    pub(super) fn discarded_expression(&mut self, expr: &Ast) -> Expr {
        self.discards = matches!(
            expr.kind,
            ExprKind::Assign { .. }
                | ExprKind::Prefix(crate::ast::PrefixOp::Increment | crate::ast::PrefixOp::Decrement, _)
        );
        if let ExprKind::Comma(left, right) = &expr.kind {
            let first = self.expression(left);
            let second = self.expression(right);
            let operator = crate::cxx::ast::Operator::Comma;
            if let Some(value) = self.overloaded(operator, &[first.clone(), second.clone()], expr.span) {
                return self.discarded(value, expr.span);
            }
            let first = self.discarded(first, left.span);
            let second = self.discarded(second, right.span);
            let ty = second.ty;
            return Expr { kind: Hir::Comma(Box::new(first), Box::new(second)), ty, span: expr.span };
        }
        let value = self.expression(expr);
        self.discards = false;
        self.discarded(value, expr.span)
    }

    /// A condition, which may declare a variable.
    fn condition_value(&mut self, condition: &Condition, out: &mut Out) -> Expr {
        match condition {
            Condition::Expr(expr) => self.full_value(|cxx| cxx.condition(expr)),
            Condition::Decl(decl) => {
                self.declaration(decl, Some(out));
                let Some(value) = self.declared_value(decl) else {
                    self.note_error();
                    return self.checker.error_value(decl.span);
                };
                self.truth_of(value, decl.span)
            }
        }
    }

    /// The variable that a declaration declares.
    fn declared_value(&mut self, decl: &Decl) -> Option<Value> {
        let DeclKind::Simple { declarators, .. } = &decl.kind else { return None };
        let name = declarators.last()?.declarator.name.as_ref()?.plain()?;
        match self.scope_ref(self.scope).names.get(&name.symbol).map(|slot| slot.entity.clone()) {
            Some(Entity::Variable(id)) => Some(self.variable_value(id, name.span)),
            _ => None,
        }
    }

    fn if_statement(
        &mut self,
        is_constexpr: bool,
        condition: &Condition,
        then: &Statement,
        otherwise: Option<&Statement>,
        span: Span,
        out: &mut Out,
    ) {
        let condition = self.condition_value(condition, out);
        if self.types.is_error(condition.ty) {
            self.single(then);
            if let Some(otherwise) = otherwise {
                self.single(otherwise);
            }
            return;
        }
        if !is_constexpr {
            let then = self.single(then);
            let otherwise = otherwise.map(|otherwise| self.single(otherwise));
            out.push(made(StatementKind::If { condition, then, otherwise }, span));
            return;
        }
        match self.known_truth(&condition) {
            Ok(truth) => {
                let taken = if truth { Some(then) } else { otherwise };
                // Outside of templates the other part is checked, too; in them it is discarded.
                let discarded = if truth { otherwise } else { Some(then) };
                if let Some(discarded) = discarded
                    && !self.in_instance()
                {
                    let deduced = self.frame().deduced;
                    self.single(discarded);
                    self.frame().deduced = deduced;
                }
                if let Some(taken) = taken {
                    let statement = self.single(taken);
                    out.push(*statement);
                }
            }
            Err(reason) => {
                let mut diagnostic =
                    Diagnostic::error(condition.span, "constexpr if condition is not a constant expression");
                diagnostic = match reason.span == Span::NONE {
                    true => diagnostic.note(reason.reason),
                    false => diagnostic.related(reason.span, reason.reason),
                };
                self.report(diagnostic);
            }
        }
    }

    /// Whether the code is that of an instance of a template.
    pub(super) fn in_instance(&self) -> bool {
        let mut at = Some(self.scope);
        while let Some(scope) = at {
            let it = self.scope_ref(scope);
            if it.kind == ScopeKind::Template {
                return true;
            }
            at = it.parent;
        }
        false
    }

    fn while_loop(
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
        self.checker.current.as_mut().expect("a function").flow.push(super::super::statement::Flow::Loop);
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

    fn for_loop(
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
    fn range_for(
        &mut self,
        decl: &Rc<Decl>,
        range: &InitClause,
        body: &Statement,
        unroll: UnrollHint,
        span: Span,
        out: &mut Out,
    ) {
        let range_span = super::expression::clause_span(range);
        let expr = match &range.kind {
            InitClauseKind::Expr(expr) => expr,
            InitClauseKind::List(list) => {
                return self.range_for_list(decl, list, body, unroll, span, out);
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
        self.checker.current.as_mut().expect("a function").flow.push(super::super::statement::Flow::Loop);
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

    fn range_for_list(
        &mut self,
        decl: &Rc<Decl>,
        list: &crate::cxx::ast::InitList,
        body: &Statement,
        unroll: UnrollHint,
        span: Span,
        out: &mut Out,
    ) {
        _ = (decl, body, unroll, span, out);
        self.error(list.span, "a range of a list needs 'std::initializer_list', which there is none of");
    }

    /// Variables for the begin and the end of a range.
    fn range_ends(&mut self, object: &Place, span: Span, out: &mut Out) -> Option<(Place, Place)> {
        let (begin, end) = match *self.types.kind(object.ty.ty) {
            TypeKind::Array { element, length: Some(count) } => {
                let first = self.checker.decay(object.clone());
                let ulong = self.types.scalar(ScalarKind::ULong);
                let index = Box::new(self.constant(count, ulong, span));
                let kind = Hir::PointerAdd { pointer: Box::new(first.clone()), index, subtract: false };
                let end = Expr { kind, ty: first.ty, span };
                _ = element;
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
                    let mut call = |cxx: &mut Self, symbol| {
                        let functions = cxx.argument_dependent(symbol, &[object.ty()]);
                        if functions.is_empty() {
                            let text = cxx.text_of(cxx.type_of_value(&object));
                            cxx.error(span, format!("invalid range expression of type '{text}'; no viable 'begin' function available"));
                            return cxx.error_value_of(span);
                        }
                        let set = super::expression::Set {
                            name: Name { symbol, span },
                            functions,
                            object: None,
                            explicit: None,
                            is_open: false,
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

    /// Declares the variable of a range-based `for` with an element.
    fn declare_item(&mut self, decl: &Rc<Decl>, item: Value, span: Span, out: &mut Out) {
        match &decl.kind {
            DeclKind::Simple { specifiers, declarators } => {
                let Some(declarator) = declarators.first() else { return };
                let base = self.specifiers(specifiers);
                let declared = self.declarator_type(base, &declarator.declarator);
                let Some(name) = declarator.declarator.name.as_ref().and_then(|name| name.plain()) else {
                    return;
                };
                self.item_variable(name, declared, item, span, out);
            }
            DeclKind::Bindings { specifiers, reference, names, .. } => {
                let mut declared = self.specifiers(specifiers);
                if let Some(is_rvalue) = reference {
                    declared = self.reference_to(declared, *is_rvalue);
                }
                let symbol = self.checker.interner.intern(&format!("(item {})", self.variables.len()));
                let name = Name { symbol, span };
                let Some(id) = self.item_variable(name, declared, item, span, out) else {
                    for name in names {
                        self.declare(*name, Entity::Error);
                    }
                    return;
                };
                if let Value::Place(object) = self.variable_value(id, span) {
                    self.bind_parts(object, names, span);
                }
            }
            _ => {}
        }
    }

    fn item_variable(
        &mut self,
        name: Name,
        declared: Type,
        item: Value,
        span: Span,
        out: &mut Out,
    ) -> Option<super::VarId> {
        if self.is_error(&item) || self.is_error_type(declared) {
            self.note_error();
            self.declare(name, Entity::Error);
            return None;
        }
        let before = self.begin_full();
        let ty = match self.has_auto(declared.ty()) {
            true => self.deduce_auto(declared, &item, name.span),
            false => Some(declared),
        };
        let Some(mut ty) = ty else {
            _ = self.end_full(before, span);
            self.declare(name, Entity::Error);
            return None;
        };
        if self.reference(ty.ty()).is_none() {
            let q = self.checker.with_qualifiers(ty.ty(), ty.q.qualifiers.union(declared.q.qualifiers));
            ty = Type { q, space: None };
        }
        let init = match self.reference(ty.ty()) {
            Some(reference) => {
                let address = self.bind_reference(Given::Value(item), reference, span, "reference");
                if self.types.is_error(address.ty) { Init::Error } else { Init::Value(address) }
            }
            None => self.copy_initialize(ty.plain(), item, span),
        };
        let hir = self.hir_type(ty.ty());
        let local = self.new_local(hir, name.span);
        let home = self.frame().function;
        let id = self.add_variable(Variable {
            name: name.symbol,
            ty,
            space: AddressSpace::Private,
            storage: Storage::Local(local, home),
            constant: None,
            target: None,
            is_constexpr: false,
            span: name.span,
        });
        self.declare(name, Entity::Variable(id));
        let place = self.local_place(local, hir, name.span);
        let mut stores = Vec::new();
        self.declare_with(local, &place, ty, init, name.span, &mut stores);
        let (first, last) = self.end_full(before, span);
        out.extend(first);
        out.extend(stores);
        out.extend(last);
        if self.reference(ty.ty()).is_none() {
            self.destroy_at_exit(&Place { ty: ty.q, ..place }, span);
        }
        Some(id)
    }

    fn switch(&mut self, condition: &Condition, body: &Statement, span: Span, out: &mut Out) {
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
        let kind = super::super::conversion::promoted(kind);
        let state = super::super::statement::SwitchState { kind, ranges: Vec::new(), default: None };
        self.checker
            .current
            .as_mut()
            .expect("a function")
            .flow
            .push(super::super::statement::Flow::Switch(state));
        let depth = self.frame().cleanups.len();
        self.frame().jumps.push((depth, None));
        self.switch_types.push(enumeration);
        let body = self.single(body);
        self.switch_types.pop();
        self.frame().jumps.pop();
        self.checker.current.as_mut().expect("a function").flow.pop();
        out.push(made(StatementKind::Switch { selector, body }, span));
    }

    fn switch_value(&mut self, value: Value, span: Span) -> Expr {
        let value = match self.record_of(value.ty_or_none()) {
            Some(record) => {
                let list: Vec<super::FnId> = self
                    .conversions_of(record)
                    .into_iter()
                    .filter(|id| !self.function(*id).is_explicit)
                    .collect();
                match list.as_slice() {
                    [only] => self.converted_by(*only, value, span),
                    _ => value,
                }
            }
            None => value,
        };
        self.rvalue(value, span)
    }

    fn case(&mut self, value: &Ast, high: Option<&Ast>, span: Span, out: &mut Out) {
        let mut constant = |cxx: &mut Self, expr: &Ast| {
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
        match self.checker.innermost_switch().map(|state| state.kind) {
            None => self.error(span, "'case' statement not in switch statement"),
            Some(kind) => {
                if let (Some(first), Some(last)) = (first, last) {
                    self.checker.add_case(kind, first, last, value.span, out);
                }
            }
        }
    }

    fn default_label(&mut self, whole: Span, out: &mut Out) {
        let span = Span::new(whole.start, (whole.start + "default".len() as u32).min(whole.end));
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
    fn jump(&mut self, is_break: bool, span: Span, out: &mut Out) {
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

    fn return_statement(&mut self, value: Option<&InitClause>, span: Span, out: &mut Out) {
        let function = self.frame().function;
        if function == super::global::START {
            self.error(span, "'return' is not allowed here");
            return;
        }
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
        let is_destructor = kind == super::function::Kind::Destructor;
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
        kind: super::function::Kind,
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
                    super::function::Kind::Constructor => "constructor",
                    super::function::Kind::Destructor => "destructor",
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
            let pointer = self.types.pointer(result.ty().into(), AddressSpace::Private);
            let holder = self.local_place(home, pointer, span);
            let address = Expr { kind: Hir::Load(holder), ty: pointer, span };
            let kind = PlaceKind::Deref(Box::new(address));
            let place = Place { kind, ty: result.ty().into(), space: AddressSpace::Private, span };
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

    /// `({ … })`.
    pub(super) fn statement_expression(&mut self, list: &Rc<Vec<Statement>>, span: Span) -> Value {
        if self.frames.is_empty() {
            self.error(span, "statement expression not allowed at file scope");
            return self.error_value_of(span);
        }
        let scope = self.new_scope(self.scope, ScopeKind::Block);
        let mut statements = Vec::new();
        let (rest, last) = match list.split_last() {
            Some((Statement { kind: Kind::Expr(expr), .. }, rest)) => (rest, Some(expr)),
            _ => (list.as_slice(), None),
        };
        self.enter_cleanups();
        self.checker
            .current
            .as_mut()
            .expect("a function")
            .flow
            .push(super::super::statement::Flow::Expression);
        let value = self.in_scope(scope, |cxx| {
            for statement in rest {
                cxx.statement(statement, UnrollHint::None, &mut statements);
            }
            last.map(|expr| cxx.value(expr))
        });
        self.checker.current.as_mut().expect("a function").flow.pop();
        let cleanups = self.frame().cleanups.pop().unwrap_or_default();
        if !cleanups.is_empty() {
            self.error(span, "objects with destructors in a statement expression are not supported");
        }
        let ty = value.as_ref().map_or_else(|| self.types.void(), |value| value.ty);
        if self.types.is_error(ty) {
            return self.error_value_of(span);
        }
        let kind = Hir::Statements { statements, value: value.map(Box::new) };
        Value::Expr(Expr { kind, ty, span })
    }

    /// Whether an initialiser is given by `= e`.
    pub(super) fn is_copy(initializer: &Initializer) -> bool {
        matches!(initializer, Initializer::Copy(_))
    }
}
