// Stable sort of pairs of a key and a value by the keys' bits, DIGIT bits in each pass. Each work-group owns
// a run of `tiles` tiles of TILE pairs. A pass counts the digits of each run, sums the counts up to where the
// pairs of each digit of each run begin, and moves the pairs, which it first sorts within their tile so that
// they leave in order.

#define GROUP 256
#define EACH 4 // pairs of a work-item
#define TILE (GROUP * EACH)
#define DIGIT 4
#define DIGITS (1 << DIGIT)

static inline uint digit_of(const uint key, const uint shift)
{
    return (key >> shift) & (DIGITS - 1);
}

// How often each digit occurs in each run: counts[digit * groups + group].
__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1)))
void count_digits(__global const uint *restrict keys, const uint count, const uint tiles, const uint shift,
                  __global uint *restrict counts)
{
    volatile __local uint found[DIGITS];
    const uint lid = get_local_id(0);
    const uint begin = get_group_id(0) * tiles * TILE;
    const uint end = min(begin + tiles * TILE, count);

    if (lid < DIGITS)
        found[lid] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint i = begin + lid; i < end; i += GROUP)
        atomic_inc(&found[digit_of(keys[i], shift)]);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (lid < DIGITS)
        counts[lid * get_num_groups(0) + get_group_id(0)] = found[lid];
}

// The sum of the values of the work-items before this one.
static uint2 sum_before(__local uint2 *sums, const uint2 own)
{
    const uint lid = get_local_id(0);
    uint2 sum = own;
    sums[lid] = own;
    for (uint distance = 1; distance < GROUP; distance *= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (lid >= distance)
            sum += sums[lid - distance];
        barrier(CLK_LOCAL_MEM_FENCE);
        sums[lid] = sum;
    }
    return sum - own;
}

// Replaces each of `count` values by the sum of those before it. One work-group.
__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1)))
void sum_counts(__global uint *restrict counts, const uint count)
{
    __local uint2 sums[GROUP];
    const uint lid = get_local_id(0);
    const uint each = (count + GROUP - 1) / GROUP;
    const uint begin = min(lid * each, count);
    const uint end = min(begin + each, count);

    uint sum = 0;
    for (uint i = begin; i < end; ++i)
        sum += counts[i];
    sum = sum_before(sums, (uint2)(sum, 0)).x;
    for (uint i = begin; i < end; ++i) {
        const uint own = counts[i];
        counts[i] = sum;
        sum += own;
    }
}

// Sorts a tile by two bits of the keys. A work-item has EACH consecutive pairs; four counters of 16 bits in
// two words follow how many of each kind precede a pair.
static void split(__local uint *keys, __local uint *values, __local uint2 *sums, const uint shift)
{
    const uint first = get_local_id(0) * EACH;
    uint key[EACH];
    uint value[EACH];
    uint2 own = (uint2)(0);
#pragma unroll
    for (uint i = 0; i < EACH; ++i) {
        key[i] = keys[first + i];
        value[i] = values[first + i];
        const uint kind = (key[i] >> shift) & 3;
        const uint one = 1u << ((kind & 1) * 16);
        own += (uint2)(kind < 2 ? one : 0, kind < 2 ? 0 : one);
    }
    uint2 before = sum_before(sums, own);
    barrier(CLK_LOCAL_MEM_FENCE);
    const uint2 all = sums[GROUP - 1];

    // Pairs of a kind come behind all pairs of lower kinds.
    const uint zeros = all.x & 0xFFFF;
    const uint ones = all.x >> 16;
    const uint twos = all.y & 0xFFFF;
    before += (uint2)(zeros << 16, (zeros + ones) | ((zeros + ones + twos) << 16));
#pragma unroll
    for (uint i = 0; i < EACH; ++i) {
        const uint kind = (key[i] >> shift) & 3;
        const uint half_shift = (kind & 1) * 16;
        const uint place = ((kind < 2 ? before.x : before.y) >> half_shift) & 0xFFFF;
        keys[place] = key[i];
        values[place] = value[i];
        const uint one = 1u << half_shift;
        before += (uint2)(kind < 2 ? one : 0, kind < 2 ? 0 : one);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
}

// Moves the pairs to their places. `starts` is what sum_counts left.
__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1)))
void scatter(__global const uint *restrict keys_in, __global const uint *restrict values_in,
             __global const uint *restrict starts, __global uint *restrict keys_out,
             __global uint *restrict values_out, const uint count, const uint tiles, const uint shift)
{
    __local uint keys[TILE];
    __local uint values[TILE];
    __local uint2 sums[GROUP];
    __local uint next[DIGITS]; // where the run's next pair of a digit goes
    __local uint begins[DIGITS]; // where the digits are in the tile
    __local uint ends[DIGITS];

    const uint lid = get_local_id(0);
    const uint run = get_group_id(0) * tiles * TILE;
    if (lid < DIGITS)
        next[lid] = starts[lid * get_num_groups(0) + get_group_id(0)];

    for (uint tile = 0; tile < tiles; ++tile) {
        const uint first = run + tile * TILE;
        const uint filled = first < count ? min(count - first, (uint)TILE) : 0;
        // Behind the last pair come keys that stay behind all others.
        for (uint i = lid; i < TILE; i += GROUP) {
            keys[i] = i < filled ? keys_in[first + i] : 0xFFFFFFFFu;
            values[i] = i < filled ? values_in[first + i] : 0;
        }
        if (lid < DIGITS) {
            begins[lid] = 0;
            ends[lid] = 0;
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        split(keys, values, sums, shift);
        split(keys, values, sums, shift + 2);

        for (uint i = lid; i < TILE; i += GROUP) {
            const uint digit = digit_of(keys[i], shift);
            if (i == 0 || digit_of(keys[i - 1], shift) != digit)
                begins[digit] = i;
            if (i == TILE - 1 || digit_of(keys[i + 1], shift) != digit)
                ends[digit] = i + 1;
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        for (uint i = lid; i < filled; i += GROUP) {
            const uint digit = digit_of(keys[i], shift);
            const uint place = next[digit] + i - begins[digit];
            keys_out[place] = keys[i];
            values_out[place] = values[i];
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        if (lid < DIGITS)
            next[lid] += ends[lid] - begins[lid];
    }
}
