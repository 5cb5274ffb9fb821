//! Hostile, random and large inputs: no panic, no stack overflow, no long wait.

use super::{errors, lex, parse_text};
use crate::diagnostic::Diagnostics;
use crate::limits::{NESTING, TREE_DEPTH};
use crate::symbol::Interner;
use crate::token::{Keyword, Punct, Token, TokenKind};
use proptest::prelude::*;

const DEEP: usize = 10_000;

/// The first message for a function whose body is `text`.
fn first_error(text: &str) -> String {
    errors(&format!("void f() {{ {text} }}")).into_iter().next().unwrap_or_default()
}

fn nested_too_deeply() -> String {
    format!("brackets are nested deeper than {NESTING} levels")
}

fn tree_too_deep() -> String {
    format!("expression, statement or declarator is more than {TREE_DEPTH} levels deep")
}

#[test]
fn ten_thousand_brackets_are_refused() {
    for open in ["(", "[", "{", "f(", "a[", "(int[", "if (a) {", "int a = {", "struct { int x; struct {"] {
        let message = first_error(&open.repeat(DEEP));
        assert!(message.starts_with(&nested_too_deeply()), "{open}: {message}");
    }
}

#[test]
fn the_allowed_nesting_is_parsed() {
    // One pair of braces is the function's, one pair of parentheses its parameters'.
    for (open, middle, close) in [
        ("(", "1", ")"),
        ("-(", "a", ")[1]"),
        ("f(", "a", ")"),
        ("^{ a = ", "1", "; }"),
        ("(int)(", "1", ")"),
        ("(float4)(1, ", "2", ", 3, 4)"),
        ("sizeof(int[", "1", "])"),
    ] {
        let levels = (NESTING - 1) / (open.matches(['(', '[', '{']).count());
        let text = format!("void f() {{ x = {}{middle}{}; }}", open.repeat(levels), close.repeat(levels));
        assert_eq!(errors(&text), [""; 0], "{open}");
    }
    for (open, close) in [("{", "}"), ("for (;;) if (a) {", "}"), ("struct { struct S x; ", "} x;")] {
        let text = format!("void f() {{ {} {} }}", open.repeat(NESTING - 2), close.repeat(NESTING - 2));
        assert_eq!(errors(&text), [""; 0], "{open}");
    }
    let pointers = format!("int {}x{};", "(*".repeat(NESTING), ")".repeat(NESTING));
    assert_eq!(errors(&pointers), [""; 0]);
}

#[test]
fn depth_without_brackets_is_refused() {
    for text in [
        format!("a = {}a;", "-".repeat(DEEP).replace("--", "- -")),
        format!("a = {}a;", "(int)".repeat(DEEP)),
        format!("int {}p;", "*".repeat(DEEP)),
        format!("a = {}b;", "c ? d : ".repeat(DEEP)),
        format!("a = {}c{};", "b ? ".repeat(DEEP), " : d".repeat(DEEP)),
        format!("{}a;", "a, ".repeat(DEEP)),
        format!("a = {}a;", "a + ".repeat(DEEP)),
        format!("{}a;", "a = ".repeat(DEEP)),
        format!("a{};", ".b".repeat(DEEP)),
        format!("a{};", "[1]".repeat(DEEP)),
        format!("a{};", "(1)".repeat(DEEP)),
        format!("{};", "if (a) ".repeat(DEEP)),
        format!("{};", "for (;;) ".repeat(DEEP)),
        format!("{};", "do ".repeat(DEEP)),
        format!("{};", "a: ".repeat(DEEP)),
        format!("a = {}b;", "sizeof ".repeat(DEEP)),
        format!("{};", "if (a) b; else ".repeat(DEEP)),
        format!("int x{};", "[1]".repeat(DEEP)),
        format!("x = {{ {} = 1 }};", ".a".repeat(DEEP)).replacen("x = ", "struct S x = ", 1),
    ] {
        let message = first_error(&text);
        assert!(message.starts_with(&tree_too_deep()), "{}: {message}", &text[..40]);
    }
}

#[test]
fn long_chains_within_the_limit_are_parsed() {
    let links = TREE_DEPTH - 10;
    for text in [
        format!("a = {}a;", "a + ".repeat(links)),
        format!("{};", "if (a) b; else ".repeat(links)),
        format!("a = {}b;", "c ? d : ".repeat(links)),
        format!("switch (a) {{ {}; }}", "case 1: ".repeat(links)),
    ] {
        assert_eq!(first_error(&text), "", "{}", &text[..40]);
    }
    // Lists may be arbitrarily long.
    for text in [
        format!("int a[] = {{ {} }};", "1, ".repeat(20_000)),
        "a = b;".repeat(20_000),
        format!("f({}1);", "1, ".repeat(20_000)),
        format!("int {}b;", "a, ".repeat(20_000)),
    ] {
        assert_eq!(first_error(&text), "", "{}", &text[..40]);
    }
}

#[test]
fn depth_on_both_sides_of_brackets_is_bounded_together() {
    // Each level is small, but all of them together are a deep tree.
    let level = "a + ".repeat(20);
    let text = format!("x = {}1{};", format!("({level}").repeat(100), ")".repeat(100));
    assert!(first_error(&text).starts_with(&tree_too_deep()) || first_error(&text).is_empty());
    let left = format!("x = {}1{};", "(".repeat(100), format!("{})", " + a".repeat(20)).repeat(100));
    assert!(first_error(&left).starts_with(&tree_too_deep()));
}

/// The processor time of this thread, which does not depend on the machine's load.
fn cpu_time() -> std::time::Duration {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
    time.try_into().expect("time does not run backwards")
}

#[test]
fn many_errors_take_no_long_time() {
    let start = cpu_time();
    for text in ["a b;", "a = ;", "foo x;", "(1 2);", "int int x;", "{ ; } ) ;", "if (a b) c;"] {
        let (_, _, diagnostics) = parse_text(&format!("void f() {{ {} }}", text.repeat(5_000)));
        assert!(!diagnostics.is_empty(), "{text}");
    }
    // Quadratic behaviour would take minutes.
    let work = cpu_time() - start;
    assert!(work.as_secs() < 30, "{work:?} of work");
}

#[test]
fn a_long_source_parses_in_time_proportional_to_its_length() {
    let source = |functions: usize| {
        let function = "
            kernel void sgemm(global const float4 *restrict a, __local float tile[16][17], const int n, uint4 mask) {
                const int x = get_global_id(0), y = get_global_id(1);
                float4 sum = (float4)(0.0f, 1.0f, a[x].y, (float)n);
                #pragma unroll
                for (int i = 0; i < n / 16; ++i) {
                    tile[y][x] = a[y * n + i * 16 + x].s0 * 2.0f - sum.w;
                    barrier(CLK_LOCAL_MEM_FENCE);
                    if (tile[x][y] > 0.0f && x != y || !(n & 1)) {
                        sum += mad(tile[y][i], tile[i][x], convert_float(mask.x >> 3));
                    } else {
                        struct point { int x, y; } p = { .x = 1, .y = n };
                        sum.xy = (float2)(p.x, p.y) * (x < y ? 1.0f : -1.0f);
                    }
                    switch (n) { case 0: case 1: sum.z++; break; default: sum.z *= 0.5f; }
                }
                ((global float4 *)a)[y * n + x] = sum;
            }";
        function.repeat(functions)
    };
    let time = |functions: usize| {
        let mut interner = Interner::default();
        let tokens = lex::tokens(&source(functions), &mut interner);
        let mut best = std::time::Duration::MAX;
        for _ in 0..3 {
            let start = cpu_time();
            let mut diagnostics = Diagnostics::default();
            let unit = super::super::parse(&tokens, &mut interner, &mut diagnostics);
            best = best.min(cpu_time() - start);
            assert!(!diagnostics.has_errors(), "{:?}", diagnostics.list());
            assert_eq!(unit.items.len(), functions);
        }
        println!("{functions} functions, {} tokens: {best:?}", tokens.len());
        best
    };
    let (short, long) = (time(25), time(400));
    // Quadratic behaviour would take 256 times as long.
    assert!(long < short * 16 * 8, "{short:?} for 25 functions, {long:?} for 400");
}

/// Any token.
fn token() -> impl Strategy<Value = TokenKind> {
    let mut interner = Interner::default();
    let names = ["T", "x", "float4", "f", "int4"].map(|name| interner.intern(name));
    prop_oneof![
        3 => prop::sample::select(Punct::ALL.to_vec()).prop_map(TokenKind::Punct),
        2 => prop::sample::select(Keyword::ALL.to_vec()).prop_map(TokenKind::Keyword),
        2 => prop::sample::select(names.to_vec()).prop_map(TokenKind::Identifier),
        1 => prop::sample::select(lex::tokens("1 2.5f \"s\" #pragma unroll\n ; ( ) { }", &mut Interner::default()))
            .prop_filter_map("strings need an interner", |token| match token.kind {
                TokenKind::Str(_) | TokenKind::Float(..) => None,
                kind => Some(kind),
            }),
    ]
}

/// Tokens; many make sense together.
fn fragments() -> impl Strategy<Value = String> {
    let pieces = [
        "int",
        "float4",
        "x",
        "T",
        "(",
        ")",
        "{",
        "}",
        "[",
        "]",
        ";",
        ",",
        "*",
        "=",
        "typedef",
        "struct",
        "+",
        "1",
        "if",
        "else",
        "for",
        "(int)",
        "return",
        "case",
        ":",
        "?",
        "kernel void f(",
        "global",
        "__attribute__((a))",
        "while",
        "do",
        "^",
        "sizeof",
        "enum",
        "goto",
        "...",
        ".",
        "static",
        "x;",
        "{ x; }",
        "(x)",
        "int x;",
        "f();",
    ];
    prop::collection::vec(prop::sample::select(pieces.to_vec()), 0..120).prop_map(|pieces| pieces.join(" "))
}

fn parse_kinds(kinds: &[TokenKind]) {
    let mut interner = Interner::default();
    for name in ["T", "x", "float4", "f", "int4"] {
        interner.intern(name);
    }
    let at = |index: usize| crate::Span::new(index as u32, index as u32 + 1);
    let tokens: Vec<_> =
        kinds.iter().enumerate().map(|(index, &kind)| Token { kind, span: at(index) }).collect();
    super::super::parse(&tokens, &mut interner, &mut Diagnostics::default());
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(600))]

    #[test]
    fn random_tokens_are_survived(kinds in prop::collection::vec(token(), 0..200)) {
        parse_kinds(&kinds);
    }

    #[test]
    fn random_fragments_are_survived(text in fragments()) {
        parse_text(&text);
    }

    #[test]
    fn random_balanced_bodies_are_survived(text in fragments()) {
        // Without its own braces and parentheses, the text passes the bracket check.
        let text = text.replace(['{', '}', '[', ']'], " ").replace("f(", "f ");
        let depth = text.matches('(').count().abs_diff(text.matches(')').count());
        prop_assume!(depth < 200);
        parse_text(&format!("void f(void) {{ {} }} int y;", text.replace(['(', ')'], " ")));
    }
}
