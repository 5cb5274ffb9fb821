//! options: -cl-std=CL3.0
//! buffer data: int = 16*5
//! launch: fine(data, int 4) global 16 local 8
//! expect data: 8*5 8*100

// Events may be shared, named twice, waited for one after the other and in loops.
kernel void fine(global int *data, int n)
{
    local int part[2][4];
    event_t events[3];
    events[0] = async_work_group_copy(part[0], data, n, 0);
    events[1] = async_work_group_copy(part[1], data + 4, n, 0);
    events[2] = events[0];
    wait_group_events(3, events);
    event_t event = 0;
    for (int k = 0; k < 3; k++)
        event = async_work_group_copy(part[0] + k, data + k, 1, event);
    wait_group_events(1, &event);
    // Two buffers: one is filled while the other one is used.
    int sum = 0;
    event_t turn[2];
    turn[0] = async_work_group_copy(part[0], data, 4, 0);
    for (int k = 0; k < 20; k++) {
        if (k < 19)
            turn[(k + 1) & 1] = async_work_group_copy(part[(k + 1) & 1], data + (k & 1) * 4, 4, 0);
        wait_group_events(1, turn + (k & 1));
        sum += part[k & 1][get_local_id(0) & 3];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    part[0][get_local_id(0) & 3] = sum;
    barrier(CLK_LOCAL_MEM_FENCE);
    event = async_work_group_copy(data + 8 + 4 * get_group_id(0), part[0], 4, 0);
    wait_group_events(1, &event);
}
