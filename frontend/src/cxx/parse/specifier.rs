//! Specifiers and qualifiers ([dcl.spec]).

use super::names::Meaning;
use super::{Parsed, Parser};
use crate::ast::{AccessQualifier, AddressSpaceQualifier, BasicType};
use crate::cxx::ast::{Attribute, Qualifiers, Specifiers, TemplateArgument, TypeSpecifier};
use crate::cxx::tokens::{Kind, Word};
use crate::token::{Keyword, Punct};
use std::rc::Rc;

/// Keywords of arithmetic types, counted.
#[derive(Default)]
struct Basic {
    first: Option<Keyword>,
    long: u32,
    short: bool,
    signed: bool,
    unsigned: bool,
    any: bool,
}

impl Basic {
    fn take(&mut self, keyword: Keyword) -> bool {
        match keyword {
            Keyword::Long => self.long += 1,
            Keyword::Short => self.short = true,
            Keyword::Signed => self.signed = true,
            Keyword::Unsigned => self.unsigned = true,
            Keyword::Char
            | Keyword::Int
            | Keyword::Float
            | Keyword::Double
            | Keyword::Half
            | Keyword::Void
            | Keyword::Bool => {
                if self.first.is_some() {
                    return false;
                }
                self.first = Some(keyword);
            }
            _ => return false,
        }
        self.any = true;
        true
    }

    fn ty(&self) -> Option<BasicType> {
        let plain = !self.signed && !self.unsigned && !self.short && self.long == 0;
        Some(match self.first {
            Some(Keyword::Void) if plain => BasicType::Void,
            Some(Keyword::Bool) if plain => BasicType::Bool,
            Some(Keyword::Half) if plain => BasicType::Half,
            Some(Keyword::Float) if plain => BasicType::Float,
            Some(Keyword::Double) if plain => BasicType::Double,
            // `long double` has 64 bits, as on GPUs: literal operators take it ([over.literal]/3).
            Some(Keyword::Double) if self.long == 1 && !self.short && !self.signed && !self.unsigned => {
                BasicType::Double
            }
            Some(Keyword::Char) if self.long == 0 && !self.short => {
                if self.unsigned {
                    BasicType::UChar
                } else {
                    BasicType::Char
                }
            }
            Some(Keyword::Int) | None if self.signed && self.unsigned => return None,
            Some(Keyword::Int) | None => match (self.short, self.long, self.unsigned) {
                (true, 0, false) => BasicType::Short,
                (true, 0, true) => BasicType::UShort,
                (false, 0, false) => BasicType::Int,
                (false, 0, true) => BasicType::UInt,
                (false, 1 | 2, false) => BasicType::Long,
                (false, 1 | 2, true) => BasicType::ULong,
                _ => return None,
            },
            _ => return None,
        })
    }
}

impl Parser<'_> {
    /// Specifiers of a declaration, with everything that may stand there.
    pub(super) fn specifiers(&mut self) -> Parsed<Specifiers> {
        self.nested(|parser| parser.specifiers_of(true))
    }

    /// Only types and qualifiers: a type name, a parameter.
    pub(super) fn type_specifiers(&mut self) -> Parsed<Specifiers> {
        self.nested(|parser| parser.specifiers_of(false))
    }

    fn specifiers_of(&mut self, is_declaration: bool) -> Parsed<Specifiers> {
        let start = self.span();
        let mut result = Specifiers::of(TypeSpecifier::None, start);
        let mut basic = Basic::default();
        loop {
            let span = self.span();
            if self.qualifier(&mut result.qualifiers) {
                continue;
            }
            let has_type = basic.any || !matches!(result.ty, TypeSpecifier::None);
            match self.kind() {
                Kind::Keyword(Keyword::Typedef) => result.is_typedef = true,
                Kind::Keyword(Keyword::Static | Keyword::Extern)
                    if result.is_static.or(result.is_extern).is_some() =>
                {
                    return self.fault(span, "a declaration has at most one of 'static' and 'extern'");
                }
                Kind::Keyword(Keyword::Static) => result.is_static = Some(span),
                Kind::Keyword(Keyword::Extern) => result.is_extern = Some(span),
                Kind::Keyword(Keyword::Inline) => result.is_inline = true,
                Kind::Keyword(Keyword::Register) => {
                    return self.fault(span, "C++17 does not allow the storage class specifier 'register'");
                }
                Kind::Keyword(Keyword::Extension) => {}
                Kind::Word(Word::Constexpr) => result.is_constexpr = Some(span),
                Kind::Word(Word::Friend) => result.is_friend = Some(span),
                Kind::Word(Word::Mutable) => result.is_mutable = Some(span),
                Kind::Word(Word::Virtual) => result.is_virtual = Some(span),
                Kind::Keyword(Keyword::Kernel) => result.is_kernel = Some(span),
                Kind::Word(Word::Explicit) => result.is_explicit = true,
                Kind::Word(Word::ThreadLocal) => {
                    return self
                        .fault(span, "thread-local storage is not supported in C++ for OpenCL (§2.1)");
                }
                Kind::Keyword(Keyword::Attribute)
                | Kind::Word(Word::Alignas)
                | Kind::Punct(Punct::LeftBracket) => {
                    if !self.attributes(&mut result.attributes)? {
                        break;
                    }
                    continue;
                }
                Kind::Keyword(Keyword::Auto) if !has_type => {
                    result.ty = TypeSpecifier::Auto;
                    result.ty_span = span;
                }
                Kind::Keyword(keyword) if basic.any || !has_type => {
                    if basic.take(keyword) {
                        result.ty_span =
                            if basic.any && has_type { self.joined(result.ty_span, span) } else { span };
                    } else if has_type {
                        break;
                    } else if let Some(ty) = self.elaborated()? {
                        result.ty = ty;
                        result.ty_span = self.from(span);
                        continue;
                    } else {
                        break;
                    }
                }
                Kind::Word(word) if !has_type => {
                    let Some(ty) = self.word_type(word)? else { break };
                    result.ty = ty;
                    result.ty_span = self.from(span);
                    continue;
                }
                Kind::Identifier(_) | Kind::ColonColon if !has_type => {
                    let Some(ty) = self.named_type(is_declaration)? else { break };
                    result.ty = ty;
                    result.ty_span = self.from(span);
                    continue;
                }
                _ => break,
            }
            self.skip();
        }
        if basic.any {
            let Some(ty) = basic.ty() else {
                return self.fault(result.ty_span, "this combination of type specifiers is not a type");
            };
            result.ty = TypeSpecifier::Basic(ty);
            result.is_longest = basic.long == 2 || basic.long == 1 && ty == BasicType::Double;
        }
        result.span = self.from(start);
        Ok(result)
    }

    fn joined(&self, a: crate::Span, b: crate::Span) -> crate::Span {
        crate::Span::new(a.start.min(b.start), a.end.max(b.end))
    }

    /// A qualifier, if one is next.
    pub(super) fn qualifier(&mut self, qualifiers: &mut Qualifiers) -> bool {
        let span = self.span();
        let Kind::Keyword(keyword) = self.kind() else { return false };
        // `private:` begins a part of a class.
        if keyword == Keyword::Private
            && self.kind_at(1) == Kind::Punct(Punct::Colon)
            && self.is_member_scope()
            && self.kind_before() != Some(Kind::Punct(Punct::RightParen))
        {
            return false;
        }
        match keyword {
            Keyword::Const => qualifiers.is_const = true,
            Keyword::Volatile => qualifiers.is_volatile = true,
            Keyword::Restrict => qualifiers.restrict = Some(span),
            Keyword::Global => qualifiers.spaces.push((AddressSpaceQualifier::Global, span)),
            Keyword::Local => qualifiers.spaces.push((AddressSpaceQualifier::Local, span)),
            Keyword::Constant => qualifiers.spaces.push((AddressSpaceQualifier::Constant, span)),
            Keyword::Private => qualifiers.spaces.push((AddressSpaceQualifier::Private, span)),
            Keyword::Generic => qualifiers.spaces.push((AddressSpaceQualifier::Generic, span)),
            Keyword::ReadOnly => qualifiers.access.push((AccessQualifier::ReadOnly, span)),
            Keyword::WriteOnly => qualifiers.access.push((AccessQualifier::WriteOnly, span)),
            Keyword::ReadWrite => qualifiers.access.push((AccessQualifier::ReadWrite, span)),
            _ => return false,
        }
        self.skip();
        true
    }

    /// `class`, `struct`, `union`, `enum`, `typeof`, `pipe`.
    fn elaborated(&mut self) -> Parsed<Option<TypeSpecifier>> {
        Ok(Some(match self.kind() {
            Kind::Keyword(Keyword::Struct | Keyword::Union) => self.class_specifier()?,
            Kind::Keyword(Keyword::Enum) => self.enum_specifier()?,
            Kind::Keyword(Keyword::Typeof) => {
                self.skip();
                self.expect(Punct::LeftParen)?;
                let ty = self.attempt(|parser| {
                    let ty = parser.in_brackets(Self::type_name)?;
                    parser.expect(Punct::RightParen)?;
                    Ok(ty)
                });
                match ty {
                    Some(ty) => TypeSpecifier::Typeof(Rc::new(ty)),
                    None => {
                        let expr = self.unevaluated(|parser| parser.in_brackets(Self::expression))?;
                        self.expect(Punct::RightParen)?;
                        TypeSpecifier::Decltype(Rc::new(expr))
                    }
                }
            }
            Kind::Keyword(Keyword::Pipe) => {
                self.skip();
                TypeSpecifier::Pipe(Rc::new(self.type_name()?))
            }
            _ => return Ok(None),
        }))
    }

    fn word_type(&mut self, word: Word) -> Parsed<Option<TypeSpecifier>> {
        Ok(Some(match word {
            Word::Class => self.class_specifier()?,
            Word::Decltype => {
                self.skip();
                self.expect(Punct::LeftParen)?;
                if self.is_keyword(Keyword::Auto) {
                    self.skip();
                    self.expect(Punct::RightParen)?;
                    return Ok(Some(TypeSpecifier::DecltypeAuto));
                }
                let at = self.at - 2;
                let expr = self.unevaluated(|parser| parser.in_brackets(Self::expression))?;
                self.expect(Punct::RightParen)?;
                if self.kind() == Kind::ColonColon {
                    self.at = at;
                    let (name, _) = self.qualified_name()?;
                    return Ok(Some(TypeSpecifier::Named(name)));
                }
                TypeSpecifier::Decltype(Rc::new(expr))
            }
            Word::Typename => {
                self.skip();
                let (name, _) = self.qualified_name()?;
                TypeSpecifier::Named(name)
            }
            Word::WcharT | Word::Char16T | Word::Char32T => {
                let span = self.span();
                let message = format!("the type '{}' is not supported in C++ for OpenCL", word.text());
                return self.fault(span, message);
            }
            _ => return Ok(None),
        }))
    }

    /// A name of a type, if the next name is one.
    fn named_type(&mut self, is_declaration: bool) -> Parsed<Option<TypeSpecifier>> {
        let at = self.at;
        if self.is_text("__underlying_type") {
            self.skip();
            self.expect(Punct::LeftParen)?;
            let ty = self.in_brackets(Self::type_name)?;
            self.expect(Punct::RightParen)?;
            return Ok(Some(TypeSpecifier::Underlying(Rc::new(ty))));
        }
        let (name, meaning) = match self.qualified_name() {
            Ok(found) => found,
            Err(fault) => {
                self.at = at;
                return Err(fault);
            }
        };
        let is_type = match meaning {
            Some(Meaning::Type(_)) => {
                // A constructor: its class's name, followed by its parameters.
                !(is_declaration && self.is(Punct::LeftParen) && self.names_constructor(&name))
            }
            // A template without arguments: deduced, or an argument for a template parameter.
            Some(Meaning::TypeTemplate(_)) => {
                !(is_declaration && self.is(Punct::LeftParen) && self.names_constructor(&name))
            }
            Some(Meaning::Value | Meaning::ValueTemplate | Meaning::Namespace(_)) => false,
            // A name that depends on a template parameter, or is not known: a type, if a declarator follows.
            None => is_declaration && matches!(self.kind(), Kind::Identifier(_)),
        };
        if !is_type {
            self.at = at;
            return Ok(None);
        }
        Ok(Some(TypeSpecifier::Named(name)))
    }

    /// Attributes; false if a `[` is not the start of one.
    pub(super) fn attributes(&mut self, attributes: &mut Vec<Attribute>) -> Parsed<bool> {
        self.without_notes(|parser| parser.attribute_lists(attributes))
    }

    fn attribute_lists(&mut self, attributes: &mut Vec<Attribute>) -> Parsed<bool> {
        let mut any = false;
        loop {
            match self.kind() {
                Kind::Keyword(Keyword::Attribute) => {
                    self.skip();
                    self.expect(Punct::LeftParen)?;
                    self.expect(Punct::LeftParen)?;
                    self.attribute_list(attributes, Punct::RightParen)?;
                    self.expect(Punct::RightParen)?;
                    self.expect(Punct::RightParen)?;
                }
                Kind::Punct(Punct::LeftBracket) if self.kind_at(1) == Kind::Punct(Punct::LeftBracket) => {
                    self.skip();
                    self.skip();
                    if self.eat_word(Word::Using) {
                        self.identifier()?;
                        self.expect(Punct::Colon)?;
                    }
                    self.attribute_list(attributes, Punct::RightBracket)?;
                    self.expect(Punct::RightBracket)?;
                    self.expect(Punct::RightBracket)?;
                }
                Kind::Word(Word::Alignas) => {
                    let span = self.span();
                    self.skip();
                    self.expect(Punct::LeftParen)?;
                    let argument = self.in_brackets(Self::attribute_argument)?;
                    self.expect(Punct::RightParen)?;
                    attributes.push(Attribute {
                        name: "alignas".to_owned(),
                        arguments: vec![argument],
                        span: self.from(span),
                    });
                }
                _ => return Ok(any),
            }
            any = true;
        }
    }

    fn attribute_argument(&mut self) -> Parsed<TemplateArgument> {
        use crate::cxx::ast::TemplateArgumentKind;
        let (start, at) = (self.span(), self.at);
        let ty = self.attempt(|parser| {
            let ty = parser.type_name()?;
            let ends = parser.is(Punct::RightParen) || parser.is(Punct::Comma) || parser.is(Punct::Ellipsis);
            if ends { Ok(ty) } else { Err(parser.expected("')'")) }
        });
        let kind = match ty {
            Some(ty) => TemplateArgumentKind::Type(ty),
            None => TemplateArgumentKind::Expr(self.conditional_expression()?),
        };
        let expansion = self.eat_expansion(at);
        Ok(TemplateArgument { kind, expansion, span: self.from(start) })
    }

    fn attribute_list(&mut self, attributes: &mut Vec<Attribute>, end: Punct) -> Parsed<()> {
        loop {
            while self.eat(Punct::Comma) {}
            if self.is(end) {
                return Ok(());
            }
            let span = self.span();
            let mut name = self.attribute_word()?;
            if self.kind() == Kind::ColonColon {
                self.skip();
                name = format!("{name}::{}", self.attribute_word()?);
            }
            let mut arguments = Vec::new();
            if self.eat(Punct::LeftParen) {
                while !self.is(Punct::RightParen) {
                    arguments.push(self.in_brackets(Self::attribute_argument)?);
                    if !self.eat(Punct::Comma) {
                        break;
                    }
                }
                self.expect(Punct::RightParen)?;
            }
            let name = name.strip_prefix("gnu::").unwrap_or(&name);
            let plain = name.strip_prefix("__").and_then(|name| name.strip_suffix("__")).unwrap_or(name);
            let plain = match plain.strip_prefix("cl::").filter(|_| self.is_opencl_cxx) {
                Some("required_work_group_size") => "reqd_work_group_size",
                Some(name) => name,
                None => plain,
            };
            attributes.push(Attribute { name: plain.to_owned(), arguments, span: self.from(span) });
            self.eat(Punct::Ellipsis);
        }
    }

    fn attribute_word(&mut self) -> Parsed<String> {
        let text = match self.kind() {
            Kind::Identifier(symbol) => self.text_of(symbol).to_owned(),
            Kind::Keyword(keyword) => keyword.text().to_owned(),
            Kind::Word(word) => word.text().to_owned(),
            _ => return Err(self.expected("an attribute")),
        };
        self.skip();
        Ok(text)
    }
}
