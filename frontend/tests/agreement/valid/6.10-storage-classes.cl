//# static_functions
static int f(int x) { return x + 1; }
kernel void k(global int *p) { p[0] = f(1); }
//# extern_functions
extern int f(int x);
int f(int x) { return x; }
kernel void k(global int *p) { p[0] = f(1); }
//# static_constants
static constant int a = 3; constant static float b[2] = {1, 2};
kernel void k(global float *p) { p[0] = a + b[1]; }
//# static_constants_in_functions
kernel void k(global int *p) { static constant int a[3] = {1, 2, 3}; p[0] = a[p[1]]; }
//# extern_constants
extern constant int a;
constant int a = 3;
kernel void k(global int *p) { p[0] = a; }
//# extern_constants_that_are_not_used
extern constant int a[];
kernel void k(global int *p) { p[0] = 1; }
//# extern_functions_that_are_not_used
extern int f(float4 x); int g(int); float h(void);
kernel void k(global int *p) { p[0] = 1; }
//# extern_in_a_block
constant int a = 3;
kernel void k(global int *p) { extern constant int a; p[0] = a; }
//# typedef_is_a_storage_class
int typedef number; unsigned typedef long big;
kernel void k(global number *p) { big x = 1; p[0] = x; }
//# static_kernel_helpers_with_the_same_locals
static int f(void) { static constant int t = 1; return t; }
static int g(void) { static constant int t = 2; return t; }
kernel void k(global int *p) { p[0] = f() + g(); }
//# repeated_declarations
static int f(int); static int f(int x);
int g(void); int g(void); extern int g(void);
static int f(int x) { return g() + x; }
int g(void) { return 2; }
kernel void k(global int *p) { p[0] = f(1); }
