//# errors in initialisers, and others that depend on these variables
kernel void f(global float *y, int n) {
    float scale = 1.0f / unknown_size;
    float4 v = get_position(n);
    int4 w = v;
    float t = scale * undefined_one;
    v.q = t;
    w = v;
    scale.x = 2.0f;
    y[0] = scale + t + later;
}
