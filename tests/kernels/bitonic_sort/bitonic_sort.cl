// Bitonic sort of 2^n keys, ascending. Blocks of BLOCK keys are sorted in local memory. After that, steps
// whose partners are farther apart than a block work in global memory, and the nearer ones in local memory
// again.

#ifndef BLOCK
#define BLOCK 1024
#endif

static inline void order(__local uint *keys, const uint low, const uint high, const bool ascending)
{
    const uint a = keys[low];
    const uint b = keys[high];
    if ((a > b) == ascending) {
        keys[low] = b;
        keys[high] = a;
    }
}

// The lower partner of the pair that a work-item orders: its index with a zero bit inserted at `distance`.
static inline uint lower_partner(const uint item, const uint distance)
{
    return 2 * item - (item & (distance - 1));
}

// Steps of the merge on the block in local memory, between partners `from` down to 1 apart. Ends without a
// barrier.
static void merge_block(__local uint *keys, const uint item, const uint from, const bool ascending)
{
    for (uint distance = from; distance > 0; distance >>= 1) {
        barrier(CLK_LOCAL_MEM_FENCE);
        const uint low = lower_partner(item, distance);
        order(keys, low, low + distance, ascending);
    }
}

// Sorts each block, even ones ascending and odd ones descending.
__kernel __attribute__((reqd_work_group_size(BLOCK / 2, 1, 1)))
void sort_blocks(__global uint *data)
{
    __local uint keys[BLOCK];
    const uint item = get_local_id(0);
    const uint first = get_group_id(0) * BLOCK;
    keys[item] = data[first + item];
    keys[item + BLOCK / 2] = data[first + item + BLOCK / 2];
    for (uint size = 2; size <= BLOCK; size <<= 1) {
        // Below the block's own size the direction alternates within the block.
        const uint low = first + lower_partner(item, size / 2);
        merge_block(keys, item, size / 2, (low & size) == 0);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    data[first + item] = keys[item];
    data[first + item + BLOCK / 2] = keys[item + BLOCK / 2];
}

// One step of the merge into runs of `size` keys, between partners `distance` apart in global memory.
__kernel void merge_step(__global uint *data, const uint size, const uint distance)
{
    const uint low = lower_partner(get_global_id(0), distance);
    const uint a = data[low];
    const uint b = data[low + distance];
    const bool ascending = (low & size) == 0;
    if ((a > b) == ascending) {
        data[low] = b;
        data[low + distance] = a;
    }
}

// The last steps of the merge into runs of `size` keys: those that stay within a block.
__kernel __attribute__((reqd_work_group_size(BLOCK / 2, 1, 1)))
void merge_blocks(__global uint *data, const uint size)
{
    __local uint keys[BLOCK];
    const uint item = get_local_id(0);
    const uint first = get_group_id(0) * BLOCK;
    keys[item] = data[first + item];
    keys[item + BLOCK / 2] = data[first + item + BLOCK / 2];
    merge_block(keys, item, BLOCK / 2, (first & size) == 0);
    barrier(CLK_LOCAL_MEM_FENCE);
    data[first + item] = keys[item];
    data[first + item + BLOCK / 2] = keys[item + BLOCK / 2];
}
