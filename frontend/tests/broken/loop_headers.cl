//# wrong heads of loops
kernel void f(global float *y, int n) {
    for (int i = 0, i < n, i++) {
        y[i] = 0.0f;
    }
    y[0] = unknown_one;
    for (int j = 0; j < n; j++
        y[j] = 1.0f;
    y[1] = unknown_two;
    while n > 0 {
        n--;
    }
    for (k = 0; k < n; k++) y[k] = k;
    y[2] = unknown_three;
}
