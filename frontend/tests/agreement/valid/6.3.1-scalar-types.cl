//# sizes_of_integers
_Static_assert(sizeof(char) == 1 && sizeof(uchar) == 1 && sizeof(short) == 2 && sizeof(ushort) == 2, "");
_Static_assert(sizeof(int) == 4 && sizeof(uint) == 4 && sizeof(long) == 8 && sizeof(ulong) == 8, "");
kernel void k(global int *out) {
    char a[sizeof(char) == 1 ? 1 : -1]; uchar b[sizeof(uchar) == 1 ? 1 : -1];
    out[0] = sizeof(a) + sizeof(b);
}
//# sizes_of_floats
_Static_assert(sizeof(half) == 2 && sizeof(float) == 4 && sizeof(double) == 8, "sizes");
//# size_of_bool
_Static_assert(sizeof(bool) == 1 && sizeof(_Bool) == 1, "bool");
//# size_t_is_unsigned_and_as_wide_as_a_pointer
_Static_assert(sizeof(size_t) == sizeof(void *) && (size_t)-1 > 0, "size_t");
_Static_assert(sizeof(ptrdiff_t) == sizeof(void *) && (ptrdiff_t)-1 < 0, "ptrdiff_t");
_Static_assert(sizeof(intptr_t) == sizeof(void *) && (intptr_t)-1 < 0, "intptr_t");
_Static_assert(sizeof(uintptr_t) == sizeof(void *) && (uintptr_t)-1 > 0, "uintptr_t");
//# char_is_signed
_Static_assert((char)-1 < 0 && (uchar)-1 > 0 && (signed char)-1 < 0, "char");
//# names_of_unsigned_types
kernel void k(global unsigned *p) {
    unsigned char a = 1; unsigned short b = 2; unsigned int c = 3; unsigned long d = 4; unsigned e = 5;
    uchar *pa = &a; ushort *pb = &b; uint *pc = &c; ulong *pd = &d; uint *pe = &e;
    p[0] = *pa + *pb + *pc + *pd + *pe;
}
//# words_of_types_in_any_order
int long unsigned a(void) { return 1; }
short signed int b(void) { return 2; }
kernel void k(global ulong *p) { unsigned long int *q = 0; int short signed s = b(); p[0] = a() + s + (q == 0); }
//# qualifiers_between_words
kernel void k(global int *p) { long const unsigned x = 1; int volatile const y = 2; p[0] = x + y; }
//# bool_is_zero_or_one
kernel void k(global int *p) { bool b = 42; p[0] = b + (bool)0.5f + true + false; }
_Static_assert((bool)42 == 1 && (bool)0.25f == 1 && !(bool)0, "bool");
//# bool_of_a_pointer
kernel void k(global int *p) { bool b = p; p[0] = b; if (p) p[1] = 1; p[2] = !p; p[3] = p && b; }
//# void_functions
void nothing(void) {}
void less(int x) { (void)x; return; }
kernel void k(global int *p) { nothing(); less(p[0]); (void)0; (void)p; }
//# half_behind_a_pointer options="-cl-std=CL1.2"
float first(global half *h) { return vload_half(0, h); }
kernel void k(global half *h, global float *f) { f[0] = first(h + 1); vstore_half(f[1], 2, h); }
//# half_arithmetic options="-cl-std=CL1.2"
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
kernel void k(global half *h) { half x = h[0]; half4 y = (half4)(x, x * 2, 3.0h, 4); h[1] = x + y.z; }
//# half_literals
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
kernel void k(global half *h) { h[0] = 1.5h; h[1] = 2.h + .5H; h[2] = 1e2h; }
_Static_assert(sizeof(1.0h) == 2, "");
//# double_literals options="-cl-std=CL1.2"
kernel void k(global double *d) { d[0] = 1.5; d[1] = 2. + .5 + 1e2; d[2] = 0x1.8p3; }
_Static_assert(sizeof(1.0) == 8 && sizeof(1.0f) == 4, "");
//# double_literals_become_single options="-cl-std=CL1.2 -cl-single-precision-constant"
_Static_assert(sizeof(1.0) == 4, "");
kernel void k(global float *f) { f[0] = 1.5; f[1] = 2. * f[2]; }
//# atomic_types options="-cl-std=CL2.0"
kernel void k(global atomic_int *a, global atomic_uint *b, global atomic_flag *c, global atomic_float *d) {}
kernel void l(global atomic_long *a, global atomic_ulong *b, global atomic_double *c, global atomic_size_t *d) {}
_Static_assert(sizeof(atomic_int) == 4 && sizeof(atomic_long) == 8 && sizeof(atomic_float) == 4, "");
//# pointer_sized_atomics options="-cl-std=CL2.0"
kernel void k(global atomic_intptr_t *a, global atomic_uintptr_t *b, global atomic_ptrdiff_t *c) {}
_Static_assert(sizeof(atomic_intptr_t) == sizeof(void *) && sizeof(atomic_size_t) == sizeof(size_t), "");
//# atomics_in_structures options="-cl-std=CL2.0"
struct S { int a; atomic_int b; atomic_float c[2]; };
_Static_assert(sizeof(struct S) == 16, "");
kernel void k(global struct S *p) { volatile global atomic_int *q = &p->b; p[1].a = q != 0; }
//# atomics_at_file_scope options="-cl-std=CL2.0"
global atomic_int a = ATOMIC_VAR_INIT(3); global atomic_flag f = ATOMIC_FLAG_INIT; atomic_uint b;
kernel void k(global int *p) { p[0] = &a == 0; }
//# atomics_are_local_and_pointed_to options="-cl-std=CL2.0"
void f(volatile atomic_int *p);
kernel void k(global int *p) { local atomic_int a; volatile local atomic_int *q = &a; global atomic_int *r = (global atomic_int *)p; p[0] = q == 0; }
//# enumerations_of_atomics
kernel void k(global int *p) { memory_order o = memory_order_relaxed; memory_scope s = memory_scope_work_group; p[0] = o + s; }
//# flags_of_fences
kernel void k(global int *p) { cl_mem_fence_flags f = CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE; p[0] = f; }
