//# invalid numbers and an unclosed quote
kernel void f(global float *y, global int *n) {
    y[0] = 1.0h + 0.5f16;
    y[1] = 1f;
    y[2] = 1.0fx;
    n[0] = 089;
    n[1] = 0xfg;
    n[2] = 99999999999999999999;
    n[3] = 'ab;
    y[3] = 1,5f;
    y[4] = 1.0e;
    n[4] = 0b102;
}
