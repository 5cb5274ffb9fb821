//# variable
kernel void f(global int *p) {
    int counter = 1;
    p[0] = countre;
}
//# variable_unknown
kernel void f(global int *p) {
    p[0] = zzz;
}
//# variable_reported_once
kernel void f(global int *p) {
    p[0] = missing;
    p[1] = missing + 1;
}
//# function
int square(int x) { return x * x; }
kernel void f(global int *p) { p[0] = sqaure(2); }
//# function_undeclared
kernel void f(global int *p) { p[0] = helper(2); }
//# built_in
kernel void f(global int *p) { p[get_gloabl_id(0)] = 1; }
//# built_in_case
kernel void f(global int *p) { p[get_global_ID(0)] = 1; }
//# built_in_of_the_c_library
kernel void f(global float *p) { p[0] = sqrtf(p[0]); }
//# type
kernel void f(global flaot4 *p) { }
//# type_of_variable
kernel void f(void) { unit x = 1; }
//# type_of_the_c_library
kernel void f(void) { uint32_t x = 1; }
//# keyword
kernal void f(void) { }
//# keyword_in_statement
int g(int x) { retrun x; }
//# member
struct body { float3 position; float mass; };
kernel void f(global struct body *b) { b->postion = 0.0f; }
//# member_unknown
struct body { float3 position; float mass; };
kernel void f(global struct body *b) { b->charge = 0.0f; }
//# member_with_dot
struct body { float mass; };
kernel void f(global struct body *b) { b.mass = 0.0f; }
//# member_with_arrow
struct body { float mass; };
kernel void f(struct body b) { b->mass = 0.0f; }
//# swizzle
kernel void f(global float *p, float2 v) { p[0] = v.z; }
//# swizzle_letters
kernel void f(global float *p, float4 v) { p[0] = v.xq; }
//# macro_constant
kernel void f(void) { barrier(CLK_LOCAL_MEM_FENSE); }
//# attribute
kernel __attribute__((reqd_work_group_sise(8, 1, 1))) void f(void) { }
//# redefinition
constant int a = 1;
constant int a = 2;
//# redeclared_parameter
int g(int x) { int x = 1; return x; }
//# redefinition_of_function
int g(void) { return 1; }
int g(void) { return 2; }
//# conflicting_types
int g(int x);
float g(float x) { return x; }
//# redefinition_of_struct
struct s { int a; };
struct s { int a; };
//# redefinition_as_another_kind
int g(int x) { return x; }
constant int g = 1;
//# duplicate_member
struct s { int a; float a; };
//# label
kernel void f(void) { goto end; }
//# duplicate_case
kernel void f(int c) { switch (c) { case 1: break; case 1: break; } }
//# cuda
kernel void f(global float *p) { p[threadIdx.x] = 1.0f; }
//# cplusplus
kernel void f(global int *p) { p[0] = nullptr; }
