// Atomic operations on half-precision numbers, two in each word, beside plain stores to their neighbours: all
// values are exact. Sums grow in steps of halves up to 1008; minima, maxima and exchanges are over 64
// work-items.
//! options: -cl-std=CL3.0
//! buffer sums: half = 0x0000 0x5640 0x63d0 0xe3d0 0x0000 0x0000 0x4700
//! buffer groups: half 4
//! buffer marks: half = 64*0x0000
//! buffer seen: int = 4*0
//! buffer counted: int = 64*0
//! launch: work(sums, groups, marks, seen, counted) global 64 local 32
//! expect sums: 0x63e0 0x5080 0x0000 0x4fe0 0x5400 0x4500 0x4700
//! expect groups: 0x4c00 0x4fc0 0x4c00 0x4fc0
//! expect marks: 64*0x4000
//! expect seen: 64 1 63 64
//! expect counted: 64*1

#pragma OPENCL EXTENSION cl_khr_fp16 : enable

kernel void work(global atomic_half *sums, global half *groups, global half *marks, global atomic_int *seen,
                 global int *counted) {
  local atomic_half count, most;
  local half plain[32];
  int i = get_global_id(0), me = get_local_id(0);
  if (me == 0) {
    atomic_init(&count, 0.0h);
    atomic_init(&most, -1.0h);
  }
  plain[me] = 0.5h;
  marks[i] = 1.0h;
  barrier(CLK_LOCAL_MEM_FENCE);
  atomic_fetch_add_explicit(&sums[0], (half)(i * 0.5f), memory_order_relaxed);
  atomic_fetch_sub_explicit(&sums[1], 1.0h, memory_order_relaxed, memory_scope_device);
  atomic_fetch_min(&sums[2], (half)(i * 0.5f));
  atomic_fetch_max(&sums[3], (half)(i * 0.5f));
  // As a counter that gives every work-item a different value.
  half before = atomic_fetch_add(&sums[4], 1.0h);
  counted[(int)before] += 1;
  // Exactly one work-item changes 0 to 5; the others see 5.
  half expected = 0.0h;
  if (atomic_compare_exchange_strong(&sums[5], &expected, 5.0h))
    atomic_fetch_add(&seen[1], 1);
  else if (expected == 5.0h)
    atomic_fetch_add(&seen[2], 1);
  atomic_fetch_add_explicit(&count, plain[me], memory_order_relaxed, memory_scope_work_group);
  atomic_fetch_max_explicit(&most, (half)me, memory_order_relaxed, memory_scope_work_group);
  if (atomic_load(&sums[6]) == 7.0h)
    atomic_fetch_add(&seen[0], 1);
  if (atomic_exchange(&sums[6], 7.0h) == 7.0h)
    atomic_fetch_add(&seen[3], 1);
  // Neighbours in one word, written by different work-items, atomically and plainly.
  barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
  if (me == 0) {
    groups[2 * get_group_id(0)] = atomic_load(&count);
    atomic_store((global atomic_half *)&groups[2 * get_group_id(0) + 1], atomic_load(&most));
  }
  half one = 1.0h;
  atomic_compare_exchange_strong((global atomic_half *)&marks[i ^ 1], &one, 2.0h);
}
