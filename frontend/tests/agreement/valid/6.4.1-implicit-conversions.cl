//# between_all_scalars
kernel void k(global int *p) {
    char a = 1.5f; uchar b = a; short c = b; ushort d = c; int e = d; uint f = e; long g = f; ulong h = g; float i = h; double j = i;
    bool l = j; a = l; b = j; c = i; d = h; e = g; f = 2.5; g = i; h = j; i = a; j = b; p[0] = a + b + c + d + e + f + g + h + i + j;
}
//# in_initialisers_arguments_results_and_assignments
float f(short s) { return s; }
uchar g(float x) { return x; }
kernel void k(global char *p) { p[0] = f(3.7f); p[1] = g(p[0]); int x = f(p[1]); p[2] = x; }
//# scalar_to_vector
kernel void k(global float4 *p, float s) { float4 v = s; p[0] = 1.0f; p[1] = s; p[2] = v; p[3] = 3; }
//# scalar_to_vector_in_arguments_and_results
float4 f(float4 v) { return 2.0f; }
kernel void k(global float4 *p, float s) { p[0] = f(s); p[1] = f(1.0f); }
//# scalar_beside_a_vector
kernel void k(global float4 *p, global int4 *q, int i, float f) { p[0] = p[1] * f; p[2] = f + p[1]; p[3] = p[0] * 2; q[0] = q[1] + i; q[1] = 1 - q[0]; q[2] = q[1] << 2; }
//# narrow_scalar_beside_a_vector
kernel void k(global float4 *p, global long4 *q, char c, short s, int i) { p[0] += c; p[1] = p[0] * s; p[2] = i + p[1]; q[0] = q[1] + i; q[1] *= c; }
//# constants_beside_vectors
kernel void k(global float4 *p, global uchar4 *q, global short2 *r) { p[0] = p[0] * 2.0f + 1; q[0] = q[1] + (uchar)1; r[0] = r[1] * (short)3; }
//# enumerations
enum E { A, B = 5 };
kernel void k(global int *p, int i) { enum E e = i; e = 3; p[0] = e + A; float f = e; p[1] = f; p[2] = e == B; }
//# null_pointers
kernel void k(global int *p) { global int *a = 0; local float *b = NULL; private char *c = (void *)0; constant int *d = 0; p[0] = (a == 0) + (b == NULL) + !c + (d != 0); a = NULL; }
//# void_pointers
void f(global void *p) { global int *q = p; *q = 1; }
kernel void k(global int *p, local float *l) { f(p); local void *v = l; local int *i = v; i[0] = 1; }
//# adding_qualifiers
int f(const int *p) { return *p; }
kernel void k(global int *p) { int a[2] = {1, 2}; const volatile int *q = a; p[0] = f(a) + *q; global const int *c = p; p[1] = *c; }
//# arrays_decay
int f(int *p, int n) { return p[n]; }
kernel void k(global int *p) { int a[4] = {0}; int (*row)[4] = &a; int *q = a; p[0] = f(a, 2) + *q + (*row)[1] + *a; }
//# pointers_warn_but_convert
kernel void k(global int *p) { global uint *q = (global uint *)p; *q = 1; }
//# bool_from_everything
bool f(float x) { return x; }
kernel void k(global int *p, global float *q) { bool a = q[0]; bool b = p; bool c = 'x'; p[0] = a + b + c + f(0.5f); }
//# bool_in_arithmetic
kernel void k(global int *p, float f) { bool b = f > 1; p[0] = b * 3 + (b << 2) + -b + ~b; float g = b; p[1] = g; p[2] = b + 0.5f; }
//# in_return_of_a_kernel
kernel void k(global int *p) { if (p[0]) return; p[1] = 2; return; }
//# integer_to_floating_vector_element
kernel void k(global float4 *p, int i) { p[0].x = i; p[0].y = 'a'; p[0].z = 3ul; p[0].w = i > 2; }
//# big_constants
kernel void k(global uchar *p, global long *q) { p[0] = 300; p[1] = -1; q[0] = 0xFFFFFFFFFFFFFFFF; q[1] = 1e10f; }
