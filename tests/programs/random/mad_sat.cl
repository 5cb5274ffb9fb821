// Products and sums outside of the type's range, one for each width and signedness, and one in range:
// 127 * 127 + 127, 255 * 255 + 255 and so on saturate; -128 * 127 - 128 is below the smallest `char`;
// 3 * 5 + 7 is 22.
//! buffer out: long 12
//! launch: run(out) global 1
//! expect out: 127 -128 255 32767 -32768 65535 2147483647 -2147483648 4294967295 9223372036854775807 -1 22

kernel void run(global long *out) {
  char c = 127;
  out[0] = mad_sat(c, c, c);
  out[1] = mad_sat((char)-128, c, (char)-128);
  out[2] = mad_sat((uchar)255, (uchar)255, (uchar)255);
  short s = 32767;
  out[3] = mad_sat(s, s, s);
  out[4] = mad_sat((short)-32768, s, (short)-32768);
  out[5] = mad_sat((ushort)65535, (ushort)65535, (ushort)65535);
  int i = 0x7fffffff;
  out[6] = mad_sat(i, i, i);
  out[7] = mad_sat(-i, i, -i);
  out[8] = mad_sat(0xffffffffu, 0xffffffffu, 0xffffffffu);
  long l = 0x7fffffffffffffffL;
  out[9] = mad_sat(l, l, l);
  out[10] = as_long(mad_sat(0xffffffffffffffffUL, 2UL, 1UL));
  out[11] = mad_sat(3L, 5L, 7L);
}
