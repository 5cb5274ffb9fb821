//! options: -cl-std=CL3.0
//! needs: __opencl_c_device_enqueue
//! buffer out: int 8
//! buffer results: int 4
//! launch: start(out, results) global 1
//! expect out: 7 6 5 4 15 14 13 12
//! expect results: 0 -101 0 120
// Blocks with local memory whose sizes are given when they are enqueued (OpenCL C §6.15.19.2).

void turn(global int* out, local int* tile, local long* sums, int base)
{
    size_t id = get_local_id(0), group = get_group_id(0);
    tile[id] = base + (int)get_global_id(0) + (int)group * 4;
    sums[id] = tile[id];
    barrier(CLK_LOCAL_MEM_FENCE);
    out[get_global_id(0)] = tile[get_local_size(0) - 1 - id] + (int)(sums[id] - tile[id]);
}

kernel void start(global int* out, global int* results)
{
    uint size = 4 * sizeof(int);
    void (^block)(local void*, local void*) = ^(local void* tile, local void* sums) {
        turn(out, (local int*)tile, (local long*)sums, 4);
    };
    results[0] = enqueue_kernel(get_default_queue(), CLK_ENQUEUE_FLAGS_WAIT_KERNEL, ndrange_1D(8, 4), block, size, size * 2);
    results[1] = enqueue_kernel(get_default_queue(), CLK_ENQUEUE_FLAGS_WAIT_KERNEL, ndrange_1D(8, 4), block, size, 0);
    clk_event_t event;
    results[2] = enqueue_kernel(get_default_queue(), CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(1), 0, NULL, &event,
                                ^(local int* numbers) {
                                    for (int i = 0; i < 16; i++)
                                        numbers[i] = i;
                                    int sum = 0;
                                    for (int i = 0; i < 16; i++)
                                        sum += numbers[i];
                                    results[3] = sum;
                                },
                                16 * sizeof(int));
    release_event(event);
}
