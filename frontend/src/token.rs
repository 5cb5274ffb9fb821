//! Tokens as the parser sees them: after preprocessing, with literals decoded.

use crate::Span;
use crate::symbol::Symbol;

/// A token.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Token {
    /// What it is.
    pub kind: TokenKind,
    /// Its place; in an expansion's range if it comes from a macro.
    pub span: Span,
}

/// Type of an integer literal's suffix (C99 §6.4.4.1).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct IntSuffix {
    /// `u` or `U`.
    pub unsigned: bool,
    /// `l` or `L`.
    pub long: bool,
    /// Written in base 10: the type list differs (C99 §6.4.4.1).
    pub decimal: bool,
}

/// Suffix of a floating-point literal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FloatSuffix {
    /// None: double, or single if `cl_khr_fp64` is absent or `-cl-single-precision-constant` is given.
    None,
    /// `f`.
    Float,
    /// `h` (cl_khr_fp16).
    Half,
}

/// What a token is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum TokenKind {
    /// An identifier that is not a keyword; a typedef name too.
    Identifier(Symbol),
    /// A keyword.
    Keyword(Keyword),
    /// An integer literal.
    Int(u64, IntSuffix),
    /// A floating-point literal, correctly rounded to double; `Symbol` is its spelling without suffix, so
    /// that single precision can be rounded once.
    Float(f64, FloatSuffix, Symbol),
    /// A character literal, of type `int` (C99 §6.4.4.4).
    Char(i32),
    /// A string literal with decoded escapes (each `char` of the text is one byte); adjacent ones are not yet
    /// joined.
    Str(Symbol),
    /// An operator or a bracket.
    Punct(Punct),
    /// C++: the suffix of the literal before it, which the program defines; the literal's text comes first.
    Suffix(Symbol, Symbol),
    /// A `#pragma` that the parser must see at its place.
    Pragma(Pragma),
}

/// Pragmas that reach the parser.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pragma {
    /// `OPENCL FP_CONTRACT` (OpenCL C §6.12): on, off or default.
    FpContract(Option<bool>),
    /// `OPENCL EXTENSION name : enable|disable`.
    Extension {
        /// Name, or `all`.
        name: Symbol,
        /// `enable`.
        enable: bool,
    },
    /// `unroll`, `unroll N` or `nounroll` (as 1): for the loop that follows; `None` is "fully".
    Unroll(Option<u32>),
    /// `pack`, with its value after `push` and `pop`: the greatest alignment of structure members, in bytes.
    Pack(Option<u32>),
}

macro_rules! spelled {
    ($(#[$doc:meta])* $name:ident { $($variant:ident = $text:literal $(| $alias:literal)*),* $(,)? }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[expect(missing_docs)]
        pub enum $name { $($variant),* }

        impl $name {
            /// All of them.
            pub const ALL: &[$name] = &[$($name::$variant),*];

            /// Its spelling (the first one if there are several).
            #[must_use]
            pub fn text(self) -> &'static str {
                match self { $($name::$variant => $text),* }
            }

            /// The one with this spelling.
            #[must_use]
            pub fn from_text(text: &str) -> Option<$name> {
                match text { $($text $(| $alias)* => Some($name::$variant),)* _ => None }
            }
        }
    };
}

spelled! {
    /// Keywords of C99 and OpenCL C. Names of built-in vector, image and other types (`float4`, `image2d_t`,
    /// `size_t`) are not keywords: they are identifiers that the parser's state knows as type names.
    Keyword {
        Auto = "auto", Break = "break", Case = "case", Char = "char", Const = "const" | "__const" | "__const__",
        Continue = "continue", Default = "default", Do = "do", Double = "double", Else = "else", Enum = "enum",
        Extern = "extern", Float = "float", For = "for", Goto = "goto", Half = "half", If = "if",
        Inline = "inline" | "__inline" | "__inline__", Int = "int", Long = "long", Register = "register",
        Restrict = "restrict" | "__restrict" | "__restrict__", Return = "return", Short = "short",
        Signed = "signed" | "__signed" | "__signed__", Sizeof = "sizeof", Static = "static", Struct = "struct",
        Switch = "switch", Typedef = "typedef", Union = "union", Unsigned = "unsigned", Void = "void",
        Volatile = "volatile" | "__volatile" | "__volatile__", While = "while", Bool = "bool" | "_Bool",
        Kernel = "__kernel" | "kernel", Global = "__global" | "global", Local = "__local" | "local",
        Constant = "__constant" | "constant", Private = "__private" | "private", Generic = "__generic" | "generic",
        ReadOnly = "__read_only" | "read_only", WriteOnly = "__write_only" | "write_only",
        ReadWrite = "__read_write" | "read_write", Attribute = "__attribute__" | "__attribute",
        Alignof = "__alignof__" | "__alignof" | "_Alignof", Typeof = "typeof" | "__typeof__" | "__typeof",
        Pipe = "pipe" | "__pipe", Complex = "complex" | "_Complex", Imaginary = "imaginary" | "_Imaginary",
        Extension = "__extension__", StaticAssert = "_Static_assert", Asm = "asm" | "__asm" | "__asm__",
    }
}

spelled! {
    /// Operators and brackets (C99 §6.4.6).
    Punct {
        LeftParen = "(", RightParen = ")", LeftBracket = "[" | "<:", RightBracket = "]" | ":>", LeftBrace = "{" | "<%",
        RightBrace = "}" | "%>", Dot = ".", Arrow = "->", PlusPlus = "++", MinusMinus = "--", Ampersand = "&",
        Star = "*", Plus = "+", Minus = "-", Tilde = "~", Exclaim = "!", Slash = "/", Percent = "%",
        ShiftLeft = "<<", ShiftRight = ">>", Less = "<", Greater = ">", LessEqual = "<=", GreaterEqual = ">=",
        EqualEqual = "==", NotEqual = "!=", Caret = "^", Pipe = "|", AndAnd = "&&", OrOr = "||", Question = "?",
        Colon = ":", Semicolon = ";", Ellipsis = "...", Equal = "=", StarEqual = "*=", SlashEqual = "/=",
        PercentEqual = "%=", PlusEqual = "+=", MinusEqual = "-=", ShiftLeftEqual = "<<=", ShiftRightEqual = ">>=",
        AndEqual = "&=", CaretEqual = "^=", OrEqual = "|=", Comma = ",", Hash = "#" | "%:", HashHash = "##" | "%:%:",
        At = "@",
    }
}
