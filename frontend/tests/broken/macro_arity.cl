//# macros with the wrong number of arguments
#define LERP(a, b, t) ((a) + ((b) - (a)) * (t))
#define SQUARE(x) ((x) * (x))

kernel void f(global float *y) {
    y[0] = LERP(y[1], y[2]);
    y[1] = SQUARE(y[3], y[4]);
    y[2] = SQUARE();
    y[3] = LERP(y[0], y[1], 0.5f;
}
