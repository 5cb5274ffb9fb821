//! Declarations ([dcl.dcl]).

use super::declarator::Place;
use super::names::Meaning;
use super::{Parsed, Parser};
use crate::ast::Name;
use crate::cxx::ast::{
    Attribute, Decl, DeclKind, Declarator, Derived, EnumSpecifier, FunctionBody, FunctionDecl, Id,
    InitDeclarator, Initializer, Specifiers, TypeSpecifier,
};
use crate::cxx::tokens::{Kind, Word};
use crate::symbol::Symbol;
use crate::token::{Keyword, Punct};
use std::cell::OnceCell;
use std::rc::Rc;

impl Parser<'_> {
    pub(super) fn declaration(&mut self) -> Parsed<Rc<Decl>> {
        self.nested(Self::declaration_inner)
    }

    fn declaration_inner(&mut self) -> Parsed<Rc<Decl>> {
        let start = self.span();
        let kind = match self.kind() {
            Kind::Punct(Punct::Semicolon) => {
                self.skip();
                DeclKind::Empty
            }
            Kind::Pragma(pragma) => {
                self.skip();
                if let crate::token::Pragma::Pack(pack) = pragma {
                    self.pack = vec![pack];
                }
                DeclKind::Pragma(pragma)
            }
            Kind::Word(Word::Namespace) => self.namespace(false)?,
            Kind::Keyword(Keyword::Inline) if self.kind_at(1) == Kind::Word(Word::Namespace) => {
                self.skip();
                self.namespace(true)?
            }
            Kind::Word(Word::Using) => self.using()?,
            Kind::Word(Word::StaticAssert) | Kind::Keyword(Keyword::StaticAssert) => self.static_assert()?,
            Kind::Word(Word::Template) => self.template()?,
            Kind::Keyword(Keyword::Extern) if self.kind_at(1) == Kind::Word(Word::Template) => {
                self.skip();
                self.template()?
            }
            Kind::Keyword(Keyword::Extern) if matches!(self.kind_at(1), Kind::Str(_)) => {
                self.skip();
                self.skip();
                let mut decls = Vec::new();
                if self.eat(Punct::LeftBrace) {
                    self.declarations(&mut decls);
                    self.expect(Punct::RightBrace)?;
                } else {
                    decls.push(self.declaration()?);
                }
                DeclKind::Linkage(decls)
            }
            Kind::Keyword(Keyword::Asm) => {
                return self.fault(start, "inline assembly is not supported in C++ for OpenCL");
            }
            _ => self.simple()?,
        };
        Ok(Rc::new(Decl { kind, span: self.from(start) }))
    }

    fn namespace(&mut self, is_inline: bool) -> Parsed<DeclKind> {
        self.skip();
        let mut attributes: Vec<Attribute> = Vec::new();
        self.attributes(&mut attributes)?;
        let outer = self.names.current();
        let mut names = Vec::new();
        if self.peek_identifier().is_some() {
            names.push(self.identifier()?);
            if self.eat(Punct::Equal) {
                let (target, meaning) = self.qualified_name()?;
                self.expect(Punct::Semicolon)?;
                if let Some(meaning) = meaning {
                    self.names.declare(names[0].symbol, meaning);
                }
                return Ok(DeclKind::NamespaceAlias { name: names[0], target });
            }
            while self.kind() == Kind::ColonColon {
                self.skip();
                self.eat_keyword(Keyword::Inline);
                names.push(self.identifier()?);
            }
        }
        self.expect(Punct::LeftBrace)?;
        if names.is_empty() {
            let inner = self.names.inner();
            self.names.add_also(outer, inner);
            self.names.go(inner);
        }
        for name in &names {
            let current = self.names.current();
            let inner = match self.names.find_in(current, name.symbol) {
                Some(Meaning::Namespace(scope)) => scope,
                _ => self.names.inner(),
            };
            self.names.declare(name.symbol, Meaning::Namespace(inner));
            if is_inline {
                self.names.add_also(current, inner);
            }
            self.names.go(inner);
        }
        let mut decls = Vec::new();
        self.declarations(&mut decls);
        self.names.go(outer);
        self.expect(Punct::RightBrace)?;
        Ok(DeclKind::Namespace { names, is_inline, decls })
    }

    fn using(&mut self) -> Parsed<DeclKind> {
        self.skip();
        if self.eat_word(Word::Namespace) {
            let (name, meaning) = self.qualified_name()?;
            self.expect(Punct::Semicolon)?;
            if let Some(Meaning::Namespace(scope)) = meaning {
                let current = self.names.current();
                self.names.add_also(current, scope);
            }
            return Ok(DeclKind::UsingNamespace(name));
        }
        if self.peek_identifier().is_some()
            && matches!(
                self.kind_at(1),
                Kind::Punct(Punct::Equal | Punct::LeftBracket) | Kind::Keyword(Keyword::Attribute)
            )
        {
            let name = self.identifier()?;
            let mut attributes = Vec::new();
            self.attributes(&mut attributes)?;
            self.expect(Punct::Equal)?;
            let is_template = std::mem::take(&mut self.is_template);
            let ty = self.type_name()?;
            self.expect(Punct::Semicolon)?;
            let scope =
                if ty.declarator.derived.is_empty() { self.scope_of_type(&ty.specifiers.ty) } else { None };
            let meaning = if is_template { Meaning::TypeTemplate(scope) } else { Meaning::Type(scope) };
            self.declare_entity(name.symbol, meaning, is_template);
            self.note_shadow(name);
            return Ok(DeclKind::Alias { name, ty });
        }
        let mut list = Vec::new();
        loop {
            let at = self.at;
            let is_typename = self.eat_word(Word::Typename);
            let (name, meaning) = self.qualified_name()?;
            let expansion = self.eat_expansion(at);
            if let Id::Name(symbol) = name.last().id
                && !self.names_constructor(&name)
            {
                let default = if is_typename { Meaning::Type(None) } else { Meaning::Value };
                self.names.declare(symbol, meaning.unwrap_or(default));
            }
            list.push((name, expansion));
            if !self.eat(Punct::Comma) {
                break;
            }
        }
        self.expect(Punct::Semicolon)?;
        Ok(DeclKind::Using(list))
    }

    /// Declares a name; a template's name belongs to the scope around its parameters.
    pub(super) fn declare_entity(&mut self, name: Symbol, meaning: Meaning, is_template: bool) {
        if is_template && meaning == Meaning::ValueTemplate && self.class_depth > 0 {
            self.names.add_member_template(name);
        }
        match is_template.then(|| self.names.parent()).flatten() {
            Some(outer) => self.names.declare_in(outer, name, meaning),
            None => self.names.declare(name, meaning),
        }
    }

    pub(super) fn static_assert(&mut self) -> Parsed<DeclKind> {
        self.skip();
        self.expect(Punct::LeftParen)?;
        let condition = self.in_brackets(Self::conditional_expression)?;
        let mut message = None;
        if self.eat(Punct::Comma) {
            let Kind::Str(_) = self.kind() else { return Err(self.expected("a string literal")) };
            let bytes = self.string_bytes();
            message = Some(String::from_utf8_lossy(&bytes).into_owned());
        }
        self.expect(Punct::RightParen)?;
        self.expect(Punct::Semicolon)?;
        Ok(DeclKind::StaticAssert { condition, message })
    }

    /// Variables, functions and types.
    fn simple(&mut self) -> Parsed<DeclKind> {
        if let Some(guide) = self.deduction_guide()? {
            return Ok(guide);
        }
        let is_template = self.is_template;
        let mut attributes = Vec::new();
        self.attributes(&mut attributes)?;
        let mut specifiers = self.specifiers()?;
        self.is_template = false;
        specifiers.attributes.extend(attributes);
        if self.eat(Punct::Semicolon) {
            return Ok(DeclKind::Simple { specifiers: Rc::new(specifiers), declarators: Vec::new() });
        }
        if matches!(specifiers.ty, TypeSpecifier::Auto)
            && let Some(bindings) = self.bindings(&specifiers)?
        {
            return Ok(bindings);
        }
        self.check_declares(&specifiers)?;
        let specifiers = Rc::new(specifiers);
        let mut declarators = Vec::new();
        loop {
            if self.is(Punct::Colon) && self.class_depth > 0 {
                // An unnamed bit-field.
                let span = self.span();
                return self.fault(span, "bit-fields are not supported in OpenCL (OpenCL C §6.9 c)");
            }
            let declarator = self.declarator(Place::Named)?;
            self.declare_declarator(&specifiers, &declarator, is_template);
            if declarators.is_empty()
                && let Some(function) = self.function(&specifiers, &declarator)?
            {
                return Ok(DeclKind::Function(Rc::new(function)));
            }
            let mut bit_field = None;
            if self.is(Punct::Colon) && self.class_depth > 0 {
                bit_field = Some(self.span());
                self.skip();
                self.conditional_expression()?;
            }
            let is_member = self.is_member_scope();
            let initializer = match declarator.name.as_ref().is_some_and(|name| name.is_qualified()) {
                // The members of its class are not looked up here.
                true => self.without_notes(|parser| parser.declared_initializer(is_member))?,
                false => self.declared_initializer(is_member)?,
            };
            declarators.push(InitDeclarator { declarator, initializer, bit_field });
            if !self.eat(Punct::Comma) {
                break;
            }
        }
        if self.is(Punct::LeftBrace) && declarators.len() == 1 {
            let what = "a function's body needs a list of parameters before it";
            return self.fault(self.span(), format!("expected ';' after the declaration: {what}"));
        }
        self.expect(Punct::Semicolon)?;
        Ok(DeclKind::Simple { specifiers, declarators })
    }

    /// Reports a declaration without a type, unless it may be a constructor or the like.
    fn check_declares(&self, specifiers: &Specifiers) -> Parsed<()> {
        if !matches!(specifiers.ty, TypeSpecifier::None) {
            return Ok(());
        }
        let names_special = match self.kind() {
            Kind::Punct(Punct::Tilde) | Kind::Word(Word::Operator) => true,
            Kind::Identifier(symbol) => {
                let meaning = self.names.find(symbol);
                if meaning.is_none() && self.kind_at(1) != Kind::ColonColon {
                    let text = self.text_of(symbol).to_owned();
                    return self.fault(self.span(), format!("unknown type name '{text}'"));
                }
                matches!(self.kind_at(1), Kind::Punct(Punct::LeftParen | Punct::Less) | Kind::ColonColon)
            }
            Kind::ColonColon => true,
            _ => false,
        };
        if names_special {
            return Ok(());
        }
        Err(self.expected("a declaration"))
    }

    /// Whether the scope is directly that of a class.
    pub(super) fn is_member_scope(&self) -> bool {
        self.class_depth > 0 && self.class_scopes.last() == Some(&self.names.current())
    }

    fn declare_declarator(&mut self, specifiers: &Specifiers, declarator: &Declarator, is_template: bool) {
        let Some(name) = &declarator.name else { return };
        if name.is_qualified() || specifiers.is_friend.is_some() {
            return;
        }
        let Id::Name(symbol) = name.last().id else { return };
        self.note_shadow(Name { symbol, span: name.span });
        let meaning = if specifiers.is_typedef {
            let plain = declarator.derived.is_empty();
            Meaning::Type(if plain { self.scope_of_type(&specifiers.ty) } else { None })
        } else if is_template {
            Meaning::ValueTemplate
        } else {
            Meaning::Value
        };
        // The name of a constructor stays the name of its class.
        if matches!(specifiers.ty, TypeSpecifier::None) {
            return;
        }
        self.declare_entity(symbol, meaning, is_template);
    }

    /// `auto [a, b] = e;`
    fn bindings(&mut self, specifiers: &Specifiers) -> Parsed<Option<DeclKind>> {
        let reference = match self.kind() {
            Kind::Punct(Punct::Ampersand) => Some(false),
            Kind::Punct(Punct::AndAnd) => Some(true),
            _ => None,
        };
        let offset = usize::from(reference.is_some());
        if self.kind_at(offset) != Kind::Punct(Punct::LeftBracket) {
            return Ok(None);
        }
        if reference.is_some() {
            self.skip();
        }
        self.skip();
        let mut names = vec![self.identifier()?];
        while self.eat(Punct::Comma) {
            names.push(self.identifier()?);
        }
        self.expect(Punct::RightBracket)?;
        for name in &names {
            self.declare_local(*name);
        }
        let specifiers = Rc::new(specifiers.clone());
        // `for (auto [a, b] : range)`
        if self.is(Punct::Colon) {
            let initializer = Initializer::Paren(Vec::new(), self.span());
            return Ok(Some(DeclKind::Bindings { specifiers, reference, names, initializer }));
        }
        let Some(initializer) = self.initializer()? else {
            return self.fault(self.span(), "a structured binding needs an initializer");
        };
        self.expect(Punct::Semicolon)?;
        Ok(Some(DeclKind::Bindings { specifiers, reference, names, initializer }))
    }

    /// `A(T) -> A<T>;`
    fn deduction_guide(&mut self) -> Parsed<Option<DeclKind>> {
        let is_explicit = self.is_word(Word::Explicit);
        let offset = usize::from(is_explicit);
        let Kind::Identifier(symbol) = self.kind_at(offset) else { return Ok(None) };
        let is_guide = matches!(self.names.find(symbol), Some(Meaning::TypeTemplate(_)))
            && self.kind_at(offset + 1) == Kind::Punct(Punct::LeftParen)
            && self.class_names.last() != Some(&Some(symbol));
        if !is_guide {
            return Ok(None);
        }
        let guide = self.attempt(|parser| {
            if is_explicit {
                parser.skip();
            }
            let name = parser.identifier()?;
            let suffix = parser.function_suffix()?;
            if suffix.trailing.is_none() {
                return Err(parser.expected("'->'"));
            }
            parser.expect(Punct::Semicolon)?;
            Ok((name, suffix))
        });
        let Some((name, mut suffix)) = guide else { return Ok(None) };
        self.is_template = false;
        let target = suffix.trailing.take().expect("checked above");
        Ok(Some(DeclKind::DeductionGuide { name, suffix: Rc::new(suffix), target, is_explicit }))
    }

    /// A function's body, if one follows its declarator; a declaration in a class, too.
    fn function(
        &mut self,
        specifiers: &Rc<Specifiers>,
        declarator: &Declarator,
    ) -> Parsed<Option<FunctionDecl>> {
        if !matches!(declarator.derived.first(), Some(Derived::Function(_))) || specifiers.is_typedef {
            return Ok(None);
        }
        let mut virtual_specifier = None;
        while self.is_text("override") || self.is_text("final") {
            virtual_specifier = Some(self.span());
            self.skip();
        }
        let mut result = FunctionDecl {
            specifiers: specifiers.clone(),
            declarator: declarator.clone(),
            body: None,
            virtual_specifier,
            pure: None,
        };
        match self.kind() {
            Kind::Punct(Punct::LeftBrace | Punct::Colon) | Kind::Word(Word::Try) => {
                let body = self.function_body(declarator)?;
                result.body = Some(FunctionBody::Statements(body));
            }
            Kind::Punct(Punct::Equal) => {
                let body = match self.kind_at(1) {
                    Kind::Keyword(Keyword::Default) => Some(FunctionBody::Default),
                    Kind::Word(Word::Delete) => Some(FunctionBody::Delete),
                    Kind::Int(0, _) => {
                        result.pure = Some(self.span());
                        None
                    }
                    _ => return Err(self.expected("';'")),
                };
                self.skip();
                self.skip();
                self.expect(Punct::Semicolon)?;
                result.body = body;
            }
            Kind::Punct(Punct::Semicolon) => self.skip(),
            Kind::Punct(Punct::Comma) => return Ok(None),
            _ => return Err(self.expected("';'")),
        }
        Ok(Some(result))
    }

    /// The initialiser after a declarator; of a member it is parsed at the end of the class.
    fn declared_initializer(&mut self, is_member: bool) -> Parsed<Option<Rc<OnceCell<Initializer>>>> {
        if is_member && (self.is(Punct::Equal) || self.is(Punct::LeftBrace)) {
            return self.member_initializer_later().map(Some);
        }
        Ok(self.initializer()?.map(|initializer| {
            let cell = OnceCell::new();
            _ = cell.set(initializer);
            Rc::new(cell)
        }))
    }

    /// `enum`.
    pub(super) fn enum_specifier(&mut self) -> Parsed<TypeSpecifier> {
        self.skip();
        let is_scoped = self.is_word(Word::Class) || self.is_keyword(Keyword::Struct);
        if is_scoped {
            self.skip();
        }
        let mut attributes = Vec::new();
        self.attributes(&mut attributes)?;
        let name = match self.kind() {
            Kind::Identifier(_) | Kind::ColonColon => Some(self.qualified_name()?.0),
            _ => None,
        };
        let underlying = match self.kind() {
            Kind::Punct(Punct::Colon) => {
                self.skip();
                Some(self.type_name()?)
            }
            _ => None,
        };
        let plain = name.as_ref().and_then(|name| name.plain());
        let scope = self.names.inner();
        if let Some(name) = plain {
            let known = matches!(self.names.find(name.symbol), Some(Meaning::Type(Some(_))));
            if self.is(Punct::LeftBrace) || underlying.is_some() || is_scoped || !known {
                self.names.declare(name.symbol, Meaning::Type(Some(scope)));
            }
        }
        let mut enumerators = None;
        if self.eat(Punct::LeftBrace) {
            enumerators = Some(self.in_brackets(|parser| parser.enumerators(scope, is_scoped))?);
            self.expect(Punct::RightBrace)?;
            self.attributes(&mut attributes)?;
        } else if name.is_none() {
            return Err(self.expected("identifier or '{'"));
        }
        let is_packed = attributes.iter().any(|attribute| attribute.name == "packed");
        let specifier = EnumSpecifier { is_scoped, is_packed, name, underlying, enumerators };
        Ok(TypeSpecifier::Enum(Rc::new(specifier)))
    }

    fn enumerators(
        &mut self,
        scope: super::names::ScopeId,
        is_scoped: bool,
    ) -> Parsed<Vec<(Name, Option<crate::cxx::ast::Expr>)>> {
        let mut list = Vec::new();
        let outer = self.names.current();
        while !self.is(Punct::RightBrace) {
            let name = self.identifier()?;
            let mut attributes = Vec::new();
            self.attributes(&mut attributes)?;
            let value = if self.eat(Punct::Equal) {
                if is_scoped {
                    self.names.go(scope);
                }
                let value = self.conditional_expression();
                self.names.go(outer);
                Some(value?)
            } else {
                None
            };
            self.names.declare_in(scope, name.symbol, Meaning::Value);
            if !is_scoped {
                self.declare_local(name);
            }
            list.push((name, value));
            if !self.eat(Punct::Comma) {
                break;
            }
        }
        Ok(list)
    }

    /// The bytes of adjacent string literals.
    pub(super) fn string_bytes(&mut self) -> Vec<u8> {
        let mut bytes = Vec::new();
        while let Kind::Str(symbol) = self.kind() {
            bytes.extend(self.text_of(symbol).chars().map(|c| c as u32 as u8));
            self.skip();
        }
        bytes
    }
}
