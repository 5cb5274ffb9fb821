// Counts the bytes of `count` vectors of four words: each work-group counts in local memory and adds its bins
// to the global ones at the end.

#define BINS 256

static inline void count_bytes(volatile __local uint *bins, const uint word)
{
    atomic_inc(&bins[word & 0xFFu]);
    atomic_inc(&bins[(word >> 8) & 0xFFu]);
    atomic_inc(&bins[(word >> 16) & 0xFFu]);
    atomic_inc(&bins[word >> 24]);
}

__kernel void histogram(__global const uint4 *restrict data, const uint count, volatile __global uint *bins)
{
    volatile __local uint local_bins[BINS];

    for (uint bin = get_local_id(0); bin < BINS; bin += get_local_size(0))
        local_bins[bin] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);

    for (uint i = get_global_id(0); i < count; i += get_global_size(0)) {
        const uint4 words = data[i];
        count_bytes(local_bins, words.x);
        count_bytes(local_bins, words.y);
        count_bytes(local_bins, words.z);
        count_bytes(local_bins, words.w);
    }
    barrier(CLK_LOCAL_MEM_FENCE);

    for (uint bin = get_local_id(0); bin < BINS; bin += get_local_size(0)) {
        const uint found = local_bins[bin];
        if (found != 0)
            atomic_add(&bins[bin], found);
    }
}
