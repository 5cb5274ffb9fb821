// Counters that are cleared as vectors and read as bytes, beside the atomic operations on them.
//! buffer counters: int 8
//! buffer out: int 16
//! launch: run(counters, out) global 16
//! expect counters: 2 2 2 2 2 2 2 2
//! expect out: 4 4 4 4 4 4 4 4 4 4 4 4 4 4 4 4

kernel void run(global int *counters, global int *out) {
  local int sums[4];
  int i = get_local_id(0);
  if (i == 0) {
    ((global int4 *)counters)[0] = (int4)(0);
    ((global int4 *)counters)[1] = (int4)(0);
    *(local int4 *)sums = (int4)(0);
  }
  barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
  atomic_inc(&counters[i & 7]);
  atomic_add(&sums[i & 3], 1);
  barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
  out[i] = ((local uchar *)sums)[(i & 3) * 4];
}
