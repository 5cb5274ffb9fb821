//# recursion, function pointers, variable length arrays
int fib(int n) {
    return n < 2 ? n : fib(n - 1) + fib(n - 2);
}

int apply(int (*op)(int), int x) {
    return op(x);
}

kernel void f(global int *y, int n) {
    int table[n];
    int (*op)(int) = fib;
    y[0] = apply(fib, n) + table[0];
    y[1] = fib(n);
}
