//! Declarators, type names and parameters ([dcl.decl]).

use super::names::Meaning;
use super::{Parsed, Parser};
use crate::cxx::ast::{
    Declarator, Derived, FunctionSuffix, Param, Qualifiers, Specifiers, TypeName, TypeSpecifier,
};
use crate::cxx::tokens::{Kind, Word};
use crate::token::{Keyword, Punct};
use std::cell::OnceCell;
use std::rc::Rc;

/// What is said of blocks.
pub(super) const BLOCKS: &str = "blocks are not supported in C++ for OpenCL (§2.1): use a lambda expression";

/// Where a declarator stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Place {
    /// A name must be there.
    Named,
    /// No name may be there.
    Abstract,
    /// A parameter.
    Parameter,
    /// The type after `operator`: only pointers and references.
    Conversion,
}

impl Parser<'_> {
    /// A type without a name.
    pub(super) fn type_name(&mut self) -> Parsed<TypeName> {
        let start = self.span();
        let specifiers = self.type_specifiers()?;
        self.check_type(&specifiers)?;
        let declarator = self.declarator(Place::Abstract)?;
        Ok(TypeName { specifiers: Rc::new(specifiers), declarator, span: self.from(start) })
    }

    /// The type of a conversion function.
    pub(super) fn conversion_type(&mut self) -> Parsed<TypeName> {
        let start = self.span();
        let specifiers = self.type_specifiers()?;
        self.check_type(&specifiers)?;
        let declarator = self.declarator(Place::Conversion)?;
        Ok(TypeName { specifiers: Rc::new(specifiers), declarator, span: self.from(start) })
    }

    fn check_type(&self, specifiers: &Specifiers) -> Parsed<()> {
        if matches!(specifiers.ty, TypeSpecifier::None) {
            if let Some(symbol) = self.peek_identifier()
                && self.names.find(symbol).is_none()
            {
                let text = self.text_of(symbol).to_owned();
                return self.fault(self.span(), format!("unknown type name '{text}'"));
            }
            return Err(self.expected("a type"));
        }
        Ok(())
    }

    pub(super) fn declarator(&mut self, place: Place) -> Parsed<Declarator> {
        self.nested(|parser| parser.declarator_inner(place))
    }

    fn declarator_inner(&mut self, place: Place) -> Parsed<Declarator> {
        let start = self.span();
        let mut pointers = Vec::new();
        while let Some(pointer) = self.pointer_operator()? {
            pointers.push(pointer);
        }
        let mut result =
            Declarator { name: None, pack: None, derived: Vec::new(), attributes: Vec::new(), span: start };
        if place != Place::Conversion {
            self.direct_declarator(place, &mut result)?;
        }
        pointers.reverse();
        result.derived.extend(pointers);
        result.span = self.from(start);
        Ok(result)
    }

    fn pointer_operator(&mut self) -> Parsed<Option<Derived>> {
        let span = self.span();
        match self.kind() {
            Kind::Punct(Punct::Star) => {
                self.skip();
                let mut qualifiers = Qualifiers::default();
                while self.qualifier(&mut qualifiers) {}
                Ok(Some(Derived::Pointer(qualifiers, self.from(span))))
            }
            Kind::Punct(punct @ (Punct::Ampersand | Punct::AndAnd)) => {
                self.skip();
                let mut qualifiers = Qualifiers::default();
                while self.qualifier(&mut qualifiers) {}
                Ok(Some(Derived::Reference { is_rvalue: punct == Punct::AndAnd, span: self.from(span) }))
            }
            Kind::Punct(Punct::Caret) => self.fault(span, BLOCKS),
            Kind::Identifier(_) | Kind::ColonColon => {
                // `C::*`
                let pointer = self.attempt(|parser| {
                    let (name, _) = parser.qualified_name()?;
                    if parser.kind() != Kind::ColonColon || parser.kind_at(1) != Kind::Punct(Punct::Star) {
                        return Err(parser.expected("'::*'"));
                    }
                    parser.skip();
                    parser.skip();
                    let mut qualifiers = Qualifiers::default();
                    while parser.qualifier(&mut qualifiers) {}
                    Ok((name, qualifiers))
                });
                Ok(pointer
                    .map(|(name, qualifiers)| Derived::MemberPointer(name, qualifiers, self.from(span))))
            }
            _ => Ok(None),
        }
    }

    fn direct_declarator(&mut self, place: Place, result: &mut Declarator) -> Parsed<()> {
        if self.is(Punct::Ellipsis) && matches!(place, Place::Named | Place::Parameter) {
            result.pack = Some(self.span());
            self.skip();
        }
        let mut scope = None;
        match self.kind() {
            Kind::Identifier(_) | Kind::ColonColon | Kind::Word(Word::Operator)
                if place != Place::Abstract =>
            {
                let (name, _) = self.qualified_name()?;
                scope = self.prefix_scope(&name);
                result.name = Some(name);
            }
            Kind::Punct(Punct::Tilde) if place == Place::Named => {
                let (name, _) = self.qualified_name()?;
                result.name = Some(name);
            }
            Kind::Punct(Punct::LeftParen) if self.is_nested_declarator(place) => {
                self.skip();
                let inner = self.declarator(place)?;
                self.expect(Punct::RightParen)?;
                result.name = inner.name;
                result.pack = result.pack.or(inner.pack);
                result.derived = inner.derived;
            }
            _ if place == Place::Named => return Err(self.expected("identifier or '('")),
            _ => {}
        }
        self.attributes(&mut result.attributes)?;
        // Parameters of a member that is defined outside see the members of its class.
        let outer = self.names.current();
        if let Some(scope) = scope {
            let inner = self.names.inner_with(scope);
            self.names.go(inner);
        }
        let name = result.name.clone();
        let suffixes = self.as_member_of(name.as_ref(), |parser| parser.suffixes(place, result));
        self.names.go(outer);
        suffixes
    }

    fn is_nested_declarator(&mut self, place: Place) -> bool {
        // `((*p))`
        let mut inner = 1;
        while self.kind_at(inner) == Kind::Punct(Punct::LeftParen) {
            inner += 1;
        }
        match self.kind_at(inner) {
            Kind::Punct(Punct::Star | Punct::Ampersand | Punct::AndAnd | Punct::Caret) => true,
            _ if inner > 1 => place == Place::Named,
            Kind::Punct(Punct::LeftBracket) => place == Place::Named,
            Kind::Identifier(symbol) => {
                let is_type = matches!(
                    self.names.find(symbol),
                    Some(Meaning::Type(_) | Meaning::TypeTemplate(_) | Meaning::Namespace(_))
                );
                if is_type {
                    // `(C::*p)`
                    return matches!(self.kind_at(2), Kind::ColonColon)
                        && self.kind_at(3) == Kind::Punct(Punct::Star);
                }
                place != Place::Abstract
            }
            _ => false,
        }
    }

    fn suffixes(&mut self, place: Place, result: &mut Declarator) -> Parsed<()> {
        loop {
            let span = self.span();
            match self.kind() {
                Kind::Punct(Punct::LeftBracket) if self.kind_at(1) != Kind::Punct(Punct::LeftBracket) => {
                    self.skip();
                    let size = if self.is(Punct::RightBracket) {
                        None
                    } else {
                        Some(Rc::new(self.in_brackets(Self::conditional_expression)?))
                    };
                    self.expect(Punct::RightBracket)?;
                    result.derived.push(Derived::Array(size, self.from(span)));
                }
                Kind::Punct(Punct::LeftParen) => {
                    // Parameters, or an initialiser, which is not read here.
                    let at = self.at;
                    if place == Place::Named && self.attempt(Self::function_suffix).is_none() {
                        return Ok(());
                    }
                    self.at = at;
                    let suffix = self.function_suffix()?;
                    result.derived.push(Derived::Function(Rc::new(suffix)));
                }
                _ => break,
            }
        }
        self.attributes(&mut result.attributes)?;
        if self.is_keyword(Keyword::Asm) {
            return self.fault(self.span(), "inline assembly is not supported in C++ for OpenCL");
        }
        Ok(())
    }

    /// Parameters and what follows them.
    pub(super) fn function_suffix(&mut self) -> Parsed<FunctionSuffix> {
        self.expect(Punct::LeftParen)?;
        let scope = self.names.inner();
        let outer = self.names.go(scope);
        let result = self.in_brackets(Self::suffix_in_scope);
        self.names.go(outer);
        result
    }

    fn suffix_in_scope(&mut self) -> Parsed<FunctionSuffix> {
        let mut params = Vec::new();
        let mut variadic = None;
        if self.is_keyword(Keyword::Void) && self.kind_at(1) == Kind::Punct(Punct::RightParen) {
            self.skip();
        }
        while !self.is(Punct::RightParen) {
            if self.is(Punct::Ellipsis) {
                variadic = Some(self.span());
                self.skip();
                break;
            }
            params.push(self.parameter()?);
            if !self.eat(Punct::Comma) {
                if self.is(Punct::Ellipsis) {
                    variadic = Some(self.span());
                    self.skip();
                }
                break;
            }
        }
        self.expect(Punct::RightParen)?;
        let mut qualifiers = Qualifiers::default();
        while self.qualifier(&mut qualifiers) {}
        let mut reference = None;
        if self.is(Punct::Ampersand) || self.is(Punct::AndAnd) {
            reference = Some(self.is(Punct::AndAnd));
            self.skip();
        }
        let mut throws = None;
        let noexcept = self.noexcept_specifier()?;
        if noexcept.is_none() && self.is_word(Word::Throw) {
            throws = Some(self.span());
            self.skip();
            self.skip_group();
        }
        let mut attributes = Vec::new();
        if !self.is_keyword(Keyword::Attribute) {
            self.attributes(&mut attributes)?;
        }
        let trailing = if self.eat(Punct::Arrow) { Some(self.type_name()?) } else { None };
        Ok(FunctionSuffix { params, variadic, qualifiers, reference, trailing, throws, noexcept })
    }

    pub(super) fn parameter(&mut self) -> Parsed<Param> {
        let (start, at) = (self.span(), self.at);
        let mut attributes = Vec::new();
        self.attributes(&mut attributes)?;
        let mut specifiers = self.type_specifiers()?;
        specifiers.attributes.extend(attributes);
        self.check_type(&specifiers)?;
        let declarator = self.declarator(Place::Parameter)?;
        if let Some(name) = declarator.name.as_ref().and_then(|name| name.plain()) {
            self.names.declare_param(name.symbol, Meaning::Value, declarator.pack.is_some());
            self.note_shadow(name);
        }
        let expansion = declarator.pack.map(|_| self.names_since(at));
        let mut default = None;
        if self.is(Punct::Equal) {
            if self.tentative > 0 && self.class_depth == 0 {
                // Whether these are parameters is still open.
                self.skip();
                let clause = self.initializer_clause()?;
                let cell = OnceCell::new();
                _ = cell.set(crate::cxx::ast::Initializer::Copy(Box::new(clause)));
                default = Some(Rc::new(cell));
            } else {
                default = Some(self.default_argument()?);
            }
        }
        Ok(Param { specifiers, declarator, default, expansion, span: self.from(start) })
    }
}
