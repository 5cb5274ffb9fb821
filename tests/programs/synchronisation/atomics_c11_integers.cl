// Each C11 operation on integers in global and local memory: the final value of the object, and the old
// values that the work-items saw.
//! options: -cl-std=CL3.0
//! buffer words: uint = 0 1000 0 0xffffffff 0 500 3
//! buffer signs: int = 10 -5
//! buffer seen: uint 64
//! buffer group: uint 4
//! launch: fetch(words, signs, seen, group) global 64 local 16
//! expect words: 2016 936 0xff 0xffffff00 0 0 63
//! expect signs: -64 63
//! expect seen: 64*1
//! expect group: 4*136

kernel void fetch(global atomic_uint *words, global atomic_int *signs, global uint *seen, global uint *group) {
  uint i = get_global_id(0);
  local atomic_uint sum;
  if (get_local_id(0) == 0)
    atomic_init(&sum, 0u);
  work_group_barrier(CLK_LOCAL_MEM_FENCE);
  atomic_fetch_add(&words[0], i);
  atomic_fetch_sub_explicit(&words[1], 1u, memory_order_relaxed);
  atomic_fetch_or_explicit(&words[2], 1u << (i & 7), memory_order_acquire, memory_scope_device);
  atomic_fetch_and_explicit(&words[3], ~(1u << (i & 7)), memory_order_release, memory_scope_device);
  atomic_fetch_xor_explicit(&words[4], 3u, memory_order_acq_rel);
  atomic_fetch_min_explicit(&words[5], i, memory_order_seq_cst, memory_scope_device);
  atomic_fetch_max(&words[6], i);
  atomic_fetch_min(&signs[0], -1 - (int)i);
  atomic_fetch_max(&signs[1], (int)i);
  uint ticket = atomic_fetch_add_explicit(&sum, get_local_id(0) + 1, memory_order_relaxed, memory_scope_work_group);
  work_group_barrier(CLK_LOCAL_MEM_FENCE, memory_scope_work_group);
  if (get_local_id(0) == 0)
    group[get_group_id(0)] = atomic_load_explicit(&sum, memory_order_relaxed, memory_scope_work_group);
  seen[i] = ticket < 136;
}
