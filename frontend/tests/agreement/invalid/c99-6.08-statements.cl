//# break_outside
kernel void f(void) { break; }
//# break_in_if
kernel void f(int c) { if (c) break; }
//# continue_outside
kernel void f(void) { continue; }
//# continue_in_switch
kernel void f(int c) { switch (c) { case 1: continue; } }
//# case_outside
kernel void f(int c) { case 1: ; }
//# default_outside
kernel void f(int c) { default: ; }
//# case_twice
kernel void f(int c) { switch (c) { case 1: break; case 1: break; } }
//# case_twice_by_expression
kernel void f(int c) { switch (c) { case 3: break; case 1 + 2: break; } }
//# case_twice_after_conversion
kernel void f(uchar c) { switch (c) { case 1: break; case 1u: break; } }
//# default_twice
kernel void f(int c) { switch (c) { default: break; default: break; } }
//# case_not_constant
kernel void f(int c, int n) { switch (c) { case n: break; } }
//# case_float
kernel void f(int c) { switch (c) { case 1.5f: break; } }
//# case_vector
kernel void f(int c) { switch (c) { case (int2)(1, 2): break; } }
//# case_without_value
kernel void f(int c) { switch (c) { case : break; } }
//# case_without_colon
kernel void f(int c) { switch (c) { case 1 break; } }
//# case_range_overlaps
kernel void f(int c) { switch (c) { case 1 ... 5: break; case 3: break; } }
//# switch_of_float
kernel void f(float c) { switch (c) { case 1: break; } }
//# switch_of_pointer
kernel void f(global int *c) { switch (c) { case 1: break; } }
//# switch_of_vector
kernel void f(int4 c) { switch (c) { case 1: break; } }
//# switch_of_struct
struct s { int a; };
kernel void f(struct s c) { switch (c) { case 1: break; } }
//# switch_without_parentheses
kernel void f(int c) { switch c { case 1: break; } }
//# label_undefined
kernel void f(void) { goto l; }
//# label_twice
kernel void f(void) { l: ; l: ; }
//# label_of_other_function
void g(void) { l: ; }
kernel void f(void) { goto l; }
//# label_at_end_without_statement_twice
kernel void f(void) { goto 5; }
//# goto_without_label
kernel void f(void) { goto; }
//# goto_computed
kernel void f(global int *p) { goto *p; }
//# if_without_parentheses
kernel void f(int c) { if c return; }
//# if_without_condition
kernel void f(int c) { if () return; }
//# if_without_statement
kernel void f(int c) { if (c) }
//# else_without_if
kernel void f(int c) { else return; }
//# else_after_two_statements
kernel void f(int c) { if (c) c = 1; c = 2; else c = 3; }
//# while_without_condition
kernel void f(int c) { while () { } }
//# do_without_while
kernel void f(int c) { do { c++; } }
//# do_without_semicolon
kernel void f(int c) { do { c++; } while (c < 5) }
//# for_with_two_clauses
kernel void f(int c) { for (int i = 0; i < c) { } }
//# for_with_commas
kernel void f(int c) { for (int i = 0, i < c, i++) { } }
//# for_with_four_clauses
kernel void f(int c) { for (int i = 0; i < c; i++; c++) { } }
//# for_without_parentheses
kernel void f(int c) { for int i = 0; i < c; i++ { } }
//# for_with_struct_condition
struct s { int a; };
kernel void f(struct s v) { for (; v; ) { } }
//# return_without_semicolon
int g(int x) { return x }
//# return_of_struct_type
struct s { int a; };
struct s g(int x) { return x; }
//# return_of_void_call_from_int
void h(void) { }
int g(void) { return h(); }
//# return_address_of_local_of_other_space
global int *g(void) { int x; return &x; }
//# declaration_after_case_without_type
kernel void f(int c) { switch (c) { case 1: x = 2; } }
//# declaration_as_body_of_if
kernel void f(int c) { if (c) int x = 1; }
//# declaration_as_body_of_for
kernel void f(int c) { for (;;) int x = 1; }
//# declaration_as_body_of_while
kernel void f(int c) { while (c) int x = 1; }
//# statement_missing_brace
kernel void f(int c) { if (c) { c = 1; 
kernel void g(int c) { }
//# stray_closing_parenthesis
kernel void f(int c) { c = 1); }
//# stray_else_brace
kernel void f(int c) { if (c) { c = 1; } } else { c = 2; }
//# goto_keyword_split
kernel void f(int c) { l: go to l; }
//# throw_statement
kernel void f(int c) { throw c; }
//# try_statement
kernel void f(int c) { try { c = 1; } catch (...) { } }
//# nested_function_definition_of_kernel
kernel void f(int c) { kernel void g(int d) { } }
//# expression_statement_without_semicolon
int g(int x) { return x; }
kernel void f(int c) { g(c) }
//# two_expressions
kernel void f(int a, int b) { a b; }
//# unroll_pragma_alone_in_if
kernel void f(int c) { if (c) ; else else ; }
