// 64-bit sums that are cleared as words and as vectors, changed in parts by neighbours and read as bytes,
// beside the atomic operations on them and on their halves.
//! needs: cl_khr_int64_base_atomics
//! buffer out: ulong 16
//! buffer parts: uint 16
//! launch: run(local 128, out, parts) global 16
//! expect out: 4294967310 4294967312 4294967314 4294967316 4294967318 4294967320 4294967322 4294967324 12884901897 12884901898 12884901899 12884901900 12884901901 12884901902 12884901903 12884901904
//! expect parts: 0 257 514 771 1028 1285 1542 1799 2056 2313 2570 2827 3084 3341 3598 3855

#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable

kernel void run(local float2 *sums, global ulong *out, global uint *parts) {
  uint i = get_local_id(0);
  local uint *halves = (local uint *)sums;
  halves[2 * i] = 0;
  halves[2 * i + 1] = 1;
  barrier(CLK_LOCAL_MEM_FENCE);
  // Elements 0 to 7 get i and i + 8; the others get 3 * 2^32, and an operation on one half.
  atom_add((volatile local ulong *)sums + i % 8, (ulong)(i + 3));
  atomic_add(&halves[2 * (8 + i % 8) + 1], 1u);
  if (i >= 8)
    atomic_or(&halves[2 * i], i + 1);
  barrier(CLK_LOCAL_MEM_FENCE);
  out[i] = ((local ulong *)sums)[i];
  barrier(CLK_LOCAL_MEM_FENCE);
  // Neighbours store bytes and shorts of the same words.
  local uchar *bytes = (local uchar *)sums;
  for (uint byte = 0; byte < 2; ++byte)
    bytes[4 * i + byte] = i;
  ((local ushort *)sums)[2 * i + 1] = 0;
  barrier(CLK_LOCAL_MEM_FENCE);
  parts[i] = halves[i];
}
