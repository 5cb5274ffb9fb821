//# labels and jumps
kernel void f(global int *y, int n) {
    int i = 0;
again:
    if (i++ < n) goto agian;
    switch (n) {
        int hidden = 1;
    case 1: y[0] = 1;
    case 1: y[1] = 1; break;
    case n: y[2] = 1; break;
    default: y[3] = 1;
    default: y[4] = 1;
    }
    break;
    continue;
again:
    goto *y;
}
