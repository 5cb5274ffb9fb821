//! options: -cl-std=CL3.0
//! needs: __opencl_c_device_enqueue
//! buffer counts: int = 3*0
//! buffer fits: int 3
//! launch: start(counts) global 5000 local 50
//! launch: judge(counts, fits) global 1
//! expect fits: 1 1 1
// Without a free event, nothing that needs one is enqueued. At least 1024 can exist
// (CL_DEVICE_MAX_ON_DEVICE_EVENTS).

kernel void start(global int* counts)
{
    clk_event_t event = create_user_event();
    if (!is_valid_event(event)) {
        clk_event_t other;
        if (enqueue_kernel(get_default_queue(), CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(1), 0, NULL, &other, ^{ atomic_inc(counts); }) == CLK_SUCCESS)
            release_event(other);
        else
            atomic_inc(counts + 1);
        return;
    }
    atomic_inc(counts + 2);
    if (get_global_id(0) % 2 == 0)
        release_event(event);
}

kernel void judge(global int* counts, global int* fits)
{
    fits[0] = counts[2] >= 1024;
    fits[1] = counts[1] > 0 && counts[0] == 0;
    fits[2] = counts[0] + counts[1] + counts[2] == 5000;
}
