//# structures_of_vectors_and_arrays
typedef struct { float3 a; uchar b[3]; struct { half *h; double2 d[2]; } c; } __attribute__((aligned(64))) deep;
kernel void f(global deep *p, global int *q) { deep x = p[0]; x.c.d[1].y = x.a.z; p[1] = x; q[0] = sizeof(deep) + sizeof(x.c) + __builtin_offsetof(deep, c.d[1]); }
//# unions_of_vectors
typedef union { float16 v; float s[16]; struct { float4 a, b, c, d; } part; uint4 bits[4]; } matrix;
kernel void f(global float *p) { matrix m; m.v = vload16(0, p); m.s[3] += m.part.c.y; m.bits[1] ^= 0x80000000u; vstore16(m.v, 1, p); }
//# arrays_of_structures_of_arrays
struct cell { int v[2][3]; }; struct grid { struct cell c[4]; };
int at(struct grid g, int i) { return g.c[i].v[1][2]; }
kernel void f(global struct grid *g, global int *p) { struct grid a[2] = {{{{{{1, 2, 3}, {4, 5, 6}}}}}}; a[1] = g[0]; p[0] = at(a[p[1] & 1], p[2] & 3) + sizeof(a) / sizeof(a[0]); }
//# enumerations_as_types
typedef enum color { red = 1, green = red << 1, blue = green | red, dark = -1 } color;
color next(color c) { switch (c) { case red: return green; case green: return blue; default: return red; } }
kernel void f(global int *p, color c) { enum color d = next(c); color e[3] = {red, green, blue}; p[0] = d + e[d & 1] + (d == blue) + sizeof(color); d++; p[1] = d; }
//# bool_objects
struct flags { bool a, b; bool c[3]; };
kernel void f(global struct flags *p, global int *q) { bool x = q[0], y = 0.5f, z = q; x |= y; x = !x; x++; struct flags g = {x, true, {z}}; *p = g; q[1] = x + y + sizeof(g) + (g.a ? 2 : 3); bool *w = &y; *w = false; }
//# pointers_to_everything
struct s { int a[3]; float4 v; };
kernel void f(global struct s *p, local float2 *l) { global int (*row)[3] = &p->a; global float4 *v = &p[1].v; global struct s *global *none = 0; local float *half_ = (local float *)l + 1; int x = 3, *y = &x, **z = &y; (*row)[2] = **z; v->x = *half_; (*row)[1] = none == 0; const global int *const c = p[2].a; p->a[0] = c[1]; }
//# complicated_declarators
typedef int (row)[4]; typedef row *rows; typedef float (*matrix)[2][3]; int (one)(int (x)) { return (x); } int *(two)(int *x) { return x; } int (*three(int (*x)[4]))[4] { return x; }
kernel void f(global int *p) { row a = {1, 2}; rows b = &a; float m[2][3] = {{1}}; matrix c = &m; int ((x)) = 1, (*y) = &x, ((*(z))) = y; p[0] = (*b)[1] + (*c)[0][0] + one(*two(z)) + (*three(&a))[2]; }
//# qualifiers_everywhere
typedef const int ci; typedef volatile ci vci;
kernel void f(global const volatile int *const restrict p, const ci n, global int *q) { vci x = 3; const volatile int y = x + n; int const *volatile const z = (int const *)&y; q[0] = *p + *z + x; }
//# sizes_of_everything
struct s { char c; int i; };
_Static_assert(sizeof(struct s) == 8 && sizeof(struct s[3]) == 24 && sizeof(int (*)[3]) == sizeof(void *) && sizeof(char3) == 4 && sizeof(double16) == 128, "");
_Static_assert(sizeof("text") == 5 && sizeof('a') == 4 && sizeof(1.0f) == 4 && sizeof(1L) == 8 && sizeof((char)1 + (char)1) == 4 && sizeof((char2)1 + (char2)1) == 2, "");
kernel void f(global int *p) { int a[3]; p[0] = sizeof a + sizeof *p + sizeof(a[0]) + sizeof &a + sizeof(p[0]++); }
//# handles_in_conditions
kernel void f(global int *p, local int *l, constant int *c) { if (p && l && c) p[0] = !l ? 1 : c[0]; while (!p) p++; p[1] = p ? 1 : 0; for (; c; c = 0) p[2]++; }
