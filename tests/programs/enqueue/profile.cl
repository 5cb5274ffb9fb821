//! options: -cl-std=CL3.0
//! needs: __opencl_c_device_enqueue
//! buffer out: int = 4*0
//! launch: start(out) global 1
//! expect out: 1 1 1 1
// The times of a command, queried before and after it is complete (OpenCL C §6.15.19.8).

global ulong before[2], after[2];

kernel void start(global int* out)
{
    queue_t queue = get_default_queue();
    ndrange_t one = ndrange_1D(1);
    clk_event_t event;
    enqueue_kernel(queue, CLK_ENQUEUE_FLAGS_NO_WAIT, one, 0, NULL, &event, ^{
        out[3] = 1;
        enqueue_kernel(get_default_queue(), CLK_ENQUEUE_FLAGS_NO_WAIT, one, ^{ out[2] = 1; });
    });
    capture_event_profiling_info(event, CLK_PROFILING_COMMAND_EXEC_TIME, before);
    enqueue_kernel(queue, CLK_ENQUEUE_FLAGS_NO_WAIT, one, 1, &event, NULL, ^{
        capture_event_profiling_info(event, CLK_PROFILING_COMMAND_EXEC_TIME, after);
        out[0] = before[0] > 0 && before[1] >= before[0];
        out[1] = after[0] == before[0] && after[1] == before[1];
        release_event(event);
    });
}
