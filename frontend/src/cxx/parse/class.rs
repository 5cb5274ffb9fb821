//! Classes (\[class\]).

use super::names::Meaning;
use super::{Parsed, Parser};
use crate::cxx::ast::{Access, Base, ClassBody, ClassKey, ClassSpecifier, Id, TypeSpecifier};
use crate::cxx::tokens::{Kind, Word};
use crate::token::{Keyword, Punct};
use std::rc::Rc;

impl Parser<'_> {
    /// `class`, `struct` or `union`, with the definition if there is one.
    pub(super) fn class_specifier(&mut self) -> Parsed<TypeSpecifier> {
        let start = self.span();
        let key = match self.kind() {
            Kind::Keyword(Keyword::Struct) => ClassKey::Struct,
            Kind::Keyword(Keyword::Union) => ClassKey::Union,
            _ => ClassKey::Class,
        };
        self.skip();
        let is_template = std::mem::take(&mut self.is_template);
        let mut attributes = Vec::new();
        self.attributes(&mut attributes)?;
        let mut name = None;
        if matches!(self.kind(), Kind::Identifier(_) | Kind::ColonColon) {
            name = Some(self.qualified_name()?.0);
        }
        let is_final =
            self.is_text("final") && matches!(self.kind_at(1), Kind::Punct(Punct::LeftBrace | Punct::Colon));
        if is_final {
            self.skip();
        }
        let defines = self.is(Punct::LeftBrace) || self.is(Punct::Colon) && name.is_some();
        let is_base_list = self.is(Punct::LeftBrace) || self.looks_like_bases();
        let defines = defines && is_base_list;
        if name.is_none() && !defines {
            return Err(self.expected("a name or '{' for the class"));
        }
        let symbol = match name.as_ref().map(|name| &name.last().id) {
            Some(Id::Name(symbol)) => Some(*symbol),
            _ => None,
        };
        let is_specialization = name.as_ref().is_some_and(|name| name.last().arguments.is_some());
        let is_qualified = name.as_ref().is_some_and(|name| name.is_qualified());
        let known = match (&name, symbol) {
            (Some(name), Some(symbol)) if is_qualified => {
                self.prefix_scope(name).and_then(|scope| self.names.find_in(scope, symbol))
            }
            (_, Some(symbol)) if defines || is_template => {
                let home = if is_template { self.names.parent() } else { None };
                self.names.find_in(home.unwrap_or(self.names.current()), symbol)
            }
            (_, Some(symbol)) => self.names.find(symbol),
            _ => None,
        };
        let mut primary = None;
        if is_specialization {
            let named = TypeSpecifier::Named(name.clone().expect("it has arguments"));
            primary = self.scope_of_type(&named);
        }
        if let Some(primary) = primary {
            self.names.mark_specialized(primary);
        }
        let mut scope = match known {
            Some(Meaning::Type(Some(scope)) | Meaning::TypeTemplate(Some(scope))) if !is_specialization => {
                Some(scope)
            }
            _ => None,
        };
        if scope.is_none() && (defines || known.is_none() || is_template) {
            let inner = match name.as_ref().filter(|_| is_qualified).and_then(|name| self.prefix_scope(name))
            {
                Some(member) => self.names.inner_with(member),
                None => self.names.inner(),
            };
            scope = Some(inner);
            if let Some(primary) = primary {
                self.names.add_specialization(primary, inner);
            }
            if is_template || is_specialization {
                self.names.mark_template(inner);
            }
            let meaning =
                if is_template { Meaning::TypeTemplate(Some(inner)) } else { Meaning::Type(Some(inner)) };
            if let (Some(symbol), false, false) = (symbol, is_specialization, is_qualified) {
                self.declare_entity(symbol, meaning, is_template);
            }
        } else if let (Some(existing), true) = (scope, defines && is_template) {
            // The parameters may have other names here than in the first declaration.
            let here = self.names.current();
            self.names.add_also(existing, here);
        }
        let mut body = None;
        if let (true, Some(scope)) = (defines, scope) {
            if let Some(name) = name.as_ref().and_then(|name| name.plain()) {
                self.note_shadow(name);
            }
            if let Some(symbol) = symbol {
                let is_any_template = is_template || is_specialization;
                let meaning = if is_any_template {
                    Meaning::TypeTemplate(Some(scope))
                } else {
                    Meaning::Type(Some(scope))
                };
                self.names.declare_in(scope, symbol, meaning);
            }
            body = Some(self.class_body(key, symbol, scope)?);
            self.attributes(&mut attributes)?;
            if name.is_none() && self.is(Punct::Semicolon) {
                // The members of an anonymous union belong to what is around it.
                let around = self.names.current();
                self.names.add_also(around, scope);
            }
        }
        let span = self.from(start);
        let pack = self.pack.last().copied().flatten();
        Ok(TypeSpecifier::Class(Rc::new(ClassSpecifier {
            key,
            name,
            attributes,
            is_final,
            pack,
            body,
            span,
        })))
    }

    /// Whether `:` begins base classes, and not the width of a bit-field or a range.
    fn looks_like_bases(&self) -> bool {
        matches!(
            self.kind_at(1),
            Kind::Word(Word::Public | Word::Protected | Word::Virtual | Word::Typename | Word::Decltype)
                | Kind::Keyword(Keyword::Private)
                | Kind::Identifier(_)
                | Kind::ColonColon
        )
    }

    fn class_body(
        &mut self,
        key: ClassKey,
        symbol: Option<crate::symbol::Symbol>,
        scope: super::names::ScopeId,
    ) -> Parsed<ClassBody> {
        let mut body = ClassBody::default();
        if self.eat(Punct::Colon) {
            loop {
                body.bases.push(self.base(scope)?);
                if !self.eat(Punct::Comma) {
                    break;
                }
            }
        }
        self.expect(Punct::LeftBrace)?;
        self.class_depth += 1;
        self.class_names.push(symbol);
        self.class_scopes.push(scope);
        let outer = self.names.go(scope);
        let arguments = std::mem::replace(&mut self.in_template_arguments, false);
        let waiting = if self.class_depth == 1 { std::mem::take(&mut self.later) } else { Vec::new() };
        let default = if key == ClassKey::Class { Access::Private } else { Access::Public };
        self.members(default, &mut body);
        self.in_template_arguments = arguments;
        if self.class_depth == 1 {
            // What was parsed so far knew only the members before it.
            let end = self.at;
            for work in std::mem::replace(&mut self.later, waiting) {
                work(self);
            }
            self.at = end;
        }
        self.names.go(outer);
        self.class_scopes.pop();
        self.class_names.pop();
        self.class_depth -= 1;
        self.expect(Punct::RightBrace)?;
        Ok(body)
    }

    fn base(&mut self, scope: super::names::ScopeId) -> Parsed<Base> {
        let (start, at) = (self.span(), self.at);
        let (mut access, mut is_virtual) = (None, None);
        loop {
            match self.kind() {
                Kind::Word(Word::Public) => access = Some(Access::Public),
                Kind::Word(Word::Protected) => access = Some(Access::Protected),
                Kind::Keyword(Keyword::Private) => access = Some(Access::Private),
                Kind::Word(Word::Virtual) => is_virtual = Some(self.span()),
                _ => break,
            }
            self.skip();
        }
        let ty = self.class_name()?;
        let names = self.names_since(at);
        self.note_base(scope, &ty, &names);
        let expansion = self.eat_expansion(at);
        Ok(Base { ty, access, is_virtual, names, expansion, span: self.from(start) })
    }

    fn members(&mut self, default: Access, body: &mut ClassBody) {
        let mut access = default;
        while !matches!(self.kind(), Kind::End | Kind::Punct(Punct::RightBrace)) {
            let specifier = match self.kind() {
                Kind::Word(Word::Public) => Some(Access::Public),
                Kind::Word(Word::Protected) => Some(Access::Protected),
                Kind::Keyword(Keyword::Private) if self.kind_at(1) == Kind::Punct(Punct::Colon) => {
                    Some(Access::Private)
                }
                _ => None,
            };
            if let Some(specifier) = specifier
                && self.kind_at(1) == Kind::Punct(Punct::Colon)
            {
                access = specifier;
                self.skip();
                self.skip();
                continue;
            }
            let (before, scope) = (self.at, self.names.current());
            match self.declaration() {
                Ok(member) => body.members.push((access, member)),
                Err(fault) => {
                    self.names.go(scope);
                    self.is_template = false;
                    self.give_up(*fault, before);
                }
            }
        }
    }
}
