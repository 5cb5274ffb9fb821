//# vector_constructors stands-for="2.1 vector constructors"
#include <opencl_memory>
kernel void run(cl::global_ptr<float4[]> out) {
  float4 a = float4(1.0f, 2.0f, 3.0f, 4.0f);
  uint4 b = uint4(1);
  float4 c = float4(float2(1.0f, 2.0f), float2(3.0f, 4.0f));
  float4 d = float4(1.0f, float2(2.0f, 3.0f), 4.0f);
  float4 e = float4{float3(1.0f, 2.0f, 3.0f), 4.0f};
  float4 f{1.0f, 2.0f, 3.0f, 4.0f};
  float4 g{0.5f};
  out[0] = a + c + d + e + f + g;
  out[1].x = b.x;
}
//# too_few_elements stands-for="2.1 vector constructors" refused="vector"
kernel void run() { float4 f = float4(1.0f, 2.0f); }
//# swizzles stands-for="2.1 component access"
#include <opencl_memory>
using namespace cl;
kernel void run(global_ptr<float[]> out) {
  float4 v1 = float4(1.0f, 2.0f, 3.0f, 4.0f);
  float4 *pv1 = &v1;
  float2 v2 = v1.xz;
  float3 v3 = pv1->s321;
  (*pv1).rgb = float3(0.0f, 0.5f, 1.0f);
  pv1->lo.hi = 0.0f;
  float8 v = float8(1.0f, 2.0f, 3.0f, 4.0f, 5.0f, 6.0f, 7.0f, 8.0f);
  auto vv1 = v.hi;
  auto vv4 = v.odd;
  auto vv5 = v.odd.even;
  out[0] = v2.y + v3.x + vv1.x + vv4.y + vv5.x;
}
//# address_of_swizzle stands-for="2.1 component access" refused="address of vector element"
kernel void run() {
  float4 v = float4(1.0f);
  auto p = &v.xy;
}
//# repeated_swizzle stands-for="2.1 component access" refused="ector"
kernel void run() {
  char4 v = char4(1);
  v.zzwx = char4(2);
}
//# half_as_storage stands-for="2.1 half without the extension" without="cl_khr_fp16"
#include <opencl_memory>
#include <opencl_vector_load_store>
float first(half *a) { return cl::vload_half<1>(0, a); }
kernel void run(cl::global_ptr<half> pg, cl::global_ptr<float> out) {
  int offset = 1;
  half *ptr = pg.get() + offset;
  *out = first(ptr);
}
//# half_arithmetic stands-for="2.1 half with the extension"
#include <opencl_memory>
half more(half a) {
  half b = a;
  b += 10.0h;
  return b;
}
kernel void run(cl::global_ptr<half> pg) {
  half *ptr = pg.get() + 1;
  half b = more(*ptr);
  if (b < *ptr)
    *ptr = b;
}
//# literals stands-for="2.1 hexadecimal literals"
float f = 0x1.fffffep127f;
double d = 0x1.fffffffffffffp1023;
half h = 0x1.ffcp15h;
kernel void run() {}
//# macros
#if __OPENCL_CPP_VERSION__ != 100 || __cplusplus != 201402
#error versions
#endif
#ifdef __OPENCL_C_VERSION__
#error this is not OpenCL C
#endif
kernel void run() {}
//# kernel_called stands-for="2.6 kernel functions cannot be called" refused="cannot be called"
kernel void first() {}
kernel void run() { first(); }
//# kernel_template stands-for="2.6 kernel functions cannot be templates" refused="kernel"
template <class T> kernel void run(T x) {}
//# kernel_default stands-for="2.6 kernel functions have no default arguments" refused="default argument"
kernel void run(int x = 1) {}
//# kernel_result stands-for="2.6 kernel functions return void" refused="must have void return type"
kernel int run() { return 1; }
//# kernel_bool stands-for="2.6 kernel parameters" refused="kernel parameter"
kernel void run(bool x) {}
//# attributes_of_kernels stands-for="2.8 function attributes"
#include <opencl_memory>
[[cl::required_work_group_size(8, 1, 1)]] kernel void a(cl::global_ptr<float4> p) { *p = 1.0f; }
[[cl::work_group_size_hint(1, 1, 1)]] kernel void b() {}
[[cl::vec_type_hint(float4)]] kernel void c(cl::global_ptr<float4> p) {}
kernel void d([[cl::max_size(65536)]] cl::constant_ptr<int> arg) {}
__attribute__((reqd_work_group_size(8, 1, 1))) kernel void e() {}
//# required_sub_groups stands-for="2.8 required_num_sub_groups"
#include <opencl_spec_constant>
cl::spec_constant<int, 1> count{2};
[[cl::required_num_sub_groups(2)]] kernel void run() {}
[[cl::required_num_sub_groups(count)]] kernel void specialised() {}
//# no_sub_groups refused="'required_num_sub_groups' attribute must be greater than 0"
[[cl::required_num_sub_groups(0)]] kernel void run() {}
//# two_numbers_of_sub_groups refused="requires exactly 1 argument"
[[cl::required_num_sub_groups(1, 2)]] kernel void run() {}
//# attributes_of_types stands-for="2.8 aligned and packed"
struct S { short f[3]; } [[cl::aligned(8)]];
struct [[cl::aligned(8)]] T { short f[3]; };
struct U { char c; int i; };
struct [[cl::packed]] P { char c; int i; U s; };
static_assert(sizeof(T) == 8 && alignof(T) == 8, "aligned");
static_assert(sizeof(P) == 13, "packed");
kernel void run() {}
//# attributes_of_loops stands-for="2.8 unroll_hint and ivdep"
#include <opencl_memory>
using namespace cl;
kernel void run(global_ptr<int[]> a, int n) {
  [[cl::unroll_hint(2)]] for (int i = 0; i < n; i++)
    a[i] += 1;
  [[cl::unroll_hint]] for (int i = 0; i < 2; i++)
    a[i] += 2;
  [[cl::ivdep(8)]] for (int i = 0; i < n; i++)
    a[i] = a[i + 8] * 3;
  [[cl::ivdep]] while (a[0] < 5)
    a[0]++;
}
//# unroll_negative stands-for="2.8 invalid unroll_hint" refused="positive"
kernel void run(int n) {
  [[cl::unroll_hint(-1)]] for (int i = 0; i < n; i++)
    ;
}
//# ivdep_negative stands-for="2.8 invalid ivdep" refused="positive"
kernel void run(int n) {
  [[cl::ivdep(-1)]] for (int i = 0; i < n; i++)
    ;
}
//# unroll_on_if stands-for="2.8 unroll_hint on no loop" refused="unroll_hint"
kernel void run(int n) {
  [[cl::unroll_hint]] if (n > 0)
    ;
}
//# vector_casts stands-for="2.4 casts between vectors" refused="vector"
kernel void run() {
  int4 i = int4(1);
  uint4 u = (uint4)i;
}
//# vector_literal_of_c stands-for="2.1 vector literals of OpenCL C"
kernel void run() { int4 i = (int4)(1, 2, 3, 4); }
//# vector_literal_of_c_with_member refused="int"
kernel void run() { int i = (int4)(1, 2, 3, 4).x; }
//# virtual_function stands-for="2.9 restrictions" refused="virtual"
struct A { virtual void f() {} };
//# dynamic_cast stands-for="2.9 restrictions" refused="dynamic_cast"
struct A { int x; };
kernel void run() { A a; A *p = dynamic_cast<A *>(&a); }
//# new_and_delete stands-for="2.9 restrictions" refused="new"
kernel void run() { int *p = new int; }
//# swizzle_of_value stands-for="2.1 component access" refused="pointer"
kernel void run() {
  uint8 v1 = uint8(10, 11, 12, 13, 14, 15, 16, 17);
  uint4 v4 = v1->s0123;
}
//# swizzle_mixed stands-for="2.1 component access" refused="rx"
kernel void run() {
  int3 v3 = int3(1);
  v3.rx = int2(20, 7);
}
//# swizzle_of_constant stands-for="2.1 component access" refused="const"
kernel void run() {
  const char4 cv = char4(1);
  cv.zxy = char3(1);
}
//# reference_to_swizzle stands-for="2.1 component access" refused="reference"
kernel void run() {
  float4 v = float4(1.0f);
  float2 &rv2 = v.xy;
}
//# attributes_of_variables stands-for="2.8 variable attributes"
int x [[cl::aligned(16)]] = 0;
struct foo { int x[2] [[cl::aligned(8)]]; };
static_assert(alignof(foo) == 8, "");
[[cl::aligned(128)]] struct A { int i; } a;
static_assert(alignof(A) == 4, "");
kernel void run() {}
//# packed_member stands-for="2.8 variable attributes"
struct foo {
  char a;
  int x[2] [[cl::packed]];
};
static_assert(sizeof(foo) == 9, "");
kernel void run() {}
//# scalars_widen stands-for="2.4 scalars and vectors"
kernel void run(__global float4 *out) {
  float4 v = 2.0f;
  v = v * 3.0f + 1;
  *out = v;
}
//# bool_vectors stands-for="2.1 vectors of bool"
#include <opencl_convert>
#include <opencl_def>
#include <opencl_relational>
#include <opencl_type_traits>
using namespace cl;
struct S { bool3 a; bool8 b; };
static_assert(sizeof(bool2) == 2 && sizeof(bool3) == 4 && sizeof(bool16) == 16 && alignof(bool4) == 4, "");
static_assert(is_same<decltype(int4() < int4()), bool4>::value, "");
static_assert(is_same<decltype(float3() == 1.0f), bool3>::value, "");
static_assert(is_same<decltype(!uchar8()), bool8>::value, "");
static_assert(is_same<decltype(short2() && short2()), bool2>::value, "");
static_assert(is_same<decltype(isnan(float16())), bool16>::value, "");
static_assert(is_same<decltype(isless(1.0f, 2.0f)), bool>::value, "");
static_assert(is_same<decltype(any(bool2())), bool>::value, "");
static_assert(is_same<make_vector_t<bool, 4>, bool4>::value && is_same<vector_element_t<bool8>, bool>::value, "");
static_assert(is_same<cl_bool4, bool4>::value, "");
bool4 f(bool4 a, bool4 b) { return (a & b) | ~a ^ !b; }
kernel void run() {
  bool4 a(true, false, true, false), b{a.xy, true, true}, c = true;
  a = f(a, b) && c || b;
  a &= c;
  a.zw = b.xy != c.xy;
  a.x = a.y;
  a[2] = a.lo.x < b.hi.y;
  if (all(a == b) && any(a > b)) {
    float4 x = select(float4(1.0f), float4(2.0f), a);
    int4 n = convert_cast<int4>(a);
    a = convert_cast<bool4>(x);
    long2 m = select(long2(1), long2(2), x.xy < x.zw);
  }
}
//# bool_vector_in_constants refused="negative size"
kernel void run() { int a[bool2(true).x ? 3 : -1]; int b[bool2(false).x ? 3 : -1]; }
//# bool_vector_arithmetic stands-for="2.4 operators of vectors"
#include <opencl_type_traits>
using namespace cl;
static_assert(is_same<decltype(bool2() + bool2()), bool2>::value && is_same<decltype(-bool4()), bool4>::value, "");
static_assert(is_same<decltype(bool8() << bool8()), bool8>::value && is_same<decltype(true * bool3()), bool3>::value, "");
constexpr bool4 a(true, true, false, false), b(true, false, true, false);
constexpr bool4 sum = a + b, product = a * b, difference = a - b, quotient = a / bool4(true), rest = a % bool4(true);
static_assert(sum.x && sum.y && sum.z && !sum.w, "1 + 1 is not 0");
static_assert(product.x && !product.y && !product.z && !product.w, "");
static_assert(!difference.x && difference.y && difference.z && !difference.w, "0 - 1 is not 0");
static_assert(quotient.x && quotient.y && !quotient.z && !rest.x && !rest.y && !rest.z, "");
static_assert((-a).x && !(-a).z && (+a).y, "");
static_assert((a << 1).x && !(a >> 1).x && (a >> bool4(false)).x && !(a << 7).z, "elements have 8 bits");
kernel void run() {
  bool4 c = a;
  c += b;
  c -= a;
  c *= true;
  c /= a;
  c <<= 1;
  c >>= b;
}
//# bool_vectors_of_two_sizes refused="bool"
kernel void run() { auto a = bool2() + bool4(); }
//# bool_vector_and_int refused="may not hold it"
kernel void run() { int n = 2; auto a = bool2() + n; }
//# bool_vector_incremented
constexpr bool2 f() {
  bool2 c(true, false), old = c++;
  ++c.y;
  return c == old;
}
static_assert(f().x && !f().y, "");
kernel void run(int4 a, int4 b) { bool4 c = a < b; ++c; bool d = false; d++; }
//# bool_vector_decremented refused="cannot decrement value of type 'bool4'"
kernel void run(int4 a, int4 b) { bool4 c = a < b; --c; c--; }
//# bool_decremented refused="cannot decrement value of type 'bool'"
kernel void run(int a) { bool c = a; --c; }
//# bool_vector_assigned_to_int refused="bool4"
kernel void run(int4 a, int4 b) { int4 c = a < b; }
//# bool_vector_parameter stands-for="2.6 kernel parameters" refused="kernel parameter"
kernel void run(bool4 a) {}
//# bool_vector_member stands-for="2.6 kernel parameters" refused="bool2"
struct S { int a; bool2 b; };
kernel void run(S s) {}
//# bool_vector_reinterpreted refused="of type 'bool' are not reinterpreted"
#include <opencl_reinterpret>
kernel void run(int4 a) { char4 c = cl::as_type<char4>(a < a); }
//# vector_condition stands-for="2.4 vector conditions" refused="the condition of '?:' is a vector"
kernel void run(int4 a, int4 b) { int4 c = a < b ? a : b; }
//# scalars_become_vectors stands-for="2.3 scalars to vectors"
kernel void run(int n, short s, char4 c, float4 f, short2 t, uint4 u, half h) {
  float4 f1 = 1, f2 = n, f3 = h;
  char4 c1 = 3;
  uchar4 u1 = 200;
  short2 s1 = 'a';
  double2 d1 = 1.0f;
  float2 f4 = 0.5;
  int4 i1 = s, i2 = 2.0, i3 = 5u;
  auto a = c + 1;
  f = f * 2.0;
  f += 1 + n;
  t = t << 2;
  t *= 3;
  auto b = c == 1;
  c |= 1;
  u = u + 1 - n;
}
//# scalar_too_precise stands-for="2.3 scalars to vectors" refused="does not become elements of 'float4' implicitly"
kernel void run(double d) { float4 f = d; }
//# scalar_truncated refused="does not become elements of 'int4' implicitly"
kernel void run(float d) { int4 f = d; }
//# scalar_too_wide refused="does not become elements of 'int4' implicitly"
kernel void run(long n) { int4 c = n; }
//# scalar_too_large refused="does not become elements of 'char4' implicitly"
kernel void run() { char4 c = 300; }
//# scalar_fraction refused="does not become elements of 'int4' implicitly"
kernel void run() { int4 c = 2.5; }
//# scalar_too_wide_in_operation refused="does not become elements of 'char4' implicitly"
kernel void run(char4 c, int n) { auto a = c + n; }
//# scalar_too_large_in_operation refused="does not become elements of 'char4' implicitly"
kernel void run(char4 c) { auto a = c + 1000; }
//# scalar_passed refused="does not become elements of 'int4' implicitly"
int4 f(int4 v) { return v; }
kernel void run(long n) { f(n); }
//# scalar_cast
kernel void run(double d, long n) {
  float4 f = float4(d);
  int4 i = (int4)n;
  i = static_cast<int4>(n);
}
//# keyword_vector stands-for="2.2 keywords" refused="'float4' is a keyword"
kernel void run() { int float4 = 3; }
//# keyword_class refused="'bool4' is a keyword"
struct bool4 { int a; };
//# keyword_access stands-for="2.2 keywords" refused="'read_only' is a keyword"
kernel void run() { int read_only = 3; }
//# no_keywords stands-for="2.2 keywords"
kernel void run() { int global = 3, local = 4, constant = 5, priv = 6, generic = 7; }
//# kernel_in_two_namespaces stands-for="2.6 kernel functions are extern C" refused="already declared in another namespace"
namespace a { kernel void run(int n) {} }
namespace b { kernel void run(float n) {} }
//# kernel_called_main stands-for="2.6 kernel functions are not called main" refused="cannot be called 'main'"
kernel void main() {}
//# max_size_of_number refused="only applies to pointers"
kernel void run([[cl::max_size(65536)]] int arg) {}
//# max_size_negative refused="positive size in bytes"
#include <opencl_memory>
kernel void run([[cl::max_size(-1)]] cl::local_ptr<int> arg) {}
//# packed_enumeration stands-for="2.8 aligned and packed"
enum [[cl::packed]] E { a, b };
enum [[cl::packed]] F { c = -1, d = 255 };
enum G { e = 255 } [[cl::packed]];
static_assert(sizeof(E) == 1 && sizeof(F) == 2 && sizeof(G) == 1, "");
kernel void run() {}
//# aligned_typedef stands-for="2.8 aligned and packed" refused="a typedef with another alignment"
typedef int more_aligned_int [[cl::aligned(8)]];
//# vector_template_argument stands-for="2.1 vectors as template arguments"
#include <opencl_type_traits>
using namespace cl;
template <int4 V> struct S { static constexpr int last = V.w; };
template <int4 V> int f() { return V.w; }
template <class T, T V> struct constant_of { static constexpr T value = V; };
template <int4 V> struct first { static constexpr int value = V.x; };
template <> struct first<int4(1, 2, 3, 4)> { static constexpr int value = 100; };
template <int2 V> int deduced(constant_of<int2, V>) { return V.x * 10 + V.y; }
template <uchar2... V> struct sum { static constexpr int value = (0 + ... + V.x); };
template <short2 A, short2 B> struct same { static constexpr bool value = false; };
template <short2 A> struct same<A, A> { static constexpr bool value = true; };
template <bool2 B = bool2(true, false)> struct bools { static constexpr bool value = B.x && !B.y; };
constexpr int4 known(5, 6, 7, 8);
static_assert(S<int4(1, 2, 3, 4)>::last == 4 && S<known>::last == 8 && S<9>::last == 9, "");
static_assert(is_same<S<int4(1)>, S<int4(1, 1, 1, 1)>>::value && !is_same<S<int4(1)>, S<int4(1, 1, 1, 2)>>::value, "");
static_assert(first<int4(1, 2, 3, 4)>::value == 100 && first<int4(1, 2, 3, 5)>::value == 1, "");
static_assert(constant_of<uint2, uint2(3, 4)>::value.y == 4, "");
static_assert(sum<uchar2(1, 9), uchar2(2, 9), uchar2(250, 9)>::value == 253 && bools<>::value, "");
static_assert(same<short2(1, 2), short2(1, 2)>::value && !same<short2(1, 2), short2(1, 3)>::value, "");
kernel void run() {
  int a[S<int4(1, 2, 3, 4)>::last];
  a[0] = f<int4(1, 2, 3, 4)>() + deduced(constant_of<int2, int2(1, 2)>());
}
//# vector_of_floats_as_template_argument refused="a non-type template parameter cannot have type 'float2'"
template <float2 V> struct S { static constexpr int last = 1; };
kernel void run() { int a[S<float2(1.0f, 2.0f)>::last]; }
//# vector_template_argument_not_constant refused="not a constant expression"
template <int2 V> struct S { static int f() { return V.x; } };
kernel void run() { int2 v(1); S<v>::f(); }
//# vector_template_argument_of_other_type refused="int2"
template <int2 V> struct S { static int f() { return V.x; } };
kernel void run() { S<uint2(1, 2)>::f(); }
//# pragmas stands-for="2.7 directives and macros"
#include <opencl_def>
#pragma OPENCL FP_CONTRACT OFF
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#pragma OPENCL EXTENSION all : disable
#pragma something of others
static_assert(__OPENCL_CPP_VERSION__ == 100 && __LINE__ == 7, "");
kernel void run() { auto name = __func__; auto file = __FILE__; }
//# no_registers stands-for="2.9 restrictions" refused="register"
kernel void run() { register int a = 1; }
//# no_threads stands-for="2.9 restrictions" refused="thread-local"
thread_local int a;
//# no_type_information stands-for="2.9 restrictions" refused="'typeid' is not supported"
kernel void run() { auto &t = typeid(int); }
//# no_exceptions stands-for="2.9 restrictions" refused="exceptions are not supported"
kernel void run() {
  try {
    throw 1;
  } catch (int) {
  }
}
//# no_function_pointers stands-for="2.9 restrictions" refused="pointers to functions"
int f(int n) { return n + 1; }
kernel void run(int n) {
  int (*p)(int) = f;
  p(n);
}
//# no_lambda_to_pointer stands-for="2.9 restrictions" refused="pointers to functions"
kernel void run(int n) { int (*p)(int) = [](int x) { return x; }; }
//# recursion_of_constants stands-for="2.9 restrictions"
constexpr int fact(int n) { return n ? n * fact(n - 1) : 1; }
kernel void run(int n) {
  int a[fact(3)];
  constexpr int b = fact(5);
}
//# recursion stands-for="2.9 restrictions" refused="recursion is not supported"
int fact(int n) { return n ? n * fact(n - 1) : 1; }
kernel void run(int n) { fact(n); }
//# no_variable_arrays stands-for="2.9 restrictions" refused="not a constant expression"
kernel void run(int n) { int a[n]; }
//# virtual_inheritance stands-for="2.9 virtual inheritance" refused="virtual base classes"
struct A { int a; };
struct B : virtual A { int b; };
