// Memory that is accessed only as floating-point numbers, where devices have atomic operations on them: all
// values are exact.
//! options: -cl-std=CL3.0
//! buffer sums: float = 3*0
//! buffer groups: float 2
//! buffer old: float 64
//! launch: add(sums, groups, old) global 64 local 32
//! expect sums: 1008 -1 31.5
//! expect groups: 496 1520
//! expect old: 64*1

kernel void add(global atomic_float *sums, global float *groups, global float *old) {
  local float parts[32];
  local float *total = parts;
  int i = get_global_id(0), me = get_local_id(0);
  parts[me] = 0.0f;
  barrier(CLK_LOCAL_MEM_FENCE);
  atomic_fetch_add((local atomic_float *)total, (float)i);
  float before = atomic_fetch_add_explicit(&sums[0], i * 0.5f, memory_order_acq_rel, memory_scope_device);
  atomic_fetch_min_explicit(&sums[1], i - 1.0f, memory_order_relaxed);
  atomic_fetch_max_explicit(&sums[2], i * 0.5f, memory_order_relaxed);
  old[i] = before >= 0.0f && before <= 1008.0f;
  barrier(CLK_LOCAL_MEM_FENCE);
  if (me == 0)
    groups[get_group_id(0)] = total[0];
}
