//# long_long differs="§6.3.4: `long long` is a reserved data type, which applications may not use"
kernel void k(global long *p) { long long x = 1; p[0] = x; }
//# bool_argument_of_a_kernel
kernel void k(bool b, global int *p) { p[0] = b; }
