// Every pair of bytes, and given pairs of the other types.
#define UNSIGNED(T, N)                                                                                                  \
    __kernel void unsigned_##T(__global const T *as, __global const T *bs, __global T *out) {                           \
        size_t i = get_global_id(0);                                                                                    \
        T a = as[i], b = bs[i], d = b ? b : (T)1;                                                                       \
        __global T *o = out + i * 16;                                                                                   \
        o[0] = a + b; o[1] = a - b; o[2] = a * b; o[3] = a / d; o[4] = a % d;                                           \
        o[5] = a << (b & (N - 1)); o[6] = a >> (b & (N - 1)); o[7] = min(a, b); o[8] = max(a, b);                       \
        o[9] = mul_hi(a, b); o[10] = clz(a); o[11] = popcount(a); o[12] = (a < b) | (a <= b) << 1 | (a == b) << 2;      \
        o[13] = -a ^ ~b; o[14] = a > b ? a : b; o[15] = rotate(a, b);                                                   \
    }
#define SIGNED(T, U, N)                                                                                                 \
    __kernel void signed_##T(__global const T *as, __global const T *bs, __global T *out) {                             \
        size_t i = get_global_id(0);                                                                                    \
        T a = as[i], b = bs[i];                                                                                         \
        T d = b == 0 || (b == -1 && a == (T)((U)1 << (N - 1))) ? (T)1 : b;                                              \
        __global T *o = out + i * 8;                                                                                    \
        o[0] = a / d; o[1] = a % d; o[2] = a >> (b & (N - 1)); o[3] = min(a, b); o[4] = max(a, b);                      \
        o[5] = mul_hi(a, b); o[6] = (a < b) | (a <= b) << 1 | (a != b) << 2; o[7] = add_sat(a, b);                      \
    }
UNSIGNED(uchar, 8)
UNSIGNED(ushort, 16)
UNSIGNED(ulong, 64)
SIGNED(char, uchar, 8)
SIGNED(short, ushort, 16)
SIGNED(long, ulong, 64)

#define BY(n, c) o[2 * n] = a / c; o[2 * n + 1] = a % c;
#define BY_SIGNED(n, c) o[2 * n] = (ulong)((long)a / c); o[2 * n + 1] = (ulong)((long)a % c);
__kernel void by_constants(__global const ulong *as, __global ulong *out) {
    size_t i = get_global_id(0);
    ulong a = as[i];
    __global ulong *o = out + i * 32;
    BY(0, 3UL) BY(1, 7UL) BY(2, 10UL) BY(3, 1000000007UL) BY(4, 0xffffffffUL) BY(5, 0x100000001UL)
    BY(6, 0x7fffffffffffffffUL) BY(7, 0x8000000000000001UL) BY(8, 0xffffffffffffffffUL) BY(9, 0x100000000UL)
    BY_SIGNED(10, 3L) BY_SIGNED(11, -7L) BY_SIGNED(12, 1000L) BY_SIGNED(13, -0x100000001L)
    BY_SIGNED(14, 0x7fffffffffffffffL) BY_SIGNED(15, (-0x7fffffffffffffffL - 1))
}

__kernel void vectors_ulong(__global const ulong *as, __global const ulong *bs, __global ulong *out) {
    size_t i = get_global_id(0);
    ulong4 a = vload4(i, as), b = vload4(i, bs) | (ulong4)(1);
    vstore4(a / b + a % b * b.wzyx, i, out);
}

__kernel void choose(__global const long *as, __global long *out) {
    size_t i = get_global_id(0);
    switch (as[i]) {
    case 0: out[i] = 10; break;
    case -1: out[i] = 11; break;
    case 0x100000000L: out[i] = 12; break;
    case 1: out[i] = 13; break;
    default: out[i] = as[i];
    }
}

__kernel void to_float(__global const long *as, __global float *out) {
    size_t i = get_global_id(0);
    long a = as[i];
    __global float *o = out + i * 10;
    o[0] = a; o[1] = (float)(ulong)a;
    o[2] = convert_float_rtz(a); o[3] = convert_float_rtp(a); o[4] = convert_float_rtn(a);
    o[5] = convert_float_rtz((ulong)a); o[6] = convert_float_rtp((ulong)a); o[7] = convert_float_rtn((ulong)a);
    o[8] = convert_float_rtz((int)a); o[9] = convert_float_rtp((uint)a);
}

__kernel void from_float(__global const float *as, __global long *out) {
    size_t i = get_global_id(0);
    float a = as[i];
    __global long *o = out + i * 4;
    o[0] = fabs(a) < 9.2e18f ? (long)a : 0; o[1] = a > -1.0f && a < 1.8e19f ? (long)(ulong)a : 0;
    o[2] = convert_long_sat(a); o[3] = convert_ulong_sat(a);
}
