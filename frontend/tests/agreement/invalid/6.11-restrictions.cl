//# function_pointer_variable
int g(int x) { return x; }
kernel void f(void) { int (*p)(int); }
//# function_pointer_parameter
int g(int (*p)(int)) { return p(1); }
//# function_pointer_member
struct s { int (*p)(int); };
//# function_pointer_typedef
typedef int (*t)(int);
//# function_pointer_array
kernel void f(void) { int (*p[2])(int); }
//# function_pointer_cast
kernel void f(long x) { ((int (*)(int))x)(1); }
//# function_pointer_decay
int g(int x) { return x; }
kernel void f(global long *p) { p[0] = (long)g; }
//# function_pointer_conditional
int g(int x) { return x; }
kernel void f(int c, global int *p) { p[0] = (c ? g : 0)(1); }
//# function_as_argument
int g(int x) { return x; }
void h(int x) { }
kernel void f(void) { h(g); }
//# function_compared
int g(int x) { return x; }
kernel void f(global int *p) { p[0] = g == 0; }
//# function_dereferenced
int g(int x) { return x; }
kernel void f(global int *p) { p[0] = (*g)(1); }
//# function_pointer_result
int (*g(void))(int);
//# bit_field
struct s { int a : 3; };
//# bit_field_unnamed
struct s { int a; int : 4; };
//# bit_field_zero
struct s { int a; int : 0; int b; };
//# bit_field_unsigned_in_union
union u { unsigned a : 8; int b; };
//# bit_field_too_wide
struct s { int a : 40; };
//# variable_length_array
kernel void f(int n) { int a[n]; }
//# variable_length_array_of_expression
kernel void f(int n) { float a[n * 2 + 1]; }
//# variable_length_inner_dimension
kernel void f(int n) { int a[4][n]; }
//# variable_length_array_parameter
void g(int n, int (*a)[n]) { }
//# variable_length_sizeof
kernel void f(int n, global int *p) { p[0] = sizeof(int[n]); }
//# variable_length_typedef
kernel void f(int n) { typedef int t[n]; }
//# variable_length_star
void g(int a[*]);
//# variable_length_of_work_size
kernel void f(void) { int a[get_local_size(0)]; }
//# flexible_array_member differs="§6.11: variable length arrays and structures with flexible (or unsized) arrays are not supported"
struct s { int n; int a[]; };
//# flexible_array_only_member differs="§6.11: variable length arrays and structures with flexible (or unsized) arrays are not supported"
struct s { int a[]; };
//# variadic_function
int g(int n, ...) { return n; }
//# variadic_declaration
int g(int n, ...);
//# variadic_without_parameters
int g(...);
//# header_stdio
#include <stdio.h>
//# header_math differs="§6.11: the C99 standard headers are not available and cannot be included by a program"
#include <math.h>
//# header_stdlib
#include <stdlib.h>
//# header_string differs="§6.11: the C99 standard headers are not available and cannot be included by a program"
#include <string.h>
//# header_stdint differs="§6.11: the C99 standard headers are not available and cannot be included by a program"
#include <stdint.h>
//# header_assert differs="§6.11: the C99 standard headers are not available and cannot be included by a program"
#include <assert.h>
//# header_limits differs="§6.11: the C99 standard headers are not available and cannot be included by a program"
#include <limits.h>
//# header_missing_quoted
#include "missing_file.h"
//# malloc_called
kernel void f(void) { malloc(4); }
//# memcpy_called
kernel void f(global int *p, global int *q) { memcpy(p, q, 4); }
//# sinf_called
kernel void f(global float *p) { p[0] = sinf(p[1]); }
//# errno_used
kernel void f(global int *p) { p[0] = errno; }
//# null_of_wrong_use
kernel void f(global int *p) { p[0] = nullptr; }
//# recursion_direct differs="§6.11: recursion is not supported"
int g(int n) { return n ? g(n - 1) : 0; }
kernel void f(global int *p) { p[0] = g(3); }
//# recursion_mutual differs="§6.11: recursion is not supported"
int h(int n);
int g(int n) { return n ? h(n - 1) : 0; }
int h(int n) { return n ? g(n - 1) : 0; }
kernel void f(global int *p) { p[0] = g(3); }
//# recursion_of_three differs="§6.11: recursion is not supported"
int b(int n); int c(int n);
int a(int n) { return b(n); }
int b(int n) { return c(n); }
int c(int n) { return n ? a(n - 1) : 0; }
kernel void f(global int *p) { p[0] = a(3); }
//# recursion_of_kernel differs="§6.11: recursion is not supported"
kernel void f(global int *p, int n) { if (n) f(p, n - 1); }
//# recursion_in_unused_function differs="§6.11: recursion is not supported"
int g(int n) { return n ? g(n - 1) : 0; }
kernel void f(global int *p) { p[0] = 1; }
//# recursion_in_argument differs="§6.11: recursion is not supported"
int g(int n) { return n ? g(g(n - 1)) : 0; }
kernel void f(global int *p) { p[0] = g(3); }
//# func_before_1_2 options="-cl-std=CL1.1" differs="§6.11: predefined identifiers are not supported; this restriction only applies to OpenCL C 1.1 or below"
kernel void f(global char *p) { p[0] = __func__[0]; }
//# kernel_argument_double_pointer options="-cl-std=CL1.2"
kernel void f(global float *global *p) { }
//# restrict_scalar
kernel void f(int restrict x) { }
//# restrict_vector
kernel void f(void) { float4 restrict v; }
//# restrict_struct
struct s { int a; };
kernel void f(struct s restrict v) { }
//# restrict_pointee
kernel void f(global int restrict *p) { }
//# implicit_function_in_condition
kernel void f(global int *p) { if (is_even(p[0])) p[0] = 1; }
//# inline_assembly
kernel void f(void) { asm("nop"); }
//# inline_assembly_gnu differs="C99 §6.4.1: asm is not a keyword; it is a common extension only (annex J.5.10)"
kernel void f(void) { __asm__ volatile("nop"); }
//# atomic_qualifier
kernel void f(void) { _Atomic int x; }
//# generic_selection differs="C99 §6.5.1: _Generic came with C11"
kernel void f(global int *p) { p[0] = _Generic(1, int: 2, default: 3); }
//# alignas_keyword differs="C99 §6.7: _Alignas came with C11"
kernel void f(void) { _Alignas(16) int x; }
//# new_keyword
kernel void f(void) { private int *p = new int; }
//# reference_declarator
void g(int &x) { }
//# class_keyword
class c { int a; };
//# template_keyword
template <typename T> T g(T x) { return x; }
//# namespace_keyword
namespace n { }
//# using_keyword
using t = int;
//# statement_expression_returning_struct_member
kernel void f(global int *p) { p[0] = ({ int x = 1; }); }
//# negative_array
kernel void f(void) { int a[-1]; }
//# float_array_size
kernel void f(void) { int a[2.0f]; }
//# array_without_size
kernel void f(void) { int a[]; }
//# array_too_large
kernel void f(void) { char a[0x7fffffffffffffff][4]; }
//# array_of_functions
kernel void f(void) { int a[2](void); }
//# array_of_incomplete
struct s;
kernel void f(void) { struct s a[2]; }
