__kernel void wide(__global double *x) { x[0] *= 2.0; }
