// Every fence and barrier, with each form of arguments; flags that are not constant mean all memory.
//! options: -cl-std=CL3.0
//! buffer out: int 32
//! launch: all(out, int 3) global 32 local 16
//! expect out: 15 14 13 12 11 10 9 8 7 6 5 4 3 2 1 0 31 30 29 28 27 26 25 24 23 22 21 20 19 18 17 16

kernel void all(global int *out, int flags) {
  local int row[16];
  int i = get_local_id(0);
  row[i] = get_global_id(0);
  mem_fence(CLK_LOCAL_MEM_FENCE);
  read_mem_fence(CLK_GLOBAL_MEM_FENCE);
  write_mem_fence(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
  atomic_work_item_fence(CLK_LOCAL_MEM_FENCE, memory_order_acq_rel, memory_scope_work_group);
  atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE, memory_order_seq_cst, memory_scope_device);
  atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE, memory_order_relaxed, memory_scope_work_group);
  work_group_barrier(flags, memory_scope_work_group);
  int taken = row[15 - i];
  barrier(0);
  out[get_global_id(0)] = taken;
  work_group_barrier(CLK_GLOBAL_MEM_FENCE, memory_scope_device);
  barrier(CLK_LOCAL_MEM_FENCE);
}
