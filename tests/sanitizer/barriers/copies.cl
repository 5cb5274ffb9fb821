//! options: -cl-std=CL3.0
//! buffer out: int 32
//! launch: sizes(out) global 16 local 8
//! launch: places(out) global 8 local 8
//! launch: strides(out, int 3) global 8 local 8
//! launch: fine(out, int 4) global 16 local 8

kernel void sizes(global int *out)
{
    local int part[8];
    int i = get_local_id(0);
    size_t size = i == 7 ? 1 : 8;
    event_t event = async_work_group_copy(part, out, size, 0); //~ barriers 2 `async_work_group_copy(part, out, size, 0)` with different arguments
    wait_group_events(1, &event);
    out[8 + get_global_id(0)] = i;
}

kernel void places(global int *out)
{
    local int part[8];
    int i = get_local_id(0);
    event_t event = 0;
    for (int k = 0; k < 4; k++) {
        int place = i == 5 && k == 2 ? 0 : k;
        event = async_work_group_copy(part + place, out + k, 1, event); //~ barriers 1 `async_work_group_copy(part + place, out + k, 1, event)` with different arguments
    }
    wait_group_events(1, &event);
    out[8 + i] = i;
}

kernel void strides(global int *out, int n)
{
    local int part[8];
    int i = get_local_id(0);
    event_t event = async_work_group_strided_copy(part, out, 1, i < n ? 2 : 3, 0); //~ barriers 1 `async_work_group_strided_copy(part, out, 1, i < n ? 2 : 3, 0)` with different arguments
    wait_group_events(1, &event);
    out[8 + i] = i;
}

// Each work-item computes the same arguments, and copies differ from each other.
kernel void fine(global int *out, int n)
{
    local int part[16];
    event_t event = 0;
    for (int k = 0; k < 2; k++)
        event = async_work_group_copy(part + k * n, out + k * n, n, event);
    wait_group_events(1, &event);
    out[8 + get_global_id(0)] = part[get_local_id(0)];
}
