//! options: -cl-std=CL3.0
//! needs: __opencl_c_device_enqueue
//! buffer out: int 10
//! launch: start(out) global 1
//! expect out: 1 1 1 1 1 0 -101 -101 0 0
// Queries about blocks, and blocks that cannot be enqueued (OpenCL C §6.15.19.1, §6.15.19.6).

kernel void start(global int* out)
{
    void (^block)(void) = ^{ atomic_inc(out + 5); };
    void (^with_memory)(local void*) = ^(local void* memory) { *(local int*)memory = 1; };
    uint most = get_kernel_work_group_size(block), multiple = get_kernel_preferred_work_group_size_multiple(with_memory);
    ndrange_t range = ndrange_1D(64, 16);
    uint size = get_kernel_max_sub_group_size_for_ndrange(range, block), count = get_kernel_sub_group_count_for_ndrange(range, block);
    out[0] = most >= 64 && most == get_kernel_work_group_size(with_memory);
    out[1] = multiple >= 1 && multiple <= most;
    out[2] = size >= 1;
    out[3] = count == (16 + size - 1) / size;
    out[4] = get_default_queue() != CLK_NULL_QUEUE;
    out[5] = 0;
    // These have no effect.
    out[6] = enqueue_kernel(get_default_queue(), CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(4096 * 4096, 4096 * 4096), block);
    queue_t none = CLK_NULL_QUEUE;
    out[7] = enqueue_kernel(none, CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(1), block);

    // Work-groups that are smaller than a sub-group: the block sees what the queries say.
    ndrange_t small = ndrange_1D(4, 2);
    void (^compare)(void) = ^{
        if (get_global_id(0) == 0) {
            out[8] -= get_max_sub_group_size();
            out[9] -= get_num_sub_groups();
        }
    };
    out[8] = get_kernel_max_sub_group_size_for_ndrange(small, compare);
    out[9] = get_kernel_sub_group_count_for_ndrange(small, compare);
    enqueue_kernel(get_default_queue(), CLK_ENQUEUE_FLAGS_WAIT_KERNEL, small, compare);
}
