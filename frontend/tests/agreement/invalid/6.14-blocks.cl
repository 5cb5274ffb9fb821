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
