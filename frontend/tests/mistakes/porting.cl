//# cuda_block_idx
kernel void f(global int *p) { p[blockDim.x] = 1; }
//# float3_make
kernel void f(global float4 *p) { p[0] = make_float4(1, 2, 3, 4); }
//# glsl_vec
kernel void f(global float4 *p) { vec4 v = vec4(1.0); p[0] = v; }
//# global_id_builtin
kernel void f(global int *p) { p[gl_GlobalInvocationID.x] = 1; }
//# cpp_reference
void g(float &x) { x = 1; }
//# cpp_const_ref
void g(const float4& v) { }
//# cpp_static_cast
kernel void f(global int *p, float x) { p[0] = static_cast<int>(x); }
//# cpp_new
kernel void f(void) { int *p = new int[4]; }
//# cpp_std
kernel void f(global float *p) { p[0] = std::max(p[0], 1.0f); }
//# cpp_auto
kernel void f(global int *p) { auto x = 1; p[0] = x; }
//# cpp_enum_class
enum class A { B };
//# and_keyword
kernel void f(global int *p) { if (p[0] and p[1]) p[2] = 1; }
//# elseif
kernel void f(global int *p) { if (p[0]) p[1] = 1; elseif (p[1]) p[2] = 1; }
//# elif
kernel void f(global int *p) { if (p[0]) p[1] = 1; elif (p[1]) p[2] = 1; }
//# struct_no_kw
struct particle { float x; };
kernel void f(global particle *p) { p->x = 1; }
//# enum_no_kw
enum mode { A, B };
kernel void f(mode m) { }
//# typedef_typo
typdef float real; kernel void f(global real *p) { }
//# barrier_spelling
kernel void f(void) { barier(CLK_LOCAL_MEM_FENCE); }
//# getGlobalId
kernel void f(global int *p) { p[0] = getGlobalId(0); }
//# get_global_idx
kernel void f(global int *p) { p[0] = get_global_idx(0); }
//# swizzle_too_long
kernel void f(global float4 *p, float4 v) { p[0].xyz = v; }
//# swizzle_mixed
kernel void f(global float2 *p, float4 v) { p[0] = v.xs1; }
//# swizzle_rgba_mix
kernel void f(global float2 *p, float4 v) { p[0] = v.xg; }
//# vec3_from_vec4
kernel void f(global float3 *p, float4 v) { p[0] = v; }
//# vec_lit_nested_parens_missing
kernel void f(global float4 *p) { float4 v = (1.0f, 2.0f, 3.0f, 4.0f); p[0] = v; }
//# vec_lit_cast_missing
kernel void f(global float4 *p) { p[0] = {1, 2, 3, 4}; }
//# vec_lit_braces_excess
kernel void f(global float4 *p) { float4 v = {1, 2, 3, 4, 5}; p[0] = v; }
//# float4_from_double4
kernel void f(global float4 *p, double4 v) { p[0] = v; }
//# abs_float
kernel void f(global float *p) { p[0] = abs(p[1]); }
//# fabs_int
kernel void f(global int *p, int x) { p[0] = fabs(x); }
//# mad24_float
kernel void f(global float *p) { p[0] = mad24(p[0], p[1], p[2]); }
//# pass_constant_to_global
float g(global const float *x) { return *x; }
kernel void f(constant float *p, global float *o) { o[0] = g(p); }
//# image_helper_access
float4 g(read_only image2d_t i) { return read_imagef(i, (int2)(0)); }
kernel void f(write_only image2d_t i, global float4 *p) { p[0] = g(i); }
//# image_swap
kernel void f(read_only image2d_t i, sampler_t s, global float4 *p) { p[0] = read_imagef(s, i, (int2)(0)); }
//# async_types
kernel void f(global int *g, local float *l) { async_work_group_copy(l, g, 16, 0); }
//# atomic_value
kernel void f(global int *p) { atomic_add(p[0], 1); }
//# atomic_long
kernel void f(global long *p) { atomic_add(p, 1L); }
//# array_oob
kernel void f(global int *p) { int a[4]; a[4] = 1; p[0] = a[4]; }
//# int_overflow_const
kernel void f(global int *p) { p[0] = 2147483647 + 1; }
//# float_to_int_const
kernel void f(global int *p) { p[0] = 1e10f; }
//# constant_conversion
kernel void f(global uchar *p) { p[0] = 300; }
//# assign_arrow
kernel void f(global int *p) { p[0] =+ 1; p[1] => 2; }
//# uninit
kernel void f(global int *p) { int x; p[0] = x; }
//# printf_n
kernel void f(int x) { printf("%n", &x); }
//# shift_too_far
kernel void f(global int *p, int a) { p[0] = a << 33; }
//# unused_result
kernel void f(global int *p) { p[0] + 1; }
//# macro_missing_paren
#define SQ(x) ((x) * (x)
kernel void f(global int *p) { p[0] = SQ(3); }
//# macro_semicolon
#define N 4;
kernel void f(global int *p) { int a[N]; p[0] = a[0]; }
//# macro_semicolon_in_expr
#define N 4;
kernel void f(global int *p) { p[0] = (N + 1); }
//# macro_equal
#define N = 4
kernel void f(global int *p) { int a[N]; p[0] = a[0]; }
//# macro_unterminated
#define ADD(x, y) ((x) + (y))
kernel void f(global int *p) { p[0] = ADD(1, 2; }
//# if_assign
#if A = 1
#endif
//# hash_unknown
#ifdefined X
#endif
//# missing_endif
#ifdef A
kernel void f(void) { }
//# kernel_void_missing
kernel f(global int *p) { }
//# python_comment
# comment here
kernel void f(void) { }
//# smart_quote
kernel void f(global int *p) { p[0] = “1; }
//# unicode_minus
kernel void f(global int *p) { p[0] = 3 − 1; }
//# hex_bad
kernel void f(global int *p) { p[0] = 0xgg; }
//# do_without_while
kernel void f(global int *p) { do p[0]++; }
//# return_paren
int g(int x) { return (x; }
//# address_behind_the_last_element
kernel void f(global int *p) { int a[4]; int *end = &a[4]; p[0] = end - a; }
//# index_behind_a_pointer
struct s { int n; int data[1]; };
struct t { int n; int data[0]; };
kernel void f(global struct s *p, global struct t *q) { p->data[3] = q->data[3]; }
//# constants_that_fit
kernel void f(global int *p) { p[0] = -2147483647 - 1; p[1] = 1 << 31; p[2] = 4294967295u + 1; p[3] = 2147483647.0f; p[4] = -2147483648.0f; }
//# steps_of_a_loop
kernel void f(global int *p) { int i, j; for (i = 0, j = 9; i < j; i++, j--) p[i] = j; }
//# undeclared_after_a_broken_declaration
kernel void f(global int *p) { int total = = 1; p[0] = total; p[1] = total; }
//# overflow_into_a_float
kernel void f(global int *p) { float r; p[0] = __builtin_add_overflow(1, p[1], &r); }
//# overflow_of_a_float
kernel void f(global int *p) { p[1] = __builtin_add_overflow(p[1], 1.0f, p); }
//# overflow_into_another_size
kernel void f(global int *p) { p[2] = __builtin_uadd_overflow(1, 2, (global long *)p); }
//# overflow_into_constant_memory
kernel void f(global int *p, constant int *c) { p[3] = __builtin_mul_overflow(1, 2, c); }
//# trap
kernel void f(global int *p) { if (p[0]) __builtin_trap(); }
