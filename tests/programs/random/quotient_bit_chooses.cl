// A bit of a 64-bit quotient or remainder selects an array's element: NVIDIA's driver 580 takes a wrong one.
//! buffer out: int 16
//! launch: run(out) global 8 local 8
//! expect out: 10 10 10 11 11 10 10 11 11 10 10 11 11 10 10 11

kernel void run(global int *out) {
  uint i = get_global_id(0);
  int choices[2][3] = {{i, 10, 1}, {1, 11, i}};
  ulong quotient = (ulong)i * 0x20000 / (i | 1UL);
  long rest = (long)i * 0x20003 % (i | 16L);
  out[2 * i] = choices[(uint)quotient & 1][1];
  out[2 * i + 1] = choices[(uint)rest & 1][1];
}
