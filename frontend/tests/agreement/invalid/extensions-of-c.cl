//# variable_as_array_length
kernel void f(int x) { int n = 4; int a[n]; }
//# const_of_variable_as_array_length
kernel void f(int x) { const int n = x; int a[n]; }
//# const_without_value_as_array_length
kernel void f(int x) { const int n; int a[n]; }
//# const_volatile_as_array_length
kernel void f(int x) { const volatile int n = 3; int a[n]; }
//# const_float_as_array_length
kernel void f(int x) { const float n = 4.0f; int a[(int)n]; }
//# const_parameter_as_array_length
void g(const int n, int a[n]) { a[0] = 1; }
//# const_negative_as_array_length
kernel void f(int x) { const int n = -3; int a[n]; }
//# const_vector_component_as_array_length
kernel void f(int x) { const int2 n = (int2)(4, 5); int a[n.x]; }
//# va_opt_not_closed
#define F(a, ...) a __VA_OPT__(, __VA_ARGS__
int x = F(1);
//# va_opt_without_bracket
#define F(a, ...) a __VA_OPT__ __VA_ARGS__
int x = F(1);
//# va_opt_nested
#define F(a, ...) a __VA_OPT__(__VA_OPT__(b))
int x = F(1);
//# va_opt_starts_with_paste
#define F(a, ...) a __VA_OPT__(## b)
int x = F(1);
//# va_opt_ends_with_paste
#define F(a, ...) a __VA_OPT__(b ##)
int x = F(1);
//# has_include_without_name
#if __has_include()
#endif
//# has_include_not_closed
#if __has_include(<foo>
#endif
//# has_include_outside_of_a_condition
int x = __has_include("foo.h");
//# include_next_of_nothing
#include_next "missing.h"
//# offsetof_of_scalar
kernel void f(global int *p) { p[0] = __builtin_offsetof(int, x); }
//# offsetof_of_unknown_member
struct s { int a; }; kernel void f(global int *p) { p[0] = __builtin_offsetof(struct s, b); }
//# offsetof_index_of_scalar
struct s { int a; }; kernel void f(global int *p) { p[0] = __builtin_offsetof(struct s, a[1]); }
//# overloadable_ambiguous
int __attribute__((overloadable)) g(int x) { return 1; } int __attribute__((overloadable)) g(float x) { return 2; }
kernel void f(global int *p) { p[0] = g(1u); }
//# overloadable_without_match
int __attribute__((overloadable)) g(int x) { return 1; } int __attribute__((overloadable)) g(float x) { return 2; }
kernel void f(global int *p) { p[0] = g(p); }
//# overloadable_wrong_count
int __attribute__((overloadable)) g(int x) { return 1; } int __attribute__((overloadable)) g(int x, int y) { return 2; }
kernel void f(global int *p) { p[0] = g(1, 2, 3); }
//# overloadable_crossed
int __attribute__((overloadable)) g(int x, float y) { return 1; } int __attribute__((overloadable)) g(float x, int y) { return 2; }
kernel void f(global int *p) { p[0] = g(1, 1); }
//# overloadable_other_result_only
int __attribute__((overloadable)) g(int x); float __attribute__((overloadable)) g(int x);
//# overloadable_redeclared_without
int __attribute__((overloadable)) g(int x) { return 1; } int g(int x);
//# overloadable_same_through_typedef
typedef int T; __attribute__((overloadable)) int g(T x) { return 1; } __attribute__((overloadable)) int g(int x) { return 1; }
//# overloadable_of_other_space
int __attribute__((overloadable)) g(global int *x) { return 1; } int __attribute__((overloadable)) g(local int *x) { return 2; }
kernel void f(global int *p, constant int *c) { p[0] = g(c); }
//# overloadable_null_is_ambiguous
int __attribute__((overloadable)) g(global int *x) { return 1; } int __attribute__((overloadable)) g(local int *x) { return 2; }
kernel void f(global int *p) { p[0] = g(0); }
//# overloadable_of_other_vector
int __attribute__((overloadable)) g(int4 x) { return 1; } int __attribute__((overloadable)) g(int x) { return 2; }
kernel void f(global int *p) { p[0] = g((uint4)1); }
//# overloadable_neither_marked
int g(int x) { return 1; } int g(float x) { return 2; }
//# ext_vector_type_of_variable
kernel void f(void) { float g __attribute__((ext_vector_type(2))); }
//# ext_vector_type_of_structure
struct s { int x; }; typedef struct s v __attribute__((ext_vector_type(2)));
//# ext_vector_type_without_lanes
typedef int v __attribute__((ext_vector_type));
//# statement_expression_at_file_scope
constant int a = ({ 1; });
//# statement_expression_without_value_used
kernel void f(global int *p) { p[0] = ({ int z = 1; }); }
//# statement_expression_empty_used
kernel void f(global int *p) { p[0] = ({ ; }); }
//# statement_expression_names_stay_inside
kernel void f(global int *p) { p[0] = ({ int z = 1; z; }) + z; }
//# statement_expression_entered
kernel void f(global int *p) { goto l; p[0] = ({ l: 1; }); }
//# statement_expression_as_length
kernel void f(global int *p) { int b[({ 3; })]; }
//# typeof_keeps_const
kernel void f(void) { const int c = 1; __typeof__(c) d = 2; d = 3; }
//# function_of_the_compiler_unknown
kernel void f(global int *p) { p[0] = __builtin_no_such_thing(1); }
//# reinterpretation_of_other_size
kernel void f(global int *p) { p[0] = __builtin_astype(1, long); }
//# conversion_of_other_length
kernel void f(global int4 *p) { p[0] = __builtin_convertvector((float2)(1, 2), int4); }
//# shuffle_of_different_types
kernel void k(global float4 *p, int4 q) { p[0] = __builtin_shufflevector(p[1], q, 0, 1, 2, 3); }
//# shuffle_of_a_lane_that_is_not_there
kernel void k(global float4 *p) { p[0] = __builtin_shufflevector(p[1], p[2], 0, 1, 2, 8); }
//# shuffle_by_a_variable
kernel void k(global float4 *p, int i) { p[0] = __builtin_shufflevector(p[1], p[2], 0, 1, 2, i); }
//# label_before_a_declaration_as_a_body
kernel void k(global int *p) { if (p[0]) a: int x = 3; }
//# range_designator_empty
constant int a[4] = {[2 ... 1] = 1};
//# range_designator_out_of_bounds
constant int a[4] = {[2 ... 4] = 1};
//# range_designator_of_structure
struct s { int x; }; constant struct s a = {[0 ... 1] = 1};
//# range_designator_not_constant
kernel void f(int n) { int a[4] = {[0 ... n] = 1}; }
//# range_designator_without_end
constant int a[4] = {[0 ...] = 1};
//# vector_size_no_multiple
typedef float v __attribute__((vector_size(6)));
//# vector_size_of_structure
struct s { int x; }; typedef struct s v __attribute__((vector_size(8)));
//# vector_size_without_size
typedef int v __attribute__((vector_size));
//# elifdef_without_name
#if 0
#elifdef
#endif
//# elifndef_without_if
#elifndef X
#endif
//# elifdef_after_else
#if 0
#else
#elifdef X
#endif
//# element_of_empty_structure
struct e {}; kernel void f(global struct e *p) { p->x = 1; }
//# overflow_of_floats
kernel void f(global int *p) { int r; p[0] = __builtin_add_overflow(1.0f, p[1], &r); }
//# overflow_into_a_float
kernel void f(global int *p) { float r; p[0] = __builtin_add_overflow(1, p[1], &r); }
//# overflow_into_a_constant
kernel void f(global int *p) { const int r = 0; p[0] = __builtin_sub_overflow(1, p[1], &r); }
//# overflow_without_a_target
kernel void f(global int *p) { p[0] = __builtin_smul_overflow(1, p[1]); }
//# classes_of_integers
kernel void f(global int *p) { p[0] = __builtin_isnan(p[1]); }
