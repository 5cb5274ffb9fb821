// Lloyd's iterations on vectors of FEATURES bytes' values (as floats), as a vector quantiser makes its code
// book: each point joins its nearest centre, then each centre moves to the rounded mean of its points.
// features[f][point], centres[cluster][f].

#ifndef FEATURES
#define FEATURES 16
#endif
#ifndef CLUSTERS
#define CLUSTERS 32
#endif
#define GROUP 256

// Clears what `assign` adds to.
__kernel void clear(__global uint *restrict sums, const uint count)
{
    if (get_global_id(0) < count)
        sums[get_global_id(0)] = 0;
}

// The nearest centre of each point, the lowest if there are several. sums[cluster] receives the sums of its
// points' features and their number.
__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1)))
void assign(__global const float *restrict features, const uint points, __global const float *restrict centres,
            __global uint *restrict nearest, volatile __global uint *restrict sums)
{
    __local float tile[CLUSTERS][FEATURES];
    volatile __local uint local_sums[CLUSTERS][FEATURES + 1];

    for (uint i = get_local_id(0); i < CLUSTERS * FEATURES; i += GROUP)
        tile[i / FEATURES][i % FEATURES] = centres[i];
    for (uint i = get_local_id(0); i < CLUSTERS * (FEATURES + 1); i += GROUP)
        local_sums[i / (FEATURES + 1)][i % (FEATURES + 1)] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);

    for (uint point = get_global_id(0); point < points; point += get_global_size(0)) {
        float own[FEATURES];
#pragma unroll
        for (uint f = 0; f < FEATURES; ++f)
            own[f] = features[f * points + point];

        uint best = 0;
        float least = INFINITY;
        for (uint cluster = 0; cluster < CLUSTERS; ++cluster) {
            float distance = 0.0f;
#pragma unroll
            for (uint f = 0; f < FEATURES; ++f) {
                const float difference = own[f] - tile[cluster][f];
                distance += difference * difference;
            }
            if (distance < least) {
                least = distance;
                best = cluster;
            }
        }
        nearest[point] = best;
#pragma unroll
        for (uint f = 0; f < FEATURES; ++f)
            atomic_add(&local_sums[best][f], (uint)own[f]);
        atomic_inc(&local_sums[best][FEATURES]);
    }
    barrier(CLK_LOCAL_MEM_FENCE);

    for (uint i = get_local_id(0); i < CLUSTERS * (FEATURES + 1); i += GROUP) {
        const uint sum = local_sums[i / (FEATURES + 1)][i % (FEATURES + 1)];
        if (sum != 0)
            atomic_add(&sums[i], sum);
    }
}

// Moves the centres. One without points stays.
__kernel void move(__global const uint *restrict sums, __global float *restrict centres)
{
    const uint i = get_global_id(0);
    if (i >= CLUSTERS * FEATURES)
        return;
    const uint cluster = i / FEATURES;
    const uint count = sums[cluster * (FEATURES + 1) + FEATURES];
    if (count != 0)
        centres[i] = (float)((sums[cluster * (FEATURES + 1) + i % FEATURES] + count / 2) / count);
}
