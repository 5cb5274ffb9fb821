//# comparisons_of_scalars_are_int
kernel void f(global int *p, float x, float y) { p[0] = isequal(x, y) + isnotequal(x, y) + isgreater(x, y) + isgreaterequal(x, y) + isless(x, y) + islessequal(x, y) + islessgreater(x, y) + isordered(x, y) + isunordered(x, y); _Static_assert(sizeof(isequal(1.0f, 2.0f)) == 4, ""); }
//# comparisons_of_vectors
kernel void f(global int4 *p, global long2 *q, global short8 *r, float4 x, double2 y) { p[0] = isequal(x, x) & isless(x, x.wzyx); q[0] = isgreater(y, y) | islessgreater(y, y); }
//# classes
kernel void f(global int *p, global int4 *q, float x, float4 y, double z) { p[0] = isfinite(x) + isinf(x) + isnan(x) + isnormal(x) + signbit(x) + isnan(z) + signbit(z); q[0] = isnan(y) + isinf(y) + isfinite(y) + isnormal(y) + signbit(y); }
//# any_and_all
kernel void f(global int *p, char4 a, short2 b, int3 c, long16 d, int e) { p[0] = any(a) + all(b) + any(c) + all(d) + any(e) + all(e < 3) + any(c == c) + all(isless((float3)1, (float3)2)); }
//# bits_chosen
kernel void f(global float4 *p, global int *q, global double *d) { p[0] = bitselect(p[0], p[1], p[2]); q[0] = bitselect(q[0], q[1], 0xff); d[0] = bitselect(d[0], d[1], d[2]); }
//# chosen_by_vectors
kernel void f(global float4 *p, global uchar2 *q, global long3 *l, int4 a, uint4 b) { p[0] = select(p[0], p[1], a) + select(p[0], p[1], b) + select(p[0], p[1], isless(p[0], p[1])) + select(p[0], p[1], p[0] < p[1]); q[0] = select(q[0], q[1], (char2)(1, -1)); l[0] = select(l[0], l[1], l[0] > l[1]); }
//# chosen_by_scalars
kernel void f(global float *p, global long *l, global short *s, int c, uint u) { p[0] = select(p[0], p[1], c) + select(p[0], p[1], u); l[0] = select(l[0], l[1], l[2]); s[0] = select(s[0], s[1], s[2]); }
//# results_in_conditions
kernel void f(global float *p) { if (isnan(p[0]) || !isfinite(p[1])) p[0] = 0; while (isless(p[0], 5.0f)) p[0] += 1; p[1] = isgreater(p[0], p[1]) ? p[0] : p[1]; }
//# halves_compared
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
kernel void f(global int *p, global short4 *q, half x, half4 y) { p[0] = isequal(x, x) + isnan(x); q[0] = isless(y, y) | isnan(y); }
