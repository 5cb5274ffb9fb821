#pragma OPENCL EXTENSION cl_khr_fp16 : enable
#ifndef cl_khr_fp16
#error "half precision is offered everywhere"
#endif

__kernel void storage(__global const half *in, __global float *loaded, __global ushort *copied, __global half *same) {
    size_t i = get_global_id(0);
    loaded[i] = vload_half(i, in);
    copied[i] = as_ushort(in[i]);
    same[i] = in[i];
}

__kernel void arithmetic(__global const half *as, __global const half *bs, __global half *out, __global int *ints) {
    size_t i = get_global_id(0);
    half a = as[i], b = bs[i];
    __global half *o = out + i * 8;
    o[0] = a + b; o[1] = a - b; o[2] = a * b; o[3] = a / b; o[4] = sqrt(a); o[5] = fma(a, b, as[i ^ 1]);
    o[6] = -a; o[7] = fmax(a, b);
    ints[i] = (a < b) | (a <= b) << 1 | (a == b) << 2 | (a != b) << 3;
}

__kernel void conversions(__global const half *as, __global int *out) {
    size_t i = get_global_id(0);
    half a = as[i];
    out[i * 4] = isnan((float)a) || isinf((float)a) ? 0 : (int)a;
    out[i * 4 + 1] = convert_char_sat(a);
    out[i * 4 + 2] = convert_uchar_sat(a);
    out[i * 4 + 3] = convert_short_sat(a);
}

__kernel void rounding(__global const float *in, __global half *out) {
    size_t i = get_global_id(0);
    float a = in[i];
    vstore_half(a, i * 6, out);
    vstore_half_rte(a, i * 6 + 1, out);
    vstore_half_rtz(a, i * 6 + 2, out);
    vstore_half_rtp(a, i * 6 + 3, out);
    vstore_half_rtn(a, i * 6 + 4, out);
    out[i * 6 + 5] = (half)convert_int_sat(a);
}

__kernel void vectors(__global const half *in, __global half *out) {
    size_t i = get_global_id(0);
    half4 a = vload4(i, in);
    half3 b = vload3(i, in);
    vstore4(a.wzyx + (half4)(1.0h, 2.0h, 3.0h, 4.0h), i, out);
    vstore_half3(vload_half3(i, in), i, out + 4 * get_global_size(0));
}

__kernel void widen(__global const half *in, __global float *out) {
    out[get_global_id(0)] = vload_half(get_global_id(0), in);
}
