//# reads_with_a_sampler options="-cl-std=CL3.0"
kernel void f(read_only image1d_t a, read_only image1d_array_t b, read_only image2d_t c, read_only image2d_array_t d, read_only image3d_t e, sampler_t s, global float4 *p) {
    p[0] = read_imagef(a, s, 1) + read_imagef(a, s, 1.0f) + read_imagef(b, s, (int2)(1)) + read_imagef(b, s, (float2)(1));
    p[1] = read_imagef(c, s, (int2)(1)) + read_imagef(c, s, (float2)(1)) + read_imagef(d, s, (int4)(1)) + read_imagef(d, s, (float4)(1));
    p[2] = read_imagef(e, s, (int4)(1)) + read_imagef(e, s, (float4)(1));
}
//# reads_of_integers options="-cl-std=CL1.2"
kernel void f(read_only image2d_t c, read_only image3d_t e, sampler_t s, global int4 *p, global uint4 *q) {
    p[0] = read_imagei(c, s, (int2)(1)) + read_imagei(e, s, (float4)(1)) + read_imagei(c, (int2)(2));
    q[0] = read_imageui(c, s, (float2)(1)) + read_imageui(e, s, (int4)(1)) + read_imageui(e, (int4)(1));
}
//# reads_of_halves options="-cl-std=CL3.0"
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
kernel void f(read_only image2d_t c, write_only image2d_t o, sampler_t s) { write_imageh(o, (int2)(0), read_imageh(c, s, (float2)(1)) + read_imageh(c, (int2)(0))); }
//# images_of_buffers options="-cl-std=CL1.2"
kernel void f(read_only image1d_buffer_t a, write_only image1d_buffer_t b) { write_imagef(b, 1, read_imagef(a, get_image_width(a))); write_imagei(b, 1, read_imagei(a, 2)); }
//# images_that_are_read_and_written options="-cl-std=CL2.0"
kernel void f(read_write image2d_t a, read_write image3d_t b) { write_imagef(a, (int2)(1), read_imagef(a, (int2)(2))); write_imageui(b, (int4)(1), read_imageui(b, (int4)(2))); barrier(CLK_IMAGE_MEM_FENCE); }
//# depth_images_are_numbers options="-cl-std=CL2.0"
kernel void f(read_only image2d_depth_t a, read_only image2d_array_depth_t b, write_only image2d_depth_t c, sampler_t s, global float *p) {
    p[0] = read_imagef(a, s, (float2)(0)) + read_imagef(a, (int2)(0)) + read_imagef(b, s, (float4)(0)) + read_imagef(b, (int4)(0));
    write_imagef(c, (int2)(1), 0.5f);
    p[1] = get_image_width(a) + get_image_height(b) + get_image_array_size(b) + get_image_dim(a).x;
}
//# queries options="-cl-std=CL3.0"
kernel void f(read_only image3d_t a, write_only image2d_array_t b, global int4 *p) {
    p[0] = get_image_dim(a);
    p[1] = (int4)(get_image_dim(b), get_image_channel_order(b), get_image_channel_data_type(a));
    p[2] = (int4)(get_image_width(a), get_image_height(a), get_image_depth(a), (int)get_image_array_size(b));
    p[3].x = get_image_channel_order(a) == CLK_RGBA && get_image_channel_data_type(b) == CLK_UNORM_INT8;
}
//# samplers_of_the_program options="-cl-std=CL1.2"
constant sampler_t a = CLK_NORMALIZED_COORDS_TRUE | CLK_ADDRESS_MIRRORED_REPEAT | CLK_FILTER_LINEAR;
const sampler_t b = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP | CLK_FILTER_NEAREST;
float4 g(read_only image2d_t i, sampler_t s) { return read_imagef(i, s, (float2)(0)); }
kernel void f(read_only image2d_t i, global float4 *p) { const sampler_t c = CLK_ADDRESS_NONE | CLK_FILTER_NEAREST; p[0] = g(i, a) + g(i, b) + g(i, c); }
