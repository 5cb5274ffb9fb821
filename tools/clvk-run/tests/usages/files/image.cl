__kernel void copy(__read_only image2d_t from, __write_only image2d_t to) {
    int2 p = (int2)(get_global_id(0), get_global_id(1));
    write_imagef(to, p, read_imagef(from, p));
}
__kernel void sampled(__read_only image2d_t from, sampler_t s, __global float4 *to) {
    to[0] = read_imagef(from, s, (float2)(0.5f));
}
