//! options: -cl-std=CL3.0
//! needs: __opencl_c_device_enqueue
//! buffer valid: int = 1*0
//! launch: forget(valid) global 2000 local 50
//! launch: forget(valid) global 2000 local 50
//! launch: forget(valid) global 2000 local 50
//! launch: forget(valid) global 2000 local 50
//! expect valid: 16000
// Events that are never released end with their launch. Each launch has 2000, and 2000 more for its blocks.

kernel void forget(global int* valid)
{
    clk_event_t gate = create_user_event(), done;
    int made = enqueue_kernel(get_default_queue(), CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(1), 1, &gate, &done, ^{ atomic_inc(valid); });
    set_user_event_status(gate, CL_COMPLETE);
    if (made == CLK_SUCCESS && is_valid_event(gate) && is_valid_event(done))
        atomic_inc(valid);
}
