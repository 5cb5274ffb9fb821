//! options: -cl-std=CL3.0
//! needs: __opencl_c_device_enqueue
//! buffer sums: int = 8*0
//! buffer depth: int = 2*0
//! launch: start(sums, depth) global 8 local 4
//! expect sums: 6 6 6 6 6 6 6 6
//! expect depth: 20 8
// A block enqueues a function's block again, from inside functions and blocks, down to some depth (OpenCL C
// §6.15.19.3).

void step(global int* sums, global int* depth, int left)
{
    size_t id = get_global_id(0);
    sums[id] += left;
    if (left > 1 && id == 0)
        enqueue_kernel(get_default_queue(), CLK_ENQUEUE_FLAGS_WAIT_KERNEL, ndrange_1D(get_global_size(0), get_local_size(0)),
                       ^{ step(sums, depth, left - 1); });
}

void deep(global int* depth, int level)
{
    depth[0]++;
    if (level < 20)
        enqueue_kernel(get_default_queue(), CLK_ENQUEUE_FLAGS_WAIT_WORK_GROUP, ndrange_1D(1), ^{
            void (^next)(void) = ^{ deep(depth, level + 1); };
            next();
        });
}

kernel void start(global int* sums, global int* depth)
{
    if (get_global_id(0) == 0) {
        enqueue_kernel(get_default_queue(), CLK_ENQUEUE_FLAGS_WAIT_KERNEL, ndrange_1D(8, 4), ^{ step(sums, depth, 3); });
        enqueue_kernel(get_default_queue(), CLK_ENQUEUE_FLAGS_WAIT_KERNEL, ndrange_1D(1), ^{ deep(depth, 1); });
    }
    atomic_inc(depth + 1);
}
