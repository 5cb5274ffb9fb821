//! The syntax tree: the program as written, with unresolved names (except that the parser knows which
//! identifiers are types).
//!
//! Expressions and statements are boxed trees, at most [`crate::limits::TREE_DEPTH`] deep, so recursion over
//! them is safe. The parser has already reported a [`TypeSpecifier::Missing`]; the checker refuses a
//! [`TypeSpecifier::Unsupported`].

use crate::Span;
use crate::symbol::Symbol;
use crate::token::{FloatSuffix, IntSuffix, Pragma, Punct};
use rustc_hash::FxHashSet;

/// An identifier with its place.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Name {
    /// The identifier.
    pub symbol: Symbol,
    /// Where.
    pub span: Span,
}

/// A translation unit.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TranslationUnit {
    /// Declarations, in order.
    pub items: Vec<Item>,
    /// Names in parts that the parser did not understand. They may be declared there, so their use is not an
    /// error.
    pub suspects: FxHashSet<Symbol>,
    /// Brackets were missing, and were inserted where they may be meant.
    pub is_repaired: bool,
    /// The parser understood few of the declarations, so that the text may be one of another language.
    pub is_foreign: bool,
}

/// An external declaration (C99 §6.9).
#[derive(Clone, Debug, PartialEq)]
pub enum Item {
    /// A function with its body.
    Function(Box<FunctionDefinition>),
    /// Variables, functions, types, typedefs.
    Declaration(Declaration),
    /// A pragma at file scope.
    Pragma(Pragma, Span),
    /// `_Static_assert`.
    StaticAssert(StaticAssert),
    /// A stray semicolon.
    Empty(Span),
}

/// `_Static_assert(condition, "message");` (an extension of C11 that clang has in OpenCL C too).
#[derive(Clone, Debug, PartialEq)]
pub struct StaticAssert {
    /// A constant expression that must not be zero.
    pub condition: Expr,
    /// The message if it is.
    pub message: Option<Vec<u8>>,
    /// The whole.
    pub span: Span,
}

/// A function definition.
#[derive(Clone, Debug, PartialEq)]
pub struct FunctionDefinition {
    /// Specifiers before the declarator.
    pub specifiers: Specifiers,
    /// Name and parameters.
    pub declarator: Declarator,
    /// Body.
    pub body: Block,
    /// From the first specifier to the closing brace.
    pub span: Span,
}

/// A declaration (C99 §6.7).
#[derive(Clone, Debug, PartialEq)]
pub struct Declaration {
    /// Specifiers.
    pub specifiers: Specifiers,
    /// Declared names; none in `struct s { … };`.
    pub declarators: Vec<InitDeclarator>,
    /// The whole.
    pub span: Span,
}

/// A declarator with its initialiser.
#[derive(Clone, Debug, PartialEq)]
pub struct InitDeclarator {
    /// Declarator.
    pub declarator: Declarator,
    /// After `=`.
    pub initializer: Option<Initializer>,
}

/// Storage-class specifiers (C99 §6.7.1, OpenCL C §6.10).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StorageClass {
    Typedef,
    Extern,
    Static,
    Auto,
    Register,
}

/// Address-space qualifiers as written (OpenCL C §6.7).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum AddressSpaceQualifier {
    Private,
    Local,
    Global,
    Constant,
    Generic,
}

/// Access qualifiers (OpenCL C §6.8).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum AccessQualifier {
    ReadOnly,
    WriteOnly,
    ReadWrite,
}

/// Type qualifiers. A qualifier that is written twice is kept once; conflicting address spaces are kept in
/// order, for the checker to refuse.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Qualifiers {
    /// `const`.
    pub is_const: Option<Span>,
    /// `volatile`.
    pub is_volatile: Option<Span>,
    /// `restrict`.
    pub is_restrict: Option<Span>,
    /// Address spaces.
    pub address_spaces: Vec<(AddressSpaceQualifier, Span)>,
    /// Access qualifiers.
    pub access: Vec<(AccessQualifier, Span)>,
}

/// Everything before the declarators.
#[derive(Clone, Debug, PartialEq)]
pub struct Specifiers {
    /// Storage classes.
    pub storage: Vec<(StorageClass, Span)>,
    /// `inline`.
    pub is_inline: Option<Span>,
    /// `__kernel`.
    pub is_kernel: Option<Span>,
    /// Qualifiers.
    pub qualifiers: Qualifiers,
    /// Attributes.
    pub attributes: Vec<Attribute>,
    /// The type; [`TypeSpecifier::Missing`] if none is given (an error: C99 has no implicit int).
    pub ty: TypeSpecifier,
    /// Span of the type.
    pub ty_span: Span,
    /// Span of all.
    pub span: Span,
}

/// Arithmetic types that consist of keywords (`unsigned long int`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum BasicType {
    Void,
    Bool,
    Char,
    UChar,
    Short,
    UShort,
    Int,
    UInt,
    Long,
    ULong,
    Half,
    Float,
    Double,
}

/// A type specifier.
#[derive(Clone, Debug, PartialEq)]
pub enum TypeSpecifier {
    /// Keywords.
    Basic(BasicType),
    /// A typedef name or the name of a built-in type (`float4`, `size_t`, `image2d_t`).
    Named(Name),
    /// `struct` or `union`.
    Record(Box<RecordSpecifier>),
    /// `enum`.
    Enum(Box<EnumSpecifier>),
    /// `typeof (expression)`.
    TypeofExpr(Box<Expr>),
    /// `typeof (type)`.
    TypeofType(Box<TypeName>),
    /// `pipe T`.
    Pipe(Box<TypeName>),
    /// Keyword combinations that are types in C but not in OpenCL C (`long double`), as text.
    Unsupported(&'static str),
    /// Keywords that cannot be combined, or none at all.
    Missing,
}

/// `struct`/`union` specifier.
#[derive(Clone, Debug, PartialEq)]
pub struct RecordSpecifier {
    /// `union`.
    pub is_union: bool,
    /// Tag.
    pub tag: Option<Name>,
    /// Members; `None` if only named.
    pub members: Option<Vec<MemberDeclaration>>,
    /// Whether members are missing because of a reported error.
    pub is_broken: bool,
    /// Attributes before and after.
    pub attributes: Vec<Attribute>,
    /// Greatest alignment of members, set by `#pragma pack`.
    pub pack: Option<u32>,
    /// The whole.
    pub span: Span,
}

/// Members declared together.
#[derive(Clone, Debug, PartialEq)]
pub struct MemberDeclaration {
    /// Specifiers.
    pub specifiers: Specifiers,
    /// Declarators with bit-field widths; none for an anonymous member.
    pub declarators: Vec<(Option<Declarator>, Option<Expr>)>,
    /// The whole.
    pub span: Span,
}

/// `enum` specifier.
#[derive(Clone, Debug, PartialEq)]
pub struct EnumSpecifier {
    /// Tag.
    pub tag: Option<Name>,
    /// Enumerators; `None` if only named.
    pub enumerators: Option<Vec<(Name, Option<Expr>)>>,
    /// Attributes.
    pub attributes: Vec<Attribute>,
    /// The whole.
    pub span: Span,
}

/// `__attribute__((name(arguments)))`.
#[derive(Clone, Debug, PartialEq)]
pub struct Attribute {
    /// Name.
    pub name: Name,
    /// Arguments; `vec_type_hint(float4)` has a type.
    pub arguments: Vec<AttributeArgument>,
    /// The whole.
    pub span: Span,
}

/// Argument of an attribute.
#[derive(Clone, Debug, PartialEq)]
pub enum AttributeArgument {
    /// An expression.
    Expr(Expr),
    /// A type.
    Type(TypeName),
}

/// Argument of a compiler built-in (`__builtin_…`).
#[derive(Clone, Debug, PartialEq)]
pub enum BuiltinArgument {
    /// An expression.
    Expr(Expr),
    /// A type.
    Type(TypeName),
    /// What `__builtin_offsetof` measures.
    Member(Vec<Designator>),
}

/// A declarator, inside out: `derived` lists what the name is, from the name outward ("array of 3 pointers to
/// …").
#[derive(Clone, Debug, PartialEq)]
pub struct Declarator {
    /// Declared name; none in an abstract declarator.
    pub name: Option<Name>,
    /// Pointer, array and function parts, the one nearest to the name first.
    pub derived: Vec<Derived>,
    /// Attributes after it.
    pub attributes: Vec<Attribute>,
    /// The whole.
    pub span: Span,
}

/// A part of a declarator.
#[derive(Clone, Debug, PartialEq)]
pub enum Derived {
    /// `*` with the qualifiers of the pointer itself.
    Pointer(Qualifiers, Span),
    /// `^`: a block (OpenCL C §6.14).
    BlockPointer(Qualifiers, Span),
    /// `[size]`, with qualifiers and `static` in parameters.
    Array {
        /// Size; none in `[]`.
        size: Option<Box<Expr>>,
        /// Qualifiers (of the pointer that a parameter becomes).
        qualifiers: Qualifiers,
        /// Where.
        span: Span,
    },
    /// `(parameters)`.
    Function(Parameters),
}

/// Parameters of a function declarator.
#[derive(Clone, Debug, PartialEq)]
pub struct Parameters {
    /// Parameters; empty for `()` and `(void)`.
    pub params: Vec<Parameter>,
    /// `...`.
    pub variadic: Option<Span>,
    /// The whole.
    pub span: Span,
}

/// A parameter.
#[derive(Clone, Debug, PartialEq)]
pub struct Parameter {
    /// Specifiers.
    pub specifiers: Specifiers,
    /// Declarator.
    pub declarator: Declarator,
    /// The whole.
    pub span: Span,
}

/// A type name (C99 §6.7.6): in casts, `sizeof`, compound literals.
#[derive(Clone, Debug, PartialEq)]
pub struct TypeName {
    /// Specifiers.
    pub specifiers: Specifiers,
    /// Abstract declarator.
    pub declarator: Declarator,
    /// The whole.
    pub span: Span,
}

/// An initialiser (C99 §6.7.8).
#[derive(Clone, Debug, PartialEq)]
pub enum Initializer {
    /// An expression.
    Expr(Expr),
    /// `{ … }`.
    List(InitializerList),
}

/// A braced list.
#[derive(Clone, Debug, PartialEq)]
pub struct InitializerList {
    /// Elements with their designators.
    pub elements: Vec<(Vec<Designator>, Initializer)>,
    /// The whole.
    pub span: Span,
}

/// A designator.
#[derive(Clone, Debug, PartialEq)]
pub enum Designator {
    /// `[index]`.
    Index(Expr),
    /// `[first ... last]`, from GNU C.
    Range(Expr, Expr),
    /// `.member`.
    Member(Name),
}

/// A compound statement.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Block {
    /// Statements and declarations.
    pub statements: Vec<Statement>,
    /// From brace to brace.
    pub span: Span,
}

/// A statement.
#[derive(Clone, Debug, PartialEq)]
pub struct Statement {
    /// What it is.
    pub kind: StatementKind,
    /// Attributes before it (`opencl_unroll_hint`).
    pub attributes: Vec<Attribute>,
    /// The whole.
    pub span: Span,
}

/// Kinds of statements (C99 §6.8).
#[derive(Clone, Debug, PartialEq)]
pub enum StatementKind {
    Expr(Expr),
    Declaration(Declaration),
    Block(Block),
    If {
        condition: Expr,
        then: Box<Statement>,
        otherwise: Option<Box<Statement>>,
    },
    While {
        condition: Expr,
        body: Box<Statement>,
    },
    DoWhile {
        body: Box<Statement>,
        condition: Expr,
    },
    For {
        init: Option<Box<Statement>>,
        condition: Option<Expr>,
        step: Option<Expr>,
        body: Box<Statement>,
    },
    Switch {
        selector: Expr,
        body: Box<Statement>,
    },
    /// `case value:` (or `case low ... high:`) with the statement that follows.
    Case {
        value: Expr,
        high: Option<Expr>,
        body: Box<Statement>,
    },
    Default {
        body: Box<Statement>,
    },
    Label {
        name: Name,
        body: Box<Statement>,
    },
    Goto(Name),
    Break,
    Continue,
    Return(Option<Expr>),
    Pragma(Pragma),
    StaticAssert(StaticAssert),
    Empty,
}

/// An expression.
#[derive(Clone, Debug, PartialEq)]
pub struct Expr {
    /// What it is.
    pub kind: ExprKind,
    /// The whole.
    pub span: Span,
}

/// Prefix operators.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum PrefixOp {
    Plus,
    Minus,
    BitNot,
    LogicalNot,
    Dereference,
    AddressOf,
    Increment,
    Decrement,
}

/// Binary operators without assignment.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum BinaryOp {
    Mul,
    Div,
    Rem,
    Add,
    Sub,
    Shl,
    Shr,
    Less,
    Greater,
    LessEqual,
    GreaterEqual,
    Equal,
    NotEqual,
    BitAnd,
    BitXor,
    BitOr,
    LogicalAnd,
    LogicalOr,
}

impl BinaryOp {
    /// The operator with this spelling.
    #[must_use]
    pub fn from_punct(punct: Punct) -> Option<Self> {
        Some(match punct {
            Punct::Star => Self::Mul,
            Punct::Slash => Self::Div,
            Punct::Percent => Self::Rem,
            Punct::Plus => Self::Add,
            Punct::Minus => Self::Sub,
            Punct::ShiftLeft => Self::Shl,
            Punct::ShiftRight => Self::Shr,
            Punct::Less => Self::Less,
            Punct::Greater => Self::Greater,
            Punct::LessEqual => Self::LessEqual,
            Punct::GreaterEqual => Self::GreaterEqual,
            Punct::EqualEqual => Self::Equal,
            Punct::NotEqual => Self::NotEqual,
            Punct::Ampersand => Self::BitAnd,
            Punct::Caret => Self::BitXor,
            Punct::Pipe => Self::BitOr,
            Punct::AndAnd => Self::LogicalAnd,
            Punct::OrOr => Self::LogicalOr,
            _ => return None,
        })
    }
}

/// Kinds of expressions (C99 §6.5, OpenCL C §6.5).
#[derive(Clone, Debug, PartialEq)]
pub enum ExprKind {
    Identifier(Symbol),
    Int(u64, IntSuffix),
    Float(f64, FloatSuffix, Symbol),
    Char(i32),
    /// Adjacent literals joined.
    Str(Vec<u8>),
    Paren(Box<Expr>),
    Prefix(PrefixOp, Box<Expr>),
    /// `++` (true) or `--` after the operand.
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
    /// `=`, or a compound assignment.
    Assign {
        op: Option<BinaryOp>,
        op_span: Span,
        target: Box<Expr>,
        value: Box<Expr>,
    },
    Conditional {
        condition: Box<Expr>,
        then: Box<Expr>,
        otherwise: Box<Expr>,
    },
    Comma(Box<Expr>, Box<Expr>),
    Call {
        callee: Box<Expr>,
        arguments: Vec<Expr>,
    },
    Index {
        base: Box<Expr>,
        index: Box<Expr>,
    },
    /// `base.name`, or `base->name`.
    Member {
        base: Box<Expr>,
        name: Name,
        arrow: bool,
    },
    Cast {
        ty: Box<TypeName>,
        operand: Box<Expr>,
    },
    /// `(float4)(a, b, c, d)`: a cast of a parenthesised list; the checker decides whether it is a vector
    /// literal or a cast of a comma expression.
    VectorLiteral {
        ty: Box<TypeName>,
        elements: Vec<Expr>,
    },
    /// `(type){ … }`.
    CompoundLiteral {
        ty: Box<TypeName>,
        list: InitializerList,
    },
    SizeofExpr(Box<Expr>),
    SizeofType(Box<TypeName>),
    AlignofType(Box<TypeName>),
    AlignofExpr(Box<Expr>),
    /// `vec_step(expression)`, which does not evaluate its operand (OpenCL C §6.15.13).
    VecStepExpr(Box<Expr>),
    VecStepType(Box<TypeName>),
    /// `({ … })`, from GNU C.
    Statements(Block),
    /// `__builtin_…(…)`, from GNU C and clang.
    CompilerBuiltin {
        name: Name,
        arguments: Vec<BuiltinArgument>,
    },
    /// `^result(parameters) { … }` (OpenCL C §6.14).
    BlockLiteral {
        result: Option<Box<TypeName>>,
        parameters: Option<Parameters>,
        body: Block,
    },
}
