//# OpenCL C 2.0 and later, compiled as 1.2 options="-cl-std=CL1.2"
kernel void f(global int *y, read_write image2d_t image, global atomic_int *counter) {
    generic int *p = y;
    int *q = y;
    y[0] = work_group_reduce_add(y[1]);
    y[1] = atomic_fetch_add(counter, 1);
    work_group_barrier(CLK_LOCAL_MEM_FENCE, memory_scope_work_group);
    y[2] = sub_group_all(y[2]);
    y[3] = get_enqueued_local_size(0);
    to_global(q);
}

global int total = 0;
