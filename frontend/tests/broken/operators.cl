//# operators on the wrong types
struct pair { int a, b; };

kernel void f(global float *y, global int *n, struct pair p, struct pair q) {
    y[0] = y[1] % 2;
    n[0] = n[1] << y[0];
    y[2] = !p;
    struct pair r = p + q;
    n[1] = p == q;
    n[2] = ~y[0];
    n + y;
    n[3] = *n[0];
    y[3] = &y[0];
    n[1.5f] = 1;
    5 = n[0];
    n[4] = n[1] = = 2;
}
