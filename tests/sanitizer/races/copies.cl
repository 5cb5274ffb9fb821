//! options: -cl-std=CL3.0
//! buffer out: int 32
//! launch: own_part_before(out) global 8 local 8
//! launch: own_part_after(out) global 8 local 8
//! launch: own_part_of_global(out) global 8 local 8
//! launch: tries(out) global 8 local 8
//! launch: succeeds(out) global 8 local 8
//! launch: fine(out) global 16 local 8

// Each work-item copies the element that it wrote itself, but nobody promises that.
kernel void own_part_before(global int *out)
{
    local int part[8];
    int i = get_local_id(0);
    part[i] = i + 100;
    event_t event = async_work_group_copy(part, out, 8, 0); //~ races 8 `async_work_group_copy(part, out, 8, 0)` write of 4 bytes
    wait_group_events(1, &event);
    out[8 + i] = part[i];
}

kernel void own_part_after(global int *out)
{
    local int part[8];
    int i = get_local_id(0);
    event_t event = async_work_group_copy(part, out, 8, 0);
    out[8 + i] = part[i]; //~ races 8 `part[i]` by an asynchronous copy that was not waited for
    wait_group_events(1, &event);
}

kernel void own_part_of_global(global int *out)
{
    local int part[8];
    int i = get_local_id(0);
    part[i] = i + 100;
    barrier(CLK_LOCAL_MEM_FENCE);
    out[16 + i] = i;
    event_t event = async_work_group_copy(out + 16, part, 8, 0); //~ races 8 `async_work_group_copy(out + 16, part, 8, 0)` write of 4 bytes
    wait_group_events(1, &event);
}

// What fails does not write.
kernel void tries(global int *out)
{
    local int turn;
    int i = get_local_id(0);
    if (i == 0)
        turn = 1;
    barrier(CLK_LOCAL_MEM_FENCE);
    int seen = 0;
    for (int k = 0; k < 8; k++) {
        if (i == k)
            seen = turn;
        else
            atomic_cmpxchg(&turn, -1 - i, 7);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    out[i] = seen;
}

kernel void succeeds(global int *out)
{
    local int turn;
    int i = get_local_id(0);
    if (i == 0)
        turn = 1;
    barrier(CLK_LOCAL_MEM_FENCE);
    int seen = turn;
    if (i == 7)
        atomic_cmpxchg(&turn, 1, 7); //~ races 1 `atomic_cmpxchg(&turn, 1, 7)` races with a read
    out[i] = seen;
}

kernel void fine(global int *out)
{
    local int part[8];
    int i = get_local_id(0);
    event_t event = async_work_group_copy(part, out, 8, 0);
    wait_group_events(1, &event);
    part[i] += out[i];
    barrier(CLK_LOCAL_MEM_FENCE);
    event = async_work_group_copy(out + 8 + 8 * get_group_id(0), part, 8, 0);
    wait_group_events(1, &event);
    part[i] = out[8 + 8 * get_group_id(0) + i];
}
