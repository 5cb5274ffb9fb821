// Built-in functions of other compilers: byte order, counting, expectation, layout, reinterpretation.
//! buffer in: uint = 0x12345678 0x80000000
//! buffer out: uint 16
//! launch: run(in, out) global 2
//! expect out: 0x78563412 0x7856 13 3 3 0x12345678 36 0x12345678 0x00000080 0x0000 1 0 31 0x80000000 36 0x80000000

struct layout {
  char a;
  int b[4];
  short c;
  float4 d;
};

kernel void run(global const uint *in, global uint *out) {
  int i = get_global_id(0);
  uint x = in[i];
  global uint *row = out + 8 * i;
  row[0] = __builtin_bswap32(x);
  row[1] = __builtin_bswap16((ushort)x);
  row[2] = __builtin_popcount(x);
  row[3] = __builtin_clz(x);
  row[4] = __builtin_expect(x == 0x12345678, 1) ? __builtin_ctz(x) : __builtin_ctz(x);
  row[5] = __builtin_bswap64((ulong)x) >> 32 == __builtin_bswap32(x) ? x : 0;
  const int n = __builtin_offsetof(struct layout, d) / 8;
  int table[n];
  table[n - 1] = __builtin_offsetof(struct layout, b[2]) + 4 * n + 8;
  row[6] = table[n - 1];
  row[7] = __builtin_astype(__builtin_astype(x, float), uint);
}
