//# kernels whose parameters or result are not allowed
struct list {
    int value;
    global struct list *next;
};

kernel int a(global int *y) { return y[0]; }
kernel void b(float *y) { y[0] = 1.0f; }
kernel void c(global int *y, bool flag, size_t n) { y[n] = flag; }
kernel void d(image2d_t image, event_t e) { }
kernel void e(global int *global *y) { y[0][0] = 1; }
kernel void f(global int y[], half h) { y[0] = h; }
static kernel void g(global int *y) { y[0] = 1; }
kernel void main(global int *y) { y[0] = 1; }
