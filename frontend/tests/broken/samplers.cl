//# samplers and their initialisers
constant sampler_t nearest_edge = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP_EDGE | CLK_FILTER_NEAREST;
sampler_t linear = CLK_NORMALIZED_COORDS_TRUE | CLK_FILTER_LINEAR;

kernel void f(read_only image2d_t in, global float4 *p, global sampler_t *samplers) {
    const sampler_t s = 1.0f;
    sampler_t t;
    t = nearest_edge;
    p[0] = read_imagef(in, nearest_edge, (float2)(0.5f, 0.5f));
    p[1] = read_imagef(in, samplers[0], (float2)(0.5f, 0.5f));
}
