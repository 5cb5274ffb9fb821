//# scopes_hide_names
int x(int a) { return a; } constant int n = 1;
kernel void f(global int *p) { int n = 2; { float n = 3.5f; { struct n { int n; } n = {4}; p[0] = n.n; } p[1] = n; } for (int n = 5; n < 6; n++) { int n = 7; p[2] = n; } { int f = n; int x = f; p[3] = x; } p[4] = x(n); }
//# names_of_different_kinds
struct t { int t; }; typedef struct t u; enum v { w };
int g(struct t t) { goto t; t: return t.t; }
kernel void f(global int *p) { u u = {1}; struct t t = {2}; enum v v = w; int w = v; p[0] = u.t + g(t) + w + sizeof(struct t); }
//# loops_of_every_form
kernel void f(global int *p, int n) { int i = 0; for (;;) { if (++i > n) break; if (i & 1) continue; p[i] = i; } while (i--) if (i == 3) break; else continue; do i++; while (i < 5); do { if (i == 7) continue; p[0]++; } while (++i < 9); for (i = 0; i < n; p[i++] = 0); while (n > 0) { n -= 2; for (int k = n; k; k /= 2) p[k]--; } }
//# switches_in_corners
kernel void f(global int *p, uchar c, long l) { switch (c) { case 'a' ... 'f': p[0] = 1; case 'z': { p[1] = 2; break; } default: ; } switch (l) { case 1L << 40: p[2] = 1; break; case -1: p[2] = 2; } switch (p[3]) case 1: p[4] = 1; switch (c + 1) { p[5] = 3; int k; case 0: k = 1; p[6] = k; } switch (3) { default: break; } switch (p[7]) {} }
//# labels_and_jumps
kernel void f(global int *p, int n) { int i = 0; again: if (i < n) { p[i++] = 1; goto again; } { goto inner; inner: ; } if (n) goto end; switch (n) { case 0: goto two; case 1: p[0] = 1; break; two: case 2: p[0] = 2; } end: return; }
//# functions_in_corners
static inline int a(void) { return 1; } int b(), c(int, float); inline static float d(const float x[4], int n) { return x[n]; } void e(int (*m)[3]) { (*m)[0] = 1; } int b(void) { return 2; } int c(int x, float y) { return x * y; } static struct { int q; } make_anonymous; 
kernel void f(global int *p) { float x[4] = {1, 2}; int m[2][3]; e(m + 1); p[0] = a() + b() + c(1, 2) + d(x, 1) + m[1][0]; }
//# initialisers_in_corners
struct s { int a; struct { float b[2]; char c; } d[2]; }; typedef struct { int x, y; } point; constant point table[] = {[2] = {.y = 1}, {3, 4}, [0].x = 5};
kernel void f(global int *p) { struct s v = {1, {{{2, 3}, 'a'}, {.c = 'b'}}}, w = {.d[1].b[1] = 4, 'c', .a = p[0]}; point q[] = {{1}, {}, {.y = p[1]}}; int m[][2] = {1, 2, 3}; char t[] = "ab" "cd", u[2] = "xy", z[5] = {"abc"}; float4 l[2] = {{1, 2, 3, 4}, 5}; p[0] = v.d[0].c + w.d[1].c + q[2].y + sizeof(m) + sizeof(t) + u[1] + z[4] + table[3].y + l[1].w; p[2] = ((point){.x = 1, .y = 2}).y + (int[]){1, 2, 3}[p[3] & 1] + *(int[2]){3}; }
//# constants_at_file_scope
#define SQUARE(x) ((x) * (x))
constant float pi = 3.14159f, two_pi = 2 * 3.14159f; constant int sizes[3] = {sizeof(float), sizeof(sizes), SQUARE(3)}; constant char text[] = "text"; constant char *constant names[] = {"a", "bc", 0}; constant float4 v = (float4)(1, 2, 3, 4) * 2.0f, w = {1, 2, 3, 4}; constant int *constant at = &sizes[1]; constant uint mask = ~0u >> 4 | 1 << 3; constant bool yes = 3 > 2 && !0; constant double e = 1 / 3.0; constant int choice = sizeof(int) == 4 ? 1 : 2;
kernel void f(global float *p) { p[0] = pi + two_pi + sizes[2] + text[1] + names[1][1] + v.y + w.z + *at + mask + yes + e + choice; }
//# restrict_and_const_parameters
void add(global float *restrict a, global const float *restrict b, const int n) { for (int i = 0; i < n; ++i) a[i] += b[i]; } float first(const float a[static 2], const float b[const]) { return a[0] + b[1]; }
kernel void f(global float *restrict p, global const float *restrict q, const int n) { add(p, q, n); float x[2] = {1, 2}; p[0] = first(x, x); }
//# macros_in_corners
#define STR(x) #x
#define XSTR(x) STR(x)
#define CAT(a, b) a##b
#define XCAT(a, b) CAT(a, b)
#define TYPE float
#define N 4
#define VEC XCAT(TYPE, N)
#define CALL(f, ...) f(__VA_ARGS__)
#define EMPTY
#define FOREACH(i, n) for (int i = 0; i < (n); ++i)
#define SWAP(T, a, b) do { T t_ = a; a = b; b = t_; } while (0)
constant char name[] = XSTR(VEC) "\n" STR("a" 'b' \n);
kernel void f(global VEC *p, global int *q) { VEC v = CALL(fma, p[0], p[1], p[2]) EMPTY; FOREACH(i, N) q[i] = i; SWAP(int, q[0], q[1]); if (q[2]) SWAP(VEC, p[0], p[1]); else p[0] = v; XCAT(vstore, N)(v, 0, (global TYPE *)p); q[3] = name[0] + __LINE__ + sizeof(__FILE__); }
//# conditions_in_corners
#if defined(A) || (defined B && B > 3) || !defined __OPENCL_C_VERSION__ && 1
#elif (1 ? 2 : 3) == 2 && -1 < 0 && 1u > 0 && ~0 == -1 && 'a' == 97 && (5 % 3 << 2) == 8 && UNKNOWN == 0 && true == true
#define GOOD 1
#endif
#ifndef GOOD
#error
#endif
#if 0
#if 1
junk ' " #
#else
#endif
#elif 1
kernel void f(global int *p) { p[0] = GOOD; }
#else
#error
#endif
#undef UNKNOWN
#undef GOOD
#ifdef GOOD
#error
#endif
//# attributes_in_corners
typedef struct __attribute__((packed)) { char a; int b; } packed; struct __attribute__((aligned(32))) big { float x; }; int helper(int x) __attribute__((const, always_inline)); int helper(int x) { return x; } __attribute__((noinline)) static int other(int x) { return x + 1; }
__attribute__((reqd_work_group_size(8, 1, 1))) __attribute__((vec_type_hint(float4))) kernel void f(global packed *p, global struct big *b) { __attribute__((aligned(16))) int a[4] = {1}; int u __attribute__((unused)); p[0].b = helper(a[0]) + other(2); b->x = sizeof(struct big); }
//# unrolled_loops
kernel void f(global int *p, int n) { __attribute__((opencl_unroll_hint(4))) for (int i = 0; i < n; ++i) p[i] = i; __attribute__((opencl_unroll_hint)) while (n--) p[n]++; __attribute__((opencl_unroll_hint(1))) do p[0]++; while (p[0] < 9); 
#pragma unroll
for (int i = 0; i < 4; ++i) p[i]--; 
#pragma unroll 2
for (int i = 0; i < 4; ++i) p[i]--; }
//# kernels_in_corners
void kernel a(global int *p); kernel void a(global int *p) { p[0] = 1; } __kernel void b(__global int *p) { a(p); } void __kernel c(void) { } kernel void d(global int *p, int3 v, uchar c) { p[0] = v.z + c; }
