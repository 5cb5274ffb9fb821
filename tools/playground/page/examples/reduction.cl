// A sum in two launches. Each work-group adds its numbers in local memory,
// halving them step by step; the second launch adds what they have left.
void add_up(local float *sums)
{
    int lane = get_local_id(0);
    for (int rest = get_local_size(0) / 2; rest > 0; rest /= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (lane < rest)
            sums[lane] += sums[lane + rest];
    }
    barrier(CLK_LOCAL_MEM_FENCE);
}

kernel void of_groups(global const float *numbers, global float *groups,
                      local float *sums)
{
    sums[get_local_id(0)] = numbers[get_global_id(0)];
    add_up(sums);
    if (get_local_id(0) == 0)
        groups[get_group_id(0)] = sums[0];
}

kernel void of_all(global const float *groups, global float *total,
                   local float *sums)
{
    sums[get_local_id(0)] = groups[get_global_id(0)];
    add_up(sums);
    if (get_local_id(0) == 0) {
        *total = sums[0];
        printf("the sum is %.3f\n", sums[0]);
    }
}
