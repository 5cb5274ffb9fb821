//! Expressions with operators (\[expr\]), and initialisers.

use super::name::compound;
use super::{Parsed, Parser};
use crate::ast::{BinaryOp, PrefixOp};
use crate::cxx::ast::{Expr, ExprKind, InitClause, InitClauseKind, InitList, Initializer, NamedCast};
use crate::cxx::tokens::{Kind, Word};
use crate::token::{Keyword, Punct};

/// How tightly a binary operator binds; more is tighter.
pub(super) fn precedence(op: BinaryOp) -> u8 {
    match op {
        BinaryOp::Mul | BinaryOp::Div | BinaryOp::Rem => 10,
        BinaryOp::Add | BinaryOp::Sub => 9,
        BinaryOp::Shl | BinaryOp::Shr => 8,
        BinaryOp::Less | BinaryOp::Greater | BinaryOp::LessEqual | BinaryOp::GreaterEqual => 7,
        BinaryOp::Equal | BinaryOp::NotEqual => 6,
        BinaryOp::BitAnd => 5,
        BinaryOp::BitXor => 4,
        BinaryOp::BitOr => 3,
        BinaryOp::LogicalAnd => 2,
        BinaryOp::LogicalOr => 1,
    }
}

impl Parser<'_> {
    /// An expression, with commas.
    pub(super) fn expression(&mut self) -> Parsed<Expr> {
        let start = self.span();
        let mut left = self.assignment_expression()?;
        while self.eat(Punct::Comma) {
            let right = self.assignment_expression()?;
            let span = self.from(start);
            left = Expr { kind: ExprKind::Comma(Box::new(left), Box::new(right)), span };
        }
        Ok(left)
    }

    pub(super) fn assignment_expression(&mut self) -> Parsed<Expr> {
        self.nested(Self::assignment_inner)
    }

    fn assignment_inner(&mut self) -> Parsed<Expr> {
        let start = self.span();
        let target = self.conditional_expression()?;
        let op = match self.kind() {
            Kind::Punct(Punct::Equal) => None,
            Kind::Punct(Punct::Greater) if self.kind_at(1) == Kind::SecondGreaterEqual => {
                self.skip();
                Some(BinaryOp::Shr)
            }
            Kind::Punct(punct) => match compound(punct) {
                Some(op) => Some(op),
                None => return Ok(target),
            },
            _ => return Ok(target),
        };
        self.skip();
        let value = Box::new(self.initializer_clause()?);
        let span = self.from(start);
        Ok(Expr { kind: ExprKind::Assign { op, target: Box::new(target), value }, span })
    }

    /// An expression without assignments and commas: a constant expression.
    pub(super) fn conditional_expression(&mut self) -> Parsed<Expr> {
        self.nested(|parser| {
            let start = parser.span();
            if parser.is_word(Word::Throw) {
                parser.skip();
                if !matches!(parser.kind(), Kind::Punct(Punct::Semicolon | Punct::RightParen | Punct::Comma))
                {
                    parser.assignment_expression()?;
                }
                let span = parser.from(start);
                return Ok(Expr { kind: ExprKind::Refused("exceptions"), span });
            }
            let condition = parser.binary_expression(0)?;
            if !parser.eat(Punct::Question) {
                return Ok(condition);
            }
            let then = parser.in_brackets(Self::expression)?;
            parser.expect(Punct::Colon)?;
            let otherwise = parser.assignment_expression()?;
            let kind = ExprKind::Conditional {
                condition: Box::new(condition),
                then: Box::new(then),
                otherwise: Box::new(otherwise),
            };
            Ok(Expr { kind, span: parser.from(start) })
        })
    }

    /// The binary operator at the next token, with its number of tokens.
    pub(super) fn peek_binary(&self) -> Option<(BinaryOp, usize)> {
        match self.kind() {
            Kind::Punct(Punct::Greater) if self.kind_at(1) == Kind::SecondGreater => {
                (!self.in_template_arguments).then_some((BinaryOp::Shr, 2))
            }
            Kind::Punct(Punct::Greater) if self.kind_at(1) == Kind::SecondGreaterEqual => None,
            Kind::Punct(Punct::Greater) if self.in_template_arguments => None,
            Kind::Punct(punct) => BinaryOp::from_punct(punct).map(|op| (op, 1)),
            _ => None,
        }
    }

    fn binary_expression(&mut self, least: u8) -> Parsed<Expr> {
        let start = self.span();
        let mut left = self.pointer_to_member()?;
        let mut links = 0usize;
        while let Some((op, tokens)) = self.peek_binary() {
            let level = precedence(op);
            // A fold expression: `(pack + ...)`.
            if level <= least || self.kind_at(tokens) == Kind::Punct(Punct::Ellipsis) {
                break;
            }
            links += 1;
            if links > crate::limits::TREE_DEPTH {
                let message = format!("expression is more than {} levels deep", crate::limits::TREE_DEPTH);
                return self.fault(self.span(), message);
            }
            let op_span = self.span();
            self.skip();
            if tokens == 2 {
                self.skip();
            }
            let right = self.nested(|parser| parser.binary_expression(level))?;
            let span = self.from(start);
            let kind = ExprKind::Binary { op, op_span, left: Box::new(left), right: Box::new(right) };
            left = Expr { kind, span };
        }
        Ok(left)
    }

    fn pointer_to_member(&mut self) -> Parsed<Expr> {
        let start = self.span();
        let mut base = self.cast_expression()?;
        loop {
            let arrow = match self.kind() {
                Kind::DotStar => false,
                Kind::ArrowStar => true,
                _ => return Ok(base),
            };
            if self.kind_at(1) == Kind::Punct(Punct::Ellipsis) {
                return Ok(base);
            }
            self.skip();
            let member = Box::new(self.cast_expression()?);
            let kind = ExprKind::MemberPointer { base: Box::new(base), arrow, member };
            base = Expr { kind, span: self.from(start) };
        }
    }

    /// A prefix operator, a cast or a postfix expression.
    pub(super) fn cast_expression(&mut self) -> Parsed<Expr> {
        self.nested(Self::cast_inner)
    }

    fn cast_inner(&mut self) -> Parsed<Expr> {
        let start = self.span();
        let op = match self.kind() {
            Kind::Punct(Punct::Plus) => PrefixOp::Plus,
            Kind::Punct(Punct::Minus) => PrefixOp::Minus,
            Kind::Punct(Punct::Tilde) => PrefixOp::BitNot,
            Kind::Punct(Punct::Exclaim) => PrefixOp::LogicalNot,
            Kind::Punct(Punct::Star) => PrefixOp::Dereference,
            Kind::Punct(Punct::Ampersand) => PrefixOp::AddressOf,
            Kind::Punct(Punct::PlusPlus) => PrefixOp::Increment,
            Kind::Punct(Punct::MinusMinus) => PrefixOp::Decrement,
            Kind::Punct(Punct::LeftParen) => return self.parenthesis(),
            Kind::Keyword(Keyword::Sizeof | Keyword::Alignof) | Kind::Word(Word::Alignof) => {
                return self.size_expression();
            }
            Kind::Keyword(Keyword::Extension) => {
                self.skip();
                return self.cast_expression();
            }
            Kind::Word(Word::Noexcept) => {
                self.skip();
                self.expect(Punct::LeftParen)?;
                let operand = self.unevaluated(|parser| parser.in_brackets(Self::expression))?;
                self.expect(Punct::RightParen)?;
                let span = self.from(start);
                return Ok(Expr { kind: ExprKind::Noexcept(Box::new(operand)), span });
            }
            Kind::Word(Word::New | Word::Delete) => return self.allocation(),
            Kind::ColonColon if matches!(self.kind_at(1), Kind::Word(Word::New | Word::Delete)) => {
                return self.allocation();
            }
            Kind::Punct(Punct::AndAnd) => {
                return self.fault(start, "the address of a label is not supported in OpenCL");
            }
            _ => return self.postfix_expression(),
        };
        self.skip();
        let operand = Box::new(self.cast_expression()?);
        Ok(Expr { kind: ExprKind::Prefix(op, operand), span: self.from(start) })
    }

    /// `(`: a cast, a vector or compound literal, a fold expression, or an expression in parentheses.
    fn parenthesis(&mut self) -> Parsed<Expr> {
        let start = self.span();
        let ty = self.attempt(|parser| {
            parser.skip();
            let ty = parser.in_brackets(Self::type_name)?;
            parser.expect(Punct::RightParen)?;
            if parser.follows_cast() { Ok(ty) } else { Err(parser.expected("an operand of the cast")) }
        });
        let Some(ty) = ty else { return self.postfix_expression() };
        let ty = Box::new(ty);
        if self.is(Punct::LeftBrace) {
            let list = self.initializer_list()?;
            let kind = ExprKind::CompoundLiteral { ty, list };
            let literal = Expr { kind, span: self.from(start) };
            return self.postfix(literal, start);
        }
        if self.is(Punct::LeftParen) && !self.is_opencl_cxx && self.names_vector(&ty) {
            self.skip();
            let elements = self.in_brackets(|parser| parser.arguments(Punct::RightParen))?;
            let kind = ExprKind::VectorLiteral { ty, elements };
            let literal = Expr { kind, span: self.from(start) };
            return self.postfix(literal, start);
        }
        let operand = Box::new(self.cast_expression()?);
        Ok(Expr { kind: ExprKind::Cast { ty, operand }, span: self.from(start) })
    }

    /// Whether the tokens after `(T)` can be the operand of a cast.
    fn follows_cast(&self) -> bool {
        match self.kind() {
            Kind::Identifier(_)
            | Kind::Int(..)
            | Kind::Float(..)
            | Kind::Char(_)
            | Kind::Str(_)
            | Kind::ColonColon => true,
            Kind::Word(word) => !matches!(word, Word::Public | Word::Protected),
            Kind::Keyword(_) => true,
            Kind::Punct(punct) => matches!(
                punct,
                Punct::LeftParen
                    | Punct::LeftBrace
                    | Punct::Tilde
                    | Punct::Exclaim
                    | Punct::Minus
                    | Punct::Plus
                    | Punct::Star
                    | Punct::Ampersand
                    | Punct::PlusPlus
                    | Punct::MinusMinus
                    | Punct::LeftBracket
            ),
            _ => false,
        }
    }

    /// Whether `(` after `(T)` begins the values of a vector. Only vectors take several; with one value any
    /// other name is that of a cast, whose operand may go on after the `)`.
    fn names_vector(&self, ty: &crate::cxx::ast::TypeName) -> bool {
        const SCALARS: [&str; 11] =
            ["char", "uchar", "short", "ushort", "int", "uint", "long", "ulong", "float", "double", "half"];
        let crate::cxx::ast::TypeSpecifier::Named(name) = &ty.specifiers.ty else { return false };
        if !ty.declarator.derived.is_empty() {
            return false;
        }
        let text = name.plain().map_or("", |name| self.text_of(name.symbol));
        let scalar = text.trim_end_matches(|character: char| character.is_ascii_digit());
        if SCALARS.contains(&scalar) {
            return scalar.len() != text.len();
        }
        self.has_comma()
    }

    /// Whether there is a comma in the parentheses that begin here, and not in brackets inside.
    fn has_comma(&self) -> bool {
        // So that nested casts do not take time that grows with their square.
        const FAR: usize = 4096;
        let mut depth = 0usize;
        for token in self.tokens[self.at..].iter().take(FAR) {
            match token.kind {
                Kind::Punct(Punct::LeftParen | Punct::LeftBrace | Punct::LeftBracket) => depth += 1,
                Kind::Punct(Punct::RightParen | Punct::RightBrace | Punct::RightBracket) if depth <= 1 => {
                    return false;
                }
                Kind::Punct(Punct::RightParen | Punct::RightBrace | Punct::RightBracket) => depth -= 1,
                Kind::Punct(Punct::Comma) if depth == 1 => return true,
                _ => {}
            }
        }
        false
    }

    fn size_expression(&mut self) -> Parsed<Expr> {
        let start = self.span();
        let is_sizeof = self.is_keyword(Keyword::Sizeof);
        self.skip();
        if is_sizeof && self.eat(Punct::Ellipsis) {
            self.expect(Punct::LeftParen)?;
            let name = self.identifier()?;
            self.note_sizeof_pack(name);
            self.expect(Punct::RightParen)?;
            return Ok(Expr { kind: ExprKind::SizeofPack(name), span: self.from(start) });
        }
        if self.is(Punct::LeftParen) {
            let ty = self.attempt(|parser| {
                parser.skip();
                let ty = parser.in_brackets(Self::type_name)?;
                parser.expect(Punct::RightParen)?;
                Ok(ty)
            });
            if let Some(ty) = ty {
                let ty = Box::new(ty);
                let kind = if is_sizeof { ExprKind::SizeofType(ty) } else { ExprKind::AlignofType(ty) };
                return Ok(Expr { kind, span: self.from(start) });
            }
        }
        let operand = Box::new(self.unevaluated(Self::cast_expression)?);
        let kind = if is_sizeof { ExprKind::SizeofExpr(operand) } else { ExprKind::AlignofExpr(operand) };
        Ok(Expr { kind, span: self.from(start) })
    }

    /// `static_cast<T>(e)` and its kin.
    pub(super) fn named_cast(&mut self, cast: NamedCast) -> Parsed<Expr> {
        let start = self.span();
        self.skip();
        self.expect(Punct::Less)?;
        let before = std::mem::replace(&mut self.in_template_arguments, true);
        let ty = self.type_name();
        self.in_template_arguments = before;
        let ty = Box::new(ty?);
        self.expect_closing_angle()?;
        self.expect(Punct::LeftParen)?;
        let operand = Box::new(self.in_brackets(Self::expression)?);
        self.expect(Punct::RightParen)?;
        Ok(Expr { kind: ExprKind::NamedCast { cast, ty, operand }, span: self.from(start) })
    }

    /// `= e`, `(…)` or `{…}`, if one is next.
    pub(super) fn initializer(&mut self) -> Parsed<Option<Initializer>> {
        let start = self.span();
        Ok(Some(match self.kind() {
            Kind::Punct(Punct::Equal) => {
                self.skip();
                Initializer::Copy(Box::new(self.initializer_clause()?))
            }
            Kind::Punct(Punct::LeftParen) => {
                self.skip();
                let arguments = self.in_brackets(|parser| parser.arguments(Punct::RightParen))?;
                Initializer::Paren(arguments, self.from(start))
            }
            Kind::Punct(Punct::LeftBrace) => Initializer::List(self.initializer_list()?),
            _ => return Ok(None),
        }))
    }

    pub(super) fn initializer_list(&mut self) -> Parsed<InitList> {
        self.nested(|parser| {
            let start = parser.span();
            parser.expect(Punct::LeftBrace)?;
            let elements = parser.in_brackets(|parser| parser.arguments(Punct::RightBrace))?;
            Ok(InitList { elements, span: parser.from(start) })
        })
    }

    /// Arguments up to a closing bracket, which is read.
    pub(super) fn arguments(&mut self, end: Punct) -> Parsed<Vec<InitClause>> {
        let mut list = Vec::new();
        while !self.is(end) {
            list.push(self.initializer_clause()?);
            if !self.eat(Punct::Comma) {
                break;
            }
            if self.is(end) && end == Punct::RightParen {
                return Err(self.expected("expression"));
            }
        }
        self.expect(end)?;
        Ok(list)
    }

    /// An expression or a list.
    pub(super) fn initializer_clause(&mut self) -> Parsed<InitClause> {
        let at = self.at;
        let mut designator = None;
        if self.is(Punct::Dot) && matches!(self.kind_at(1), Kind::Identifier(_)) {
            self.skip();
            designator = Some(self.identifier()?);
            self.eat(Punct::Equal);
        }
        let kind = if self.is(Punct::LeftBrace) {
            InitClauseKind::List(self.initializer_list()?)
        } else {
            InitClauseKind::Expr(self.assignment_expression()?)
        };
        let expansion = self.eat_expansion(at);
        Ok(InitClause { kind, expansion, designator })
    }
}
