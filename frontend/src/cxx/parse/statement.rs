//! Statements ([stmt.stmt]).

use super::declarator::Place;
use super::names::Meaning;
use super::{Parsed, Parser};
use crate::cxx::ast::{Condition, Decl, DeclKind, InitDeclarator, Statement, StatementKind, TypeSpecifier};
use crate::cxx::tokens::{Kind, Word};
use crate::token::{Keyword, Punct};
use std::rc::Rc;

impl Parser<'_> {
    /// `{ … }`.
    pub(super) fn block(&mut self) -> Parsed<Vec<Statement>> {
        self.expect(Punct::LeftBrace)?;
        let inner = self.names.inner();
        let outer = self.names.go(inner);
        let mut list = Vec::new();
        while !matches!(self.kind(), Kind::End | Kind::Punct(Punct::RightBrace)) {
            let before = self.at;
            match self.statement() {
                Ok(statement) => list.push(statement),
                Err(fault) if self.tentative > 0 => {
                    self.names.go(outer);
                    return Err(fault);
                }
                Err(fault) => {
                    self.names.go(inner);
                    self.give_up(*fault, before);
                }
            }
        }
        self.names.go(outer);
        self.expect(Punct::RightBrace)?;
        Ok(list)
    }

    pub(super) fn statement(&mut self) -> Parsed<Statement> {
        self.nested(Self::statement_inner)
    }

    fn statement_inner(&mut self) -> Parsed<Statement> {
        let start = self.span();
        let at = self.at;
        let mut attributes = Vec::new();
        let has_attributes = self.attributes(&mut attributes)?;
        if has_attributes && self.starts_declaration() {
            // They belong to the declaration.
            self.at = at;
            attributes.clear();
            let decl = self.declaration()?;
            return Ok(Statement { kind: StatementKind::Decl(decl), attributes, span: self.from(start) });
        }
        let kind = match self.kind() {
            Kind::Punct(Punct::LeftBrace) => StatementKind::Block(self.block()?),
            Kind::Punct(Punct::Semicolon) => {
                self.skip();
                StatementKind::Empty
            }
            Kind::Pragma(pragma) => {
                self.skip();
                StatementKind::Pragma(pragma)
            }
            Kind::Keyword(keyword) => match self.keyword_statement(keyword)? {
                Some(kind) => kind,
                None => self.plain_statement()?,
            },
            Kind::Identifier(_) if self.is_label() => {
                let name = self.identifier()?;
                self.skip();
                StatementKind::Label(name, Box::new(self.statement()?))
            }
            Kind::Word(Word::Try) => {
                self.error(start, "exceptions are not supported in C++ for OpenCL (§2.1)");
                self.skip();
                let block = self.block()?;
                while self.eat_word(Word::Catch) {
                    self.skip_group();
                    self.skip_group();
                }
                StatementKind::Block(block)
            }
            _ => self.plain_statement()?,
        };
        Ok(Statement { kind, attributes, span: self.from(start) })
    }

    fn is_label(&self) -> bool {
        self.kind_at(1) == Kind::Punct(Punct::Colon)
    }

    fn keyword_statement(&mut self, keyword: Keyword) -> Parsed<Option<StatementKind>> {
        Ok(Some(match keyword {
            Keyword::If => self.in_scope(Self::if_statement)?,
            Keyword::While => self.in_scope(|parser| {
                parser.skip();
                parser.expect(Punct::LeftParen)?;
                let condition = parser.condition()?;
                parser.expect(Punct::RightParen)?;
                Ok(StatementKind::While { condition, body: Box::new(parser.statement()?) })
            })?,
            Keyword::Do => {
                self.skip();
                let body = Box::new(self.in_scope(Self::statement)?);
                if !self.eat_keyword(Keyword::While) {
                    return Err(self.expected("'while' in do/while loop"));
                }
                self.expect(Punct::LeftParen)?;
                let condition = self.in_brackets(Self::expression)?;
                self.expect(Punct::RightParen)?;
                self.expect(Punct::Semicolon)?;
                StatementKind::DoWhile { body, condition }
            }
            Keyword::For => self.in_scope(Self::for_statement)?,
            Keyword::Switch => self.in_scope(|parser| {
                parser.skip();
                parser.expect(Punct::LeftParen)?;
                let init = parser.init_statement()?;
                let condition = parser.condition()?;
                parser.expect(Punct::RightParen)?;
                Ok(StatementKind::Switch { init, condition, body: Box::new(parser.statement()?) })
            })?,
            Keyword::Case => {
                self.skip();
                let value = self.conditional_expression()?;
                let high =
                    if self.eat(Punct::Ellipsis) { Some(self.conditional_expression()?) } else { None };
                self.expect(Punct::Colon)?;
                StatementKind::Case { value, high, body: Box::new(self.labelled()?) }
            }
            Keyword::Default => {
                self.skip();
                self.expect(Punct::Colon)?;
                StatementKind::Default(Box::new(self.labelled()?))
            }
            Keyword::Goto => {
                self.skip();
                let name = self.identifier()?;
                self.expect(Punct::Semicolon)?;
                StatementKind::Goto(name)
            }
            Keyword::Break => {
                self.skip();
                self.expect(Punct::Semicolon)?;
                StatementKind::Break
            }
            Keyword::Continue => {
                self.skip();
                self.expect(Punct::Semicolon)?;
                StatementKind::Continue
            }
            Keyword::Return => {
                self.skip();
                let value = if self.is(Punct::Semicolon) { None } else { Some(self.return_clause()?) };
                self.expect(Punct::Semicolon)?;
                StatementKind::Return(value)
            }
            Keyword::Else => return self.fault(self.span(), "expected expression: 'else' without 'if'"),
            _ => return Ok(None),
        }))
    }

    /// The statement behind a label, which may be missing at the end of a block.
    fn labelled(&mut self) -> Parsed<Statement> {
        if self.is(Punct::RightBrace) {
            let span = self.last_span();
            return Ok(Statement { kind: StatementKind::Empty, attributes: Vec::new(), span });
        }
        self.statement()
    }

    fn return_clause(&mut self) -> Parsed<crate::cxx::ast::InitClause> {
        if self.is(Punct::LeftBrace) {
            return self.initializer_clause();
        }
        let expr = self.expression()?;
        Ok(crate::cxx::ast::InitClause {
            kind: crate::cxx::ast::InitClauseKind::Expr(expr),
            expansion: None,
            designator: None,
        })
    }

    fn if_statement(&mut self) -> Parsed<StatementKind> {
        self.skip();
        let is_constexpr = self.eat_word(Word::Constexpr);
        self.expect(Punct::LeftParen)?;
        let init = self.init_statement()?;
        let condition = self.condition()?;
        self.expect(Punct::RightParen)?;
        let then = Box::new(self.in_scope(Self::statement)?);
        let otherwise = if self.eat_keyword(Keyword::Else) {
            Some(Box::new(self.in_scope(Self::statement)?))
        } else {
            None
        };
        Ok(StatementKind::If { is_constexpr, init, condition, then, otherwise })
    }

    /// The first part of `if (init; condition)`, if there are two.
    fn init_statement(&mut self) -> Parsed<Option<Box<Statement>>> {
        // A `;` before the parenthesis closes.
        let mut depth = 0usize;
        let mut at = self.at;
        loop {
            match self.tokens.get(at).map_or(Kind::End, |token| token.kind) {
                Kind::Punct(Punct::LeftParen | Punct::LeftBrace | Punct::LeftBracket) => depth += 1,
                Kind::Punct(Punct::RightParen | Punct::RightBrace | Punct::RightBracket) if depth == 0 => {
                    return Ok(None);
                }
                Kind::Punct(Punct::RightParen | Punct::RightBrace | Punct::RightBracket) => depth -= 1,
                Kind::Punct(Punct::Semicolon) if depth == 0 => break,
                Kind::End => return Ok(None),
                _ => {}
            }
            at += 1;
        }
        Ok(Some(Box::new(self.statement()?)))
    }

    fn condition(&mut self) -> Parsed<Condition> {
        self.in_brackets(|parser| {
            if parser.starts_declaration() {
                let decl = parser.attempt(Self::condition_declaration);
                if let Some(decl) = decl {
                    return Ok(Condition::Decl(decl));
                }
            }
            Ok(Condition::Expr(parser.expression()?))
        })
    }

    fn condition_declaration(&mut self) -> Parsed<Rc<Decl>> {
        let start = self.span();
        let specifiers = self.specifiers()?;
        if matches!(specifiers.ty, TypeSpecifier::None) {
            return Err(self.expected("a type"));
        }
        let declarator = self.declarator(Place::Named)?;
        if let Some(name) = declarator.name.as_ref().and_then(|name| name.plain()) {
            self.declare_local(name);
        }
        // `(T(x)(y))` is a call.
        if self.is(Punct::LeftParen) {
            return Err(self.expected("'='"));
        }
        let Some(initializer) = self.initializer()? else { return Err(self.expected("'='")) };
        let cell = std::cell::OnceCell::new();
        _ = cell.set(initializer);
        let declarators =
            vec![InitDeclarator { declarator, initializer: Some(Rc::new(cell)), bit_field: None }];
        let kind = DeclKind::Simple { specifiers: Rc::new(specifiers), declarators };
        Ok(Rc::new(Decl { kind, span: self.from(start) }))
    }

    fn for_statement(&mut self) -> Parsed<StatementKind> {
        self.skip();
        self.expect(Punct::LeftParen)?;
        self.in_brackets(|parser| {
            if let Some(decl) = parser.range_declaration()? {
                let range = parser.initializer_clause()?;
                parser.expect(Punct::RightParen)?;
                let body = Box::new(parser.in_scope(Self::statement)?);
                return Ok(StatementKind::RangeFor { decl, range, body });
            }
            let init = match parser.statement()? {
                Statement { kind: StatementKind::Empty, .. } => None,
                statement => Some(Box::new(statement)),
            };
            let condition = if parser.is(Punct::Semicolon) { None } else { Some(parser.condition()?) };
            parser.expect(Punct::Semicolon)?;
            let step = if parser.is(Punct::RightParen) { None } else { Some(parser.expression()?) };
            parser.expect(Punct::RightParen)?;
            let body = Box::new(parser.in_scope(Self::statement)?);
            Ok(StatementKind::For { init, condition, step, body })
        })
    }

    /// `T x :`, if the loop is over a range.
    fn range_declaration(&mut self) -> Parsed<Option<Rc<Decl>>> {
        if !self.starts_declaration() {
            return Ok(None);
        }
        Ok(self.attempt(|parser| {
            let start = parser.span();
            let mut attributes = Vec::new();
            parser.attributes(&mut attributes)?;
            let specifiers = parser.specifiers()?;
            if matches!(specifiers.ty, TypeSpecifier::Auto) {
                let reference = match parser.kind() {
                    Kind::Punct(Punct::Ampersand) => Some(false),
                    Kind::Punct(Punct::AndAnd) => Some(true),
                    _ => None,
                };
                let offset = usize::from(reference.is_some());
                if parser.kind_at(offset) == Kind::Punct(Punct::LeftBracket) {
                    parser.at += offset + 1;
                    let mut names = vec![parser.identifier()?];
                    while parser.eat(Punct::Comma) {
                        names.push(parser.identifier()?);
                    }
                    parser.expect(Punct::RightBracket)?;
                    parser.expect(Punct::Colon)?;
                    for name in &names {
                        parser.declare_local(*name);
                    }
                    let span = parser.from(start);
                    let initializer = crate::cxx::ast::Initializer::Paren(Vec::new(), span);
                    let specifiers = Rc::new(specifiers);
                    let kind = DeclKind::Bindings { specifiers, reference, names, initializer };
                    return Ok(Rc::new(Decl { kind, span }));
                }
            }
            let declarator = parser.declarator(Place::Named)?;
            parser.expect(Punct::Colon)?;
            if let Some(name) = declarator.name.as_ref().and_then(|name| name.plain()) {
                parser.declare_local(name);
            }
            let declarators = vec![InitDeclarator { declarator, initializer: None, bit_field: None }];
            let kind = DeclKind::Simple { specifiers: Rc::new(specifiers), declarators };
            Ok(Rc::new(Decl { kind, span: parser.from(start) }))
        }))
    }

    /// A declaration or an expression.
    fn plain_statement(&mut self) -> Parsed<StatementKind> {
        if self.starts_declaration() {
            return Ok(StatementKind::Decl(self.declaration()?));
        }
        let expr = self.expression()?;
        if self.tentative == 0
            && !self.is(Punct::Semicolon)
            && let crate::cxx::ast::ExprKind::Name(name) = &expr.kind
            && let Some(name) = name.plain()
            && self.names.find(name.symbol).is_none()
            && matches!(self.kind(), Kind::Identifier(_))
        {
            let text = self.text_of(name.symbol).to_owned();
            return self.fault(name.span, format!("unknown type name '{text}'"));
        }
        self.expect(Punct::Semicolon)?;
        Ok(StatementKind::Expr(expr))
    }

    /// Whether a declaration begins here ([stmt.ambig]: what can be a declaration is one).
    pub(super) fn starts_declaration(&mut self) -> bool {
        match self.kind() {
            Kind::Keyword(keyword) => match keyword {
                Keyword::Sizeof | Keyword::Alignof => false,
                Keyword::Typedef | Keyword::Static | Keyword::Extern | Keyword::Inline => true,
                Keyword::Struct | Keyword::Union | Keyword::Enum | Keyword::Auto | Keyword::Register => true,
                Keyword::Attribute | Keyword::StaticAssert | Keyword::Asm | Keyword::Typeof => true,
                Keyword::Kernel | Keyword::Pipe => true,
                Keyword::Const
                | Keyword::Volatile
                | Keyword::Global
                | Keyword::Local
                | Keyword::Constant
                | Keyword::Private
                | Keyword::Generic
                | Keyword::ReadOnly
                | Keyword::WriteOnly
                | Keyword::ReadWrite => true,
                _ => self.is_type_keyword(keyword) && !self.is_construction(),
            },
            Kind::Word(word) => match word {
                Word::Using
                | Word::StaticAssert
                | Word::Template
                | Word::Class
                | Word::Constexpr
                | Word::Alignas
                | Word::Namespace
                | Word::ThreadLocal
                | Word::WcharT
                | Word::Char16T
                | Word::Char32T
                | Word::Friend
                | Word::Virtual
                | Word::Mutable => true,
                Word::Typename | Word::Decltype => !self.is_construction(),
                _ => false,
            },
            Kind::Punct(Punct::LeftBracket) => self.kind_at(1) == Kind::Punct(Punct::LeftBracket),
            Kind::Identifier(_) | Kind::ColonColon => self.names_declaration(),
            _ => false,
        }
    }

    fn is_type_keyword(&self, keyword: Keyword) -> bool {
        matches!(
            keyword,
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
        )
    }

    /// Whether a type is followed by `(` or `{` as in `T(x) + 1`, so that it is an expression.
    fn is_construction(&mut self) -> bool {
        let (at, scope) = (self.at, self.names.current());
        self.tentative += 1;
        let specifiers = self.specifiers();
        let result = specifiers.is_ok()
            && match self.kind() {
                Kind::Punct(Punct::LeftBrace) | Kind::ColonColon => true,
                Kind::Punct(Punct::LeftParen) => !self.declares_in_parens(),
                _ => false,
            };
        self.tentative -= 1;
        self.at = at;
        self.names.go(scope);
        result
    }

    /// After a type: whether `(x)` declares `x`.
    fn declares_in_parens(&mut self) -> bool {
        self.declarator(Place::Named).is_ok_and(|declarator| {
            let is_function = declarator.derived.len() > 1 || declarator.derived.is_empty();
            is_function || !matches!(declarator.derived[0], crate::cxx::ast::Derived::Function(_))
        }) && matches!(
            self.kind(),
            Kind::Punct(Punct::Semicolon | Punct::Equal | Punct::Comma | Punct::LeftBrace | Punct::LeftParen)
        )
    }

    /// Whether a name begins a declaration.
    fn names_declaration(&mut self) -> bool {
        let (at, scope) = (self.at, self.names.current());
        self.tentative += 1;
        let name = self.qualified_name();
        let result = match name {
            Ok((_, Some(Meaning::Type(_) | Meaning::TypeTemplate(_)))) => match self.kind() {
                Kind::Identifier(_)
                | Kind::Punct(Punct::Star | Punct::Ampersand | Punct::AndAnd | Punct::Ellipsis)
                | Kind::Word(Word::Constexpr | Word::Alignas)
                | Kind::Keyword(_) => true,
                Kind::Punct(Punct::LeftBracket) => self.kind_at(1) == Kind::Punct(Punct::LeftBracket),
                Kind::Punct(Punct::LeftParen) => self.declares_in_parens(),
                _ => false,
            },
            // A name that depends on a template parameter.
            Ok((name, None)) => name.is_qualified() && matches!(self.kind(), Kind::Identifier(_)),
            _ => false,
        };
        self.tentative -= 1;
        self.at = at;
        self.names.go(scope);
        result
    }
}
