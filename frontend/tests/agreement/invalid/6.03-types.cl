//# long_double differs="§6.3.4: the names in the table of reserved data types, long double among them, cannot be used as type names"
kernel void f(global float *p) { long double x = 1; p[0] = x; }
//# complex_float differs="§6.3.4: complex float is a reserved data type"
kernel void f(global float *p) { _Complex float x; p[0] = 1; }
//# complex_double differs="§6.3.4: complex double is a reserved data type"
kernel void f(global float *p) { double _Complex x; p[0] = 1; }
//# imaginary_float
kernel void f(global float *p) { _Imaginary float x; p[0] = 1; }
//# signed_float
kernel void f(void) { signed float x; }
//# unsigned_double
kernel void f(void) { unsigned double x; }
//# unsigned_half_pointer
kernel void f(global unsigned half *p) { }
//# short_char
kernel void f(void) { short char x; }
//# short_long
kernel void f(void) { short long x; }
//# signed_unsigned
kernel void f(void) { signed unsigned x; }
//# unsigned_vector
kernel void f(void) { unsigned int4 x; }
//# long_float
kernel void f(void) { long float x; }
//# two_types
kernel void f(void) { int float x; }
//# unsigned_bool
kernel void f(void) { unsigned bool x; }
//# vector_of_five
kernel void f(void) { float5 x; }
//# vector_of_six
kernel void f(global int6 *p) { }
//# vector_of_one
kernel void f(void) { int1 x; }
//# vector_of_thirty_two
kernel void f(void) { char32 x; }
//# bool_vector
kernel void f(void) { bool4 x; }
//# size_vector
kernel void f(void) { size_t4 x; }
//# void_variable
kernel void f(void) { void x; }
//# void_member
struct s { void v; };
//# void_array
kernel void f(void) { void a[4]; }
//# unknown_type
kernel void f(global floot *p) { }
//# unknown_type_in_local
kernel void f(void) { uint32_t x; }
//# vector_literal_too_few
kernel void f(global float4 *p) { p[0] = (float4)(1.0f, 2.0f); }
//# vector_literal_too_many
kernel void f(global float4 *p) { p[0] = (float4)(1.0f, 2.0f, 3.0f, 4.0f, 5.0f); }
//# vector_literal_parts_too_long
kernel void f(global float4 *p, float3 a, float2 b) { p[0] = (float4)(a, b); }
//# vector_literal_parts_too_short
kernel void f(global float8 *p, float3 a, float2 b) { p[0] = (float8)(a, b); }
//# vector_literal_of_pointer
kernel void f(global int2 *p, global int *q) { p[0] = (int2)(q, 1); }
//# vector_literal_of_struct
struct s { int a; };
kernel void f(global int2 *p) { struct s v = { 1 }; p[0] = (int2)(v, 1); }
//# vector_literal_mixed_kind_parts
kernel void f(global int4 *p, float2 a) { p[0] = (int4)(a, 1, 2); }
//# swizzle_beyond_width
kernel void f(global float *p, float2 v) { p[0] = v.z; }
//# swizzle_unknown_letter
kernel void f(global float *p, float4 v) { p[0] = v.q; }
//# swizzle_mixed_sets
kernel void f(global float2 *p, float4 v) { p[0] = v.xs1; }
//# swizzle_xyzw_mixed_with_rgba
kernel void f(global float2 *p, float4 v) { p[0] = v.xg; }
//# swizzle_index_beyond_width
kernel void f(global float *p, float4 v) { p[0] = v.s4; }
//# swizzle_bad_index_digit
kernel void f(global float *p, float16 v) { p[0] = v.sg; }
//# swizzle_of_five
kernel void f(global float *p, float8 v) { p[0] = v.s01234.x; }
//# swizzle_of_scalar
kernel void f(global float *p, float v) { p[0] = v.x; }
//# swizzle_repeated_lane_assigned
kernel void f(global float4 *p, float2 a) { float4 v = p[0]; v.xx = a; p[0] = v; }
//# swizzle_repeated_lane_incremented
kernel void f(global int4 *p) { int4 v = p[0]; v.yy++; p[0] = v; }
//# swizzle_wrong_width_assigned
kernel void f(global float4 *p, float3 a) { float4 v = p[0]; v.xy = a; p[0] = v; }
//# swizzle_beyond_xyzw_of_eight
kernel void f(global float *p, float8 v) { p[0] = v.sx; }
//# address_of_swizzle
kernel void f(float4 v) { private float *q = &v.x; }
//# address_of_swizzle_pair
kernel void f(float4 v) { private float2 *q = &v.xy; }
//# hi_of_scalar
kernel void f(global float *p, float v) { p[0] = v.hi; }
//# odd_of_pointer
kernel void f(global float4 *p) { p.odd; }
//# upper_case_swizzle
kernel void f(global float *p, float4 v) { p[0] = v.X; }
//# half_literal_without_extension_suffix
kernel void f(global float *p) { p[0] = 1.0hf; }
//# bool_kernel_argument
kernel void f(bool b) { }
//# size_kernel_argument
kernel void f(size_t n) { }
//# ptrdiff_kernel_argument
kernel void f(ptrdiff_t n) { }
//# intptr_kernel_argument
kernel void f(intptr_t n) { }
//# uintptr_kernel_argument
kernel void f(uintptr_t n) { }
//# bool_in_struct_kernel_argument
struct s { int a; bool b; };
kernel void f(struct s x) { }
//# size_in_nested_struct_kernel_argument
struct s { size_t a; };
struct t { int x; struct s inner; };
kernel void f(struct t x) { }
//# half_kernel_argument options="-cl-std=CL1.2"
#pragma OPENCL EXTENSION cl_khr_fp16 : disable
kernel void f(half h) { }
//# image_variable
kernel void f(read_only image2d_t i) { image2d_t j; }
//# image_variable_initialised
kernel void f(read_only image2d_t i) { image2d_t j = i; }
//# image_global_variable
image2d_t i;
//# image_member
struct s { image2d_t i; };
//# image_array
kernel void f(void) { image2d_t a[2]; }
//# image_array_parameter
kernel void f(image2d_t a[2]) { }
//# image_pointer_parameter
kernel void f(global image2d_t *p) { }
//# image_return_type
image2d_t g(image2d_t i) { return i; }
//# image_assigned
kernel void f(read_only image2d_t i, read_only image2d_t j) { i = j; }
//# image_address
kernel void f(read_only image2d_t i) { &i; }
//# image_dereferenced
kernel void f(read_only image2d_t i) { *i; }
//# image_added
kernel void f(read_only image2d_t i) { i + 1; }
//# image_indexed
kernel void f(read_only image2d_t i) { i[0]; }
//# image_compared
kernel void f(read_only image2d_t i, read_only image2d_t j, global int *p) { p[0] = i == j; }
//# image_condition
kernel void f(read_only image2d_t i) { if (i) return; }
//# image_cast_to_integer
kernel void f(read_only image2d_t i, global long *p) { p[0] = (long)i; }
//# image_of_wrong_dimension
float4 g(read_only image3d_t i) { return (float4)(0.0f); }
kernel void f(read_only image2d_t i, global float4 *p) { p[0] = g(i); }
//# image_of_wrong_access_passed
void g(write_only image2d_t i) { }
kernel void f(read_only image2d_t i) { g(i); }
//# sampler_member
struct s { sampler_t s; };
//# sampler_array
kernel void f(void) { sampler_t a[2]; }
//# sampler_pointer
kernel void f(global sampler_t *p) { }
//# sampler_return_type
sampler_t g(sampler_t s) { return s; }
//# sampler_assigned
kernel void f(sampler_t s) { s = CLK_FILTER_NEAREST; }
//# sampler_initialised_with_float
constant sampler_t s = 1.5f;
//# sampler_initialised_with_variable differs="§6.15.15.1: the sampler fields are specified as a 32-bit unsigned integer constant"
kernel void f(int i) { const sampler_t s = i; }
//# sampler_without_initialiser
constant sampler_t s;
//# sampler_local
kernel void f(void) { local sampler_t s; }
//# sampler_global_parameter
kernel void f(global sampler_t s) { }
//# sampler_added
kernel void f(sampler_t s) { s + 1; }
//# sampler_negated
kernel void f(sampler_t s) { -s; }
//# sampler_address
kernel void f(sampler_t s) { &s; }
//# event_kernel_argument
kernel void f(event_t e) { }
//# event_program_scope
global event_t e;
//# event_constant_program_scope
constant event_t e = 0;
//# event_member
struct s { event_t e; };
//# event_local
kernel void f(void) { local event_t e; }
//# event_initialised_with_number
kernel void f(void) { event_t e = 1; }
//# event_added
kernel void f(void) { event_t e; e + 1; }
//# event_negated
kernel void f(void) { event_t e; !e; }
//# incomplete_struct_variable
struct s;
kernel void f(void) { struct s x; }
//# incomplete_struct_member
struct s;
struct t { struct s x; };
//# struct_contains_itself
struct s { int a; struct s x; };
//# incomplete_struct_dereferenced
struct s;
kernel void f(global struct s *p) { *p; }
//# incomplete_struct_pointer_arithmetic
struct s;
kernel void f(global struct s *p) { p + 1; }
//# incomplete_struct_size
struct s;
kernel void f(global int *p) { p[0] = sizeof(struct s); }
//# function_size
void g(void) { }
kernel void f(global int *p) { p[0] = sizeof(g); }
//# void_size
kernel void f(global int *p) { p[0] = sizeof(void); }
//# member_of_incomplete_struct
struct s;
kernel void f(global struct s *p, global int *q) { q[0] = p->a; }
//# struct_redefined
struct s { int a; };
struct s { int a; };
//# struct_redeclared_as_union
struct s { int a; };
union s u;
//# enum_redeclared_as_struct
enum e { A };
struct e x;
//# enumerator_redeclared
enum e { A, B, A };
//# enumerator_redeclared_in_second_enum
enum e { A };
enum g { A };
//# enum_forward
kernel void f(global int *p) { enum e x; p[0] = 0; }
//# enum_value_not_constant
kernel void f(int n) { enum e { A = n }; }
//# enum_value_float
enum e { A = 1.5f };
//# duplicate_member
struct s { int a; float a; };
//# duplicate_member_in_anonymous
struct s { int a; struct { int a; }; };
//# empty_enum
enum e { };
//# member_initialised
struct s { int a = 1; };
//# member_with_storage_class
struct s { static int a; };
//# function_member
struct s { int f(void); };
//# typedef_redefined
typedef int t;
typedef float t;
//# typedef_as_variable
typedef int t;
kernel void f(void) { t = 1; }
//# typedef_initialised
typedef int t = 1;
//# variable_as_type
kernel void f(int n) { n x; }
//# typedef_hidden_by_variable
typedef int t;
kernel void f(void) { int t = 1; t x; }
//# reserved_type_name_quad
kernel void f(void) { quad x; }
//# double_literal_to_vector_literal_of_unknown_type
kernel void f(void) { (flot4)(1.0, 2.0, 3.0, 4.0); }
//# half_without_fp16_pragma_arithmetic options="-cl-std=CL1.2"
#pragma OPENCL EXTENSION cl_khr_fp16 : disable
kernel void f(global half *p) { p[0] = p[1] + p[2]; }
//# half_variable_without_fp16_pragma options="-cl-std=CL1.2"
#pragma OPENCL EXTENSION cl_khr_fp16 : disable
kernel void f(void) { half h; }
