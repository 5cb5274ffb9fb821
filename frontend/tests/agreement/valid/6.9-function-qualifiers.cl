//# kernels_return_nothing
__kernel void a(void) {}
kernel void b() {}
//# kernels_called_by_kernels
kernel void a(global int *p) { p[0] = 1; }
kernel void b(global int *p) { a(p); a(p + 1); }
//# kernels_called_by_functions
kernel void a(global int *p) { p[0] = 1; }
void f(global int *p) { a(p); }
kernel void b(global int *p) { f(p); }
//# required_work_group_size
__attribute__((reqd_work_group_size(8, 4, 1))) kernel void a(global int *p) { p[0] = 1; }
kernel __attribute__((reqd_work_group_size(64, 1, 1))) void b(global int *p) { p[0] = 1; }
//# work_group_size_hint
__attribute__((work_group_size_hint(16, 16, 1))) kernel void a(global int *p) { p[0] = 1; }
//# vec_type_hint
kernel __attribute__((vec_type_hint(float4))) void a(global float4 *p) { p[0] *= 2; }
kernel __attribute__((vec_type_hint(int))) void b(global int *p) { p[0] *= 2; }
//# several_attributes
__attribute__((reqd_work_group_size(8, 1, 1), vec_type_hint(int4))) kernel __attribute__((work_group_size_hint(8, 1, 1))) void a(global int4 *p) { p[0] = 1; }
//# prototypes_of_kernels
kernel void a(global int *p);
kernel void a(global int *p) { p[0] = 1; }
//# attributes_on_prototypes
kernel void a(global int *p) __attribute__((reqd_work_group_size(4, 1, 1)));
kernel void a(global int *p) { p[0] = 1; }
//# attributes_with_expressions
#define W 8
kernel __attribute__((reqd_work_group_size(W * 2, W, sizeof(int)))) void a(global int *p) { p[0] = 1; }
//# unknown_attributes_warn
__attribute__((something_unknown)) kernel void a(global int *p) { p[0] = 1; }
int x(void) __attribute__((another_unknown(1, 2)));
//# nosvm options="-cl-std=CL2.0"
kernel void a(global int *p, __attribute__((nosvm)) global int *q) { p[0] = q[0]; }
//# kernel_exec
kernel_exec(16, float4) void a(global float4 *p) { p[0] = 1; }
//# arguments_of_every_kind
kernel void k(global int *a, constant float4 *b, local uchar *c, int d, float3 e, ulong f, char2 g, read_only image2d_t h, sampler_t i, double j, short16 l, uint m) { a[0] = b[0].x + c[0] + d + e.z + f + g.y + j + l.sf + m; }
//# unnamed_parameters
void f(int, float *);
kernel void k(global int *p, int) { p[0] = 1; }
void f(int a, float *b) { *b = a; }
//# const_arguments
kernel void k(const global int *a, global int *const b, const int c, const float4 d, volatile global int *restrict e) { b[0] = a[0] + c + d.x + e[0]; }
//# arrays_as_parameters
kernel void k(global int p[], global int q[4], constant float c[]) { p[0] = q[1] + c[2]; }
int f(int a[3], int b[][2], int n) { return a[n] + b[1][n]; }
//# structures_with_everything_as_arguments
typedef struct { float3 a; char b; struct { long c; int d[2]; } e; float4 f[2]; } big;
kernel void k(big x, global big *p) { p[0] = x; p[1].e.d[1] = x.e.d[0] + x.b; }
//# unions_as_arguments
typedef union { int a; float b; uchar c[4]; } any;
kernel void k(any x, global int *p) { p[0] = x.c[1]; }
//# more_than_one_kernel
kernel void a(global int *p) { p[0] = 1; }
kernel void b(global float *p, int n) { p[n] = 1; }
kernel void c(local int *l, global int *p) { l[0] = 1; p[0] = l[0]; }
//# kernel_pointers_in_struct_parameter options="-cl-std=CL2.0"
struct s { global int *p; struct { constant float *q; } a[2]; };
kernel void f(struct s x) { x.p[0] = x.a[1].q[0]; }
