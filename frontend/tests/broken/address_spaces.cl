//# pointers and arguments in the wrong address space
float total(local float *values, int n) {
    float sum = 0.0f;
    for (int i = 0; i < n; i++) sum += values[i];
    return sum;
}

kernel void f(global float *x, constant float *weights, int n) {
    local float *window = x;
    global float *w = weights;
    x[0] = total(x, n);
    local float shared[64] = {0};
    if (n > 1) {
        local float scratch[8];
        scratch[0] = 1.0f;
    }
}
