//# calls
int add(int a, int b) { return a + b; }
kernel void k(global int *p) { p[0] = add(1, add(2, 3)); p[1] = (add(1, 2), 3); }
//# postfix_chains
struct S { int a[2]; struct { int b; } c[2]; };
kernel void k(global struct S *p) { p[1].c[0].b = p->a[1]++; (&p[0])->c[1].b--; (*p).a[0] = (p + 1)->c->b; }
//# members_of_results
struct S { int a; float4 v; int b[3]; };
struct S f(void) { struct S s = {1}; return s; }
kernel void k(global int *p) { p[0] = f().a + f().v.y; p[1] = f().b[1]; }
//# compound_literals
struct S { int a, b; };
int sum(struct S s) { return s.a + s.b; }
kernel void k(global int *p) { p[0] = sum((struct S){1, 2}); struct S s = (struct S){.b = 3}; int *a = (int[]){1, 2, 3}; p[1] = a[1] + (int){4} + ((struct S){5, 6}).b; p[2] = *(&(int){7}) + s.b; }
//# compound_literals_of_vectors
kernel void k(global int4 *p) { p[0] = (int4){1, 2, 3, 4}; p[1] = ((int4[2]){{1, 2, 3, 4}, 5})[1]; }
//# compound_literals_as_targets
struct S { int a, b; };
kernel void k(global int *p) { struct S *q = &(struct S){1, 2}; q->a = 3; p[0] = q->a; (int){1} = 2; ((int[2]){1})[0] = 5; }
//# casts_and_parentheses
kernel void k(global int *p) { int a = 1; p[0] = (int)+1 + (int)-1 + (int)(a) - (a) + (int)!a + (int)~a + (int)sizeof(int) + -(int)1; }
//# sizeof_binds_tightly
_Static_assert(sizeof(int) * 2 == 8 && sizeof(char) + 1 == 2 && sizeof (int) - 1 == 3, "");
kernel void k(global int *p) { p[0] = sizeof(p)[0] + sizeof(int)*p[1]; }
//# sizeof_does_not_evaluate
kernel void k(global int *p) { int i = 0; p[0] = sizeof(i++) + sizeof(p[1]++) + sizeof(int[3]); p[1] = i; }
//# pointers_to_arrays
kernel void k(global int *p) { int a[3][4]; int (*r)[4] = a; int (*w)[3][4] = &a; r++; (*r)[2] = 1; r[0][1] = 2; (*w)[2][3] = 3; p[0] = a[1][2] + *(*(a + 1) + 1) + *a[2] + sizeof(*r) + sizeof(*w) + (r == &a[1]); }
//# pointer_differences
kernel void k(global int *p) { int a[3][4]; p[0] = &a[2] - &a[0]; p[1] = &a[1][3] - a[0]; float4 v[2]; p[2] = &v[1] - v; }
//# long_conditions
kernel void k(global int *p, int a, int b) { p[0] = a ? b ? 1 : 2 : b ? 3 : 4; p[1] = a || b && a | b ^ a & b == a < b << a + b * a; p[2] = (a, b) ? a++, b : 3; }
//# assignments_as_values
struct S { int a; };
kernel void k(global int *p) { struct S s, t = {1}; p[0] = (s = t).a; int a; if ((a = p[1])) p[2] = a; while ((a -= 1) > 0) ; p[3] = (a += 2, a); int b = (a = 3) * 2; p[4] = b; }
//# constant_expressions
enum { A = 3 * 4 - (5 > 4 ? 1 : 2), B = A << 2 | 1, C = sizeof(int) * B, D = (int)2.5f, E = 'a' % 7, F = -1 > 0u };
_Static_assert(A == 11 && B == 45 && C == 180 && D == 2 && E == 6 && F == 1, "");
