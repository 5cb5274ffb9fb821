//! options: -cl-std=CL3.0
//! buffer out: int 32
//! launch: inside(out) global 32 local 8
//! launch: after_return(out, int 6) global 8 local 8
//! launch: in_loops(out) global 16 local 8
//! launch: either(out) global 16 local 8
//! launch: called(out, int 3) global 8 local 8
//! launch: some_groups(out) global 32 local 8
//! launch: left(out) global 8 local 8
//! launch: orders(out) global 8 local 8
//! launch: switched(out) global 8 local 8
//! launch: copies(out) global 8 local 8
//! launch: fine(out, int 20) global 32 local 8

kernel void inside(global int *out)
{
    int i = get_local_id(0);
    if (i < 4)
        barrier(CLK_LOCAL_MEM_FENCE); //~ barriers 4 `barrier(CLK_LOCAL_MEM_FENCE)` only some work-items
    out[get_global_id(0)] = i;
}

kernel void after_return(global int *out, int n)
{
    int i = get_global_id(0);
    if (i >= n)
        return;
    out[i] = i;
    barrier(CLK_GLOBAL_MEM_FENCE); //~ barriers 1 `barrier(CLK_GLOBAL_MEM_FENCE)` only some work-items
}

kernel void in_loops(global int *out)
{
    int i = get_local_id(0);
    for (int k = 0; k <= i / 4; k++) {
        out[get_global_id(0)] = k;
        barrier(CLK_LOCAL_MEM_FENCE); //~ barriers 2 `barrier(CLK_LOCAL_MEM_FENCE)` 1 times, and others 2 times
    }
}

kernel void either(global int *out)
{
    int i = get_local_id(0);
    if (i & 1)
        barrier(CLK_LOCAL_MEM_FENCE); //~ barriers 2 `barrier(CLK_LOCAL_MEM_FENCE)` only some
    else
        work_group_barrier(CLK_LOCAL_MEM_FENCE); //~ barriers 2 `work_group_barrier(CLK_LOCAL_MEM_FENCE)` only some
    out[get_global_id(0)] = i;
}

void meet(int n)
{
    if (get_local_id(0) > n)
        barrier(CLK_LOCAL_MEM_FENCE); //~ barriers 1 `barrier(CLK_LOCAL_MEM_FENCE)` only some
}

kernel void called(global int *out, int n)
{
    meet(n);
    out[get_global_id(0)] = n;
}

kernel void some_groups(global int *out)
{
    int i = get_global_id(0);
    if (i < 12)
        barrier(CLK_LOCAL_MEM_FENCE); //~ barriers 1 `barrier(CLK_LOCAL_MEM_FENCE)` only some
    out[i] = i;
}

kernel void left(global int *out)
{
    int i = get_local_id(0);
    for (int k = 0; k < 4; k++) {
        if (k == 2 && i == 7)
            break;
        barrier(CLK_LOCAL_MEM_FENCE); //~ barriers 1 `barrier(CLK_LOCAL_MEM_FENCE)` 2 times, and others 4 times
    }
    for (int k = 0; k < 4; k++) {
        if (k == i)
            continue;
        out[i] = k;
        barrier(CLK_LOCAL_MEM_FENCE); //~ barriers 1 `barrier(CLK_LOCAL_MEM_FENCE)` 3 times, and others 4 times
    }
}

kernel void orders(global int *out)
{
    int i = get_local_id(0);
    for (int k = 0; k < 2; k++) {
        if ((k + i) & 1)
            barrier(CLK_LOCAL_MEM_FENCE); //~ barriers 1 `barrier(CLK_LOCAL_MEM_FENCE)` in different orders
        else
            barrier(CLK_GLOBAL_MEM_FENCE);
    }
    out[i] = i;
}

kernel void switched(global int *out)
{
    int i = get_local_id(0);
    switch (i) {
    case 0:
    case 1: barrier(CLK_LOCAL_MEM_FENCE); break; //~ barriers 1 `barrier(CLK_LOCAL_MEM_FENCE)` only some
    default: out[i] = i;
    }
}

kernel void copies(global int *out)
{
    local int tile[8];
    event_t e = 0;
    if (get_local_id(0) < 4)
        e = async_work_group_copy(tile, out, 8, 0); //~ barriers 1 `async_work_group_copy(tile, out, 8, 0)` only some work-items of the work-group reach this asynchronous copy
    wait_group_events(1, &e); //~ barriers 4 `wait_group_events(1, &e)` no asynchronous copy has given
    for (int k = 0; k < get_local_id(0) / 4; k++)
        wait_group_events(1, &e); //~ barriers 1 `wait_group_events(1, &e)` only some work-items //~ barriers 4 `wait_group_events(1, &e)` no asynchronous copy has given
    e = async_work_group_copy(out + 8, tile, 8, 0); //~ uninitialised ? `async_work_group_copy(out + 8, tile, 8, 0)` before it is written
    wait_group_events(1, &e);
}

kernel void fine(global int *out, int n)
{
    local int shared[8];
    int i = get_local_id(0);
    if (get_group_id(0) == 3)
        return;
    for (int k = 0; k < n; k++) {
        if (k & 1)
            continue;
        shared[i] = k;
        barrier(CLK_LOCAL_MEM_FENCE);
        if (k == 10)
            break;
        if (i == 0)
            out[get_global_id(0)] = shared[i ^ 1];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (n > 3)
        barrier(CLK_GLOBAL_MEM_FENCE);
    out[get_global_id(0)] = work_group_reduce_add(i);
}
