//! Statements ([stmt.stmt]).

use super::{Attribute, Decl, Expr, InitClause};
use crate::Span;
use crate::ast::Name;
use crate::token::Pragma;
use std::rc::Rc;

/// A statement.
#[derive(Debug)]
pub struct Statement {
    /// What it is.
    pub kind: StatementKind,
    /// Attributes before it.
    pub attributes: Vec<Attribute>,
    /// Where.
    pub span: Span,
}

/// Kinds of statements.
#[derive(Debug)]
pub enum StatementKind {
    Expr(Expr),
    Decl(Rc<Decl>),
    Block(Vec<Statement>),
    If {
        is_constexpr: bool,
        init: Option<Box<Statement>>,
        condition: Condition,
        then: Box<Statement>,
        otherwise: Option<Box<Statement>>,
    },
    While {
        condition: Condition,
        body: Box<Statement>,
    },
    DoWhile {
        body: Box<Statement>,
        condition: Expr,
    },
    For {
        init: Option<Box<Statement>>,
        condition: Option<Condition>,
        step: Option<Expr>,
        body: Box<Statement>,
    },
    RangeFor {
        decl: Rc<Decl>,
        range: InitClause,
        body: Box<Statement>,
    },
    Switch {
        init: Option<Box<Statement>>,
        condition: Condition,
        body: Box<Statement>,
    },
    Case {
        value: Expr,
        high: Option<Expr>,
        body: Box<Statement>,
    },
    Default(Box<Statement>),
    Label(Name, Box<Statement>),
    Goto(Name),
    Break,
    Continue,
    Return(Option<InitClause>),
    Pragma(Pragma),
    Empty,
}

/// The condition of a statement.
#[derive(Debug)]
pub enum Condition {
    Expr(Expr),
    /// A declaration of one variable, whose value decides.
    Decl(Rc<Decl>),
}
