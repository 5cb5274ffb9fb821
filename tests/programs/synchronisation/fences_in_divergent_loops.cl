// Fences and ordered atomic operations in loops that each work-item executes a different number of times,
// some not at all.
//! options: -cl-std=CL3.0
//! buffer out: int = 64*0
//! buffer total: int = 0 0
//! launch: rounds(out, total) global 64 local 32
//! expect out: 1..65
//! expect total: 384 64

kernel void rounds(global int *out, global atomic_int *total) {
  int i = get_global_id(0);
  int n = i * 7 % 13;
  for (int k = 0; k < n; ++k) {
    mem_fence(CLK_GLOBAL_MEM_FENCE);
    out[i] += 1;
    atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE, memory_order_acq_rel, memory_scope_device);
    int seen = atomic_load_explicit(&total[0], memory_order_relaxed);
    while (!atomic_compare_exchange_weak_explicit(&total[0], &seen, seen + 1, memory_order_acq_rel,
                                                  memory_order_acquire))
      ;
  }
  out[i] += 1 + i - n;
  if (i & 1)
    atomic_work_item_fence(CLK_LOCAL_MEM_FENCE, memory_order_release, memory_scope_work_group);
  atomic_fetch_add_explicit(&total[1], 1, memory_order_release);
}
