//# recursion
int factorial(int n) { return n < 2 ? 1 : n * factorial(n - 1); }
kernel void f(global int *p) { p[0] = factorial(5); }
//# recursion_mutual
int odd(int n);
int even(int n) { return n == 0 ? 1 : odd(n - 1); }
int odd(int n) { return n == 0 ? 0 : even(n - 1); }
kernel void f(global int *p) { p[0] = even(5); }
//# function_pointer
kernel void f(void) { int (*g)(int); }
//# function_as_value
int g(int x) { return x; }
kernel void f(global ulong *p) { p[0] = (ulong)g; }
//# variable_length_array
kernel void f(int n) { float a[n]; }
//# flexible_array
struct s { int n; int a[]; };
//# bit_field
struct s { int a : 3; };
//# variadic
int g(int n, ...) { return n; }
//# auto
kernel void f(void) { auto int x = 1; }
//# register
kernel void f(void) { register int x = 1; }
//# thread_local
kernel void f(void) { _Thread_local int x = 1; }
//# long_double
kernel void f(void) { long double x = 1; }
//# complex
kernel void f(void) { float _Complex x; }
//# assembly
kernel void f(void) { asm("nop"); }
//# computed_goto
kernel void f(global int *p) { goto *p; }
//# restrict
kernel void f(int restrict x) { }
//# image_member
struct s { image2d_t i; };
//# sampler_pointer
kernel void f(global sampler_t *s) { }
//# malloc
kernel void f(void) { global int *p = malloc(4); }
//# cplusplus_class
class particle { float mass; };
kernel void f(global int *p) { p[0] = 1; }
//# cplusplus_template
template <typename T> T twice(T x) { return x + x; }
kernel void f(global int *p) { p[0] = 1; }
//# block_assigned options="-cl-std=CL2.0"
kernel void f(void) { void (^b)(void) = ^{ }; b = ^{ }; }
//# block_writes_captured options="-cl-std=CL2.0"
kernel void f(void) { int x = 1; void (^b)(void) = ^{ x = 2; }; }
//# block_as_parameter options="-cl-std=CL2.0"
int g(int (^b)(int), int x) { return b(x); }
//# block_captures_block options="-cl-std=CL2.0"
kernel void f(void) { void (^a)(void) = ^{ }; void (^b)(void) = ^{ a(); }; }
//# block_in_1_2 options="-cl-std=CL1.2"
kernel void f(void) { void (^b)(void) = ^{ }; }
//# block_results_differ options="-cl-std=CL2.0"
kernel void f(global int *p) { float (^b)(void) = ^{ if (p[0]) return 1.0f; return 2; }; }
