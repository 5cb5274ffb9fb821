//! options: -cl-std=CL3.0
//! needs: __opencl_c_device_enqueue
//! buffer count: int = 1*0
//! buffer failed: int = 1*0
//! launch: start(count, failed) global 256
//! expect count: 12800
//! expect failed: 0
// Events are free again when they are complete and released: 25,600 events, of them at most 512 at a time.

void step(global int* count, global int* failed, int left)
{
    atomic_inc(count);
    if (left == 0)
        return;
    clk_event_t gate = create_user_event(), done;
    int result = enqueue_kernel(get_default_queue(), CLK_ENQUEUE_FLAGS_WAIT_KERNEL, ndrange_1D(1), 1, &gate, &done,
                                ^{ step(count, failed, left - 1); });
    if (!is_valid_event(gate) || result != CLK_SUCCESS)
        atomic_inc(failed);
    set_user_event_status(gate, CL_COMPLETE);
    release_event(gate);
    release_event(done);
}

kernel void start(global int* count, global int* failed)
{
    step(count, failed, 49);
}
