//# loads_of_every_length
kernel void f(global float *p, constant int *c, local uchar *l, global double *d) { float2 a = vload2(0, p); float3 b = vload3(1, p); float4 e = vload4(get_global_id(0), p); float8 g = vload8(0, p + 1); float16 h = vload16(2, p); int4 i = vload4(0, c); uchar8 j = vload8(1, l); double2 k = vload2(3, d); vstore4(e + h.lo.lo + g.hi, 0, p); vstore3(b, 1, p); vstore2(a, 0, p); vstore4(i, 0, (global int *)p); vstore8(j, 0, l); vstore2(k, 1, d); }
//# loads_from_private_memory
kernel void f(global float *p) { float a[8] = {1, 2, 3}; uint b[4]; vstore4((uint4)(1, 2, 3, 4), 0, b); p[0] = vload4(1, a).x + vload3(0, b).z; const float *q = a; vstore2(vload2(1, q), 0, a); }
//# loads_of_const_and_volatile
kernel void f(global const short *p, global float *q, const global char *c) { q[0] = vload4(0, p).s2 + vload16(1, c).sf; }
//# loads_through_generic_pointers options="-cl-std=CL2.0"
float4 g(const float *p) { return vload4(0, p); } void h(float4 v, float *p) { vstore4(v, 1, p); }
kernel void f(global float *p, local float *l) { h(g(l), p); h(g(p), l); }
//# loads_of_half
kernel void f(global half *p, global float *q, constant half *c, local half *l) { q[0] = vload_half(0, p) + vload_half(3, c) + vload_half(1, l); float4 v = vload_half4(1, p) + vloada_half4(0, c); float3 w = vload_half3(0, p) + vloada_half3(0, p); q[1] = v.x + w.z + vload_half16(0, p).sf + vloada_half2(1, l).y; }
//# stores_of_half
kernel void f(global half *p, local half *l, float x, float4 v, float3 w, double d, double2 e) { vstore_half(x, 0, p); vstore_half_rte(x, 1, p); vstore_half_rtz(x, 2, p); vstore_half_rtp(x, 3, l); vstore_half_rtn(x, 4, p); vstore_half4(v, 0, p); vstore_half3(w, 0, l); vstorea_half4(v, 1, p); vstorea_half3_rtz(w, 2, p); vstore_half(d, 5, p); vstore_half2(e, 1, p); vstore_half16((float16)x, 1, p); }
//# loads_of_halves_as_values
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
kernel void f(global half *p) { half4 v = vload4(0, p); vstore2(v.xy, 3, p); p[0] = v.w; }
//# offsets_of_other_types
kernel void f(global int *p, uchar i, long j, ulong k) { vstore2(vload2(i, p) + vload2(j, p), k, p); vstore4(vload4('a', p), -1, p + 64); }
