//! options: -cl-std=CL3.0
//! buffer data: int 16
//! launch: one_too_few(data, int 3) global 8 local 8
//! launch: lost(data) global 8 local 8
//! launch: divergent(data) global 8 local 8
//! launch: called(data) global 8 local 8

kernel void one_too_few(global int *data, int n)
{
    local int part[16];
    event_t events[4];
    for (int k = 0; k < 4; k++)
        events[k] = async_work_group_copy(part + 4 * k, data + 4 * k, 4, 0); //~ barriers 8 `async_work_group_copy(part + 4 * k, data + 4 * k, 4, 0)` the kernel ends without waiting for this
    wait_group_events(n, events);
}

// The variable has the last event alone.
kernel void lost(global int *data)
{
    local int part[16];
    event_t event = 0;
    for (int k = 0; k < 2; k++)
        event = async_work_group_copy(part + 8 * k, data + 8 * k, 8, 0); //~ barriers 8 `async_work_group_copy(part + 8 * k, data + 8 * k, 8, 0)` the kernel ends without waiting for this
    wait_group_events(1, &event);
}

kernel void divergent(global int *data)
{
    local int part[16];
    event_t events[2];
    events[0] = async_work_group_copy(part, data, 8, 0); //~ barriers 3 `async_work_group_copy(part, data, 8, 0)` the kernel ends without waiting for this
    events[1] = async_work_group_copy(part + 8, data + 8, 8, 0); //~ barriers 5 `async_work_group_copy(part + 8, data + 8, 8, 0)` the kernel ends without waiting for this
    wait_group_events(1, events + (get_local_id(0) < 3)); //~ barriers 1 `wait_group_events(1, events + (get_local_id(0) < 3))` wait for different events
}

void await(event_t event)
{
    wait_group_events(1, &event); //~ barriers 8 `wait_group_events(1, &event)` no asynchronous copy has given
}

kernel void called(global int *data)
{
    event_t event = 0;
    await(event);
    data[get_local_id(0)] = 1;
}
