//! needs: cl_khr_subgroup_shuffle
//! buffer passed: uint = 8*0
//! launch: shuffles(passed) global 32 local 32
//! expect passed: 8*32
// Shuffles of cl_intel_subgroups: each work-item compares what it gets with what follows from its number.
// Groups of 32: every sub-group is full.
#pragma OPENCL EXTENSION cl_intel_subgroups : enable

void check(global uint *passed, int number, int is_right)
{
    if (is_right)
        atomic_inc(passed + number);
}

kernel void shuffles(global uint *passed)
{
    uint lane = get_sub_group_local_id(), size = get_max_sub_group_size();
    uint mirror = size - 1 - lane;
    // Sub-groups may have a single work-item.
    uint one = min(1u, size - 1), two = min(2u, size - 1), three = min(3u, size - 1);
    check(passed, 0, intel_sub_group_shuffle(lane * 3, mirror) == mirror * 3);
    float4 v = (float4)(lane, lane * 2, 0.5f, -(float)lane);
    check(passed, 1, all(intel_sub_group_shuffle(v, mirror) == (float4)(mirror, mirror * 2, 0.5f, -(float)mirror)));
    check(passed, 2, intel_sub_group_shuffle_xor(lane * 3, one) == (lane ^ one) * 3);
    // What is beyond the end comes from the second value.
    uint below = lane + two;
    check(passed, 3, intel_sub_group_shuffle_down(lane, lane + 100, two) == (below < size ? below : below - size + 100));
    check(passed, 4, intel_sub_group_shuffle_down(lane, lane + 100, 0) == lane);
    // What is before the start comes from the first value.
    check(passed, 5, intel_sub_group_shuffle_up(lane + 100, lane, one) == (lane >= one ? lane - one : lane - one + size + 100));
    int2 pair = intel_sub_group_shuffle_up((int2)(100, 200) + (int)lane, (int2)(lane, -(int)lane), three);
    int from = (int)lane - (int)three;
    check(passed, 6, all(pair == (from >= 0 ? (int2)(from, -from) : (int2)(100, 200) + from + (int)size)));
    short s = intel_sub_group_shuffle((short)(-(short)lane), two);
    check(passed, 7, s == -(int)two);
}
