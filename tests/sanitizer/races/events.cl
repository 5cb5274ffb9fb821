//! options: -cl-std=CL3.0
//! buffer data: int = 64*1
//! buffer out: int 64
//! launch: other(data, out) global 8 local 8
//! launch: barriers(data, out) global 8 local 8
//! launch: source(data) global 8 local 8
//! launch: fine(data, out) global 16 local 8

// It waits for the first copy, and reads what the second one writes.
kernel void other(global int *data, global int *out)
{
    local int part[16];
    int i = get_local_id(0);
    event_t first = async_work_group_copy(part, data, 8, 0);
    event_t second = async_work_group_copy(part + 8, data + 8, 8, 0);
    wait_group_events(1, &first);
    int sum = part[i];
    sum += part[8 + i]; //~ races 8 `part[8 + i]` by an asynchronous copy that was not waited for
    wait_group_events(1, &second);
    out[i] = sum + part[15 - i];
}

// A barrier does not wait for copies.
kernel void barriers(global int *data, global int *out)
{
    local int part[8];
    int i = get_local_id(0);
    event_t event = async_work_group_copy(part, data, 8, 0);
    barrier(CLK_LOCAL_MEM_FENCE);
    out[i] = part[7 - i]; //~ races 8 `part[7 - i]` by an asynchronous copy that was not waited for
    wait_group_events(1, &event);
}

// What a copy reads is changed behind a barrier, before it has been waited for.
kernel void source(global int *data)
{
    local int part[8];
    int i = get_local_id(0);
    part[i] = i;
    barrier(CLK_LOCAL_MEM_FENCE);
    event_t event = async_work_group_copy(data, part, 8, 0);
    barrier(CLK_LOCAL_MEM_FENCE);
    part[i] = 5; //~ races 8 `part[i] = 5` races with a read by an asynchronous copy that was not waited for
    wait_group_events(1, &event);
}

// Two buffers: one is filled while the other one is used.
kernel void fine(global int *data, global int *out)
{
    local int part[2][8];
    int i = get_local_id(0), sum = 0;
    event_t turn[2];
    turn[0] = async_work_group_copy(part[0], data, 8, 0);
    for (int k = 0; k < 8; k++) {
        if (k < 7)
            turn[(k + 1) & 1] = async_work_group_copy(part[(k + 1) & 1], data + 8 * (k + 1), 8, 0);
        wait_group_events(1, turn + (k & 1));
        sum += part[k & 1][7 - i];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    out[get_global_id(0)] = sum;
}
