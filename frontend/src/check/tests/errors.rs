//! One mistake gives one message, several mistakes are found, and warnings.

use super::{check_with, errors, errors_with, plain, valid, version};
use crate::options::LanguageVersion;

#[test]
fn an_error_is_reported_once() {
    assert_eq!(
        errors(
            "typedef double wrong; wrong f(wrong a) { wrong b = a + 1; b.x = nothing * 2 + nothing; return b; }"
        ),
        "1:9: error: use of type 'double' requires cl_khr_fp64 support; the target device does not offer it\n\
         1:65: error: use of undeclared identifier 'nothing'\n"
    );
    assert_eq!(
        errors("void f() { int a = nothing(1) + 2; a = a + nothing(3); float4 v = a; v.x = a; }")
            .matches("error")
            .count(),
        1
    );
    assert_eq!(
        errors("struct s { nosuch_t a; int b; }; void f() { struct s x; x.b = 1; x.a = 2; }")
            .matches("error")
            .count(),
        2
    );
}

#[test]
fn a_block_may_take_what_was_refused() {
    let text = "kernel void k(global nosuch_t *p) { void (^b)(void) = ^{ p[0] = 1; }; b(); }";
    let found = errors_with(text, &version(LanguageVersion::C20));
    assert!(found.starts_with("1:22: error: unknown type name 'nosuch_t'\n"), "{found}");
}

#[test]
fn a_null_event_is_no_constant_of_a_structure() {
    let text = "struct p { int a; clk_event_t e; };\nconstant struct p q = {1, 0};";
    let found = errors_with(text, &version(LanguageVersion::C30));
    assert!(found.starts_with("2:27: error: initializer element is not a compile-time constant"), "{found}");
}

#[test]
fn several_errors_are_found() {
    let text = "void f(int i) { i = x; i = y; i.z; }\nvoid g(float4 v) { v = (int4)(1); return 2; }";
    assert_eq!(errors(text).matches("error").count(), 5, "{}", errors(text));
}

#[test]
fn warnings_do_not_stop() {
    for (text, expected) in [
        (
            "void f(const int *p) { int *q = p; }",
            "1:33: warning: initializing '__private int *' with an expression of type '__private const int *' discards qualifiers\n",
        ),
        (
            "void f(float *p) { int *q = p; }",
            "1:29: warning: incompatible pointer types initializing '__private int *' with an expression of type '__private float *'\n",
        ),
        ("int f(int i) { return i / 0; }", "1:23: warning: division by zero is undefined\n"),
        ("int f(int i) { return i << 32; }", "1:28: warning: shift count >= width of type\n"),
        ("void f() { int a[1] = {1, 2}; }", "1:27: warning: excess elements in array initializer\n"),
        (
            "void f() { float x = 1.0; }",
            "1:22: warning: double precision constant requires cl_khr_fp64, casting to single precision\n",
        ),
        ("__attribute__((mystery)) void f() { }", "1:16: warning: unknown attribute 'mystery' ignored\n"),
        (
            "void f(char c) { switch (c) { case 1LL << 40: ; } }".replace("1LL", "1L").leak() as &str,
            "1:36: warning: overflow converting case value to switch condition type (1099511627776 to 0)\n",
        ),
    ] {
        let (program, messages) = check_with(text, &plain());
        assert_eq!(messages, expected, "{text}");
        assert!(program.is_some(), "{text}");
    }
}

#[test]
fn deep_and_long_programs_are_checked() {
    let sum = vec!["i"; 900].join(" + ");
    valid(&format!("int f(int i) {{ return {sum}; }}"));
    let many = "i = i * 2 + 1; ".repeat(20_000);
    valid(&format!("void f(int i) {{ {many} }}"));
}
