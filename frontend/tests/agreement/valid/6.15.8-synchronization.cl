//# barriers
kernel void f(global int *p, local int *l) { l[get_local_id(0)] = p[0]; barrier(CLK_LOCAL_MEM_FENCE); p[0] = l[0]; barrier(CLK_GLOBAL_MEM_FENCE); barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE); barrier(0); }
//# fences
kernel void f(global int *p, local int *l) { l[0] = 1; mem_fence(CLK_LOCAL_MEM_FENCE); read_mem_fence(CLK_GLOBAL_MEM_FENCE); write_mem_fence(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE); p[0] = l[1]; }
//# barriers_of_version_two options="-cl-std=CL2.0"
kernel void f(global int *p) { work_group_barrier(CLK_GLOBAL_MEM_FENCE); work_group_barrier(CLK_LOCAL_MEM_FENCE | CLK_IMAGE_MEM_FENCE, memory_scope_work_group); work_group_barrier(CLK_GLOBAL_MEM_FENCE, memory_scope_device); p[0] = 1; }
//# fences_of_atomics options="-cl-std=CL2.0"
kernel void f(global int *p) { p[0] = 1; atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE, memory_order_release, memory_scope_device); atomic_work_item_fence(CLK_LOCAL_MEM_FENCE, memory_order_acq_rel, memory_scope_work_group); atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE | CLK_LOCAL_MEM_FENCE, memory_order_seq_cst, memory_scope_work_group); }
//# flags_in_variables
void sync(cl_mem_fence_flags flags) { barrier(CLK_LOCAL_MEM_FENCE); mem_fence(CLK_GLOBAL_MEM_FENCE); }
kernel void f(global int *p) { const cl_mem_fence_flags flags = CLK_LOCAL_MEM_FENCE; barrier(flags); sync(flags); p[0] = flags; }
//# barriers_in_loops
kernel void f(global int *p, local int *l, int n) { for (int s = get_local_size(0) / 2; s > 0; s >>= 1) { if (get_local_id(0) < s) l[get_local_id(0)] += l[get_local_id(0) + s]; barrier(CLK_LOCAL_MEM_FENCE); } if (get_local_id(0) == 0) p[get_group_id(0)] = l[0]; }
