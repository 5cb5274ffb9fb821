//! Function bodies, default arguments and member initialisers, which wait for the end of the class.

use super::names::Meaning;
use super::{Parsed, Parser};
use crate::cxx::ast::{
    Body, Declarator, Derived, Expr, FunctionSuffix, Id, Initializer, MemberInitializer, Noexcept,
};
use crate::cxx::tokens::{Kind, Word};
use crate::token::Punct;
use std::cell::OnceCell;
use std::rc::Rc;

impl Parser<'_> {
    /// A function's body, with the initialisers of a constructor before it.
    pub(super) fn function_body(&mut self, declarator: &Declarator) -> Parsed<Rc<OnceCell<Body>>> {
        if self.is_word(Word::Try) {
            return self.fault(self.span(), "exceptions are not supported in C++ for OpenCL (§2.1)");
        }
        let cell = Rc::new(OnceCell::new());
        let Some(Derived::Function(suffix)) = declarator.derived.first() else {
            return Err(self.expected("parameters"));
        };
        let class = declarator.name.as_ref().and_then(|name| self.prefix_scope(name));
        let outer = self.names.current();
        let scope = match class {
            Some(class) => self.names.inner_with(class),
            None => self.names.inner(),
        };
        if self.class_depth == 0 {
            let body = self.as_member_of(declarator.name.as_ref(), |parser| parser.body_in(scope, suffix));
            self.names.go(outer);
            _ = cell.set(body?);
            return Ok(cell);
        }
        let start = self.at;
        self.skip_body()?;
        let (place, suffix) = (cell.clone(), suffix.clone());
        self.at_class_end(move |parser| {
            parser.at = start;
            match parser.body_in(scope, &suffix) {
                Ok(body) => _ = place.set(body),
                Err(fault) => parser.report(*fault),
            }
        });
        Ok(cell)
    }

    fn postpone(&mut self, work: super::Later) {
        let templates = self.templates.clone();
        self.later.push(Box::new(move |parser| {
            let templates = std::mem::replace(&mut parser.templates, templates);
            work(parser);
            parser.templates = templates;
        }));
    }

    /// Goes past a body without reading it.
    fn skip_body(&mut self) -> Parsed<()> {
        if self.eat(Punct::Colon) {
            loop {
                while !matches!(self.kind(), Kind::Punct(Punct::LeftParen | Punct::LeftBrace) | Kind::End) {
                    if self.kind() == Kind::Punct(Punct::Less) {
                        self.template_arguments()?;
                    } else {
                        self.skip();
                    }
                }
                self.skip_group();
                self.eat(Punct::Ellipsis);
                if !self.eat(Punct::Comma) {
                    break;
                }
            }
        }
        if !self.is(Punct::LeftBrace) {
            return Err(self.expected("'{'"));
        }
        self.skip_group();
        Ok(())
    }

    /// Member initialisers and statements in a function's scope.
    pub(super) fn body_in(&mut self, scope: super::names::ScopeId, suffix: &FunctionSuffix) -> Parsed<Body> {
        let start = self.span();
        self.names.go(scope);
        for param in &suffix.params {
            if let Some(Id::Name(symbol)) = param.declarator.name.as_ref().map(|name| &name.last().id) {
                let is_pack = param.declarator.pack.is_some();
                self.names.declare_param(*symbol, Meaning::Value, is_pack);
            }
        }
        let class_depth = std::mem::replace(&mut self.class_depth, 0);
        let result = self.body_parts(start);
        self.class_depth = class_depth;
        result
    }

    fn body_parts(&mut self, start: crate::Span) -> Parsed<Body> {
        let mut initializers = Vec::new();
        if self.eat(Punct::Colon) {
            loop {
                let at = self.at;
                let name = self.class_name()?;
                let initializer = match self.initializer()? {
                    Some(initializer) => initializer,
                    None => return Err(self.expected("'(' or '{'")),
                };
                let expansion = self.eat_expansion(at);
                initializers.push(MemberInitializer { name, initializer, expansion });
                if !self.eat(Punct::Comma) {
                    break;
                }
            }
        }
        let block = self.in_brackets(Self::block)?;
        Ok(Body { initializers, block, span: self.from(start) })
    }

    /// `noexcept`, whose condition may name members that the class declares later ([class.mem]/6).
    pub(super) fn noexcept_specifier(&mut self) -> Parsed<Option<Noexcept>> {
        let span = self.span();
        if !self.eat_word(Word::Noexcept) {
            return Ok(None);
        }
        if !self.is(Punct::LeftParen) {
            return Ok(Some(Noexcept { condition: None, span }));
        }
        let cell = Rc::new(OnceCell::new());
        if self.class_depth == 0 {
            _ = cell.set(self.noexcept_condition()?);
        } else {
            let (start, scope) = (self.at, self.names.current());
            self.skip_group();
            if self.tentative == 0 {
                let cell = cell.clone();
                self.at_class_end(move |parser| {
                    parser.at = start;
                    parser.names.go(scope);
                    match parser.noexcept_condition() {
                        Ok(condition) => _ = cell.set(condition),
                        Err(fault) => parser.report(*fault),
                    }
                });
            }
        }
        Ok(Some(Noexcept { condition: Some(cell), span }))
    }

    fn noexcept_condition(&mut self) -> Parsed<Expr> {
        self.expect(Punct::LeftParen)?;
        let condition = self.in_brackets(Self::expression)?;
        self.expect(Punct::RightParen)?;
        Ok(condition)
    }

    /// Parses something at the end of the class, where its members are known.
    fn at_class_end(&mut self, work: impl FnOnce(&mut Parser<'_>) + 'static) {
        let (names, scopes) = (self.class_names.clone(), self.class_scopes.clone());
        self.postpone(Box::new(move |parser| {
            let outer = (
                std::mem::replace(&mut parser.class_names, names),
                std::mem::replace(&mut parser.class_scopes, scopes),
                std::mem::replace(&mut parser.class_depth, 0),
            );
            work(parser);
            (parser.class_names, parser.class_scopes, parser.class_depth) = outer;
        }));
    }

    /// `= value` of a parameter.
    pub(super) fn default_argument(&mut self) -> Parsed<Rc<OnceCell<Initializer>>> {
        let cell = Rc::new(OnceCell::new());
        if self.class_depth == 0 {
            if let Some(initializer) = self.initializer()? {
                _ = cell.set(initializer);
            }
            return Ok(cell);
        }
        self.initializer_later(&cell)?;
        Ok(cell)
    }

    /// The default initialiser of a member.
    pub(super) fn member_initializer_later(&mut self) -> Parsed<Rc<OnceCell<Initializer>>> {
        let cell = Rc::new(OnceCell::new());
        self.initializer_later(&cell)?;
        Ok(cell)
    }

    /// Goes past an initialiser, which is read at the end of the class.
    fn initializer_later(&mut self, cell: &Rc<OnceCell<Initializer>>) -> Parsed<()> {
        let (start, scope) = (self.at, self.names.current());
        if self.is(Punct::LeftBrace) {
            self.skip_group();
        } else {
            self.skip();
            let mut angles = 0usize;
            loop {
                match self.kind() {
                    Kind::Punct(Punct::LeftParen | Punct::LeftBrace | Punct::LeftBracket) => {
                        self.skip_group();
                        continue;
                    }
                    Kind::Punct(Punct::Less) if self.opens_arguments() => angles += 1,
                    Kind::Punct(Punct::Greater) | Kind::SecondGreater => angles = angles.saturating_sub(1),
                    Kind::Punct(Punct::Comma) if angles > 0 => {}
                    Kind::Punct(Punct::Comma | Punct::Semicolon | Punct::RightParen | Punct::RightBrace)
                    | Kind::End => break,
                    _ => {}
                }
                self.skip();
            }
        }
        if self.tentative > 0 {
            return Ok(());
        }
        let cell = cell.clone();
        self.at_class_end(move |parser| {
            parser.at = start;
            parser.names.go(scope);
            match parser.initializer() {
                Ok(Some(initializer)) => _ = cell.set(initializer),
                Ok(None) => {}
                Err(fault) => parser.report(*fault),
            }
        });
        Ok(())
    }

    /// Whether `<` follows the name of a template.
    fn opens_arguments(&self) -> bool {
        let Some(before) = self.at.checked_sub(1) else { return false };
        match self.tokens[before].kind {
            Kind::Identifier(symbol) => {
                matches!(self.names.find(symbol), Some(Meaning::TypeTemplate(_) | Meaning::ValueTemplate))
            }
            Kind::Word(Word::StaticCast | Word::ConstCast | Word::ReinterpretCast | Word::AddrspaceCast) => {
                true
            }
            _ => false,
        }
    }
}
