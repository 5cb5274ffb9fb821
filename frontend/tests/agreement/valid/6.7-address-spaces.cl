//# pointers_to_each_space
kernel void k(global int *a, local int *b, constant int *c) { private int d = 1; private int *e = &d; global int *f = a; local int *g = b; constant int *h = c; *f = *g + *h + *e; }
//# unqualified_pointers_are_private_before_two options="-cl-std=CL1.2"
int f(int *p) { return *p; }
kernel void k(global int *a) { int x = 1; a[0] = f(&x); int *q = &x; private int *r = q; a[1] = *r; }
//# constants_at_file_scope
constant int a = 1; constant float b[3] = {1, 2, 3}; __constant char c = 'c';
kernel void k(global float *p) { p[0] = a + b[1] + c; }
//# const_is_no_address_space options="-cl-std=CL1.2"
constant const int a[2] = {1, 2}; const constant float b = 1;
kernel void k(global float *p) { p[0] = a[1] + b; }
//# constants_in_functions
kernel void k(global int *p) { constant int a[4] = {1, 2, 3, 4}; p[0] = a[p[1]]; }
//# address_of_constants
constant int a[3] = {1, 2, 3};
constant int *constant b = &a[1];
constant int *constant c[2] = {a, a + 2};
kernel void k(global int *p) { p[0] = *b + *c[1]; }
//# pointers_to_constants_as_arguments
int f(constant int *c, int i) { return c[i]; }
constant int table[2] = {5, 6};
kernel void k(global int *p, constant int *c) { p[0] = f(c, 0) + f(table, 1); constant int *q = p[0] ? c : table; p[1] = *q; }
//# locals_in_kernels
kernel void k(global int *p) { local int a; local float b[16]; __local int4 c[2][3]; a = 1; b[a] = 2; c[1][2].x = b[1]; p[0] = c[1][2].x; }
//# locals_of_structures_and_pointers
struct S { int a; float b[4]; };
kernel void k(global int *p) { local struct S s; local int *q = &s.a; local float *r = s.b; local struct S *t = &s; *q = 1; r[1] = 2; p[0] = t->a; }
//# several_locals_in_a_declaration
kernel void k(global int *p) { local int a, b[2], *c; c = &a; *c = 1; b[0] = *c; p[0] = b[0]; }
//# local_pointers_as_arguments
void f(local int *l, int i) { l[i] = i; }
kernel void k(local int *l, global int *p) { local int m[8]; f(l, 1); f(m, 2); local int *q = p[0] ? l : m; p[1] = q[1]; }
//# pointers_in_spaces
kernel void k(global int *p) { local int *private a; global int *local b; global int *const c = p; local int x; a = &x; b = p; *a = 1; *b = *a; *c = 2; }
//# private_is_the_default
kernel void k(global int *p) { private int a = 1; __private float b[2]; int *q = &a; b[0] = *q; p[0] = b[0]; }
//# pointers_to_pointers options="-cl-std=CL1.2"
kernel void k(global int *p, global int *q) { global int *a[2] = {p, q}; global int **b = a; *b[1] = 1; **b = 2; global int *private *c = &b[1]; **c = 3; }
//# pointers_to_spaces_in_structures
struct S { global int *a; local float *b; constant int *c; };
kernel void k(global int *p, local float *l, constant int *c) { struct S s = {p, l, c}; s.a[0] = s.b[1] + *s.c; }
//# typedefs_with_spaces
typedef global int *gptr; typedef local float lfloat; typedef constant int cint;
kernel void k(gptr p, local float *l, cint *c) { lfloat x[2]; x[0] = c[0]; p[0] = x[0]; lfloat *q = l; p[1] = *q; }
//# address_space_in_casts
kernel void k(global float *p, local int *l) { p[0] = *(global int *)p + *(local float *)l + ((constant int *)0 == 0); }
//# generic_pointers options="-cl-std=CL2.0"
int f(int *p) { return *p; }
kernel void k(global int *a, local int *b) { int x = 1; a[0] = f(a) + f(b) + f(&x); int *q = a; q = b; q = &x; *q = 2; generic int *r = q; *r = 3; }
//# generic_pointers_of_three
int f(int *p) { return *p; }
kernel void k(global int *a, local int *b) { int x = 1; a[0] = f(a) + f(b) + f(&x); int *q = a; q = b; *q = 2; }
//# generic_casts_back options="-cl-std=CL2.0"
kernel void k(global int *a) { int *q = a; global int *g = (global int *)q; *g = 1; local int *l = (local int *)q; private int *p = (private int *)q; a[1] = (l == 0) + (p == 0); }
//# generic_conditional options="-cl-std=CL2.0"
kernel void k(global int *a, local int *b, int c) { int x; int *q = c ? (int *)a : b; *q = 1; q = c ? &x : (int *)b; *(c ? q : b) = 2; }
//# generic_comparison options="-cl-std=CL2.0"
kernel void k(global int *a, local int *b) { int *q = a; a[0] = q == a; a[1] = (q != b) + (q < a); }
//# generic_in_structures options="-cl-std=CL2.0"
struct S { int *p; };
kernel void k(global int *a) { struct S s; s.p = a; *s.p = 1; }
//# const_generic options="-cl-std=CL2.0"
int f(const int *p) { return *p; }
kernel void k(global const int *a, local int *b, global int *c) { c[0] = f(a) + f(b); const volatile int *q = c; c[1] = *q; }
//# globals_at_file_scope options="-cl-std=CL2.0"
global int a; int b = 2; global float c[2] = {1, 2}; static int d = 3;
kernel void k(global int *p) { a = 1; b += a; c[0] = d; p[0] = b + c[0]; }
//# globals_at_file_scope_of_three
global int a; int b = 2; static global float c[2] = {1, 2};
kernel void k(global int *p) { a = 1; b += a; p[0] = b + c[0]; }
//# pointers_at_file_scope options="-cl-std=CL2.0"
global int x[4]; global int *global p = &x[1]; int *q = &x[2]; constant int *r;
kernel void k(global int *o) { *p = 1; o[0] = *q; p = x; }
//# statics_in_functions options="-cl-std=CL2.0"
int next(void) { static int count = 5; return count++; }
kernel void k(global int *p) { static global int calls; p[0] = next() + calls++; static constant int c = 3; p[1] = c; }
//# structures_at_file_scope options="-cl-std=CL2.0"
struct S { int a; float b[2]; } s = {1, {2, 3}}; global struct S t[2];
kernel void k(global int *p) { t[1] = s; p[0] = t[1].a; }
//# extern_globals options="-cl-std=CL2.0"
extern global int a; extern int b;
global int a = 1; int b = 2;
kernel void k(global int *p) { p[0] = a + b; }
//# null_of_every_space
kernel void k(global int *p, local int *l, constant int *c) { p[0] = (p == NULL) + (l == 0) + (c != NULL) + !l; }
//# volatile_and_const_pointees
kernel void k(global const int *a, volatile local int *b, const global int *const restrict c, global volatile int *d) { *b = *a + *c; *d = *b; }
//# address_of_parameters options="-cl-std=CL1.2"
kernel void k(global int *p, int x, float4 v) { int *q = &x; float4 *r = &v; private int **s = &q; **s = 2; r->x = 1; p[0] = x + v.x; }
//# space_after_the_type
kernel void k(int global *p, float __local *l, const int constant *c) { int local x; x = 1; p[0] = x + l[0] + *c; }
//# arrays_of_arrays_in_each_space
constant int c[2][2] = {{1, 2}, {3, 4}};
kernel void k(global int (*g)[3], local int (*l)[2]) { g[1][2] = c[1][0] + l[0][1]; global int *row = g[0]; row[1] = *c[1]; constant int (*q)[2] = c; row[2] = q[1][1]; }
//# generic_difference options="-cl-std=CL2.0"
kernel void k(global int *a) { int *q = a; a[0] = q - a; a[1] = a - q; const int *r = a; a[2] = r - q + (a + 1 - r); }
