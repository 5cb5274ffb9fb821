// Common and geometric functions on scalars and vectors.
//! options: -cl-std=c++
//! spirv differs: clang has no OpenCL C++ 1.0
//! buffer out: float 26
//! launch: run(out, float 0.75, float -2.5) global 1
//! expect out: -1.0 0.6000000238418579 42.97183609008789 -0.04363323003053665 0.75 -2.5 0.25 -0.875 -0.0625
//! expect out: 1.0 0.0 0.84375 1.0 -1.0 0.0 9.5 -4.0 0.0 -1.25 -1.875 3.5794553756713867 3.25 5.0 2.5
//! expect out: 0.800000011920929 -1.0
//! tolerance out: absolute 1e-6 relative 1e-5 because functions may be off by some units in the last place
#include <opencl_common>
#include <opencl_geometric>
#include <opencl_memory>
using namespace cl;

kernel void run(global_ptr<float[]> out, float x, float y) {
  out[0] = clamp(y, -1.0f, x);
  out[1] = clamp(float4(x, y, 0.5f, 3.0f), 0.0f, 0.6f).x;
  out[2] = degrees(x);
  out[3] = radians(y);
  out[4] = max(x, y);
  out[5] = min(x, y);
  out[6] = max(float2(x, y), 0.25f).y;
  out[7] = mix(x, y, 0.5f);
  out[8] = mix(float3(x), float3(y), 0.25f).z;
  out[9] = step(0.5f, x);
  out[10] = step(float2(0.0f, -3.0f), float2(y)).x;
  out[11] = smoothstep(0.0f, 1.0f, x);
  out[12] = smoothstep(0.0f, 2.0f, float4(3.0f)).y;
  out[13] = sign(y);
  out[14] = sign(float3(0.0f, y, x)).x;
  out[15] = cross(float3(1.0f, 2.0f, 3.0f), float3(x, y, 1.0f)).x;
  out[16] = cross(float4(1.0f, 2.0f, 3.0f, 9.0f), float4(x, y, 1.0f, 9.0f)).z;
  out[17] = cross(float4(1.0f), float4(x)).w;
  out[18] = dot(float3(1.0f, 2.0f, 3.0f), float3(x, y, 1.0f));
  out[19] = dot(x, y);
  out[20] = distance(float2(x, y), float2(0.0f, 1.0f));
  out[21] = distance(x, y);
  out[22] = length(float4(1.0f, 2.0f, 2.0f, 4.0f));
  out[23] = length(y);
  out[24] = normalize(float3(3.0f, 0.0f, 4.0f)).z;
  out[25] = normalize(y);
}
