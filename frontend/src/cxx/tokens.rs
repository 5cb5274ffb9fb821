//! Tokens of C++: those of C, whose keywords are extended and whose punctuation is joined.

use crate::Span;
use crate::symbol::{Interner, Symbol};
use crate::token::{FloatSuffix, IntSuffix, Keyword, Pragma, Punct, Token, TokenKind};
use rustc_hash::FxHashMap;

macro_rules! words {
    ($($variant:ident = $($text:literal)|+),* $(,)?) => {
        /// Keywords that C does not have. `final`, `override` are words only at their places.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum Word { $($variant),* }

        impl Word {
            /// The spelling.
            pub fn text(self) -> &'static str {
                match self { $(Word::$variant => [$($text),+][0]),* }
            }
        }

        const WORDS: &[(&str, Word)] = &[$($(($text, Word::$variant)),+),*];
    };
}

words! {
    Alignas = "alignas", Alignof = "alignof", Class = "class", ConstCast = "const_cast", Constexpr = "constexpr",
    Decltype = "decltype", Delete = "delete", DynamicCast = "dynamic_cast", Explicit = "explicit", False = "false",
    Friend = "friend", Mutable = "mutable", Namespace = "namespace", New = "new", Noexcept = "noexcept",
    Nullptr = "nullptr", Operator = "operator", Protected = "protected", Public = "public",
    ReinterpretCast = "reinterpret_cast", AddrspaceCast = "addrspace_cast", StaticAssert = "static_assert",
    StaticCast = "static_cast", Template = "template", This = "this", ThreadLocal = "thread_local", Throw = "throw",
    True = "true", Try = "try", Catch = "catch", Typeid = "typeid", Typename = "typename", Using = "using",
    Virtual = "virtual", WcharT = "wchar_t", Char16T = "char16_t", Char32T = "char32_t",
    And = "and", AndEq = "and_eq", Bitand = "bitand", Bitor = "bitor", Compl = "compl", Not = "not",
    NotEq = "not_eq", Or = "or", OrEq = "or_eq", Xor = "xor", XorEq = "xor_eq",
}

impl Word {
    /// The operator that a word is another spelling of.
    fn punct(self) -> Option<Punct> {
        Some(match self {
            Word::And => Punct::AndAnd,
            Word::AndEq => Punct::AndEqual,
            Word::Bitand => Punct::Ampersand,
            Word::Bitor => Punct::Pipe,
            Word::Compl => Punct::Tilde,
            Word::Not => Punct::Exclaim,
            Word::NotEq => Punct::NotEqual,
            Word::Or => Punct::OrOr,
            Word::OrEq => Punct::OrEqual,
            Word::Xor => Punct::Caret,
            Word::XorEq => Punct::CaretEqual,
            _ => return None,
        })
    }
}

/// What a token is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Kind {
    Identifier(Symbol),
    Keyword(Keyword),
    Word(Word),
    Int(u64, IntSuffix),
    Float(f64, FloatSuffix, Symbol),
    Char(i32),
    Str(Symbol),
    /// The suffix, defined by the program, of the literal before it, whose text comes first.
    Suffix(Symbol, Symbol),
    Punct(Punct),
    /// The second half of `>>`, whose first half is a `>`: both may close template arguments.
    SecondGreater,
    /// The same of `>>=`.
    SecondGreaterEqual,
    /// `::`.
    ColonColon,
    /// `.*`.
    DotStar,
    /// `->*`.
    ArrowStar,
    Pragma(Pragma),
    End,
}

/// A token.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Tok {
    pub kind: Kind,
    pub span: Span,
}

/// The tokens as C++ sees them; the last one is the end.
pub fn convert(tokens: &[Token], interner: &mut Interner) -> Vec<Tok> {
    let words: FxHashMap<Symbol, Word> =
        WORDS.iter().map(|(text, word)| (interner.intern(text), *word)).collect();
    let mut result: Vec<Tok> = Vec::with_capacity(tokens.len() + 1);
    for token in tokens {
        let kind = match token.kind {
            TokenKind::Identifier(symbol) => match words.get(&symbol) {
                Some(word) => word.punct().map_or(Kind::Word(*word), Kind::Punct),
                None => Kind::Identifier(symbol),
            },
            TokenKind::Keyword(keyword) => Kind::Keyword(keyword),
            TokenKind::Int(value, suffix) => Kind::Int(value, suffix),
            TokenKind::Float(value, suffix, text) => Kind::Float(value, suffix, text),
            TokenKind::Char(value) => Kind::Char(value),
            TokenKind::Str(text) => Kind::Str(text),
            TokenKind::Suffix(text, suffix) => Kind::Suffix(text, suffix),
            TokenKind::Punct(punct) => Kind::Punct(punct),
            TokenKind::Pragma(pragma) => Kind::Pragma(pragma),
        };
        if let TokenKind::Punct(whole @ (Punct::ShiftRight | Punct::ShiftRightEqual)) = token.kind {
            let middle = (token.span.start + 1).min(token.span.end);
            let second =
                if whole == Punct::ShiftRight { Kind::SecondGreater } else { Kind::SecondGreaterEqual };
            let first = Span::new(token.span.start, middle);
            result.push(Tok { kind: Kind::Punct(Punct::Greater), span: first });
            result.push(Tok { kind: second, span: Span::new(middle, token.span.end) });
            continue;
        }
        // `u8"text"`, `u8'c'`
        if let (Kind::Str(_) | Kind::Char(_), Some(Tok { kind: Kind::Identifier(prefix), span })) =
            (kind, result.last().copied())
            && span.end == token.span.start
            && interner.text(prefix) == "u8"
        {
            result.pop();
        }
        // `"text"_suffix` and `'c'_suffix`; those of numbers come as tokens.
        if let Kind::Identifier(suffix) = kind
            && interner.text(suffix).starts_with('_')
            && let Some(Tok { kind: before @ (Kind::Str(_) | Kind::Char(_)), span }) = result.last().copied()
            && span.end == token.span.start
        {
            let text = match before {
                Kind::Str(text) => text,
                _ => suffix,
            };
            result.push(Tok { kind: Kind::Suffix(text, suffix), span: token.span });
            continue;
        }
        let joined = result.last().and_then(|last| {
            if last.span.end != token.span.start {
                return None;
            }
            match (last.kind, kind) {
                (Kind::Punct(Punct::Colon), Kind::Punct(Punct::Colon)) => Some(Kind::ColonColon),
                (Kind::Punct(Punct::Dot), Kind::Punct(Punct::Star)) => Some(Kind::DotStar),
                (Kind::Punct(Punct::Arrow), Kind::Punct(Punct::Star)) => Some(Kind::ArrowStar),
                _ => None,
            }
        });
        match (joined, result.last_mut()) {
            (Some(kind), Some(last)) => {
                last.kind = kind;
                last.span = Span::new(last.span.start, token.span.end);
            }
            _ => result.push(Tok { kind, span: token.span }),
        }
    }
    let end = result.last().map_or(0, |last| last.span.end);
    result.push(Tok { kind: Kind::End, span: Span::new(end, end) });
    result
}
