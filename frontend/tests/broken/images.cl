//# images and samplers used in the wrong way
kernel void f(read_only image2d_t in, write_only image2d_t out, sampler_t smp, global float4 *p) {
    int2 at = (int2)(get_global_id(0), get_global_id(1));
    float4 c = read_imagef(in, at, smp);
    float4 d = read_imagef(out, smp, at);
    write_imagef(in, at, c);
    write_imagef(out, at, c.xyz);
    uint4 e = read_imagef(in, smp, at);
    p[0] = in[at.y];
    image2d_t copy = in;
    p[1] = read_imagef(in, smp, (float3)(0.0f));
}
