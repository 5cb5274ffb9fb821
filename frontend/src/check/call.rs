//! Calls of functions of the program (C99 §6.5.2.2).

use super::Checker;
use super::candidates::wrong_count;
use super::conversion::Purpose;
use super::expression::{Operand, without_parens};
use super::scope::Entity;
use crate::Span;
use crate::ast::{self, ExprKind as Ast, Name};
use crate::builtins;
use crate::diagnostic::Diagnostic;
use crate::hir::{Expr, ExprKind, FunctionId};
use crate::types::TypeId;

impl Checker<'_> {
    pub(super) fn call(&mut self, callee: &ast::Expr, arguments: &[ast::Expr], span: Span) -> Expr {
        let target = without_parens(callee);
        let Ast::Identifier(symbol) = target.kind else {
            return self.call_of_expression(target, arguments, span);
        };
        let name = Name { symbol, span: target.span };
        match self.find(symbol).map(|(entity, _)| entity.clone()) {
            Some(Entity::Function(id)) if self.function_infos[id.0 as usize].is_overloadable => {
                self.call_overloaded(name, &[id], arguments, span)
            }
            Some(Entity::Function(id)) => self.call_function(id, arguments, span),
            Some(Entity::Overloaded(ids)) => self.call_overloaded(name, &ids, arguments, span),
            Some(Entity::Error) => {
                self.check_arguments_only(arguments);
                self.error_value(span)
            }
            Some(_) => self.call_of_expression(callee, arguments, span),
            None => match builtins::lookup(self.text(symbol)) {
                Some(found) => self.call_builtin(name, found, arguments, span),
                None => {
                    self.undeclared(name, true);
                    self.check_arguments_only(arguments);
                    self.error_value(span)
                }
            },
        }
    }

    /// Checks the arguments of a call that has an error itself.
    fn check_arguments_only(&mut self, arguments: &[ast::Expr]) {
        for argument in arguments {
            self.operand(argument);
        }
    }

    fn call_of_expression(&mut self, callee: &ast::Expr, arguments: &[ast::Expr], span: Span) -> Expr {
        let callee = self.operand(callee);
        if let (true, Operand::Value(block)) = (self.is_block(callee.ty()), &callee) {
            return self.call_block(block.clone(), arguments, span);
        }
        if !self.types.is_error(callee.ty()) {
            let text = self.type_text(callee.ty());
            let message = format!("called object type '{text}' is not a function or function pointer");
            self.error(callee.span(), message);
        }
        self.check_arguments_only(arguments);
        self.error_value(span)
    }

    fn call_function(&mut self, id: FunctionId, arguments: &[ast::Expr], span: Span) -> Expr {
        let values: Vec<Expr> = arguments.iter().map(|argument| self.value(argument)).collect();
        self.call_with(id, values, span)
    }

    /// A call of a function with values of any type.
    pub(super) fn call_with(&mut self, id: FunctionId, values: Vec<Expr>, span: Span) -> Expr {
        let info = &self.function_infos[id.0 as usize];
        let (params, result, declared) = (info.params.clone(), info.result, info.span);
        if values.len() != params.len() {
            let message = wrong_count(params.len(), values.len());
            let name = self.functions[id.0 as usize].name.clone();
            let diagnostic = Diagnostic::error(span, message);
            self.report(diagnostic.related(declared, format!("'{name}' declared here")));
            return self.error_value(span);
        }
        if !self.types.is_void(result) && !self.types.is_error(result) && self.types.layout(result).is_none()
        {
            let text = self.type_text(result);
            let name = self.functions[id.0 as usize].name.clone();
            let message = format!("calling '{name}' with incomplete return type '{text}'");
            let diagnostic = Diagnostic::error(span, message);
            self.report(diagnostic.related(declared, format!("'{name}' declared here")));
            return self.error_value(span);
        }
        if let Some(state) = &self.current {
            self.call_graph.add(state.id, id, span);
        }
        let arguments: Vec<Expr> = values
            .into_iter()
            .zip(params)
            .enumerate()
            .map(|(index, (value, param))| self.passed_argument(id, index, value, param))
            .collect();
        if self.types.is_error(result) || arguments.iter().any(|argument| self.types.is_error(argument.ty)) {
            return self.error_value(span);
        }
        Expr { kind: ExprKind::Call { function: id, arguments }, ty: result, span }
    }

    /// An argument converted to its parameter; errors point to the parameter's declaration.
    fn passed_argument(&mut self, id: FunctionId, index: usize, value: Expr, param: TypeId) -> Expr {
        let before = self.diagnostics.list().len();
        let value = self.assign_to(value, param, Purpose::Passing);
        if self.diagnostics.list().len() > before
            && let Some(local) = self.functions[id.0 as usize].locals.get(index)
        {
            let text = match local.name.as_str() {
                "" => "passing argument to this parameter".to_owned(),
                name => format!("passing argument to parameter '{name}' here"),
            };
            self.diagnostics.relate_since(before, local.span, &text);
        }
        value
    }
}
