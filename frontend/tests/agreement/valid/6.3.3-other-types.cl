//# images options="-cl-std=CL1.2"
kernel void k(image2d_t a, read_only image3d_t b, write_only image2d_t c, image2d_array_t d, image1d_t e) {}
kernel void l(image1d_buffer_t a, read_only image1d_array_t b, write_only image1d_array_t c) {}
//# sampler_arguments options="-cl-std=CL1.2"
kernel void k(read_only image2d_t i, sampler_t s, global float4 *p) { p[0] = read_imagef(i, s, (float2)(0.5f)); }
//# depth_images options="-cl-std=CL2.0"
kernel void k(read_only image2d_depth_t a, write_only image2d_array_depth_t b) {}
//# read_write_images options="-cl-std=CL2.0"
kernel void k(read_write image2d_t a, read_write image3d_t b, __read_write image1d_buffer_t c) {}
//# events
kernel void k(global float *g, local float *l) {
    event_t e = 0, f = e;
    e = f;
}
//# arrays_of_events
kernel void k(global float *g, local float *l) {
    event_t e[2];
    event_t *p = e + 1;
    *p = e[0];
}
//# queues options="-cl-std=CL2.0"
kernel void k(queue_t q, global int *p) { queue_t r = q; p[0] = 1; }
//# types_of_enqueuing_in_prototypes options="-cl-std=CL2.0"
void f(queue_t q, clk_event_t e, ndrange_t n, reserve_id_t r);
kernel void k(global int *p) { p[0] = 1; }
//# ndranges options="-cl-std=CL2.0"
void f(ndrange_t n) { ndrange_t m = n; }
//# events_of_queues options="-cl-std=CL2.0"
void f(clk_event_t n) { clk_event_t m = n, *p = &m; }
//# reservations options="-cl-std=CL2.0"
void f(reserve_id_t n) { reserve_id_t m = n; }
//# events_pass_through_functions
event_t f(event_t e, event_t *p) { *p = e; return e; }
kernel void k(global int *p) { event_t e = 0, g; g = f(e, &e); p[0] = 1; }
//# pipes options="-cl-std=CL2.0"
kernel void k(read_only pipe int a, write_only pipe float4 b, pipe uchar c) {}
//# pipes_of_structures options="-cl-std=CL2.0"
typedef struct { int a; float b; } packet;
kernel void k(read_only pipe packet a, __write_only pipe packet b) {}
//# images_pass_through_functions options="-cl-std=CL1.2"
float4 at(read_only image2d_t i, sampler_t s, int x) { return read_imagef(i, s, (int2)(x, 0)); }
kernel void k(read_only image2d_t i, sampler_t s, global float4 *p) { p[0] = at(i, s, 3); }
//# typedef_of_an_image options="-cl-std=CL1.2"
typedef image2d_t image; typedef read_only image2d_t source;
kernel void k(image a, source b) {}
//# structures_as_arguments
struct pair { int a; float4 b; };
kernel void k(struct pair p, global struct pair *q) { *q = p; q->a += p.a; }
