//! options: -cl-std=CL3.0
//! needs: __opencl_c_device_enqueue
//! refused: an enqueued block cannot capture 'tile': it is a pointer to local memory
kernel void start(local int* tile, global int* out)
{
    enqueue_kernel(get_default_queue(), CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(1), ^{ out[0] = tile[0]; });
}
