//! Statements.

use super::statements;

#[test]
fn control_flow() {
    for (text, expected) in [
        ("if (a) b; else if (c) d; else { e; }", "if a b; else if c d; else { e; }"),
        ("if (a) if (b) c; else d;", "if a if b c; else d;"),
        ("if (a) b; else { c; } if (d) e; else f;", "if a b; else { c; }\nif d e; else f;"),
        ("while (a) { continue; }", "while a { continue; }"),
        ("do x++; while (x < 3);", "do (x)++; while (x Less 3);"),
        ("for (;;) break;", "for (; ; ) break;"),
        (
            "for (int i = 0, n = 3; i < n; ++i) f(i);",
            "for (i: int = 0; n: int = 3; (i Less n); Increment(i)) f(i);",
        ),
        ("for (i = 0; ; i++, j--) ;", "for ((i = 0); ; ((i)++, (j)--)) ;"),
        ("return; ", "return ;"),
        ("return a, b;", "return (a, b);"),
        ("goto end; end: ;", "goto end;\nend: ;"),
        ("; {}", ";\n{ }"),
        ("_Static_assert(1, \"m\");", "assert 1 Some(\"m\")"),
    ] {
        assert_eq!(statements(text), expected, "{text}");
    }
}

#[test]
fn switches_with_ranges_stacked_labels_and_loops_within() {
    assert_eq!(
        statements("switch (n) { case 1: case 2 ... 4: f(); break; default: ; }"),
        "switch n { case 1: case 2..4: f(); break; default: ; }"
    );
    assert_eq!(
        statements(
            "switch (n % 4) { case 0: do { f(); case 3: f(); case 2: f(); case 1: f(); } while (--n > 0); }"
        ),
        "switch (n Rem 4) { case 0: do { f(); case 3: f(); case 2: f(); case 1: f(); } while (Decrement(n) Greater 0); }"
    );
    assert_eq!(statements("switch (n) case 1: f();"), "switch n case 1: f();");
    assert_eq!(statements("switch (n) { case A ? B : C: x; }"), "switch n { case (A ? B : C): x; }");
    assert_eq!(statements("switch (n) { default: }"), "switch n { default: ; }");
}

#[test]
fn an_if_after_an_else_is_a_statement_of_its_own() {
    assert_eq!(statements("if (a) b; else c; if (d) e;"), "if a b; else c;\nif d e;");
    assert_eq!(
        statements("if (a) b; else if (c) d; else e; if (f) g; else h;"),
        "if a b; else if c d; else e;\nif f g; else h;"
    );
}

#[test]
fn a_pragma_belongs_to_the_statement_behind_it() {
    assert_eq!(statements("#pragma unroll\nfor (;;) ;"), "#Unroll(None)\nfor (; ; ) ;");
    // As a body it includes the loop.
    assert_eq!(
        statements("if (a)\n#pragma unroll\nfor (;;) ; b;"),
        "if a { #Unroll(None) for (; ; ) ; }\nb;"
    );
}

#[test]
fn attributes_of_statements_and_of_declarations() {
    assert_eq!(
        statements("__attribute__((opencl_unroll_hint(4))) for (;;) ;"),
        "@opencl_unroll_hint(4)for (; ; ) ;"
    );
    assert_eq!(
        statements("__attribute__((opencl_unroll_hint)) while (a) ;"),
        "@opencl_unroll_hint()while a ;"
    );
    assert_eq!(statements("__attribute__((aligned(16))) int x;"), "x: int @aligned(16);");
    assert_eq!(statements("__attribute__((fallthrough));"), "@fallthrough();");
}

#[test]
fn a_label_may_have_the_name_of_a_type() {
    assert_eq!(statements("typedef int T; T: f(); goto T;"), "T: typedef int;\nT: f();\ngoto T;");
}

#[test]
fn local_declarations() {
    assert_eq!(
        statements("__local float tile[16][17]; const int x = 3, y = x; unsigned z;"),
        "tile: array [16] of array [17] of local float;\nx: const int = 3; y: const int = x;\nz: uint;"
    );
    assert_eq!(
        statements("int g(int); struct S { int a; } s = { 1 };"),
        "g: (int) -> int;\ns: struct S { a: int; } = {1};"
    );
}
