// Sobel's filter finds edges. Choose the camera, or drop a picture of yours,
// at the argument `photo`.
constant sampler_t nearest = CLK_NORMALIZED_COORDS_FALSE
                           | CLK_ADDRESS_CLAMP_TO_EDGE | CLK_FILTER_NEAREST;

float luma(read_only image2d_t image, int2 at)
{
    float3 colour = read_imagef(image, nearest, at).xyz;
    return dot(colour, (float3)(0.299f, 0.587f, 0.114f));
}

kernel void edges(read_only image2d_t photo, write_only image2d_t drawing,
                  float strength)
{
    int2 at = (int2)(get_global_id(0), get_global_id(1));
    float2 slope = 0.0f;
    for (int step = -1; step <= 1; ++step) {
        float weight = step == 0 ? 2.0f : 1.0f;
        float right = luma(photo, at + (int2)(1, step));
        float left = luma(photo, at + (int2)(-1, step));
        float below = luma(photo, at + (int2)(step, 1));
        float above = luma(photo, at + (int2)(step, -1));
        slope += weight * (float2)(right - left, below - above);
    }
    float ink = clamp(strength * length(slope), 0.0f, 1.0f);
    write_imagef(drawing, at, (float4)((float3)(1.0f - ink), 1.0f));
}
