//! The checked program: names and overloads resolved, every type known, every implicit conversion explicit.
//!
//! Lowering maps it to the IR and makes no decisions about the language. Invariants:
//! - No type is [`TypeKind::Error`](crate::types::TypeKind::Error): after an error lowering does not start.
//! - A [`Place`] designates an object (an lvalue); an [`Expr`] computes a value. Arrays and functions are
//!   never values: they have decayed. Structure values are only loads, calls, conditionals, commas and
//!   assignments, of places or of other structure values.
//! - Operands of an arithmetic operation already have its type. Constant expressions are folded where the
//!   language demands a constant, and may be folded elsewhere.

mod operation;
pub mod sequence;

pub use operation::{AsyncCopying, BuiltinCall, EnqueuedBlock, Enqueuing, Operation, Synchronizing};

use crate::Span;
use crate::symbol::Symbol;
use crate::types::{QualifiedType, RecordId, ScalarKind, TypeId, Types};
use clvk_interface::{PrintFormat, ProgramHook};
use clvk_ir::{AddressSpace, UnrollHint};

/// A checked translation unit.
#[derive(Debug)]
pub struct Program {
    /// Its types.
    pub types: Types,
    /// Functions, including those without a body.
    pub functions: Vec<Function>,
    /// Program-scope variables, `static` ones of functions, `__local` ones of kernels, string literals.
    pub globals: Vec<Global>,
    /// Calls of `printf`, by position.
    pub print_formats: Vec<PrintFormat>,
    /// Specialisation constants: ID and size in bytes, by ID.
    pub specialisation: Vec<(u32, u32)>,
}

/// A function, by position in [`Program::functions`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct FunctionId(pub u32);

/// A variable of static storage duration, by position in [`Program::globals`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct GlobalId(pub u32);

/// A parameter or automatic variable, by position in [`Function::locals`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct LocalId(pub u32);

/// A variable of static storage duration.
#[derive(Debug)]
pub struct Global {
    /// Name, unique in the program (function-scope ones are `function.name`).
    pub name: String,
    /// Type, complete.
    pub ty: QualifiedType,
    /// `Constant`, `Global` or `Local`.
    pub space: AddressSpace,
    /// Alignment in bytes.
    pub align: u32,
    /// Initial contents; `None` for `__local` variables and for zero.
    pub initializer: Option<ConstantData>,
    /// Whether other programs can define or use it (C99 §6.2.2).
    pub linkage: Linkage,
    /// Where the name stands.
    pub span: Span,
}

/// The visibility of a variable or function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Linkage {
    /// Only this program.
    Internal,
    /// Programs that are linked with it.
    External,
    /// It is external and defined by another program.
    Declared,
}

/// Contents of a variable as bytes, as long as its type.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConstantData {
    /// Little-endian bytes.
    pub bytes: Vec<u8>,
    /// Pointers among them: offset, target and addend in bytes.
    pub pointers: Vec<(u64, GlobalId, i64)>,
    /// The members of unions that have values, where that is known (C++).
    pub members: Vec<ActiveMember>,
}

/// The member of a union that has a value ([class.union]).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ActiveMember {
    /// Where the union begins.
    pub offset: u64,
    /// Its type.
    pub union: RecordId,
    /// The type of the member.
    pub member: TypeId,
}

/// A function.
#[derive(Debug)]
pub struct Function {
    /// Name in the source.
    pub name: String,
    /// Name in the module, unique in the program; for an overloadable function it encodes the parameters.
    pub link_name: String,
    /// Result type.
    pub result: TypeId,
    /// Parameters: the first locals, in order.
    pub param_count: usize,
    /// Locals for a block's captured variables (OpenCL C §6.14.3): parameters after the others.
    pub captures: Vec<LocalId>,
    /// Parameters and automatic variables.
    pub locals: Vec<Local>,
    /// Set for kernels.
    pub kernel: Option<Kernel>,
    /// Whether multiplications and additions may be fused everywhere in it (`FP_CONTRACT`, OpenCL C
    /// §6.15.2.1).
    pub contract: bool,
    /// Whether only this program can call it: `static`, `inline` and blocks.
    pub is_internal: bool,
    /// The body; `None` for a declaration.
    pub body: Option<Vec<Statement>>,
    /// What a kernel does after its body, wherever that returns: it destroys its objects in local memory
    /// (OpenCL C++ §2.5.2).
    pub epilogue: Vec<Statement>,
    /// Where the name stands.
    pub span: Span,
}

/// The attributes of a kernel (OpenCL C §6.9).
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Kernel {
    /// `reqd_work_group_size`.
    pub required_work_group_size: Option<[u32; 3]>,
    /// `required_num_sub_groups` (OpenCL C++ §2.8.3).
    pub required_sub_groups: Option<u32>,
    /// `work_group_size_hint`.
    pub work_group_size_hint: Option<[u32; 3]>,
    /// The type of `vec_type_hint`.
    pub vec_type_hint: Option<String>,
    /// Types of the parameters as spelled in the source.
    pub param_type_names: Vec<String>,
    /// `max_size` of the parameters (OpenCL C++ §2.8.4); empty if none has it.
    pub max_sizes: Vec<Option<u64>>,
    /// When the host launches it by itself, if it does.
    pub hook: Option<ProgramHook>,
}

/// A parameter or automatic variable.
#[derive(Clone, Debug, PartialEq)]
pub struct Local {
    /// Name; empty for a temporary or an unnamed parameter.
    pub name: String,
    /// Type, complete. Always in the private address space.
    pub ty: QualifiedType,
    /// Alignment in bytes.
    pub align: u32,
    /// Where the name stands.
    pub span: Span,
}

/// A block: a function, and its captured variables.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Block {
    /// The function, whose parameters are those of the block and then the captures; `None` for a null block.
    pub function: Option<FunctionId>,
    /// The values passed to the function after the arguments, in order.
    pub captures: Vec<Capture>,
}

/// A captured variable of a block.
#[derive(Clone, Debug, PartialEq)]
pub struct Capture {
    /// The variable of the enclosing function that keeps the value.
    pub local: LocalId,
    /// The value that it gets when the literal is evaluated; `None` if it already has it.
    pub value: Option<Expr>,
}

/// A statement.
#[derive(Clone, Debug, PartialEq)]
pub struct Statement {
    /// What it is.
    pub kind: StatementKind,
    /// The whole.
    pub span: Span,
}

/// Kinds of statements.
#[derive(Clone, Debug, PartialEq)]
pub enum StatementKind {
    Expr(Expr),
    /// The lifetime of an automatic variable begins; its memory belongs to the function.
    Declare {
        local: LocalId,
        initializer: Option<Initializer>,
    },
    Block(Vec<Statement>),
    /// Conditions are of type `bool`.
    If {
        condition: Expr,
        then: Box<Statement>,
        otherwise: Option<Box<Statement>>,
    },
    /// `while` and `for`: a missing condition is true. The first clause of a `for` is before it, in a block.
    While {
        condition: Option<Expr>,
        step: Option<Expr>,
        body: Box<Statement>,
        unroll: UnrollHint,
    },
    DoWhile {
        body: Box<Statement>,
        condition: Expr,
        unroll: UnrollHint,
    },
    /// The selector is of an integer type of 32 or 64 bits. The body holds [`StatementKind::Case`] at any
    /// depth.
    Switch {
        selector: Expr,
        body: Box<Statement>,
    },
    /// A label of the innermost switch, with its values as bit patterns of the selector's type; an empty list
    /// is `default`. The labelled statement follows it.
    Case {
        values: CaseValues,
    },
    Label(Symbol),
    Goto(Symbol),
    Break,
    Continue,
    Return(Option<Expr>),
}

/// Values of a case label.
#[derive(Clone, Debug, PartialEq)]
pub enum CaseValues {
    /// `default`.
    Default,
    /// From the first to the second, inclusive, in the order of the selector's type.
    Range(i128, i128),
}

/// An initialiser of an automatic variable.
#[derive(Clone, Debug, PartialEq)]
pub enum Initializer {
    /// The whole value.
    Value(Expr),
    /// Parts in order of evaluation; the rest is zero (`zero_rest` is false if the parts cover everything).
    Parts {
        /// The values and their offsets.
        parts: Vec<Part>,
        /// Clear the variable first.
        zero_rest: bool,
    },
}

/// A value that an initialiser stores in an object: once, or at regular distances (`[0 ... 3] = x`).
#[derive(Clone, Debug, PartialEq)]
pub struct Part {
    /// Byte offset of the first place.
    pub offset: u64,
    /// The value, evaluated once.
    pub value: Expr,
    /// Ranges of elements that hold it, the innermost first.
    pub repeats: Vec<Repeat>,
}

/// A range of elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Repeat {
    /// How many, at least one.
    pub count: u64,
    /// Bytes from one to the next.
    pub stride: u64,
}

impl Part {
    /// How often the value is stored.
    #[must_use]
    pub fn count(&self) -> u64 {
        self.repeats.iter().fold(1, |count, repeat| count.saturating_mul(repeat.count))
    }

    /// The byte offsets at which the value is stored.
    pub fn offsets(&self) -> impl Iterator<Item = u64> + '_ {
        (0..self.count()).map(|number| {
            let mut rest = number;
            self.repeats.iter().fold(self.offset, |offset, repeat| {
                let step = rest % repeat.count;
                rest /= repeat.count;
                offset + step * repeat.stride
            })
        })
    }
}

/// A value.
#[derive(Clone, Debug, PartialEq)]
pub struct Expr {
    /// How it is computed.
    pub kind: ExprKind,
    /// Type, without qualifiers.
    pub ty: TypeId,
    /// Where.
    pub span: Span,
}

/// A constant value.
#[derive(Clone, Debug, PartialEq)]
pub enum Constant {
    /// Bit pattern of a scalar; 0 for a null pointer.
    Bits(u64),
    /// Bit patterns of a vector's lanes.
    Lanes(Vec<u64>),
}

/// Arithmetic on two operands of one type, scalar or vector. The type also decides signedness and floating
/// point.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ArithmeticOp {
    Add,
    Sub,
    Mul,
    Div,
    Rem,
    /// The count has the type of the value and is taken modulo its width (OpenCL C §6.5.10).
    Shl,
    Shr,
    And,
    Or,
    Xor,
}

/// A comparison.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ComparisonOp {
    Equal,
    NotEqual,
    Less,
    LessEqual,
    Greater,
    GreaterEqual,
}

/// A conversion that keeps the number of lanes, or widens a scalar to a vector.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Conversion {
    /// Between arithmetic types, as C and OpenCL C §6.4 define implicit conversions and casts. It rounds
    /// toward zero to integers, to nearest even to floating point; to `bool` it compares with zero.
    Arithmetic,
    /// A scalar to each lane; the element types are equal.
    Splat,
    /// `bool` lanes (a vector comparison) are never seen: comparisons of vectors give integers.
    /// A pointer to a pointer to another type in the same address space, or to and from `void`: no operation.
    Pointer,
    /// A pointer to another address space.
    AddressSpace,
    /// A pointer to an integer.
    PointerToInt,
    /// An integer to a pointer.
    IntToPointer,
    /// A pointer to `bool`.
    PointerToBool,
    /// `as_type`: the same bits (OpenCL C §6.4.4.2). Sizes are equal, or 3 and 4 lanes.
    Reinterpret,
    /// To `void`.
    Discard,
}

/// Kinds of values.
#[derive(Clone, Debug, PartialEq)]
pub enum ExprKind {
    Constant(Constant),
    /// The object's value.
    Load(Place),
    /// The object's address, also for arrays that decay. The type is the pointer's.
    AddressOf(Place),
    /// `-a`.
    Negate(Box<Expr>),
    /// `~a`.
    BitNot(Box<Expr>),
    /// `!a` of a scalar: operand of type `bool`, result `int`.
    LogicalNot(Box<Expr>),
    Arithmetic {
        op: ArithmeticOp,
        left: Box<Expr>,
        right: Box<Expr>,
    },
    /// Scalars and pointers: result `int` 0 or 1. Vectors: the integer vector of the operands' width, lanes 0
    /// or −1 (OpenCL C §6.5.4). Operands have one type.
    Compare {
        op: ComparisonOp,
        left: Box<Expr>,
        right: Box<Expr>,
    },
    /// `&&` (`and` true) or `||` of scalars: operands of type `bool`, result `int`; the right one is
    /// evaluated only if needed. Vectors' are `Compare`s with zero and `Arithmetic`.
    Logical {
        and: bool,
        left: Box<Expr>,
        right: Box<Expr>,
    },
    /// `c ? a : b` with a scalar condition of type `bool`: only one is evaluated. Both have the result's
    /// type.
    Conditional {
        condition: Box<Expr>,
        then: Box<Expr>,
        otherwise: Box<Expr>,
    },
    /// `c ? a : b` with a vector condition of integers: the sign bit of each lane decides (OpenCL C §6.5.8);
    /// both are evaluated.
    VectorSelect {
        condition: Box<Expr>,
        then: Box<Expr>,
        otherwise: Box<Expr>,
    },
    Convert {
        conversion: Conversion,
        operand: Box<Expr>,
    },
    /// Pointer plus index × the pointee's size. The index is any integer, extended by its own signedness.
    PointerAdd {
        pointer: Box<Expr>,
        index: Box<Expr>,
        subtract: bool,
    },
    /// Difference of two pointers in elements, of type `long`.
    PointerDifference {
        left: Box<Expr>,
        right: Box<Expr>,
    },
    /// Evaluates `value`, then stores it; the result is the value stored. Structures are copied.
    Assign {
        target: Place,
        value: Box<Expr>,
    },
    /// `target op= value`: the target is read once and converted to `compute`, then the operation's result is
    /// converted back and stored. `value` has type `compute`; for a pointer target (`+=`, `-=`) it is the
    /// index.
    CompoundAssign {
        op: ArithmeticOp,
        target: Place,
        compute: TypeId,
        value: Box<Expr>,
    },
    /// `++`/`--`, prefix or postfix, of arithmetic types and pointers.
    Increment {
        target: Place,
        decrement: bool,
        prefix: bool,
    },
    Comma(Box<Expr>, Box<Expr>),
    /// A block: evaluating it gives its captures their values. It is not an IR value: it is called, or only
    /// evaluated.
    Block(Block),
    /// Arguments have the parameters' types; those of a block's captures follow.
    Call {
        function: FunctionId,
        arguments: Vec<Expr>,
    },
    /// A built-in function.
    Builtin(Box<BuiltinCall>),
    /// Parts in order, scalars and vectors of the element type; as many lanes in all as the result.
    VectorLiteral(Vec<Expr>),
    /// Lanes of a vector value; one lane gives the scalar.
    Swizzle {
        vector: Box<Expr>,
        lanes: Vec<u8>,
    },
    /// Lanes of two vectors of one type, numbered through the first and then the second; 255 is any value.
    Shuffle {
        vectors: Box<[Expr; 2]>,
        lanes: Vec<u8>,
    },
    /// `({ … })`: the statements are executed, then the value is computed; `void` if there is none. Only
    /// `return` jumps out of the statements, nothing jumps into them, and their end is reached.
    Statements {
        statements: Vec<Statement>,
        value: Option<Box<Expr>>,
    },
    /// A member of a structure value that is not a place (a function's result): offset in bytes.
    MemberOf {
        value: Box<Expr>,
        offset: u64,
    },
}

/// An object.
#[derive(Clone, Debug, PartialEq)]
pub struct Place {
    /// Which.
    pub kind: PlaceKind,
    /// Its type.
    pub ty: QualifiedType,
    /// Its address space.
    pub space: AddressSpace,
    /// Where.
    pub span: Span,
}

/// Kinds of objects.
#[derive(Clone, Debug, PartialEq)]
pub enum PlaceKind {
    /// A parameter or automatic variable.
    Local(LocalId),
    /// A variable of static storage duration.
    Global(GlobalId),
    /// The object that a pointer points to, or an array element.
    Deref(Box<Expr>),
    /// A member, at an offset in bytes.
    Member(Box<Place>, u64),
    /// Lanes of a vector, no lane twice if it is stored to; one lane is the scalar.
    Swizzle(Box<Place>, Vec<u8>),
    /// An element of a cooperative matrix, with its number among those that the work-item holds.
    MatrixElement(Box<Place>, Box<Expr>),
    /// A compound literal: the local is initialised, then designated.
    CompoundLiteral(LocalId, Box<Initializer>),
}

impl Program {
    /// A function.
    #[must_use]
    pub fn function(&self, id: FunctionId) -> &Function {
        &self.functions[id.0 as usize]
    }

    /// A variable of static storage duration.
    #[must_use]
    pub fn global(&self, id: GlobalId) -> &Global {
        &self.globals[id.0 as usize]
    }
}

/// Element kind and lanes of an arithmetic type that must be one (see [`Types::as_arithmetic`]).
///
/// # Panics
/// If it is not arithmetic, which would be a bug of the checker.
#[must_use]
pub fn arithmetic(types: &Types, ty: TypeId) -> (ScalarKind, u32) {
    types.as_arithmetic(ty).unwrap_or_else(|| panic!("{:?} is not arithmetic", types.kind(ty)))
}
