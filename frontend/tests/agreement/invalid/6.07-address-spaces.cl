//# two_address_spaces
kernel void f(void) { private local int i; }
//# two_address_spaces_of_pointee
kernel void f(global local int *p) { }
//# private_return_type
private int g(void) { return 1; }
//# global_return_type
global int g(void) { return 1; }
//# local_parameter
void g(local int x) { }
//# global_parameter
void g(global int x) { }
//# constant_parameter
void g(constant int x) { }
//# local_struct_parameter
struct s { int a; };
void g(local struct s x) { }
//# global_kernel_parameter
kernel void f(global int x) { }
//# local_variable_in_inner_block
kernel void f(int c) { if (c) { local int x; x = c; } }
//# local_variable_in_bare_block
kernel void f(int c) { { local int x; x = c; } }
//# local_variable_in_loop
kernel void f(int c) { for (int i = 0; i < c; i++) { local int x; x = c; } }
//# local_variable_in_function
void g(void) { local int x; x = 1; }
//# local_variable_initialised
kernel void f(void) { local int x = 1; }
//# local_array_initialised
kernel void f(void) { local int x[2] = { 1, 2 }; }
//# local_program_scope
local int x;
//# private_program_scope
private int x;
//# generic_program_scope
generic int x;
//# generic_variable
kernel void f(void) { generic int x; }
//# generic_before_2_0 options="-cl-std=CL1.2"
void g(generic int *p) { }
//# global_variable_in_kernel
kernel void f(void) { global int x; }
//# global_array_in_function
void g(void) { global int x[4]; }
//# static_local_variable
kernel void f(void) { static local int x; }
//# static_private_variable
kernel void f(void) { static private int x; }
//# constant_without_initialiser
constant int x;
//# constant_in_kernel_without_initialiser
kernel void f(void) { constant int x; }
//# constant_initialised_with_variable
kernel void f(void) { private int g = 1; constant int h = g; }
//# constant_initialised_with_parameter
kernel void f(int g) { constant int h = g; }
//# constant_initialised_with_call
int g(void) { return 1; }
constant int x = g();
//# constant_in_inner_block
kernel void f(int c) { if (c) { constant int x = 1; } }
//# constant_in_function
void g(void) { constant int x = 1; }
//# constant_assigned
constant int a = 3;
kernel void f(void) { a = 42; }
//# constant_incremented
constant int a = 3;
kernel void f(void) { a++; }
//# constant_array_element_assigned
constant int a[2] = { 1, 2 };
kernel void f(void) { a[1] = 3; }
//# constant_pointer_target_assigned
kernel void f(constant int *p) { *p = 1; }
//# constant_member_assigned
struct s { int a; };
kernel void f(constant struct s *p) { p->a = 1; }
//# constant_lane_assigned differs="§6.7.3: it is illegal to write to a variable in the constant address space"
kernel void f(constant float4 *p) { p->x = 1.0f; }
//# program_scope_without_space_before_2_0 options="-cl-std=CL1.2"
int x = 1;
//# program_scope_const_before_2_0 options="-cl-std=CL1.2"
const int x = 1;
//# program_scope_global_before_2_0 options="-cl-std=CL1.2"
global int x = 1;
//# program_scope_array_before_2_0 options="-cl-std=CL1.2"
float table[2] = { 1.0f, 2.0f };
//# static_program_scope_before_2_0 options="-cl-std=CL1.2"
static int x = 1;
//# extern_without_space_before_2_0 options="-cl-std=CL1.2"
extern int x;
//# static_in_function_before_2_0 options="-cl-std=CL1.2"
void g(void) { static int x = 1; }
//# program_scope_initialised_with_variable options="-cl-std=CL2.0"
global int a = 1;
global int b = a;
//# program_scope_initialised_with_call options="-cl-std=CL2.0"
int g(void) { return 1; }
global int b = g();
//# program_scope_pointer_to_wrong_space options="-cl-std=CL2.0"
global int baz;
constant int *global ptr = &baz;
//# static_initialised_with_parameter options="-cl-std=CL2.0"
void g(int n) { static int x = n; }
//# kernel_pointer_without_space
kernel void f(int *p) { }
//# kernel_pointer_without_space_before_2_0 options="-cl-std=CL1.2"
kernel void f(int *p) { }
//# kernel_private_pointer
kernel void f(private int *p) { }
//# kernel_generic_pointer options="-cl-std=CL2.0"
kernel void f(generic int *p) { }
//# kernel_array_parameter
kernel void f(int p[4]) { }
//# kernel_struct_pointer_without_space
struct s { int a; };
kernel void f(struct s *p) { }
//# kernel_vector_pointer_without_space
kernel void f(float4 *p) { }
//# kernel_pointer_to_pointer_before_2_0 options="-cl-std=CL1.2"
kernel void f(global int *global *p) { }
//# kernel_pointer_to_private_pointer
kernel void f(global int **p) { }
//# local_pointer_from_global
kernel void f(global int *g) { local int *l = g; }
//# private_pointer_from_global
kernel void f(global int *g) { private int *p = g; }
//# constant_pointer_from_global
kernel void f(global int *g) { constant int *c = g; }
//# global_pointer_from_local
kernel void f(local int *l) { global int *g = l; }
//# global_pointer_from_constant
kernel void f(constant int *c) { global int *g = c; }
//# global_pointer_from_private
kernel void f(void) { int x; global int *g = &x; }
//# local_pointer_from_private
kernel void f(void) { int x; local int *l = &x; }
//# constant_pointer_from_private
kernel void f(void) { int x; constant int *c = &x; }
//# constant_pointer_from_local
kernel void f(local int *l) { constant int *c = l; }
//# private_pointer_from_constant
kernel void f(constant int *c) { private int *p = c; }
//# private_pointer_from_local
kernel void f(local int *l) { private int *p = l; }
//# local_pointer_from_constant
kernel void f(constant int *c) { local int *l = c; }
//# pointer_assigned_from_other_space
kernel void f(global int *g, local int *l) { g = l; }
//# generic_from_constant options="-cl-std=CL2.0"
kernel void f(constant int *c) { int *p = c; }
//# global_from_generic options="-cl-std=CL2.0"
void g(int *p) { global int *q = p; }
//# local_from_generic options="-cl-std=CL2.0"
void g(int *p) { local int *q = p; }
//# private_from_generic options="-cl-std=CL2.0"
void g(int *p) { private int *q = p; }
//# constant_from_generic options="-cl-std=CL2.0"
void g(int *p) { constant int *q = p; }
//# cast_global_to_local
kernel void f(global int *g) { (local int *)g; }
//# cast_local_to_global
kernel void f(local int *l) { global int *g = (global int *)l; }
//# cast_constant_to_global
kernel void f(constant int *c) { global int *g = (global int *)c; }
//# cast_global_to_constant
kernel void f(global int *g) { (constant int *)g; }
//# cast_private_to_global
kernel void f(void) { int x; (global int *)&x; }
//# cast_constant_to_generic options="-cl-std=CL2.0"
kernel void f(constant int *c) { (generic int *)c; }
//# cast_generic_to_constant options="-cl-std=CL2.0"
void g(int *p) { (constant int *)p; }
//# cast_without_space_before_2_0 options="-cl-std=CL1.2"
kernel void f(global float *g) { int *p = (int *)g; }
//# argument_of_other_space
void g(local int *p) { }
kernel void f(global int *p) { g(p); }
//# argument_without_space_before_2_0 options="-cl-std=CL1.2"
void g(int *p) { }
kernel void f(global int *p) { g(p); }
//# argument_constant_for_generic options="-cl-std=CL2.0"
void g(int *p) { }
kernel void f(constant int *p) { g(p); }
//# argument_address_of_local_for_private options="-cl-std=CL1.2"
void g(private int *p) { }
kernel void f(void) { local int x; g(&x); }
//# return_of_other_space
local int *g(global int *p) { return p; }
//# nested_pointer_of_other_space
kernel void f(void) { global int *private *g; local int *private *l; l = g; }
//# nested_generic_pointer options="-cl-std=CL2.0"
kernel void f(void) { global int *private *g; int *private *n; n = g; }
//# string_to_private_pointer options="-cl-std=CL1.2"
kernel void f(void) { char *s = "text"; }
//# string_to_generic_pointer options="-cl-std=CL2.0"
kernel void f(void) { const char *s = "text"; }
//# string_to_global_pointer
kernel void f(void) { global const char *s = "text"; }
//# string_as_private_argument options="-cl-std=CL1.2"
void g(const char *s) { }
kernel void f(void) { g("text"); }
//# conditional_of_other_spaces options="-cl-std=CL2.0"
kernel void f(int c, global int *g, local int *l) { int *p = c ? g : l; }
//# equal_of_global_and_local options="-cl-std=CL2.0"
kernel void f(global int *g, local int *l, global int *r) { r[0] = g == l; }
//# equal_of_global_and_constant
kernel void f(global int *g, constant int *c, global int *r) { r[0] = g == c; }
//# equal_of_generic_and_constant options="-cl-std=CL2.0"
void f(generic int *g, constant int *c) { int r = g == c; }
//# difference_of_other_spaces
kernel void f(global int *g, constant int *c, global long *r) { r[0] = g - c; }
//# address_of_local_to_global
kernel void f(void) { local int x; global int *g = &x; }
//# array_of_local_pointer_elements_from_global
kernel void f(global int *p) { local int *a[2] = { 0, p }; }
//# member_with_address_space
struct s { global int a; };
//# member_local_array
struct s { local int a[4]; };
//# member_pointer_of_other_space
struct s { local int *p; };
kernel void f(global int *g) { struct s v; v.p = g; }
//# global_read_only_pointer_written
kernel void f(global const float4 *p) { p[0].x = 1.0f; }
//# const_dropped_by_space_cast
kernel void f(global const int *p) { local int *q = (local int *)p; }
//# typedef_pointer_of_other_space
typedef local float *lp;
kernel void f(global float *p) { lp q = p; }
//# compound_literal_in_global_space
kernel void f(void) { global int *p = (global int[]){ 1, 2 }; }
//# address_space_as_identifier
kernel void f(void) { int global = 1; }
//# local_as_identifier
kernel void f(int local) { }
//# extern_local
extern local int x;
//# static_constant_without_initialiser
kernel void f(void) { static constant int x; }
