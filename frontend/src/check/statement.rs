//! Statements (C99 §6.8).

use super::Checker;
use super::conversion::{Purpose, promoted};
use super::expression::without_parens;
use super::function::Returns;
use crate::Span;
use crate::ast::{self, StatementKind as Ast};
use crate::diagnostic::Diagnostic;
use crate::hir::{CaseValues, Expr, ExprKind, Statement, StatementKind};
use crate::types::{ScalarKind, TypeId};
use clvk_ir::UnrollHint;

/// The unsupported use of `break` and `continue`.
const JUMP_OUT: &str = "a jump out of a statement expression";

/// What `break`, `continue` and `case` belong to.
#[derive(Debug)]
pub(super) enum Flow {
    Loop,
    Switch(SwitchState),
    /// `({ … })` as a value: jumps must not leave it.
    Expression,
}

/// A `switch` whose body is being checked.
#[derive(Debug)]
pub(super) struct SwitchState {
    /// Kind of the selector.
    pub kind: ScalarKind,
    /// Values so far, with their places.
    pub ranges: Vec<(i128, i128, Span)>,
    /// The place of `default`.
    pub default: Option<Span>,
}

impl Checker<'_> {
    fn state(&mut self) -> &mut super::function::FunctionState {
        self.current.as_mut().expect("statements stand in functions")
    }

    /// A list of statements in the current scope.
    pub(super) fn statements(&mut self, list: &[ast::Statement]) -> Vec<Statement> {
        let mut result = Vec::new();
        let mut unroll = UnrollHint::None;
        let mut at_start = true;
        for statement in list {
            if let Ast::Pragma(pragma) = &statement.kind {
                self.block_pragma(*pragma, statement.span, at_start, &mut unroll);
                continue;
            }
            at_start = false;
            self.statement(statement, std::mem::take(&mut unroll), &mut result);
        }
        result
    }

    /// One statement; several become a block.
    fn single(&mut self, statement: &ast::Statement) -> Box<Statement> {
        self.enter_scope();
        let mut list = Vec::new();
        self.statement(statement, UnrollHint::None, &mut list);
        self.leave_scope();
        Box::new(if list.len() == 1 && !matches!(list[0].kind, StatementKind::Declare { .. }) {
            list.remove(0)
        } else {
            Statement { kind: StatementKind::Block(list), span: statement.span }
        })
    }

    fn statement(&mut self, statement: &ast::Statement, unroll: UnrollHint, out: &mut Vec<Statement>) {
        let span = statement.span;
        let is_loop = matches!(statement.kind, Ast::While { .. } | Ast::DoWhile { .. } | Ast::For { .. });
        let unroll = self.unroll_attribute(&statement.attributes, is_loop).or(unroll);
        let kind = match &statement.kind {
            Ast::Expr(expr) => match &without_parens(expr).kind {
                ast::ExprKind::Statements(block) => self.block(block),
                _ => {
                    let value = self.in_sequence(|checker| checker.value(expr));
                    self.warn_of_unused(expr, value.ty);
                    StatementKind::Expr(value)
                }
            },
            Ast::Declaration(declaration) => return self.declaration(declaration, out),
            Ast::Block(block) => self.block(block),
            Ast::If { condition, then, otherwise } => {
                self.warn_of_empty_body(then, otherwise.is_some());
                let condition = self.in_sequence(|checker| checker.condition(condition));
                let then = self.single(then);
                let otherwise = otherwise.as_ref().map(|otherwise| self.single(otherwise));
                StatementKind::If { condition, then, otherwise }
            }
            Ast::While { condition, body } => {
                let condition = Some(self.in_sequence(|checker| checker.condition(condition)));
                let body = self.loop_body(body);
                StatementKind::While { condition, step: None, body, unroll }
            }
            Ast::DoWhile { body, condition } => {
                let body = self.loop_body(body);
                let condition = self.in_sequence(|checker| checker.condition(condition));
                StatementKind::DoWhile { body, condition, unroll }
            }
            Ast::For { init, condition, step, body } => {
                self.for_loop(init.as_deref(), condition.as_ref(), step.as_ref(), body, (unroll, span))
            }
            Ast::Switch { selector, body } => self.switch(selector, body),
            Ast::Case { value, high, body } => return self.case(value, high.as_ref(), body, span, out),
            Ast::Default { body } => return self.default(body, span, out),
            Ast::Label { name, body } => {
                self.label(*name);
                out.push(Statement { kind: StatementKind::Label(name.symbol), span: name.span });
                return self.statement(body, unroll, out);
            }
            Ast::Goto(name) => {
                self.state().gotos.push(*name);
                StatementKind::Goto(name.symbol)
            }
            Ast::Break => {
                match self.state().flow.last() {
                    Some(Flow::Expression) => self.unsupported(span, JUMP_OUT),
                    None => self.error(span, "'break' statement not in loop or switch statement"),
                    Some(_) => {}
                }
                StatementKind::Break
            }
            Ast::Continue => {
                match self.state().flow.iter().rev().find(|flow| !matches!(flow, Flow::Switch(_))) {
                    Some(Flow::Expression) => self.unsupported(span, JUMP_OUT),
                    None => self.error(span, "'continue' statement not in loop statement"),
                    Some(_) => {}
                }
                StatementKind::Continue
            }
            Ast::Return(value) => StatementKind::Return(self.returned(value.as_ref(), span)),
            Ast::Pragma(pragma) => {
                let mut ignored = UnrollHint::None;
                self.block_pragma(*pragma, span, true, &mut ignored);
                return;
            }
            Ast::StaticAssert(assertion) => return self.static_assert(assertion),
            Ast::Empty => return,
        };
        out.push(Statement { kind, span });
    }

    fn block(&mut self, block: &ast::Block) -> StatementKind {
        let contract = self.contract;
        self.enter_scope();
        let list = self.statements(&block.statements);
        self.leave_scope();
        self.contract = contract;
        StatementKind::Block(list)
    }

    pub(super) fn label(&mut self, name: ast::Name) {
        if let Some(previous) = self.state().labels.insert(name.symbol, name.span) {
            let text = self.owned(name.symbol);
            let diagnostic = Diagnostic::error(name.span, format!("redefinition of label '{text}'"));
            self.report(diagnostic.related(previous, "previous definition is here"));
        }
    }

    fn loop_body(&mut self, body: &ast::Statement) -> Box<Statement> {
        self.state().flow.push(Flow::Loop);
        let body = self.single(body);
        self.state().flow.pop();
        body
    }

    fn for_loop(
        &mut self,
        init: Option<&ast::Statement>,
        condition: Option<&ast::Expr>,
        step: Option<&ast::Expr>,
        body: &ast::Statement,
        (unroll, span): (UnrollHint, Span),
    ) -> StatementKind {
        self.enter_scope();
        let mut list = Vec::new();
        if let Some(init) = init {
            self.statement(init, UnrollHint::None, &mut list);
        }
        let condition = condition.map(|condition| self.in_sequence(|checker| checker.condition(condition)));
        let step = step.map(|step| self.in_sequence(|checker| checker.value(step)));
        let body = self.loop_body(body);
        self.leave_scope();
        let kind = StatementKind::While { condition, step, body, unroll };
        if list.is_empty() {
            return kind;
        }
        list.push(Statement { kind, span });
        StatementKind::Block(list)
    }

    fn switch(&mut self, selector: &ast::Expr, body: &ast::Statement) -> StatementKind {
        let value = self.in_sequence(|checker| checker.value(selector));
        let (kind, selector) = match self.types.as_scalar(value.ty).filter(|kind| kind.is_integer()) {
            Some(kind) => (promoted(kind), self.promote(value)),
            None => {
                if !self.types.is_error(value.ty) {
                    let text = self.type_text(value.ty);
                    let message = format!("statement requires expression of integer type ('{text}' invalid)");
                    self.error(value.span, message);
                }
                (ScalarKind::Long, self.error_value(value.span))
            }
        };
        self.state().flow.push(Flow::Switch(SwitchState { kind, ranges: Vec::new(), default: None }));
        let body = self.single(body);
        self.state().flow.pop();
        StatementKind::Switch { selector, body }
    }

    /// The innermost switch.
    pub(super) fn innermost_switch(&mut self) -> Option<&mut SwitchState> {
        let own = self.state().flow.iter_mut().rev().take_while(|flow| !matches!(flow, Flow::Expression));
        own.into_iter().find_map(|flow| match flow {
            Flow::Switch(state) => Some(state),
            Flow::Loop | Flow::Expression => None,
        })
    }

    /// `({ … })` as a value: the value of the last statement, if that is an expression (GNU C).
    pub(super) fn statement_expression(&mut self, block: &ast::Block, span: Span) -> Expr {
        if self.current.is_none() {
            self.error(span, "statement expression not allowed at file scope");
            return self.error_value(span);
        }
        let contract = self.contract;
        self.enter_scope();
        self.state().flow.push(Flow::Expression);
        let is_empty = |statement: &ast::Statement| matches!(statement.kind, Ast::Empty);
        let count =
            block.statements.iter().rposition(|statement| !is_empty(statement)).map_or(0, |last| last + 1);
        let list = &block.statements[..count];
        let (list, last) = match list.split_last() {
            Some((ast::Statement { kind: Ast::Expr(last), .. }, rest)) => (rest, Some(last)),
            _ => (list, None),
        };
        let statements = self.statements(list);
        let value = last.map(|last| self.in_sequence(|checker| checker.value(last)));
        self.state().flow.pop();
        self.leave_scope();
        self.contract = contract;
        if let Some(jump) = statements.iter().find_map(super::flow::label_or_goto) {
            self.unsupported(jump, "a label or 'goto' in a statement expression");
        } else if !self.falls_through(&statements) {
            self.unsupported(span, "a statement expression whose end is never reached");
        }
        let ty = value.as_ref().map_or_else(|| self.types.void(), |value| value.ty);
        if self.types.is_error(ty) {
            return self.error_value(span);
        }
        Expr { kind: ExprKind::Statements { statements, value: value.map(Box::new) }, ty, span }
    }

    fn case(
        &mut self,
        value: &ast::Expr,
        high: Option<&ast::Expr>,
        body: &ast::Statement,
        span: Span,
        out: &mut Vec<Statement>,
    ) {
        let first = self.integer_constant(value);
        let last = match high {
            Some(high) => self.integer_constant(high),
            None => first,
        };
        match self.innermost_switch().map(|state| state.kind) {
            None => self.error(span, "'case' statement not in switch statement"),
            Some(kind) => {
                if let (Some(first), Some(last)) = (first, last) {
                    self.add_case(kind, first, last, value.span, out);
                }
            }
        }
        self.statement(body, UnrollHint::None, out);
    }

    pub(super) fn add_case(
        &mut self,
        kind: ScalarKind,
        first: i128,
        last: i128,
        span: Span,
        out: &mut Vec<Statement>,
    ) {
        let convert = |value: i128| super::constant::to_integer(kind, value as u64);
        let (low, high) = (convert(first), convert(last));
        if (low, high) != (first, last) {
            self.warn(
                span,
                format!("overflow converting case value to switch condition type ({first} to {low})"),
            );
        }
        if low > high {
            self.warn(span, "empty case range specified");
            return;
        }
        let state = self.innermost_switch().expect("found before");
        let clash = state.ranges.iter().find(|(from, to, _)| *from <= high && low <= *to).map(|(.., at)| *at);
        state.ranges.push((low, high, span));
        if let Some(previous) = clash {
            let diagnostic = Diagnostic::error(span, format!("duplicate case value '{low}'"));
            self.report(diagnostic.related(previous, "previous case defined here"));
        }
        out.push(Statement { kind: StatementKind::Case { values: CaseValues::Range(low, high) }, span });
    }

    fn default(&mut self, body: &ast::Statement, whole: Span, out: &mut Vec<Statement>) {
        // The keyword alone.
        let span = Span::new(whole.start, (whole.start + "default".len() as u32).min(whole.end));
        match self.innermost_switch() {
            None => self.error(span, "'default' statement not in switch statement"),
            Some(state) => {
                if let Some(previous) = state.default.replace(span) {
                    let diagnostic = Diagnostic::error(span, "multiple default labels in one switch");
                    self.report(diagnostic.related(previous, "previous default defined here"));
                }
                out.push(Statement { kind: StatementKind::Case { values: CaseValues::Default }, span });
            }
        }
        self.statement(body, UnrollHint::None, out);
    }

    fn returned(&mut self, value: Option<&ast::Expr>, span: Span) -> Option<Expr> {
        let name = self.state().name.clone();
        let result = match self.state().returns {
            Returns::Declared(result) => result,
            Returns::Inferred(result) => return self.returned_from_block(value, result, span),
        };
        let is_void = self.types.is_void(result);
        match value {
            None => {
                if !is_void && !self.types.is_error(result) {
                    let what =
                        if self.outer.is_empty() { format!("function '{name}'") } else { "block".to_owned() };
                    self.error(span, format!("non-void {what} should return a value"));
                }
                None
            }
            Some(value) => {
                let value = self.in_sequence(|checker| checker.value(value));
                if !is_void {
                    return Some(self.assign_to(value, result, Purpose::Returning));
                }
                if !self.types.is_void(value.ty) && !self.types.is_error(value.ty) {
                    let what =
                        if self.outer.is_empty() { format!("function '{name}'") } else { "block".to_owned() };
                    self.error(span, format!("void {what} should not return a value"));
                }
                Some(value)
            }
        }
    }

    /// `return` in a block whose result type is that of its first `return`.
    fn returned_from_block(
        &mut self,
        value: Option<&ast::Expr>,
        before: Option<TypeId>,
        span: Span,
    ) -> Option<Expr> {
        let value = value.map(|value| self.in_sequence(|checker| checker.value(value)));
        let ty = value.as_ref().map_or_else(|| self.types.void(), |value| value.ty);
        match before {
            _ if self.types.is_error(ty) => {}
            None => {
                let ty = self.checked_result(ty, span);
                self.state().returns = Returns::Inferred(Some(ty));
            }
            Some(before) if before != ty && !self.types.is_error(before) => {
                let (text, before) = (self.type_text(ty), self.type_text(before));
                let message = format!(
                    "return type '{text}' must match previous return type '{before}' when block literal has unspecified \
                     explicit return type"
                );
                self.error(span, message);
            }
            Some(_) => {}
        }
        value
    }
}
