// y = a * x + y over `count` vectors of four.
__kernel void saxpy(const uint count, const float a, __global const float4 *restrict x, __global float4 *restrict y)
{
    const size_t i = get_global_id(0);
    if (i < count)
        y[i] = a * x[i] + y[i];
}
