//# const_integer_as_array_length
kernel void f(global int *p) { const int n = 4; int a[n], b[n * 2 + 1], c[2][n]; a[0] = b[1] = c[1][3] = 1; p[0] = a[0] + b[1] + c[1][3]; }
//# const_integer_initialised
kernel void f(global int *p) { const int n = 4; int a[n] = {1, 2, 3, 4}; const uchar m = n + 1; local int l[m][n]; l[0][0] = a[1]; p[0] = l[0][0]; }
//# const_integer_as_case
kernel void f(global int *p) { const int n = 4, m = n + 1; switch (p[0]) { case n: p[1] = 1; break; case m: p[1] = 2; } }
//# const_integer_in_enum_and_assertion
kernel void f(global int *p) { const int n = 4; enum e { A = n, B }; _Static_assert(n == 4 && B == 5, "n"); p[0] = A; }
//# const_integer_in_structure_and_typedef
kernel void f(global int *p) { const int n = 4; struct s { int a[n]; } v; typedef int T[n]; T w; v.a[0] = w[1] = 2; p[0] = sizeof(v) + sizeof(w) + sizeof(char[n]); }
//# const_integer_at_file_scope
const int n = 4; constant int m = n + 2; global int a[n]; __attribute__((reqd_work_group_size(m, 1, 1))) kernel void f(global int *p) { int b[m]; b[0] = a[0]; p[0] = b[0]; }
//# constant_integer_as_length
constant int n = 4; constant int a[n] = {1, 2, 3, 4}; kernel void f(global int *p) { int b[n]; static constant int z = n; b[0] = a[z - 1]; p[0] = b[0]; }
//# const_integer_aligned
kernel void f(global int *p) { const int n = 16; int a __attribute__((aligned(n))) = 1; p[0] = a; }
//# va_opt
#define CALL(f, ...) f(1 __VA_OPT__(,) __VA_ARGS__)
#define LIST(...) __VA_OPT__({) __VA_ARGS__ __VA_OPT__(})
#define GLUE(a, ...) a ## __VA_OPT__(_more) ## 1
#define NONE
int g1(int a) { return a; } int g2(int a, int b) { return a + b; }
int x1(void) { return 1; } int x_more1(void) { return 2; }
kernel void f(global int *p) { int a[2] = LIST(1, 2); p[0] = CALL(g1) + CALL(g2, 2) + CALL(g1, NONE) + GLUE(x)() + GLUE(x, 1)() + a[0]; }
//# va_opt_is_a_name_elsewhere
#define PLAIN(a) a
kernel void f(global int *p) { int __VA_OPT__ = 1; p[0] = PLAIN(__VA_OPT__); }
//# has_include
#ifndef __has_include
#error
#endif
#ifndef __has_include_next
#error
#endif
#define NAME "missing.h"
#define ANGLES <missing/file.h>
#if __has_include("missing.h") || __has_include(<missing.h>) || __has_include(NAME) || __has_include(ANGLES)
#error
#endif
kernel void f(global int *p) { p[0] = 1; }
//# has_include_beside_conditions
#if defined(__has_include) && !__has_include("missing.h") && 1 + __has_include("missing.h") == 1
#else
#error
#endif
kernel void f(global int *p) { p[0] = 1; }
//# has_attribute_and_builtin
#if !defined(__has_attribute) || !defined(__has_builtin) || !defined(__has_feature) || !defined(__has_extension)
#error
#endif
#if !__has_attribute(packed) || !__has_attribute(__aligned__) || !__has_attribute(overloadable) || __has_attribute(no_such_thing)
#error
#endif
#if !__has_builtin(__builtin_expect) || __has_builtin(__builtin_no_such_thing) || __has_feature(no_such_thing)
#error
#endif
kernel void f(global int *p) { p[0] = 1; }
//# pragma_pack
#pragma pack(push, 1)
struct a { char c; int i; };
#pragma pack(pop)
struct b { char c; int i; };
#pragma pack(2)
struct c { char c; int i; };
union u { char c[3]; int i; };
#pragma pack()
struct d { char c; int i; };
_Static_assert(sizeof(struct a) == 5 && sizeof(struct b) == 8 && sizeof(struct c) == 6 && sizeof(union u) == 4 && sizeof(struct d) == 8, "");
_Static_assert(__alignof__(struct a) == 1 && __alignof__(struct c) == 2 && __alignof__(union u) == 2, "");
kernel void f(global struct a *p) { p[0].i = 1; }
//# pragma_pack_stack
#pragma pack(push, outer, 4)
struct a { char c; long i; };
#pragma pack(push)
#pragma pack(1)
struct b { char c; long i; };
#pragma pack(push, inner, 2)
struct c { char c; long i; };
#pragma pack(pop, outer)
struct d { char c; long i; };
_Static_assert(sizeof(struct a) == 12 && sizeof(struct b) == 9 && sizeof(struct c) == 10 && sizeof(struct d) == 16, "");
kernel void f(global struct a *p) { p[0].i = 1; }
//# pragma_pack_and_aligned
#pragma pack(4)
struct a { char c; long i; char d __attribute__((aligned(16))); };
struct b { char c; long i; } __attribute__((aligned(16)));
struct c { char c; float4 v; };
_Static_assert(sizeof(struct a) == 16 && __alignof__(struct a) == 4 && sizeof(struct b) == 16 && __alignof__(struct b) == 16 && sizeof(struct c) == 20, "");
kernel void f(global struct a *p) { p[0].d = 1; }
//# pragma_pack_in_odd_places
#define PACK(n) _Pragma("pack(1)")
kernel void f(global int *p) { PACK(1) struct s { char c; int i;
#pragma pack()
  short s; } v = { 1, 2, 3 }; p[0] = v.i + sizeof(v); _Static_assert(sizeof(struct s) == 7, ""); }
//# pragma_of_other_compilers
#pragma clang diagnostic push
#pragma GCC diagnostic ignored "-Wunused"
#pragma clang diagnostic pop
kernel void f(global int *p) { p[0] = 1; }
//# offsetof
struct s { char a; int b[3]; struct { int c; int4 d; } e; union { char x; struct { long y; }; }; };
_Static_assert(__builtin_offsetof(struct s, a) == 0 && __builtin_offsetof(struct s, b) == 4 && __builtin_offsetof(struct s, b[2]) == 12, "");
_Static_assert(__builtin_offsetof(struct s, e.d) == 32 && __builtin_offsetof(struct s, y) == 48, "");
kernel void f(global int *p) { int a[__builtin_offsetof(struct s, b)]; p[0] = a[0] = 1; }
//# overloadable_functions
int __attribute__((overloadable)) g(int x) { return 1; }
int __attribute__((overloadable)) g(float x) { return 2; }
int __attribute__((overloadable)) g(float4 x) { return 3; }
int __attribute__((overloadable)) g(int x, int y) { return 4; }
kernel void f(global int *p, float4 v) { p[0] = g(1) + g(1.0f) + g(v) + g(1, 2) + g((char)1); }
//# overloadable_declared_first
__attribute__((overloadable)) int g(int x); __attribute__((overloadable)) int g(float x);
kernel void f(global int *p) { p[0] = g(1) + g(1.0f); }
__attribute__((overloadable)) int g(int x) { return 1; } __attribute__((overloadable)) int g(float x) { return 2; }
//# overloadable_beside_a_plain_one
int g(int x) { return 1; }
int __attribute__((overloadable)) g(float x) { return 2; }
kernel void f(global int *p) { p[0] = g(1) + g(1.0f); }
//# overloadable_by_address_space
int __attribute__((overloadable)) g(global int *x) { return 1; }
int __attribute__((overloadable)) g(local int *x) { return 2; }
int __attribute__((overloadable)) g(const constant int *x) { return 3; }
kernel void f(global int *p, local int *q, constant int *c) { p[0] = g(p) + g(q) + g(c); }
//# overloadable_prefers_the_nearer_pointer
int __attribute__((overloadable)) g(global int *x) { return 1; }
int __attribute__((overloadable)) g(const global int *x) { return 2; }
int __attribute__((overloadable)) g(global void *x) { return 3; }
kernel void f(global int *p, const global int *q, global float *r) { p[0] = g(p) + g(q) + g(r); }
//# overloadable_by_structure
struct a { int x; }; struct b { int x; };
int __attribute__((overloadable)) g(struct a x) { return 1; } int __attribute__((overloadable)) g(struct b x) { return 2; }
kernel void f(global int *p) { struct a u = { 1 }; struct b v = { 2 }; p[0] = g(u) + g(v); }
//# overloadable_prefers_scalars_to_widening
int __attribute__((overloadable)) g(int4 x) { return 1; } int __attribute__((overloadable)) g(int x) { return 2; }
kernel void f(global int *p) { p[0] = g((int4)1) + g(1u); }
//# overloadable_prefers_promotion
int __attribute__((overloadable)) g(int x) { return 1; } int __attribute__((overloadable)) g(long x) { return 2; }
kernel void f(global int *p, short s) { p[0] = g(s) + g('c') + g(p[1]) + g(1L); }
//# ext_vector_type
typedef float f4 __attribute__((ext_vector_type(4))); typedef __attribute__((ext_vector_type(2))) uint u2;
kernel void f(global float4 *p) { f4 a = p[0]; f4 b = (f4)(1, 2, 3, 4); float4 c = b; u2 e; e.x = 1; p[0] = a.wzyx + c + (float)e.x + (f4)(2); }
//# statement_expressions
#define MAX(a, b) ({ __typeof__(a) x_ = (a); __typeof__(b) y_ = (b); x_ > y_ ? x_ : y_; })
struct s { int x; };
kernel void f(global int *p) { int k = p[1]; p[0] = MAX(k, 3); p[1] = ({ int a = p[2]; a * 2; }) + 1; struct s v = ({ struct s q = { 1 }; q; }); p[2] = v.x + ({ int t = 0; for (int i = 0; i < 3; ++i) { if (i == 2) break; t += i; } t; }); ({ p[3] = 1; }); int n = MAX(1, ({ 2;; })); p[4] = n; }
//# statement_expression_that_returns
int g(int x) { return ({ if (x < 0) return -1; x * 2; }); }
kernel void f(global int *p) { p[0] = g(p[0]); p[1] = p[0] ? ({ if (p[1]) return; 5; }) : 6; }
//# statement_expression_without_value
kernel void f(global int *p) { (void)({ p[0] = 1; }); p[1] = 2, ({ int a = 1; p[2] = a; }); for (({ p[3] = 1; }); p[3] < 3; ({ p[3]++; })) p[4] = 1; ({ }); }
//# typeof options="-cl-std=CL2.0"
kernel void f(global int *p, int4 v) { __typeof__(v) a = v; __typeof__(p) q = p; __typeof__(int) b = 1; __typeof(p[0]) *r = p; __typeof__(a.x) m = 2; int z[3]; __typeof__(z) y; y[2] = m; __typeof__(int[2]) w; w[1] = b; p[0] = q[1] + r[2] + y[2] + w[1]; }
//# alignof_of_types_and_objects
struct __attribute__((aligned(32))) s { int x; };
_Static_assert(__alignof__(struct s) == 32 && _Alignof(int) == 4 && __alignof(float4) == 16, "");
kernel void f(global int *p) { int x __attribute__((aligned(64))) = 1; p[0] = __alignof__(x) + __alignof__(p[0]) + x; }
//# functions_of_the_compiler
kernel void f(global int *p, float4 v) { if (__builtin_expect(p[0], 1)) p[1] = __builtin_popcount(3) + __builtin_clz(p[0]) + __builtin_ctz(4); __builtin_assume(p != 0); p[2] = __builtin_bswap32(p[2]) + __builtin_bswap16(1) + __builtin_bswap64(1); p[3] = __builtin_constant_p(3) + __builtin_types_compatible_p(int, int) + __builtin_choose_expr(1, 2, 3.0f); float x = __builtin_nanf("") + __builtin_inff() + __builtin_huge_valf() + __builtin_fabsf(v.x) + __builtin_sqrtf(v.y); int4 w = __builtin_astype(v, int4); v = __builtin_convertvector(w, float4); p[4] = v.x + x; }
//# attributes_without_effect
__attribute__((always_inline, unused, const, nothrow, deprecated("no"), warn_unused_result, nonnull)) int g(global int *p) { return 1; }
__attribute__((noinline)) __attribute__((__pure__)) int h(int x) { return x; }
kernel void f(global int *p __attribute__((unused)), __attribute__((nonnull)) global int *q) { int x __attribute__((unused, may_alias)); switch (p[0]) { case 1: x = 2; __attribute__((fallthrough)); case 2: p[0] = g(q) + h(1); } }
//# attributes_of_other_devices
__attribute__((intel_reqd_sub_group_size(16))) __attribute__((qcom_reqd_sub_group_size("half"))) __attribute__((max_constant_size(3))) kernel void f(global int *p) { p[0] = 1; }
//# attribute_of_an_enumeration
enum __attribute__((deprecated)) e { A, B };
kernel void f(global int *p) { p[0] = A; }
//# escape_character
_Static_assert('\e' == 27, "");
constant char s[] = "\e[0m";
kernel void k(global int *p) { p[0] = s[0]; }
//# labels_before_declarations
kernel void k(global int *p) { switch (p[0]) { case 1: int x = 3; p[1] = x; break; default: typedef int T; T y = 4; p[2] = y; } again: int z = p[3]; if (z < 3) { p[3]++; goto again; } end: }
//# shuffle_of_two_vectors
kernel void k(global float4 *p, global int2 *q) { p[0] = __builtin_shufflevector(p[1], p[2], 0, 5, 2, 7); p[3].xyz = __builtin_shufflevector(p[0], p[0], 3, -1, 4); float8 w = __builtin_shufflevector(p[0], p[1], 0, 1, 2, 3, 4, 5, 6, 7); p[4] = w.lo; q[0] = __builtin_shufflevector(q[1], q[2], 1, 3); }
//# convert_of_a_vector
kernel void k(global float4 *p, global int4 *q) { p[0] = __builtin_convertvector(q[0], float4); q[1] = __builtin_convertvector(p[1], int4); }
//# range_designators
constant uchar table[256] = {[0 ... 47] = 255, ['0' ... '9'] = 1, [58 ... 255] = 0}; constant int a[] = {[2 ... 4] = 1, 2};
kernel void f(global int *p) { int b[2][3] = {[0 ... 1][1 ... 2] = p[1]++}; struct { int c[4]; } s = {.c = {[1 ... 2] = 3}}; p[0] = table[p[2] & 255] + a[5] + b[1][1] + s.c[2] + ((int[4]){[0 ... 3] = 2})[p[3] & 3] + sizeof(a); }
//# zero_length_arrays
struct s { int n; int data[0]; }; struct t { int empty[0]; };
kernel void f(global struct s *s, global struct t *t, global int *p) { int a[0]; int b[] = {}; p[0] = sizeof(struct s) + sizeof(a) + sizeof(b) + sizeof(*t) + s->data[s->n]; }
//# empty_structures
struct empty {}; union nothing {}; struct holds { struct empty a; int b; union nothing c; }; constant struct empty e = {};
struct empty get(struct empty x) { struct empty y = {}; y = x; return y; }
kernel void f(global struct holds *h, global struct empty *g, global int *p) { struct empty a = {}, b[4]; b[p[0] & 3] = get(a); h->a = b[1]; struct holds c = {{}, 3}; c.a = e; p[1] = c.b + sizeof(struct holds) + sizeof(b); g[p[2]] = a; }
//# vector_size
typedef float f4 __attribute__((vector_size(16))); typedef __attribute__((vector_size(8))) int i2;
kernel void f(global int *p) { f4 a = {1, 2, 3, 4}; i2 b = {p[0], p[1]}; a = a + 1.0f; a *= a; b = b < 3; a[1] = 5; int c __attribute__((vector_size(8))); c = b; p[0] = a[0] + b[1] + c[0] + sizeof(f4); }
//# elifdef
#define HAS 1
#if 0
#error
#elifdef MISSING
#error
#elifndef HAS
#error
#elifdef HAS
kernel void f(global int *p) { p[0] = 1; }
#elifndef MISSING
#error
#elifdef 12
#else
#error
#endif
#ifdef HAS
#elifndef MISSING
#error
#endif
//# macros_of_sizes_and_limits
_Static_assert(_LP64 == 1 && __BOOL_WIDTH__ == 8 && __BYTE_ORDER__ == 1234 && __CHAR_BIT__ == 8 && __DBL_DECIMAL_DIG__ == 17, "");
_Static_assert(__DBL_DENORM_MIN__ == 4.9406564584124654e-324 && __DBL_DIG__ == 15 && __DBL_EPSILON__ == 2.2204460492503131e-16, "");
_Static_assert(__DBL_HAS_DENORM__ == 1 && __DBL_HAS_INFINITY__ == 1 && __DBL_HAS_QUIET_NAN__ == 1 && __DBL_MANT_DIG__ == 53, "");
_Static_assert(__DBL_MAX_10_EXP__ == 308 && __DBL_MAX_EXP__ == 1024 && __DBL_MAX__ == 1.7976931348623157e+308 && __DBL_MIN_10_EXP__ == (-307), "");
_Static_assert(__DBL_MIN_EXP__ == (-1021) && __DBL_MIN__ == 2.2250738585072014e-308 && __DBL_NORM_MAX__ == 1.7976931348623157e+308, "");
_Static_assert(__FLT_DECIMAL_DIG__ == 9 && __FLT_DENORM_MIN__ == 1.40129846e-45F && __FLT_DIG__ == 6 && __FLT_EPSILON__ == 1.19209290e-7F, "");
_Static_assert(__FLT_HAS_DENORM__ == 1 && __FLT_HAS_INFINITY__ == 1 && __FLT_HAS_QUIET_NAN__ == 1 && __FLT_MANT_DIG__ == 24, "");
_Static_assert(__FLT_MAX_10_EXP__ == 38 && __FLT_MAX_EXP__ == 128 && __FLT_MAX__ == 3.40282347e+38F && __FLT_MIN_10_EXP__ == (-37), "");
_Static_assert(__FLT_MIN_EXP__ == (-125) && __FLT_MIN__ == 1.17549435e-38F && __FLT_NORM_MAX__ == 3.40282347e+38F && __FLT_RADIX__ == 2, "");
_Static_assert(__INT16_MAX__ == 32767 && __INT32_MAX__ == 2147483647 && __INT64_MAX__ == 9223372036854775807L && __INT8_MAX__ == 127, "");
_Static_assert(__INTPTR_MAX__ == 9223372036854775807L && __INTPTR_WIDTH__ == 64 && __INT_FAST16_MAX__ == 32767 && __INT_FAST16_WIDTH__ == 16, "");
_Static_assert(__INT_FAST32_MAX__ == 2147483647 && __INT_FAST32_WIDTH__ == 32 && __INT_FAST64_MAX__ == 9223372036854775807L, "");
_Static_assert(__INT_FAST64_WIDTH__ == 64 && __INT_FAST8_MAX__ == 127 && __INT_FAST8_WIDTH__ == 8 && __INT_LEAST16_MAX__ == 32767, "");
_Static_assert(__INT_LEAST16_WIDTH__ == 16 && __INT_LEAST32_MAX__ == 2147483647 && __INT_LEAST32_WIDTH__ == 32, "");
_Static_assert(__INT_LEAST64_MAX__ == 9223372036854775807L && __INT_LEAST64_WIDTH__ == 64 && __INT_LEAST8_MAX__ == 127, "");
_Static_assert(__INT_LEAST8_WIDTH__ == 8 && __INT_MAX__ == 2147483647 && __INT_WIDTH__ == 32 && __LITTLE_ENDIAN__ == 1, "");
_Static_assert(__LONG_MAX__ == 9223372036854775807L && __LONG_WIDTH__ == 64 && __LP64__ == 1 && __OPENCL_MEMORY_SCOPE_ALL_SVM_DEVICES == 3, "");
_Static_assert(__OPENCL_MEMORY_SCOPE_DEVICE == 2 && __OPENCL_MEMORY_SCOPE_SUB_GROUP == 4 && __OPENCL_MEMORY_SCOPE_WORK_GROUP == 1, "");
_Static_assert(__OPENCL_MEMORY_SCOPE_WORK_ITEM == 0 && __ORDER_BIG_ENDIAN__ == 4321 && __ORDER_LITTLE_ENDIAN__ == 1234, "");
_Static_assert(__ORDER_PDP_ENDIAN__ == 3412 && __POINTER_WIDTH__ == 64 && __PTRDIFF_MAX__ == 9223372036854775807L && __PTRDIFF_WIDTH__ == 64, "");
_Static_assert(__SCHAR_MAX__ == 127 && __SHRT_MAX__ == 32767 && __SHRT_WIDTH__ == 16 && __SIZEOF_DOUBLE__ == 8 && __SIZEOF_FLOAT__ == 4, "");
_Static_assert(__SIZEOF_INT__ == 4 && __SIZEOF_LONG__ == 8 && __SIZEOF_POINTER__ == 8 && __SIZEOF_PTRDIFF_T__ == 8 && __SIZEOF_SHORT__ == 2, "");
_Static_assert(__SIZEOF_SIZE_T__ == 8 && __SIZE_MAX__ == 18446744073709551615UL && __SIZE_WIDTH__ == 64 && __UINT16_MAX__ == 65535, "");
_Static_assert(__UINT32_MAX__ == 4294967295U && __UINT64_MAX__ == 18446744073709551615UL && __UINT8_MAX__ == 255, "");
_Static_assert(__UINTPTR_MAX__ == 18446744073709551615UL && __UINTPTR_WIDTH__ == 64 && __UINT_FAST16_MAX__ == 65535, "");
_Static_assert(__UINT_FAST32_MAX__ == 4294967295U && __UINT_FAST64_MAX__ == 18446744073709551615UL && __UINT_FAST8_MAX__ == 255, "");
_Static_assert(__UINT_LEAST16_MAX__ == 65535 && __UINT_LEAST32_MAX__ == 4294967295U && __UINT_LEAST64_MAX__ == 18446744073709551615UL, "");
_Static_assert(__UINT_LEAST8_MAX__ == 255 && __ATOMIC_ACQUIRE == memory_order_acquire && __ATOMIC_SEQ_CST == memory_order_seq_cst, "");
_Static_assert(__ATOMIC_ACQ_REL == memory_order_acq_rel && __ATOMIC_RELAXED == memory_order_relaxed && __ATOMIC_RELEASE == memory_order_release, "");
//# macros_of_types
#define SAME(a, b) _Static_assert(__builtin_types_compatible_p(a, b), #a)
SAME(__INT16_TYPE__, short); SAME(__INT32_TYPE__, int); SAME(__INT64_TYPE__, long int); SAME(__INT8_TYPE__, signed char);
SAME(__INTPTR_TYPE__, long int); SAME(__INT_FAST16_TYPE__, short); SAME(__INT_FAST32_TYPE__, int); SAME(__INT_FAST64_TYPE__, long int);
SAME(__INT_FAST8_TYPE__, signed char); SAME(__INT_LEAST16_TYPE__, short); SAME(__INT_LEAST32_TYPE__, int); SAME(__INT_LEAST64_TYPE__, long int);
SAME(__INT_LEAST8_TYPE__, signed char); SAME(__PTRDIFF_TYPE__, long int); SAME(__SIZE_TYPE__, long unsigned int);
SAME(__UINT16_TYPE__, unsigned short); SAME(__UINT32_TYPE__, unsigned int); SAME(__UINT64_TYPE__, long unsigned int);
SAME(__UINT8_TYPE__, unsigned char); SAME(__UINTPTR_TYPE__, long unsigned int); SAME(__UINT_FAST16_TYPE__, unsigned short);
SAME(__UINT_FAST32_TYPE__, unsigned int); SAME(__UINT_FAST64_TYPE__, long unsigned int); SAME(__UINT_FAST8_TYPE__, unsigned char);
SAME(__UINT_LEAST16_TYPE__, unsigned short); SAME(__UINT_LEAST32_TYPE__, unsigned int); SAME(__UINT_LEAST64_TYPE__, long unsigned int);
SAME(__UINT_LEAST8_TYPE__, unsigned char);
//# macros_of_formats
constant char s[] = __INT32_FMTd__ __UINT64_FMTx__ __SIZE_FMTu__ __INT_LEAST8_FMTi__ __UINT_FAST16_FMTX__ __UINTPTR_FMTo__ __PTRDIFF_FMTd__;
_Static_assert(sizeof(s) == 15, "");
//# macros_of_suffixes
#define GLUE(a, b) a ## b
#define LITERAL(a, b) GLUE(a, b)
#define SAME(a, b) _Static_assert(__builtin_types_compatible_p(__typeof__(a), b), #a)
SAME(LITERAL(1, __INT32_C_SUFFIX__), int); SAME(LITERAL(1, __UINT32_C_SUFFIX__), uint); SAME(LITERAL(1, __INT64_C_SUFFIX__), long);
SAME(LITERAL(1, __UINT64_C_SUFFIX__), ulong); SAME(LITERAL(1, __UINT16_C_SUFFIX__), int); SAME(LITERAL(1, __INT8_C_SUFFIX__), int);
//# macros_of_options options="-cl-std=CL3.0 -cl-fast-relaxed-math"
_Static_assert(__FINITE_MATH_ONLY__ == 1 && __FAST_MATH__ == 1 && __OPTIMIZE__ == 1, "");
//# macros_of_options_not_given options="-cl-std=CL3.0 -cl-opt-disable"
#if __FINITE_MATH_ONLY__ || defined(__FAST_MATH__) || defined(__OPTIMIZE__)
#error they are not given
#endif
//# long_long
kernel void f(global long *p, global ulong *q) { long long x = p[1]; unsigned long long y = x; signed long int long z = 1; p[0] = x + z; q[0] = (unsigned long long)y; }
//# long_long_literals
kernel void f(global long *p, global ulong *q) { p[0] = 3LL + 4ll + 0x7LL; q[0] = 1ULL + 2ull + 3uLL + 4Ull + 5LLU + 6llu + 0x7FULL + 010llU + 1LLu; }
//# overflow_functions
kernel void f(global int *o, global uint *u, local long *l, global char *c) {
  int r; ulong t; bool x = __builtin_add_overflow(o[0], o[1], &r); x |= __builtin_sub_overflow(o[0], u[1], o + 5); x |= __builtin_mul_overflow(c[0], o[0], l);
  x |= __builtin_mul_overflow(c[0], 3UL, c); x |= __builtin_uadd_overflow(u[0], u[1], u + 2); x |= __builtin_usubl_overflow(u[0], u[1], &t);
  x |= __builtin_umulll_overflow(u[0], 1.0f, &t); x |= __builtin_sadd_overflow(true, c[0], &r); x |= __builtin_smull_overflow(u[0], o[1], l);
  o[9] = x && sizeof(__builtin_add_overflow(o[0], o[1], &r)) == 1; }
//# functions_of_bits_and_math_of_compilers
kernel void f(global uint *u, global float *p, global double *d) {
  u[0] = __builtin_ffs(u[0]) + __builtin_parityl(u[1]) + __builtin_abs(-3) + __builtin_rotateleft8(u[0], 3) + __builtin_rotateright64(u[0], u[1]) + __builtin_bitreverse16(u[0]);
  u[1] = __builtin_isnan(p[0]) + __builtin_isgreater(p[0], d[0]) + __builtin_signbitf(p[1]) + __builtin_isnormal(d[1]) + __builtin_ilogbf(p[0]) + __builtin_unpredictable(u[2] == 1);
  p[0] = __builtin_ldexpf(p[1], 2) + __builtin_powif(p[1], 3) + __builtin_erff(p[2]) + __builtin_tgammaf(p[3]) + __builtin_nearbyintf(p[3]) + __builtin_bit_cast(float, u[3]);
  d[0] = __builtin_erf(d[1]) + __builtin_scalbn(d[1], 2); __builtin_nontemporal_store(__builtin_nontemporal_load(p), p + 1); if (u[0] == 7) __builtin_trap(); }
