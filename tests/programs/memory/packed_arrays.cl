// Elements of arrays in packed structures are as little aligned as the structures, in each address space.
//! buffer in: uchar = 1 2 0 0 0 3 0 0 0 4 0 0 0 0 0 0 0 5 0 0 0 0 0 0 0 6 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 7 0 0 0 0 0 0 0 8 0 0 0 0 0 0 0 9 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0
//! buffer out: ulong 16
//! launch: run(in, out) global 1
//! expect out: 2 3 4 5 6 0 7 8 9 0 2 3 8 7 9 0

struct __attribute__((packed)) packed {
  char tag;
  int words[2];
  ulong4 wide[2];
};

kernel void run(global const struct packed *in, global ulong *out) {
  for (int i = 0; i < 2; ++i)
    out[i] = in->words[i];
  for (int i = 0; i < 2; ++i)
    vstore4(in->wide[i], 0, out + 2 + 4 * i);
  local struct packed shared;
  struct packed mine = *in;
  shared = mine;
  int zero = in->tag - 1;
  out[10] = mine.words[zero];
  out[11] = shared.words[zero + 1];
  out[12] = shared.wide[zero + 1].y;
  out[13] = mine.wide[zero + 1][zero];
  out[14] = (*&shared.wide[zero + 1]).z;
  out[15] = 0;
}
