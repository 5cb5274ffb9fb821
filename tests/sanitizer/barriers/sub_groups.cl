//! options: -cl-std=CL3.0
//! needs: __opencl_c_subgroups cl_khr_subgroup_ballot cl_khr_subgroup_non_uniform_arithmetic
//! buffer out: int 64
//! launch: some(out) global 64 local 32
//! launch: after_return(out, int 33) global 64 local 64
//! launch: in_loops(out) global 32 local 32
//! launch: votes(out) global 32 local 32
//! launch: broadcast(out) global 32 local 32
//! launch: meeting(out) global 32 local 32
//! launch: different(out) global 32 local 32
//! launch: fine(out, int 8) global 64 local 32

kernel void some(global int *out)
{
    int i = get_global_id(0), sum = 0;
    if (get_sub_group_local_id() != 1)
        sum = sub_group_reduce_add(i); //~ barriers * `sub_group_reduce_add(i)` work-items of the sub-group reach this together
    out[i] = sum;
}

// An odd number of work-items leaves.
kernel void after_return(global int *out, int n)
{
    int i = get_global_id(0);
    if (i >= n)
        return;
    out[i] = sub_group_scan_inclusive_max(i); //~ barriers * `sub_group_scan_inclusive_max(i)` only 1 of
}

kernel void in_loops(global int *out)
{
    uint lane = get_sub_group_local_id();
    int sum = 0;
    for (uint k = 0; k <= (lane & 1); k++)
        sum += sub_group_scan_exclusive_add(1); //~ barriers * `sub_group_scan_exclusive_add(1)` of the sub-group reach this together
    out[get_global_id(0)] = sum;
}

kernel void votes(global int *out)
{
    uint lane = get_sub_group_local_id();
    int passed = 0;
    if (lane & 1)
        passed = sub_group_all(lane > 0); //~ barriers * `sub_group_all(lane > 0)` of the sub-group reach this together
    else
        passed = sub_group_any(lane == 0); //~ barriers * `sub_group_any(lane == 0)` of the sub-group reach this together
    out[get_global_id(0)] = passed;
}

kernel void broadcast(global int *out)
{
    int i = get_global_id(0);
    out[i] = get_sub_group_local_id() == 0 ? i : sub_group_broadcast(i, 1); //~ barriers * `sub_group_broadcast(i, 1)` of the sub-group reach this together
}

kernel void meeting(global int *out)
{
    if (get_sub_group_local_id() > 0)
        sub_group_barrier(CLK_LOCAL_MEM_FENCE); //~ barriers * `sub_group_barrier(CLK_LOCAL_MEM_FENCE)` of the sub-group reach this together
    out[get_global_id(0)] = 1;
}

kernel void different(global int *out)
{
    int i = get_global_id(0);
    out[i] = sub_group_broadcast(i, get_sub_group_local_id() & 1); //~ barriers * `sub_group_broadcast(i, get_sub_group_local_id() & 1)` ask for the values of different ones, such as 1 and 0
}

// Whole sub-groups may go their own ways, and some functions are made for parts of them.
kernel void fine(global int *out, int n)
{
    int i = get_global_id(0), sum = 0;
    if (get_sub_group_id() == 0) {
        sum = sub_group_reduce_add(1) + sub_group_broadcast(i, get_sub_group_id());
        sub_group_barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (i & 1)
        sum += sub_group_non_uniform_reduce_add(i) + sub_group_broadcast_first(i);
    for (int k = 0; k < n; k++)
        sum += sub_group_any(k == i);
    out[i] = sum;
}
