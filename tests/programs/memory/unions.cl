// Unions: the same bytes as numbers of several sizes, in a variable and in an indexed array.
//! buffer in: float = 1.0 -2.0 0.5 8.0
//! buffer out: uint 12
//! launch: run(in, out) global 4
//! expect out: 0x3f800000 0xc0000000 0x3f000000 0x41000000
//! expect out: 0x3f 0xc0 0x3f 0x41
//! expect out: 0xc000 0x3f00 0x4100 0x3f80

union bits {
  float f;
  uint u;
  ushort s[2];
  uchar b[4];
};

kernel void run(global const float *in, global uint *out) {
  int i = get_global_id(0);
  union bits one;
  one.f = in[i];
  out[i] = one.u;
  out[4 + i] = one.b[3];
  union bits many[4];
  for (int k = 0; k < 4; ++k)
    many[k].f = in[k];
  out[8 + i] = many[(i + 1) & 3].s[1];
}
