//! options: -cl-std=CL3.0
//! needs: __opencl_c_device_enqueue
//! buffer log: int = 16*0
//! buffer results: int 8
//! launch: start(log, results) global 1
//! expect log: 8 2 1 3 4 5 6 7 8 0 0 0 0 0 0 0
//! expect results: 0 0 1 0 1 0 0 1
// A command begins when the events of its wait list are complete, and its own event is complete only with
// everything that the command enqueued (OpenCL C §6.15.19.5, §6.15.19.8).

void note(global int* log, int number)
{
    log[atomic_inc(log) + 1] = number;
}

kernel void start(global int* log, global int* results)
{
    queue_t queue = get_default_queue();
    ndrange_t one = ndrange_1D(1);
    clk_event_t gate = create_user_event(), first, second, both, last;
    results[7] = is_valid_event(gate);
    results[0] = enqueue_kernel(queue, CLK_ENQUEUE_FLAGS_NO_WAIT, one, 1, &gate, &first, ^{
        note(log, 1);
        // Part of `first`.
        enqueue_kernel(get_default_queue(), CLK_ENQUEUE_FLAGS_WAIT_KERNEL, one, ^{
            note(log, 3);
            enqueue_kernel(get_default_queue(), CLK_ENQUEUE_FLAGS_WAIT_KERNEL, one, ^{ note(log, 4); });
        });
    });
    results[1] = enqueue_kernel(queue, CLK_ENQUEUE_FLAGS_NO_WAIT, one, 1, &first, &second, ^{ note(log, 5); });
    clk_event_t list[2] = {first, second};
    int made = enqueue_marker(queue, 2, list, &both);
    results[2] = made == CLK_SUCCESS;
    results[3] = enqueue_kernel(queue, CLK_ENQUEUE_FLAGS_NO_WAIT, one, 1, &both, &last, ^{ note(log, 6); });
    results[4] = is_valid_event(last);
    results[5] = is_valid_event(CLK_NULL_EVENT);
    results[6] = enqueue_kernel(queue, CLK_ENQUEUE_FLAGS_NO_WAIT, one, ^{
        note(log, 2);
        set_user_event_status(gate, CL_COMPLETE);
        release_event(gate);
        clk_event_t before = last;
        enqueue_kernel(get_default_queue(), CLK_ENQUEUE_FLAGS_NO_WAIT, one, 1, &before, NULL, ^{
            note(log, 7);
            release_event(last);
            enqueue_kernel(get_default_queue(), CLK_ENQUEUE_FLAGS_NO_WAIT, one, ^{ note(log, 8); });
        });
    });
    release_event(first);
    release_event(second);
    release_event(both);
}
