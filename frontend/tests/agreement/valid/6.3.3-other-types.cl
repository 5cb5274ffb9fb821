//# images options="-cl-std=CL1.2"
kernel void k(image2d_t a, read_only image3d_t b, write_only image2d_t c, image2d_array_t d, image1d_t e) {}
kernel void l(image1d_buffer_t a, read_only image1d_array_t b, write_only image1d_array_t c) {}
//# sampler_arguments options="-cl-std=CL1.2"
kernel void k(read_only image2d_t i, sampler_t s, global float4 *p) { p[0] = read_imagef(i, s, (float2)(0.5f)); }
//# read_write_images options="-cl-std=CL2.0"
kernel void k(read_write image2d_t a, read_write image3d_t b, __read_write image1d_buffer_t c) {}
//# images_pass_through_functions options="-cl-std=CL1.2"
float4 at(read_only image2d_t i, sampler_t s, int x) { return read_imagef(i, s, (int2)(x, 0)); }
kernel void k(read_only image2d_t i, sampler_t s, global float4 *p) { p[0] = at(i, s, 3); }
//# typedef_of_an_image options="-cl-std=CL1.2"
typedef image2d_t image; typedef read_only image2d_t source;
kernel void k(image a, source b) {}
//# structures_as_arguments
struct pair { int a; float4 b; };
kernel void k(struct pair p, global struct pair *q) { *q = p; q->a += p.a; }
