//# no_return
int g(int x) { x++; }
//# return_not_everywhere
int g(int x) { if (x) return 1; }
//# returns_everywhere
int g(int x) { if (x) return 1; else return 2; }
int h(int x) { for (;;) { if (x++ > 5) return x; } }
int i(int x) { switch (x) { case 1: return 1; default: return 2; } }
int j(int x) { do { return x; } while (x); }
int k(int x) { while (1) { if (x++ > 5) break; } return x; }
//# unused_value
kernel void f(global int *p) { p[0] == 1; p[1] + 2; p[2]; }
//# assigned_condition
kernel void f(global int *p, int a) { if (a = 1) p[0] = a; while ((a = p[1])) p[2]++; }
//# empty_body
kernel void f(global int *p) { if (p[0]); p[1] = 1; }
//# precedence
kernel void f(global int *p, int a, int b) { p[0] = a || b && p[1]; p[1] = a & b == 1; p[2] = 1 << a + b; }
//# changed_constant
kernel void f(global uchar *p, global char *q) { p[0] = 300; p[1] = -1; q[0] = 255; q[1] = -128; q[2] = 1.5f; }
//# comparison
kernel void f(global int *p, uchar a, short b) { p[0] = a == 300; p[1] = a < 256; p[2] = 40000 > b; p[3] = a > 255; }
//# shift_count
kernel void f(global int *p) { p[0] = p[1] << 32; p[2] = p[1] >> -1; }
//# division_by_zero
kernel void f(global int *p) { p[0] = p[1] / 0; p[1] = p[2] % 0; }
//# array_index
kernel void f(global int *p) { int a[4] = { 0 }; p[0] = a[5] + a[-1] + a[3]; }
//# pointer_types
kernel void f(global int *p) { global float *q = p; q[0] = 1.0f; }
//# pointer_qualifiers
kernel void f(global const int *p) { global int *q = p; q[0] = 1; }
//# pointer_and_integer
kernel void f(global int *p) { p[0] = p == 5; }
//# distinct_pointers
kernel void f(global int *p, global float *q) { p[0] = p == q; }
//# excess_elements
kernel void f(global int *p) { int a[2] = { 1, 2, 3 }; p[0] = a[0]; }
//# unknown_attribute
kernel void f(global int *p) { int x __attribute__((made_up)) = 1; p[0] = x; }
//# unknown_pragma
#pragma made_up
kernel void f(global int *p) { p[0] = 1; }
//# unknown_extension
#pragma OPENCL EXTENSION cl_made_up : enable
kernel void f(global int *p) { p[0] = 1; }
//# extra_tokens
#ifdef X
#endif X
kernel void f(global int *p) { p[0] = 1; }
//# macro_redefined
#define N 1
#define N 2
kernel void f(global int *p) { p[0] = N; }
//# unnamed_parameter
int g(int) { return 1; }
//# work_group_size_twice
kernel __attribute__((reqd_work_group_size(8, 1, 1))) __attribute__((reqd_work_group_size(4, 1, 1))) void f(void) { }
//# empty_declaration
kernel void f(global int *p) { int; p[0] = 1; }
//# silenced options="-cl-std=CL3.0 -w"
int g(int x) { x == 1; }
//# as_error options="-cl-std=CL3.0 -Werror"
int g(int x) { x++; }
//# signs_of_constants
kernel void f(global long *p, global char *q) { p[0] = 0xffffffffffffffff; q[0] = 255u; q[1] = 256u; }
//# unsequenced
int g(int a, int b) { return a + b; }
struct pair { int first, second; };
kernel void f(global int *p, int i, int j, int2 v) {
    i = i++ + i;
    p[i] = i++;
    j = j++;
    j += ++j;
    p[0] = (i++, i) + j;
    p[2] = max(j++, j);
    p[j++] = j;
    i = i = 3;
    i = ++i + 1;
    int a[2] = { i++, i++ };
    struct pair s = (struct pair){ i++, i };
    v = (int2)(i++, i++);
    j = i << i++;
    i <<= i++;
    p[i++] = p[i++];
    p[0] = g(i++, j) + i;
    p[0] = (j && i++) + i;
    p[0] = (1 || i++) + i;
    p[0] = (j ? i++ : 0) + i;
    i += i += 1;
    p += p[0]++ + *p++;
    while (*p++ == *p) ;
    if (i++ == i) return;
    *p++ = p[0];
}
//# sequenced
int g(int a, int b) { return a + b; }
struct pair { int first, second; };
kernel void f(global int *p, int i, int j, int2 v) {
    i = i + 1;
    p[i] = i, i++;
    i = (i++, 5);
    j = g(i++, j--);
    p[0] = i ? i++ : i--;
    for (int k = 0; k < 5; p[k] = k, k++) i += k;
    v.x = v.y++;
    v.x = v.x++;
    i += j++ + p[0];
    p[1] = i++ && i ? i++ : i--;
    j = (i = 3, i);
    i = g(i++, j);
    i = p[i]++;
    p[0] = p[0]++;
    p[0] = (0 && i++) + i;
    p[0] = (1 ? i : i++) + i;
    p[0] = (sizeof(i) == 4 ? i : i++) + i;
    struct pair s = { i, j++ };
    s.first = s.first++;
    while ((*p++ = i++)) ;
}
//# unsequenced_cxx options="-cl-std=CLC++2021"
int g(int a, int b) { return a + b; }
template <typename T> T twice(T x) { return x++ + x; }
struct counter {
    int value;
    int next(int by) { return by++ * by; }
};
kernel void f(global int *p, int i, int j) {
    i = i++ + i;
    p[2] = max(j++, j);
    p[0] = g(++i, ++i);
    p[0] = (j && i++) + i;
    j = (i = 3) + (i = 4);
    int q = i++ + i++;
    for (int k = i++ + i; k++ < k; k = k++ - --k) ;
    if (i++ == i) return;
    p[0] = twice(i) + twice(2l) + counter{1}.next(3);
    auto l = [](int x) { return x++ | x; };
    p[0] = l(3);
    return (void)(i++ + i);
}
//# sequenced_cxx options="-cl-std=CLC++2021"
int g(int a, int b) { return a + b; }
struct counter {
    int value;
    counter &operator++() { ++value; return *this; }
};
kernel void f(global int *p, int i, int j) {
    i = i++;
    p[i] = i++;
    i = ++i + 1;
    j += ++j;
    i = i = 3;
    i += i += 1;
    p[i++] = p[i++];
    p[i++] = i;
    j = i++ << i;
    i <<= i++;
    int a[2] = { i++, i++ };
    int b[2]{ i++, i };
    int2 v = (int2)(i++, i);
    int &r = i;
    r = r++;
    counter c{i};
    for (int x : a) p[0] += x;
    (++c).value = (++c).value + 1;
    p += *p++;
    switch (int k = i++) { default: p[k] = k++; }
}
