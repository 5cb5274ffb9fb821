//# if_without_endif
#if 1
kernel void f(void) { }
//# ifdef_without_endif
#ifdef X
kernel void f(void) { }
//# endif_without_if
#endif
//# else_without_if
#else
//# elif_without_if
#elif 1
//# else_twice
#if 1
#else
#else
#endif
//# elif_after_else
#if 0
#else
#elif 1
#endif
//# if_without_expression
#if
#endif
//# if_with_float
#if 1.0
#endif
//# if_with_string
#if "a"
#endif
//# if_division_by_zero
#if 1 / 0
#endif
//# if_missing_operand
#if 1 +
#endif
//# if_missing_parenthesis
#if (1
#endif
//# if_assignment
#if 1 = 1
#endif
//# if_function_like
#if F(1)
#endif
//# ifdef_without_name
#ifdef
#endif
//# ifndef_of_number
#ifndef 1
#endif
//# error_directive
#error this is not supported
//# unknown_directive
#inclde "x"
//# define_without_name
#define
//# define_number
#define 1 2
//# define_defined
#define defined 1
//# define_parameter_twice
#define M(a, a) a
//# define_parameter_not_identifier
#define M(1) 1
//# define_unclosed_parameters
#define M(a
//# define_ellipsis_not_last
#define M(..., a) a
//# define_hash_without_parameter
#define M(a) #b
//# define_paste_at_start
#define M(a) ## a
//# define_paste_at_end
#define M(a) a ##
//# define_va_args_outside differs="C99 §6.10.3: __VA_ARGS__ shall occur only in the replacement list of a macro that uses the ellipsis notation"
#define M __VA_ARGS__
//# undef_without_name
#undef
//# undef_number
#undef 1
//# macro_too_few_arguments
#define M(a, b) a + b
constant int x = M(1);
//# macro_too_many_arguments
#define M(a) a
constant int x = M(1, 2);
//# macro_unclosed_call
#define M(a) a
constant int x = M(1;
//# macro_bad_paste
#define M(a, b) a ## b
constant int x = M(+, /) 1;
//# include_without_name
#include
//# include_of_number
#include 5
//# include_empty_name
#include ""
//# include_unclosed
#include <x
//# include_missing
#include "no_such_file.h"
//# line_without_number
#line
//# line_with_word
#line abc
//# line_zero_with_bad_name
#line 5 abc
//# comment_unclosed
/* comment
//# string_unclosed
kernel void f(void) { printf("abc); }
//# character_unclosed
kernel void f(global int *p) { p[0] = 'a; }
//# character_empty
kernel void f(global int *p) { p[0] = ''; }
//# escape_unfinished
kernel void f(global int *p) { p[0] = '\x'; }
//# escape_too_large
kernel void f(global int *p) { p[0] = '\x1ff'; }
//# stray_backslash
kernel void f(void) { \ }
//# stray_at
kernel void f(void) { @; }
//# stray_dollar_at_start
kernel void f(void) { int a = 1 ` 2; }
//# stray_hash
kernel void f(void) { # x }
//# octal_digit
constant int x = 089;
//# octal_digit_eight
constant int x = 08;
//# hexadecimal_without_digits
constant int x = 0x;
//# hexadecimal_bad_digit
constant int x = 0x12g;
//# binary_bad_digit
constant int x = 0b102;
//# integer_bad_suffix
constant int x = 12q;
//# integer_suffix_twice
constant int x = 12uu;
//# integer_float_suffix
constant float x = 1f;
//# integer_too_large differs="C99 §6.4.4: the value of a constant shall be in the range of representable values for its type"
constant ulong x = 99999999999999999999999;
//# float_bad_suffix differs="C99 §6.4.4.2: the suffixes are f and l; OpenCL C adds h"
constant float x = 1.0q;
//# float_long_suffix_and_more
constant float x = 1.0fl;
//# float_without_exponent_digits
constant float x = 1e;
//# float_hexadecimal_without_exponent
constant float x = 0x1.8;
//# float_hexadecimal_exponent_without_digits
constant float x = 0x1p;
//# float_two_points
constant float x = 1.2.3;
//# identifier_starts_with_digit
kernel void f(void) { int 3d; }
//# universal_character_name_bad
kernel void f(void) { int \u12; }
//# macro_expands_to_error
#define SIZE 4 +
kernel void f(void) { int a[SIZE]; }
//# macro_expands_to_undeclared
#define N count
kernel void f(global int *p) { p[0] = N; }
//# macro_missing_semicolon
#define SET(p) p[0] = 1
kernel void f(global int *p) { SET(p) SET(p); }
//# pragma_fp_contract_in_middle_of_block
kernel void f(void) { int a = 1; a++;
#pragma OPENCL FP_CONTRACT ON
}
//# pragma_operator_of_number
_Pragma(5)
//# pragma_operator_unclosed
_Pragma("x"
