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
