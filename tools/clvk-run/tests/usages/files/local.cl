__kernel void local_copy(__global int *x, __local int *t) { t[0] = 1; x[0] = t[0]; }
