//# misspelt functions, types and variables
float3 reflct(float3 v, float3 n) {
    return v - 2.0f * dot(v, n) * n;
}

kernel void shade(global float4 *pixels, const uint width) {
    const size_t x = get_gloabl_id(0), y = get_global_id(1);
    float3 direction = normalise((float3)(x, y, 1.0f));
    flaot brightness = fmax(direction.z, 0.0f);
    float3 bounced = reflect(direction, (float3)(0.0f, 1.0f, 0.0f));
    pixels[y * widht + x] = (float4)(bounced * brightness, 1.0f);
}
