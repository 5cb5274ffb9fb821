// Exchanges, comparisons, loads and stores: a chain of exchanges passes every value on exactly once; a failed
// comparison returns the value that it found.
//! options: -cl-std=CL3.0
//! buffer slots: int = 1000 7 5 0
//! buffer got: int = 65*0
//! buffer results: int 5
//! buffer real: float = 1.5 0
//! launch: chain(slots, got) global 64 local 32
//! launch: compare(slots, got, real, results) global 1
//! expect results: 0 7 1 5 40
//! expect got: 65*1
//! expect slots: 40 7 9 6
//! expect real: 2.25 1.5

kernel void chain(global atomic_int *slots, global atomic_int *got) {
  int i = get_global_id(0);
  int old = atomic_exchange_explicit(&slots[0], i, memory_order_relaxed);
  atomic_fetch_add(&got[old == 1000 ? 64 : old], 1);
}

kernel void compare(global atomic_int *slots, global int *got, global atomic_float *real, global int *results) {
  // The last value of the chain stayed in the slot.
  got[atomic_exchange(&slots[0], 3)] += 1;
  int expected = 6;
  results[0] = atomic_compare_exchange_strong(&slots[1], &expected, 99);
  results[1] = expected;
  expected = 5;
  results[2] = atomic_compare_exchange_weak_explicit(&slots[2], &expected, 9, memory_order_acq_rel,
                                                     memory_order_relaxed, memory_scope_device);
  results[3] = expected;
  atomic_store(&slots[3], 6);
  atomic_store_explicit(&slots[0], 40, memory_order_release);
  results[4] = atomic_load_explicit(&slots[0], memory_order_acquire);
  float old = atomic_exchange(&real[0], 2.25f);
  atomic_store(&real[1], old);
}
