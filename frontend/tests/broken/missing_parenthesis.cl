//# closing parentheses are missing
kernel void norm(global const float *x, global float *y, int n) {
    size_t i = get_global_id(0);
    if (i < n {
        float v = x[i];
        y[i] = sqrt(v * v + 1.0f;
        y[i] += missing;
    }
}
