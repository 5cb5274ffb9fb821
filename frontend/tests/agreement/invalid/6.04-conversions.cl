//# vector_to_scalar
kernel void f(global float *p, float4 v) { p[0] = v; }
//# vector_to_vector_of_other_type
kernel void f(global float4 *p, int4 v) { p[0] = v; }
//# vector_to_vector_of_other_width
kernel void f(global float4 *p, float2 v) { p[0] = v; }
//# vector_to_vector_of_other_sign
kernel void f(global int4 *p, uint4 v) { p[0] = v; }
//# vector_initialised_with_other_type
kernel void f(uint4 v) { int4 w = v; }
//# vector_cast_to_other_sign
kernel void f(global uint4 *p, int4 v) { p[0] = (uint4)v; }
//# vector_cast_to_other_type
kernel void f(global int4 *p, float4 v) { p[0] = (int4)v; }
//# vector_cast_to_other_width
kernel void f(global int8 *p, float4 v) { p[0] = (int8)v; }
//# vector_cast_to_scalar
kernel void f(global float *p, float4 v) { p[0] = (float)v; }
//# vector_cast_to_narrower
kernel void f(global float2 *p, float4 v) { p[0] = (float2)v; }
//# struct_to_scalar
struct s { int a; };
kernel void f(global int *p) { struct s v = { 1 }; p[0] = v; }
//# scalar_to_struct
struct s { int a; };
kernel void f(global struct s *p) { p[0] = 1; }
//# struct_to_other_struct
struct s { int a; };
struct t { int a; };
kernel void f(global struct s *p, struct t v) { p[0] = v; }
//# struct_cast
struct s { int a; };
struct t { int a; };
kernel void f(struct t v) { (struct s)v; }
//# cast_scalar_to_struct
struct s { int a; };
kernel void f(int v) { (struct s)v; }
//# cast_struct_to_scalar
struct s { int a; };
kernel void f(struct s v) { (int)v; }
//# cast_to_array
kernel void f(int v) { (int[2])v; }
//# cast_to_function
kernel void f(int v) { (int(void))v; }
//# cast_void_to_scalar
void g(void) { }
kernel void f(void) { (int)g(); }
//# cast_float_to_pointer
kernel void f(float v) { (global int *)v; }
//# cast_pointer_to_float
kernel void f(global int *p) { (float)p; }
//# cast_pointer_to_vector
kernel void f(global int *p) { (int4)p; }
//# cast_vector_to_pointer
kernel void f(int4 v) { (global int *)v; }
//# float_to_pointer
kernel void f(float v) { global int *q = v; }
//# pointer_to_float
kernel void f(global int *p) { float v = p; }
//# integer_to_pointer
kernel void f(int v) { global int *q = v; }
//# pointer_to_integer
kernel void f(global int *p) { int v = p; }
//# void_value_assigned
void g(void) { }
kernel void f(global int *p) { p[0] = g(); }
//# void_value_as_argument
void g(void) { }
void h(int x) { }
kernel void f(void) { h(g()); }
//# void_value_as_condition
void g(void) { }
kernel void f(void) { if (g()) return; }
//# scalar_to_void_variable
void g(int x) { void *p = x; }
//# convert_wrong_width
kernel void f(global int4 *p, float3 v) { p[0] = convert_int4(v); }
//# convert_scalar_to_vector
kernel void f(global int4 *p, float v) { p[0] = convert_int4(v); }
//# convert_pointer
kernel void f(global int *p) { p[0] = convert_int(p); }
//# convert_struct
struct s { int a; };
kernel void f(global int *p, struct s v) { p[0] = convert_int(v); }
//# convert_to_bool
kernel void f(global int *p) { p[0] = convert_bool(p[1]); }
//# convert_to_unknown_type
kernel void f(global int *p) { p[0] = convert_integer(p[1]); }
//# convert_unknown_modifier
kernel void f(global int *p, float v) { p[0] = convert_int_rtx(v); }
//# convert_modifiers_swapped
kernel void f(global uchar *p, float v) { p[0] = convert_uchar_rte_sat(v); }
//# convert_float_saturated
kernel void f(global float *p, int v) { p[0] = convert_float_sat(v); }
//# convert_two_arguments
kernel void f(global int *p, float v) { p[0] = convert_int(v, v); }
//# convert_without_argument
kernel void f(global int *p) { p[0] = convert_int(); }
//# convert_result_of_other_sign
kernel void f(global int4 *p, float4 v) { p[0] = convert_uint4(v); }
//# as_type_of_other_size
kernel void f(global int *p, short v) { p[0] = as_int(v); }
//# as_type_vector_of_other_size
kernel void f(global int4 *p, float2 v) { p[0] = as_int4(v); }
//# as_type_wider_vector
kernel void f(global float4 *p, uchar16 v, float8 w) { p[0] = as_float4(w); }
//# as_type_of_pointer differs="§6.4.4.2: all data types described in Built-in Scalar Data Types and Built-in Vector Data Types may be reinterpreted; pointers are none of them"
kernel void f(global long *p) { p[0] = as_long(p); }
//# as_type_of_struct differs="§6.4.4.2: all data types described in Built-in Scalar Data Types and Built-in Vector Data Types may be reinterpreted; structures are none of them"
struct s { int a; };
kernel void f(global int *p, struct s v) { p[0] = as_int(v); }
//# as_type_unknown
kernel void f(global int *p) { p[0] = as_bool(p[1]); }
//# as_type_without_argument
kernel void f(global int *p) { p[0] = as_int(); }
//# argument_vector_of_other_type
float4 g(float4 v) { return v; }
kernel void f(global float4 *p, int4 v) { p[0] = g(v); }
//# argument_vector_for_scalar
float g(float v) { return v; }
kernel void f(global float *p, float2 v) { p[0] = g(v); }
//# argument_pointer_for_scalar
int g(int v) { return v; }
kernel void f(global int *p) { p[0] = g(p); }
//# argument_scalar_for_pointer
int g(global int *p) { return *p; }
kernel void f(global int *p) { p[0] = g(p[0]); }
//# argument_struct_of_other_type
struct s { int a; };
struct t { int a; };
int g(struct s v) { return v.a; }
kernel void f(global int *p, struct t v) { p[0] = g(v); }
//# return_vector_of_other_type
float4 g(int4 v) { return v; }
//# return_pointer_for_scalar
int g(global int *p) { return p; }
//# return_struct_for_scalar
struct s { int a; };
int g(struct s v) { return v; }
//# scalar_double_to_float_vector
kernel void f(global float4 *p, double d) { p[0] = p[1] * d; }
//# scalar_float_to_integer_vector
kernel void f(global int4 *p, float v) { p[0] = p[1] + v; }
//# scalar_long_to_integer_vector
kernel void f(global int4 *p, long v) { p[0] = p[1] + v; }
//# vectors_of_other_width_added
kernel void f(global float4 *p, float2 v) { p[0] = p[1] + v; }
//# vectors_of_other_sign_added
kernel void f(global int4 *p, uint4 v) { p[0] = p[1] + v; }
//# vectors_of_other_kind_multiplied
kernel void f(global float4 *p, int4 v) { p[0] = p[1] * v; }
