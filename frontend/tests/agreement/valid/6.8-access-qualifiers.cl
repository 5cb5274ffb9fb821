//# on_images
kernel void k(read_only image2d_t a, write_only image2d_t b, __read_only image3d_t c) {}
//# after_the_type options="-cl-std=CL1.2"
kernel void k(image2d_t read_only a, image2d_t __write_only b) {}
//# default_is_read_only options="-cl-std=CL1.2"
kernel void k(image2d_t a, sampler_t s, global float4 *p) { p[0] = read_imagef(a, s, (int2)(0)); }
//# read_write options="-cl-std=CL2.0"
kernel void k(read_write image2d_t a) {}
//# in_typedefs options="-cl-std=CL1.2"
typedef write_only image2d_t target; typedef read_only image1d_array_t rows;
kernel void k(target a, rows b) {}
//# through_functions options="-cl-std=CL1.2"
void put(write_only image2d_t i, int2 at, float4 v) { write_imagef(i, at, v); }
kernel void k(write_only image2d_t i) { put(i, (int2)(1, 2), (float4)(0)); }
//# write_three_dimensional
kernel void k(write_only image3d_t i) { write_imagef(i, (int4)(0), (float4)(1)); }
