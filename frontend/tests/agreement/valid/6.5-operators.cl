//# arithmetic_of_scalars
kernel void k(global int *p, int a, int b, uint c, float f) { p[0] = a + b - a * b / (b | 1) % 7; p[1] = c / 3u % 5; p[2] = f * f / 2 + f - 1; }
//# arithmetic_of_vectors
kernel void k(global int4 *p, global float3 *q) { p[0] = p[1] + p[2] - p[3] * p[4] / p[5] % p[6]; q[0] = q[1] / q[2] + q[3] * q[4]; }
//# remainder_of_integers_only
kernel void k(global uchar8 *p, global long *q) { p[0] = p[1] % p[2]; q[0] = q[1] % 3; q[2] %= q[3]; }
//# unary
kernel void k(global int4 *p, global float *q, uchar c) { p[0] = -p[1]; p[2] = +p[3]; p[4] = ~p[5]; p[6] = !p[7]; q[0] = -q[1]; q[2] = !q[3]; q[4] = -c; }
//# increments
kernel void k(global int *p, global float4 *q) { int i = 0; i++; ++i; i--; --i; p[i++] = 1; p[--i]++; float f = 0.5f; p[2] = (*p)++; global int *r = p; *r++ = 1; *++r = 2; (*r)--; }
//# increment_of_narrow_types
kernel void k(global char *p, global ushort *q) { p[0]++; --p[1]; q[0] = p[0]++ + ++p[1]; bool b = 0; b++; p[2] = b; }
//# relational_of_scalars
kernel void k(global int *p, int a, uint b, float f, long l) { p[0] = (a < b) + (f > 1) + (l <= a) + (f >= a) + (a == b) + (f != l); }
//# relational_results_of_vectors
_Static_assert(sizeof((float4)(1) < (float4)(2)) == 16 && sizeof((char2)(1) == (char2)(1)) == 2 && sizeof((double2)(1) > (double2)(1)) == 16, "");
kernel void k(global int4 *i, global char4 *c, global long2 *l, global short8 *s, global float4 *f, global uchar4 *u, global double2 *d, global ushort8 *t) {
    i[0] = f[0] < f[1]; i[1] = i[2] >= i[3]; c[0] = u[0] == u[1]; l[0] = d[0] != d[1]; s[0] = t[0] <= t[1]; c[1] = c[2] > c[3];
}
//# relational_of_a_vector_and_a_scalar
kernel void k(global int4 *i, global float4 *f, float s) { i[0] = f[0] < s; i[1] = 1.0f >= f[0]; i[2] = i[3] == 2; i[4] = 0 != i[5]; }
//# comparing_half_vectors
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
kernel void k(global short4 *s, global half4 *h) { s[0] = h[0] < h[1]; s[1] = h[0] == h[1]; }
//# pointers_compared
kernel void k(global int *p, global int *q) { p[0] = p < q; p[1] = p == q; p[2] = p != 0; p[3] = p >= q + 1; p[4] = (global void *)p == q; }
//# bitwise
kernel void k(global int *p, global uchar4 *q, int a, ulong b) { p[0] = a & 1 | a ^ 3; p[1] = b & a; q[0] = q[1] & q[2] | q[3] ^ q[4]; q[5] = ~q[6] & (uchar)15; q[0] |= q[1]; q[0] &= (uchar)1; }
//# logical_of_scalars
kernel void k(global int *p, int a, float f, global int *q) { p[0] = a && f; p[1] = a || p; p[2] = !f; p[3] = !q; p[4] = a && f || !p; }
//# logical_results_of_vectors
kernel void k(global int4 *i, global float4 *f, global char2 *c, global uchar2 *u) { i[0] = i[1] && i[2]; i[3] = f[0] || f[1]; i[4] = !f[2]; c[0] = u[0] && u[1]; c[1] = !u[0]; i[5] = i[1] && 1; }
//# conditional_of_scalars
kernel void k(global int *p, int a, float f) { p[0] = a ? 1 : 2; p[1] = a ? a : f; p[2] = p ? 1 : 0; p[3] = a > 1 ? a < 5 ? 1 : 2 : 3; }
//# conditional_of_vectors_with_a_scalar_condition
kernel void k(global float4 *p, int a) { p[0] = a ? p[1] : p[2]; p[3] = a > 2 ? (float4)(1) : p[4]; p[5] = a ? p[1] : 1.0f; p[6] = a ? 0.0f : p[1]; }
//# conditional_with_a_vector_condition
kernel void k(global float4 *f, global int4 *i, global uint4 *u, global char4 *c) { f[0] = i[0] ? f[1] : f[2]; f[3] = f[1] < f[2] ? f[1] : f[2]; i[1] = i[2] ? i[3] : i[4]; u[0] = i[0] ? u[1] : u[2]; c[0] = c[1] ? c[2] : c[3]; }
//# conditional_with_a_vector_condition_and_scalars
kernel void k(global float4 *f, global int4 *i) { f[0] = i[0] ? f[1] : 1.0f; f[2] = i[0] ? 0.0f : f[1]; i[1] = i[0] ? 1 : 2; }
//# conditional_of_pointers
kernel void k(global int *p, global int *q, int a) { global int *r = a ? p : q; *r = 1; r = a ? p : 0; *(a ? p : q) = 2; (a ? p : q)[1] = 3; global void *v = a ? (global void *)p : q; p[2] = v == p; }
//# conditional_of_structures
struct S { int a, b; };
kernel void k(global int *p, int a) { struct S x = {1, 2}, y = {3, 4}; struct S z = a ? x : y; p[0] = z.a + (a ? x : y).b; }
//# conditional_of_void
void f(void) {} void g(void) {}
kernel void k(global int *p) { p[0] ? f() : g(); p[1] ? (void)0 : f(); }
//# shifts
kernel void k(global int *p, global uchar4 *q, global int4 *i, int a, long l) { p[0] = a << 3; p[1] = a >> l; p[2] = 1u << a; q[0] = q[1] << q[2]; q[3] = q[4] >> (uchar)1; i[0] = i[1] << i[2]; i[3] >>= 2; p[3] <<= a; }
//# shift_of_a_vector_by_a_scalar
kernel void k(global uchar4 *q, global ulong2 *u, int a) { q[0] = q[1] << a; u[0] = u[1] >> a; q[2] <<= 2; u[1] <<= (uchar)3; }
//# sizeof_forms
struct S { int a; char b[5]; };
_Static_assert(sizeof(struct S) == 12 && sizeof(int) == 4 && sizeof 1 == 4 && sizeof(((struct S *)0)->b) == 5 && sizeof(int[2][3]) == 24, "");
kernel void k(global int *p) { int a[7]; p[0] = sizeof a / sizeof a[0] + sizeof(a) + sizeof *p + sizeof p[0] + sizeof(a[0]++) + sizeof -1; }
//# sizeof_is_size_t
_Static_assert(sizeof(sizeof(char)) == sizeof(size_t) && sizeof(char) - 2 > 0, "");
//# comma
kernel void k(global int *p, int a) { int b = (a++, a + 1); p[0] = (p[1] = 2, p[2] = 3, b); for (int i = 0, j = 9; i < j; i++, j--) p[i] = j; }
//# indirection_and_address
kernel void k(global int *p) { int x = 1; int *q = &x; *q = 2; *&x = 3; int **r = &q; **r += 1; p[0] = *&*&x + *&p[1] + (&p[3])[-1]; }
//# address_of_things
struct S { int a[3]; float b; };
kernel void k(global struct S *p) { global int *q = &p->a[1]; global float *r = &p[1].b; global struct S *s = &p[2]; global int (*t)[3] = &s->a; *q = (*t)[0]; *r = 1; struct S l; int *u = &l.a[2]; *u = 1; p[0] = l; }
//# simple_assignment
kernel void k(global int *p) { int a, b, c; a = b = c = 5; p[0] = a + b + c; p[1] = (a = 7) + 1; }
//# compound_assignments
kernel void k(global int *p, global float *f) { int a = p[0]; a += 1; a -= 2; a *= 3; a /= 4; a %= 5; a <<= 1; a >>= 2; a &= 3; a |= 4; a ^= 5; p[0] = a; f[0] += a; f[1] *= 2; f[2] -= f[0]; f[3] /= 3; }
//# compound_assignments_of_vectors
kernel void k(global int4 *p, global float4 *f) { p[0] += p[1]; p[0] -= 2; p[0] *= p[1]; p[0] /= 3; p[0] %= p[2]; p[0] <<= p[1]; p[0] >>= 1; p[0] &= p[1]; p[0] |= 1; p[0] ^= p[3]; f[0] *= 2.0f; f[0] /= f[1]; }
//# compound_assignment_of_a_vector_with_a_narrow_scalar
kernel void k(global float4 *f, global uchar4 *u, int i, uchar c) { f[0] *= i; f[1] += c; u[0] += c; }
//# pointer_arithmetic
kernel void k(global int *p, int i, long l, uchar c) { global int *q = p + i; q = l + q; q -= 2; q += c; q++; --q; *q = q - p; p[0] = &p[5] - &p[2]; *(p + 1) = 2; 3[p] = 1; q = p - -1; }
_Static_assert(sizeof((char *)0 - (char *)0) == sizeof(ptrdiff_t), "");
//# precedence
_Static_assert(1 + 2 * 3 == 7 && (1 | 2 & 4) == 1 && (1 << 2 + 1) == 8 && !0 + 1 == 2 && -1 - -1 == 0 && (2 > 1 == 1) && (5 - 3 - 1 == 1) && 12 / 3 / 2 == 2, "");
//# assignment_of_structures
struct S { int a; float4 b; int c[3]; };
kernel void k(global struct S *p, local struct S *l) { struct S s = p[0], t; t = s; l[0] = t; p[1] = l[0]; p[2] = p[3] = t; }
//# literal_operands_of_every_operator
kernel void k(global int *p) { p[0] = 7 / 2 + 7 % 3 + (1 << 4) - (-8 >> 1) + (6 & 3) + (6 | 1) + (6 ^ 3) + (1 < 2) + (3 >= 4) + (1 == 1) + (2 != 2) + (1 && 0) + (0 || 1); }
