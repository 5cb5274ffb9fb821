//! Messages: their text and their place ("|" marks a place between tokens).

use super::{errors, parse_text};

/// Errors in a function's body.
fn body_errors(text: &str) -> Vec<String> {
    errors(&format!("void f() {{ {text} }}"))
}

#[test]
fn something_is_missing() {
    assert_eq!(body_errors("a = b c;"), ["expected ';' after expression @ | c; }"]);
    assert_eq!(body_errors("a = b\nc = d;"), ["expected ';' after expression @ |\nc = d; "]);
    assert_eq!(body_errors("return 1"), ["expected ';' after return statement @ | }"]);
    assert_eq!(body_errors("int x = 3 return x;"), ["expected ';' at end of declaration @ | return "]);
    assert_eq!(body_errors("a = ;"), ["expected expression @ ; }"]);
    assert_eq!(body_errors("a + * ;"), ["expected expression @ ; }"]);
    assert_eq!(body_errors("f(a,);"), ["expected expression @ ); }"]);
    assert_eq!(body_errors("f(a b);"), ["expected ')' @ | b); }; to match this '(' @ (a b); }"]);
    assert_eq!(body_errors("a[1 2];"), ["expected ']' @ | 2]; }; to match this '[' @ [1 2]; }"]);
    assert_eq!(body_errors("a ? b;"), ["expected ':' @ |; }; to match this '?' @ ? b; }"]);
    assert_eq!(body_errors("if a) ;").len(), 1);
    assert_eq!(body_errors("if a;"), ["expected '(' after 'if' @ | a; }"]);
    assert_eq!(body_errors("do ; until (x);"), ["expected 'while' @ | until ("]);
    assert_eq!(body_errors("a.;"), ["expected identifier @ ; }"]);
    assert_eq!(errors("int x\nint y;"), ["expected ';' after top level declarator @ |\nint y;"]);
    assert_eq!(errors("int ;int *;"), ["expected identifier or '(' @ ;"]);
    assert_eq!(errors("struct { int a }; int b;"), ["expected ';' at end of declaration list @ | }; int "]);
    assert_eq!(errors("struct S { int a; }\nkernel void f() {}"), ["expected ';' after struct @ |\nkernel "]);
    assert_eq!(errors("struct S { int a; }\nint b;"), ["expected ';' after struct @ |\nint b;"]);
    assert_eq!(errors("enum { A }\nfloat4 v;"), ["expected ';' after enum @ |\nfloat4 "]);
    assert_eq!(errors("+ 1;"), ["expected a declaration @ + 1;"]);
}

#[test]
fn several_errors_are_found_in_one_run() {
    assert_eq!(
        errors("void f() { a = ; } int g( int { } void h() { return (x; z = ; } int k = ;"),
        [
            "expected ')' @ | { } voi; to match this '(' @ ( int { ",
            "expected ')' @ |; z = ; ; to match this '(' @ (x; z = ",
            "expected expression @ ; } int ",
            "expected expression @ ; } int ",
            "expected expression @ ;",
        ],
        "a missing bracket hides no other error"
    );
    assert_eq!(
        errors(
            "void f() { a = ; if (c) { b = (1 + ); } d e; } void h() { for (i; ; i++ j) { z = ; } } int k = ;"
        ),
        [
            "expected expression @ ; if (c)",
            "expected expression @ ); } d e",
            "unknown type name 'd' @ d e; } v",
            "expected ')' @ | j) { z ; to match this '(' @ (i; ; i+",
            "expected expression @ ; } } in",
            "expected expression @ ;",
        ]
    );
}

#[test]
fn what_is_right_beside_an_error_is_kept() {
    let (unit, _, diagnostics) = parse_text("int a; int b = ; int c; void f() { x; y = y y; z; }");
    assert_eq!(diagnostics.len(), 2, "{diagnostics:#?}");
    assert_eq!(unit.items.len(), 3);
    let crate::ast::Item::Function(function) = &unit.items[2] else { panic!("not a function") };
    assert_eq!(function.body.statements.len(), 2);
}

#[test]
fn unknown_and_misspelt_types() {
    assert_eq!(body_errors("foo x;"), ["unknown type name 'foo' @ foo x; }"]);
    assert_eq!(errors("flaot4 x;"), ["unknown type name 'flaot4'; did you mean 'float4'? @ flaot4 x"]);
    assert_eq!(
        errors("void f(global flaot *p);"),
        ["unknown type name 'flaot'; did you mean 'float'? @ flaot *p"]
    );
    assert_eq!(
        errors("kernal void f() {}"),
        ["unknown type name 'kernal'; did you mean 'kernel'? @ kernal v"]
    );
    assert_eq!(
        errors("typedef int Vertex; Vertx v;"),
        ["unknown type name 'Vertx'; did you mean 'Vertex'? @ Vertx v;"]
    );
    assert_eq!(errors("void f(foo);"), ["unknown type name 'foo' @ foo);"]);
    assert_eq!(errors("struct S { foo *a; int b; };"), ["unknown type name 'foo' @ foo *a; "]);
    assert_eq!(
        errors("x = 3;"),
        ["a type specifier is required for all declarations @ x = 3;; note: C99 has no implicit 'int'"]
    );
    assert_eq!(
        errors("const x = 3;"),
        ["a type specifier is required for all declarations @ x = 3;; note: C99 has no implicit 'int'"]
    );
    assert_eq!(
        body_errors("a = float4(1, 2);"),
        [
            "unexpected type name 'float4': expected expression @ float4(1; note: a vector literal is written '(float4)(...)'"
        ]
    );
}

#[test]
fn types_that_do_not_go_together() {
    assert_eq!(
        errors("int float x;"),
        ["cannot combine with previous 'int' declaration specifier @ float x;; the other type @ int floa"]
    );
    assert_eq!(errors("unsigned float x;").len(), 1);
    assert_eq!(errors("float4 int x;").len(), 1);
    assert_eq!(errors("short long x;").len(), 1);
    assert_eq!(errors("int struct S x;").len(), 1);
    assert_eq!(errors("signed unsigned x;").len(), 1);
}

#[test]
fn unbalanced_brackets() {
    assert_eq!(
        body_errors("f(a, (b; c;"),
        [
            "expected ')' @ |; c; }; to match this '(' @ (b; c; }",
            "expected ')' @ |; c; }; to match this '(' @ (a, (b; "
        ]
    );
    assert_eq!(
        errors("void f() { if (a) { b; }"),
        ["this '{' is never closed @ { if (a); note: expected '}' before the end of the file"]
    );
    assert_eq!(errors("void f() { a; } }"), ["extraneous closing brace ('}') @ }"]);
    assert_eq!(body_errors("a[1);"), ["expected ']', found ')' @ ); }; to match this '[' @ [1); }"]);
    assert_eq!(body_errors("a);"), ["extraneous ')' @ ); }"]);
    assert_eq!(body_errors("if a) b;"), ["expected '(' after 'if' @ | a) b; }"]);
    assert_eq!(
        body_errors("if (a { b; } c = ;"),
        ["expected ')' @ | { b; } ; to match this '(' @ (a { b; ", "expected expression @ ; }"]
    );
    assert_eq!(
        body_errors("for (;; i++ a = b; c;"),
        ["expected ')' @ | a = b; ; to match this '(' @ (;; i++ "]
    );
    assert_eq!(
        errors("void f() { { a; }} b[0] = 1; } int c;"),
        ["extraneous closing brace ('}') @ } b[0] =; this statement is outside of any function @ b[0] = 1"]
    );
    assert_eq!(
        errors("void f() { if (a) { b; } kernel void g() { c = ; }"),
        [
            "expected '}' before this kernel @ kernel v; to match this '{' @ { if (a)",
            "expected expression @ ; }"
        ]
    );
    // Semicolons in a loop's header are valid.
    assert_eq!(body_errors("for (;;) ;"), [""; 0]);
}

#[test]
fn what_the_language_lacks_is_refused_by_name() {
    for (text, expected) in [
        ("asm(1);", "inline assembly is not supported in OpenCL C @ asm(1); "),
        ("a = b ?: c;", "the operator '?:' without a middle operand is not supported in OpenCL C @ : c; }"),
        ("a = &&b;", "the address of a label is not supported in OpenCL C @ &&b; }"),
        ("goto *p;", "a computed 'goto' is not supported in OpenCL C @ *p; }"),
        (
            "struct P p = { x: 1 };",
            "the designator 'name:' (write '.name =') is not supported in OpenCL C @ x: 1 }; ",
        ),
    ] {
        assert_eq!(body_errors(text), [expected], "{text}");
    }
    assert_eq!(
        errors("int f(a, b) int a; int b; { return a; }"),
        [
            "function definitions in the style of K&R C are not supported @ a, b) in; note: write the types in the parameter list"
        ]
    );
    assert_eq!(
        errors("void f(int a[*]);"),
        ["an array of variable length is not supported in OpenCL C @ *]);"]
    );
}

#[test]
fn statements_in_the_wrong_place() {
    assert_eq!(body_errors("else a;"), ["'else' without a previous 'if' @ else a; "]);
    assert_eq!(
        body_errors("if (a) int x;"),
        ["expected statement, found a declaration @ int x; }; note: put the declaration into braces"]
    );
    assert_eq!(
        body_errors("while (a) label: int x;"),
        ["expected statement, found a declaration @ int x; }; note: put the declaration into braces"]
    );
    // C23 allows these.
    assert_eq!(body_errors("switch (a) { case 1: int x; f(x); }"), [""; 0]);
}
