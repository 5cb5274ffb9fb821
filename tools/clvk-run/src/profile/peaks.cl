// Kernels that show what a device can do at most.

kernel void copy(global const float4 *in, global float4 *out)
{
    size_t i = get_global_id(0);
    out[i] = in[i];
}

kernel void multiply_and_add(global float *out, float a, float b, int rounds)
{
    float4 x0 = (float4)(get_global_id(0), 1, 2, 3), x1 = x0 + 1, x2 = x0 + 2, x3 = x0 + 3;
    float4 x4 = x0 + 4, x5 = x0 + 5, x6 = x0 + 6, x7 = x0 + 7;
    for (int i = 0; i < rounds; i++) {
        x0 = x0 * a + b;
        x1 = x1 * a + b;
        x2 = x2 * a + b;
        x3 = x3 * a + b;
        x4 = x4 * a + b;
        x5 = x5 * a + b;
        x6 = x6 * a + b;
        x7 = x7 * a + b;
    }
    float4 sum = x0 + x1 + x2 + x3 + x4 + x5 + x6 + x7;
    out[get_global_id(0)] = sum.x + sum.y + sum.z + sum.w;
}
