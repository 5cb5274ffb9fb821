//# from_scalars
kernel void k(global float4 *p) { p[0] = (float4)(1.0f, 2.0f, 3.0f, 4.0f); }
//# from_one_scalar
kernel void k(global float4 *p, global int16 *q) { p[0] = (float4)(1.0f); p[1] = (float4)(2); q[0] = (int16)(7); }
//# without_parentheses
kernel void k(global float4 *p) { p[0] = (float4)1.0f; p[1] = (float4)p[0].x; }
//# groupings_of_four
kernel void k(global float4 *p, float2 b, float3 c, float a) {
    p[0] = (float4)(b, b); p[1] = (float4)(b, a, a); p[2] = (float4)(a, b, a); p[3] = (float4)(a, a, b);
    p[4] = (float4)(c, a); p[5] = (float4)(a, c); p[6] = (float4)((float4)(b, b)); p[7] = (float4)(a, a, a, a);
}
//# groupings_of_two_and_three
kernel void k(global float2 *p, global float3 *q, float2 b, float a) { p[0] = (float2)(a, a); q[0] = (float3)(b, a); q[1] = (float3)(a, b); q[2] = (float3)(a, a, a); }
//# groupings_of_eight_and_sixteen
kernel void k(global int8 *p, global int16 *q, int4 d, int2 b, int3 c, int8 e, int a) {
    p[0] = (int8)(d, d); p[1] = (int8)(d, b, b); p[2] = (int8)(b, d, a, a); p[3] = (int8)(c, c, b); p[4] = (int8)(a, c, d);
    q[0] = (int16)(e, e); q[1] = (int16)(d, e, d); q[2] = (int16)(e, d, b, a, a); q[3] = (int16)(c, c, c, c, c, a);
}
//# scalars_are_converted
kernel void k(global float4 *p, global uchar4 *q) { p[0] = (float4)(1, 2.5f, 'a', 4ul); q[0] = (uchar4)(1, 300, -1, 2.5f); }
//# nested
kernel void k(global int4 *p) { p[0] = (int4)((int2)(1, 2), (int2)((int)3.5f, 4)); }
//# with_expressions
kernel void k(global int4 *p, int a) { p[0] = (int4)(a + 1, a ? 2 : 3, (a, 4), a++); }
//# operands_of_operators
kernel void k(global int4 *p) { p[0] = (int4)(1, 2, 3, 4) + (int4)(5) * (int4)(1, 0, 1, 0); p[1] = -(int4)(1); p[2] = ~(int4)(1, 2, 3, 4); }
//# swizzled
kernel void k(global int2 *p) { p[0] = ((int4)(1, 2, 3, 4)).xy; p[1] = (int2)(((int4)(1, 2, 3, 4)).x); }
//# through_a_typedef
typedef float4 vec;
kernel void k(global vec *p) { p[0] = (vec)(1, 2, 3, 4); p[1] = (const vec)(1); }
//# as_arguments
float f(float4 v) { return v.x; }
kernel void k(global float *p) { p[0] = f((float4)(1, 2, 3, 4)) + f((float4)(0)); }
//# at_file_scope
constant float4 a = (float4)(1, 2, 3, 4);
constant int4 b[2] = {(int4)(1), (int4)(1, 2, 3, 4)};
constant float3 c = (float3)(1.0f / 3, 2, (float)3.0);
kernel void k(global float *p) { p[0] = a.x + b[1].y + c.z; }
//# of_vectors_at_file_scope
constant int4 a = (int4)((int2)(1, 2), (int2)(3, 4));
constant int8 b = (int8)((int4)(1), 2, 3, (int2)(4));
//# braces
kernel void k(global int4 *p) { int4 a = {1, 2, 3, 4}; int2 b = {5, 6}; float3 c = {1.0f, 2, 3}; p[0] = a + b.x + (int)c.y; }
//# braces_in_arrays
kernel void k(global int4 *p) { int4 a[2] = {{1, 2, 3, 4}, (int4)(5)}; p[0] = a[0] + a[1]; }
//# short_and_char
kernel void k(global short4 *p, global char2 *q, short s, char c) { p[0] = (short4)(s, s, 1, (short)2); q[0] = (char2)(c, 'x'); }
//# half_and_double
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
kernel void k(global half4 *p, global double2 *q, half h, double d) { p[0] = (half4)(h, 1.0h, 2, h); q[0] = (double2)(d, 1); }
//# comma_in_a_cast_to_a_scalar
kernel void k(global int *p, int a) { p[0] = (int)(a, 2); p[1] = (float)(1, 2, 3); }
//# splat_of_bool
kernel void k(global int4 *p, int b) { p[0] = (int4)(b != 0); }
//# scalars_in_lists_fill_vectors
struct S { int4 a; int b; };
kernel void k(global int4 *p) { int4 a[2] = {1, 2}, b[2] = {{1, 2, 3, 4}, 5}; struct S s = {1, 2}; p[0] = a[0] + b[1] + s.a; }
