//# object_macros
#define A 1
#define B A + A
#define EMPTY
_Static_assert(B == 2 EMPTY, "");
#undef A
#define A 2
_Static_assert(B == 4, "");
//# function_macros
#define MAX(a, b) ((a) > (b) ? (a) : (b))
#define NONE() 3
#define TWICE(x) x x
#define ID(x) x
_Static_assert(MAX(1, MAX(2, 3)) == 3 && NONE() == 3 && NONE ( ) == 3 && ID(ID(5)) == 5, "");
kernel void k(global int *p) { TWICE(p[0]++;) int ID = 1; p[1] = ID; }
//# joining_and_naming
#define JOIN(a, b) a##b
#define TEXT(x) #x
#define TEXT2(x) TEXT(x)
#define N 3
_Static_assert(JOIN(1, 2) == 12 && sizeof(TEXT(a b)) == 4 && sizeof(TEXT2(N)) == 2 && sizeof(TEXT("q\n")) == 6, "");
kernel void k(global int *p) { int JOIN(x, 1) = 1; JOIN(float, 4) v = 0; p[0] = x1 + v.x; p[1] JOIN(+, =) 2; }
//# variable_arguments
#define F(...) f(__VA_ARGS__)
#define G(a, ...) f(a, ##__VA_ARGS__)
#define H(a...) f(a)
int f(int a, int b) { return a + b; }
kernel void k(global int *p) { p[0] = F(1, 2) + G(3, 4) + H(5, 6); }
//# conditions
#if 1 + 1 == 2 && defined(__OPENCL_C_VERSION__) && !defined NOPE && (3 > 2 ? 1 : 0) && 'a' == 97 && NOPE == 0 && -1 < 0 && ~0 == -1
#elif 1 / 0
#error not here
#else
#error not here
#endif
#ifdef NOPE
#error no
#elif defined(NOPE2) || 0
#error no
#else
kernel void k(global int *p) { p[0] = 1; }
#endif
//# unsigned_and_large_conditions
#if -1 > 0u && (1 << 31) > 0 && 2147483648 > 0 && 0x7fffffffffffffff > 0
#else
#error wrong
#endif
//# skipped_groups
#if 0
this is ' not a token "
#if 1
#error not here
#else
#endif
#include "nowhere"
#elif 0
#else
kernel void k(global int *p) { p[0] = 1; }
#endif
//# null_directives
#
# /* nothing */
  #  define  A  1
#ifndef A
#endif
_Static_assert(A, "");
//# recursion_stops
#define f(x) f(x + 1)
#define g g
#define a b
#define b a
int (f)(int x) { return x; }
kernel void k(global int *p) { int g = 1; int a = 2; p[0] = f(1) + g + a; }
#undef a
//# lines
#line 10
_Static_assert(__LINE__ == 10, "");
#define L 20
#line L
_Static_assert(__LINE__ == 20, "");
# 30 "file.cl"
_Static_assert(__LINE__ == 30, "");
//# macros_over_lines
#define LONG(a, \
             b) \
    a + \
    b
_Static_assert(LONG(1,
                    2) == 3, "");
//# rescanning
#define CALL(f, x) f(x)
#define INC(x) ((x) + 1)
#define LATER INC
_Static_assert(CALL(INC, 2) == 3 && LATER(4) == 5, "");
//# same_definition_twice
#define A 1 + 2
#define A 1  +  2
#define F(x) x
#define F(x) x
_Static_assert(A == 3 && F(1), "");
//# predefined
constant char *constant d = __DATE__; constant char *constant f = __FILE__;
_Static_assert(sizeof(__DATE__) == 12 && sizeof(__TIME__) == 9 && __LINE__ == 3 && __STDC_VERSION__ == 199901L, "");
//# counters
#define UNIQUE2(a, b) a##b
#define UNIQUE1(a, b) UNIQUE2(a, b)
#define UNIQUE(a) UNIQUE1(a, __COUNTER__)
kernel void k(global int *p) { int UNIQUE(x) = 1; int UNIQUE(x) = 2; p[0] = x0 + x1; }
//# warnings
#warning a warning
kernel void k(global int *p) { p[0] = 1; }
//# empty_arguments
#define F(a, b) 1 a + b 2
#define G(x) #x
_Static_assert(F(,) == 3 && F(+ 3,) == 6 && sizeof(G()) == 1, "");
//# name_before_a_parenthesis_on_the_next_line
#define F(x) x
_Static_assert(F
    (3) == 3, "");
//# pragma_in_macro
#define P(x) _Pragma(#x)
P(OPENCL FP_CONTRACT OFF)
kernel void k(global int *p) { p[0] = 1; }
