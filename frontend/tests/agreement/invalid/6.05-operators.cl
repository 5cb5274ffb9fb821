//# remainder_of_floats
kernel void f(global float *p) { p[0] = p[1] % p[2]; }
//# remainder_of_float_vectors
kernel void f(global float4 *p) { p[0] = p[1] % p[2]; }
//# remainder_assigned_to_float
kernel void f(global float *p) { p[0] %= 2; }
//# and_of_floats
kernel void f(global float *p) { p[0] = p[1] & p[2]; }
//# or_of_float_and_integer
kernel void f(global float *p) { p[0] = 1 | p[2]; }
//# xor_of_float_vectors
kernel void f(global float4 *p) { p[0] = p[1] ^ p[2]; }
//# not_of_float
kernel void f(global float *p) { p[0] = ~p[1]; }
//# not_of_float_vector
kernel void f(global float4 *p) { p[0] = ~p[1]; }
//# not_of_pointer
kernel void f(global float *p) { ~p; }
//# shift_of_float
kernel void f(global float *p) { p[0] = p[1] << 2; }
//# shift_by_float
kernel void f(global int *p, float v) { p[0] = p[1] << v; }
//# shift_of_float_vector
kernel void f(global float4 *p) { p[0] = p[1] >> 2; }
//# shift_of_scalar_by_vector
kernel void f(global int4 *p, int v) { p[0] = v << p[1]; }
//# shift_of_vector_by_other_width
kernel void f(global int4 *p, int2 v) { p[0] = p[1] << v; }
//# shift_of_pointer
kernel void f(global int *p) { p << 1; }
//# shift_assigned_to_float
kernel void f(global float *p) { p[0] <<= 2; }
//# and_assigned_to_float
kernel void f(global float *p) { p[0] &= 2; }
//# add_structs
struct s { int a; };
kernel void f(struct s a, struct s b) { a + b; }
//# add_struct_and_scalar
struct s { int a; };
kernel void f(struct s a) { a + 1; }
//# multiply_pointer
kernel void f(global int *p) { p * 2; }
//# divide_pointers
kernel void f(global int *p) { p / p; }
//# add_pointers
kernel void f(global int *p, global int *q) { p + q; }
//# add_pointer_and_float
kernel void f(global int *p, float x) { p + x; }
//# add_pointer_and_vector
kernel void f(global int *p, int2 x) { p + x; }
//# subtract_pointer_from_integer
kernel void f(global int *p) { 1 - p; }
//# subtract_pointers_of_other_types
kernel void f(global int *p, global float *q) { p - q; }
//# subtract_pointers_of_other_spaces
kernel void f(global int *p, local int *q) { p - q; }
//# negate_pointer
kernel void f(global int *p) { -p; }
//# negate_struct
struct s { int a; };
kernel void f(struct s a) { -a; }
//# plus_of_pointer
kernel void f(global int *p) { +p; }
//# logical_not_of_struct
struct s { int a; };
kernel void f(struct s a) { !a; }
//# increment_of_struct
struct s { int a; };
kernel void f(struct s a) { a++; }
//# increment_of_a_vector_of_floats
kernel void f(global float4 *p) { p[0]++; }
//# increment_of_constant
kernel void f(void) { 5++; }
//# increment_of_sum
kernel void f(int a) { ++(a + 1); }
//# increment_of_const
kernel void f(void) { const int a = 1; a++; }
//# decrement_of_array
kernel void f(void) { int a[2]; a--; }
//# increment_twice
kernel void f(int a) { a++++; }
//# increment_of_function
void g(void) { }
kernel void f(void) { g++; }
//# compare_structs
struct s { int a; };
kernel void f(struct s a, struct s b, global int *p) { p[0] = a == b; }
//# less_of_structs
struct s { int a; };
kernel void f(struct s a, struct s b, global int *p) { p[0] = a < b; }
//# compare_vectors_of_other_types
kernel void f(global int4 *p, float4 v) { p[0] = p[1] < v; }
//# compare_vectors_of_other_width
kernel void f(global int4 *p, int2 v) { p[0] = p[1] == v; }
//# compare_vectors_of_other_sign
kernel void f(global int4 *p, uint4 v) { p[0] = p[1] == v; }
//# compare_pointers_of_other_spaces
kernel void f(global int *p, local int *q) { p[0] = p == q; }
//# less_of_pointers_of_other_spaces
kernel void f(global int *p, local int *q) { p[0] = p < q; }
//# compare_pointer_and_float
kernel void f(global int *p, float x) { p[0] = p == x; }
//# compare_result_of_vectors_assigned_to_scalar
kernel void f(global int *p, int4 a, int4 b) { p[0] = a == b; }
//# compare_result_of_float_vectors_assigned_to_float
kernel void f(global float4 *p) { p[0] = p[1] < p[2]; }
//# compare_result_of_double_vectors_assigned_to_int
kernel void f(global int2 *p, double2 a) { p[0] = a < a; }
//# logical_and_of_struct
struct s { int a; };
kernel void f(struct s a) { a && 1; }
//# logical_or_of_vectors_of_other_width
kernel void f(global int4 *p, int2 v) { p[0] = p[1] || v; }
//# logical_and_of_vectors_of_other_type
kernel void f(global int4 *p, float4 v) { p[0] = p[1] && v; }
//# logical_and_result_of_vectors_assigned_to_scalar
kernel void f(global int *p, int4 a, int4 b) { p[0] = a && b; }
//# logical_xor
kernel void f(global int *p) { p[0] = p[1] ^^ p[2]; }
//# condition_is_float_vector
kernel void f(global float4 *p, float4 c) { p[0] = c ? p[1] : p[2]; }
//# condition_is_struct
struct s { int a; };
kernel void f(global int *p, struct s a) { p[0] = a ? 1 : 2; }
//# conditional_of_other_width
kernel void f(global float4 *p, int2 c) { p[0] = c ? p[1] : p[2]; }
//# conditional_of_other_element_size
kernel void f(global float4 *p, short4 c) { p[0] = c ? p[1] : p[2]; }
//# conditional_of_struct_and_scalar
struct s { int a; };
kernel void f(int c, struct s a) { c ? a : 1; }
//# conditional_of_other_structs
struct s { int a; };
struct t { int a; };
kernel void f(int c, struct s a, struct t b) { c ? a : b; }
//# conditional_of_vectors_of_other_types
kernel void f(int c, float4 a, int4 b) { c ? a : b; }
//# conditional_of_pointers_of_other_spaces
kernel void f(int c, global int *p, local int *q) { c ? p : q; }
//# conditional_of_pointer_and_float
kernel void f(int c, global int *p) { c ? p : 1.0f; }
//# conditional_of_void_and_scalar
void g(void) { }
kernel void f(int c, global int *p) { p[0] = c ? g() : 1; }
//# conditional_assigned
kernel void f(int c, int a, int b) { (c ? a : b) = 1; }
//# sizeof_incomplete_array
extern constant int a[];
kernel void f(global int *p) { p[0] = sizeof(a); }
//# sizeof_without_operand
kernel void f(global int *p) { p[0] = sizeof(); }
//# sizeof_type_without_parentheses
kernel void f(global int *p) { p[0] = sizeof int; }
//# dereference_of_integer
kernel void f(global int *p) { p[0] = *p[1]; }
//# dereference_of_vector
kernel void f(global float *p, float4 v) { p[0] = *v; }
//# dereference_of_void_pointer_used
kernel void f(global void *p, global int *q) { q[0] = *p; }
//# dereference_of_struct
struct s { int a; };
kernel void f(struct s a) { *a; }
//# address_of_constant
kernel void f(void) { &5; }
//# address_of_sum
kernel void f(int a) { &(a + 1); }
//# address_of_call
int g(void) { return 1; }
kernel void f(void) { &g(); }
//# address_of_function
int g(void) { return 1; }
kernel void f(void) { &g; }
//# address_of_cast
kernel void f(int a) { &(float)a; }
//# assignment_to_constant
kernel void f(void) { 5 = 1; }
//# assignment_to_sum
kernel void f(int a) { a + 1 = 2; }
//# assignment_to_call
int g(void) { return 1; }
kernel void f(void) { g() = 1; }
//# assignment_to_cast
kernel void f(int a) { (float)a = 1; }
//# assignment_to_function
void g(void) { }
kernel void f(void) { g = 0; }
//# assignment_to_array
kernel void f(void) { int a[2]; int b[2]; a = b; }
//# assignment_to_const
kernel void f(void) { const int a = 1; a = 2; }
//# assignment_to_const_parameter
kernel void f(const int a) { a = 2; }
//# assignment_through_const_pointer
kernel void f(global const int *p) { p[0] = 2; }
//# assignment_to_const_pointer
kernel void f(global int *const p, global int *q) { p = q; }
//# assignment_to_const_member
struct s { const int a; };
kernel void f(struct s v) { v.a = 2; }
//# assignment_to_member_of_const_struct
struct s { int a; };
kernel void f(global const struct s *p) { p->a = 2; }
//# assignment_to_struct_with_const_member
struct s { const int a; };
kernel void f(struct s v, struct s w) { v = w; }
//# assignment_to_lane_of_const_vector
kernel void f(void) { const float4 v = 0.0f; v.x = 1.0f; }
//# assignment_to_enumerator
enum e { A };
kernel void f(void) { A = 1; }
//# assignment_to_comma
kernel void f(int a, int b) { (a, b) = 1; }
//# assignment_to_assignment
kernel void f(int a, int b) { (a = b) = 1; }
//# assignment_to_string
kernel void f(void) { "abc"[0] = 'x'; }
//# assignment_to_lane_of_call
float4 g(void) { return (float4)(0.0f); }
kernel void f(void) { g().x = 1.0f; }
//# assignment_to_member_of_call
struct s { int a; };
struct s g(void) { struct s v = { 1 }; return v; }
kernel void f(void) { g().a = 1; }
//# add_assigned_to_pointer_of_float
kernel void f(global int *p) { p += 1.0f; }
//# multiply_assigned_to_pointer
kernel void f(global int *p) { p *= 2; }
//# add_assigned_vector_to_scalar
kernel void f(global float *p, float4 v) { p[0] += v; }
//# add_assigned_vector_of_other_width
kernel void f(global float4 *p, float2 v) { p[0] += v; }
//# index_of_scalar
kernel void f(global int *p, int a) { p[0] = a[1]; }
//# index_is_float
kernel void f(global int *p) { p[0] = p[1.5f]; }
//# index_is_pointer
kernel void f(global int *p) { p[p] = 0; }
//# index_is_vector
kernel void f(global int *p, int2 v) { p[0] = p[v]; }
//# index_is_struct
struct s { int a; };
kernel void f(global int *p, struct s v) { p[v] = 0; }
//# index_of_void_pointer
kernel void f(global void *p, global int *q) { q[0] = p[0]; }
//# index_of_vector_is_float
kernel void f(global float *p, float4 v) { p[0] = v[1.0f]; }
//# member_of_scalar
kernel void f(global int *p, int a) { p[0] = a.b; }
//# member_unknown
struct s { int a; };
kernel void f(global int *p, struct s v) { p[0] = v.b; }
//# member_with_dot_of_pointer
struct s { int a; };
kernel void f(global struct s *p) { p.a = 1; }
//# member_with_arrow_of_struct
struct s { int a; };
kernel void f(struct s v) { v->a = 1; }
//# member_with_arrow_of_scalar
kernel void f(int v) { v->a = 1; }
//# member_with_arrow_of_pointer_to_scalar
kernel void f(global int *p) { p->a = 1; }
//# call_of_variable
kernel void f(int a) { a(1); }
//# call_of_number
kernel void f(void) { 5(1); }
//# call_of_undeclared
kernel void f(global int *p) { p[0] = foo(1); }
//# call_before_declaration
kernel void f(global int *p) { p[0] = g(1); }
int g(int x) { return x; }
//# call_with_too_few_arguments
int g(int a, int b) { return a + b; }
kernel void f(global int *p) { p[0] = g(1); }
//# call_with_too_many_arguments
int g(int a) { return a; }
kernel void f(global int *p) { p[0] = g(1, 2); }
//# call_with_arguments_of_none
int g(void) { return 1; }
kernel void f(global int *p) { p[0] = g(2); }
//# call_with_arguments_of_empty_list
int g() { return 1; }
kernel void f(global int *p) { p[0] = g(2); }
//# undeclared_identifier
kernel void f(global int *p) { p[0] = n; }
//# identifier_out_of_scope
kernel void f(global int *p) { { int n = 1; } p[0] = n; }
//# loop_variable_out_of_scope
kernel void f(global int *p) { for (int i = 0; i < 4; i++) p[i] = 0; p[i] = 1; }
//# label_as_value
kernel void f(global int *p) { l: p[0] = l; }
//# tag_as_value
struct s { int a; };
kernel void f(global int *p) { p[0] = s; }
//# type_as_value
kernel void f(global int *p) { p[0] = int; }
//# keyword_as_value
kernel void f(global int *p) { p[0] = while; }
//# missing_operand
kernel void f(global int *p) { p[0] = 1 + ; }
//# missing_operator
kernel void f(global int *p) { p[0] = 1 2; }
//# missing_parenthesis
kernel void f(global int *p) { p[0] = (1 + 2; }
//# extra_parenthesis
kernel void f(global int *p) { p[0] = (1 + 2)); }
//# missing_bracket
kernel void f(global int *p) { p[0 = 1; }
//# missing_colon_of_conditional
kernel void f(global int *p) { p[0] = p[1] ? 2; }
//# missing_semicolon
kernel void f(global int *p) { p[0] = 1 p[1] = 2; }
//# missing_semicolon_before_brace
kernel void f(global int *p) { p[0] = 1 }
//# missing_argument
int g(int a, int b) { return a + b; }
kernel void f(global int *p) { p[0] = g(1, ); }
//# label_address differs="C99 §6.5.3: && is not a unary operator"
kernel void f(void) { l: &&l; }
//# double_dot
struct s { int a; };
kernel void f(struct s v) { v..a = 1; }
//# arrow_without_member
struct s { int a; };
kernel void f(global struct s *p) { p-> = 1; }
//# spaceship
kernel void f(global int *p) { p[0] = p[1] <=> p[2]; }
