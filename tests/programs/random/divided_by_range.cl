// Quotients and remainders of numbers whose ranges a compiler can derive: NVIDIA's driver 580 derives them
// wrongly.
//! buffer dividends: char = -128 -1 5 127
//! buffer divisors: uchar = 8 6 254 128
//! buffer out: uint 16
//! launch: run(dividends, divisors, out) global 4 local 4
//! expect out: 2 4294967294 0 0 3 4294967294 1 0 5 4294967294 0 2 127 4294967294 0 1

kernel void run(global const char *dividends, global const uchar *divisors, global uint *out) {
  uint i = get_global_id(0);
  char dividend = dividends[i];
  out[4 * i] = (uint)dividend % (convert_uint_sat(divisors[i]) | 1u);
  out[4 * i + 1] = 0xfffffffeu / ((uint)(127 >= dividend) | 1u);
  uchar2 quotient = (uchar2)dividend / (convert_uchar2((char2)1 || (char2)1) | (uchar2)1);
  out[4 * i + 2] = quotient.y;
  out[4 * i + 3] = ((long)dividend & 0x7fffffffffffffffL) % ((long)i | 1L);
}
