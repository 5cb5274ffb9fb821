// The two-point angular correlation function: a histogram of the angles between the points of two sets on
// the unit sphere, in BINS bins of the angle's cosine. bounds[0] > bounds[1] > … > bounds[BINS]; bin b has
// the cosines below bounds[b] and not below bounds[b + 1]. Products and sums are not fused, so that every
// device sorts the same pairs into the same bin.

#pragma OPENCL FP_CONTRACT OFF

#define GROUP 256
#define BINS 20
// Copies of the histogram, so that work-items meet less often.
#define COPIES 16

// The number of bounds that are above `cosine`.
static inline uint bounds_above(__local const float *bounds, const float cosine)
{
    uint low = 0;
    uint high = BINS + 1;
    while (low < high) {
        const uint middle = (low + high) / 2;
        if (cosine < bounds[middle])
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

// Work-items along the first dimension have a point of the first set each; work-groups along the second
// share the tiles of the second set. A set with itself (`same`) counts each pair once.
__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1)))
void tpacf(__global const float4 *restrict first, __global const float4 *restrict second, const uint points,
           const uint same, __constant float *bounds, volatile __global uint *histogram)
{
    __local float4 tile[GROUP];
    __local float local_bounds[BINS + 1];
    volatile __local uint counts[BINS * COPIES];

    const uint lid = get_local_id(0);
    const uint i = get_global_id(0);
    const uint copy = lid % COPIES;

    if (lid < BINS + 1)
        local_bounds[lid] = bounds[lid];
    for (uint bin = lid; bin < BINS * COPIES; bin += GROUP)
        counts[bin] = 0;
    const float4 own = i < points ? first[i] : (float4)(0.0f);

    // With itself, the tiles before the work-group's own have only pairs that others count.
    const uint start = same ? get_group_id(0) : 0;
    const uint tiles = (points + GROUP - 1) / GROUP;
    for (uint t = start + get_group_id(1); t < tiles; t += get_num_groups(1)) {
        const uint begin = t * GROUP;
        const uint end = min(begin + GROUP, points);
        const uint from = same ? max(begin, i + 1) : begin;
        barrier(CLK_LOCAL_MEM_FENCE);
        if (begin + lid < end)
            tile[lid] = second[begin + lid];
        barrier(CLK_LOCAL_MEM_FENCE);
        for (uint j = i < points ? from : end; j < end; ++j) {
            const float4 other = tile[j - begin];
            const float cosine = own.x * other.x + own.y * other.y + own.z * other.z;
            const uint above = bounds_above(local_bounds, cosine);
            if (above > 0 && above <= BINS)
                atomic_inc(&counts[(above - 1) * COPIES + copy]);
        }
    }
    barrier(CLK_LOCAL_MEM_FENCE);

    if (lid < BINS) {
        uint sum = 0;
        for (uint part = 0; part < COPIES; ++part)
            sum += counts[lid * COPIES + part];
        atomic_add(&histogram[lid], sum);
    }
}
