//# too_few
int g(int a, int b) { return a + b; }
kernel void f(global int *p) { p[0] = g(1); }
//# too_many
int g(int a) { return a; }
kernel void f(global int *p) { p[0] = g(1, 2); }
//# wrong_type
float g(float4 v) { return v.x; }
kernel void f(global float *p, int4 v) { p[0] = g(v); }
//# not_a_function
kernel void f(global int *p, int x) { p[0] = x(1); }
//# before_definition
kernel void f(global int *p) { p[0] = later(1); }
int later(int x) { return x; }
//# built_in_too_few
kernel void f(global float *p) { p[0] = pow(p[0]); }
//# built_in_too_many
kernel void f(global int *p) { p[get_global_id(0, 1)] = 1; }
//# built_in_wrong_type
kernel void f(global float4 *p, int4 v) { p[0] = sin(v); }
//# built_in_widths
kernel void f(global float4 *p, float2 v) { p[0] = pow(p[1], v); }
//# built_in_ambiguous
kernel void f(global float *p, int x) { p[0] = sqrt(x); }
//# built_in_ambiguous_pair
kernel void f(global int *p, uint x) { p[0] = max(p[1], x); }
//# built_in_pointer
kernel void f(global float *p) { p[0] = fract(p[1], p[2]); }
//# built_in_constant_pointer
kernel void f(global float *p, constant float *c) { p[0] = fract(p[1], c); }
//# built_in_as_value
kernel void f(global int *p) { p[0] = get_global_id; }
//# convert_width
kernel void f(global int4 *p, float3 v) { p[0] = convert_int4(v); }
//# as_size
kernel void f(global int *p, short x) { p[0] = as_int(x); }
//# vload_vector_pointer
kernel void f(global float4 *p) { p[0] = vload4(0, p); }
//# vstore_type
kernel void f(global float *p, int4 v) { vstore4(v, 0, p); }
//# write_to_read_only_image
kernel void f(read_only image2d_t i) { write_imagef(i, (int2)(0, 0), (float4)(0.0f)); }
//# read_from_write_only_image
kernel void f(write_only image2d_t i, sampler_t s, global float4 *p) { p[0] = read_imagef(i, s, (int2)(0, 0)); }
//# image_coordinates
kernel void f(read_only image2d_t i, sampler_t s, global float4 *p) { p[0] = read_imagef(i, s, (int4)(0)); }
//# atomic_of_float
kernel void f(global float *p) { atomic_add(p, 1.0f); }
//# return_missing_value
int g(int x) { return; }
//# return_from_void
void g(int x) { return x; }
//# return_wrong_type
float4 g(int4 v) { return v; }
//# overloads_without_match
__attribute__((overloadable)) int g(int x) { return 1; }
__attribute__((overloadable)) int g(float4 x, local int *y) { return 2; }
kernel void f(global int *p, float4 v) { p[0] = g(v, p); }
//# overloads_ambiguous
__attribute__((overloadable)) int g(int x) { return 1; }
__attribute__((overloadable)) int g(float x) { return 2; }
kernel void f(global int *p) { p[0] = g(1u); }
//# write_to_read_only_pipe options="-cl-std=CL2.0"
kernel void f(read_only pipe int p) { int packet = 1; write_pipe(p, &packet); }
//# packet_of_other_type options="-cl-std=CL2.0"
kernel void f(read_only pipe int p) { float packet; read_pipe(p, &packet); }
//# pipe_without_feature without="__opencl_c_pipes"
kernel void f(read_only pipe int p) { int packet; read_pipe(p, &packet); }
