// Vectors seen through unions as scalars, parts and other vectors, in private, local and global memory.
//! buffer in: float = 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16
//! buffer out: uint 16
//! launch: run(in, out, local 64) global 1
//! expect in: -1 2 3 4 5 6 7 8 9 10 11 12 13 14 0.5 16
//! expect out: 0x40e00000 0xc0a00000 8 0x41200000 0x3f800000 0x40000000 3 4 0x04030201 0x0201 0x04 0x41500000 0x41600000 0x41700000 0x41800000 64

typedef union {
  float16 v;
  float s[16];
  struct {
    float4 a, b, c, d;
  } part;
  uint4 bits[4];
} matrix;

typedef union {
  uchar4 bytes;
  ushort2 shorts;
  uint word;
} pixel;

kernel void run(global float *in, global uint *out, local matrix *shared) {
  matrix m;
  m.v = vload16(0, in);
  m.s[3] += m.part.a.z;
  m.bits[1].x ^= 0x80000000u;
  out[0] = m.bits[0].w;
  out[1] = as_uint(m.v.s4);
  out[2] = (uint)m.part.b.w;
  out[3] = m.bits[2].y;
  *shared = m;
  shared->part.a.xy = (float2)(1, 2);
  out[4] = shared->bits[0].x;
  out[5] = shared->bits[0].y;
  shared->bits[0].zw = (uint2)(3, 4);
  out[6] = shared->bits[0].z;
  out[7] = as_uint(shared->s[3]);
  pixel p;
  p.bytes = (uchar4)(1, 2, 3, 4);
  out[8] = p.word;
  out[9] = p.shorts.x;
  p.word >>= 24;
  out[10] = p.bytes.x;
  for (int i = 0; i < 4; ++i)
    out[11 + i] = m.bits[3][i];
  out[15] = sizeof(matrix);
  global matrix *whole = (global matrix *)in;
  whole->part.a.x = -whole->s[0];
  whole->part.d.z = 0.5f;
}
