//! options: -cl-std=CL3.0
//! needs: __opencl_c_device_enqueue
//! refused: an enqueued block cannot capture 'event': it is an event of a copy
kernel void start(local int* tile, global int* out)
{
    event_t event = async_work_group_copy(tile, out, 1, 0);
    enqueue_kernel(get_default_queue(), CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(1), ^{ wait_group_events(1, &event); });
}
