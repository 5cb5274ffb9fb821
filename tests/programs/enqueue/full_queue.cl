//! options: -cl-std=CL3.0
//! needs: __opencl_c_device_enqueue
//! buffer counts: int = 3*0
//! buffer fits: int 3
//! launch: start(counts) global 2048 local 64
//! launch: judge(counts, fits) global 1
//! expect fits: 1 1 1
// Only blocks that do not fit into the queue are refused: 2048 blocks with 4000 bytes each exceed a queue of
// 4 MiB.

struct large {
    int numbers[1000];
};

kernel void start(global int* counts)
{
    struct large large;
    for (int i = 0; i < 1000; i++)
        large.numbers[i] = (int)get_global_id(0) + i;
    int first = (int)get_global_id(0);
    int result = enqueue_kernel(get_default_queue(), CLK_ENQUEUE_FLAGS_WAIT_KERNEL, ndrange_1D(1), ^{
        int right = 1;
        for (int i = 0; i < 1000; i++)
            right &= large.numbers[i] == first + i;
        atomic_add(counts + 2, right);
    });
    atomic_inc(counts + (result == CLK_SUCCESS ? 0 : 1));
}

kernel void judge(global int* counts, global int* fits)
{
    fits[0] = counts[0] > 900 && counts[1] > 900;
    fits[1] = counts[0] + counts[1] == 2048;
    fits[2] = counts[2] == counts[0];
}
