//! Operators, casts, literals.

use super::statements;

fn expr(text: &str) -> String {
    statements(&format!("{text};")).trim_end_matches(';').to_owned()
}

#[test]
fn operators_bind_as_in_c() {
    for (text, expected) in [
        ("a + b * c - d", "((a Add (b Mul c)) Sub d)"),
        (
            "a << 1 + b < c == d & e ^ f | g && h || i",
            "((((((((a Shl (1 Add b)) Less c) Equal d) BitAnd e) BitXor f) BitOr g) LogicalAnd h) LogicalOr i)",
        ),
        ("a || b && c | d", "(a LogicalOr (b LogicalAnd (c BitOr d)))"),
        ("a - b - c", "((a Sub b) Sub c)"),
        ("a = b += c", "(a = (b Add= c))"),
        ("a ? b : c ? d : e", "(a ? b : (c ? d : e))"),
        ("a ? b ? c : d : e", "(a ? (b ? c : d) : e)"),
        ("a ? b, c : d", "(a ? (b, c) : d)"),
        ("a = b, c", "((a = b), c)"),
        ("-a * !b", "(Minus(a) Mul LogicalNot(b))"),
        ("*p++ = ~-x--", "(Dereference((p)++) = BitNot(Minus((x)--)))"),
        ("&a[1].b->c", "AddressOf(a[1].b->c)"),
        ("++*--p", "Increment(Dereference(Decrement(p)))"),
        ("f(a, g())(b)[c]", "f(a, g())(b)[c]"),
        ("(a, b) + c", "(<(a, b)> Add c)"),
        ("f((a, b), c = d)", "f(<(a, b)>, (c = d))"),
        ("a >>= b % c / d", "(a Shr= ((b Rem c) Div d))"),
        ("a & b == c", "(a BitAnd (b Equal c))"),
        ("\"a\" \"b\"", "\"ab\""),
        ("__extension__ 1 + 2", "(1 Add 2)"),
    ] {
        assert_eq!(expr(text), expected, "{text}");
    }
}

#[test]
fn casts_vector_literals_and_parentheses_are_told_apart() {
    for (text, expected) in [
        ("(int)x + 1", "(cast(int; x) Add 1)"),
        ("(int)(x) + 1", "(cast(int; <x>) Add 1)"),
        ("(int)(x).y", "cast(int; <x>.y)"),
        ("(int)-x", "cast(int; Minus(x))"),
        ("(x)-y", "(<x> Sub y)"),
        ("(x)(y)", "<x>(y)"),
        ("(float4)(1, 2, 3, 4)", "vector(float4; 1, 2, 3, 4)"),
        ("(float4)(1)", "vector(float4; 1)"),
        ("(float4)(a, b).xyz", "vector(float4; a, b).xyz"),
        ("(float4)(a).x", "vector(float4; a).x"),
        ("(float4)x", "cast(float4; x)"),
        ("(float4)(float2)(a, b)", "cast(float4; vector(float2; a, b))"),
        ("(float4)((float2)(1, 2), (float2)(3))", "vector(float4; vector(float2; 1, 2), vector(float2; 3))"),
        ("-(float4)(1, 2, 3, 4)", "Minus(vector(float4; 1, 2, 3, 4))"),
        ("(int)(float)(x)", "cast(int; cast(float; <x>))"),
        ("(int *)(p)", "cast(pointer to int; <p>)"),
        ("(global int (*)[4])p", "cast(pointer to array [4] of global int; p)"),
        ("(int[]){1, 2}[0]", "literal(array [] of int; {1, 2})[0]"),
        ("&(struct S){.a = 1}", "AddressOf(literal(struct S; {.a = 1}))"),
    ] {
        assert_eq!(expr(text), expected, "{text}");
    }
}

#[test]
fn a_typedef_of_a_vector_is_a_vector() {
    assert_eq!(
        statements("typedef float4 V; typedef V W; typedef V *P; (W)(1); (P)(1);"),
        "V: typedef float4;\nW: typedef V;\nP: pointer to typedef V;\nvector(W; 1);\ncast(P; <1>);"
    );
}

#[test]
fn sizeof_alignof_and_vec_step_take_types_and_expressions() {
    for (text, expected) in [
        ("sizeof(int) * 2", "(sizeof<int> Mul 2)"),
        ("sizeof x + 1", "(sizeof(x) Add 1)"),
        ("sizeof(x)[0]", "sizeof(<x>[0])"),
        ("sizeof(int[]){1, 2}[0]", "sizeof(literal(array [] of int; {1, 2})[0])"),
        ("sizeof(int) - 1", "(sizeof<int> Sub 1)"),
        ("sizeof -x", "sizeof(Minus(x))"),
        ("sizeof sizeof x", "sizeof(sizeof(x))"),
        ("__alignof__(float3)", "alignof<float3>"),
        ("__alignof__ x", "alignof(x)"),
        ("vec_step(float3)", "vec_step<float3>"),
        ("vec_step(a + b)", "vec_step((a Add b))"),
    ] {
        assert_eq!(expr(text), expected, "{text}");
    }
    assert_eq!(statements("int vec_step; vec_step(1);"), "vec_step: int;\nvec_step(1);");
}

#[test]
fn block_literals_have_parameters_and_a_body() {
    assert_eq!(
        statements("int (^b)(int) = ^(int T) { return T + 1; }; void (^c)(void) = ^{ f(); };"),
        "b: block of (int) -> int = ^(T: int) { return (T Add 1); };\nc: block of () -> void = ^ { f(); };"
    );
}
