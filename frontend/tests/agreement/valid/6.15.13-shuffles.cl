//# shuffles_of_one_vector
kernel void f(global float4 *p, global uchar8 *q, uint4 m, uchar8 n) { p[0] = shuffle(p[1], m); q[0] = shuffle(q[1], n); float8 w = shuffle(p[0], (uint8)(0, 1, 2, 3, 3, 2, 1, 0)); p[1] = w.hi; float2 v = shuffle(p[0], (uint2)(3, 1)); p[2].xy = v; }
//# shuffles_of_two_vectors
kernel void f(global int2 *p, global ushort16 *q, uint2 m, ushort16 n) { p[0] = shuffle2(p[1], p[2], m); q[0] = shuffle2(q[1], q[2], n); int8 w = shuffle2(p[0], p[1], (uint8)(0, 1, 2, 3, 0, 1, 2, 3)); p[1] = w.s45; }
//# steps_of_vectors
kernel void f(global int *p, float3 a, char16 b) { p[0] = vec_step(int) + vec_step(float3) + vec_step(a) + vec_step(b) + vec_step(a.xy) + vec_step(double8); _Static_assert(vec_step(uchar3) == 4 && vec_step(short) == 1, ""); }
