// 64-bit atomic objects: sums that need the high half, in global and in local memory.
//! options: -cl-std=CL3.0
//! needs: cl_khr_int64_base_atomics cl_khr_int64_extended_atomics
//! buffer big: ulong = 0xffffffff 0 0
//! buffer signed_values: long = 5 -5
//! launch: add(big, signed_values) global 64 local 16
//! expect big: 0x40ffffffff 0x1f80000000 136
//! expect signed_values: -63000000000 63000000000

kernel void add(global atomic_ulong *big, global atomic_long *signed_values) {
  long i = get_global_id(0);
  local atomic_long sum;
  if (get_local_id(0) == 0)
    atomic_init(&sum, 0L);
  barrier(CLK_LOCAL_MEM_FENCE);
  atomic_fetch_add(&big[0], 1UL << 32);
  atomic_fetch_add((global atomic_size_t *)&big[1], (ulong)i << 26);
  atomic_fetch_min(&signed_values[0], -i * 1000000000L);
  atomic_fetch_max(&signed_values[1], i * 1000000000L);
  atomic_fetch_add(&sum, get_local_id(0) + 1L);
  barrier(CLK_LOCAL_MEM_FENCE);
  if (i == 0) {
    global ulong *plain = (global ulong *)big;
    atom_xchg(&plain[2], 0UL);
    atom_add(&plain[2], (ulong)atomic_load(&sum));
  }
}
