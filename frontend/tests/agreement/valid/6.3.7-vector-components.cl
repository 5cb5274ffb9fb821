//# xyzw
kernel void k(global float4 *p) { float4 v = p[0]; v.x = 1; v.y = v.z; v.w = v.x + v.y; p[0] = v; }
//# swizzles
kernel void k(global float4 *p) { float4 v = p[0]; p[1] = v.wzyx; p[2] = v.xxyy; p[3].xy = v.zw; p[4] = v.xyzw; }
//# swizzles_as_targets
kernel void k(global float4 *p) { float4 v; v.xw = (float2)(1, 2); v.zy = (float2)(3, 4); v.xyz = (float3)(1); v.wxyz = v; p[0] = v; }
//# compound_assignment_to_swizzles
kernel void k(global float4 *p) { float4 v = p[0]; v.xy += (float2)(1, 2); v.zw *= 2.0f; v.x -= 1; v.even = v.odd; p[0] = v; p[1].yx *= v.xy; }
//# increment_of_a_component
kernel void k(global int4 *p) { int4 v = p[0]; v.x++; --v.y; v.zw++; v.s3 = v.x--; p[0] = v; p[1].x++; }
//# numbers
kernel void k(global int16 *p) { int16 v = p[0]; v.s0 = v.sf; v.sA = v.sb; v.S3 = v.SF; v.s01 = v.sef; v.s0123 = v.sCDEF; p[0] = v; }
//# numbers_of_all_lengths
kernel void k(global int16 *p, global int8 *q, global int4 *r) { q[0] = p[0].s01234567; q[1] = p[0].s89abcdef; p[1] = p[0].sfedcba9876543210; r[0] = q[0].s7531; r[1].s012 = q[0].s000; }
//# rgba
kernel void k(global float4 *p) { float4 v = p[0]; v.r = v.g; v.ba = v.rg; v.rgb = (float3)(1); p[0] = v.bgra; }
//# halves
kernel void k(global float8 *p, global float4 *q, global float2 *r) { q[0] = p[0].lo; q[1] = p[0].hi; q[2] = p[0].even; q[3] = p[0].odd; r[0] = q[0].lo; r[1] = p[0].hi.lo; }
//# halves_of_three
_Static_assert(sizeof(((float3)(1)).lo) == 8 && sizeof(((float3)(1)).hi) == 8, "");
kernel void k(global float2 *p, float3 v) { p[0] = v.lo; p[1] = v.even; p[2].x = v.hi.x; }
//# halves_of_two_are_scalars
_Static_assert(sizeof(((int2)(1)).lo) == 4 && sizeof(((char2)(1)).odd) == 1, "");
kernel void k(global int *p, int2 v) { p[0] = v.lo + v.hi + v.even + v.odd; }
//# halves_as_targets
kernel void k(global float4 *p) { float4 v; v.lo = (float2)(1); v.hi = v.lo; v.even = v.hi; v.odd.x = 2; p[0] = v; }
//# nested
kernel void k(global float16 *p, global float4 *q) { q[0].x = p[0].hi.lo.even.x; p[0].lo.hi.xy = q[0].zw; q[1] = p[0].s01234567.hi.wzyx; }
//# types_of_components
_Static_assert(sizeof(((char4)(1)).x) == 1 && sizeof(((char4)(1)).xyz) == 4 && sizeof(((char4)(1)).xy) == 2, "");
kernel void k(global short4 *p) { short s = p[0].x; short2 t = p[0].xz; short3 u = p[0].xzw; p[1] = (short4)(s, t, u.x); }
//# of_expressions
float4 f(void) { return (float4)(1, 2, 3, 4); }
kernel void k(global float4 *p) { p[0].x = (p[1] + p[2]).y; p[1].xy = f().zw; p[2].x = (p[1] * 2).xyz.z; p[3].xy = (p[0].x > 1 ? p[1] : p[2]).xy; }
//# subscripts
kernel void k(global float4 *p, int i) { float4 v = p[0]; v[0] = v[3]; v[i] = 1.0f; p[0] = v; p[1][i] = v[i]; p[2][1] += 2; }
//# subscripts_of_expressions
kernel void k(global float4 *p, global float *q, int i) { q[0] = (p[0] + p[1])[i]; q[1] = (p[0] + p[1])[2]; q[2] = (p[0].wzyx)[i]; }
//# through_pointers
kernel void k(global float4 *p) { global float4 *q = p + 1; q->xy = p->zw; (*q).w = q->s0; (q + 1)->hi = q[0].lo; }
//# in_structures
struct S { float4 v; int2 w[2]; };
kernel void k(global struct S *p) { struct S s = p[0]; s.v.xy = s.v.zw; s.w[1].x = s.w[0].y; p[1] = s; p->v.x = 1; p[2].w[1].hi = 3; }
//# address_of_a_vector_not_a_component
kernel void k(global float4 *p) { global float *f = (global float *)&p[1]; f[2] = 1; float4 v; float *g = (float *)&v; g[1] = 2; p[0] = v; }
//# components_in_constants
constant float4 c = (float4)(1, 2, 3, 4);
kernel void k(global float *p) { p[0] = c.x + c.wz.x + c.s2 + c.lo.y; }
//# vector_of_two_names
kernel void k(global int2 *p) { int2 v = p[0]; v.x = v.y; v = v.yx; v.s01 = v.s10; p[0] = v; }
