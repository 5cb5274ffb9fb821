// 64-bit constants are added to quotients: NVIDIA's driver 580 adds another quotient, or loses the upper word
// of a saturated sum.
//! buffer out: ulong 12
//! launch: run(out, char4 1 2 3 0, ulong 77, ulong 5) global 1
//! expect out: 11748369469459557785 18446744073709551614 18446744073709551615 8589934592 11748369469459557785 18446744073709551614 18446744073709551615 8589934592 11748369469459557862 18446744073709551615 77 1

kernel void run(global ulong *out, char3 x, ulong a, ulong b) {
  ulong4 constants = (ulong4)(0xa30a97c9752e6d99, 0xfffffffffffffffe, 0xfffffffffffffffe, 0x200000000);
  ulong4 quotients = (ulong4)1 / (convert_ulong4(x.s2101) | (ulong4)1);
  vstore4(constants + quotients, 0, out);
  vstore4(add_sat(constants, quotients), 1, out);
  ulong first = a / (convert_ulong(x.s0) | 1), second = b / (convert_ulong(x.s1) | 1);
  out[8] = first + 0xa30a97c9752e6d99;
  out[9] = second + 0xfffffffffffffffe;
  out[10] = first;
  out[11] = second;
}
