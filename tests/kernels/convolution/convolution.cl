// Convolves a picture with a square filter of 2 * RADIUS + 1 weights a side. The sampler, which must use
// unnormalised coordinates and the nearest pixel, determines the values outside the picture.

#ifndef RADIUS
#define RADIUS 2
#endif
#define SIDE (2 * RADIUS + 1)

__kernel void convolution(__read_only image2d_t in, __write_only image2d_t out, sampler_t sampler,
                          __constant float *weights)
{
    const int2 place = (int2)(get_global_id(0), get_global_id(1));
    if (any(place >= get_image_dim(out)))
        return;

    float4 sum = (float4)(0.0f);
    for (int y = -RADIUS; y <= RADIUS; ++y) {
        for (int x = -RADIUS; x <= RADIUS; ++x) {
            const float weight = weights[(y + RADIUS) * SIDE + x + RADIUS];
            sum += weight * read_imagef(in, sampler, place + (int2)(x, y));
        }
    }
    write_imagef(out, place, (float4)(sum.xyz, 1.0f));
}
