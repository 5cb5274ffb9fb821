//! options: -cl-std=CL3.0
//! needs: __opencl_c_device_enqueue
//! needs: __opencl_c_pipes
//! buffer pipe: uint = 8 4 0 0 28*0 8*0
//! buffer out: int = 8*0
//! launch: start(pipe) global 1
//! launch: finish(pipe, out) global 1
//! expect out: 1 1 1 1 1 1 0 0
// A block captures a pipe that it writes to, and the block of another kernel one that it reads from.

kernel void start(write_only pipe int p)
{
    enqueue_kernel(get_default_queue(), CLK_ENQUEUE_FLAGS_WAIT_KERNEL, ndrange_1D(6), ^{
        int packet = get_global_id(0);
        write_pipe(p, &packet);
    });
}

kernel void finish(read_only pipe int p, global int* out)
{
    enqueue_kernel(get_default_queue(), CLK_ENQUEUE_FLAGS_WAIT_KERNEL, ndrange_1D(8), ^{
        int packet;
        if (read_pipe(p, &packet) == 0)
            atomic_inc(out + packet);
    });
}
