//! Names, with their qualifiers and template arguments.

use super::lambda::IN_ARGUMENT;
use super::names::{Meaning, ScopeId};
use super::{Parsed, Parser};
use crate::ast::{BinaryOp, PrefixOp};
use crate::cxx::ast::{
    Id, Operator, Part, QualifiedName, TemplateArgument, TemplateArgumentKind, TypeSpecifier,
};
use crate::cxx::tokens::{Kind, Word};
use crate::token::Punct;
use std::rc::Rc;

impl Parser<'_> {
    /// A name where an expression or declarator may stand, with its meaning if that is known.
    pub(super) fn qualified_name(&mut self) -> Parsed<(QualifiedName, Option<Meaning>)> {
        self.nested(Self::qualified_name_inner)
    }

    fn qualified_name_inner(&mut self) -> Parsed<(QualifiedName, Option<Meaning>)> {
        let start = self.span();
        let mut parts = Vec::new();
        let is_global = self.kind() == Kind::ColonColon;
        if is_global {
            self.skip();
        }
        // The meaning of the part before: `None` at the start.
        let mut within: Option<Option<Meaning>> = is_global.then_some(None);
        if is_global {
            within = Some(Some(Meaning::Namespace(self.names.global())));
        }
        loop {
            let span = self.span();
            let is_template = self.eat_word(Word::Template);
            let (id, meaning) = self.unqualified(within)?;
            let mut meaning = meaning;
            let mut arguments = None;
            let takes = matches!(meaning, Some(Meaning::TypeTemplate(_) | Meaning::ValueTemplate));
            if self.is(Punct::Less) && (takes || is_template) {
                arguments = Some(self.template_arguments()?);
                if let Some(Meaning::TypeTemplate(scope)) = meaning {
                    meaning = Some(Meaning::Type(scope));
                }
            }
            parts.push(Part { id, arguments, span: self.from(span) });
            let continues = self.kind() == Kind::ColonColon
                && matches!(
                    self.kind_at(1),
                    Kind::Identifier(_)
                        | Kind::Word(Word::Template | Word::Operator)
                        | Kind::Punct(Punct::Tilde)
                );
            if !continues {
                let name = QualifiedName { is_global, parts, span: self.from(start) };
                return Ok((name, meaning));
            }
            self.skip();
            within = Some(meaning);
        }
    }

    /// A part of a name; `within` is the meaning of what stands before it.
    fn unqualified(&mut self, within: Option<Option<Meaning>>) -> Parsed<(Id, Option<Meaning>)> {
        let span = self.span();
        match self.kind() {
            Kind::Identifier(symbol) => {
                self.skip();
                let meaning = match within {
                    None if self.kind() == Kind::ColonColon => self.names.find_container(symbol),
                    None => self.names.find(symbol),
                    Some(Some(
                        Meaning::Namespace(scope)
                        | Meaning::Type(Some(scope))
                        | Meaning::TypeTemplate(Some(scope)),
                    )) => self.names.find_member(scope, symbol),
                    Some(_) => None,
                };
                Ok((Id::Name(symbol), meaning))
            }
            Kind::Word(Word::Operator) => self.operator_name(),
            Kind::Punct(Punct::Tilde) => {
                self.skip();
                if self.eat_word(Word::Decltype) {
                    self.expect(Punct::LeftParen)?;
                    self.unevaluated(|parser| parser.in_brackets(Self::expression))?;
                    self.expect(Punct::RightParen)?;
                    return Ok((Id::Destructor(None), Some(Meaning::Value)));
                }
                let name = self.identifier()?;
                // `~A<T>`
                if self.is(Punct::Less)
                    && matches!(self.names.find(name.symbol), Some(Meaning::TypeTemplate(_)))
                {
                    self.template_arguments()?;
                }
                Ok((Id::Destructor(Some(name)), Some(Meaning::Value)))
            }
            Kind::Word(Word::Decltype) => {
                self.skip();
                self.expect(Punct::LeftParen)?;
                let expr = self.unevaluated(|parser| parser.in_brackets(Self::expression))?;
                self.expect(Punct::RightParen)?;
                Ok((Id::Decltype(Rc::new(expr)), Some(Meaning::Type(None))))
            }
            _ => self.fault(span, "expected a name"),
        }
    }

    fn operator_name(&mut self) -> Parsed<(Id, Option<Meaning>)> {
        self.skip();
        let value = |operator| Ok((Id::Operator(operator), Some(Meaning::ValueTemplate)));
        match self.kind() {
            Kind::Punct(Punct::LeftParen) if self.kind_at(1) == Kind::Punct(Punct::RightParen) => {
                self.skip();
                self.skip();
                return value(Operator::Call);
            }
            Kind::Punct(Punct::LeftBracket) if self.kind_at(1) == Kind::Punct(Punct::RightBracket) => {
                self.skip();
                self.skip();
                return value(Operator::Index);
            }
            Kind::Word(word @ (Word::New | Word::Delete)) => {
                self.skip();
                let is_array =
                    self.is(Punct::LeftBracket) && self.kind_at(1) == Kind::Punct(Punct::RightBracket);
                if is_array {
                    self.skip();
                    self.skip();
                }
                return value(match word {
                    Word::New => Operator::New { is_array },
                    _ => Operator::Delete { is_array },
                });
            }
            Kind::Str(text) => {
                if !self.text_of(text).is_empty() {
                    self.error(self.span(), "string literal after 'operator' must be '\"\"'");
                }
                let end = self.span().end;
                self.skip();
                let name = match self.kind() {
                    Kind::Suffix(_, suffix) => {
                        self.skip();
                        suffix
                    }
                    Kind::Identifier(_) if self.span().start == end => {
                        let message = "a literal suffix that does not begin with '_' is reserved";
                        return self.fault(self.span(), message);
                    }
                    _ => self.identifier()?.symbol,
                };
                return Ok((Id::Literal(name), Some(Meaning::ValueTemplate)));
            }
            Kind::ArrowStar => {
                self.skip();
                return value(Operator::ArrowStar);
            }
            Kind::Punct(Punct::Greater) if self.kind_at(1) == Kind::SecondGreater => {
                self.skip();
                self.skip();
                return value(Operator::Binary(BinaryOp::Shr));
            }
            Kind::Punct(Punct::Greater) if self.kind_at(1) == Kind::SecondGreaterEqual => {
                self.skip();
                self.skip();
                return value(Operator::Assign(Some(BinaryOp::Shr)));
            }
            Kind::Punct(punct) => {
                if let Some(operator) = overloadable(punct) {
                    self.skip();
                    return value(operator);
                }
            }
            _ => {}
        }
        let ty = self.conversion_type()?;
        Ok((Id::Conversion(Rc::new(ty)), Some(Meaning::Value)))
    }

    /// `<…>`.
    pub(super) fn template_arguments(&mut self) -> Parsed<Vec<TemplateArgument>> {
        self.expect(Punct::Less)?;
        let before = std::mem::replace(&mut self.in_template_arguments, true);
        let result = self.without_lambdas(IN_ARGUMENT, Self::template_argument_list);
        self.in_template_arguments = before;
        result
    }

    fn template_argument_list(&mut self) -> Parsed<Vec<TemplateArgument>> {
        let mut arguments = Vec::new();
        if !self.closes_angle() {
            loop {
                arguments.push(self.template_argument()?);
                if !self.eat(Punct::Comma) {
                    break;
                }
            }
        }
        self.expect_closing_angle()?;
        Ok(arguments)
    }

    pub(super) fn closes_angle(&self) -> bool {
        matches!(self.kind(), Kind::Punct(Punct::Greater) | Kind::SecondGreater)
    }

    /// A type if it can be one, else an expression ([temp.arg]).
    pub(super) fn template_argument(&mut self) -> Parsed<TemplateArgument> {
        let (start, at) = (self.span(), self.at);
        let ends =
            |parser: &Self| parser.closes_angle() || parser.is(Punct::Comma) || parser.is(Punct::Ellipsis);
        let ty = self.attempt(|parser| {
            let ty = parser.type_name()?;
            if ends(parser) { Ok(ty) } else { Err(parser.expected("'>'")) }
        });
        let kind = match ty {
            Some(ty) => TemplateArgumentKind::Type(ty),
            None => TemplateArgumentKind::Expr(self.conditional_expression()?),
        };
        let expansion = self.eat_expansion(at);
        Ok(TemplateArgument { kind, expansion, span: self.from(start) })
    }

    /// The name of a type, without a declarator: of a base class or in a member initialiser.
    pub(super) fn class_name(&mut self) -> Parsed<QualifiedName> {
        self.eat_word(Word::Typename);
        let (name, _) = self.qualified_name()?;
        Ok(name)
    }

    /// The scope in which the name before the last `::` has its members.
    pub(super) fn prefix_scope(&self, name: &QualifiedName) -> Option<ScopeId> {
        let (_, prefix) = name.parts.split_last()?;
        let mut scope = name.is_global.then(|| self.names.global());
        for (index, part) in prefix.iter().enumerate() {
            let Id::Name(symbol) = part.id else { return None };
            let meaning = match scope {
                Some(scope) => self.names.find_member(scope, symbol),
                None if index == 0 => self.names.find(symbol),
                None => None,
            };
            scope = match meaning? {
                Meaning::Namespace(scope) => Some(scope),
                Meaning::Type(scope) | Meaning::TypeTemplate(scope) => Some(scope?),
                _ => return None,
            };
        }
        scope
    }

    /// The scope of the members of a named type.
    pub(super) fn scope_of_type(&self, ty: &TypeSpecifier) -> Option<ScopeId> {
        let name = match ty {
            TypeSpecifier::Named(name) => name,
            TypeSpecifier::Class(class) => class.name.as_ref()?,
            _ => return None,
        };
        let Id::Name(symbol) = name.last().id else { return None };
        let meaning = match (name.is_qualified(), self.prefix_scope(name)) {
            (true, scope) => self.names.find_member(scope?, symbol),
            (false, _) => self.names.find(symbol),
        };
        match meaning? {
            Meaning::Type(scope) | Meaning::TypeTemplate(scope) => scope,
            _ => None,
        }
    }

    /// Whether a name followed by `(` is a constructor: of the class around, or `A::A`.
    pub(super) fn names_constructor(&self, name: &QualifiedName) -> bool {
        let Id::Name(last) = name.last().id else { return false };
        match name.parts.len().checked_sub(2).map(|index| &name.parts[index].id) {
            Some(Id::Name(before)) => *before == last,
            Some(_) => false,
            None => self.class_names.last() == Some(&Some(last)),
        }
    }
}

fn overloadable(punct: Punct) -> Option<Operator> {
    use Operator::{Assign, Binary, Prefix};
    Some(match punct {
        Punct::Tilde => Prefix(PrefixOp::BitNot),
        Punct::Exclaim => Prefix(PrefixOp::LogicalNot),
        Punct::PlusPlus => Operator::Increment,
        Punct::MinusMinus => Operator::Decrement,
        Punct::Arrow => Operator::Arrow,
        Punct::Comma => Operator::Comma,
        Punct::Equal => Assign(None),
        _ => match BinaryOp::from_punct(punct) {
            Some(op) => Binary(op),
            None => Assign(Some(compound(punct)?)),
        },
    })
}

/// The operator of a compound assignment.
pub(super) fn compound(punct: Punct) -> Option<BinaryOp> {
    Some(match punct {
        Punct::StarEqual => BinaryOp::Mul,
        Punct::SlashEqual => BinaryOp::Div,
        Punct::PercentEqual => BinaryOp::Rem,
        Punct::PlusEqual => BinaryOp::Add,
        Punct::MinusEqual => BinaryOp::Sub,
        Punct::ShiftLeftEqual => BinaryOp::Shl,
        Punct::ShiftRightEqual => BinaryOp::Shr,
        Punct::AndEqual => BinaryOp::BitAnd,
        Punct::CaretEqual => BinaryOp::BitXor,
        Punct::OrEqual => BinaryOp::BitOr,
        _ => return None,
    })
}
