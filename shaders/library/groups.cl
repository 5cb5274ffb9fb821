// Sub-group functions on ballots (OpenCL C §6.15.20.1), and work-group functions (§6.15.16, §6.15.17).

// All work-items of a sub-group are here, with the same index. Only the sanitizer wants to know.
void __clvk_sub_group_meeting(uint index) {}

// A mask with a bit for each index below `count`.
uint4 __clvk_mask_below(uint count)
{
    uint4 start = (uint4)(0, 32, 64, 96);
    uint4 bits = ((uint4)(1u) << ((uint4)(count) - start)) - 1u;
    bits = count >= start + 32u ? (uint4)(0xffffffffu) : bits;
    return count <= start ? (uint4)(0u) : bits;
}

uint __clvk_mask_count(uint4 mask)
{
    uint4 counts = popcount(mask);
    return counts.x + counts.y + counts.z + counts.w;
}

uint4 __clvk_get_sub_group_lt_mask(void)
{
    return __clvk_mask_below(get_sub_group_local_id());
}

uint4 __clvk_get_sub_group_le_mask(void)
{
    return __clvk_mask_below(get_sub_group_local_id() + 1);
}

uint4 __clvk_get_sub_group_eq_mask(void)
{
    return __clvk_get_sub_group_le_mask() & ~__clvk_get_sub_group_lt_mask();
}

uint4 __clvk_get_sub_group_ge_mask(void)
{
    return __clvk_mask_below(get_max_sub_group_size()) & ~__clvk_get_sub_group_lt_mask();
}

uint4 __clvk_get_sub_group_gt_mask(void)
{
    return __clvk_mask_below(get_max_sub_group_size()) & ~__clvk_get_sub_group_le_mask();
}

int __clvk_sub_group_ballot_bit_extract(uint4 mask, uint index)
{
    uint low = index < 32 ? mask.x : mask.y;
    uint high = index < 96 ? mask.z : mask.w;
    uint word = index < 64 ? low : high;
    return (int)((word >> (index & 31)) & 1);
}

int __clvk_sub_group_inverse_ballot(uint4 mask)
{
    return __clvk_sub_group_ballot_bit_extract(mask, get_sub_group_local_id());
}

uint __clvk_sub_group_ballot_bit_count(uint4 mask)
{
    return __clvk_mask_count(mask & __clvk_mask_below(get_max_sub_group_size()));
}

uint __clvk_sub_group_ballot_inclusive_scan(uint4 mask)
{
    return __clvk_mask_count(mask & __clvk_get_sub_group_le_mask());
}

uint __clvk_sub_group_ballot_exclusive_scan(uint4 mask)
{
    return __clvk_mask_count(mask & __clvk_get_sub_group_lt_mask());
}

uint __clvk_sub_group_ballot_find_lsb(uint4 mask)
{
    mask &= __clvk_mask_below(get_max_sub_group_size());
    uint high = mask.z != 0 ? 64 + ctz(mask.z) : 96 + ctz(mask.w);
    uint low = mask.x != 0 ? ctz(mask.x) : 32 + ctz(mask.y);
    return (mask.x | mask.y) != 0 ? low : high;
}

uint __clvk_sub_group_ballot_find_msb(uint4 mask)
{
    mask &= __clvk_mask_below(get_max_sub_group_size());
    uint high = mask.w != 0 ? 127 - clz(mask.w) : 95 - clz(mask.z);
    uint low = mask.y != 0 ? 63 - clz(mask.y) : 31 - clz(mask.x);
    return (mask.z | mask.w) != 0 ? high : low;
}

// Each sub-group leaves its part in the scratch memory, and takes those of the others from there. The second
// barrier lets the next call reuse the memory. Where the device has no sub-groups, each work-item is one.
#define COMBINE_add(a, b) ((a) + (b))
#define COMBINE_mul(a, b) ((a) * (b))
#define COMBINE_min(a, b) min(a, b)
#define COMBINE_max(a, b) max(a, b)
#define COMBINE_and(a, b) ((a) & (b))
#define COMBINE_or(a, b) ((a) | (b))
#define COMBINE_xor(a, b) ((a) ^ (b))

#define COLLECTIVE(T, suffix, key, identity)                                                    \
    T __clvk_work_group_reduce_##key##_##suffix(T x, local T *scratch)                          \
    {                                                                                           \
        T part = sub_group_non_uniform_reduce_##key(x);                                         \
        if (sub_group_elect())                                                                  \
            scratch[get_sub_group_id()] = part;                                                 \
        barrier(CLK_LOCAL_MEM_FENCE);                                                           \
        T all = scratch[0];                                                                     \
        uint count = get_num_sub_groups();                                                      \
        for (uint i = 1; i < count; ++i)                                                        \
            all = COMBINE_##key(all, scratch[i]);                                               \
        barrier(CLK_LOCAL_MEM_FENCE);                                                           \
        return all;                                                                             \
    }                                                                                           \
    T __clvk_work_group_before_##key##_##suffix(T part, local T *scratch)                       \
    {                                                                                           \
        uint here = get_sub_group_id();                                                         \
        if (sub_group_elect())                                                                  \
            scratch[here] = part;                                                               \
        barrier(CLK_LOCAL_MEM_FENCE);                                                           \
        T before = identity;                                                                    \
        for (uint i = 0; i < here; ++i)                                                         \
            before = COMBINE_##key(before, scratch[i]);                                         \
        barrier(CLK_LOCAL_MEM_FENCE);                                                           \
        return before;                                                                          \
    }                                                                                           \
    T __clvk_work_group_scan_inclusive_##key##_##suffix(T x, local T *scratch)                  \
    {                                                                                           \
        T inside = sub_group_non_uniform_scan_inclusive_##key(x);                               \
        T part = sub_group_non_uniform_reduce_##key(x);                                         \
        return COMBINE_##key(__clvk_work_group_before_##key##_##suffix(part, scratch), inside); \
    }                                                                                           \
    T __clvk_work_group_scan_exclusive_##key##_##suffix(T x, local T *scratch)                  \
    {                                                                                           \
        T inside = sub_group_non_uniform_scan_exclusive_##key(x);                               \
        T part = sub_group_non_uniform_reduce_##key(x);                                         \
        return COMBINE_##key(__clvk_work_group_before_##key##_##suffix(part, scratch), inside); \
    }

#define BROADCAST(T, suffix)                                                                    \
    T __clvk_work_group_broadcast_##suffix(T a, ulong x, ulong y, ulong z, local T *scratch)    \
    {                                                                                           \
        if (get_local_id(0) == x && get_local_id(1) == y && get_local_id(2) == z)               \
            scratch[0] = a;                                                                     \
        barrier(CLK_LOCAL_MEM_FENCE);                                                           \
        T value = scratch[0];                                                                   \
        barrier(CLK_LOCAL_MEM_FENCE);                                                           \
        return value;                                                                           \
    }

#define COLLECTIVES(T, suffix, least, greatest) \
    COLLECTIVE(T, suffix, add, (T)0)            \
    COLLECTIVE(T, suffix, mul, (T)1)            \
    COLLECTIVE(T, suffix, min, greatest)        \
    COLLECTIVE(T, suffix, max, least)           \
    BROADCAST(T, suffix)

#define BIT_COLLECTIVES(T, suffix)       \
    COLLECTIVE(T, suffix, and, (T)~(T)0) \
    COLLECTIVE(T, suffix, or, (T)0)      \
    COLLECTIVE(T, suffix, xor, (T)0)

COLLECTIVES(int, i32, INT_MIN, INT_MAX)
COLLECTIVES(uint, u32, 0u, UINT_MAX)
COLLECTIVES(long, i64, LONG_MIN, LONG_MAX)
COLLECTIVES(ulong, u64, 0UL, ULONG_MAX)
COLLECTIVES(half, f16, (half)-INFINITY, (half)INFINITY)
COLLECTIVES(float, f32, -INFINITY, INFINITY)
COLLECTIVES(double, f64, -(double)INFINITY, (double)INFINITY)
BIT_COLLECTIVES(int, i32)
BIT_COLLECTIVES(uint, u32)
BIT_COLLECTIVES(long, i64)
BIT_COLLECTIVES(ulong, u64)
