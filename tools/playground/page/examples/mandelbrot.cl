// The Mandelbrot set. Drag the picture to move it, turn the wheel to zoom.
kernel void mandelbrot(write_only image2d_t picture, float2 centre,
                       float scale, int limit)
{
    int2 at = (int2)(get_global_id(0), get_global_id(1));
    float2 middle = 0.5f * convert_float2(get_image_dim(picture));
    float2 c = centre + (convert_float2(at) - middle) * scale;

    float2 z = 0.0f;
    int steps = 0;
    while (dot(z, z) < 64.0f && steps < limit) {
        z = (float2)(z.x * z.x - z.y * z.y, 2.0f * z.x * z.y) + c;
        ++steps;
    }

    float4 colour = (float4)(0.0f, 0.0f, 0.0f, 1.0f);
    if (steps < limit) {
        // A smooth count, so that there are no bands.
        float count = steps + 1 - log2(0.5f * log2(dot(z, z)));
        float3 phase = (float3)(0.0f, 0.55f, 1.1f) + 0.16f * count;
        colour.xyz = 0.5f - 0.5f * cos(phase);
    }
    write_imagef(picture, at, colour);
}
