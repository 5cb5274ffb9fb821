// Whether the larger or smaller of two small integers equals a constant: NVIDIA's driver 580 is wrong with 16
// bits.
//! buffer in: short = -5 -1 0 7 3 -32768 32767 -2
//! buffer out: uint 8
//! launch: run(in, out) global 8
//! expect out: 28 28 50 63 59 28 31 28

kernel void run(global const short *in, global uint *out) {
  size_t i = get_global_id(0);
  short x = in[i];
  ushort u = as_ushort(x);
  uint result = max(x, (short)0) != 0;
  result |= (min(x, (short)0) == 0 ? 2 : 0);
  result |= (max(u, (ushort)3) == 3 ? 0 : 4);
  result |= (min(u, (ushort)3) != 3 ? 0 : 8);
  result |= 16;
  result |= (clamp(x, (short)0, (short)9) == x ? 32 : 0);
  out[i] = result;
}
