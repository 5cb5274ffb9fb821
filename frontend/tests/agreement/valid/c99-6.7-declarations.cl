//# declarators
kernel void k(global int *p) { int a, *b, **c, d[2], *e[3], (*f)[4], (g), *(h), (*(i[2])), ((j))[2]; b = &a; c = &b; e[0] = d; f = 0; **c = 1; i[0] = &a; j[0] = g = 2; h = i[0]; p[0] = *b + *h + (f == 0) + j[0]; }
//# typedefs
typedef int I, *P, A[3], (*PA)[3]; typedef struct S S; struct S { I a; P p; S *next; }; typedef I J;
kernel void k(global I *p) { A a = {1, 2, 3}; PA b = &a; P c = a; S s = {1, c, 0}; s.next = &s; p[0] = (*b)[1] + *s.next->p; J j = 1; p[1] = j; }
//# repeated_typedefs
typedef int T; typedef int T; typedef float4 V; typedef V V;
kernel void k(global T *p) { p[0] = 1; }
//# typedef_names_are_shadowed
typedef int T; typedef float F;
kernel void k(global T *p) { T T = 1; p[0] = T * 2; { int F = 3; p[1] = F; } F f = 1; p[2] = f; for (int F = 0; F < 2; F++) p[F] = F; }
//# typedef_names_as_members_and_labels
typedef int T;
struct S { int T; T x; };
kernel void k(global int *p) { struct S s; s.T = 1; s.x = 2; p[0] = s.T; }
//# typedef_names_as_parameters
typedef int T;
int f(T T) { return T; } int h(T);
kernel void k(global int *p) { p[0] = f(1); }
//# tags_and_names_are_apart
struct a { int a; }; enum b { c }; union d { int d; };
kernel void k(global int *p) { struct a a = {1}; int b = a.a; int d = 2; union d e; e.d = d; p[0] = b + e.d; }
//# tags_have_scopes
struct S { int a; };
kernel void k(global int *p) { struct S s = {1}; struct S { char b[3]; } t = {{1}}; { struct S; struct S *q = 0; struct S { long c; }; p[1] = sizeof(struct S) + sizeof(*q); } p[0] = s.a + sizeof(t); }
//# incomplete_structures
struct T; struct T *f(struct T *t) { return t; }
struct T { int a; struct T *next; };
kernel void k(global int *p) { struct T t = {1, 0}; p[0] = f(&t)->a; }
//# structures_that_know_each_other
struct B; struct A { struct B *b; int x; }; struct B { struct A *a; };
kernel void k(global int *p) { struct A a; struct B b; a.b = &b; b.a = &a; a.x = 1; p[0] = a.b->a->x; }
//# declared_in_place
constant struct { int a; } s = {1}; constant enum { X, Y } e = Y; constant struct U { int b; } t[2] = {{1}, {2}};
kernel void k(global int *p) { struct { int x; } a = {1}, b = {2}; union { int i; float f; } u; u.i = 1; p[0] = a.x + b.x + u.i + s.a + e + t[1].b; }
//# anonymous_members
struct S { int a; union { int b; float c; struct { short d, e; }; }; struct { int f; }; };
_Static_assert(sizeof(struct S) == 12, "");
kernel void k(global struct S *p) { struct S s = {1, {2}, {3}}; s.b = 4; s.d = 5; p[0] = s; p->f = p->e; }
//# anonymous_members_by_name
struct S { int a; union { int b; float c; }; };
kernel void k(global int *p) { struct S s = {.c = 1.0f, .a = 2}; p[0] = s.b; }
//# enumerations
enum E { A, B = 5, C, D = -1, E = A + 3, F = 'x', }; enum { G = 1 << 20 }; typedef enum { H, I } named; enum E2 { J };
_Static_assert(A == 0 && C == 6 && D == -1 && E == 3 && sizeof(enum E) == 4 && sizeof(A) == 4, "");
kernel void k(global int *p) { enum E e = C; named n = I; enum E2 f = J; p[0] = e + n + f + G; switch (e) { case A: p[1] = 1; break; case B: p[1] = 2; break; default: break; } }
//# enumerations_in_blocks
kernel void k(global int *p) { enum { A = 3, B }; int a[A]; a[0] = B; { enum { A = 7 }; p[1] = A; } p[0] = a[0] + sizeof a; }
//# enumeration_declared_in_a_parameter_or_cast
kernel void k(global int *p) { p[0] = sizeof(enum { Q = 3 }); p[1] = Q; p[2] = (enum { R = 4 })p[0] + R; }
//# functions
int f(void), g(int), *h(int *); int f(void) { return 1; } int g(int a) { return a; } int *h(int *p) { return p; }
kernel void k(global int *p) { int x = 1; p[0] = f() + g(2) + *h(&x); }
//# function_parameters_adjust
int f(int a[], int b[4], int c[const 2], int d[static 3], int e[][3], int (*g)[3]) { return a[0] + b[1] + c[1] + d[2] + e[1][2] + g[0][1]; }
kernel void k(global int *p) { int a[4] = {1, 2, 3, 4}, b[2][3] = {{1}}; p[0] = f(a, a, a, a, b, b); }
//# parameters_with_restrict
void f(int *restrict a, const int *restrict b, int n) { for (int i = 0; i < n; i++) a[i] = b[i]; }
kernel void k(global int *restrict p, global const int *restrict q) { int a[2], b[2] = {1, 2}; f(a, b, 2); p[0] = q[0] + a[1]; }
//# const_and_volatile
kernel void k(global int *p) { const int a = 1; volatile int b = a; const volatile int c = b; int const *d = &a; int *const e = (int *)d; const int *const *f = &d; p[0] = b + c + *d + *e + **f; }
//# qualified_arrays
typedef int A[3]; typedef const A CA;
kernel void k(global int *p) { const A a = {1, 2, 3}; CA b = {4}; const int *q = a; p[0] = q[1] + b[0]; }
//# inline_functions
static inline int f(int x) { return x * 2; }
inline static float4 g(float4 v) { return v; }
kernel void k(global int *p) { p[0] = f(1) + g((float4)(2)).x; }
//# declaration_orders
const static constant int a = 1; int constant static const b = 2; unsigned const constant long c = 3;
kernel void k(global int *p) { p[0] = a + b + c; }
//# empty_declarations
;
struct S { int a; };
;
kernel void k(global int *p) { ; ; p[0] = 1; ; };
//# declarations_anywhere
kernel void k(global int *p) { p[0] = 1; int a = 2; p[1] = a; { int a = 3; p[2] = a; } float b = a; if (b > 1) { int a = 4; p[3] = a; } for (int a = 0; a < 2; a++) { int a = 5; p[a] = a; } }
//# names_in_their_own_initialiser
kernel void k(global int *p) { int x = sizeof(x); int a[2] = {sizeof a, sizeof a[0]}; p[0] = x + a[0]; }
//# static_assertions
_Static_assert(1, "one"); _Static_assert(sizeof(int) == 4, "int" " is four");
kernel void k(global int *p) { _Static_assert(sizeof(p[0]) == 4, ""); p[0] = 1; }
//# static_assertion_without_a_message
_Static_assert(1);
kernel void k(global int *p) { p[0] = 1; }
//# many_dimensions
kernel void k(global int *p) { int a[2][3][4] = {{{1, 2}, {3}}, {{4}}}; a[1][2][3] = a[0][1][0]; int (*b)[3][4] = a; int (*c)[4] = a[1]; int *d = a[1][2]; p[0] = b[1][2][3] + c[2][3] + d[3] + sizeof(a[0]) + sizeof(a[0][0]); }
//# array_lengths_from_initialisers
constant int a[] = {1, 2, 3}; constant int b[][2] = {{1}, {2, 3}, {4}}; constant float4 c[] = {(float4)(1), (float4)(2)};
_Static_assert(sizeof(a) == 12 && sizeof(b) == 24 && sizeof(c) == 32, "");
kernel void k(global int *p) { int d[] = {1, 2, [5] = 3}; p[0] = sizeof d + a[0] + b[1][1] + c[1].x; }
//# flexible_names
kernel void k(global int *p) { int main = 1, printf_ = 2, std = 3, input = 4, output = 5, sampler = 6, image = 7; p[0] = main + printf_ + std + input + output + sampler + image; }
//# builtin_names_are_shadowed
kernel void k(global int *p) { int min = 1, dot = 2, length = 3; p[0] = min + dot + length; int x = max(1, 2); p[1] = x; }
//# functions_may_return_structures_and_vectors
struct S { int a[3]; float4 v; }; union U { int i; float f; };
struct S f(int x) { struct S s = {{x, 2}, (float4)(3)}; return s; } union U g(void) { return (union U){.f = 1}; } float3 h(float3 v) { return v.zyx; }
kernel void k(global int *p) { struct S s = f(1); p[0] = s.a[1] + g().i + h((float3)(1, 2, 3)).x; }
//# extern_of_an_incomplete_structure
extern constant struct S x; constant struct S *f(void) { return &x; }
struct S { int a; }; constant struct S x = {3};
kernel void k(global int *p) { extern constant struct S x; p[0] = f()->a + (&x == f()); }
//# extern_of_a_structure_that_is_never_complete
extern constant struct S x; typedef struct T T; extern global T y;
kernel void k(global int *p) { p[0] = 1; }
//# tentative_definitions_of_incomplete_types
global struct S x; static global struct S y; global int a[], b[]; static global int c[];
struct S { int a; };
global int b[4]; static global int c[3];
kernel void k(global int *p) { x.a = y.a = 1; a[0] = b[3] = c[2]; p[0] = sizeof(b) + sizeof(c); }
//# an_array_gets_the_length_of_its_definition
extern constant int a[]; constant int a[4] = {1, 2};
_Static_assert(sizeof(a) == 16, "");
kernel void k(global int *p) { p[0] = a[3]; }
//# functions_declared_with_incomplete_types
struct S; struct S f(struct S s, struct S); struct S g(void); typedef struct S F(struct S);
struct S { int a; }; struct S f(struct S s, struct S t) { s.a += t.a; return s; }
kernel void k(global int *p) { struct S s = {1}; p[0] = f(s, s).a; }
//# types_of_results_have_file_scope
struct S f(void); struct T { int b; } g(void) { struct T t = {2}; return t; } enum E { A = 3 } h(void) { return A; }
struct S { int a; }; struct S f(void) { struct S s = {1}; return s; }
kernel void k(global int *p) { struct T t = g(); enum E e = h(); p[0] = f().a + t.b + e + A; }
//# extern_in_a_function_of_what_follows
kernel void k(global int *p) { extern constant int n; p[0] = n; }
kernel void l(global int *p) { extern constant int n; p[0] = n; }
constant int n = 4;
//# functions_declared_in_blocks
int x(void); int y(int);
kernel void k(global int *p) { int x = 3, z; { int x(void), y(int); int x(void); p[0] = x() + y(1); } p[1] = x; int y(int); p[2] = y(2); }
int x(void) { return 3; } int y(int a) { return a; }
