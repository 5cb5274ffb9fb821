//# copies, vector loads and conversions of the wrong types
kernel void f(global const float4 *x, local float *tile, local float4 *tile4, global int *y) {
    event_t e = async_work_group_copy(tile, x, 64, 0);
    async_work_group_copy(x, tile4, 16, e);
    wait_group_events(1, e);
    prefetch(tile, 16);
    vstore4(x[0], 0, y);
    float4 v = vload4(x, 0);
    y[0] = as_int(v);
    y[1] = convert_int4_rtz(v);
    y[2] = convert_uchr4(v);
}
