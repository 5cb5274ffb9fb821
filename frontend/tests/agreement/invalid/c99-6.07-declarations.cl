//# redeclared_variable
kernel void f(void) { int a; int a; }
//# redeclared_with_other_type
kernel void f(void) { int a; float a; }
//# redeclared_at_file_scope
constant int a = 1;
constant int a = 2;
//# redeclared_at_file_scope_other_type
extern constant int a;
constant float a = 1.0f;
//# redeclared_as_typedef
kernel void f(void) { int a; typedef int a; }
//# redeclared_as_enumerator
kernel void f(void) { int a; enum { a }; }
//# missing_declarator
kernel void f(void) { int = 1; }
//# missing_type
kernel void f(void) { const x; }
//# static_without_type
static x = 1;
//# type_only_pointer
kernel void f(void) { int *; }
//# missing_comma
kernel void f(void) { int a b; }
//# missing_semicolon_after_struct
struct s { int a; }
kernel void f(void) { }
//# missing_semicolon_in_struct
struct s { int a float b; };
//# missing_semicolon_after_declaration
kernel void f(void) { int a = 1 int b = 2; }
//# missing_semicolon_before_statement
kernel void f(global int *p) { int a = 1
p[0] = a; }
//# missing_closing_brace_of_struct
struct s { int a;
kernel void f(void) { }
//# missing_bracket_of_array
kernel void f(void) { int a[4; }
//# initialiser_missing
kernel void f(void) { int a = ; }
//# initialiser_list_unclosed
kernel void f(void) { int a[2] = { 1, 2; }
//# array_initialised_with_scalar
kernel void f(void) { int a[2] = 1; }
//# array_initialised_with_array
kernel void f(void) { int a[2]; int b[2] = a; }
//# struct_initialised_with_scalar
struct s { int a; };
kernel void f(void) { struct s v = 1; }
//# struct_initialised_with_other_struct
struct s { int a; };
struct t { int a; };
kernel void f(struct t w) { struct s v = w; }
//# vector_initialiser_excess
kernel void f(void) { float2 v = { 1.0f, 2.0f, 3.0f }; }
//# designator_unknown_member
struct s { int a; };
kernel void f(void) { struct s v = { .b = 1 }; }
//# designator_index_of_struct
struct s { int a; };
kernel void f(void) { struct s v = { [0] = 1 }; }
//# designator_member_of_array
kernel void f(void) { int a[2] = { .a = 1 }; }
//# designator_beyond_array
kernel void f(void) { int a[2] = { [2] = 1 }; }
//# designator_negative
kernel void f(void) { int a[2] = { [-1] = 1 }; }
//# designator_not_constant
kernel void f(int n) { int a[2] = { [n] = 1 }; }
//# designator_of_scalar
kernel void f(void) { int a = { .x = 1 }; }
//# designator_without_value
struct s { int a; };
kernel void f(void) { struct s v = { .a }; }
//# string_for_integer_array
kernel void f(void) { int a[4] = "abc"; }
//# constant_array_not_constant
kernel void f(int n) { constant int a[2] = { 1, n }; }
//# constant_struct_not_constant
struct s { int a; };
int g(void) { return 1; }
constant struct s v = { g() };
//# case_of_typedef_name_in_expression
typedef int t;
kernel void f(global int *p) { p[0] = t + 1; }
//# static_assert_fails
_Static_assert(sizeof(int) == 8, "int has 8 bytes");
//# static_assert_not_constant
kernel void f(int n) { _Static_assert(n == 1, "n"); }
//# pointer_to_undefined_type
kernel void f(global struct_t *p) { }
//# const_without_initialiser_assigned
kernel void f(void) { const int a; a = 1; }
//# pointer_to_const_to_pointer
kernel void f(global const int *p) { p[0]++; }
//# double_qualified_address_of_array
kernel void f(global int **private *p) { }
//# declarator_unbalanced
kernel void f(void) { int (*a[2]; }
//# typeof_undeclared
kernel void f(void) { typeof(x) y; }
//# keyword_as_name
kernel void f(void) { int float; }
//# keyword_as_function_name
void if(int x) { }
//# keyword_as_member
struct s { int while; };
//# number_as_name
kernel void f(void) { int 5; }
//# declaration_in_expression
kernel void f(global int *p) { p[0] = int x; }
//# struct_without_tag_or_body
kernel void f(void) { struct x; struct; }
//# struct_member_without_type
struct s { a; };
//# struct_member_unknown_type
struct s { foo_t a; };
//# struct_member_missing_name
struct s { int *; };
//# union_member_duplicate
union u { int a; float a; };
//# enum_missing_comma
enum e { A B };
//# enum_without_name_or_body
kernel void f(void) { enum; }
//# typedef_without_name
typedef int *;
//# extern_never_defined_in_function_type
extern void x;
//# tentative_definition_never_completed
global struct S x; kernel void k(global int *p) { p[0] = 1; }
//# constant_of_an_incomplete_type
constant struct S x; struct S { int a; }; kernel void k(global int *p) { p[0] = 1; }
//# automatic_variable_of_an_incomplete_type
struct S; kernel void k(global int *p) { struct S s; p[0] = 1; }
//# array_of_an_incomplete_type
extern constant struct S x[2]; kernel void k(global int *p) { p[0] = 1; }
//# member_of_an_incomplete_extern_variable
extern constant struct S x; kernel void k(global int *p) { p[0] = x.a; }
//# copy_of_an_incomplete_extern_variable
extern constant struct S x; kernel void k(global int *p) { x; }
//# definition_with_an_incomplete_result
struct S; struct S f(void) { } kernel void k(global int *p) { p[0] = 1; }
//# definition_with_an_incomplete_parameter
struct S; void f(struct S s) { } kernel void k(global int *p) { p[0] = 1; }
//# kernel_with_an_incomplete_parameter
struct S; kernel void k(struct S s) { }
//# call_with_an_incomplete_result
struct S; struct S f(void); kernel void k(global int *p) { f(); }
//# call_with_an_incomplete_argument
struct S; void f(struct S); kernel void k(global struct S *s) { f(*s); }
//# extern_in_a_function_of_another_type
kernel void k(global int *p) { extern constant int n; p[0] = n; }
constant float n = 4;
//# short_vectors_for_a_vector_without_braces
kernel void k(global int4 *p) { int4 a[1] = {(int2)(1, 2), (int2)(3, 4)}; p[0] = a[0]; }
//# function_declared_in_a_block_with_a_variable_of_its_name
int x(void); kernel void k(global int *p) { int x = 3; int x(void); p[0] = x; }
