//# pointers_as_arguments_with_spaces
kernel void k(global int *a, constant int *b, local int *c) { a[0] = b[0] + c[0]; }
//# pointers_to_pointers_in_functions options="-cl-std=CL1.2"
void f(global int **p) { *p += 1; }
kernel void k(global int *a) { global int *q = a; f(&q); *q = 1; }
//# pointers_to_pointers_in_kernels options="-cl-std=CL2.0"
kernel void k(global int *a, global int *global *b) { *b[0] = a[0]; }
//# writes_to_bytes_and_shorts options="-cl-std=CL1.1"
kernel void k(global char *a, global short *b, global uchar *c, global ushort *d) { a[0] = 1; b[1] = 2; c[2] = 3; d[3]++; }
//# writes_to_bytes_with_the_extension options="-cl-std=CL1.0"
#pragma OPENCL EXTENSION cl_khr_byte_addressable_store : enable
kernel void k(global char *a) { a[0] = 1; a[1] += 2; }
//# structures_with_arrays_of_known_size
struct S { int a[4]; float b[2][2]; };
kernel void k(global struct S *p) { p->b[1][1] = p->a[3]; }
//# constant_sized_arrays
#define N 4
enum { M = 3 };
kernel void k(global int *p) { int a[N * M + 1], b[sizeof(int) * 2], c[M > 2 ? 1 : 2]; a[12] = 1; b[7] = 2; c[0] = 3; p[0] = a[12] + b[7] + c[0]; }
//# size_types_inside_functions
kernel void k(global int *p) { size_t a = get_global_id(0); ptrdiff_t b = &p[a] - p; uintptr_t c = (uintptr_t)p; p[a] = b + c; }
//# images_only_as_arguments
float4 f(read_only image2d_t i, sampler_t s) { return read_imagef(i, s, (float2)(0)); }
kernel void k(read_only image2d_t i, sampler_t s, global float4 *p) { p[0] = f(i, s); }
//# irreducible_without_goto
kernel void k(global int *p, int n) { for (int i = 0; i < n; i++) { if (p[i] > 3) continue; while (p[i]) { if (p[i] == 2) break; p[i]--; } } }
