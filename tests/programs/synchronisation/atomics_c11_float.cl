// Floating-point sums and extremes of many work-items: all values are exact.
//! options: -cl-std=CL3.0
//! buffer real: float = 0 100 1000 -1000
//! buffer group: float 2
//! launch: sum(real, group) global 64 local 32
//! expect real: 1008 36 0 31.5
//! expect group: 496 1520

kernel void sum(global atomic_float *real, global float *group) {
  local atomic_float total;
  int i = get_global_id(0);
  if (get_local_id(0) == 0)
    atomic_init(&total, 0.0f);
  barrier(CLK_LOCAL_MEM_FENCE);
  atomic_fetch_add_explicit(&real[0], i * 0.5f, memory_order_relaxed);
  atomic_fetch_sub_explicit(&real[1], 1.0f, memory_order_relaxed, memory_scope_device);
  atomic_fetch_min(&real[2], i * 0.5f);
  atomic_fetch_max(&real[3], i * 0.5f);
  atomic_fetch_add_explicit(&total, (float)i, memory_order_relaxed, memory_scope_work_group);
  barrier(CLK_LOCAL_MEM_FENCE);
  if (get_local_id(0) == 0)
    group[get_group_id(0)] = atomic_load(&total);
}
