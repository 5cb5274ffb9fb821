//! Templates (\[temp\]).

use super::declarator::Place;
use super::lambda::IN_ARGUMENT;
use super::names::Meaning;
use super::{Parsed, Parser};
use crate::cxx::ast::{
    DeclKind, Id, TemplateArgument, TemplateArgumentKind, TemplateDecl, TemplateParam, TemplateParamKind,
    TypeSpecifier,
};
use crate::cxx::tokens::{Kind, Word};
use crate::symbol::Symbol;
use crate::token::Punct;
use std::rc::Rc;

impl Parser<'_> {
    pub(super) fn template(&mut self) -> Parsed<DeclKind> {
        let is_extern = self.last_span().end != 0
            && self.at > 0
            && self.tokens[self.at - 1].kind == Kind::Keyword(crate::token::Keyword::Extern);
        self.skip();
        if !self.is(Punct::Less) {
            let decl = self.declaration()?;
            return Ok(DeclKind::Instantiation { is_extern, decl });
        }
        self.skip();
        if self.closes_angle() {
            self.expect_closing_angle()?;
            let decl = self.declaration()?;
            return Ok(DeclKind::Specialization(decl));
        }
        let inner = self.names.inner();
        let outer = self.names.go(inner);
        let templates = self.templates.clone();
        let result = self.template_in_scope();
        self.templates = templates;
        self.names.go(outer);
        self.is_template = false;
        result
    }

    fn template_in_scope(&mut self) -> Parsed<DeclKind> {
        self.templates.get_or_insert_default();
        let params = self.template_params()?;
        self.enter_template(&params);
        self.is_template = true;
        let decl = self.declaration()?;
        Ok(DeclKind::Template(Rc::new(TemplateDecl { params: Rc::new(params), decl })))
    }

    fn template_params(&mut self) -> Parsed<Vec<TemplateParam>> {
        let before = std::mem::replace(&mut self.in_template_arguments, true);
        let mut params = Vec::new();
        let result = loop {
            match self.template_param(&params) {
                Ok(param) => params.push(param),
                Err(fault) => break Err(fault),
            }
            if !self.eat(Punct::Comma) {
                break self.expect_closing_angle();
            }
        };
        self.in_template_arguments = before;
        result.map(|()| params)
    }

    fn template_param(&mut self, before: &[TemplateParam]) -> Parsed<TemplateParam> {
        let (start, at) = (self.span(), self.at);
        if self.eat_word(Word::Template) {
            return self.template_template_param(start);
        }
        if (self.is_word(Word::Typename) || self.is_word(Word::Class)) && self.is_type_param() {
            self.skip();
            let is_pack = self.eat(Punct::Ellipsis);
            let name = if self.peek_identifier().is_some() { Some(self.identifier()?) } else { None };
            if let Some(name) = name {
                self.names.declare_param(name.symbol, Meaning::Type(None), is_pack);
            }
            let mut default = None;
            if self.eat(Punct::Equal) {
                let ty = self.type_name()?;
                let span = ty.span;
                let kind = TemplateArgumentKind::Type(ty);
                default = Some(TemplateArgument { kind, expansion: None, span });
            }
            let kind = TemplateParamKind::Type;
            return Ok(TemplateParam {
                name,
                is_pack,
                kind,
                default,
                named_in: None,
                span: self.from(start),
            });
        }
        let specifiers = self.type_specifiers()?;
        if matches!(specifiers.ty, TypeSpecifier::None) {
            return Err(self.expected("a template parameter"));
        }
        let declarator = self.declarator(Place::Parameter)?;
        let name = declarator.name.as_ref().and_then(|name| name.plain());
        let is_pack = declarator.pack.is_some();
        let spelling = self.spelling(at, name.map(|name| name.symbol), before);
        if let Some(Id::Name(symbol)) = declarator.name.as_ref().map(|name| &name.last().id) {
            self.names.declare_param(*symbol, Meaning::Value, is_pack);
        }
        let mut default = None;
        if self.eat(Punct::Equal) {
            let expr = self.without_lambdas(IN_ARGUMENT, Self::conditional_expression)?;
            let span = expr.span;
            let kind = TemplateArgumentKind::Expr(expr);
            default = Some(TemplateArgument { kind, expansion: None, span });
        }
        let kind = TemplateParamKind::Value { specifiers: Rc::new(specifiers), declarator, spelling };
        Ok(TemplateParam { name, is_pack, kind, default, named_in: None, span: self.from(start) })
    }

    /// The tokens of a parameter since a position without its name, and with positions for the names of the
    /// parameters before it: what makes two types equivalent ([temp.over.link]/5).
    fn spelling(&self, start: usize, own: Option<Symbol>, before: &[TemplateParam]) -> Rc<str> {
        let mut text = String::new();
        for token in &self.tokens[start..self.at] {
            let Kind::Identifier(symbol) = token.kind else {
                text += &format!("{:?} ", token.kind);
                continue;
            };
            let is_symbol = |param: &TemplateParam| param.name.is_some_and(|name| name.symbol == symbol);
            match before.iter().position(is_symbol) {
                Some(position) => text += &format!("#{position} "),
                None if own == Some(symbol) => {}
                None => text += &format!("{} ", self.text_of(symbol)),
            }
        }
        text.into()
    }

    /// Whether `typename` begins a type parameter, and not the type of a value (`typename T::type N`).
    fn is_type_param(&self) -> bool {
        let named = match self.kind_at(1) {
            Kind::Punct(Punct::Ellipsis) => return true,
            Kind::Identifier(_) => 2,
            _ => 1,
        };
        matches!(
            self.kind_at(named),
            Kind::Punct(Punct::Comma | Punct::Greater | Punct::Equal) | Kind::SecondGreater
        )
    }

    /// `template <class> class T`.
    fn template_template_param(&mut self, start: crate::Span) -> Parsed<TemplateParam> {
        self.expect(Punct::Less)?;
        let inner = self.names.inner();
        let outer = self.names.go(inner);
        let params = self.template_params();
        self.names.go(outer);
        let params = params?;
        if !self.eat_word(Word::Class) && !self.eat_word(Word::Typename) {
            return Err(self.expected("'class'"));
        }
        let is_pack = self.eat(Punct::Ellipsis);
        let name = if self.peek_identifier().is_some() { Some(self.identifier()?) } else { None };
        if let Some(name) = name {
            self.names.declare_param(name.symbol, Meaning::TypeTemplate(None), is_pack);
        }
        let mut default = None;
        if self.eat(Punct::Equal) {
            default = Some(self.template_argument()?);
        }
        let kind = TemplateParamKind::Template(Rc::new(params));
        Ok(TemplateParam { name, is_pack, kind, default, named_in: None, span: self.from(start) })
    }
}
