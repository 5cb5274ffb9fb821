//# convert_saturated stands-for="3.2 example 1"
#include <opencl_convert>
using namespace cl;
kernel void run() {
  short4 s = short4(-1);
  ushort4 u = convert_cast<ushort4, saturate::on>(s);
  char4 c = convert_cast<char4, saturate::on>(s);
}
//# convert_rounded stands-for="3.2 example 2"
#include <opencl_convert>
using namespace cl;
kernel void run() {
  float4 f = float4(1.5f);
  int4 i1 = convert_cast<int4>(f);
  int4 i2 = convert_cast<int4, saturate::on>(f);
  int4 i3 = convert_cast<int4, rounding_mode::rte>(f);
  int4 i4 = convert_cast<int4, rounding_mode::rte, saturate::on>(f);
}
//# convert_to_float stands-for="3.2 example 3"
#include <opencl_convert>
using namespace cl;
kernel void run() {
  int4 i = int4(3);
  float4 f1 = convert_cast<float4>(i);
  float4 f2 = convert_cast<float4, rounding_mode::rtp>(i);
  float x = convert_cast<float>(3);
  bool b = convert_cast<bool>(x);
  int n = convert_cast<int>(b);
}
//# convert_saturated_to_float refused="only integers saturate"
#include <opencl_convert>
kernel void run() { float f = cl::convert_cast<float, cl::saturate::on>(3); }
//# convert_other_lanes refused="different numbers of lanes"
#include <opencl_convert>
kernel void run() { float4 f = cl::convert_cast<float4>(int2(3)); }
//# reinterpret stands-for="3.3 example 1"
#include <opencl_reinterpret>
using namespace cl;
kernel void run() {
  float f = 1.0f;
  uint u = as_type<uint>(f);
  float4 g = float4(1.0f, 2.0f, 3.0f, 4.0f);
  int4 i = as_type<int4>(g);
  int n = 5;
  short2 j = as_type<short2>(n);
  short8 k = as_type<short8>(i);
  float3 h = as_type<float3>(g);
}
//# reinterpret_other_size stands-for="3.3 example 1" refused="size"
#include <opencl_reinterpret>
kernel void run() { double4 g = cl::as_type<double4>(float4(1.0f)); }
//# spec_constant stands-for="3.5 example 1"
#include <opencl_memory>
#include <opencl_spec_constant>
cl::spec_constant<int, 1> spec1{255};
kernel void run(cl::global_ptr<int> out) {
  if (cl::get(spec1) == 255)
    *out = 1;
  else
    *out = 2;
}
//# spec_constant_constexpr stands-for="3.5 example 1" refused="cannot be 'constexpr'"
#include <opencl_spec_constant>
constexpr cl::spec_constant<int, 2> spec2{255};
//# spec_constant_of_class refused="is a number"
#include <opencl_spec_constant>
struct A { int a; };
cl::spec_constant<A, 2> spec2{A{1}};
//# spec_constant_twice refused="another specialization constant has this ID"
#include <opencl_spec_constant>
cl::spec_constant<int, 2> first{1}, second{2};
//# spec_constant_twice_by_type refused="ID 2 have different types"
#include <opencl_spec_constant>
cl::spec_constant<int, 2> first{1};
cl::spec_constant<float, 2> second{2.0f};
//# spec_constant_size stands-for="3.5 example 2"
#include <opencl_spec_constant>
cl::spec_constant<int, 1> spec1{512};
[[cl::required_work_group_size(spec1, 1, 1)]] kernel void run() {}
//# fp16
#include <opencl_half>
#include <opencl_memory>
kernel void run(cl::global_ptr<float> out) {
  cl::fp16 a(1.5f), b = a;
  a += b;
  ++a;
  if (a > b && a)
    *out = a * b;
}
//# vec
#include <opencl_memory>
#include <opencl_vec>
using namespace cl;
kernel void run(global_ptr<float4> out) {
  vec<float, 4> a(1.0f, 2.0f, float2(3.0f, 4.0f));
  vec<float, 4> b = float4(2.0f);
  a += b;
  a = a * 2.0f - b;
  ++a;
  vec<float, 2> c = a.swizzle<3, 0>();
  auto d = swizzle<channel::y, channel::x>(a);
  *out = float4(a) + float4(c.swizzle<0>(), d.swizzle<1>(), 0.0f, 0.0f);
}
//# vec_of_five refused="2, 3, 4, 8 or 16"
#include <opencl_vec>
kernel void run() { cl::vec<float, 5> a; }
//# vector_sum stands-for="3.9 vector iterator"
#include <opencl_memory>
#include <opencl_range>
#include <opencl_vector_utility>
using namespace cl;
template <class V> auto sum(const V &v) {
  vector_element_t<V> total = 0;
  for (auto e : range(v))
    total += e;
  return total;
}
kernel void run(global_ptr<int> out) {
  int4 v = int4(1, 2, 3, 4);
  *out = sum(v);
  index(v, 2) = 5;
}
//# vector_channel stands-for="3.9 channel reference"
#include <opencl_vector_utility>
using namespace cl;
template <class V> void fun(V &v) {
  channel_ref<V> r = *begin(v);
  r = 0;
}
kernel void run() {
  int4 v = int4(1, 2, 3, 4);
  fun(v);
}
//# vector_get_set stands-for="3.9 get and set"
#include <opencl_vector_utility>
using namespace cl;
template <class V> void fun(V &v) {
  auto c = get<0>(v);
  set<0>(v, 2 * c);
}
kernel void run() {
  int4 v = int4(1, 2, 3, 4);
  fun(v);
}
//# vector_iterators stands-for="3.9 example 1"
#include <opencl_range>
#include <opencl_vector_utility>
using namespace cl;
kernel void run() {
  int8 v = int8(0);
  auto first = begin(v);
  auto last = end(v);
  first = last;
  int a = 0;
  a = *first;
  a = first[0];
  first++;
  first += 1;
  first = first + 1;
  first--;
  first -= 1;
  first = first - 1;
}
//# vector_ranges stands-for="3.9 example 2"
#include <opencl_range>
#include <opencl_vector_utility>
kernel void run() {
  int16 a = int16(1);
  for (auto it = cl::begin(a); it != cl::end(a); it++) {
    int b = *it;
    *it = 2;
  }
  for (auto c : cl::range(a, 3, 6)) {
    int b = c;
    c = 2;
  }
}
//# scan stands-for="3.15 scans"
#include <opencl_memory>
#include <opencl_work_group>
#include <opencl_work_item>
using namespace cl;
kernel void run(global_ptr<int[]> p) {
  size_t i = get_local_id(0);
  p[i] = work_group_scan_inclusive<work_group_op::add>(p[i]);
  p[i] += work_group_scan_exclusive<work_group_op::add>(p[i]);
  p[i] = work_group_reduce<work_group_op::max>(p[i]);
}
//# work_group_all stands-for="3.15 logical operations"
#include <opencl_memory>
#include <opencl_work_group>
#include <opencl_work_item>
using namespace cl;
kernel void run(global_ptr<int[]> p) { bool check = work_group_all(p[get_local_id(0)] == 0); }
//# work_group_any stands-for="3.15 logical operations"
#include <opencl_memory>
#include <opencl_work_group>
#include <opencl_work_item>
using namespace cl;
kernel void run(global_ptr<int[]> p) { bool check = !work_group_any(p[get_local_id(0)] != 0); }
//# broadcast stands-for="3.15 broadcasts"
#include <opencl_memory>
#include <opencl_work_group>
#include <opencl_work_item>
using namespace cl;
kernel void run(global_ptr<int[]> p) { int value = work_group_broadcast(p[get_local_id(0)], 0); }
//# broadcast_of_many stands-for="3.15 broadcasts, undefined"
#include <opencl_memory>
#include <opencl_work_group>
#include <opencl_work_item>
using namespace cl;
kernel void run(global_ptr<int[]> p) { int value = work_group_broadcast(p[get_local_id(0)], get_local_id(0)); }
//# printf stands-for="3.23 printf"
#include <opencl_printf>
kernel void run() {
  cl::printf("%s\n", "this is a test string\n");
  float4 f = float4(1.0f, 2.0f, 3.0f, 4.0f);
  uchar4 uc = uchar4(0xFA, 0xFB, 0xFC, 0xFD);
  cl::printf("f4 = %2.2v4hlf\n", f);
  cl::printf("uc = %#v4hhx\n", uc);
}
//# limits
#include <opencl_limits>
#include <opencl_math_constants>
using namespace cl;
static_assert(numeric_limits<int>::max() == 2147483647 && numeric_limits<int>::min() == -2147483647 - 1, "");
static_assert(numeric_limits<unsigned long>::max() == 0xfffffffffffffffful, "");
static_assert(numeric_limits<char>::digits == 7 && numeric_limits<ushort>::digits10 == 4, "");
static_assert(numeric_limits<float>::max() == FLT_MAX && numeric_limits<float>::digits == 24, "");
static_assert(numeric_limits<float>::has_infinity && !numeric_limits<int>::has_infinity, "");
static_assert(numeric_limits<int4>::is_vector && numeric_limits<float>::is_scalar, "");
static_assert(pi_v<float> == M_PI_F && math_constants<double>::e() == M_E, "");
kernel void run() {
  int4 i = numeric_limits<int4>::max();
  float4 f = pi_v<float4>;
}
//# type_traits
#include <opencl_type_traits>
using namespace cl;
enum color : unsigned char { red };
struct point { int x, y; };
static_assert(is_same<remove_reference_t<int &&>, int>::value && is_same<decay_t<const int[3]>, const int *>::value, "");
static_assert(is_integral<char>::value && !is_integral<float>::value && is_enum<color>::value, "");
static_assert(is_same<make_vector_t<float, 4>, float4>::value && vector_size<int3>::value == 3, "");
static_assert(is_same<vector_element_t<const uchar8>, uchar>::value && is_vector_type<half2>::value, "");
static_assert(is_same<underlying_type_t<color>, unsigned char>::value, "");
static_assert(is_same<common_type_t<int, float>, float>::value, "");
static_assert(is_same<make_unsigned_t<const long>, const unsigned long>::value, "");
static_assert(is_same<add_global_t<int>, __global int>::value && is_same<remove_as_t<__local int>, int>::value, "");
static_assert(is_global<__global int>::value && !is_local<int>::value, "");
static_assert(rank<int[2][3]>::value == 2 && extent<int[2][3], 1>::value == 3, "");
static_assert(is_pod<point>::value && is_convertible<int, float>::value && !is_convertible<point, int>::value, "");
static_assert(is_copy_constructible<point>::value && is_default_constructible<point>::value, "");
static_assert(is_same<add_lvalue_reference_t<void>, void>::value, "");
static_assert(alignment_of<float3>::value == 16 && is_member_pointer<int point::*>::value, "");
static_assert(is_same<conditional_t<true, int, float>, int>::value, "");
kernel void run() {}
//# tuples
#include <opencl_memory>
#include <opencl_tuple>
using namespace cl;
kernel void run(global_ptr<int> out) {
  tuple<int, float, char> t(1, 2.0f, 'c');
  auto u = make_tuple(3, 4.0f);
  get<0>(t) = 5;
  int a;
  float b;
  tie(a, b) = u;
  auto joined = tuple_cat(t, u);
  static_assert(tuple_size<decltype(joined)>::value == 5, "");
  static_assert(is_same<tuple_element_t<1, decltype(t)>, float>::value, "");
  if (u < make_tuple(3, 5.0f) && u != make_tuple(4, 0.0f))
    *out = get<3>(joined) + a + get<char>(t);
  tie(a, ignore) = u;
  swap(t, t);
  auto p = make_pair(1, 2.0f);
  *out = p.first + get<1>(p);
}
//# iterators
#include <opencl_array>
#include <opencl_functional>
#include <opencl_memory>
using namespace cl;
kernel void run(global_ptr<int> out) {
  array<int, 4> a{{1, 2, 3, 4}};
  int sum = 0;
  for (auto it = a.rbegin(); it != a.rend(); ++it)
    sum = sum * 10 + *it;
  auto second = next(a.begin());
  advance(second, 2);
  sum += distance(a.begin(), second) + *prev(second);
  plus<int> add;
  less<> smaller;
  int plain[3] = {1, 2, 3};
  for (auto it = begin(plain); it != end(plain); ++it)
    sum = add(sum, *it);
  swap(a[0], a[3]);
  *out = smaller(sum, 3.0f) ? get<0>(a) : sum + a.size() + a.back();
}
//# math
#include <opencl_common>
#include <opencl_geometric>
#include <opencl_integer>
#include <opencl_math>
#include <opencl_memory>
#include <opencl_relational>
#include <opencl_vector_load_store>
kernel void run(cl::global_ptr<float[]> out, cl::constant_ptr<float> in) {
  float4 v = cl::vload<4>(0, in);
  float i = 0.0f;
  float4 r = cl::sin(v) + cl::pow(v, float4(2.0f)) + cl::native::exp(v) + cl::half_math::recip(v);
  r += cl::clamp(v, 0.0f, 1.0f) + cl::max(v, float4(2.0f)) + cl::fract(i, &i);
  r.x += cl::dot(v, r) + cl::length(v) + cl::popcount(5) + cl::abs(-3) + cl::mad24(1, 2, 3);
  if (cl::isnan(r.x) || cl::all(r < v) || cl::any(cl::isless(r, v)))
    r = cl::select(r, v, v < r);
  cl::vstore(r, 0, &out[0]);
  cl::vstore_half(v, 0, reinterpret_cast<half *>(&out[8]));
  float4 h = cl::vloada_half<4>(0, reinterpret_cast<half *>(&out[8]));
  cl::vstorea_half<cl::rounding_mode::rtz>(h, 0, reinterpret_cast<half *>(&out[8]));
}
//# headers_in_cxx_for_opencl options="-cl-std=CLC++2021"
#include <opencl_array>
#include <opencl_memory>
#include <opencl_tuple>
#include <opencl_type_traits>
static_assert(std::is_same<std::remove_const_t<const int>, int>::value, "");
static_assert(cl::is_global<__global int>::value, "");
kernel void run(global int *out) {
  cl::array<int, 3> a{{1, 2, 3}};
  auto t = cl::make_tuple(a[1], 2.0f);
  *out = cl::get<0>(t);
}
//# headers_in_c options="-cl-std=CL3.0" refused="not found"
#include <opencl_memory>
kernel void run() {}
//# unknown_header refused="not found"
#include <opencl_nothing>
//# printf_wrong_length stands-for="3.23 invalid printf (only a warning)"
#include <opencl_printf>
using namespace cl;
kernel void run() {
  uint2 ui = uint2(0x12345678, 0x87654321);
  printf("unsigned short value = (%#v2hx)\n", ui);
}
//# names_are_the_programs_own
int sin(int x) { return x + 1; }
int max(int a) { return a; }
kernel void run(__global int *out) { *out = sin(2) + max(3); }
//# missing_header refused="cl"
kernel void run() { int x = cl::get_global_id(0); }
//# printf_of_pointer stands-for="3.23 invalid printf of a string (only a warning)"
#include <opencl_memory>
#include <opencl_printf>
kernel void run(cl::global_ptr<char> s) { cl::printf("%s\n", s.get()); }
//# edge_cases stands-for="4 edge case behavior"
#include <opencl_math>
#include <opencl_relational>
using namespace cl;
float modf_of(float value, float *iptr) {
  *iptr = trunc(value);
  return copysign(isinf(value) ? 0.0f : value - *iptr, value);
}
kernel void run() {
  float whole, part = modf_of(3.5f, &whole);
  float4 v = float4(1.0f);
  for (int i = 0; i < sizeof(v) / sizeof(v[0]); i++)
    v[i] = isinf(v[i]) ? copysign(1.0f, v[i]) : 0.0f * v[i];
}
//# vec_simple_swizzles options="-cl-std=c++ -DSIMPLE_SWIZZLES"
#include <opencl_vec>
using namespace cl;
kernel void run() {
  const vec<int, 4> v(int4(1, 2, 3, 4));
  int a = v.x() + v.w();
  vec<int, 2> b = v.xy(), c = v.wz();
  vec<int, 3> d = v.zzz(), e = v.ywx();
  vec<int, 4> f = v.xyzw(), g = v.zzzz(), h = v.wzyx();
  auto i = vec<float, 2>(float2(1.0f, 2.0f)).yx();
}
//# vec_has_no_simple_swizzles refused="xy"
#include <opencl_vec>
kernel void run() { auto a = cl::vec<int, 4>(int4(1)).xy(); }
//# vec_has_no_such_channel options="-cl-std=c++ -DSIMPLE_SWIZZLES" refused="the vector has no such channel"
#include <opencl_vec>
kernel void run() { auto a = cl::vec<int, 2>(int2(1)).xz(); }
