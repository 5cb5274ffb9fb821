//# generic options="-cl-std=CL1.2"
void g(generic int *p) { }
//# read_write options="-cl-std=CL1.2"
kernel void f(read_write image2d_t i) { }
//# work_group_barrier options="-cl-std=CL1.2"
kernel void f(void) { work_group_barrier(CLK_LOCAL_MEM_FENCE); }
//# popcount options="-cl-std=CL1.1"
kernel void f(global int *p) { p[0] = popcount(p[1]); }
//# static_function options="-cl-std=CL1.1"
static int g(int x) { return x; }
//# func options="-cl-std=CL1.1"
kernel void f(global int *p) { p[0] = __func__[0]; }
//# half without="cl_khr_fp16"
kernel void f(global float *p, half h) { p[0] = 1.0f; }
//# half_loaded without="cl_khr_fp16"
kernel void f(global float *p, global half *h) { p[0] = h[0]; }
//# half_vector without="cl_khr_fp16"
kernel void f(void) { half4 h; }
//# half_disabled
#pragma OPENCL EXTENSION cl_khr_fp16 : disable
kernel void f(void) { half h = 1.0f; }
//# double without="cl_khr_fp64 __opencl_c_fp64"
kernel void f(global double *p) { }
//# double_literal without="cl_khr_fp64 __opencl_c_fp64"
kernel void f(global float *p) { p[0] = p[1] * 2.0; }
//# images without="__opencl_c_images"
kernel void f(read_only image2d_t i) { }
//# atomic_type options="-cl-std=CL1.2"
kernel void f(global atomic_int *counter) { }
//# queue_type options="-cl-std=CL1.2"
kernel void f(queue_t q) { }
//# event_type options="-cl-std=CL1.2"
kernel void f(void) { clk_event_t e; }
//# reserve_type options="-cl-std=CL1.2"
kernel void f(void) { reserve_id_t r; }
//# ndrange_type options="-cl-std=CL1.2"
kernel void f(void) { ndrange_t r; }
//# pipe options="-cl-std=CL1.2"
kernel void f(read_only pipe int p) { }
//# block options="-cl-std=CL1.2"
kernel void f(void) { void (^b)(void) = ^{ }; }
//# constant options="-cl-std=CL1.2"
kernel void f(global int *p) { p[0] = memory_order_relaxed; }
//# overload options="-cl-std=CL1.1"
kernel void f(read_only image2d_t i, global float4 *p) { p[0] = read_imagef(i, (int2)(0)); }
//# pointer_without_space options="-cl-std=CL1.2"
kernel void f(global int *p) { int *q = p; }
//# pointer_to_constant_memory options="-cl-std=CL1.2"
kernel void f(constant int *p) { const int *q = p; }
//# variable_of_program options="-cl-std=CL1.2"
global int counter = 0;
//# static_variable options="-cl-std=CL1.2"
kernel void f(global int *p) { static global int n = 0; p[0] = n++; }
//# depth_image options="-cl-std=CL1.2"
kernel void f(read_only image2d_depth_t i) { }
//# length_modifier options="-cl-std=CL3.0"
kernel void f(void) { printf("%zu", get_global_id(0)); }
//# newest_function options="-cl-std=CL3.0"
kernel void f(global uint *p) { p[0] = ctz(p[1]); }
//# constant_of_doubles without="cl_khr_fp64 __opencl_c_fp64"
kernel void f(global float *p) { p[0] = DBL_MAX; }
//# pi_without_doubles without="cl_khr_fp64 __opencl_c_fp64"
kernel void f(global float *p) { p[0] = p[1] * M_PI; }
//# pi_misspelt_without_half without="cl_khr_fp16"
kernel void f(global float *p) { p[0] = p[1] * M_PI_G; }
//# atomics_of_64_bits without="cl_khr_int64_base_atomics cl_khr_int64_extended_atomics"
kernel void f(global long *p) { atom_add(p, 1L); }
