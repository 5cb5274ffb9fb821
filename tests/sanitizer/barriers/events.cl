//! options: -cl-std=CL3.0
//! buffer data: int 16
//! launch: none(data) global 8 local 8
//! launch: other(data) global 16 local 8
//! launch: beyond(data, int 2) global 8 local 8
//! launch: unwaited(data) global 16 local 8
//! launch: one_of_two(data) global 8 local 8

kernel void none(global int *data)
{
    event_t event = 0;
    wait_group_events(1, &event); //~ barriers 8 `wait_group_events(1, &event)` no asynchronous copy has given
    data[get_local_id(0)] = 1;
}

// It waits for the first of two events, which has no value yet.
kernel void other(global int *data)
{
    local int part[8];
    event_t events[2] = {0, 0};
    events[1] = async_work_group_copy(part, data, 8, 0); //~ barriers 16 `async_work_group_copy(part, data, 8, 0)` the kernel ends without waiting
    wait_group_events(1, events); //~ barriers 16 `wait_group_events(1, events)` no asynchronous copy has given
}

// The count is not known when the program is compiled.
kernel void beyond(global int *data, int n)
{
    local int part[8];
    event_t events[3] = {0, 0, 0};
    events[0] = async_work_group_copy(part, data, 8, 0);
    wait_group_events(n, events); //~ barriers 8 `wait_group_events(n, events)` no asynchronous copy has given
}

kernel void unwaited(global int *data)
{
    local int part[8];
    part[get_local_id(0)] = 1;
    barrier(CLK_LOCAL_MEM_FENCE);
    async_work_group_copy(data + 8 * get_group_id(0), part, 8, 0); //~ barriers 16 `async_work_group_copy(data + 8 * get_group_id(0), part, 8, 0)` the kernel ends without waiting for this
}

kernel void one_of_two(global int *data)
{
    local int part[16];
    event_t first = async_work_group_copy(part, data, 8, 0);
    event_t second = async_work_group_copy(part + 8, data + 8, 8, 0); //~ barriers 8 `async_work_group_copy(part + 8, data + 8, 8, 0)` the kernel ends without waiting for this
    wait_group_events(1, &first);
}
