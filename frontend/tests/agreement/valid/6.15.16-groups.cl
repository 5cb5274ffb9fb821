//# votes options="-cl-std=CL2.0"
kernel void f(global int *p) { p[0] = work_group_all(p[1] > 0) + work_group_any(p[2]); }
//# broadcasts options="-cl-std=CL2.0"
kernel void f(global int *p, global float *q, uint i) { p[0] = work_group_broadcast(p[1], i); q[0] = work_group_broadcast(q[1], 0, i) + work_group_broadcast(q[2], i, 0, 0); }
//# reductions_and_scans options="-cl-std=CL2.0"
kernel void f(global int *p, global ulong *q, global float *r) { p[0] = work_group_reduce_add(p[0]) + work_group_reduce_min(p[1]) + work_group_reduce_max(p[2]); q[0] = work_group_scan_exclusive_add(q[0]) + work_group_scan_inclusive_max(q[1]); r[0] = work_group_scan_exclusive_min(r[0]) + work_group_reduce_add(r[1]) + work_group_scan_inclusive_add(r[2]); }
//# sub_groups
#pragma OPENCL EXTENSION cl_khr_subgroups : enable
kernel void f(global int *p, global float *q) { p[0] = get_sub_group_size() + get_max_sub_group_size() + get_num_sub_groups() + get_sub_group_id() + get_sub_group_local_id() + get_enqueued_num_sub_groups(); p[1] = sub_group_all(p[0]) + sub_group_any(p[1]) + sub_group_broadcast(p[2], 0u) + sub_group_reduce_add(p[3]) + sub_group_scan_exclusive_max(p[4]); q[0] = sub_group_scan_inclusive_min(q[1]); sub_group_barrier(CLK_LOCAL_MEM_FENCE); sub_group_barrier(CLK_GLOBAL_MEM_FENCE, memory_scope_sub_group); }
