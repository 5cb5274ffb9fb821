// Functions on numbers: mathematical, integer, common, geometric and relational ones, limits and constants.
//! options: -cl-std=c++
//! spirv differs: clang has no OpenCL C++ 1.0
//! buffer out: int 16
//! launch: run(out, float 2) global 1
//! expect out: 8 3 2 3 1 -1 5 2147483647 12 1 0 1 3 31 2 7
#include <opencl_common>
#include <opencl_geometric>
#include <opencl_integer>
#include <opencl_limits>
#include <opencl_math>
#include <opencl_math_constants>
#include <opencl_memory>
#include <opencl_relational>

kernel void run(cl::global_ptr<int[]> out, float two) {
  out[0] = (int)cl::pow(two, 3.0f);
  out[1] = (int)cl::rint(cl::sin(cl::pi_v<float> / 2.0f) * 3.0f);
  out[2] = cl::popcount(5);
  out[3] = cl::clamp(7, 1, 3);
  out[4] = (int)cl::step(0.5f, two);
  out[5] = (int)cl::sign(-two);
  out[6] = (int)cl::length(float2(3.0f, 4.0f));
  out[7] = cl::numeric_limits<int>::max();
  out[8] = (int)cl::dot(float4(1.0f), float4(two + 1.0f));
  out[9] = cl::all(float2(1.0f) < float2(two));
  out[10] = cl::isnan(two);
  out[11] = cl::any(cl::isgreater(float2(1.0f, 3.0f), float2(two)));
  out[12] = (int)cl::select(float2(1.0f), float2(3.0f), float2(1.0f) < float2(two)).y;
  out[13] = cl::clz(1u);
  float whole;
  out[14] = (int)(cl::fract(two + 0.5f, &whole) * 2.0f) + (int)whole - 1;
  out[15] = (int)cl::max(float4(two), float4(7.0f)).x;
}
