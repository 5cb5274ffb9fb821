// Geometric functions of half precision.
//! options: -cl-std=c++
//! spirv differs: clang has no OpenCL C++ 1.0
//! buffer out: float 8
//! launch: run(out, float 0.75, float -2.5) global 1
//! expect out: 3.5794553756713867 5.0 0.6000000238418579 2.5  0 0 0 -1
//! tolerance out: absolute 1e-6 relative 1e-3 because functions may be off by some units in the last place
#include <opencl_geometric>
#include <opencl_memory>
using namespace cl;

kernel void run(global_ptr<float[]> out, float x, float y) {
  out[0] = fast_distance(float2(x, y), float2(0.0f, 1.0f));
  out[1] = fast_length(float4(1.0f, 2.0f, 2.0f, 4.0f));
  out[2] = fast_normalize(float3(3.0f, 0.0f, 4.0f)).x;
  out[3] = fast_length(y);
  // A vector of zeros has no direction, and is its own result.
  out[4] = fast_normalize(float4(x - 0.75f)).x;
  out[5] = fast_normalize(float2(0.0f, y + 2.5f)).y;
  out[6] = fast_normalize(x - 0.75f);
  out[7] = fast_normalize(y);
}
