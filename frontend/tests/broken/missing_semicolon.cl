//# semicolons are missing
kernel void saxpy(float a, global const float *x, global float *y) {
    size_t i = get_global_id(0)
    float ax = a * x[i];
    y[i] = ax + y[i]
}
