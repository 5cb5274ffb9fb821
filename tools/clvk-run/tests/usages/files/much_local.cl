__kernel void much(__global int *x) {
    __local int t[100000];
    t[get_local_id(0)] = 1;
    barrier(CLK_LOCAL_MEM_FENCE);
    x[0] = t[x[0]];
}
