//! Type specifiers, structures, enumerations.

use super::items;

#[test]
fn basic_types_are_built_of_keywords_in_any_order() {
    let ty = |text: &str| items(&format!("{text} x;")).replacen("x: ", "", 1);
    for (text, expected) in [
        ("unsigned", "uint"),
        ("int unsigned long", "ulong"),
        ("long const int", "const long"),
        ("short", "short"),
        ("unsigned short int", "ushort"),
        ("signed char", "char"),
        ("char unsigned", "uchar"),
        ("_Bool", "bool"),
        ("half", "half"),
        ("double", "double"),
        ("long long", "long"),
        ("long unsigned int long", "ulong"),
        ("signed long long int", "long"),
        ("long double", "unsupported<long double>"),
        ("float _Complex", "unsupported<_Complex>"),
        ("int static const", "static const int"),
        ("uint4 volatile", "volatile uint4"),
        ("typeof(int *)", "typeof(pointer to int)"),
        ("__typeof__(1 + 2)", "typeof((1 Add 2))"),
    ] {
        assert_eq!(ty(text), expected, "{text}");
    }
}

#[test]
fn every_built_in_type_name_is_known() {
    for name in
        ["char2", "uchar3", "half16", "double8", "ulong4", "size_t", "ptrdiff_t", "intptr_t", "uintptr_t"]
    {
        assert_eq!(items(&format!("{name} *x;")), format!("x: pointer to {name}"));
    }
    for name in
        ["image2d_array_t", "sampler_t", "event_t", "queue_t", "ndrange_t", "clk_event_t", "reserve_id_t"]
    {
        assert_eq!(items(&format!("void f({name});")), format!("f: ({name}) -> void"));
    }
    for name in ["atomic_int", "atomic_flag", "memory_order", "memory_scope", "cl_mem_fence_flags"] {
        assert_eq!(items(&format!("{name} x;")), format!("x: {name}"));
    }
}

#[test]
fn structures_have_all_kinds_of_members() {
    assert_eq!(
        items(
            "struct S { int a, *b; unsigned c : 3, : 0, d : 1 + 1; union { float f; struct { int g; }; }; struct T t[2];; } s, *p;"
        ),
        "s: struct S { a: int; b: pointer to int; c: uint :3; uint :0; d: uint :(1 Add 1); \
         union { f: float; struct { g: int; }; }; t: array [2] of struct T; }; \
         p: pointer to struct S { a: int; b: pointer to int; c: uint :3; uint :0; d: uint :(1 Add 1); \
         union { f: float; struct { g: int; }; }; t: array [2] of struct T; }"
    );
    assert_eq!(items("struct S; union U *u;"), "struct S\nu: pointer to union U");
    assert_eq!(
        items("typedef struct N { struct N *next; } N; N n;"),
        "N: typedef struct N { next: pointer to struct N; }\nn: N"
    );
}

#[test]
fn enumerations_list_their_values() {
    assert_eq!(
        items("enum E { A, B = 2, C = B + 1, }; enum E e; enum { D } d;"),
        "enum E { A, B = 2, C = (B Add 1) }\ne: enum E\nd: enum { D }"
    );
}
