// Atomic functions through generic pointers, which may point to global or to local memory.
//! options: -cl-std=CL2.0
//! buffer total: int = 0 0
//! buffer locals: int 2
//! launch: both(total, locals) global 32 local 16
//! expect total: 256 240
//! expect locals: 8 8

int add_one(volatile atomic_int *p, int by) {
  int expected = atomic_load(p);
  while (!atomic_compare_exchange_strong(p, &expected, expected + by))
    ;
  return expected;
}

kernel void both(global atomic_int *total, global int *locals) {
  local atomic_int count;
  if (get_local_id(0) == 0)
    atomic_store_explicit(&count, 0, memory_order_relaxed, memory_scope_work_group);
  work_group_barrier(CLK_LOCAL_MEM_FENCE);
  int i = get_local_id(0);
  atomic_int *p = i & 1 ? (atomic_int *)&count : (atomic_int *)&total[0];
  add_one(p, i & 1 ? 1 : 16);
  atomic_fetch_add(&total[1], i);
  work_group_barrier(CLK_LOCAL_MEM_FENCE);
  if (i == 0)
    locals[get_group_id(0)] = atomic_load(&count);
}
