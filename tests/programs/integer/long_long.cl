// `long long` and its literals have 64 bits, as in buffers that hosts fill.
//! buffer in: ulong = 0xfffffffffffffffe 5
//! buffer out: ulong 9
//! launch: run(in, out) global 1
//! expect out: 1 0xffffffffffffffff 8 8 0x7fffffffffffffff 0 0x8000000000000000 0xffffffff 0xfffffffffffffffd

struct pair {
  unsigned long long first, second;
};

kernel void run(global const struct pair *in, global unsigned long long *out) {
  unsigned long long wide = in->first;
  long long negative = (long long)wide;
  out[0] = wide + 3ull;
  out[1] = negative / 2LL;
  out[2] = sizeof(long long);
  out[3] = sizeof(1ULL);
  out[4] = __LONG_LONG_MAX__;
  out[5] = 18446744073709551615ULL + 1;
  out[6] = 1LLU << 63;
  out[7] = ~0u & (long long)-1;
  out[8] = -(long long)in->second + 2LL;
}
