//# vector_to_scalar
kernel void f(global float *p, float4 v) { p[0] = v; }
//# vector_to_vector
kernel void f(global float4 *p, int4 v) { p[0] = v; }
//# vector_initialised
kernel void f(uint4 v) { int4 w = v; }
//# vector_cast
kernel void f(global int4 *p, float4 v) { p[0] = (int4)v; }
//# vector_operands
kernel void f(global float4 *p, int4 v) { p[0] = p[1] * v; }
//# vector_widths
kernel void f(global float4 *p, float2 v) { p[0] = p[1] + v; }
//# scalar_of_greater_rank
kernel void f(global int4 *p, float x) { p[0] = p[1] + x; }
//# vector_literal_short
kernel void f(global float4 *p) { p[0] = (float4)(1.0f, 2.0f); }
//# vector_literal_long
kernel void f(global float2 *p) { p[0] = (float2)(1.0f, 2.0f, 3.0f); }
//# vector_condition
kernel void f(int4 v) { if (v) return; }
//# vector_and
kernel void f(global int4 *p, float4 v) { p[0] = p[1] && v; }
//# comparison_result
kernel void f(global int *p, float4 a, float4 b) { p[0] = a == b; }
//# select_size
kernel void f(global float4 *p, short4 c) { p[0] = c ? p[1] : p[2]; }
//# remainder_of_floats
kernel void f(global float *p) { p[0] = p[1] % p[2]; }
//# shift_by_float
kernel void f(global int *p, float x) { p[0] = p[1] << x; }
//# pointer_from_integer
kernel void f(int x) { global int *p = x; }
//# integer_from_pointer
kernel void f(global int *p) { int x = p; }
//# pointers_added
kernel void f(global int *p, global int *q) { global int *r = p + q; }
//# struct_operand
struct s { int a; };
kernel void f(global int *p, struct s v) { p[0] = v + 1; }
//# struct_assigned
struct s { int a; };
struct t { int a; };
kernel void f(global struct s *p, struct t v) { p[0] = v; }
//# dereferenced_integer
kernel void f(global int *p) { p[0] = *p[1]; }
//# indexed_integer
kernel void f(global int *p, int x) { p[0] = x[1]; }
//# float_index
kernel void f(global int *p) { p[1.5f] = 1; }
//# not_assignable
kernel void f(int a, int b) { a + b = 1; }
//# array_assigned
kernel void f(void) { int a[2], b[2]; a = b; }
//# const_variable
kernel void f(void) { const int n = 1; n = 2; }
//# const_parameter
kernel void f(const int n) { n++; }
//# const_pointer_target
kernel void f(global const float *p) { p[0] = 1.0f; }
//# const_member
struct s { const int a; };
kernel void f(struct s v) { v.a = 2; }
//# void_value
void g(void) { }
kernel void f(global int *p) { p[0] = g(); }
//# void_variable
kernel void f(void) { void x; }
//# incomplete_struct
struct s;
kernel void f(void) { struct s v; }
//# array_size
kernel void f(void) { int a[-1]; }
//# initialiser_of_array
kernel void f(void) { int a[2] = 1; }
//# designator
struct s { int first; };
kernel void f(void) { struct s v = { .frist = 1 }; }
//# address_of_lane
kernel void f(float4 v) { float *p = &v.x; }
//# literal_suffix
kernel void f(global float *p) { p[0] = 1.0fx; }
//# literal_integer_suffix
kernel void f(global float *p) { p[0] = 1f; }
//# octal
kernel void f(global int *p) { p[0] = 089; }
//# forward_declared
struct particle;
kernel void f(void) { struct particle p; }
//# element_of_a_constant_table
constant int table[2] = {1, 2};
kernel void f(void) { table[1] = 3; }
//# member_behind_a_const_pointer
struct s { int a; };
kernel void f(global const struct s *p) { p->a = 3; }
//# parenthesis_missing_after_sizeof
kernel void f(global int *p) { p[0] = sizeof int; }
