//! The syntax tree of C++ (ISO C++17 as C++ for OpenCL restricts it).
//!
//! What templates and classes contain is shared ([`Rc`]), because every instantiation walks it again. Names
//! are not resolved here.

mod decl;
mod expr;
mod statement;

use crate::Span;
use crate::ast::{AccessQualifier, AddressSpaceQualifier, BasicType, BinaryOp, Name, PrefixOp};
use crate::symbol::Symbol;
use crate::types::TypeId;
pub use decl::{
    Body, Decl, DeclKind, FunctionBody, FunctionDecl, InitDeclarator, MemberInitializer, TemplateDecl,
    TemplateParam, TemplateParamKind,
};
pub use expr::{
    Capture, Expr, ExprKind, FoldOp, InitClause, InitClauseKind, InitList, Initializer, Lambda, NamedCast,
    New,
};
use rustc_hash::FxHashSet;
pub use statement::{Condition, Statement, StatementKind};
use std::cell::OnceCell;
use std::rc::Rc;

/// Names that occur somewhere, in order, perhaps several times.
pub type Names = Rc<[Symbol]>;

/// A translation unit: its declarations, in order.
#[derive(Debug, Default)]
pub struct Unit {
    /// The declarations.
    pub decls: Vec<Rc<Decl>>,
    /// Names in templates that do not depend on parameters and that the program does not declare: they may be
    /// built-in.
    pub undeclared: Vec<Undeclared>,
    /// Names in what was not understood, which may have declared them.
    pub lost: FxHashSet<Symbol>,
}

/// A name that a program does not declare.
#[derive(Clone, Copy, Debug)]
pub struct Undeclared {
    /// The name.
    pub name: Name,
    /// A base class that depends on a template parameter may have it.
    pub is_in_base: bool,
}

/// A name with what is written before it: `a::b<int>::c`.
#[derive(Clone, Debug)]
pub struct QualifiedName {
    /// It begins with `::`.
    pub is_global: bool,
    /// The parts; the last one is the name itself.
    pub parts: Vec<Part>,
    /// The whole.
    pub span: Span,
}

impl QualifiedName {
    /// The last part.
    #[must_use]
    pub fn last(&self) -> &Part {
        self.parts.last().expect("a name has a part")
    }

    /// Whether something is written before the name.
    #[must_use]
    pub fn is_qualified(&self) -> bool {
        self.is_global || self.parts.len() > 1
    }

    /// The name, if it is an identifier alone.
    #[must_use]
    pub fn plain(&self) -> Option<Name> {
        match (self.is_qualified(), self.last()) {
            (false, Part { id: Id::Name(symbol), arguments: None, span }) => {
                Some(Name { symbol: *symbol, span: *span })
            }
            _ => None,
        }
    }
}

/// A part of a qualified name.
#[derive(Clone, Debug)]
pub struct Part {
    /// The name.
    pub id: Id,
    /// Template arguments, `<…>`.
    pub arguments: Option<Vec<TemplateArgument>>,
    /// Where.
    pub span: Span,
}

/// An unqualified name ([expr.prim.id.unqual]).
#[derive(Clone, Debug)]
pub enum Id {
    /// An identifier.
    Name(Symbol),
    /// `operator+`.
    Operator(Operator),
    /// `operator T`.
    Conversion(Rc<TypeName>),
    /// `operator""_x`.
    Literal(Symbol),
    /// `~T`; without a name for `~decltype(e)`.
    Destructor(Option<Name>),
    /// `decltype(e)` before `::`, or `~decltype(e)`.
    Decltype(Rc<Expr>),
}

/// Operators that can be overloaded ([over.oper]).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Operator {
    /// A prefix operator; `+`, `-`, `*` and `&` also have a binary form, so `operator-` is
    /// [`Operator::Binary`].
    Prefix(PrefixOp),
    /// A binary operator.
    Binary(BinaryOp),
    /// `=`, or a compound assignment.
    Assign(Option<BinaryOp>),
    /// `++`, prefix and postfix.
    Increment,
    /// `--`, prefix and postfix.
    Decrement,
    /// `()`.
    Call,
    /// `[]`.
    Index,
    /// `->`.
    Arrow,
    /// `->*`.
    ArrowStar,
    /// `,`.
    Comma,
    /// `new`, `new[]`.
    New { is_array: bool },
    /// `delete`, `delete[]`.
    Delete { is_array: bool },
}

/// A template argument as written.
#[derive(Clone, Debug)]
pub struct TemplateArgument {
    /// What it is.
    pub kind: TemplateArgumentKind,
    /// `...` after it: the names in what is expanded.
    pub expansion: Option<Names>,
    /// Where.
    pub span: Span,
}

/// Kinds of template arguments.
#[derive(Clone, Debug)]
pub enum TemplateArgumentKind {
    /// A type; a name of a template, too.
    Type(TypeName),
    /// A constant expression.
    Expr(Expr),
}

/// Type qualifiers and the address space.
#[derive(Clone, Debug, Default)]
pub struct Qualifiers {
    /// `const`.
    pub is_const: bool,
    /// `volatile`.
    pub is_volatile: bool,
    /// `restrict`.
    pub restrict: Option<Span>,
    /// Address spaces in order.
    pub spaces: Vec<(AddressSpaceQualifier, Span)>,
    /// Access qualifiers.
    pub access: Vec<(AccessQualifier, Span)>,
}

/// Specifiers before declarators ([dcl.spec]).
#[derive(Clone, Debug)]
pub struct Specifiers {
    /// `typedef`.
    pub is_typedef: bool,
    /// `static`.
    pub is_static: Option<Span>,
    /// `extern`.
    pub is_extern: Option<Span>,
    /// `inline`.
    pub is_inline: bool,
    /// `constexpr`.
    pub is_constexpr: Option<Span>,
    /// `friend`.
    pub is_friend: Option<Span>,
    /// `mutable`.
    pub is_mutable: Option<Span>,
    /// `explicit`.
    pub is_explicit: bool,
    /// `virtual`.
    pub is_virtual: Option<Span>,
    /// `kernel`.
    pub is_kernel: Option<Span>,
    /// Qualifiers.
    pub qualifiers: Qualifiers,
    /// Attributes.
    pub attributes: Vec<Attribute>,
    /// The type.
    pub ty: TypeSpecifier,
    /// `long long` or `long double`, which literal operators tell from `long` and `double`.
    pub is_longest: bool,
    /// The place of the type.
    pub ty_span: Span,
    /// The whole.
    pub span: Span,
}

impl Specifiers {
    /// A type and nothing else.
    pub fn of(ty: TypeSpecifier, span: Span) -> Self {
        Specifiers {
            is_typedef: false,
            is_static: None,
            is_extern: None,
            is_inline: false,
            is_constexpr: None,
            is_friend: None,
            is_mutable: None,
            is_explicit: false,
            is_virtual: None,
            is_kernel: None,
            qualifiers: Qualifiers::default(),
            attributes: Vec::new(),
            ty,
            is_longest: false,
            ty_span: span,
            span,
        }
    }
}

/// A type specifier.
#[derive(Clone, Debug)]
pub enum TypeSpecifier {
    /// Keywords.
    Basic(BasicType),
    /// A name: of a class, an alias, a template with its arguments, a built-in type.
    Named(QualifiedName),
    /// `struct x { … }`, `class x`.
    Class(Rc<ClassSpecifier>),
    /// `enum`.
    Enum(Rc<EnumSpecifier>),
    /// `auto`.
    Auto,
    /// `decltype(auto)`.
    DecltypeAuto,
    /// `decltype(e)`.
    Decltype(Rc<Expr>),
    /// `typeof(type)`.
    Typeof(Rc<TypeName>),
    /// `__underlying_type(T)`.
    Underlying(Rc<TypeName>),
    /// `pipe T`.
    Pipe(Rc<TypeName>),
    /// A type that is known already; the parser makes none.
    Known(TypeId),
    /// None: constructors, destructors, conversion functions.
    None,
}

/// An attribute in any spelling.
#[derive(Clone, Debug)]
pub struct Attribute {
    /// Name without underscores around it.
    pub name: String,
    /// Arguments.
    pub arguments: Vec<TemplateArgument>,
    /// Where.
    pub span: Span,
}

/// The keyword of a class.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ClassKey {
    Struct,
    Class,
    Union,
}

/// `class x : bases { members }`.
#[derive(Debug)]
pub struct ClassSpecifier {
    /// `struct`, `class` or `union`.
    pub key: ClassKey,
    /// Name; with template arguments in a specialisation.
    pub name: Option<QualifiedName>,
    /// Attributes.
    pub attributes: Vec<Attribute>,
    /// `final`.
    pub is_final: bool,
    /// Greatest alignment of members (`#pragma pack`).
    pub pack: Option<u32>,
    /// Bases and members; `None` if only named.
    pub body: Option<ClassBody>,
    /// `friend class x;` and the like name without declaring here.
    pub span: Span,
}

/// The definition of a class.
#[derive(Debug, Default)]
pub struct ClassBody {
    /// Base classes.
    pub bases: Vec<Base>,
    /// Members with their access.
    pub members: Vec<(Access, Rc<Decl>)>,
}

/// Member access ([class.access]).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Access {
    Public,
    Protected,
    Private,
}

/// A base class.
#[derive(Clone, Debug)]
pub struct Base {
    /// Its type.
    pub ty: QualifiedName,
    /// Access, if written.
    pub access: Option<Access>,
    /// `virtual`.
    pub is_virtual: Option<Span>,
    /// The names in its type.
    pub names: Names,
    /// `...`: the names in what is expanded.
    pub expansion: Option<Names>,
    /// Where.
    pub span: Span,
}

/// An enumeration.
#[derive(Debug)]
pub struct EnumSpecifier {
    /// `enum class`.
    pub is_scoped: bool,
    /// `packed`.
    pub is_packed: bool,
    /// Name.
    pub name: Option<QualifiedName>,
    /// `: type`.
    pub underlying: Option<TypeName>,
    /// Enumerators; `None` if only named.
    pub enumerators: Option<Vec<(Name, Option<Expr>)>>,
}

/// A declarator, inside out as in C.
#[derive(Clone, Debug)]
pub struct Declarator {
    /// Declared name; none in an abstract declarator.
    pub name: Option<QualifiedName>,
    /// `...` before the name: a pack.
    pub pack: Option<Span>,
    /// Parts from the name outward.
    pub derived: Vec<Derived>,
    /// Attributes.
    pub attributes: Vec<Attribute>,
    /// Where.
    pub span: Span,
}

/// A part of a declarator.
#[derive(Clone, Debug)]
pub enum Derived {
    /// `*`.
    Pointer(Qualifiers, Span),
    /// `&` or `&&`.
    Reference {
        /// `&&`.
        is_rvalue: bool,
        /// Address space between the sign and the name; refused.
        span: Span,
    },
    /// `C::*`.
    MemberPointer(QualifiedName, Qualifiers, Span),
    /// `[n]`.
    Array(Option<Rc<Expr>>, Span),
    /// `(parameters)`.
    Function(Rc<FunctionSuffix>),
}

/// What follows a function's name.
#[derive(Debug)]
pub struct FunctionSuffix {
    /// Parameters.
    pub params: Vec<Param>,
    /// `...` of C.
    pub variadic: Option<Span>,
    /// Qualifiers of `this`.
    pub qualifiers: Qualifiers,
    /// `&` (false) or `&&` (true).
    pub reference: Option<bool>,
    /// `-> type`.
    pub trailing: Option<TypeName>,
    /// `throw(…)`, which is refused.
    pub throws: Option<Span>,
    /// `noexcept`.
    pub noexcept: Option<Noexcept>,
}

/// `noexcept`, or `noexcept(condition)` ([except.spec]).
#[derive(Debug)]
pub struct Noexcept {
    /// The condition; in a class it is parsed at its end.
    pub condition: Option<Rc<OnceCell<Expr>>>,
    /// Where.
    pub span: Span,
}

/// A parameter.
#[derive(Debug)]
pub struct Param {
    /// Specifiers.
    pub specifiers: Specifiers,
    /// Declarator.
    pub declarator: Declarator,
    /// Default argument, which may be parsed later.
    pub default: Option<Rc<OnceCell<Initializer>>>,
    /// The names in it, if it is a pack.
    pub expansion: Option<Names>,
    /// Where.
    pub span: Span,
}

/// A type name.
#[derive(Clone, Debug)]
pub struct TypeName {
    /// Specifiers.
    pub specifiers: Rc<Specifiers>,
    /// Abstract declarator.
    pub declarator: Declarator,
    /// Where.
    pub span: Span,
}
