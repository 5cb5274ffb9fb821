//! Declarations: types, layout, scopes, functions.

use super::{check_with, errors, errors_with, everything, plain, type_of_with, valid, version};
use crate::hir::Linkage;
use crate::options::{LanguageVersion, Options};
use crate::types::{Record, TypeKind};

/// The structure with this tag or typedef name: a parameter of `f` must be of its type.
fn layout(text: &str) -> Record {
    let program = valid(text);
    let function = program.functions.iter().find(|function| function.name == "f").expect("f");
    let TypeKind::Record(id) = program.types.kind(function.locals[0].ty.ty) else { panic!("a structure") };
    program.types.record(*id).clone()
}

fn offsets(record: &Record) -> Vec<u64> {
    record.members.iter().flatten().map(|member| member.offset).collect()
}

#[test]
fn structures_are_laid_out_as_c_and_opencl_say() {
    let record = layout(
        "struct s { char c; float3 v; short h; double *p; uchar3 t; }; void f(struct s x) {}"
            .replace("double", "int")
            .as_str(),
    );
    assert_eq!((offsets(&record), record.size, record.align), (vec![0, 16, 32, 40, 48], 64, 16));
    let record =
        layout("struct __attribute__((packed)) s { char c; int i; float4 v; }; void f(struct s x) {}");
    assert_eq!((offsets(&record), record.size, record.align), (vec![0, 1, 5], 21, 1));
    let record = layout("typedef struct { char c; int i __attribute__((aligned(16))); } s; void f(s x) {}");
    assert_eq!((offsets(&record), record.size, record.align), (vec![0, 16], 32, 16));
    let record = layout("typedef struct { int i; } __attribute__((aligned(32))) s; void f(s x) {}");
    assert_eq!((record.size, record.align), (32, 32));
    let record = layout("union u { char c[5]; int i; }; void f(union u x) {}");
    assert_eq!((offsets(&record), record.size, record.align), (vec![0, 0], 8, 4));
    let record =
        layout("struct s { int a; struct { int b; float4 c; }; }; void f(struct s x) { x.c = x.b; }");
    assert_eq!((offsets(&record), record.size), (vec![0, 16], 48));
}

#[test]
fn types_may_be_declared_before_they_are_defined() {
    valid(
        "struct list; struct list { __global struct list *next; int n; }; int f(__global struct list *l) { return l->next->n; }",
    );
    valid("typedef struct node node; struct node { int v; }; int f(node *n) { return n->v; }");
    valid(
        "enum e { A, B = 5, C }; int f(enum e x) { switch (x) { case A: return C; default: return x + B; } }",
    );
}

#[test]
fn scopes() {
    valid(
        "typedef int T; int f(T a) { { int T = a; a = T; } T b = a; for (int a = 0; a < 2; ++a) { float a = 1; b += a; } return b; }",
    );
    valid("int f(int); int f(int x); int g() { return f(1); } int f(int y) { return y; }");
    valid("void f() { again: if (0) goto again; } void g() { again: ; }");
    valid("extern __constant int x; int f() { return x; } __constant int x = 4;");
}

/// C99 §6.2.5p22, §6.7p7.
#[test]
fn an_extern_variable_may_be_of_a_structure_that_comes_later_or_never() {
    let linked = Options { for_linking: true, ..plain() };
    let (program, messages) = check_with("extern constant struct bar bart; int f() { return 1; }", &linked);
    assert_eq!(messages, "");
    let declared = program.expect("valid").globals;
    assert!(
        declared.iter().all(|global| global.linkage == Linkage::Internal),
        "nothing is asked of the linker"
    );
    valid(
        "extern constant struct s v; struct s { int a; }; constant struct s v = { 4 }; int f() { return v.a; }",
    );
    let later = "extern constant struct s v; struct s { char c; int4 a; }; int f() { return v.a.y; }";
    let (program, messages) = check_with(later, &linked);
    assert_eq!(messages, "");
    let program = program.expect("valid");
    let global = &program.globals[0];
    assert_eq!((global.linkage, global.align), (Linkage::Declared, 16));
    assert_eq!(
        errors("extern constant struct s v; constant struct s *f() { return &v; }"),
        "1:26: error: the extern variable 'v' is not defined in this program; variables of another program need separate compilation and linking\n"
    );
    assert_eq!(
        errors("extern constant struct s v; int f() { return v.a; }"),
        "1:46: error: incomplete definition of type 'struct s'\n"
    );
    assert_eq!(
        errors("constant struct s v; int f() { return 1; }"),
        "1:19: error: variable has incomplete type 'struct s'; forward declaration of 'struct s' @ 1:17\n"
    );
}

#[test]
fn functions_without_a_body_are_in_the_program() {
    let program = valid("float external(float x); float f() { return external(1); }");
    assert!(program.functions[0].body.is_none());
    assert_eq!(program.functions[0].param_count, 1);
}

#[test]
fn parameters_that_are_arrays_are_pointers() {
    valid(
        "int f(int a[4], int b[][2], __local float c[]) { return a[1] + b[1][0] + (int)c[0]; } int g() { int x[4], y[2][2]; return f(x, y, 0); }",
    );
}

#[test]
fn static_assertions() {
    valid("_Static_assert(sizeof(float3) == 16, \"three\");");
    assert_eq!(errors("_Static_assert(1 > 2, \"no\");"), "1:16: error: static assertion failed: no\n");
}

#[test]
fn half_and_double_need_the_device() {
    assert_eq!(
        errors("void f() { double d; }"),
        "1:12: error: use of type 'double' requires cl_khr_fp64 support; the target device does not offer it\n"
    );
    assert_eq!(
        errors("void f() { half h; }"),
        "1:17: error: declaring variable of type 'half' is not allowed without cl_khr_fp16\n"
    );
    assert_eq!(
        errors("float f(__global half *p) { return *p; }"),
        "1:36: error: loading directly from pointer to type 'half' requires cl_khr_fp16. Use vector data load builtin functions instead\n"
    );
    assert_eq!(type_of_with("half4 h = 0;", "h * 2", &everything()), "half4");
}

#[test]
fn unsupported_things_are_refused_by_name() {
    for (text, expected) in [
        ("struct s { int a : 3; };", "bit-fields are not supported in OpenCL"),
        ("void f(int n, ...);", "invalid prototype, variadic arguments are not allowed in OpenCL"),
        ("void f() { void (*p)(void); }", "pointers to functions are not allowed"),
        (
            "void f() { int (^b)(int); }",
            "a block requires OpenCL C 2.0 or newer; choose it with -cl-std=CL2.0",
        ),
        (
            "void f(atomic_int *a);",
            "use of type 'atomic_int' requires OpenCL C 2.0 or newer; choose it with -cl-std=CL2.0",
        ),
        ("kernel void f(event_t e) { }", "'event_t' cannot be used as the type of a kernel parameter"),
        (
            "void f() { image2d_depth_t i; }",
            "the 'read_only image2d_depth_t' type can only be used as a function parameter",
        ),
        ("typedef float v __attribute__((ext_vector_type(5)));", "a vector of 5 elements is not supported"),
        ("typedef float v __attribute__((vector_size(20)));", "a vector of 5 elements is not supported"),
        (
            "struct s {}; kernel void f(struct s a) {}",
            "a kernel parameter of type 'struct s', which has no size, is not supported",
        ),
        (
            "void f() { char a[100000] = {[0 ... 99999] = 1}; }",
            "initialising more than 65536 elements by ranges is not supported",
        ),
        (
            "__constant char a[300][300] = {[0 ... 299] = {[0 ... 299] = 1}};",
            "initialising more than 65536 elements by ranges is not supported",
        ),
        (
            "void f() { int x = __builtin_alloca(4); }",
            "the compiler built-in '__builtin_alloca' is not supported",
        ),
        (
            "typedef float v __attribute__((aligned(2)));",
            "a typedef with an alignment below the type's own is not supported",
        ),
        ("void f() { register int i; }", "OpenCL does not support the 'register' storage class specifier"),
        ("struct s { int n; int a[]; };", "flexible array members are not supported in OpenCL"),
        (
            "struct s { image2d_t i; };",
            "the 'read_only image2d_t' type cannot be used to declare a structure or union field",
        ),
    ] {
        let messages = errors(text);
        assert!(messages.contains(&format!("error: {expected}\n")), "{text}\n{messages}");
        assert_eq!(messages.matches("error:").count(), 1, "{text}\n{messages}");
    }
}

#[test]
fn objects_of_atomic_and_opaque_types() {
    for (text, expected) in [
        (
            "void f(atomic_int *a) { *a = 1; }",
            "an object of type 'atomic_int' can only be accessed with atomic functions",
        ),
        (
            "int f(atomic_long *a) { return *a; }",
            "an object of type 'atomic_long' can only be accessed with atomic functions",
        ),
        ("kernel void f(atomic_int a) {}", "'atomic_int' cannot be used as the type of a kernel parameter"),
        (
            "void f(pipe int p) { pipe int q = p; }",
            "the 'read_only pipe int' type can only be used as a function parameter",
        ),
        ("void f(read_write pipe int p) {}", "access qualifier 'read_write' can not be used for a pipe"),
        (
            "struct s { write_only pipe int p; };",
            "the 'write_only pipe int' type cannot be used to declare a structure or union field",
        ),
        ("void f(pipe sampler_t p) {}", "a pipe of packets of type 'sampler_t' is not allowed"),
        ("event_t e;", "the 'event_t' type cannot be used to declare a program scope variable"),
        (
            "kernel void f(reserve_id_t e) {}",
            "'reserve_id_t' cannot be used as the type of a kernel parameter",
        ),
    ] {
        let messages = errors_with(text, &version(LanguageVersion::C20));
        assert!(messages.contains(&format!("error: {expected}\n")), "{text}\n{messages}");
        assert_eq!(messages.matches("error:").count(), 1, "{text}\n{messages}");
    }
}

#[test]
fn wrong_declarations() {
    for (text, expected) in [
        (
            "void f() { int a; float a; }",
            "1:25: error: redefinition of 'a' with a different type: 'float' vs 'int'; previous definition is here @ 1:16\n",
        ),
        ("void f() {} void f() {}", "1:18: error: redefinition of 'f'; previous declaration is here @ 1:6\n"),
        (
            "void f(int); int f(int);",
            "1:18: error: conflicting types for 'f'; previous declaration is here @ 1:6\n",
        ),
        (
            "struct s { int a; }; struct s { int b; };",
            "1:29: error: redefinition of 'struct s'; previous definition is here @ 1:8\n",
        ),
        (
            "struct s { int a; float a; };",
            "1:25: error: duplicate member 'a'; previous declaration is here @ 1:16\n",
        ),
        ("struct s { struct s t; };", "1:21: error: field has incomplete type 'struct s'\n"),
        ("struct s { __global int a; };", "1:25: error: field may not be qualified with an address space\n"),
        ("void f() { void v; }", "1:17: error: variable has incomplete type 'void'\n"),
        (
            "void f() { static int v; }",
            "1:23: error: static local variable must reside in constant address space; global memory requires OpenCL C 2.0 or newer: choose it with -cl-std=CL2.0\n",
        ),
        ("void f(void v) {}", "1:8: error: argument may not have 'void' type\n"),
        ("int f() { return; }", "1:11: error: non-void function 'f' should return a value\n"),
        ("void f() { return 1; }", "1:12: error: void function 'f' should not return a value\n"),
        ("void f() { goto nowhere; }", "1:17: error: use of undeclared label 'nowhere'\n"),
        ("void f() { break; }", "1:12: error: 'break' statement not in loop or switch statement\n"),
        (
            "void f() { switch (1) { continue; } }",
            "1:25: error: 'continue' statement not in loop statement\n",
        ),
        ("void f(int i) { case 1: ; }", "1:17: error: 'case' statement not in switch statement\n"),
        (
            "void f(int i) { switch (i) { case 1: case 1: ; } }",
            "1:43: error: duplicate case value '1'; previous case defined here @ 1:35\n",
        ),
        (
            "void f(int i) { switch (i) { case i: ; } }",
            "1:35: error: expression is not an integer constant expression\n",
        ),
        (
            "void f(float x) { switch (x) { } }",
            "1:27: error: statement requires expression of integer type ('float' invalid)\n",
        ),
        (
            "extern __constant int x; int f() { return x; }",
            "1:23: error: the extern variable 'x' is not defined in this program; variables of another program need separate compilation and linking\n",
        ),
        ("int *restrict a[2][-1];", "1:20: error: an array is declared with a negative size\n"),
        ("void f(__global __local int *p) {}", "1:17: error: multiple address spaces specified for type\n"),
        (
            "void f(read_only int x) {}",
            "1:8: error: access qualifier can only be used for pipe and image type\n",
        ),
        ("int main() { return 0; }", "1:5: error: a function cannot be called 'main' in OpenCL\n"),
    ] {
        assert_eq!(errors(text), expected, "{text}");
    }
    assert_eq!(
        errors_with("static __constant int x = 1;", &version(LanguageVersion::C11)),
        "1:1: error: the 'static' storage class specifier requires OpenCL C 1.2 or newer; choose it with -cl-std=CL1.2\n"
    );
}

#[test]
fn nesting_of_types_is_bounded() {
    let mut text = "typedef int t0;".to_owned();
    for level in 1..2000 {
        text += &format!("typedef t{} *t{level};", level - 1);
    }
    assert!(errors(&text).contains("the type is nested more than 128 levels deep"));
    let mut text = "struct s0 { int a; };".to_owned();
    for level in 1..200 {
        text += &format!("struct s{level} {{ struct s{} a, b; }};", level - 1);
    }
    assert!(errors(&text).contains("error: the structure is too large"));
    let mut text = "struct s0 { int a; };".to_owned();
    for level in 1..200 {
        text += &format!("struct s{level} {{ struct s{} a; }};", level - 1);
    }
    assert!(errors(&text).contains("structures are nested more than 128 levels deep"));
}

#[test]
fn samplers_of_the_program_are_constants() {
    valid(
        "__constant sampler_t a = CLK_NORMALIZED_COORDS_TRUE | CLK_ADDRESS_REPEAT | CLK_FILTER_LINEAR;
         const sampler_t b = CLK_ADDRESS_CLAMP_TO_EDGE;
         float4 f(read_only image2d_t i, sampler_t s) { sampler_t t = s; return read_imagef(i, t, (int2)(0)); }
         kernel void k(read_only image2d_t i, global float4 *o) {
             const sampler_t c = 0x10; o[0] = f(i, a) + f(i, b) + f(i, c) + f(i, CLK_FILTER_NEAREST);
             o[1] = read_imagef(i, CLK_FILTER_NEAREST, (float2)(0)); }",
    );
    for (text, message) in [
        ("sampler_t s = 2;", "must be declared 'const' or '__constant'"),
        ("void f() { const sampler_t s; }", "must be initialized"),
        ("const sampler_t s = 0x40;", "0x40 is not a valid combination"),
        ("const sampler_t s = CLK_FILTER_NEAREST | CLK_FILTER_LINEAR;", "0x30 is not a valid combination"),
        ("void f(int x) { const sampler_t s = x; }", "compile-time constant"),
        ("void f() { __local sampler_t s = 2; }", "cannot be declared in the global, local or generic"),
        ("const sampler_t s = 2.0f;", "incompatible type 'float'"),
        ("__constant sampler_t s = 2; void f() { s = 3; }", "cannot be assigned"),
        ("__constant sampler_t s = 2; void f() { &s; }", "address"),
    ] {
        let found = errors(text);
        assert!(found.contains(message), "{text}: {found}");
    }
}

#[test]
fn statements_in_parentheses_are_statements() {
    valid(
        "int f(int x) { for (;;) { ({ int y = x; if (y > 3) break; x += y; }); } (({ return x; })); }
         void g() { ({ }); }",
    );
    valid("int f(int x) { return ({ int y = x; if (y > 3) return 0; y + 1; }); }");
    for (text, message) in [
        ("int f(int x) { for (;;) x += ({ if (x) break; 1; }); }", "a jump out of a statement expression"),
        (
            "int f(int x) { for (;;) x += ({ switch (x) { case 1: continue; } 1; }); }",
            "a jump out of a statement",
        ),
        ("int f(int x) { return ({ return x; 1; }); }", "a statement expression whose end is never reached"),
        ("int f(int x) { return ({ l: x++; 1; }); }", "a label or 'goto' in a statement expression"),
        ("int f(int x) { switch (x) { default: x = ({ case 1: x = 2; 1; }); } return x; }", "not in switch"),
    ] {
        let found = errors(text);
        assert!(found.contains(message), "{text}: {found}");
    }
}

#[test]
fn overloadable_functions_have_names_of_their_own() {
    let overloads = "__attribute__((overloadable)) int f(int a) { return 1; }
         __attribute__((overloadable)) int f(float4 a, global const char *b) { return 2; }
         struct s { int a; }; __attribute__((overloadable)) int f(struct s a) { return 3; }
         int f(void) { return 4; } __attribute__((overloadable)) int f(read_only image2d_t i, sampler_t s);
         kernel void k(global int *o) { o[0] = f(1) + f(); }";
    let (program, messages) = check_with(overloads, &plain());
    let program = program.expect(&messages);
    let names: Vec<&str> = program.functions.iter().map(|function| function.link_name.as_str()).collect();
    let expected =
        ["_Z1fi", "_Z1fDv4_fPU3AS1Kc", "_Z1f7structs", "f", "_Z1f14ocl_image2d_ro11ocl_sampler", "k"];
    assert_eq!(names, expected);
    let found = errors(&format!("{overloads} void g(float x, global int *o) {{ f(o); f(x); }}"));
    for part in [
        "no matching function for call to 'f'",
        "no known conversion from '__global int *' to 'int' for argument 1 @ 1:",
        "requires 2 arguments, 1 given @ 2:",
        "the arguments are (__global int *)",
    ] {
        assert!(found.contains(part), "{part}: {found}");
    }
    // A conversion is all that `float` has: to `int`.
    assert_eq!(found.matches("error:").count(), 1, "{found}");
}
