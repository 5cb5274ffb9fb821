//# aligned_not_power_of_two options="-cl-std=CL2.0"
int x __attribute__((aligned(3)));
//# aligned_zero_member_negative
struct s { int a __attribute__((aligned(-4))); };
//# aligned_float
struct s { int a __attribute__((aligned(4.0f))); };
//# aligned_not_constant
kernel void f(int n) { int x __attribute__((aligned(n))); }
//# aligned_two_arguments
struct s { int a __attribute__((aligned(4, 8))); };
//# aligned_undeclared
struct s { int a __attribute__((aligned(ALIGN))); };
//# packed_with_argument
struct __attribute__((packed(1))) s { int a; };
//# attribute_without_inner_parenthesis
struct __attribute__(packed) s { int a; };
//# attribute_unclosed
struct __attribute__((packed) s { int a; };
//# attribute_without_parentheses
struct __attribute__ packed s { int a; };
//# attribute_of_number
struct __attribute__((5)) s { int a; };
//# unroll_hint_negative options="-cl-std=CL2.0"
kernel void f(global int *p) { __attribute__((opencl_unroll_hint(-1))) for (int i = 0; i < 4; i++) p[i] = i; }
//# unroll_hint_zero options="-cl-std=CL2.0"
kernel void f(global int *p) { __attribute__((opencl_unroll_hint(0))) for (int i = 0; i < 4; i++) p[i] = i; }
//# unroll_hint_of_if options="-cl-std=CL2.0"
kernel void f(global int *p) { __attribute__((opencl_unroll_hint)) if (p[0]) p[1] = 1; }
//# unroll_hint_of_statement options="-cl-std=CL2.0"
kernel void f(global int *p) { __attribute__((opencl_unroll_hint(2))) p[1] = 1; }
//# unroll_hint_not_constant options="-cl-std=CL2.0"
kernel void f(global int *p, int x) { __attribute__((opencl_unroll_hint(x))) for (int i = 0; i < x; i++) p[i] = i; }
//# unroll_hint_two_arguments options="-cl-std=CL2.0"
kernel void f(global int *p) { __attribute__((opencl_unroll_hint(2, 4))) for (int i = 0; i < 4; i++) p[i] = i; }
//# unroll_hint_float options="-cl-std=CL2.0"
kernel void f(global int *p) { __attribute__((opencl_unroll_hint(2.5f))) for (int i = 0; i < 4; i++) p[i] = i; }
//# ext_vector_of_zero
typedef float bad __attribute__((ext_vector_type(0)));
//# reqd_work_group_size_of_variable
kernel void f(void) { int x __attribute__((reqd_work_group_size(1, 1, 1))); }
//# overloadable_with_argument
int __attribute__((overloadable(1))) g(int x) { return x; }
//# overload_without_attribute
int g(int x) { return x; }
int g(float x) { return 1; }
