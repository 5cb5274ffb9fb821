//# headers and functions of the C library
#include <math.h>
#include <stdint.h>

kernel void f(global uint32_t *y, global float *x) {
    size_t i = get_global_id(0);
    y[i] = (uint32_t)(sinf(x[i]) * M_PI);
    x[i] = rand();
}
