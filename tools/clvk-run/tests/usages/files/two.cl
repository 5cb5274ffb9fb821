__kernel void one(__global int *x) { x[get_global_id(0)] = 1; }
__kernel void two(__global int *x) { x[get_global_id(0)] = 2; }
