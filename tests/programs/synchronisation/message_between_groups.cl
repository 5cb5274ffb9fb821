// A work-group passes data to the next by releasing a flag that the other acquires: ordinary stores before
// the release are visible after the acquisition. The groups run in the order in which they take a number, so
// none waits for one that has not begun.
//! options: -cl-std=CL3.0
//! buffer state: uint = 0 0
//! buffer data: uint = 64*0
//! buffer out: uint 32
//! launch: relay(state, data, out) global 256 local 8
//! expect out: 0..32
//! expect state: 32 32

kernel void relay(global atomic_uint *state, global uint *data, global uint *out) {
  local uint number;
  if (get_local_id(0) == 0)
    number = atomic_fetch_add_explicit(&state[0], 1u, memory_order_relaxed);
  work_group_barrier(CLK_LOCAL_MEM_FENCE);
  uint me = number;
  if (get_local_id(0) == 0) {
    while (atomic_load_explicit(&state[1], memory_order_acquire, memory_scope_device) != me)
      ;
    uint before = me == 0 ? 0 : data[me - 1];
    out[me] = before;
    data[me] = before + 1;
    atomic_store_explicit(&state[1], me + 1, memory_order_release, memory_scope_device);
  }
}
