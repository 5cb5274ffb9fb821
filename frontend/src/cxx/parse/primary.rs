//! Primary and postfix expressions ([expr.prim], [expr.post]).

use super::name::compound;
use super::names::Meaning;
use super::{Parsed, Parser};
use crate::ast::Name;
use crate::cxx::ast::{
    Expr, ExprKind, FoldOp, Initializer, NamedCast, TemplateArgument, TemplateArgumentKind, TypeName,
};
use crate::cxx::tokens::{Kind, Word};
use crate::symbol::Symbol;
use crate::token::{Keyword, Punct};
use std::rc::Rc;

impl Parser<'_> {
    pub(super) fn postfix_expression(&mut self) -> Parsed<Expr> {
        let start = self.span();
        let primary = self.primary()?;
        self.postfix(primary, start)
    }

    /// What follows a primary expression.
    pub(super) fn postfix(&mut self, mut base: Expr, start: crate::Span) -> Parsed<Expr> {
        let mut links = 0usize;
        loop {
            links += 1;
            if links > crate::limits::TREE_DEPTH {
                let message = format!("expression is more than {} levels deep", crate::limits::TREE_DEPTH);
                return self.fault(self.span(), message);
            }
            let kind = match self.kind() {
                Kind::Punct(Punct::LeftBracket) => {
                    self.skip();
                    let index = Box::new(self.in_brackets(|parser| {
                        if parser.is(Punct::LeftBrace) {
                            return parser.initializer_clause();
                        }
                        let expr = parser.expression()?;
                        Ok(crate::cxx::ast::InitClause {
                            kind: crate::cxx::ast::InitClauseKind::Expr(expr),
                            expansion: None,
                            designator: None,
                        })
                    })?);
                    self.expect(Punct::RightBracket)?;
                    ExprKind::Index { base: Box::new(base), index }
                }
                Kind::Punct(Punct::LeftParen) => {
                    self.skip();
                    let arguments = self.in_brackets(|parser| parser.arguments(Punct::RightParen))?;
                    ExprKind::Call { callee: Box::new(base), arguments }
                }
                Kind::Punct(punct @ (Punct::Dot | Punct::Arrow)) => {
                    self.skip();
                    let name = self.member_name()?;
                    ExprKind::Member { base: Box::new(base), arrow: punct == Punct::Arrow, name }
                }
                Kind::Punct(punct @ (Punct::PlusPlus | Punct::MinusMinus)) => {
                    self.skip();
                    ExprKind::Postfix { increment: punct == Punct::PlusPlus, operand: Box::new(base) }
                }
                _ => return Ok(base),
            };
            base = Expr { kind, span: self.from(start) };
        }
    }

    /// The name of a member. Of an object whose type is not known, a name before `<` is a template only after
    /// `template`, or if a template of that name is known.
    fn member_name(&mut self) -> Parsed<crate::cxx::ast::QualifiedName> {
        let start = self.span();
        if let Kind::Identifier(symbol) = self.kind()
            && self.kind_at(1) == Kind::Punct(Punct::Less)
            && self.names.is_member_template(symbol)
        {
            let arguments = self.attempt(|parser| {
                parser.skip();
                parser.template_arguments()
            });
            if let Some(arguments) = arguments {
                let id = crate::cxx::ast::Id::Name(symbol);
                let part = crate::cxx::ast::Part { id, arguments: Some(arguments), span: self.from(start) };
                let span = part.span;
                return Ok(crate::cxx::ast::QualifiedName { is_global: false, parts: vec![part], span });
            }
        }
        // Components such as `.xy` are not names of the program.
        let (name, _) = self.qualified_name()?;
        Ok(name)
    }

    /// `L'a'`, `u"a"`: there are no types of wide characters.
    fn refuse_wide(&self, prefix: Symbol) -> Parsed<()> {
        let next = self.tokens.get(self.at + 1);
        let is_literal = next.is_some_and(|next| {
            matches!(next.kind, Kind::Char(_) | Kind::Str(_)) && next.span.start == self.span().end
        });
        let text = self.text_of(prefix);
        match is_literal && matches!(text, "L" | "u" | "U") {
            true => self.fault(
                self.span(),
                format!("literals of wide characters ('{text}') are not supported in C++ for OpenCL"),
            ),
            false => Ok(()),
        }
    }

    fn primary(&mut self) -> Parsed<Expr> {
        let start = self.span();
        let kind = match self.kind() {
            Kind::Int(value, suffix) => {
                self.skip();
                ExprKind::Int(value, suffix)
            }
            Kind::Float(value, suffix, text) => {
                self.skip();
                ExprKind::Float(value, suffix, text)
            }
            Kind::Char(value) => {
                self.skip();
                ExprKind::Char(value)
            }
            Kind::Str(_) => ExprKind::Str(self.string_bytes()),
            Kind::Word(word) => return self.word_expression(word),
            Kind::Keyword(keyword) => return self.keyword_expression(keyword),
            Kind::Punct(Punct::LeftParen) => return self.parenthesised(),
            Kind::Punct(Punct::LeftBracket) => return self.lambda(),
            Kind::Identifier(prefix) => {
                self.refuse_wide(prefix)?;
                return self.name_expression();
            }
            Kind::ColonColon => return self.name_expression(),
            Kind::Punct(Punct::Caret) => return self.fault(start, super::declarator::BLOCKS),
            _ => return Err(self.expected("expression")),
        };
        let literal = Expr { kind, span: self.from(start) };
        if let Kind::Suffix(text, suffix) = self.kind() {
            let suffix = Name { symbol: suffix, span: self.span() };
            self.skip();
            let kind = ExprKind::UserLiteral { literal: Box::new(literal), text, suffix };
            return Ok(Expr { kind, span: self.from(start) });
        }
        Ok(literal)
    }

    fn word_expression(&mut self, word: Word) -> Parsed<Expr> {
        let start = self.span();
        let kind = match word {
            Word::True => ExprKind::Bool(true),
            Word::False => ExprKind::Bool(false),
            Word::Nullptr => ExprKind::Nullptr,
            Word::This => ExprKind::This,
            Word::StaticCast => return self.named_cast(NamedCast::Static),
            Word::ConstCast => return self.named_cast(NamedCast::Const),
            Word::ReinterpretCast => return self.named_cast(NamedCast::Reinterpret),
            Word::AddrspaceCast => return self.named_cast(NamedCast::AddressSpace),
            Word::DynamicCast => return self.named_cast(NamedCast::Dynamic),
            Word::Typeid => {
                return self.fault(
                    start,
                    "'typeid' is not supported: C++ for OpenCL has no type information (§2.1)",
                );
            }
            Word::Operator => return self.name_expression(),
            Word::Decltype => {
                let at = self.at;
                let name = self.attempt(|parser| {
                    let (name, _) = parser.qualified_name()?;
                    let is_value =
                        name.parts.len() > 1 && !parser.is(Punct::LeftParen) && !parser.is(Punct::LeftBrace);
                    if is_value { Ok(name) } else { Err(parser.expected("a name")) }
                });
                if let Some(name) = name {
                    return Ok(Expr { kind: ExprKind::Name(name), span: self.from(start) });
                }
                self.at = at;
                return self.construction();
            }
            Word::Typename => return self.construction(),
            Word::Throw => return self.conditional_expression(),
            _ => return Err(self.expected("expression")),
        };
        self.skip();
        Ok(Expr { kind, span: start })
    }

    fn keyword_expression(&mut self, keyword: Keyword) -> Parsed<Expr> {
        match keyword {
            Keyword::Void
            | Keyword::Bool
            | Keyword::Char
            | Keyword::Short
            | Keyword::Int
            | Keyword::Long
            | Keyword::Signed
            | Keyword::Unsigned
            | Keyword::Half
            | Keyword::Float
            | Keyword::Double
            | Keyword::Auto => self.construction(),
            _ => Err(self.expected("expression")),
        }
    }

    /// `T(…)` or `T{…}`.
    fn construction(&mut self) -> Parsed<Expr> {
        let start = self.span();
        let specifiers = self.type_specifiers()?;
        let declarator = crate::cxx::ast::Declarator {
            name: None,
            pack: None,
            derived: Vec::new(),
            attributes: Vec::new(),
            span: self.last_span(),
        };
        let ty = TypeName { specifiers: Rc::new(specifiers), declarator, span: self.from(start) };
        let Some(initializer @ (Initializer::Paren(..) | Initializer::List(_))) = self.initializer()? else {
            return Err(self.expected("'(' for function-style cast or type construction"));
        };
        let kind = ExprKind::Construct { ty: Box::new(ty), initializer: Box::new(initializer) };
        Ok(Expr { kind, span: self.from(start) })
    }

    fn name_expression(&mut self) -> Parsed<Expr> {
        let start = self.span();
        let at = self.at;
        if let Some(special) = self.special_name()? {
            return Ok(special);
        }
        let (name, meaning) = self.qualified_name()?;
        let constructs = matches!(meaning, Some(Meaning::Type(_) | Meaning::TypeTemplate(_)))
            && (self.is(Punct::LeftParen) || self.is(Punct::LeftBrace));
        if constructs {
            self.at = at;
            return self.construction();
        }
        self.note_name(&name, meaning);
        if matches!(meaning, Some(Meaning::Type(_) | Meaning::TypeTemplate(_))) && self.tentative == 0 {
            let text = match &name.last().id {
                crate::cxx::ast::Id::Name(symbol) => self.text_of(*symbol).to_owned(),
                _ => String::new(),
            };
            return self.fault(name.span, format!("unexpected type name '{text}': expected expression"));
        }
        Ok(Expr { kind: ExprKind::Name(name), span: self.from(start) })
    }

    /// `vec_step`, which takes types, and the traits of compilers.
    fn special_name(&mut self) -> Parsed<Option<Expr>> {
        let start = self.span();
        let Some(symbol) = self.peek_identifier() else { return Ok(None) };
        if self.kind_at(1) != Kind::Punct(Punct::LeftParen) {
            return Ok(None);
        }
        let text = self.text_of(symbol).to_owned();
        if text == "vec_step" && self.names.find(symbol).is_none() {
            self.skip();
            let ty = self.attempt(|parser| {
                parser.skip();
                let ty = parser.in_brackets(Self::type_name)?;
                parser.expect(Punct::RightParen)?;
                Ok(ty)
            });
            let kind = match ty {
                Some(ty) => ExprKind::VecStepType(Box::new(ty)),
                None => ExprKind::VecStepExpr(Box::new(self.unevaluated(Self::parenthesised)?)),
            };
            return Ok(Some(Expr { kind, span: self.from(start) }));
        }
        if matches!(text.as_str(), "__builtin_astype" | "__builtin_convertvector") {
            self.skip();
            self.skip();
            let value = Box::new(self.in_brackets(Self::assignment_expression)?);
            self.expect(Punct::Comma)?;
            let ty = Box::new(self.in_brackets(Self::type_name)?);
            self.expect(Punct::RightParen)?;
            let kind = ExprKind::ValueAs { value, ty, same_bits: text == "__builtin_astype" };
            return Ok(Some(Expr { kind, span: self.from(start) }));
        }
        if is_trait(&text) {
            let name = self.identifier()?;
            self.skip();
            let mut types = Vec::new();
            while !self.is(Punct::RightParen) {
                let (start, at) = (self.span(), self.at);
                let kind = TemplateArgumentKind::Type(self.in_brackets(Self::type_name)?);
                let expansion = self.eat_expansion(at);
                types.push(TemplateArgument { kind, expansion, span: self.from(start) });
                if !self.eat(Punct::Comma) {
                    break;
                }
            }
            self.expect(Punct::RightParen)?;
            return Ok(Some(Expr { kind: ExprKind::Trait { name, types }, span: self.from(start) }));
        }
        Ok(None)
    }

    /// `(e)`, a statement expression or a fold expression.
    fn parenthesised(&mut self) -> Parsed<Expr> {
        let (start, at) = (self.span(), self.at);
        self.expect(Punct::LeftParen)?;
        self.in_brackets(|parser| {
            if parser.is(Punct::LeftBrace) {
                let refuses_lambdas = parser.refuses_lambdas.take();
                let block = parser.block();
                parser.refuses_lambdas = refuses_lambdas;
                let block = block?;
                parser.expect(Punct::RightParen)?;
                return Ok(Expr { kind: ExprKind::Statements(Rc::new(block)), span: parser.from(start) });
            }
            if parser.eat(Punct::Ellipsis) {
                let Some((op, tokens)) = parser.fold_operator() else {
                    return Err(parser.expected("an operator"));
                };
                parser.at += tokens;
                let right = Some(Box::new(parser.cast_expression()?));
                parser.expect(Punct::RightParen)?;
                let names = parser.names_since(at);
                let kind = ExprKind::Fold { op, left: None, right, names };
                return Ok(Expr { kind, span: parser.from(start) });
            }
            let expr = parser.fold_or_expression()?;
            parser.expect(Punct::RightParen)?;
            if matches!(expr.kind, ExprKind::Fold { .. }) {
                return Ok(Expr { span: parser.from(start), ..expr });
            }
            Ok(Expr { kind: ExprKind::Paren(Box::new(expr)), span: parser.from(start) })
        })
    }

    fn fold_or_expression(&mut self) -> Parsed<Expr> {
        let start = self.span();
        let at = self.at;
        // An operand of a fold expression is a cast expression.
        let operand = self.attempt(|parser| {
            let operand = parser.cast_expression()?;
            let Some((op, tokens)) = parser.fold_operator() else {
                return Err(parser.expected("an operator"));
            };
            if parser.kind_at(tokens) != Kind::Punct(Punct::Ellipsis) {
                return Err(parser.expected("'...'"));
            }
            let end = parser.at;
            parser.at += tokens + 1;
            Ok((op, operand, end))
        });
        let Some((op, operand, end)) = operand else {
            self.at = at;
            return self.expression();
        };
        let left = Some(Box::new(operand));
        let mut right = None;
        if let Some((again, tokens)) = self.fold_operator() {
            if again != op {
                return self.fault(self.span(), "operators in fold expression must be the same");
            }
            self.at += tokens;
            let second = self.at;
            right = Some(Box::new(self.cast_expression()?));
            self.note_fold(at..end, second..self.at, self.from(start));
        }
        let names = self.names_since(at);
        Ok(Expr { kind: ExprKind::Fold { op, left, right, names }, span: self.from(start) })
    }

    fn fold_operator(&self) -> Option<(FoldOp, usize)> {
        if let Some((op, tokens)) = self.peek_binary() {
            return Some((FoldOp::Binary(op), tokens));
        }
        match self.kind() {
            Kind::Punct(Punct::Comma) => Some((FoldOp::Comma, 1)),
            Kind::Punct(Punct::Equal) => Some((FoldOp::Assign(None), 1)),
            Kind::Punct(Punct::Greater) if self.kind_at(1) == Kind::SecondGreaterEqual => {
                Some((FoldOp::Assign(Some(crate::ast::BinaryOp::Shr)), 2))
            }
            Kind::Punct(punct) => compound(punct).map(|op| (FoldOp::Assign(Some(op)), 1)),
            _ => None,
        }
    }
}

/// Compiler built-ins that ask about types.
fn is_trait(name: &str) -> bool {
    matches!(
        name,
        "__is_same"
            | "__is_base_of"
            | "__is_class"
            | "__is_union"
            | "__is_enum"
            | "__is_empty"
            | "__is_pod"
            | "__is_trivial"
            | "__is_trivially_copyable"
            | "__is_standard_layout"
            | "__is_aggregate"
            | "__is_literal_type"
            | "__is_polymorphic"
            | "__is_abstract"
            | "__is_final"
            | "__is_constructible"
            | "__is_trivially_constructible"
            | "__is_assignable"
            | "__is_trivially_assignable"
            | "__is_convertible"
            | "__is_convertible_to"
            | "__is_trivially_destructible"
            | "__has_trivial_destructor"
            | "__is_destructible"
            | "__is_integral"
            | "__is_floating_point"
            | "__is_arithmetic"
            | "__is_pointer"
            | "__is_reference"
            | "__is_lvalue_reference"
            | "__is_rvalue_reference"
            | "__is_array"
            | "__is_function"
            | "__is_void"
            | "__is_const"
            | "__is_volatile"
            | "__is_signed"
            | "__is_unsigned"
            | "__builtin_types_compatible_p"
    )
}
