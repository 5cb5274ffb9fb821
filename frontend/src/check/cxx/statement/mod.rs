//! Statements ([stmt.stmt]).

pub(super) mod bypass;
mod iteration;
mod jump;

use super::Cxx;
use super::expression::{Given, Value};
use super::initialize::Init;
use super::scope::{Entity, ScopeKind};
use super::types::Type;
use crate::Span;
use crate::ast::Name;
use crate::cxx::ast::{
    Condition, Decl, DeclKind, Expr as Ast, ExprKind, Statement, StatementKind as Kind, TemplateArgumentKind,
};
use crate::diagnostic::Diagnostic;
use crate::hir::{self, Expr, ExprKind as Hir, Place, StatementKind};
use crate::token::Pragma;
use clvk_ir::UnrollHint;
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
        let depth = self.frame().bypass.depth();
        self.enter_cleanups();
        self.in_scope(scope, |cxx| cxx.block_in_scope(list, &mut out));
        self.frame().bypass.leave(depth);
        self.frame().cleanups.pop();
        self.checker.contract = contract;
        StatementKind::Block(out)
    }

    /// A statement as the body of another one.
    fn single(&mut self, statement: &Statement) -> Box<hir::Statement> {
        let list = match &statement.kind {
            Kind::Block(list) => list.as_slice(),
            _ => std::slice::from_ref(statement),
        };
        let made_before = self.scopes.len();
        let kind = self.block(list);
        self.check_condition_names(super::scope::ScopeId(made_before as u32));
        Box::new(made(kind, statement.span))
    }

    /// The outermost block of a controlled statement does not declare a name of the condition again
    /// ([basic.scope.block]/4).
    fn check_condition_names(&mut self, block: super::scope::ScopeId) {
        if !self.scope_ref(self.scope).is_condition {
            return;
        }
        let outer = &self.scope_ref(self.scope).names;
        let inner = &self.scope_ref(block).names;
        let both = inner.iter().filter_map(|(name, slot)| Some((slot.span, *name, outer.get(name)?.span)));
        let mut both: Vec<_> = both.collect();
        both.sort_by_key(|(span, ..)| span.start);
        for (span, name, previous) in both {
            let message = format!("redefinition of '{}'", self.owned(name));
            let diagnostic = Diagnostic::error(span, message);
            self.report(diagnostic.related(previous, "previous definition is here"));
        }
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
        let is_loop = matches!(
            statement.kind,
            Kind::While { .. } | Kind::DoWhile { .. } | Kind::For { .. } | Kind::RangeFor { .. }
        );
        for attribute in &statement.attributes {
            match attribute.name.as_str() {
                "ivdep" => {
                    let count = match attribute.arguments.first().map(|argument| &argument.kind) {
                        Some(TemplateArgumentKind::Expr(expr)) => self.constant_of(expr, "a distance"),
                        _ => None,
                    };
                    if !is_loop || count.is_some_and(|count| count <= 0) {
                        self.error(
                            attribute.span,
                            "'ivdep' attribute takes a positive number, before a loop",
                        );
                    }
                }
                "opencl_unroll_hint" | "cl::unroll_hint" | "unroll_hint" => {
                    if !is_loop {
                        self.error(
                            attribute.span,
                            "'opencl_unroll_hint' attribute only applies to 'for', 'while' and 'do' statements",
                        );
                        return given;
                    }
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
                "fallthrough" | "clang::fallthrough" => {
                    if self.checker.innermost_switch().is_none() {
                        self.error(attribute.span, "fallthrough annotation is outside switch statement");
                    }
                }
                "likely" | "unlikely" | "maybe_unused" => {}
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
                self.frame().bypass.label(*name);
                out.push(made(StatementKind::Label(name.symbol), name.span));
                self.statement(body, unroll, out);
            }
            Kind::Goto(name) => {
                // Objects with destructors would have to be followed along every jump.
                if self.frame().cleanups.iter().any(|scope| !scope.is_empty()) {
                    self.error(span, "'goto' where objects with destructors live is not supported");
                }
                self.not_in_constexpr(span, "'goto' cannot be used in a constexpr function");
                self.checker.current.as_mut().expect("a function").gotos.push(*name);
                self.frame().bypass.goto(*name);
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
        self.scopes[scope.0 as usize].is_condition = true;
        let mut list = Vec::new();
        let depth = self.frame().bypass.depth();
        self.enter_cleanups();
        self.in_scope(scope, |cxx| work(cxx, &mut list));
        self.frame().bypass.leave(depth);
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
        self.is_in_instance(self.scope)
    }

    /// Whether a scope is in an instance of a template.
    pub(super) fn is_in_instance(&self, scope: super::scope::ScopeId) -> bool {
        let mut at = Some(scope);
        while let Some(scope) = at {
            let it = self.scope_ref(scope);
            if it.kind == ScopeKind::Template {
                return true;
            }
            at = it.parent;
        }
        false
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
                match reference {
                    Some(is_rvalue) => declared = self.reference_to(declared, *is_rvalue),
                    None => declared = self.copied_type(declared, self.type_of_value(&item)),
                }
                let symbol = self.checker.interner.intern(&format!("(item {})", self.variables.len()));
                let name = Name { symbol, span };
                let copies = std::mem::replace(&mut self.copies_arrays, true);
                let id = self.item_variable(name, declared, item, span, out);
                self.copies_arrays = copies;
                let Some(id) = id else {
                    for name in names {
                        self.declare(*name, Entity::Error);
                    }
                    return;
                };
                self.bind_variable(id, name, names, span, out);
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
        let id = self.declare_local(name, ty, local, false);
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
        let depth = self.frame().bypass.depth();
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
        self.frame().bypass.leave(depth);
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
}
