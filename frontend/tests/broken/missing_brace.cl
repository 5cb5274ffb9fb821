//# a closing brace is missing
kernel void threshold(global const float *x, global float *y) {
    size_t i = get_global_id(0);
    if (x[i] > 0.5f) {
        y[i] = 1.0f;
    else
        y[i] = 0.0f;
}

kernel void scale(global float *y) {
    y[get_global_id(0)] *= 2.0f;
}
