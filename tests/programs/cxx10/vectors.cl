// Vector constructors, cl::vec, channels, iterators and ranges of vectors, and cl::fp16.
//! options: -cl-std=c++
//! spirv differs: clang has no OpenCL C++ 1.0
//! buffer out: float 12
//! launch: run(out, float 2) global 1
//! expect out: 1 2 3 2 10 14 20 8 6.5 3.75 12 3
#include <opencl_half>
#include <opencl_memory>
#include <opencl_range>
#include <opencl_vec>
#include <opencl_vector_utility>
using namespace cl;

template <class V> auto sum(const V &v) {
  vector_element_t<V> total = 0;
  for (auto e : range(v))
    total += e;
  return total;
}

kernel void run(global_ptr<float[]> out, float two) {
  float4 v = float4(1.0f, float2(two, 3.0f), two);
  out[0] = v.x;
  out[1] = v.y;
  out[2] = v.z;
  out[3] = v.w;
  int4 i = int4(1, 2, 3, 4);
  out[4] = sum(i);
  set<0>(i, 5);
  index(i, 3) -= 4;
  index(i, 3) += get<0>(i) - 1;
  out[5] = sum(i);
  for (auto c : range(i, 1, 3))
    c = 5;
  auto it = begin(i);
  *it++ = 6;
  out[6] = sum(i);
  vec<float, 4> a(1.0f, two, float2(3.0f, 4.0f));
  vec<float, 4> b = float4(two);
  a = a * b;
  auto c = a.swizzle<3, 0>();
  out[7] = float2(c).x;
  ++a;
  a /= b;
  out[8] = swizzle<channel::z, channel::x>(a).swizzle<0>() + 3.0f;
  fp16 h(1.25f), k = h;
  h += k;
  h *= fp16(1.5f);
  out[9] = h;
  k++;
  out[10] = (h > k ? 10.0f : 20.0f) + (bool)k + 1.0f;
  out[11] = (float)(h - fp16(0.75f));
}
