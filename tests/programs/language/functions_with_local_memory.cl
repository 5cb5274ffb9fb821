// Functions that read and change local memory of two kernels, as words and as bytes, at the start of a
// variable and elsewhere, and memory that the host gives. Where calls are kept, those whose pointers lead to
// variables stay functions.
//! buffer in: uint = 3 0x12345678 0xdeadbeef 77 5 6 7 8
//! buffer out: uint 16
//! buffer more: uint 16
//! launch: first(out, in, local 32) global 8 local 4
//! launch: second(more, in) global 8 local 4
//! expect out: 0x388431bb 0xcd2ff8db 0x7335c31e 0xcd2fe721 0x522972ec 0xcd2fe462 0xc5d6f40e 0xcd2ffbf0
//! expect out: 0x388431bb 0xcd2ff8db 0x7335c31e 0xcd2fe721 0x522972ec 0xcd2fe462 0xc5d6f40e 0xcd2ffbf0
//! expect more: 0x945a788b 0xdaa6937f 0xd8d14bb5 0x88794226 0x198504c9 0x9227114e 0xbaeb85e2 0x96afc2ae
//! expect more: 0x945a788b 0xdaa6937f 0xd8d14bb5 0x88794226 0x198504c9 0x9227114e 0xbaeb85e2 0x96afc2ae

void fill(local uint *to, global const uint *from, uint item, uint step) {
  for (uint i = item; i < 8; i += step)
    to[i] = from[i] * 0x9e3779b9 + i;
}

uint look(local const uint *table, uint key) {
  uint sum = 0;
  for (uint i = 0; i < 4; i++) {
    sum = sum * 5 + table[key & 7];
    key = key >> 3 ^ sum;
  }
  return sum;
}

uint bytes(local const uchar *bytes, uint at) {
  uint sum = 0;
  for (uint i = 0; i < 6; i++)
    sum += bytes[(at + i * 5) & 15] << i;
  return sum;
}

void both(local uint *a, local uint *b, uint item) {
  a[item] ^= look(b, a[item]);
  b[item + 4] += bytes((local const uchar *)b, a[item] & 15) + look(a + 2 * (item & 0), item);
}

kernel void first(global uint *out, global const uint *in, local uint *given) {
  local uint a[8], b[8], c[8];
  uint item = get_local_id(0);
  fill(a, in, item, 4);
  fill(b, in, item, 4);
  fill(c, in, item, 4);
  fill(given, in, item, 4);
  barrier(CLK_LOCAL_MEM_FENCE);
  uint seen = a[item + 4];
  barrier(CLK_LOCAL_MEM_FENCE);
  if (item == 0) {
    both(a, b, 1);
    both(c, a, 2);
    both(b, a, 3);
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  seen = seen * 3 + a[item + 4] + look(given, item) + bytes((local uchar *)given + 3, item);
  out[get_global_id(0) * 2] = seen ^ look(c, item) ^ b[item];
  out[get_global_id(0) * 2 + 1] = bytes((local uchar *)(item & 1 ? a : c), item) + look(b + (item & 0), 9);
}

kernel void second(global uint *out, global const uint *in) {
  local uint pad[4], a[16];
  uint item = get_local_id(0);
  pad[item] = item * 7;
  fill(a, in, item, 4);
  fill(a + 8, in, item, 4);
  barrier(CLK_LOCAL_MEM_FENCE);
  if (item == 3)
    both(a, a + 8, 2);
  barrier(CLK_LOCAL_MEM_FENCE);
  out[get_global_id(0) * 2] = look(a, item) + look(a + item * 2, 100);
  out[get_global_id(0) * 2 + 1] = bytes((local uchar *)a, item) + pad[3 - item] + a[8 + item];
}
