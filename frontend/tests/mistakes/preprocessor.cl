//# missing_endif
#ifdef USE_HALF
kernel void f(void) { }
//# else_twice
#if 1
#else
#else
#endif
//# unknown_directive
#inlcude "x.h"
//# header_missing
#include "config.h"
//# header_of_c
#include <stdio.h>
//# error
#error this needs a wider vector
//# macro_arguments
#define SQUARE(x) ((x) * (x))
constant int a = SQUARE(1, 2);
//# macro_unclosed
#define SQUARE(x) ((x) * (x))
constant int a = SQUARE(1;
//# expansion
#define INNER(x) (x + undefined_name)
#define OUTER(x) INNER(x) * 2
kernel void f(global int *p) { p[0] = OUTER(p[1]); }
//# expansion_of_operand
#define ADD(a, b) ((a) + (b))
kernel void f(global float4 *p, int4 v) { p[0] = ADD(p[1], v); }
//# paste
#define CAT(a, b) a ## b
constant int a = CAT(+, /) 1;
//# unclosed_string
kernel void f(void) {
    printf("value);
}
//# unclosed_comment
kernel void f(void) { } /* the end
//# unexpected_character
kernel void f(global int *p) { p[0] = 1 ` 2; }
//# include_not_closed
#include <header.h
//# has_include_without_name
#if __has_include(header.h)
#endif
//# va_opt_not_closed
#define F(a, ...) a __VA_OPT__(, __VA_ARGS__
//# pack_of_three
#pragma pack(3)
struct s { char a; };
