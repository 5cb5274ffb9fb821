//# unroll_hint options="-cl-std=CL2.0"
kernel void k(global int *p) {
    __attribute__((opencl_unroll_hint)) for (int i = 0; i < 4; i++) p[i] = i;
    __attribute__((opencl_unroll_hint(2))) for (int i = 0; i < 4; i++) p[i] = i;
    __attribute__((opencl_unroll_hint(1))) while (p[0]) p[0]--;
    __attribute__((opencl_unroll_hint(4))) do { p[1]--; } while (p[1]);
}
//# on_types
struct A { char a; int b; } __attribute__((packed));
struct __attribute__((packed, aligned(2))) B { char a; int b; };
union C { int a; char b[5]; } __attribute__((aligned(16)));
_Static_assert(sizeof(struct A) == 5 && sizeof(struct B) == 6 && sizeof(union C) == 16, "");
//# on_variables
kernel void k(global int *p) { __attribute__((aligned(8))) int a = 1; int b __attribute__((unused)), c __attribute__((aligned(16))) = 3; local int d[4] __attribute__((aligned(64))); d[0] = a + c; p[0] = d[0]; }
//# on_constants
constant int a[2] __attribute__((aligned(16))) = {1, 2};
kernel void k(global int *p) { p[0] = a[1]; }
//# on_members
struct S { char a __attribute__((aligned(4))), b; int c __attribute__((packed)); };
_Static_assert(sizeof(struct S) == 8, "");
//# endian
kernel void k(global int *p __attribute__((endian(host))), global float *q __attribute__((endian(device)))) { p[0] = q[0]; }
//# empty
__attribute__(()) int f(void) __attribute__((,)) ;
kernel void k(global int *p) { p[0] = 1; }
//# unknown
struct __attribute__((nonsense)) S { int a __attribute__((more_nonsense("text", 3))); };
int f(int a __attribute__((unused)), __attribute__((whatever)) int b) { return a + b; }
kernel void k(global int *p) { p[0] = f(1, 2); }
//# of_functions
__attribute__((always_inline)) int f(int x) { return x; }
__attribute__((noinline)) int g(int x) { return x; }
static inline __attribute__((always_inline, const)) int h(int x) { return x; }
int i(int x) __attribute__((pure));
int i(int x) { return x; }
kernel void k(global int *p) { p[0] = f(1) + g(2) + h(3) + i(4); }
//# on_statements
kernel void k(global int *p, int n) { switch (n) { case 1: p[0] = 1; __attribute__((fallthrough)); case 2: p[1] = 2; } }
//# between_the_parts
typedef struct __attribute__((packed)) { char a; int b; } first;
typedef struct { char a; int b; } __attribute__((packed)) second;
_Static_assert(sizeof(first) == 5 && sizeof(second) == 5, "");
//# conflicting_underscores
struct S { char a; int b; } __attribute__((__packed__, __aligned__(4)));
_Static_assert(sizeof(struct S) == 8, "");
