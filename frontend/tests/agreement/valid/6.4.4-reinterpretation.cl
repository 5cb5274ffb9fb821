//# as_scalar
kernel void k(global uint *p, float f, double d) { p[0] = as_uint(f); p[1] = as_int(1.0f); p[2] = as_ulong(d) >> 32; float g = as_float(p[0]); p[3] = as_float(0x3f800000) == g; }
//# as_vector
kernel void k(global float4 *p, global uint4 *q) { q[0] = as_uint4(p[0]); p[1] = as_float4(q[0]); q[1].x = as_uint((uchar4)(1, 2, 3, 4)); p[2].xy = as_float2(q[0].zw); }
//# as_another_number_of_lanes
kernel void k(global int4 *p, global short8 *q, global long2 *r, global uchar16 *s) { q[0] = as_short8(p[0]); r[0] = as_long2(p[0]); s[0] = as_uchar16(r[0]); p[1] = as_int4(s[0]); p[2].x = as_int(q[0].lo.lo); }
//# three_and_four_lanes
kernel void k(global float4 *p, float3 v, global int3 *q) { p[0] = as_float4(v); q[0] = as_int3(v); q[1] = as_int3(p[0]); p[1].xyz = as_float3(p[0]); }
//# of_comparisons
kernel void k(global float4 *p) { p[0] = as_float4(as_int4(p[1]) & (p[1] > p[2])); }
//# of_literals
kernel void k(global int *p) { p[0] = as_int(1u) + as_uint(-1) + as_int((short2)(1, 2)) + as_short((char2)(1)); }
//# same_type
kernel void k(global float4 *p, global int *q) { p[0] = as_float4(p[1]); q[0] = as_int(q[1]); }
//# half options="-cl-std=CL1.2"
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
kernel void k(global ushort *p, half h) { p[0] = as_ushort(h); half g = as_half(p[1]); p[2] = as_short(g); }
//# pointers
kernel void k(global float *p) { p[0] = *(global float *)(global int *)p; *(global uint *)p ^= 0x80000000; }
//# convert_functions
kernel void k(global float4 *p, global uchar4 *q, global int4 *r) { q[0] = convert_uchar4(p[0]); q[1] = convert_uchar4_sat(p[1]); r[0] = convert_int4_rte(p[2]); p[3] = convert_float4(q[2]); r[1] = convert_int4_sat_rtz(p[0]); }
//# convert_scalars
kernel void k(global int *p, float f) { p[0] = convert_int(f) + convert_uchar_sat(f) + convert_short_rtp(f) + convert_char_sat_rtn(f) + convert_long(f); }
