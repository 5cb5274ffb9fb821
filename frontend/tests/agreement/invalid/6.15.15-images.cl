//# read_of_a_written_image
kernel void f(write_only image2d_t i, global float4 *p) { p[0] = read_imagef(i, (int2)(0)); }
//# write_of_a_read_image
kernel void f(read_only image2d_t i) { write_imagef(i, (int2)(0), (float4)(0)); }
//# sampler_with_a_read_write_image options="-cl-std=CL2.0"
kernel void f(read_write image2d_t i, sampler_t s, global float4 *p) { p[0] = read_imagef(i, s, (float2)(0)); }
//# sampler_with_an_image_of_a_buffer
kernel void f(read_only image1d_buffer_t i, sampler_t s, global float4 *p) { p[0] = read_imagef(i, s, 0); }
//# depth_image_gives_no_vector options="-cl-std=CL2.0"
kernel void f(read_only image2d_depth_t i, global float4 *p) { p[0] = read_imagef(i, (int2)(0)).xyzw; }
//# depth_image_takes_no_vector options="-cl-std=CL2.0"
kernel void f(write_only image2d_depth_t i) { write_imagef(i, (int2)(0), (float4)(0)); }
//# depth_of_a_plane
kernel void f(read_only image2d_t i, global int *p) { p[0] = get_image_depth(i); }
//# integers_of_a_depth_image options="-cl-std=CL2.0"
kernel void f(read_only image2d_depth_t i, global int4 *p) { p[0] = read_imagei(i, (int2)(0)); }
//# colour_of_the_wrong_kind
kernel void f(write_only image2d_t i, int4 c) { write_imagef(i, (int2)(0), c); }
