__kernel void doubles(__global const double *as, __global const double *bs, __global double *out, __global long *ints) {
    size_t i = get_global_id(0);
    double a = as[i], b = bs[i];
    __global double *o = out + i * 6;
    o[0] = a + b; o[1] = a - b; o[2] = a * b; o[3] = -a; o[4] = (double)(float)a; o[5] = fma(a, 1.0, b);
    ints[i * 3] = (a < b) | (a <= b) << 1 | (a == b) << 2 | (a != b) << 3;
    ints[i * 3 + 1] = as_long(a);
    ints[i * 3 + 2] = fabs(a) < 9e18 ? (long)a : 0;
}
__kernel void double_vectors(__global const double *in, __global double *out, long k) {
    size_t i = get_global_id(0);
    double4 a = vload4(i, in);
    double3 b = vload3(i, in);
    vstore4(a.wzyx + (double4)(b, (double)k), i, out);
}
