//# names_with_underscores
__kernel void k(__global int *p, __constant int *c, __local int *l) { __private int x = c[0]; p[0] = x + l[0]; }
//# names_without_underscores
kernel void k(global int *p, constant int *c, local int *l) { private int x = c[0]; p[0] = x + l[0]; }
//# access_qualifiers_with_underscores options="-cl-std=CL1.2"
__kernel void k(__read_only image2d_t a, __write_only image2d_t b) {}
//# attribute_spellings
struct __attribute__((__packed__)) S { char a; int b; };
_Static_assert(sizeof(struct S) == 5, "");
//# inline_spellings
inline int f(void) { return 1; }
static inline int g(void) { return 2; }
static __inline int h(void) { return 3; }
static __inline__ int i(void) { return 3; }
kernel void k(global int *p) { p[0] = g() + h() + i(); }
//# restrict_spellings
kernel void k(global int *restrict a, global int *__restrict b, global int *__restrict__ c) { *a = *b + *c; }
//# volatile_and_const_spellings
kernel void k(global const int *a, global __const int *b, global volatile int *c, __volatile global int *d) { *c = *a + *b + *d; }
//# signed_spellings
kernel void k(global int *p) { __signed int a = 1; signed b = 2; __signed__ char c = 3; p[0] = a + b + c; }
//# typeof_spellings
kernel void k(global int *p) { int x; __typeof__(x) a = 1; __typeof__(x + 1L) c = 2; x = c; __typeof(int) b = 2; p[0] = a + b; }
//# aligned_access_through_a_union
union U { float f; uint u; uchar4 c; };
kernel void k(global uint *p, float x) { union U u; u.f = x; p[0] = u.u + u.c.w; }
//# new_words_are_names_before_two options="-cl-std=CL1.2"
kernel void k(global int *p) { int pipe = 1; p[0] = pipe; }
//# words_of_cplusplus_are_names
kernel void k(global int *p) { int class = 1, template = 2, this = 3, new = 4, namespace = 5, operator = 6; p[0] = class + template + this + new + namespace + operator; }
//# bool_true_false_are_there
kernel void k(global int *p) { p[0] = true ? false : true; }
//# extension_keyword
__extension__ typedef int number;
kernel void k(global int *p) { __extension__ number x = 1; p[0] = __extension__ x; }
