//! `new` and `delete` ([expr.new], [expr.delete]).

use super::declarator::Place;
use super::{Parsed, Parser};
use crate::cxx::ast::{Derived, Expr, ExprKind, InitClause, New, TypeName, TypeSpecifier};
use crate::cxx::tokens::{Kind, Word};
use crate::token::Punct;
use std::rc::Rc;

impl Parser<'_> {
    /// `new`, `delete`, with or without `::` before it.
    pub(super) fn allocation(&mut self) -> Parsed<Expr> {
        let start = self.span();
        let is_global = self.kind() == Kind::ColonColon;
        if is_global {
            self.skip();
        }
        if self.is_word(Word::Delete) {
            self.skip();
            let is_array = self.is(Punct::LeftBracket) && self.kind_at(1) == Kind::Punct(Punct::RightBracket);
            if is_array {
                self.skip();
                self.skip();
            }
            let operand = Box::new(self.cast_expression()?);
            let kind = ExprKind::Delete { is_global, is_array, operand };
            return Ok(Expr { kind, span: self.from(start) });
        }
        self.skip();
        let placement = self.attempt(Self::placement).unwrap_or_default();
        let (ty, length) = self.new_type()?;
        let initializer = match self.kind() {
            Kind::Punct(Punct::LeftParen | Punct::LeftBrace) => self.initializer()?,
            _ => None,
        };
        let new = New { is_global, placement, ty, length, initializer };
        Ok(Expr { kind: ExprKind::New(Rc::new(new)), span: self.from(start) })
    }

    /// `(a, b)` before the type.
    fn placement(&mut self) -> Parsed<Vec<InitClause>> {
        self.expect(Punct::LeftParen)?;
        let placement = self.in_brackets(|parser| parser.arguments(Punct::RightParen))?;
        let at = self.at;
        self.new_type()?;
        self.at = at;
        Ok(placement)
    }

    /// The type of the objects, and how many there are if it is an array's.
    fn new_type(&mut self) -> Parsed<(TypeName, Option<Expr>)> {
        if self.eat(Punct::LeftParen) {
            let mut ty = self.in_brackets(Self::type_name)?;
            self.expect(Punct::RightParen)?;
            let length = match ty.declarator.derived.first() {
                Some(Derived::Array(Some(length), _)) => Some(length.as_ref().clone()),
                _ => None,
            };
            if length.is_some() {
                ty.declarator.derived.remove(0);
            }
            return Ok((ty, length));
        }
        let start = self.span();
        let specifiers = self.type_specifiers()?;
        if matches!(specifiers.ty, TypeSpecifier::None) {
            return Err(self.expected("a type"));
        }
        let mut declarator = self.declarator(Place::Conversion)?;
        let mut lengths = Vec::new();
        while self.is(Punct::LeftBracket) {
            let span = self.span();
            self.skip();
            let length = self.in_brackets(Self::conditional_expression)?;
            self.expect(Punct::RightBracket)?;
            lengths.push(Derived::Array(Some(Rc::new(length)), self.from(span)));
        }
        let mut lengths = lengths.into_iter();
        let first = match lengths.next() {
            Some(Derived::Array(Some(length), _)) => Some(length.as_ref().clone()),
            _ => None,
        };
        declarator.derived.splice(0..0, lengths);
        let span = self.from(start);
        Ok((TypeName { specifiers: Rc::new(specifiers), declarator, span }, first))
    }
}
