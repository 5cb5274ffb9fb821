//# locals_of_every_type options="-cl-std=CL1.2"
struct s { float3 a; int b; };
kernel void f(global float *p, local uchar4 *l) { local float a[4][4]; local struct s b[2], c; local int d, *local e; __local half *g; __local double4 h; a[0][1] = 1; b[1].b = 2; c = b[0]; d = 3; e = &d; h.x = *e; l->x = 1; p[0] = a[0][1] + b[1].a.y + h.w; }
//# constants_of_every_type options="-cl-std=CL1.2"
struct s { float a[2]; char b; }; constant struct s t[2] = {{{1, 2}, 'a'}, {{3}, 'b'}};
float get(constant struct s *p, constant float *q) { return p->a[1] + q[0]; }
kernel void f(global float *p, constant float4 *c, constant struct s *d) { constant int k[] = {1, 2, 3}; constant float *q = (constant float *)c; p[0] = get(t + 1, q) + get(d, d->a) + k[1] + c->z + t[0].b; }
//# generic_functions options="-cl-std=CL2.0"
int sum(const int *p, int n) { int s = 0; for (int i = 0; i < n; ++i) s += p[i]; return s; } void set(int *p, int v) { *p = v; } int *pick(int c, int *a, int *b) { return c ? a : b; }
kernel void f(global int *g, local int *l) { int x[2] = {1, 2}; set(g, sum(x, 2)); set(l, sum(g, 3)); set(x, sum(l, 1)); *pick(g[0], g, l) = *pick(l[0], x, x + 1); int *q = l; q = g; q = x; global int *back = to_global(pick(1, g, x)); if (back) back[1] = *q; }
//# address_space_functions options="-cl-std=CL2.0"
void use(int *p, global int *r) { r[0] = to_global(p) != 0; r[1] = to_local(p) != 0; r[2] = to_private(p) != 0; r[3] = get_fence(p) == CLK_LOCAL_MEM_FENCE; }
kernel void f(global int *g, local int *l) { int x; use(&x, g); use(g, g + 4); use(l, g + 8); }
//# program_variables options="-cl-std=CL2.0"
global int counter = 3; int plain[4] = {1, 2}; static global float4 v = (float4)(1, 2, 3, 4); constant int k = 5; struct s { int a; } object = {.a = 7}; global int *pointer = &counter; static int hidden; extern global int later; global int later = 1;
kernel void f(global int *p) { static int calls; static global int more = 2; static constant int fixed = 4; p[0] = counter++ + plain[1] + v.y + k + object.a + *pointer + hidden + later + calls++ + more + fixed; }
//# casts_between_spaces_and_generic options="-cl-std=CL3.0"
kernel void f(global int *g, local int *l) { generic int *p = g; int *q = (int *)l; p = q; g[0] = *(int *)g + *(local int *)q + *(const generic int *)p; }
//# parameters_of_every_space
void a(global int *p, local int *q, constant int *r, private int *s, const int *t) { *p = *q + *r + *s + *t; *s = 1; }
kernel void f(global int *p, local int *q, constant int *r) { int s = 1; a(p, q, r, &s, p); a(p + 1, q, r, &s, &s); }
//# volatile_objects
kernel void f(volatile global int *p, volatile local int *l, global int *q) { volatile int x = 1; x++; volatile float4 v = 2; v.x += 1; volatile struct { int a; } s = {1}; s.a = x; p[0] = x + (int)v.x + s.a; while (p[1] == 0) l[0]++; volatile global int *r = q; *r = l[0]; }
