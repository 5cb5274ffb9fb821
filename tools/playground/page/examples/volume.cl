// A volume: one kernel fills an image of three dimensions, another looks through it.

// A surface that parts two labyrinths (a gyroid), inside a ball. The fourth channel is how dense it is.
kernel void fill(write_only image3d_t volume)
{
    int4 at = (int4)(get_global_id(0), get_global_id(1), get_global_id(2), 0);
    float4 sides = convert_float4(get_image_dim(volume));
    float3 place = (convert_float3(at.xyz) + 0.5f) / sides.xyz * 2.0f - 1.0f;
    float3 wave = place * 7.0f;
    float height = dot(native_sin(wave), native_cos(wave.yzx));
    float dense = clamp(2.0f - 4.0f * fabs(height), 0.0f, 1.0f) * (length(place) < 0.9f);
    write_imagef(volume, at, (float4)(0.5f + 0.5f * place, dense));
}

constant sampler_t smooth = CLK_NORMALIZED_COORDS_TRUE | CLK_ADDRESS_CLAMP_TO_EDGE | CLK_FILTER_LINEAR;

// Each pixel looks along a ray, from front to back, and adds what it meets until nothing behind is seen.
kernel void look(read_only image3d_t volume, write_only image2d_t picture, float time)
{
    int2 at = (int2)(get_global_id(0), get_global_id(1));
    float2 middle = convert_float2(get_image_dim(picture)) * 0.5f;
    float2 pixel = (convert_float2(at) + 0.5f - middle) / middle.y;
    float turn = sin(0.4f * time), ahead = cos(0.4f * time);

    float3 seen = 0.0f;
    float left = 1.0f;
    for (int step = 0; step < 64 && left > 0.02f; ++step) {
        float depth = (step + 0.5f) / 32.0f - 1.0f;
        float3 place = (float3)(pixel.x * ahead + depth * turn, pixel.y, depth * ahead - pixel.x * turn);
        if (length(place) >= 1.0f)
            continue;
        float4 here = read_imagef(volume, smooth, (float4)(place * 0.5f + 0.5f, 0.0f));
        // What is deeper is darker.
        float part = left * here.w * 0.35f;
        seen += part * here.xyz * (1.25f - 0.5f * (depth + 1.0f));
        left -= part;
    }
    write_imagef(picture, at, (float4)(seen + left * (float3)(0.05f, 0.06f, 0.09f), 1.0f));
}
