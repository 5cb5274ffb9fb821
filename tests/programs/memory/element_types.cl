// Memory accessed as other types, in every address space: words as bytes, bytes as words, vectors at odd
// addresses.
//! buffer g: uint = 0x03020100 0x07060504 0x0b0a0908 0x0f0e0d0c
//! buffer at: int = 5 6 3
//! buffer out: uint 10
//! launch: run(g, at, out) global 1
//! expect out: 5 0x0706 0x06050403 0x15 0x1716 0x16151413 0x25 0x2726 0x26251413 0x0a0908
//! expect g: 0x03020100 0x07060504 0x0b0a0908 0x0f0e0d0c

kernel void run(global uint *g, global const int *at, global uint *out) {
  local uint l[4];
  uint own[4];
  for (uint k = 0; k < 4; ++k) {
    l[k] = g[k] + 0x10101010u;
    own[k] = g[k] + 0x20202020u;
  }
  int byte = at[0], half_word = at[1], odd = at[2];

  global uchar *gb = (global uchar *)g;
  out[0] = gb[byte];
  out[1] = *(global ushort *)(gb + half_word);
  out[2] = as_uint(vload4(0, gb + odd));

  local uchar *lb = (local uchar *)l;
  out[3] = lb[byte];
  out[4] = *(local ushort *)(lb + half_word);
  out[5] = as_uint(vload4(0, lb + odd));

  uchar *pb = (uchar *)own;
  out[6] = pb[byte];
  out[7] = *(ushort *)(pb + half_word);
  pb[odd] = 0x13;
  pb[odd + 1] = 0x14;
  out[8] = as_uint(vload4(0, pb + odd));
  uchar3 three = vload3(0, (global uchar *)(g + 2));
  out[9] = three.x | (uint)three.y << 8 | (uint)three.z << 16;
}
