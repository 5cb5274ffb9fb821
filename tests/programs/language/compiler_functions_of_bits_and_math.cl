// More built-in functions of other compilers: positions, parity, rotation, reversal, number classes,
// `math.h`, plain accesses.
//! options: -cl-std=CL1.2
//! buffer in: uint = 0 1 0x80000000 0x00f01234
//! buffer words: uint 28
//! buffer floats: float 8
//! launch: run(in, words) global 4
//! launch: numbers(floats) global 1
//! expect words: 0 0 0 0 0 0 0
//! expect words: 1 1 2 0x80000000 0x80000000 0x80 1
//! expect words: 32 1 1 0x40000000 1 0 0
//! expect words: 3 1 0x01e02468 0x0078091a 0x2c480f00 0x2c 1
//! expect floats: 3 -3 12 8 1 3 0 16

kernel void run(global const uint *in, global uint *out) {
  int i = get_global_id(0);
  uint x = __builtin_nontemporal_load(in + i);
  global uint *row = __builtin_assume_aligned(out + 7 * i, 4);
  row[0] = __builtin_ffs(x);
  row[1] = __builtin_parity(x);
  row[2] = __builtin_rotateleft32(x, 1);
  row[3] = __builtin_rotateright32(x, 1);
  row[4] = __builtin_bitreverse32(x);
  row[5] = __builtin_bitreverse8(x);
  __builtin_nontemporal_store((uint)__builtin_isnan(__builtin_bit_cast(float, x | 0x7f800000)), row + 6);
}

kernel void numbers(global float *out) {
  out[0] = __builtin_abs(-3);
  out[1] = __builtin_nearbyintf(-2.6f);
  out[2] = __builtin_ldexpf(3.0f, 2.9f);
  out[3] = __builtin_powif(2.0f, 3);
  out[4] = __builtin_isgreater(2.0f, 1.0f) + __builtin_isunordered(1.0f, 1.0f);
  out[5] = __builtin_isfinite(1.0f) + __builtin_signbit(-0.0f) + __builtin_isnormal(2.0f);
  out[6] = __builtin_erff(0.0f);
  out[7] = __builtin_labs(-16L);
}
