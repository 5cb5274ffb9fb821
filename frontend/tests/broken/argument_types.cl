//# arguments of the wrong type
float length2(float4 v) {
    return dot(v, v);
}

kernel void f(global float *y, global const int4 *v, float2 w) {
    y[0] = length2(v[0]);
    y[1] = length2(w);
    y[2] = pow(w, v[1]);
    y[3] = length2(v);
}
