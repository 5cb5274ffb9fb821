//! The syntax tree of C++ (ISO C++17 as C++ for OpenCL restricts it).
//!
//! What templates and classes contain is shared ([`Rc`]), because every instantiation walks it again. Names are not
//! resolved here.

use crate::Span;
use crate::ast::{AccessQualifier, AddressSpaceQualifier, BasicType, BinaryOp, Name, PrefixOp};
use crate::symbol::Symbol;
use crate::token::{FloatSuffix, IntSuffix, Pragma};
use std::cell::OnceCell;
use std::rc::Rc;

/// Names that occur somewhere, in order, perhaps several times.
pub type Names = Rc<[Symbol]>;

/// A translation unit: its declarations, in order.
#[derive(Debug, Default)]
pub struct Unit {
    /// The declarations.
    pub decls: Vec<Rc<Decl>>,
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
    /// `~T`.
    Destructor(Option<Symbol>),
    /// `decltype(e)` before `::`, or `~decltype(e)`.
    Decltype(Rc<Expr>),
}

/// Operators that can be overloaded ([over.oper]).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Operator {
    /// A prefix operator; `+`, `-`, `*` and `&` also have a binary form, so `operator-` is [`Operator::Binary`].
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
    /// `new`, `delete` and their forms for arrays, which are refused.
    Allocation,
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
    /// The place of the type.
    pub ty_span: Span,
    /// The whole.
    pub span: Span,
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
    /// Name.
    pub name: Option<QualifiedName>,
    /// `: type`.
    pub underlying: Option<TypeName>,
    /// Enumerators; `None` if only named.
    pub enumerators: Option<Vec<(Name, Option<Expr>)>>,
    /// Where.
    pub span: Span,
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

/// A declaration.
#[derive(Debug)]
pub struct Decl {
    /// What it is.
    pub kind: DeclKind,
    /// Where.
    pub span: Span,
}

/// Kinds of declarations.
#[derive(Debug)]
pub enum DeclKind {
    Namespace {
        names: Vec<Name>,
        is_inline: bool,
        decls: Vec<Rc<Decl>>,
    },
    NamespaceAlias {
        name: Name,
        target: QualifiedName,
    },
    UsingNamespace(QualifiedName),
    /// Each name, with the names in it if it is expanded.
    Using(Vec<(QualifiedName, Option<Names>)>),
    Alias {
        name: Name,
        ty: TypeName,
    },
    StaticAssert {
        condition: Expr,
        message: Option<String>,
    },
    /// Variables, functions without bodies, types.
    Simple {
        specifiers: Rc<Specifiers>,
        declarators: Vec<InitDeclarator>,
    },
    /// `auto [a, b] = e`.
    Bindings {
        specifiers: Rc<Specifiers>,
        reference: Option<bool>,
        names: Vec<Name>,
        initializer: Initializer,
    },
    Function(Rc<FunctionDecl>),
    Template(Rc<TemplateDecl>),
    /// `template <> …`.
    Specialization(Rc<Decl>),
    /// `template …` without parameters; `extern` first.
    Instantiation {
        is_extern: bool,
        decl: Rc<Decl>,
    },
    /// `A(T) -> A<T>;`
    DeductionGuide {
        name: Name,
        suffix: Rc<FunctionSuffix>,
        target: TypeName,
        is_explicit: bool,
    },
    /// `extern "C"`.
    Linkage(Vec<Rc<Decl>>),
    Pragma(Pragma),
    Empty,
}

/// A declarator with its initialiser.
#[derive(Debug)]
pub struct InitDeclarator {
    /// Declarator.
    pub declarator: Declarator,
    /// Initialiser; of a member it may be parsed later.
    pub initializer: Option<Rc<OnceCell<Initializer>>>,
    /// Width of a bit-field.
    pub bit_field: Option<Span>,
}

/// A function with a body, or `= default`, `= delete`.
#[derive(Debug)]
pub struct FunctionDecl {
    /// Specifiers.
    pub specifiers: Rc<Specifiers>,
    /// Declarator, whose first part is the function's.
    pub declarator: Declarator,
    /// Body; `None` for a declaration.
    pub body: Option<FunctionBody>,
    /// `override` or `final`.
    pub virtual_specifier: Option<Span>,
    /// `= 0`.
    pub pure: Option<Span>,
}

impl FunctionDecl {
    /// Parameters and what follows them.
    #[must_use]
    pub fn suffix(&self) -> &Rc<FunctionSuffix> {
        match self.declarator.derived.first() {
            Some(Derived::Function(suffix)) => suffix,
            _ => unreachable!("the parser makes functions of declarators of functions"),
        }
    }
}

/// Kinds of function bodies.
#[derive(Debug)]
pub enum FunctionBody {
    /// Statements; in a class they are parsed at its end.
    Statements(Rc<OnceCell<Body>>),
    Default,
    Delete,
}

/// Member initialisers and statements.
#[derive(Debug)]
pub struct Body {
    /// Of a constructor.
    pub initializers: Vec<MemberInitializer>,
    /// The statements.
    pub block: Vec<Statement>,
    /// From brace to brace.
    pub span: Span,
}

/// `name(arguments)` in a constructor.
#[derive(Debug)]
pub struct MemberInitializer {
    /// A member or a base.
    pub name: QualifiedName,
    /// `(…)` or `{…}`.
    pub initializer: Initializer,
    /// `...`: the names in what is expanded.
    pub expansion: Option<Names>,
}

/// `template <params> decl`.
#[derive(Debug)]
pub struct TemplateDecl {
    /// Parameters.
    pub params: Rc<Vec<TemplateParam>>,
    /// What is a template.
    pub decl: Rc<Decl>,
}

/// A template parameter.
#[derive(Debug)]
pub struct TemplateParam {
    /// Name.
    pub name: Option<Name>,
    /// `...`.
    pub is_pack: bool,
    /// What it takes.
    pub kind: TemplateParamKind,
    /// Default argument.
    pub default: Option<TemplateArgument>,
    /// Where.
    pub span: Span,
}

/// Kinds of template parameters.
#[derive(Debug)]
pub enum TemplateParamKind {
    Type,
    Value { specifiers: Rc<Specifiers>, declarator: Declarator },
    Template,
}

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
    /// The body.
    pub body: Rc<OnceCell<Body>>,
    /// The names in the body.
    pub names: Names,
    /// Where.
    pub span: Span,
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
        op_span: Span,
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
    /// A trait of types, such as `__is_same(T, U)`.
    Trait {
        name: Name,
        types: Vec<TypeName>,
    },
    Lambda(Rc<Lambda>),
    Fold {
        op: FoldOp,
        left: Option<Box<Expr>>,
        right: Option<Box<Expr>>,
        names: Names,
    },
    /// `new`, `delete`, `throw`, `typeid`: refused by name.
    Refused(&'static str),
    Statements(Rc<Vec<Statement>>),
}
