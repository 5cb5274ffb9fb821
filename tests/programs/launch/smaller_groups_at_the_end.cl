// The groups at the end of each dimension are smaller: sizes 4 and 3 by 2 and 1 of 7 x 3 work-items, all
// queries (OpenCL C §6.15.1).
//! options: -cl-std=CL3.0
//! buffer local_sizes: uint 21
//! buffer groups: uint 21
//! buffer ids: uint 21
//! buffer sums: uint 21
//! launch: sizes(local_sizes, groups, ids, sums) global 7x3 local 4x2
//! expect local_sizes: 24 24 24 24 23 23 23 24 24 24 24 23 23 23 14 14 14 14 13 13 13
//! expect groups: 2200 2200 2200 2200 2201 2201 2201 2200 2200 2200 2200 2201 2201 2201 2210 2210 2210 2210 2211 2211 2211
//! expect ids: 42000 42101 42202 42303 42000 42101 42202 42014 42115 42216 42317 42013 42114 42215
//! expect ids: 42000 42101 42202 42303 42000 42101 42202
//! expect sums: 28 28 28 28 15 15 15 28 28 28 28 15 15 15 6 6 6 6 3 3 3
kernel void sizes(global uint *local_sizes, global uint *groups, global uint *ids, global uint *sums)
{
    local uint shared[8];
    size_t at = get_global_linear_id();
    local_sizes[at] = get_local_size(1) * 10 + get_local_size(0);
    groups[at] = get_num_groups(0) * 1000 + get_num_groups(1) * 100 + get_group_id(1) * 10 + get_group_id(0);
    ids[at] = get_enqueued_local_size(0) * 10000 + get_enqueued_local_size(1) * 1000 + get_local_id(0) * 100
        + get_local_id(1) * 10 + get_local_linear_id();
    shared[get_local_linear_id()] = get_local_linear_id();
    barrier(CLK_LOCAL_MEM_FENCE);
    uint sum = 0;
    for (uint i = 0; i < get_local_size(0) * get_local_size(1); i++)
        sum += shared[i];
    sums[at] = sum;
}
