//# printf_of_every_conversion options="-cl-std=CL3.0"
kernel void f(int i, uint u, long l, ulong m, float x, double d, char c, global int *p) {
    printf("%d %i %o %u %x %X %f %F %e %E %g %G %a %A %c %s %p %%", i, i, u, u, u, u, x, d, x, d, x, d, x, d, c, "text", p);
    printf("%hhd %hd %ld %lu % +-#08.3d", c, (short)i, l, m, i);
}
//# printf_of_vectors options="-cl-std=CL3.0"
kernel void f(char4 c, short2 s, int3 i, long8 l, float16 x, double2 d) {
    printf("%v4hhd %v2hx %v3hld %v8lu %8.3v16hlf %v2le", c, s, i, l, x, d);
}
//# printf_has_a_result options="-cl-std=CL1.2"
kernel void f(global int *p) { p[0] = printf("x") || printf("%d\n", p[1]) < 0; }
//# printf_of_strings_in_constant_memory options="-cl-std=CL3.0"
constant char format[] = "%d %s\n";
constant char text[4] = { 'a', 'b', 'c', 0 };
kernel void f(int i) { printf(format, i, text); printf("a" "b" "%s", "c" "d"); }
//# printf_in_a_function options="-cl-std=CL3.0"
void say(const int n) { if (n) printf("%d", n); else printf("nothing"); }
kernel void f(int i) { say(i); (void)printf(""); }
//# printf_is_a_name_that_may_be_taken options="-cl-std=CL1.2"
kernel void f(global int *p) { int printf = 3; p[0] = printf; }
//# printf_of_strings_that_are_passed options="-cl-std=CL3.0"
constant char *constant names[] = { "a", "b" };
void say(constant char *what, constant const uchar *bytes, int i) { printf("%s %s %s %s", what, bytes, i ? "c" : what, names[i]); }
kernel void f(constant char *text, int i) { say(text, (constant uchar *)text, i); printf("%s", NULL); printf(text, i); printf(i ? "%d" : names[1], i); }
//# printf_of_strings_in_any_memory options="-cl-std=CL3.0"
kernel void f(global char *g, local uchar *l, constant void *v) { char own[2] = "a"; const char *any = g ? (const char *)g : own; printf("%s %s %s %s %s", g, l, own, any, v); }
//# printf_of_formats_in_any_memory options="-cl-std=CL3.0" differs="cl_ext_relaxed_printf_string_address_space: the format string may be in any address space"
kernel void f(global char *g, int i) { printf(g, i); }
