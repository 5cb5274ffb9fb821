// Waves on a pond: press the mouse to throw a stone. After each frame,
// `before`, `now` and `next` change places.
kernel void wave(global const float *before, global const float *now,
                 global float *next, int2 size, int4 mouse, int frame)
{
    int x = get_global_id(0), y = get_global_id(1);
    int at = y * size.x + x;
    int left = max(x - 1, 0), right = min(x + 1, size.x - 1);
    int above = max(y - 1, 0), below = min(y + 1, size.y - 1);

    float bend = now[y * size.x + left] + now[y * size.x + right]
               + now[above * size.x + x] + now[below * size.x + x]
               - 4.0f * now[at];
    float height = 0.996f * (2.0f * now[at] - before[at] + 0.24f * bend);

    // A stone of the mouse, and one that falls now and then.
    int2 stone = mouse.xy;
    if (!mouse.z)
        stone = (frame + 60) * (int2)(7919, 104729) % size;
    if (mouse.z || frame % 60 == 0) {
        float2 way = convert_float2((int2)(x, y) - stone);
        height -= 2.0f * exp(-0.08f * dot(way, way));
    }
    next[at] = height;
}

kernel void light(global const float *next, write_only image2d_t picture)
{
    int2 at = (int2)(get_global_id(0), get_global_id(1));
    int2 size = get_image_dim(picture);
    int2 beyond = min(at + 1, size - 1);
    float own = next[at.y * size.x + at.x];
    float right = next[at.y * size.x + beyond.x];
    float below = next[beyond.y * size.x + at.x];

    float shine = clamp(0.5f + 2.2f * (right + below - 2.0f * own), 0.0f, 1.0f);
    float3 colour = mix((float3)(0.05f, 0.16f, 0.26f),
                        (float3)(0.75f, 0.93f, 0.95f), shine * shine);
    write_imagef(picture, at, (float4)(colour, 1.0f));
}
