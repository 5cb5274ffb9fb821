// Comparisons of widened numbers with constants in and out of their range, signed and unsigned, in vectors
// too.
//! buffer in: int = -2 -1 0 1 127 128 200 -128
//! buffer out: uint 8
//! launch: run(in, out) global 8
//! expect out: 0x633 0x233 0x6e4 0x6e4 0x6e4 0x620 0x620 0x633

kernel void run(global const int *in, global uint *out) {
  int i = get_global_id(0);
  int x = in[i];
  char c = (char)x;
  uchar u = (uchar)x;
  long3 wide = convert_long3((int3)(x));
  ulong3 chosen = wide ? (ulong3)(1) : (ulong3)(0);
  uint result = (uint)chosen.y;
  result |= (uint)((long)x < 0) << 1;
  result |= (uint)((long)x > -1 && x != 128 && x != 200) << 2;
  result |= (uint)((ulong)(long)x >= 0x80000000UL) << 4;
  result |= (uint)((long)x < 0x80000000L) << 5;
  result |= (uint)((int)c > 0 || x == 0) << 6;
  result |= (uint)((int)c >= 0) << 7;
  result |= (uint)((int)c < 128) << 9;
  result |= (uint)((ulong)u < 0xffffffffffffffffUL) << 9;
  result |= (uint)((long)u > -1) << 9;
  result |= (uint)((int)u < (int)(uchar)(x + 1)) << 10;
  out[i] = result;
}
