//# missing_semicolon
kernel void f(global int *p) {
    int a = 1
    p[0] = a;
}
//# missing_semicolon_after_call
int g(int x) { return x; }
kernel void f(global int *p) {
    p[0] = g(1)
    p[1] = 2;
}
//# missing_semicolon_before_brace
kernel void f(global int *p) {
    p[0] = 1
}
//# missing_semicolon_after_struct
struct s { int a; }
kernel void f(global int *p) { p[0] = 1; }
//# missing_closing_brace
kernel void f(global int *p) {
    if (p[0]) {
        p[1] = 1;
}
//# extra_closing_brace
kernel void f(global int *p) {
    p[0] = 1;
}}
//# missing_closing_parenthesis
kernel void f(global int *p) {
    p[0] = (p[1] + 2;
}
//# extra_closing_parenthesis
kernel void f(global int *p) {
    p[0] = p[1] + 2);
}
//# missing_bracket
kernel void f(global int *p) {
    p[0 = 1;
}
//# missing_operand
kernel void f(global int *p) {
    p[0] = p[1] + ;
}
//# missing_colon
kernel void f(global int *p) {
    p[0] = p[1] ? 2;
}
//# missing_parentheses_of_if
kernel void f(global int *p) {
    if p[0] return;
}
//# missing_condition
kernel void f(global int *p) {
    while () p[0]++;
}
//# else_without_if
kernel void f(global int *p) {
    p[0] = 1;
    else p[0] = 2;
}
//# for_with_commas
kernel void f(global int *p) {
    for (int i = 0, i < 4, i++) p[i] = i;
}
//# case_without_colon
kernel void f(global int *p) {
    switch (p[0]) { case 1 p[1] = 2; }
}
//# declaration_as_body
kernel void f(global int *p) {
    if (p[0]) int a = 1;
}
//# nested_function
kernel void f(global int *p) {
    int g(int x) { return x; }
    p[0] = 1;
}
//# two_types
kernel void f(void) { int float a; }
//# no_type
kernel void f(void) { const a = 1; }
//# initialised_member
struct s { int a = 1; int b; };
kernel void f(global int *p, struct s v) { p[0] = v.a + v.b; }
//# default_argument
int g(int x = 1) { return x; }
//# statement_at_file_level
constant int x = 1;
x = 2;
//# missing_comma
void g(int a int b) { }
