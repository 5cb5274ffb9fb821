//# a file that includes itself
#include "self_include.cl"

kernel void f(global int *y) {
    y[0] = 1;
}
