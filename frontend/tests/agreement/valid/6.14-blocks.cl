//# block_variable options="-cl-std=CL2.0"
kernel void k(global int *p) { int m = 7; int (^b)(int) = ^(int n) { return n * m; }; p[0] = b(3); }
//# block_declarations options="-cl-std=CL2.0"
kernel void k(global int *p) { void (^a)(void) = ^{ p[0] = 1; }; int (^b)(int, char) = ^(int x, char y) { return x + y; }; a(); p[1] = b(1, 2); }
//# block_typedef options="-cl-std=CL2.0"
typedef float (^B)(float, float);
kernel void k(global float *p) { B b = ^(float x, float y) { return x + y; }; const B c = b; private B d = c; p[0] = b(1, 2) + c(1, 2) + d(1, 2); }
//# block_with_result_type options="-cl-std=CL2.0"
kernel void k(global int *p) { int (^b)(int) = ^int(int x) { return x; }; long (^c)(void) = ^long(void) { return 1; }; void (^e)(void) = ^void(void) { }; int (^h)(void) = ^int { return 1; }; global int *(^i)(void) = ^global int *(void) { return p; }; float4 (^g)(float4) = ^float4(float4 x) { return x.wzyx; }; e(); p[0] = b(1) + c() + h() + i()[1] + g((float4)(1)).x; }
//# block_with_inferred_result options="-cl-std=CL2.0"
kernel void k(global int *p) { int (^a)(void) = ^{ if (p[0]) return 1; return 2; }; float (^b)(void) = ^{ return 1.0f; }; void (^c)(void) = ^{ return; }; char (^d)(void) = ^{ return (char)1; }; global int *(^e)(void) = ^{ return p; }; c(); p[0] = a() + b() + d() + *e(); }
//# block_called_at_once options="-cl-std=CL2.0"
kernel void k(global int *p) { p[0] = ^{ return 1; }(); p[1] = ^(int x) { return x + p[0]; }(3); (^{ p[2] = 1; })(); }
//# block_at_file_scope options="-cl-std=CL2.0"
int count = 0; int (^b)(void) = ^{ return count; }; global int (^c)(int) = ^(int x) { return x + count; }; static int (^d)(void) = ^{ return 1; }; typedef int (^T)(void); T e = d;
kernel void k(global int *p) { p[0] = b() + c(1) + d() + e(); }
//# block_static_in_function options="-cl-std=CL2.0"
kernel void k(global int *p) { static int (^s)(int) = ^(int x) { return x; }; p[1] = s(2); }
//# block_captures options="-cl-std=CL2.0"
struct v { int arr[2]; };
kernel void k(global int *p, local int *l, float4 v4, constant int *c) { struct v s = {{0, 1}}; int arr[2] = {0, 1}; int x = 1; void (^b)(void) = ^{ p[0] = s.arr[1] + arr[1] + v4.x + x + c[0]; l[0] = 1; }; x = 2; s.arr[1] = 8; b(); }
//# block_nested options="-cl-std=CL2.0"
kernel void k(global int *p) { int a = 1; void (^b)(void) = ^{ int c = 2; void (^d)(int) = ^(int e) { p[0] = a + c + e; }; d(3); }; b(); }
//# block_calls_block_at_file_scope options="-cl-std=CL2.0"
void (^b0)(global int *) = ^(global int *p) { p[0] = 1; };
kernel void k(global int *p) { void (^b1)(void) = ^{ b0(p); }; b1(); }
//# block_with_control_flow options="-cl-std=CL2.0"
kernel void k(global int *p) { void (^b)(void) = ^{ for (int i = 0; i < 3; ++i) { if (i) continue; break; } switch (p[1]) { case 1: break; } goto l; l: p[0] = 1; }; b(); }
//# block_in_scopes options="-cl-std=CL2.0"
void f(global int *p, int x) { if (x) { int (^b)(void) = ^{ return 1; }; p[0] = b(); } for (int i = 0; i < x; ++i) { int (^c)(void) = ^{ return i; }; p[i] = c(); } }
kernel void k(global int *p) { f(p, 3); }
//# block_array_parameter options="-cl-std=CL2.0"
kernel void k(global int *p) { int y[2]; void (^d)(int a[2]) = ^(int a[2]) { a[0] = 1; }; d(y); p[0] = y[0]; }
//# block_without_prototype options="-cl-std=CL2.0"
kernel void k(global int *p) { int (^a)() = ^{ return 1; }; int (^b)(void) = a; p[0] = a() + b(); }
//# block_captures_image_and_sampler options="-cl-std=CL2.0"
kernel void k(global int *p, read_only image2d_t i, sampler_t s) { void (^b)(void) = ^{ p[0] = read_imagei(i, s, (int2)(0, 0)).x; }; b(); }
//# block_evaluated_only options="-cl-std=CL2.0"
kernel void k(global int *p) { int (^b)(void) = ^{ return 1; }; (void)b; if (b) p[0] = 1; }
//# block_null options="-cl-std=CL2.0"
typedef int (^B)(void);
kernel void k(global int *p) { B a = 0; B b = NULL; p[0] = 1; }
//# block_const_integer_is_constant options="-cl-std=CL2.0"
kernel void k(global int *p) { const int n = 4; void (^b)(void) = ^{ int a[n]; a[0] = 1; p[0] = a[0]; }; b(); }
//# block_shadows options="-cl-std=CL2.0"
kernel void k(global int *p) { int x = 1; void (^b)(int) = ^(int x) { p[0] = x; { int x = 3; p[1] = x; } }; b(x); int y = 2; void (^c)(void) = ^{ int y = 5; p[2] = y; }; c(); }
//# block_of_three
kernel void k(global int *p) { int (^a)(void) = ^{ return 1; }; p[0] = a(); }
//# block_structures options="-cl-std=CL2.0"
struct s { int a, b; };
kernel void k(global int *p) { struct s v = {1, 2}; struct s (^b)(struct s) = ^(struct s w) { w.a += v.b; return w; }; struct s r = b(v); p[0] = r.a; }
//# block_converts_arguments options="-cl-std=CL2.0"
kernel void k(global float *p) { float (^b)(float, float4) = ^(float x, float4 y) { return x + y.x; }; p[0] = b(1, 2) + b('a', 3.0f); }
