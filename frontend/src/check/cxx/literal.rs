//! Literals with the suffix of a program ([lex.ext], [over.literal]).

use super::Cxx;
use super::expression::{Given, Set, Value};
use super::scope::Entity;
use crate::Span;
use crate::ast::Name;
use crate::cxx::ast::{Expr as Ast, ExprKind};
use crate::symbol::Symbol;
use crate::types::ScalarKind;

impl Cxx<'_> {
    pub(super) fn user_literal(&mut self, literal: &Ast, text: Symbol, suffix: Name, span: Span) -> Value {
        let name = format!("operator\"\"{}", self.owned(suffix.symbol));
        let symbol = self.checker.interner.intern(&name);
        let Some(Entity::Functions(functions)) = self.find(symbol).map(|found| found.entity) else {
            self.error(span, format!("no matching literal operator for call to '{name}'"));
            return self.error_value_of(span);
        };
        let value = self.expression(literal);
        let given = match &literal.kind {
            // The value in the largest type ([lex.ext]).
            ExprKind::Int(bits, _) => {
                let ulong = self.types.scalar(ScalarKind::ULong);
                vec![Given::Value(Value::Expr(self.constant(*bits, ulong, span)))]
            }
            ExprKind::Str(bytes) => {
                let size = self.checker.size_type();
                let length = self.constant(bytes.len() as u64, size, span);
                vec![Given::Value(value), Given::Value(Value::Expr(length))]
            }
            _ => vec![Given::Value(value)],
        };
        let is_number = matches!(literal.kind, ExprKind::Int(..) | ExprKind::Float(..));
        let takes = self
            .attempt(|cxx| match cxx.resolve_overload(&functions, None, &given, None) {
                super::overload::Resolved::One(_) => Some(()),
                _ => None,
            })
            .flatten()
            .is_some();
        let is_template = functions.iter().any(|id| self.function(*id).template.is_some());
        if !takes && is_number && is_template {
            return self.literal_template(functions, text, suffix, symbol, span);
        }
        let given = match takes || !is_number {
            true => given,
            // A raw literal operator takes the text.
            false => {
                let text = self.owned(text);
                vec![Given::Value(Value::from(self.checker.string_literal(text.as_bytes(), span)))]
            }
        };
        let set = Set {
            name: Name { symbol, span: suffix.span },
            functions,
            object: None,
            naming: None,
            explicit: None,
            is_open: false,
            is_qualified: false,
        };
        self.call_set(set, given, span)
    }

    /// A literal operator template takes the characters of a number.
    fn literal_template(
        &mut self,
        functions: Vec<super::FnId>,
        text: Symbol,
        suffix: Name,
        symbol: Symbol,
        span: Span,
    ) -> Value {
        use crate::cxx::ast::{TemplateArgument, TemplateArgumentKind};
        let text = self.owned(text);
        let arguments = text.bytes().map(|byte| {
            let expr = Ast { kind: ExprKind::Char(i32::from(byte)), span };
            TemplateArgument { kind: TemplateArgumentKind::Expr(expr), expansion: None, span }
        });
        let explicit = Some(arguments.collect());
        let name = Name { symbol, span: suffix.span };
        let set = Set {
            name,
            functions,
            object: None,
            naming: None,
            explicit,
            is_open: false,
            is_qualified: false,
        };
        self.call_set(set, Vec::new(), span)
    }
}
