//# barriers with wrong flags, and CUDA's
kernel void reduce(global const float *x, global float *y, local float *scratch) {
    int lid = get_local_id(0);
    scratch[lid] = x[get_global_id(0)];
    barrier(LOCAL_MEM_FENCE);
    for (int s = get_local_size(0) / 2; s > 0; s >>= 1) {
        if (lid < s) scratch[lid] += scratch[lid + s];
        barrier(CLK_LOCAL_MEM_FENSE);
        __syncthreads();
    }
    barrier(scratch);
    mem_fence();
    if (lid = 0) y[get_group_id(0)] = scratch[0];
}
