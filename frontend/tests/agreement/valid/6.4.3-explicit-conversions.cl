//# explicit_conversions_of_vectors
kernel void f(global int4 *p, float4 a, double4 b, uchar4 c, ulong4 d, short4 e) { p[0] = convert_int4(a) + convert_int4_sat(a) + convert_int4_rte(a) + convert_int4_sat_rtp(b) + convert_int4(c) + convert_int4_sat(d) + convert_int4(e); float4 x = convert_float4(p[0]) + convert_float4_rtz(d) + convert_float4(b); uchar4 y = convert_uchar4_sat(x) + convert_uchar4_sat_rte(a * 255.0f); p[1] = convert_int4(y); }
//# explicit_conversions_of_scalars
kernel void f(global char *p, float a, long b, double c) { p[0] = convert_char_sat(a) + convert_char(b) + convert_char_sat_rtn(c) + convert_int_rtz(a) + (char)convert_ulong_sat(a); p[1] = convert_float(b) + convert_float_rtz(c) + convert_double(a); }
//# conversions_of_sixteen
kernel void f(global uchar16 *p, global float16 *q, global short16 *r) { q[0] = convert_float16(p[0]); p[1] = convert_uchar16_sat(q[1]); r[0] = convert_short16_rtn(q[0]); p[2] = convert_uchar16(r[0] >> (short)8); }
//# conversions_of_three
kernel void f(global float3 *p, global uchar *q) { uchar3 c = convert_uchar3_sat_rte(p[0]); vstore3(c, 0, q); p[1] = convert_float3(vload3(1, q)) / 255.0f; }
//# conversions_of_half
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
kernel void f(global half *p, global half4 *q, float x, int4 y, double d) { p[0] = convert_half(x) + convert_half_rtp(d); q[0] = convert_half4(y) + convert_half4_rtz(convert_float4(y)); p[1] = convert_int_sat(p[0]) + convert_half(3); }
//# conversions_of_literals_and_expressions
kernel void f(global int *p) { p[0] = convert_int(3.7f) + convert_int_rte(2.5) + convert_uchar_sat(300) + convert_int(p[1] > 2) + convert_int('a') + convert_int(sizeof(int)); }
//# reinterpreted_between_all_of_a_size
kernel void f(global uint *p, float x, char4 c, short2 s, global ulong *q, double d, float2 v, int2 w, uchar8 u) { p[0] = as_uint(x) + as_uint(c) + as_uint(s) + as_int(x); q[0] = as_ulong(d) + as_ulong(v) + as_ulong(w) + as_ulong(u); float4 y = as_float4((uint4)(1)); double2 z = as_double2(y); p[1] = as_uint4(z).w + as_ushort2(x).y; }
