//# calls with too few or too many arguments
float blend(float a, float b, float t) {
    return mix(a, b);
}

kernel void f(global float *x, global float *y) {
    size_t i = get_global_id();
    y[i] = blend(x[i], 1.0f);
    y[i] = clamp(y[i], 0.0f, 1.0f, 2.0f);
    barrier();
}
