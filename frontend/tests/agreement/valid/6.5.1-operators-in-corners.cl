//# every_compound_assignment_of_every_element
kernel void f(global uchar4 *a, global short2 *b, global ulong8 *c, global double3 *d, global float *e) { uchar u = 3; *a += u; *a -= *a; *a *= (uchar)3; *a /= u; *a %= u; *a <<= u; *a >>= (uchar4)2; *a &= u; *a |= *a; *a ^= (uchar)1; *b <<= *b; *c %= *c; *c += 1; *d *= 2; *d /= *d; *e -= 1; *e *= 2.5f; }
//# increments_of_vectors_and_pointers
kernel void f(global int4 *p, float3 v, global uchar2 *q) { p++; ++*p; (*p)--; p->x++; --p->hi.y; int3 w = 1; w++; --w; v += w.x; q += 2; *q++ = *q; p[-1] = -p[0]; }
//# unary_of_vectors
kernel void f(global int4 *p, float4 v, ushort2 u, global short2 *s) { p[0] = -p[1] + ~p[2] + +p[3] + !p[4]; p[1] = !v; s[0] = !u; p[2] = !!v & -1; }
//# shifts_of_every_width
kernel void f(global char *a, global ushort2 *b, global int *c, global ulong4 *d, long n) { a[0] <<= n; a[1] = a[0] >> 9; b[0] = b[0] << (ushort2)(17, 3); c[0] = 1 << n; c[1] = -1 >> 31; c[2] = 1u << c[0]; d[0] = d[1] >> d[2]; d[1] = d[0] << 3; }
//# relations_of_mixed_operands
kernel void f(global int *p, global int4 *q, global char16 *r, int i, uint u, long l, float x, uchar c, float4 v) { p[0] = (i < u) + (l >= i) + (x == c) + (c != 'a') + (i > 2.5f) + (u <= l); q[0] = (v < 2) + (3 >= v) + (v == x); r[0] = r[1] > (char)3; }
//# conditions_of_vectors
kernel void f(global float4 *p, global char2 *q, global ulong3 *l, int4 c, float x) { p[0] = c ? p[1] : p[2]; p[1] = c > 2 ? x : p[3]; p[2] = p[0] < p[1] ? p[0] : (float4)1; q[0] = q[1] == q[2] ? q[0] : (char2)3; l[0] = l[1] < l[2] ? l[1] : l[2]; p[3] = x > 1 ? p[0] : p[1]; }
//# conditions_in_conditions
kernel void f(global int *p, int a, int b) { p[0] = a ? b ? 1 : 2 : b ? 3 : 4; p[1] = (a ? b : a) ? a++ : --b; p[2] = a ? 1.5f : 2; p[3] = a ? 'a' : 2L; a ? (void)(p[4] = 1) : (void)0; }
//# logic_of_vectors
kernel void f(global int4 *p, global long2 *q, float4 v, double2 d, int s) { p[0] = v && (v > 1 ? v : 2); p[1] = p[0] || s; q[0] = d && d; q[1] = !d; p[2] = !(p[0] && (int4)1); }
//# assignments_as_operands
kernel void f(global int *p, global float4 *q) { int a, b, c; a = b = c = p[0]; p[1] = (a += 2) * (b -= 1) + (c <<= 1); q[0] = q[1] = q[2] * 2; float4 v; v.x = v.y = v.z = 1.0f; (*&v).w = 2; q[0].lo = (v.hi = (float2)3); }
//# swizzles_of_swizzles
kernel void f(global float16 *p, global float *q) { float16 v = p[0]; q[0] = v.hi.lo.odd.s1 + v.s0123.wzyx.xy.y + v.even.s7 + v.sFEDC.s0 + v.sabcd.s3; v.lo.hi.s01 = v.odd.even.s10; v.s048c = v.s37bf; p[1] = v.s0123456789abcdef; p[2] = v.sfedcba9876543210; v.s0 = v.SF; p[3] = v; }
//# vectors_by_subscript
kernel void f(global float4 *p, int i) { float4 v = p[0]; v[2] = v[i & 3] + p[1][3]; p[0][i & 1] = v[0]; uchar3 c = 1; c[1]++; p[1] = v; p[2].x = c[i % 3]; }
//# pointers_compared_and_subtracted
kernel void f(global int *p, local char *l, constant float4 *c) { global int *q = p + 5; p[0] = q - p; p[1] = (q > p) + (q != 0) + (0 == p) + (l >= l + 1) + (c + 2 - c); ptrdiff_t d = &p[3] - &q[1]; p[2] = d < 0; p[3] = *(p + 1) + 1[p] + *&p[2] + (&p[4])[-1] + (p == (global int *)0); }
//# commas_and_calls
int two(int a, int b) { return a - b; } void none(void) {}
kernel void f(global int *p) { int i = (p[0]++, p[1]); p[2] = two((p[3]++, 4), (none(), i)); for (int a = 0, b = 9; a < b; a++, --b, none()) p[a] += b; none(), p[4]++; }
//# literals_of_vectors_in_expressions
kernel void f(global float4 *p, global int2 *q, float x) { p[0] = (float4)(x) * (float4)(1, 2, 3, 4) - (float4)((float2)(x, 1), (float2)0) + (float4)(x, (float3)(1, 2, 3)); q[0] = (int2)(1, 2) < (int2)(x > 1, 3) ? (int2)(-1) : (int2)(q[1].yx); p[1] = ((float4)(1, 2, 3, 4)).wzyx; p[2] = (float4)(x, x + 1, sin(x), (int)x); }
//# casts_that_chain
kernel void f(global int *p, float x, global void *v) { p[0] = (int)(char)(uchar)x + (int)(bool)x + *(global int *)(global char *)v + (short)65537 + (int)(uint)-1 + (uchar)~0; p[1] = ((global int2 *)v)->y + (*(global float4 *)v).z; p[2] = (size_t)v & 15; p[3] = (int)(float)(long)x; }
//# constants_of_every_form
kernel void f(global ulong *p) { p[0] = 0 + 00 + 0x0 + 0b101 + 017 + 0xFFul + 1u + 2L + 3UL + 4Lu + 5lU + 'a' + '\n' + '\x41' + '\101' + '\0' + '\'' + '"' + '\\'; p[1] = 1.f + .5f + 1.5e3f + 0x1p-3f + 1e+2f + 0x.8p1f + 0X1.8P0F + 1.0 + 2e-1; p[2] = sizeof 0xFFFFFFFF + sizeof 0x100000000 + sizeof 2147483648; }
