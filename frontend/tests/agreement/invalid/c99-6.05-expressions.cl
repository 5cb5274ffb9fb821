//# nested_unclosed_call
int g(int x) { return x; }
kernel void f(global int *p) { p[0] = g(g(1); }
//# initialiser_of_self_type
kernel void f(void) { int x = int; }
//# compound_literal_of_void
kernel void f(void) { (void){ 1 }; }
//# compound_literal_of_function
kernel void f(void) { (int(void)){ 1 }; }
//# compound_literal_excess_struct
struct s;
kernel void f(void) { (struct s){ 1 }; }
//# compound_literal_of_variable_length
kernel void f(int n) { (int[n]){ 1 }; }
//# array_compared_with_float
kernel void f(global int *p) { int a[2]; p[0] = a == 1.0f; }
//# array_negated
kernel void f(global int *p) { int a[2]; -a; }
//# array_times_number
kernel void f(global int *p) { int a[2]; a * 2; }
//# struct_condition
struct s { int a; };
kernel void f(struct s v) { if (v) return; }
//# vector_condition
kernel void f(int4 v) { if (v) return; }
//# vector_while_condition
kernel void f(float4 v) { while (v) { } }
//# vector_for_condition
kernel void f(float4 v) { for (; v; ) { } }
//# vector_do_condition
kernel void f(int2 v) { do { } while (v); }
//# vector_comparison_as_condition
kernel void f(int4 a, int4 b) { if (a == b) return; }
//# missing_member_name
struct s { int a; };
kernel void f(struct s v) { v.; }
//# member_of_function_call_unknown
struct s { int a; };
struct s g(void) { struct s v = { 1 }; return v; }
kernel void f(global int *p) { p[0] = g().b; }
//# misspelt_member
struct s { int position; };
kernel void f(global int *p, struct s v) { p[0] = v.positon; }
//# misspelt_variable
kernel void f(global int *p) { int counter = 1; p[0] = countre; }
//# misspelt_function
int square(int x) { return x * x; }
kernel void f(global int *p) { p[0] = sqaure(2); }
//# misspelt_type
kernel void f(void) { flaot x; }
//# misspelt_kernel_keyword
kernl void f(void) { }
//# misspelt_return
int g(int x) { retrun x; }
//# misspelt_else
kernel void f(global int *p) { if (p[0]) p[1] = 1; esle p[1] = 2; }
//# misspelt_global
kernel void f(globl int *p) { }
//# misspelt_constant_macro
kernel void f(global float *p) { p[0] = M_PI_X; }
//# cast_without_operand
kernel void f(global int *p) { p[0] = (int); }
//# cast_incomplete
kernel void f(global int *p) { p[0] = (int 5; }
//# comma_without_right
kernel void f(int a) { a, ; }
//# conditional_without_middle
kernel void f(global int *p) { p[0] = p[1] ? : 2 : 3; }
//# not_without_operand
kernel void f(global int *p) { p[0] = !; }
//# assignment_without_value
kernel void f(global int *p) { p[0] = ; }
//# index_empty
kernel void f(global int *p) { p[] = 1; }
//# string_plus_string
kernel void f(void) { "a" + "b"; }
//# string_times_number
kernel void f(void) { "a" * 2; }
//# character_as_pointer
kernel void f(global int *p) { *'a'; }
//# generic_comparison_of_void
void g(void) { }
kernel void f(global int *p) { p[0] = g() == g(); }
//# void_added
void g(void) { }
kernel void f(global int *p) { p[0] = g() + 1; }
//# void_negated
void g(void) { }
kernel void f(global int *p) { -g(); }
//# void_indexed
void g(void) { }
kernel void f(void) { g()[0]; }
//# offsetof_unknown_member
struct s { int a; };
kernel void f(global int *p) { p[0] = __builtin_offsetof(struct s, b); }
//# brace_as_expression
kernel void f(global int *p) { p[0] = { 1 }; }
//# semicolon_in_parentheses
kernel void f(global int *p) { p[0] = (1; 2); }
