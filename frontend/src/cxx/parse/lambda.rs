//! Lambda expressions ([expr.prim.lambda]).

use super::names::Meaning;
use super::{Parsed, Parser};
use crate::cxx::ast::{Capture, Expr, ExprKind, FunctionSuffix, Lambda, Qualifiers};
use crate::cxx::tokens::{Kind, Word};
use crate::token::Punct;
use std::cell::OnceCell;
use std::rc::Rc;

/// Why there is none in a template argument.
pub(super) const IN_ARGUMENT: &str = "a lambda expression cannot appear in a template argument before C++20";

impl Parser<'_> {
    pub(super) fn lambda(&mut self) -> Parsed<Expr> {
        let start = self.span();
        if let Some(reason) = self.refuses_lambdas {
            return self.fault(start, reason);
        }
        let scope = self.names.inner();
        let outer = self.names.go(scope);
        let result = self.in_brackets(|parser| parser.lambda_in_scope(start));
        self.names.go(outer);
        let lambda = result?;
        Ok(Expr { kind: ExprKind::Lambda(Rc::new(lambda)), span: self.from(start) })
    }

    /// Parses an operand that is not evaluated, which contains no lambda expression ([expr.prim.lambda]/2).
    pub(super) fn unevaluated<T>(&mut self, parse: impl FnOnce(&mut Self) -> Parsed<T>) -> Parsed<T> {
        self.without_lambdas("lambda expression in an unevaluated operand", parse)
    }

    /// Parses something where no lambda expression may stand.
    pub(super) fn without_lambdas<T>(
        &mut self,
        reason: &'static str,
        parse: impl FnOnce(&mut Self) -> Parsed<T>,
    ) -> Parsed<T> {
        let outer = self.refuses_lambdas.replace(reason);
        let result = parse(self);
        self.refuses_lambdas = outer;
        result
    }

    fn lambda_in_scope(&mut self, start: crate::Span) -> Parsed<Lambda> {
        self.expect(Punct::LeftBracket)?;
        let mut default = None;
        let mut captures = Vec::new();
        if self.is(Punct::Equal) {
            default = Some(false);
            self.skip();
        } else if self.is(Punct::Ampersand)
            && matches!(self.kind_at(1), Kind::Punct(Punct::Comma | Punct::RightBracket))
        {
            default = Some(true);
            self.skip();
        }
        if default.is_some() && !self.is(Punct::RightBracket) {
            self.expect(Punct::Comma)?;
        }
        while !self.is(Punct::RightBracket) {
            captures.push(self.capture()?);
            if !self.eat(Punct::Comma) {
                break;
            }
        }
        self.expect(Punct::RightBracket)?;
        let mut suffix = FunctionSuffix {
            params: Vec::new(),
            variadic: None,
            qualifiers: Qualifiers::default(),
            reference: None,
            trailing: None,
            throws: None,
            noexcept: None,
        };
        let (mut is_mutable, mut is_constexpr) = (false, false);
        if self.is(Punct::LeftParen) {
            suffix = self.lambda_parameters(&mut is_mutable, &mut is_constexpr)?;
        } else if self.is(Punct::Arrow) || self.qualifier(&mut suffix.qualifiers) {
            while self.qualifier(&mut suffix.qualifiers) {}
            if self.eat(Punct::Arrow) {
                suffix.trailing = Some(self.type_name()?);
            }
        }
        let class_depth = std::mem::replace(&mut self.class_depth, 0);
        let at = self.at;
        let body_scope = self.names.current();
        let body = self.body_in(body_scope, &suffix);
        self.class_depth = class_depth;
        let cell = OnceCell::new();
        _ = cell.set(body?);
        Ok(Lambda {
            default,
            captures,
            suffix: Rc::new(suffix),
            is_mutable,
            is_constexpr,
            body: Rc::new(cell),
            names: self.names_since(at),
            span: self.from(start),
        })
    }

    fn capture(&mut self) -> Parsed<Capture> {
        let (start, at) = (self.span(), self.at);
        if self.eat(Punct::Star) {
            if !self.eat_word(Word::This) {
                return Err(self.expected("'this'"));
            }
            let span = self.from(start);
            return Ok(Capture { name: None, by_reference: false, initializer: None, expansion: None, span });
        }
        if self.eat_word(Word::This) {
            let span = self.from(start);
            return Ok(Capture { name: None, by_reference: true, initializer: None, expansion: None, span });
        }
        let by_reference = self.eat(Punct::Ampersand);
        let name = self.identifier()?;
        let initializer = self.initializer()?;
        match initializer {
            Some(_) => self.declare_local(name),
            None => self.note_captured(name),
        }
        let expansion = self.eat_expansion(at);
        Ok(Capture { name: Some(name), by_reference, initializer, expansion, span: self.from(start) })
    }

    /// `(parameters) mutable constexpr noexcept __generic -> type`.
    fn lambda_parameters(
        &mut self,
        is_mutable: &mut bool,
        is_constexpr: &mut bool,
    ) -> Parsed<FunctionSuffix> {
        let mut suffix = self.function_suffix()?;
        for param in &suffix.params {
            if let Some(name) = param.declarator.name.as_ref().and_then(|name| name.plain()) {
                self.names.declare_param(name.symbol, Meaning::Value, param.declarator.pack.is_some());
            }
        }
        let mut has_space = !suffix.qualifiers.spaces.is_empty();
        loop {
            if self.is_word(Word::Mutable) && has_space {
                return Err(self.expected("the body of a lambda expression"));
            }
            if self.eat_word(Word::Mutable) {
                *is_mutable = true;
            } else if self.eat_word(Word::Constexpr) {
                *is_constexpr = true;
            } else if self.is_word(Word::Noexcept) {
                suffix.noexcept = self.noexcept_specifier()?;
            } else if self.qualifier(&mut suffix.qualifiers) {
                has_space = true;
            } else {
                break;
            }
        }
        let mut attributes = Vec::new();
        self.attributes(&mut attributes)?;
        if self.eat(Punct::Arrow) {
            suffix.trailing = Some(self.type_name()?);
        }
        Ok(suffix)
    }
}
