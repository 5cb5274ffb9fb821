// Sums `count` vectors of four into one float per work-group: each work-item first adds up a strided part,
// then the group folds its sums in local memory. Launched twice: many groups over the data, one group over
// their sums.

__kernel void reduce_sum(__global const float4 *restrict in, const uint count, __global float *restrict sums,
                         __local float *scratch)
{
    const uint lid = get_local_id(0);
    const uint stride = get_global_size(0);

    float4 part = (float4)(0.0f);
    for (uint i = get_global_id(0); i < count; i += stride)
        part += in[i];
    scratch[lid] = (part.x + part.y) + (part.z + part.w);
    barrier(CLK_LOCAL_MEM_FENCE);

    for (uint half_size = get_local_size(0) / 2; half_size > 0; half_size >>= 1) {
        if (lid < half_size)
            scratch[lid] += scratch[lid + half_size];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (lid == 0)
        sums[get_group_id(0)] = scratch[0];
}
