//# kernel_returns_int
kernel int f(void) { return 1; }
//# kernel_returns_pointer
kernel global int *f(global int *p) { return p; }
//# kernel_static
static kernel void f(void) { }
//# kernel_variable
kernel int x;
//# kernel_parameter
void g(kernel int x) { }
//# kernel_typedef
typedef kernel void t(void);
//# kernel_in_block
void g(void) { kernel int x; }
//# kernel_struct_member
struct s { kernel int x; };
//# kernel_as_identifier
void g(void) { int kernel = 1; }
//# kernel_redefined
kernel void f(global int *p) { p[0] = 1; }
kernel void f(global int *p) { p[0] = 2; }
//# function_redefined
int g(void) { return 1; }
int g(void) { return 2; }
//# function_conflicting_result
int g(int x);
float g(int x) { return x; }
//# function_conflicting_parameters
int g(int x);
int g(float x) { return x; }
//# function_conflicting_count
int g(int x);
int g(int x, int y) { return x; }
//# function_redeclared_as_variable
int g(int x);
constant int g = 1;
//# variable_redeclared_as_function
constant int g = 1;
int g(int x);
//# function_without_result_type
g(int x) { return x; }
//# kernel_without_result_type
kernel f(global int *p) { p[0] = 1; }
//# parameter_twice
int g(int x, float x) { return 1; }
//# parameter_redeclared_in_body
int g(int x) { int x = 1; return x; }
//# parameter_with_initialiser
int g(int x = 1) { return x; }
//# parameter_void_named
int g(void x) { return 1; }
//# parameter_void_among_others
int g(int x, void) { return 1; }
//# parameter_static
int g(static int x) { return x; }
//# parameter_extern
int g(extern int x) { return x; }
//# parameter_typedef
int g(typedef int x) { return 1; }
//# parameter_incomplete_struct
struct s;
int g(struct s x) { return 1; }
//# parameter_array_without_inner_size
int g(int a[][]) { return 1; }
//# parameter_function differs="§6.11: pointers to functions are not allowed, and a parameter of function type is one (C99 §6.7.5.3)"
int g(int h(int)) { return 1; }
//# result_array
int g(void)[4];
//# result_function
int g(void)(void);
//# result_incomplete_struct
struct s;
struct s g(void) { }
//# nested_function
void g(void) { int h(void) { return 1; } }
//# function_initialised
int g(void) = 1;
//# function_in_parameter_list_type
void g(struct s { int a; } x, y) { }
//# return_value_from_void
void g(void) { return 1; }
//# return_value_from_kernel
kernel void f(global int *p) { return p[0]; }
//# return_without_value
int g(void) { return; }
//# reqd_work_group_size_of_two
kernel __attribute__((reqd_work_group_size(8, 8))) void f(void) { }
//# reqd_work_group_size_of_four
kernel __attribute__((reqd_work_group_size(8, 8, 1, 1))) void f(void) { }
//# reqd_work_group_size_zero
kernel __attribute__((reqd_work_group_size(8, 0, 1))) void f(void) { }
//# reqd_work_group_size_negative
kernel __attribute__((reqd_work_group_size(8, -1, 1))) void f(void) { }
//# reqd_work_group_size_float
kernel __attribute__((reqd_work_group_size(8.0f, 1, 1))) void f(void) { }
//# reqd_work_group_size_without_arguments
kernel __attribute__((reqd_work_group_size)) void f(void) { }
//# reqd_work_group_size_not_constant
kernel __attribute__((reqd_work_group_size(n, 1, 1))) void f(int n) { }
//# reqd_work_group_size_of_function
__attribute__((reqd_work_group_size(8, 1, 1))) void g(void) { }
//# work_group_size_hint_of_two
kernel __attribute__((work_group_size_hint(8, 8))) void f(void) { }
//# work_group_size_hint_of_function
__attribute__((work_group_size_hint(8, 1, 1))) void g(void) { }
//# vec_type_hint_of_struct
struct s { int a; };
kernel __attribute__((vec_type_hint(struct s))) void f(void) { }
//# vec_type_hint_without_type
kernel __attribute__((vec_type_hint())) void f(void) { }
//# vec_type_hint_of_void
kernel __attribute__((vec_type_hint(void))) void f(void) { }
//# vec_type_hint_of_function
__attribute__((vec_type_hint(float4))) void g(void) { }
//# vec_type_hint_of_pointer
kernel __attribute__((vec_type_hint(int *))) void f(void) { }
//# main_as_kernel
kernel void main(void) { }
//# main_as_function
int main(void) { return 0; }
//# inline_variable
inline int x = 1;
//# unterminated_function
kernel void f(global int *p) { p[0] = 1;
//# extra_closing_brace
kernel void f(global int *p) { p[0] = 1; } }
//# statement_at_file_scope
kernel void f(global int *p) { }
p[0] = 1;
//# expression_at_file_scope
1 + 2;
//# if_at_file_scope
if (1) { }
//# missing_parameter_type
kernel void f(global p) { }
//# missing_comma_between_parameters
kernel void f(global int *p int n) { }
//# trailing_comma_in_parameters
kernel void f(global int *p,) { }
//# kernel_void_pointer_to_function_parameter
kernel void f(void (*g)(int)) { }
//# kernel_pointer_in_struct_parameter options="-cl-std=CL1.2"
struct s { global int *p; };
kernel void f(struct s x) { x.p[0] = 1; }
//# kernel_variadic
kernel void f(int n, ...) { }
//# kernel_private_pointer_in_struct_parameter options="-cl-std=CL2.0"
struct s { private int *p; };
kernel void f(struct s x) { x.p[0] = 1; }
//# kernel_generic_pointer_in_struct_parameter
struct s { int *p; };
kernel void f(struct s x) { x.p[0] = 1; }
