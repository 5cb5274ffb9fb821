__kernel void outside(__global int *x) { x[get_global_id(0) * 100000000ul] = 1; }
