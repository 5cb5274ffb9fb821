//! Expressions (\[expr\]) and initialisers ([dcl.init]).

use super::{Body, FunctionSuffix, Names, QualifiedName, Statement, TemplateArgument, TypeName};
use crate::Span;
use crate::ast::{BinaryOp, Name, PrefixOp};
use crate::symbol::Symbol;
use crate::token::{FloatSuffix, IntSuffix};
use std::cell::OnceCell;
use std::rc::Rc;

/// An initialiser.
#[derive(Clone, Debug)]
pub enum Initializer {
    /// `= e` and `= { … }`.
    Copy(Box<InitClause>),
    /// `(a, b)`.
    Paren(Vec<InitClause>, Span),
    /// `{ … }`.
    List(InitList),
}

/// An element of an initialiser or argument list.
#[derive(Clone, Debug)]
pub struct InitClause {
    /// An expression or a list.
    pub kind: InitClauseKind,
    /// `...` after it: the names in what is expanded.
    pub expansion: Option<Names>,
    /// `.name =` before it: an extension of clang's.
    pub designator: Option<Name>,
}

/// Kinds of clauses.
#[derive(Clone, Debug)]
pub enum InitClauseKind {
    Expr(Expr),
    List(InitList),
}

/// `{ … }`.
#[derive(Clone, Debug)]
pub struct InitList {
    /// Elements.
    pub elements: Vec<InitClause>,
    /// Where.
    pub span: Span,
}

/// An expression.
#[derive(Clone, Debug)]
pub struct Expr {
    /// What it is.
    pub kind: ExprKind,
    /// Where.
    pub span: Span,
}

/// Named casts ([expr.static.cast] and so on).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NamedCast {
    Static,
    Const,
    Reinterpret,
    AddressSpace,
    Dynamic,
}

/// What a fold expression folds ([expr.prim.fold]).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FoldOp {
    Binary(BinaryOp),
    Assign(Option<BinaryOp>),
    Comma,
}

/// A capture of a lambda expression.
#[derive(Clone, Debug)]
pub struct Capture {
    /// The variable; `this` if there is none.
    pub name: Option<Name>,
    /// By reference.
    pub by_reference: bool,
    /// Its initialiser.
    pub initializer: Option<Initializer>,
    /// `...`: the names in what is expanded.
    pub expansion: Option<Names>,
    /// Where.
    pub span: Span,
}

/// A lambda expression.
#[derive(Debug)]
pub struct Lambda {
    /// `[=]` (false) or `[&]` (true).
    pub default: Option<bool>,
    /// Captures.
    pub captures: Vec<Capture>,
    /// Parameters and what follows them.
    pub suffix: Rc<FunctionSuffix>,
    /// `mutable`.
    pub is_mutable: bool,
    /// `constexpr`.
    pub is_constexpr: bool,
    /// The body.
    pub body: Rc<OnceCell<Body>>,
    /// The names in the body.
    pub names: Names,
    /// Where.
    pub span: Span,
}

/// `new (placement) T[length](…)`.
#[derive(Debug)]
pub struct New {
    /// `::` before it.
    pub is_global: bool,
    /// Further arguments of `operator new`.
    pub placement: Vec<InitClause>,
    /// The type of the object, or of the elements.
    pub ty: TypeName,
    /// The number of elements.
    pub length: Option<Expr>,
    /// `(…)` or `{…}`.
    pub initializer: Option<Initializer>,
}

/// Kinds of expressions.
#[derive(Clone, Debug)]
pub enum ExprKind {
    Name(QualifiedName),
    Int(u64, IntSuffix),
    Float(f64, FloatSuffix, Symbol),
    Char(i32),
    Str(Vec<u8>),
    Bool(bool),
    Nullptr,
    This,
    /// A literal with the suffix of a program; the text is without it.
    UserLiteral {
        literal: Box<Expr>,
        text: Symbol,
        suffix: Name,
    },
    Paren(Box<Expr>),
    Prefix(PrefixOp, Box<Expr>),
    Postfix {
        increment: bool,
        operand: Box<Expr>,
    },
    Binary {
        op: BinaryOp,
        op_span: Span,
        left: Box<Expr>,
        right: Box<Expr>,
    },
    Assign {
        op: Option<BinaryOp>,
        target: Box<Expr>,
        value: Box<InitClause>,
    },
    Conditional {
        condition: Box<Expr>,
        then: Box<Expr>,
        otherwise: Box<Expr>,
    },
    Comma(Box<Expr>, Box<Expr>),
    Call {
        callee: Box<Expr>,
        arguments: Vec<InitClause>,
    },
    Index {
        base: Box<Expr>,
        index: Box<InitClause>,
    },
    Member {
        base: Box<Expr>,
        arrow: bool,
        name: QualifiedName,
    },
    /// `a.*b`, `a->*b`.
    MemberPointer {
        base: Box<Expr>,
        arrow: bool,
        member: Box<Expr>,
    },
    /// `(T)e`.
    Cast {
        ty: Box<TypeName>,
        operand: Box<Expr>,
    },
    /// `(float4)(a, b)`.
    VectorLiteral {
        ty: Box<TypeName>,
        elements: Vec<InitClause>,
    },
    /// `(T){ … }`.
    CompoundLiteral {
        ty: Box<TypeName>,
        list: InitList,
    },
    NamedCast {
        cast: NamedCast,
        ty: Box<TypeName>,
        operand: Box<Expr>,
    },
    /// `T(a, b)`, `T{a, b}`.
    Construct {
        ty: Box<TypeName>,
        initializer: Box<Initializer>,
    },
    SizeofExpr(Box<Expr>),
    SizeofType(Box<TypeName>),
    SizeofPack(Name),
    AlignofExpr(Box<Expr>),
    AlignofType(Box<TypeName>),
    VecStepExpr(Box<Expr>),
    VecStepType(Box<TypeName>),
    Noexcept(Box<Expr>),
    /// `__builtin_astype(e, T)`; `__builtin_convertvector(e, T)`.
    ValueAs {
        value: Box<Expr>,
        ty: Box<TypeName>,
        same_bits: bool,
    },
    /// A trait of types, such as `__is_same(T, U)`.
    Trait {
        name: Name,
        types: Vec<TemplateArgument>,
    },
    Lambda(Rc<Lambda>),
    Fold {
        op: FoldOp,
        left: Option<Box<Expr>>,
        right: Option<Box<Expr>>,
        names: Names,
    },
    New(Rc<New>),
    Delete {
        /// `::` before it.
        is_global: bool,
        /// `[]` after it.
        is_array: bool,
        operand: Box<Expr>,
    },
    /// `throw`: refused by name.
    Refused(&'static str),
    Statements(Rc<Vec<Statement>>),
}
