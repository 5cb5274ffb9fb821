//# none
kernel void f(void) { printf(); }
//# format_of_integers
kernel void f(global int *format) { printf(format); }
//# format_of_integer
kernel void f(void) { printf(5); }
//# string_of_integers
kernel void f(global int *text) { printf("%d %s", 1, text); }
//# string_is_number
kernel void f(void) { printf("%s", 1); }
//# too_few_arguments
kernel void f(int a) { printf("%d %d", a); }
//# too_many_arguments
kernel void f(int a) { printf("%d", a, a + 1); }
//# wrong_types
kernel void f(int i, float x, long l) { printf("%d %f %ld %p", x, i, i, l); }
//# wrong_vectors
kernel void f(float4 v, int2 w, char4 c) { printf("%v4f %v2hlf %v4hld %v4hhd %d", v, w, c, c, w); }
//# invalid_conversions
kernel void f(int a) { printf("%n %lld %q %*d %ls %v5hld %hlf", a); }
//# structure
struct S { int a; };
kernel void f(void) { struct S s = { 1 }; printf("%d", s); }
//# modifier_of_newer_version
kernel void f(void) { printf("%zu", get_global_id(0)); }
//# before_1_2 options="-cl-std=CL1.1"
kernel void f(void) { printf("a"); }
//# right_strings options="-cl-std=CL3.0 -Werror"
kernel void f(constant char *c, global uchar *g, local char *l, constant void *v)
{
    const char own[2] = "a", *any = own;
    printf("%s %s %s %s %s %s %s", c, g, l, own, (const char *)g, v, NULL);
    printf(c, 1, c); printf(own); printf(any ? any : own);
}
//# right options="-cl-std=CL3.1 -Werror"
constant char text[] = "text";
kernel void f(int4 v, float x, half2 h, double d, char c, global int *p)
{
    printf("%v4hld %5.1f %v2hg %lf %c %hhd %p %s %s %zu %td %%\n", v, x, h, d, c, c, p, "a", text, sizeof(int), p - p);
}
//# vectors_of_int_without_length options="-cl-std=CL3.0 -Werror"
kernel void f(int2 v, uint4 w) { printf("%v2d %v4u %v4x", v, w, w); }
