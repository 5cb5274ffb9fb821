// Hints to unroll completely, for loops of at most 100 iterations whose end depends on the data.
//! buffer sums: uint 4
//! launch: bounded(sums, uint 90) global 2 local 2
//! launch: left(sums, uint 90) global 2 local 2
//! expect sums: 4005 4095 3916 4005

kernel void bounded(global uint *sums, uint n) {
  uint most = min(n, 100u), item = (uint)get_local_id(0), sum = 0;
#pragma unroll
  for (uint i = 0; i < most; ++i) {
    sum += i + item;
    sums[item] = sum;
  }
}

kernel void left(global uint *sums, uint n) {
  uint item = (uint)get_local_id(0), sum = 0;
#pragma unroll
  for (uint i = 0; i < 100; ++i) {
    if (i + 1 > n - 1 + item)
      break;
    sum += i;
    sums[2 + item] = sum;
  }
}
