//! options: -cl-std=CL3.0
//! needs: __opencl_c_device_enqueue
//! refused: a block that is enqueued cannot hold 'image': it is an image, a sampler or a pipe
kernel void start(read_only image2d_t image, global int* out)
{
    enqueue_kernel(get_default_queue(), CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(1), ^{ out[0] = get_image_width(image); });
}
