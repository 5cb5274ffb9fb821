//! Types of expressions, and their HIR.

use super::{
    body, everything, plain, statement_error, statement_valid, type_of, type_of_with, valid, valid_with,
    version,
};
use crate::hir::{
    ArithmeticOp, Constant, Conversion, Expr, ExprKind, Initializer, PlaceKind, Program, StatementKind,
};
use crate::options::{LanguageVersion, Options};

/// The expression of the last statement of `f`.
fn last(program: &Program) -> &Expr {
    match &body(program, "f").last().expect("a statement").kind {
        StatementKind::Expr(expr) => expr,
        StatementKind::Declare { initializer: Some(Initializer::Value(expr)), .. } => expr,
        other => panic!("{other:?}"),
    }
}

#[test]
fn integer_literals() {
    for (text, expected) in [
        ("1", "int"),
        ("2147483648", "long"),
        ("0x80000000", "uint"),
        ("0xFFFFFFFFFF", "long"),
        ("0xFFFFFFFFFFFFFFFF", "ulong"),
        ("1u", "uint"),
        ("4294967296u", "ulong"),
        ("1L", "long"),
        ("0x8000000000000000L", "ulong"),
        ("1UL", "ulong"),
        ("'a'", "int"),
        ("sizeof(int)", "ulong"),
        ("true", "int"),
    ] {
        assert_eq!(type_of("", text), expected, "{text}");
    }
}

#[test]
fn floating_literals() {
    assert_eq!(type_of("", "1.0f"), "float");
    assert_eq!(type_of_with("", "1.0", &everything()), "double");
    assert_eq!(type_of_with("", "1.0h", &everything()), "half");
    let single = Options { single_precision_constants: true, ..everything() };
    assert_eq!(type_of_with("", "1.0", &single), "float");
    // Rounded only once: by way of double precision it would be 0x3F800000.
    let program = valid("void f() { 1.00000005960464477540f; }");
    assert_eq!(last(&program).kind, ExprKind::Constant(Constant::Bits(0x3F80_0001)));
}

#[test]
fn usual_arithmetic_conversions() {
    let declarations = "char c = 1; uchar uc = 1; short s = 1; int i = 1; uint u = 1; long l = 1; ulong ul = 1; \
                        float f = 1; bool b = 1; int4 i4 = 1; uint4 u4 = 1; float4 f4 = 1; char4 c4 = 1;";
    for (text, expected) in [
        ("c + c", "int"),
        ("b + b", "int"),
        ("i + u", "uint"),
        ("u + l", "long"),
        ("l + ul", "ulong"),
        ("i * f", "float"),
        ("ul * f", "float"),
        ("-uc", "int"),
        ("~s", "int"),
        ("!f", "int"),
        ("c << l", "int"),
        ("u << l", "uint"),
        ("ul >> c", "ulong"),
        ("i4 + i", "int4"),
        ("u4 * i", "uint4"),
        ("f4 * i", "float4"),
        ("f4 + ul", "float4"),
        ("c4 >> l", "char4"),
        ("c4 + c", "char4"),
        ("u4 << i4", "uint4"),
        ("i < u", "int"),
        ("f4 < f", "int4"),
        ("u4 == u4", "int4"),
        ("c4 != c4", "char4"),
        ("f4 && f4", "int4"),
        ("!f4", "int4"),
        ("i && f", "int"),
        ("i ? c : f", "float"),
        ("i ? f4 : f", "float4"),
        ("i4 ? f4 : f", "float4"),
        ("i4 ? f : f", "float4"),
        ("i4 ? c : i", "int4"),
        ("i4 ? c : u", "uint4"),
        ("i4 ? f : c", "float4"),
        ("i4 ? b : b", "int4"),
        ("c4 ? c : c", "char4"),
        ("c4 ? c : uc", "uchar4"),
        ("c4 ? b : c", "char4"),
        ("c++", "char"),
        ("c += f", "char"),
        ("f4 *= f", "float4"),
        ("(char)i", "char"),
        ("(float4)i", "float4"),
        ("(i++, f)", "float"),
    ] {
        assert_eq!(type_of(declarations, text), expected, "{text}");
    }
}

#[test]
fn components() {
    let declarations = "float4 v = 0; float3 t = 0; float8 w = 0; float16 x = 0;";
    for (text, expected) in [
        ("v.x", "float"),
        ("v.xyz", "float3"),
        ("v.xxxx", "float4"),
        ("v.s01", "float2"),
        ("v.lo", "float2"),
        ("v.hi.x", "float"),
        ("w.even", "float4"),
        ("x.s0123456789abcdef", "float16"),
        ("x.sF", "float"),
        ("t.lo", "float2"),
        ("v.wzyx.xy", "float2"),
        ("v[2]", "float"),
        ("(v + v).y", "float"),
    ] {
        assert_eq!(type_of(declarations, text), expected, "{text}");
    }
    let program = valid("void f(float4 v) { v.wzyx.yx = (float2)(1.0f, 2.0f); }");
    let ExprKind::Assign { target, .. } = &last(&program).kind else { panic!("an assignment") };
    let PlaceKind::Swizzle(_, lanes) = &target.kind else { panic!("components") };
    assert_eq!(lanes, &[2, 3]);
    assert_eq!(type_of_with("float4 v = 0;", "v.rgb", &version(LanguageVersion::C30)), "float3");
}

#[test]
fn vector_literals() {
    for text in [
        "(float4)(1.0f)",
        "(float4)(1, 2, 3, 4)",
        "(float4)((float2)(1, 2), 3, 4)",
        "(float4)(1, (float2)(2, 3), 4)",
        "(float4)((float3)(1, 2, 3), 4)",
        "(float4)((float2)(1, 2), (float2)(3, 4))",
        "(float4)((float4)(1, 2, 3, 4))",
    ] {
        assert_eq!(type_of("", text), "float4", "{text}");
    }
    let program = valid("void f() { (uchar4)(9, 12, 300, -1); }");
    assert_eq!(last(&program).kind, ExprKind::Constant(Constant::Lanes(vec![9, 12, 44, 255])));
}

#[test]
fn true_is_all_bits_in_an_integer_vector() {
    let program = valid("void f(bool b) { int2 v = (int2)b; }");
    let ExprKind::Convert { conversion: Conversion::Splat, operand } = &last(&program).kind else {
        panic!("a splat")
    };
    assert!(matches!(operand.kind, ExprKind::Negate(_)), "{operand:?}");
}

#[test]
fn compound_assignments_compute_in_the_common_type() {
    let program = valid("void f(char c, float x) { c *= x; }");
    let ExprKind::CompoundAssign { op, compute, value, .. } = &last(&program).kind else {
        panic!("{:?}", last(&program))
    };
    assert_eq!(*op, ArithmeticOp::Mul);
    assert_eq!(program.types.as_scalar(*compute), Some(crate::types::ScalarKind::Float));
    assert_eq!(value.ty, *compute);
    // The count of a shift does not affect the type.
    let program = valid("void f(char c, long x) { c <<= x; }");
    let ExprKind::CompoundAssign { compute, value, .. } = &last(&program).kind else { panic!("a shift") };
    assert_eq!(program.types.as_scalar(*compute), Some(crate::types::ScalarKind::Int));
    assert_eq!(value.ty, *compute);
}

#[test]
fn pointers() {
    statement_valid(
        "p + 1; 1 + p; p - i; p - p; p == p; p != 0; 0 == p; p < p + 1; if (p) ; p[1] = 2; 1[p] = 3;",
    );
    statement_valid("*p++ = 1; *&i = 2; r = &i; r = 0; const int *c = r; void *n = r; r = n; p = p ? p : 0;");
    statement_valid(
        "struct point *b = &s; b->x = s.y; (*b).y = 1; float *e = (float *)&v; uint m = (uint)(ulong)p;",
    );
    let program = statement_valid("*(p + 1);");
    let StatementKind::Expr(expr) = &body(&program, "f").last().expect("one").kind else { panic!("one") };
    let ExprKind::Load(place) = &expr.kind else { panic!("a load") };
    assert!(matches!(place.kind, PlaceKind::Deref(_)));
}

#[test]
fn an_array_in_a_structure_decays_where_it_is() {
    let program = valid("struct s { int n; float a[4]; }; void f(__global struct s *p) { p->a[2] = 1; }");
    let ExprKind::Assign { target, .. } = &last(&program).kind else { panic!("an assignment") };
    assert_eq!(target.space, clvk_ir::AddressSpace::Global);
}

#[test]
fn generic_pointers_are_of_2_0() {
    let text = "void g(int *p) {} void f(__global int *a, __local int *b) { g(a); g(b); int i; g(&i); }";
    valid_with(text, &version(LanguageVersion::C20));
    let (program, messages) = super::check_with(text, &plain());
    assert!(program.is_none());
    assert_eq!(
        messages,
        "1:63: error: passing '__global int *' to parameter of type '__private int *' changes address space of pointer | '__global int *'; \
         passing argument to parameter 'p' here @ 1:13; in OpenCL C 2.0 a pointer declared without an address space is generic and accepts it: choose it with -cl-std=CL2.0\n\
         1:69: error: passing '__local int *' to parameter of type '__private int *' changes address space of pointer | '__local int *'; \
         passing argument to parameter 'p' here @ 1:13; in OpenCL C 2.0 a pointer declared without an address space is generic and accepts it: choose it with -cl-std=CL2.0\n"
    );
}

#[test]
fn wrong_operands() {
    for (statement, expected) in [
        (
            "v + w;",
            "4:3: error: cannot convert between vector values of different type ('float4' and 'int4'); vectors are never converted implicitly: use convert_float4() or as_float4()\n",
        ),
        (
            "w + v.xy;",
            "4:3: error: cannot convert between vector values of different size ('int4' and 'float2')\n",
        ),
        (
            "w + u;",
            "4:3: error: scalar operand type has greater rank than the type of the vector element ('int4' and 'uint'); convert the scalar with '(int)', or the vector with convert_uint4()\n",
        ),
        ("h % 2;", "4:3: error: invalid operands to binary expression ('float' and 'int')\n"),
        ("h & 1;", "4:3: error: invalid operands to binary expression ('float' and 'int')\n"),
        ("i << h;", "4:3: error: invalid operands to binary expression ('int' and 'float')\n"),
        ("i << w;", "4:3: error: invalid operands to binary expression ('int' and 'int4')\n"),
        (
            "p + q;",
            "4:3: error: invalid operands to binary expression ('__global int *' and '__local int *')\n",
        ),
        (
            "p - q;",
            "4:3: error: arithmetic operation with operands of type ('__global int *' and '__local int *') which are pointers to non-overlapping address spaces\n",
        ),
        ("s + 1;", "4:3: error: invalid operands to binary expression ('struct point' and 'int')\n"),
        ("~h;", "4:1: error: invalid argument type 'float' to unary expression\n"),
        ("*i;", "4:1: error: indirection requires pointer operand ('int' invalid)\n"),
        ("&5;", "4:1: error: cannot take the address of an rvalue of type 'int'\n"),
        ("&v.x;", "4:1: error: address of vector element requested\n"),
        ("i = v;", "4:5: error: assigning to 'int' from incompatible type 'float4' | 'float4'\n"),
        (
            "v = w;",
            "4:5: error: assigning to 'float4' from incompatible type 'int4' | 'int4'; vectors are never converted implicitly: use convert_float4() or as_float4()\n",
        ),
        (
            "(int4)v;",
            "4:7: error: invalid conversion between vector types 'int4' and 'float4'; use convert_int4() or as_int4()\n",
        ),
        (
            "p = q;",
            "4:5: error: assigning '__local int *' to '__global int *' changes address space of pointer | '__local int *'\n",
        ),
        (
            "p = (__global int *)q;",
            "4:21: error: casting '__local int *' to type '__global int *' changes address space of pointer\n",
        ),
        (
            "p == q;",
            "4:3: error: comparison between ('__global int *' and '__local int *') which are pointers to non-overlapping address spaces\n",
        ),
        ("p == 1.0f;", "4:3: error: invalid operands to binary expression ('__global int *' and 'float')\n"),
        (
            "r = i;",
            "4:5: error: incompatible integer to pointer conversion assigning to '__private int *' from 'int' | 'int'; take its address with '&'\n",
        ),
        ("v.xx = v.xy;", "4:1: error: vector is not assignable (contains duplicate components)\n"),
        ("v.q;", "4:3: error: illegal vector component name 'q' in type 'float4'\n"),
        (
            "v.xy.z;",
            "4:6: error: vector component access exceeds type 'float2'; its components are xy or s0 to s1\n",
        ),
        ("v[4];", "4:3: error: vector element index 4 is out of bounds of type 'float4'\n"),
        ("s.z;", "4:3: error: no member named 'z' in 'struct point'; its members are x, y\n"),
        ("i.x;", "4:3: error: member reference base type 'int' is not a structure or union\n"),
        (
            "s->x;",
            "4:4: error: member reference type 'struct point' is not a pointer; did you mean to use '.'?\n",
        ),
        ("h[1];", "4:1: error: subscripted value is not an array, pointer, or vector\n"),
        ("p[h];", "4:3: error: array subscript is not an integer\n"),
        ("5 = i;", "4:1: error: expression is not assignable\n"),
        (
            "f = 0;",
            "4:1: error: 'f' is a function and can only be called: pointers to functions are not allowed\n",
        ),
        ("i();", "4:1: error: called object type 'int' is not a function or function pointer\n"),
        (
            "g();",
            "4:1: error: too few arguments to function call, expected 1, have 0; 'g' declared here @ 2:6\n",
        ),
        (
            "g(1, 2);",
            "4:1: error: too many arguments to function call, expected 1, have 2; 'g' declared here @ 2:6\n",
        ),
        (
            "g(s);",
            "4:3: error: passing 'struct point' to parameter of incompatible type 'int' | 'struct point'; passing argument to this parameter @ 2:8\n",
        ),
        ("if (s) ;", "4:5: error: statement requires expression of scalar type ('struct point' invalid)\n"),
        ("v ? 1 : 2;", "4:1: error: used type 'float4' where integer is required\n"),
        (
            "w ? v.xy : v.xy;",
            "4:1: error: vector condition type 'int4' and result type 'float2' do not have the same number of elements\n",
        ),
        (
            "const char c = 1; w ? c : c;",
            "4:19: error: vector condition type 'int4' and result type 'char' do not have elements of the same size\n",
        ),
        (
            "(float4)(1, 2, 3);",
            "4:1: error: too few elements in vector initialization (expected 4 elements, have 3)\n",
        ),
        (
            "(float4)(v, 1);",
            "4:1: error: too many elements in vector initialization (expected 4 elements, have 5)\n",
        ),
        (
            "(float4)(w.xy, 1, 2);",
            "4:10: error: initializing 'float' with an expression of incompatible type 'int2'\n",
        ),
        ("sizeof(void);", "4:1: error: invalid application of 'sizeof' to an incomplete type 'void'\n"),
        (
            "const int k = 1; k = 2;",
            "4:18: error: cannot assign to variable 'k' with const-qualified type 'const int'; variable 'k' declared here @ 4:11\n",
        ),
        (
            "undefined_one = 2; undefined_one = 3;",
            "4:1: error: use of undeclared identifier 'undefined_one'\n",
        ),
        (
            "get_gloabl_id(0);",
            "4:1: error: use of undeclared function 'get_gloabl_id'; did you mean 'get_global_id'?\n",
        ),
    ] {
        assert_eq!(statement_error(statement), expected, "{statement}");
    }
}
