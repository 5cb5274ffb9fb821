//# misspelt
kernel void f(global int *p) {
    int counter = 1;
    p[0] = countre;
}
//# missing_semicolon
kernel void f(global int *p) {
    int a = 1
    p[0] = a;
}
//# arguments
int g(int a, int b) { return a + b; }
kernel void f(global int *p) { p[0] = g(1); }
//# expansion
#define INNER(x) (x + undefined_name)
#define OUTER(x) INNER(x) * 2
kernel void f(global int *p) { p[0] = OUTER(p[1]); }
//# overloads
kernel void f(global float4 *p, int4 v) { p[0] = sin(v); }
//# redefinition
constant int a = 1;
constant int a = 2;
//# recursion
int odd(int n);
int even(int n) { return n == 0 ? 1 : odd(n - 1); }
int odd(int n) { return n == 0 ? 0 : even(n - 1); }
kernel void f(global int *p) { p[0] = even(5); }
//# warning
int g(int x) { if (x) return 1; }
