//# common_functions
kernel void f(global float *p, global float4 *q) { p[0] = clamp(p[0], 0.0f, 1.0f) + degrees(p[0]) + max(p[0], p[1]) + min(p[0], 1.0f) + mix(p[0], p[1], p[2]) + radians(p[1]) + step(p[0], p[1]) + smoothstep(p[0], p[1], p[2]) + sign(p[0]); q[0] = clamp(q[0], 0.0f, 1.0f) + clamp(q[0], q[1], q[2]) + max(q[0], 1.0f) + mix(q[0], q[1], 0.5f) + mix(q[0], q[1], q[2]) + step(0.5f, q[0]) + step(q[0], q[1]) + smoothstep(0.0f, 1.0f, q[0]) + sign(q[1]); }
//# common_functions_of_double
kernel void f(global double *p, global double2 *q) { p[0] = clamp(p[0], 0.0, 1.0) + mix(p[0], p[1], 0.5) + degrees(p[0]); q[0] = smoothstep(0.0, 1.0, q[0]) + step(0.5, q[1]) + min(q[0], 2.0); }
//# common_functions_of_half
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
kernel void f(global half *p, global half2 *q) { p[0] = clamp(p[0], 0.0h, 1.0h) + mix(p[0], p[1], p[2]); q[0] = max(q[0], 1.0h) + sign(q[1]); }
//# cross_products
kernel void f(global float3 *p, global float4 *q) { p[0] = cross(p[0], p[1]); q[0] = cross(q[0], q[1]); }
//# dot_products
kernel void f(global float *p, float2 a, float3 b, float4 c) { p[0] = dot(p[1], p[2]) + dot(a, a) + dot(b, b) + dot(c, c.wzyx); }
//# lengths
kernel void f(global float *p, float2 a, float3 b, float4 c) { p[0] = distance(a, a) + distance(p[0], p[1]) + length(b) + length(p[2]) + fast_distance(b, b) + fast_length(c); }
//# directions
kernel void f(global float3 *p, global float4 *q, float x) { p[0] = normalize(p[0]) + fast_normalize(p[1]); q[0] = normalize(q[0].xyzz) * normalize(x); }
//# lengths_of_double
kernel void f(global double *p, double3 a) { p[0] = length(a) + dot(a, normalize(a)) + distance(a, cross(a, a)); }
