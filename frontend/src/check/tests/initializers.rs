//! Initialisers, automatic and static.

use super::{body, errors, valid, valid_with, version};
use crate::hir::{Constant, ConstantData, ExprKind, GlobalId, Initializer, Program, StatementKind};
use crate::options::LanguageVersion;

/// The bytes of the variable called `name`.
fn data<'p>(program: &'p Program, name: &str) -> &'p ConstantData {
    let global = program.globals.iter().find(|global| global.name == name).expect("the variable");
    global.initializer.as_ref().expect("contents")
}

/// The contents of `__constant int x…` as integers.
fn ints(declaration: &str) -> Vec<i32> {
    let program = valid(declaration);
    let bytes = &data(&program, "x").bytes;
    bytes.chunks(4).map(|word| i32::from_le_bytes(word.try_into().expect("4 bytes"))).collect()
}

/// Offsets, in order, and whether the rest is cleared, of the initialiser of the last variable of `f`.
fn parts(declaration: &str) -> (Vec<u64>, bool) {
    let program = valid(&format!(
        "typedef struct {{ int a; struct {{ float b[2]; }} c; char d; }} S; void f(float4 v, S s) {{ {declaration} }}"
    ));
    match &body(&program, "f").last().expect("a statement").kind {
        StatementKind::Declare { initializer: Some(Initializer::Parts { parts, zero_rest }), .. } => {
            (parts.iter().map(|part| part.offset).collect(), *zero_rest)
        }
        StatementKind::Declare { initializer: Some(Initializer::Value(_)), .. } => (vec![], false),
        other => panic!("{other:?}"),
    }
}

#[test]
fn lists_with_elided_braces_and_designators() {
    assert_eq!(ints("__constant int x[] = {1, 2, 3};"), [1, 2, 3]);
    assert_eq!(ints("__constant int x[2][2] = {{1}, {2, 3}};"), [1, 0, 2, 3]);
    assert_eq!(ints("__constant int x[2][2] = {1, 2, 3};"), [1, 2, 3, 0]);
    assert_eq!(ints("__constant int x[5] = {[3] = 7, 8, [0] = 1, 2};"), [1, 2, 0, 7, 8]);
    assert_eq!(ints("__constant int x[] = {[2] = 1};"), [0, 0, 1]);
    assert_eq!(ints("__constant struct { int a, b[2], c; } x = {.b = {5, 6}, 7};"), [0, 5, 6, 7]);
    assert_eq!(ints("__constant struct { int a, b[2], c; } x = {.b[1] = 6, 7, .a = 1};"), [1, 0, 6, 7]);
    assert_eq!(ints("__constant struct { int a; struct { int b, c; }; } x = {.c = 3, .a = 1};"), [1, 0, 3]);
    assert_eq!(ints("__constant union { int a; float b; } x = {.b = 1.0f};"), [0x3F80_0000]);
    assert_eq!(ints("__constant int x[6] = {[1 ... 3] = 7, 8};"), [0, 7, 7, 7, 8, 0]);
    assert_eq!(ints("__constant int x[] = {[0 ... 3] = 1, [1 ... 2] = 5};"), [1, 5, 5, 1]);
    assert_eq!(ints("__constant int x[2][3] = {[0 ... 1] = {[1 ... 2] = 4}};"), [0, 4, 4, 0, 4, 4]);
    assert_eq!(ints("__constant int x[3][2] = {[0 ... 1][1] = 4, 5, 6};"), [0, 4, 0, 4, 5, 6]);
    assert_eq!(
        ints("__constant struct { int a, b[3]; } x[2] = {[0 ... 1].b[1 ... 2] = 3, [1].a = 2};"),
        [0, 0, 3, 3, 2, 0, 3, 3]
    );
    assert_eq!(ints("__constant int2 x[3] = {[0 ... 2] = {1, 2}};"), [1, 2, 1, 2, 1, 2]);
    assert_eq!(ints("__constant struct { struct {} e; int a, z[0], b; } x = {1, {}, 2};"), [1, 2]);
    assert_eq!(ints("__constant struct { struct {} e; int a; } x[2] = {{.e = {}, 5}, {{}, 6}};"), [5, 6]);
    // A vector is not an aggregate, so a scalar fills it.
    assert_eq!(ints("__constant int2 x[2] = {1, 2};"), [1, 1, 2, 2]);
    assert_eq!(ints("__constant int2 x[2] = {{1, 2}, 3};"), [1, 2, 3, 3]);
    assert_eq!(ints("__constant struct { int2 a; int b, c; } x = {1, 2, 3};"), [1, 1, 2, 3]);
    assert_eq!(ints("__constant int2 x[2] = {(int2)(1, 2), (int2)3};"), [1, 2, 3, 3]);
    assert_eq!(ints("__constant int4 x = {1, (int2)(2, 3), 4};"), [1, 2, 3, 4]);
    assert_eq!(ints("__constant int4 x = 5;"), [5, 5, 5, 5]);
}

#[test]
fn constant_expressions() {
    assert_eq!(
        ints("enum { A = 3, B, C = A * B }; __constant int x[C - 10] = {sizeof(float4), -1 >> 1};"),
        [16, -1]
    );
    assert_eq!(ints("__constant int y = 5; __constant int x = y + 1;"), [6]);
    assert_eq!(ints("__constant int x = (char)300 + (1.5f > 1 ? 10 : 20);"), [54]);
    assert_eq!(ints("__constant int x = (int)3.99f;"), [3]);
    let program = valid(
        "__constant short x[3] = {1, -1, 0x7FFF}; __constant bool b = 7; __constant uchar4 v = (uchar4)(1, 2, 3, 255);",
    );
    assert_eq!(data(&program, "x").bytes, [1, 0, 0xFF, 0xFF, 0xFF, 0x7F]);
    assert_eq!(data(&program, "b").bytes, [1]);
    assert_eq!(data(&program, "v").bytes, [1, 2, 3, 255]);
}

#[test]
fn addresses_and_strings() {
    let program = valid(
        "__constant int y[4] = {1}; __constant int *__constant x[2] = {&y[2], y + 1}; __constant char s[] = \"ab\";",
    );
    assert_eq!(data(&program, "x").pointers, [(0, GlobalId(0), 8), (8, GlobalId(0), 4)]);
    assert_eq!(data(&program, "s").bytes, *b"ab\0");
    let program = valid("__constant char *__constant x = \"text\";");
    assert_eq!(program.globals.len(), 2);
    assert_eq!(data(&program, "x").pointers.len(), 1);
}

#[test]
fn automatic_variables() {
    assert_eq!(parts("int a[3] = {1, 2, 3};"), (vec![0, 4, 8], false));
    assert_eq!(parts("int a[3] = {1};"), (vec![0], true));
    assert_eq!(parts("int a[] = {1, 2};"), (vec![0, 4], false));
    assert_eq!(parts("S t = {1, 2, 3, 4};"), (vec![0, 4, 8, 12], true));
    assert_eq!(parts("S t = s;"), (vec![], false));
    assert_eq!(parts("S t[2] = {s, {.d = 'x'}};"), (vec![0, 28], true));
    assert_eq!(parts("float4 t = {v.xy, v.zw};"), (vec![0, 8], false));
    assert_eq!(parts("float4 t = {1, 2};"), (vec![0, 4], true));
    assert_eq!(parts("char t[] = \"ab\";"), (vec![0, 1], true));
}

#[test]
fn compound_literals_are_objects() {
    let program = valid(
        "struct p { int x, y; }; int f() { struct p *q = &(struct p){1, 2}; return q->y + ((int[]){3, 4})[1]; }",
    );
    assert_eq!(program.functions[0].locals.len(), 3);
}

#[test]
fn program_scope_variables_of_2_0() {
    let program = valid_with(
        "int x = 5; static float y; int g() { static int z = 1; return z + x; }",
        &version(LanguageVersion::C20),
    );
    let spaces: Vec<_> = program.globals.iter().map(|global| (global.name.as_str(), global.space)).collect();
    let global = clvk_ir::AddressSpace::Global;
    assert_eq!(spaces, [("x", global), ("y", global), ("g.z", global)]);
}

#[test]
fn values_are_converted() {
    let program = valid("void f() { float a[1] = {1}; }");
    let StatementKind::Declare { initializer: Some(Initializer::Parts { parts, .. }), .. } =
        &body(&program, "f")[0].kind
    else {
        panic!("parts")
    };
    assert_eq!(parts[0].value.kind, ExprKind::Constant(Constant::Bits(0x3F80_0000)));
}

#[test]
fn wrong_initializers() {
    for (text, expected) in [
        ("__constant int x;", "1:16: error: variable in constant address space must be initialized\n"),
        (
            "int x = 1;",
            "1:5: error: program scope variable must reside in constant address space; global memory requires OpenCL C 2.0 or newer: choose it with -cl-std=CL2.0\n",
        ),
        ("void f(int n) { int a[n]; }", "1:23: error: variable length arrays are not supported in OpenCL\n"),
        (
            "kernel void f(int n) { __constant int a = n; }",
            "1:43: error: initializer element is not a compile-time constant\n",
        ),
        (
            "void f() { int a[]; }",
            "1:16: error: definition of variable with array type needs an explicit size or an initializer\n",
        ),
        ("void f() { int a[2] = 1; }", "1:23: error: array initializer must be an initializer list\n"),
        (
            "void f() { int a[2] = {[2] = 1}; }",
            "1:25: error: array designator index (2) exceeds array bounds (2)\n",
        ),
        ("void f() { int a = {}; }", "1:20: error: scalar initializer of type 'int' cannot be empty\n"),
        ("void f() { float4 v = {1, 2, 3, 4, 5}; }", "1:36: error: excess elements in vector initializer\n"),
        (
            "struct s { int a; }; void f() { struct s t = {.b = 1}; }",
            "1:48: error: field designator 'b' does not refer to any field in type 'struct s'\n",
        ),
        (
            "struct s { int a; }; void f() { struct s t = 1; }",
            "1:46: error: initializing 'struct s' with an expression of incompatible type 'int' | 'int'\n",
        ),
        ("void f() { int a[-1]; }", "1:18: error: an array is declared with a negative size\n"),
        (
            "__kernel void k() { __local int x = 1; }",
            "1:33: error: '__local' variable cannot have an initializer\n",
        ),
        (
            "void f() { __local int x; }",
            "1:24: error: non-kernel function variable cannot be declared in local address space\n",
        ),
        (
            "__kernel void k() { { __local int x; } }",
            "1:35: error: variables in the local address space can only be declared in the outermost scope of a kernel function\n",
        ),
        (
            "__constant char x[1 << 30] = {1};",
            "1:31: error: an initialised variable is larger than 256 MiB\n",
        ),
    ] {
        assert_eq!(errors(text), expected, "{text}");
    }
}
