//# between_scalars
kernel void k(global int *p, float f, double d) { p[0] = (int)f + (uchar)d + (char)300 + (bool)f + (long)d + (short)f; p[1] = (unsigned char)-1 + (unsigned)f; }
_Static_assert((uchar)300 == 44 && (char)200 == -56 && (int)2.9f == 2 && (int)-2.9f == -2 && (ushort)-1 == 65535, "");
//# scalar_to_vector
kernel void k(global float4 *p, global uchar4 *q, int i, float f) { p[0] = (float4)i; p[1] = (float4)f; q[0] = (uchar4)i; q[1] = (uchar4)f; p[2] = (float4)(i > 2); }
//# bool_to_vector
kernel void k(global int4 *p, int i) { bool b = i; p[0] = (int4)b; p[1] = (int4)true; }
//# vector_to_the_same_vector
kernel void k(global float4 *p) { p[0] = (float4)p[1]; p[2] = (float4)(p[1] + p[3]); }
//# to_void
kernel void k(global float4 *p) { (void)p; (void)p[0]; (void)(p[0] + 1); (void)0; struct { int a; } s = {1}; (void)s; }
//# pointer_to_pointer
kernel void k(global float *p) { global int *i = (global int *)p; global uchar4 *c = (global uchar4 *)(p + 1); *i = 1; c->x = 2; global void *v = (global void *)p; *(global long *)v = 1; }
//# pointer_to_integer_and_back
kernel void k(global ulong *p) { size_t a = (size_t)p; uintptr_t b = (uintptr_t)(p + 1); p[0] = b - a; global int *q = (global int *)(a + 4); *q = 1; intptr_t c = (intptr_t)p; p[1] = c; }
//# null
kernel void k(global int *p) { p[0] = (global int *)0 == p; p[1] = p == (global void *)0; p[2] = (local int *)NULL == 0; }
//# removing_const
kernel void k(global const int *p) { global int *q = (global int *)p; *q = 1; *(global int *)&p[2] = 3; }
//# of_casts
kernel void k(global int *p, float f) { p[0] = (int)(uchar)(char)f; p[1] = (int)(long)p; }
//# enumerations
enum E { A, B, C };
kernel void k(global int *p, int i) { enum E e = (enum E)i; p[0] = (int)e + (enum E)2; p[1] = (uchar)B; }
//# address_of_a_cast_target
kernel void k(global float *p) { float f = p[0]; uint u = *(uint *)&f; p[1] = *(float *)&u; }
//# with_qualifiers
kernel void k(global int *p) { p[0] = (const int)1.5f + (volatile int)2; p[1] = *(volatile global int *)p; }
//# pointer_to_array
kernel void k(global int *p) { global int (*m)[4] = (global int (*)[4])p; m[1][2] = 3; int a[2][2]; int *q = (int *)a; q[3] = 1; p[0] = a[1][1]; }
//# array_to_pointer_of_another_type
kernel void k(global float *p) { uchar bytes[16]; float4 *v = (float4 *)bytes; uint *w = (uint *)bytes; w[0] = 1; p[0] = w[1]; (void)v; }
//# vector_pointer_to_scalar_pointer
kernel void k(global float4 *p, local int2 *l) { global float *f = (global float *)p; f[5] = ((local int *)l)[3]; }
//# pointer_to_pointer_levels
kernel void k(global int *p) { int x = 1; int *a = &x; int **b = &a; int ***c = &b; ***c = 2; p[0] = **(int **)b + x; }
