//! Declarators, scopes of type names, initialisers, items.

use super::items;

#[test]
fn declarators_read_inside_out() {
    assert_eq!(
        items("int (*(*f[3])(float4, __global int *))[5];"),
        "f: array [3] of pointer to (float4, pointer to global int) -> pointer to array [5] of int"
    );
    assert_eq!(items("char *const *volatile p;"), "p: volatile pointer to const pointer to char");
    assert_eq!(
        items("int a[2][3], *b, (*c)(void);"),
        "a: array [2] of array [3] of int; b: pointer to int; c: pointer to () -> int"
    );
    assert_eq!(
        items("void (*signal(int, void (*)(int)))(int);"),
        "signal: (int, pointer to (int) -> void) -> pointer to (int) -> void"
    );
    assert_eq!(items("int (((x)));"), "x: int");
    assert_eq!(
        items("int f(const int a[static 4], int (b)[], int (int), int (c), ...);"),
        "f: (a: array [4] of const int, b: array [] of int, (int) -> int, c: int, ...) -> int"
    );
}

#[test]
fn address_spaces_and_access_qualifiers_stand_where_they_are_written() {
    assert_eq!(
        items(
            "kernel void k(global const float *restrict p, __local int *l, constant int *c, __private int x);"
        ),
        "k: (p: restrict pointer to const global float, l: pointer to local int, c: pointer to constant int, x: private int) -> kernel void"
    );
    assert_eq!(items("__global int *__local *p;"), "p: pointer to local pointer to global int");
    assert_eq!(
        items(
            "void k(read_only image2d_t a, __write_only image3d_t b, read_write image1d_buffer_t c, sampler_t s);"
        ),
        "k: (a: readonly image2d_t, b: writeonly image3d_t, c: readwrite image1d_buffer_t, s: sampler_t) -> void"
    );
    assert_eq!(
        items("void k(read_only pipe int p, pipe const float4 q);"),
        "k: (p: readonly pipe int, q: pipe const float4) -> void"
    );
}

#[test]
fn a_variable_parameter_or_enumerator_hides_a_type_name() {
    // `T * x` is a multiplication where T is a variable, and a declaration where it is a type.
    assert_eq!(
        items("typedef int T; void f(int x) { T *y; { int T = 2; T * x; } T *z; }"),
        "T: typedef int\nf: (x: int) -> void { y: pointer to T; { T: int = 2; (T Mul x); } z: pointer to T; }"
    );
    assert_eq!(
        items("typedef int T; void f(int T, int x) { T * x; }"),
        "T: typedef int\nf: (T: int, x: int) -> void { (T Mul x); }"
    );
    assert_eq!(
        items("typedef int T; void f(int x) { enum { T }; T * x; } T v;"),
        "T: typedef int\nf: (x: int) -> void { enum { T }; (T Mul x); }\nv: T"
    );
    assert_eq!(
        items("typedef int T; void f(int x) { for (int T = 0;;) T * x; T *y; }"),
        "T: typedef int\nf: (x: int) -> void { for (T: int = 0; ; ) (T Mul x); y: pointer to T; }"
    );
}

#[test]
fn a_member_named_as_a_type_hides_nothing() {
    assert_eq!(
        items("typedef int T; struct S { T T; unsigned T2; }; T x;"),
        "T: typedef int\nstruct S { T: T; T2: uint; }\nx: T"
    );
}

#[test]
fn a_name_is_known_right_behind_its_declarator() {
    // The initialiser's T is the variable (C99 §6.2.1 paragraph 7).
    assert_eq!(
        items("typedef int T; void f() { T T = sizeof(T); }"),
        "T: typedef int\nf: () -> void { T: T = sizeof(<T>); }"
    );
    assert_eq!(items("typedef int T, U; U x;"), "T: typedef int; U: typedef int\nx: U");
}

#[test]
fn built_in_type_names_may_be_hidden_too() {
    assert_eq!(
        items("void f(int x) { int uint = 3; uint * x; }"),
        "f: (x: int) -> void { uint: int = 3; (uint Mul x); }"
    );
}

#[test]
fn initialisers_have_designators() {
    assert_eq!(
        items(
            "struct P p = { .x = 1, .y[2].z = { 3, }, 4 }; int a[] = { [2] = 1, [3][4] = 5 }; int e[1] = {};"
        ),
        "p: struct P = {.x = 1, .y[2].z = {3}, 4}\na: array [] of int = {[2] = 1, [3][4] = 5}\ne: array [1] of int = {}"
    );
}

#[test]
fn attributes_stand_everywhere() {
    assert_eq!(
        items("__kernel __attribute__((reqd_work_group_size(8, 8, 1))) void k(void) {}"),
        "k: () -> kernel void @reqd_work_group_size(8, 8, 1) { }"
    );
    assert_eq!(
        items("__attribute__((vec_type_hint(float4))) kernel void k(int *p __attribute__((nonnull))) {}"),
        "k: (p: pointer to int @nonnull()) -> kernel void @vec_type_hint(float4) { }"
    );
    assert_eq!(
        items(
            "struct __attribute__((packed)) S { int a __attribute__((aligned(8))); } __attribute__((aligned(16), endian(host)));"
        ),
        "struct S { a: int @aligned(8); } @packed() @aligned(16) @endian(host)"
    );
    assert_eq!(
        items("int x __attribute__((aligned(4), const)) = 3, y;"),
        "x: int @aligned(4) @const() = 3; y: int"
    );
    assert_eq!(items("void f(void) __attribute__((noinline));"), "f: () -> void @noinline()");
}

#[test]
fn other_items() {
    assert_eq!(
        items("; _Static_assert(sizeof(int) == 4, \"in\" \"t\"); _Static_assert(1);"),
        ";\nassert (sizeof<int> Equal 4) Some(\"int\")\nassert 1 None"
    );
    assert_eq!(items("#pragma unroll\nint x;"), "Unroll(None)\nx: int");
    assert_eq!(items("__extension__ typedef int T; T x;"), "T: typedef int\nx: T");
}
