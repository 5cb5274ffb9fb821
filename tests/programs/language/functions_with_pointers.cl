// Functions that change their callers' arrays and structures through pointers. Two of these may be the same,
// and the functions return early. Where calls are kept, they stay functions.
//! buffer in: uint = 3 0x12345678 0xdeadbeef 77
//! buffer out: uint 52
//! launch: run(out, in) global 4 local 2
//! expect out: 0x2ec0eed4 0x8bf33f19 0xba4cefd1 0x97c42cb4 0x755ac6c4 0x1fdd352 0xa3220d90 0xaddef061 0x423dc01
//! expect out: 0x68 0x3eb31cf5 0xcf664bd4 0x43a41800 0x403f3335 0xca5a98f5 0xc3a4edf9 0x4cdcd5e8 0xf5edd1f6
//! expect out: 0x33c0e7e9 0xc38c85ac 0xeea66961 0x4b7dc01 0x68 0xffdea05f 0x8fe88316 0x4344b000 0x69a7219e
//! expect out: 0xf338c5e0 0xb676b069 0xee83a159 0xc8b7d3b7 0xceea48f1 0x8f82e656 0xba68a6d0 0x4bddc01 0x68
//! expect out: 0xcbfc2e28 0x2b6b0509 0x42b7a000 0xbecc293e 0xd672517 0xce83b597 0xcf2e29a7 0xf9d214be 0x14bf497
//! expect out: 0xc37bb8be 0xed5489e9 0x458dc01 0x68 0xb8186054 0x308e0b1b 0x434a9000

constant uint table[8] = {0x9e3779b9, 0x85ebca6b, 0xc2b2ae35, 0x27d4eb2f,
                          0x165667b1, 0xd3a2646d, 0xfd7046c5, 0xb55a4f09};

struct mixer {
  uint low[4], high[4], key[2];
  uchar bytes[4];
  ulong count;
};

#define STEP(i)                                                                  \
  a[(i) & 3] += rotate(b[((i) + 1) & 3] ^ key[(i) & 1], (uint)((i) % 13 + 1)); \
  b[(i) & 3] ^= a[((i) + 2) & 3] * table[a[(i) & 3] >> 29] + (i);
#define STEPS4(i) STEP(i) STEP((i) + 1) STEP((i) + 2) STEP((i) + 3)

void stir(uint *a, uint *b, const uint *key, uint rounds) {
  STEPS4(0)
  if (rounds == 1)
    return;
  STEPS4(4)
}

ulong block(struct mixer *m, const uint *words, char bias, float *scale) {
  stir(m->low, m->high, words, 2);
  stir(m->high, m->low, words + 1, 1);
  stir(m->low, m->high, m->key, get_global_id(0) & 1 ? 2 : 1);
  m->bytes[1] += bias;
  m->bytes[2] ^= m->low[3];
  *scale = *scale * 0.5f + (float)(m->low[0] & 255);
  return ((ulong)m->high[1] << 32 | m->low[2]) + m->count++;
}

#define BLOCK(n) total += block(&m, words + (n) % 4, (n) * 7 - 20, &scale);

kernel void run(global uint *out, global const uint *in) {
  uint item = get_global_id(0);
  struct mixer m = {{in[0] + item, in[1], in[2], in[3]},
                    {in[3], in[2] ^ item, in[1], in[0]},
                    {item, 0xabcdef01},
                    {1, 2, 3, 4},
                    100};
  uint words[8];
  for (uint k = 0; k < 8; k++)
    words[k] = in[k & 3] * (k + 1) + item;
  float scale = 1;
  ulong total = 0;
  BLOCK(0) BLOCK(1) BLOCK(2) BLOCK(3)
  stir(m.low, m.low, words, 2);
  out += item * 13;
  for (uint k = 0; k < 4; k++) {
    out[k] = m.low[k];
    out[4 + k] = m.high[k];
  }
  out[8] = as_uint((uchar4)(m.bytes[0], m.bytes[1], m.bytes[2], m.bytes[3]));
  out[9] = m.count;
  out[10] = total;
  out[11] = total >> 32;
  out[12] = as_uint(scale);
}
