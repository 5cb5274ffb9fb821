//# write_to_read_only
kernel void f(read_only image2d_t i) { write_imagef(i, (int2)(0, 0), (float4)(0.0f)); }
//# write_to_default_access
kernel void f(image2d_t i) { write_imagef(i, (int2)(0, 0), (float4)(0.0f)); }
//# read_from_write_only
kernel void f(write_only image2d_t i, sampler_t s, global float4 *p) { p[0] = read_imagef(i, s, (int2)(0, 0)); }
//# read_from_write_only_without_sampler
kernel void f(write_only image2d_t i, global float4 *p) { p[0] = read_imagef(i, (int2)(0, 0)); }
//# two_access_qualifiers
kernel void f(read_only write_only image2d_t i) { }
//# access_of_scalar
kernel void f(read_only int i) { }
//# access_of_pointer
kernel void f(read_only global int *p) { }
//# access_of_sampler
kernel void f(read_only sampler_t s) { }
//# access_of_variable
kernel void f(void) { read_only int i; }
//# access_of_return_type
read_only int g(void) { return 1; }
//# read_write_before_2_0 options="-cl-std=CL1.2"
kernel void f(read_write image2d_t i) { }
//# sampled_read_of_read_write options="-cl-std=CL2.0"
kernel void f(read_write image2d_t i, sampler_t s, global float4 *p) { p[0] = read_imagef(i, s, (int2)(0, 0)); }
//# access_as_identifier
kernel void f(void) { int read_only = 1; }
//# write_only_passed_as_read_only
float4 g(read_only image2d_t i) { return (float4)(0.0f); }
kernel void f(write_only image2d_t i) { g(i); }
//# read_write_passed_as_read_only options="-cl-std=CL2.0"
float4 g(read_only image2d_t i) { return (float4)(0.0f); }
kernel void f(read_write image2d_t i) { g(i); }
//# image_with_const
kernel void f(const image2d_t i) { i = i; }
//# image_with_global
kernel void f(global image2d_t i) { }
//# image_with_local
kernel void f(local image2d_t i) { }
//# image_with_private
void g(private int x, constant image2d_t i) { }
//# image_coordinates_of_wrong_width
kernel void f(read_only image2d_t i, sampler_t s, global float4 *p) { p[0] = read_imagef(i, s, (int4)(0)); }
//# image_coordinates_scalar
kernel void f(read_only image2d_t i, sampler_t s, global float4 *p) { p[0] = read_imagef(i, s, 1); }
//# image_without_sampler_float_coordinates
kernel void f(read_only image2d_t i, global float4 *p) { p[0] = read_imagef(i, (float2)(0.0f)); }
//# image_sampler_is_number
kernel void f(read_only image2d_t i, global float4 *p) { p[0] = read_imagef(i, 1.5f, (int2)(0)); }
//# image_written_with_wrong_kind
kernel void f(write_only image2d_t i) { write_imagef(i, (int2)(0), (int4)(0)); }
//# image_read_result_of_wrong_kind
kernel void f(read_only image2d_t i, sampler_t s, global float4 *p) { p[0] = read_imagei(i, s, (int2)(0)); }
//# image_depth_of_2d
kernel void f(read_only image2d_t i, global int *p) { p[0] = get_image_depth(i); }
//# image_height_of_1d
kernel void f(read_only image1d_t i, global int *p) { p[0] = get_image_height(i); }
//# image_array_size_of_2d
kernel void f(read_only image2d_t i, global int *p) { p[0] = get_image_array_size(i); }
//# image_width_of_pointer
kernel void f(global int *p) { p[0] = get_image_width(p); }
