//# block_in_1_2 options="-cl-std=CL1.2"
kernel void f(void) { void (^b)(void) = ^{ }; }
//# block_without_initialiser options="-cl-std=CL2.0"
kernel void f(void) { void (^b)(void); }
//# block_reassigned options="-cl-std=CL2.0"
kernel void f(void) { void (^b)(void) = ^{ }; b = ^{ }; }
//# block_array options="-cl-std=CL2.0"
kernel void f(void) { void (^b[2])(void); }
//# block_member options="-cl-std=CL2.0"
struct s { void (^b)(void); };
//# block_extern options="-cl-std=CL2.0"
extern void (^b)(void);
//# block_variadic options="-cl-std=CL2.0"
kernel void f(void) { int (^b)(int, ...) = ^(int x, ...) { return x; }; }
//# block_pointer options="-cl-std=CL2.0"
kernel void f(void) { void (^b)(void) = ^{ }; &b; }
//# block_dereferenced options="-cl-std=CL2.0"
kernel void f(void) { void (^b)(void) = ^{ }; *b; }
//# block_conditional options="-cl-std=CL2.0" differs="§6.14.5: blocks cannot be used as expressions of the ternary selection operator"
kernel void f(int c) { int (^a)(void) = ^{ return 1; }; int (^b)(void) = ^{ return 2; }; int (^d)(void) = c ? a : b; }
//# block_returned options="-cl-std=CL2.0"
int (^g(void))(void) { return ^{ return 1; }; }
//# block_wrong_argument_count options="-cl-std=CL2.0"
kernel void f(global int *p) { int (^b)(int) = ^(int x) { return x; }; p[0] = b(1, 2); }
//# block_wrong_argument_type options="-cl-std=CL2.0"
kernel void f(global int *p) { int (^b)(int) = ^(int x) { return x; }; p[0] = b(p); }
//# block_of_other_type options="-cl-std=CL2.0"
kernel void f(void) { int (^b)(int) = ^(float4 x) { return 1; }; }
//# block_returns_two_types options="-cl-std=CL2.0"
kernel void f(global int *p) { int c = p[0]; int (^b)(void) = ^{ if (c) return 1; return 1.0f; }; }
//# block_assigns_captured options="-cl-std=CL2.0"
kernel void f(void) { int x = 1; void (^b)(void) = ^{ x = 2; }; }
//# block_break_escapes options="-cl-std=CL2.0"
kernel void f(void) { while (1) { void (^b)(void) = ^{ break; }; } }
//# block_goto_escapes options="-cl-std=CL2.0"
kernel void f(void) { l: ; void (^b)(void) = ^{ goto l; }; }
//# block_storage_qualifier options="-cl-std=CL2.0"
kernel void f(void) { __block int x = 1; }
//# block_captures_block options="-cl-std=CL2.0"
kernel void f(void) { void (^a)(void) = ^{ }; void (^b)(void) = ^{ a(); }; }
//# block_assigned_number options="-cl-std=CL2.0"
kernel void f(void) { void (^b)(void) = 5; }
//# block_pointer_of_int options="-cl-std=CL2.0"
kernel void f(void) { int ^b; }
//# block_parameter_of_function options="-cl-std=CL2.0"
int g(int (^b)(int), int x) { return b(x); }
//# block_parameter_of_kernel options="-cl-std=CL2.0"
typedef int (^B)(void); kernel void g(B b) { }
//# block_parameter_of_block options="-cl-std=CL2.0"
kernel void k(void) { void (^b)(int (^)(void)) = ^(int (^c)(void)) { c(); }; }
//# block_returned_through_typedef options="-cl-std=CL2.0"
typedef int (^B)(void); B g(void);
//# block_refers_to_itself options="-cl-std=CL2.0"
kernel void k(global int *p) { int (^b)(int) = ^(int x) { if (x) return b(x - 1); return 0; }; }
//# block_recursive_at_file_scope options="-cl-std=CL2.0" differs="§6.11: recursion is not supported"
int (^b)(int) = ^(int x) { if (x) return b(x - 1); return 0; };
//# block_inferred_char options="-cl-std=CL2.0"
kernel void k(global int *p) { int (^d)(void) = ^{ return (char)1; }; }
//# block_inferred_void_then_int options="-cl-std=CL2.0"
kernel void k(global int *p) { int (^h)(void) = ^{ if (p[0]) return; return 1; }; }
//# block_result_type_differs options="-cl-std=CL2.0"
kernel void k(global int *p) { int (^h)(void) = ^long(void) { return 1; }; }
//# block_too_few_arguments options="-cl-std=CL2.0"
kernel void k(global int *p) { int (^b)(int) = ^(int x) { return x; }; p[0] = b(); }
//# block_local_variable options="-cl-std=CL2.0" differs="§6.7.6: in the local address space are kernel scope variables and what pointers point to; the body of a block is not a kernel scope"
kernel void k(global int *p) { void (^b)(void) = ^{ local int x; x = 1; }; }
//# block_captured_incremented options="-cl-std=CL2.0"
kernel void k(global int *p) { int x = 1; void (^b)(void) = ^{ x++; }; }
//# block_captured_member_assigned options="-cl-std=CL2.0"
kernel void k(global int *p) { struct { int a; } s = {1}; void (^b)(void) = ^{ s.a = 1; }; }
//# block_captured_lane_assigned options="-cl-std=CL2.0"
kernel void k(global int *p) { int4 v = 0; void (^b)(void) = ^{ v.x = 1; }; }
//# block_captured_address options="-cl-std=CL2.0"
kernel void k(global int *p) { int x = 1; void (^b)(void) = ^{ const int *q = &x; }; }
//# block_case_escapes options="-cl-std=CL2.0"
kernel void k(global int *p) { switch (p[0]) { case 1: ; void (^c)(void) = ^{ case 2: ; }; } }
//# block_continue_escapes options="-cl-std=CL2.0"
kernel void k(global int *p) { for (;;) { void (^c)(void) = ^{ continue; }; } }
//# block_compared options="-cl-std=CL2.0"
kernel void k(global int *p) { int (^b)(void) = ^{ return 1; }; p[0] = b == b; }
//# block_negated options="-cl-std=CL2.0"
kernel void k(global int *p) { int (^b)(void) = ^{ return 1; }; p[0] = !b; }
//# block_in_sum options="-cl-std=CL2.0"
kernel void k(global int *p) { int (^b)(void) = ^{ return 1; }; p[0] = b + 1; }
//# block_subscripted options="-cl-std=CL2.0"
kernel void k(global int *p) { int (^b)(void) = ^{ return 1; }; p[0] = b[0]; }
//# block_size options="-cl-std=CL2.0" differs="§6.14.2: a Block’s size may not be computed at compile time"
kernel void k(global int *p) { int (^b)(void) = ^{ return 1; }; p[0] = sizeof(b); }
//# block_file_scope_without_initialiser options="-cl-std=CL2.0"
int (^b)(void);
//# block_file_scope_assigned options="-cl-std=CL2.0"
int (^b)(void) = ^{ return 1; }; kernel void k(void) { b = ^{ return 0; }; }
//# block_static_captures options="-cl-std=CL2.0"
kernel void k(global int *p) { int x = p[0]; static int (^s)(void) = ^{ return x; }; p[1] = s(); }
//# block_union_member options="-cl-std=CL2.0"
union u { int a; void (^b)(void); };
//# block_typedef_array options="-cl-std=CL2.0"
typedef int (^B)(void); kernel void k(void) { B b[2]; }
//# block_typedef_pointer options="-cl-std=CL2.0"
typedef int (^B)(void); kernel void k(void) { B *b; }
//# block_pointer_to_function options="-cl-std=CL2.0"
kernel void k(void) { int (*^w)(void) = 0; }
//# block_before_2_0 options="-cl-std=CL1.2"
kernel void k(global int *p) { p[0] = ^{ return 1; }(); }
//# block_other_parameter options="-cl-std=CL2.0"
kernel void k(void) { int (^c)(int) = ^{ return 1; }; }
//# block_in_ternary_of_literals options="-cl-std=CL2.0" differs="§6.14.5: blocks cannot be used as expressions of the ternary selection operator"
kernel void k(int c) { (c ? ^{ return 1; } : ^{ return 2; })(); }
//# block_undeclared_inside options="-cl-std=CL2.0"
kernel void k(global int *p) { void (^b)(void) = ^{ p[0] = later; }; int later = 1; b(); }
//# block_name_of_inside options="-cl-std=CL2.0"
kernel void k(global int *p) { void (^b)(void) = ^{ int inner = 1; }; p[0] = inner; }
//# block_captured_array_assigned options="-cl-std=CL2.0"
kernel void k(global int *p) { int a[2] = {1, 2}; void (^b)(void) = ^{ a[0] = 1; }; }
//# block_in_comma options="-cl-std=CL2.0"
kernel void k(global int *p) { int (^b)(void) = ^{ return 1; }; (b, p)[1] = 2; }
//# block_called_in_comma options="-cl-std=CL2.0"
kernel void k(global int *p) { p[0] = (p[1], ^{ return 4; })(); }
