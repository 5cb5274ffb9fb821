//# result
kernel int f(global int *p) { return p[0]; }
//# pointer_without_space
kernel void f(float *p) { p[0] = 1.0f; }
//# private_pointer
kernel void f(private float *p) { p[0] = 1.0f; }
//# double_pointer options="-cl-std=CL1.2"
kernel void f(global float *global *p) { p[0][0] = 1.0f; }
//# bool
kernel void f(bool b) { }
//# size
kernel void f(size_t n) { }
//# size_in_struct
struct s { size_t n; };
kernel void f(struct s v) { }
//# bool_in_struct
struct s { bool b; };
kernel void f(struct s v) { }
//# event
kernel void f(event_t e) { }
//# static
static kernel void f(void) { }
//# attribute_count
kernel __attribute__((reqd_work_group_size(8, 8))) void f(void) { }
//# attribute_zero
kernel __attribute__((reqd_work_group_size(8, 0, 1))) void f(void) { }
//# attribute_of_function
__attribute__((reqd_work_group_size(8, 1, 1))) void g(void) { }
//# vec_type_hint
struct s { int a; };
kernel __attribute__((vec_type_hint(struct s))) void f(void) { }
//# unroll_hint options="-cl-std=CL2.0"
kernel void f(global int *p) { __attribute__((opencl_unroll_hint(4))) p[0] = 1; }
//# main
kernel void main(void) { }
//# variable
kernel int x;
//# image_variable
kernel void f(read_only image2d_t i) { image2d_t j = i; }
//# image_access
kernel void f(read_only write_only image2d_t i) { }
//# pointer_within_a_structure_parameter options="-cl-std=CL1.2"
struct inner { float x; global int *data; };
struct outer { int a; struct inner parts[2]; };
kernel void f(struct outer o) { }
