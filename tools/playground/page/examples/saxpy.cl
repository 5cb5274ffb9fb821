// y = a * x + y, the smallest useful kernel: a work-item for each element.
kernel void saxpy(global const float *x, global float *y, float a)
{
    size_t i = get_global_id(0);
    y[i] = a * x[i] + y[i];
}
