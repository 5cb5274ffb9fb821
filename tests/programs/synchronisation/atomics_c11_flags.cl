// A lock made of an atomic_flag in local memory, taken by one work-item after the other, and flags that only
// one may set.
//! options: -cl-std=CL3.0
//! buffer flags: int = 0 0 1 0
//! buffer count: uint = 0 0 0 0
//! launch: winners(flags, count) global 64 local 8
//! expect count: 1 1 0 64
//! expect flags: 1 1 1 0

kernel void winners(global atomic_flag *flags, global atomic_uint *count) {
  int which = get_global_id(0) % 3;
  if (!atomic_flag_test_and_set(&flags[which]))
    atomic_fetch_add(&count[which], 1);
  atomic_flag_clear_explicit(&flags[3], memory_order_release, memory_scope_work_group);
  if (!atomic_flag_test_and_set_explicit(&flags[3], memory_order_acquire))
    atomic_flag_clear(&flags[3]);
  else
    atomic_flag_clear(&flags[3]);
  atomic_fetch_add(&count[3], 1);
}
