//# a brace too many
kernel void sum(global const int *x, global int *y, int n) {
    int total = 0;
    for (int i = 0; i < n; i++) {
        total += x[i];
    }}
    y[0] = total;
}
