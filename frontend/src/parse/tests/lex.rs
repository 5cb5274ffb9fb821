//! A small lexer for the parser's tests: no preprocessing, positions are byte offsets.

use crate::Span;
use crate::symbol::Interner;
use crate::token::{FloatSuffix, IntSuffix, Keyword, Pragma, Punct, Token, TokenKind};

pub(super) fn tokens(text: &str, interner: &mut Interner) -> Vec<Token> {
    let mut tokens = Vec::new();
    let mut at = 0;
    while at < text.len() {
        let rest = &text[at..];
        let first = rest.chars().next().expect("not at the end");
        let (kind, length) = if first.is_whitespace() {
            at += first.len_utf8();
            continue;
        } else if rest.starts_with("#pragma unroll") {
            (TokenKind::Pragma(Pragma::Unroll(None)), "#pragma unroll".len())
        } else if first.is_ascii_alphabetic() || first == '_' {
            let word = word(rest);
            let kind = Keyword::from_text(word).map(TokenKind::Keyword);
            (kind.unwrap_or_else(|| TokenKind::Identifier(interner.intern(word))), word.len())
        } else if first.is_ascii_digit() {
            number(rest, interner)
        } else if first == '"' {
            let end = rest[1..].find('"').expect("strings are closed in tests");
            (TokenKind::Str(interner.intern(&rest[1..=end])), end + 2)
        } else {
            let lengths = (1..=4).rev().filter(|&length| rest.is_char_boundary(length.min(rest.len())));
            let punct =
                lengths.filter_map(|length| Some((Punct::from_text(rest.get(..length)?)?, length))).next();
            let (punct, length) = punct.unwrap_or_else(|| panic!("no token: {rest}"));
            (TokenKind::Punct(punct), length)
        };
        tokens.push(Token { kind, span: Span::new(at as u32, (at + length) as u32) });
        at += length;
    }
    tokens
}

fn word(text: &str) -> &str {
    let end = text.find(|character: char| !character.is_ascii_alphanumeric() && character != '_');
    &text[..end.unwrap_or(text.len())]
}

fn number(text: &str, interner: &mut Interner) -> (TokenKind, usize) {
    let end = text.find(|character: char| !character.is_ascii_alphanumeric() && character != '.');
    let spelling = &text[..end.unwrap_or(text.len())];
    let digits = spelling.trim_end_matches(['f', 'u', 'l']);
    let kind = if spelling.contains('.') {
        let suffix = if spelling.ends_with('f') { FloatSuffix::Float } else { FloatSuffix::None };
        TokenKind::Float(digits.parse().expect("a number"), suffix, interner.intern(digits))
    } else {
        let suffix =
            IntSuffix { unsigned: spelling.contains('u'), long: spelling.contains('l'), decimal: true };
        TokenKind::Int(digits.parse().expect("a number"), suffix)
    };
    (kind, spelling.len())
}
