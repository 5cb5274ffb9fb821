// `__builtin_shufflevector` and `__builtin_convertvector`, universal character names, labels before
// declarations.
//! buffer out: int 24
//! launch: run(out) global 1
//! expect out: 1 12 3 14 4 2 11 0 8 7 6 5 4 3 2 1 15 12 -3 7 195 27 10 20

kernel void run(global int *out) {
  int4 a = (int4)(1, 2, 3, 4), b = (int4)(11, 12, 13, 14);
  a.x = out[0] == 77 ? 5 : 1;
  vstore4(__builtin_shufflevector(a, b, 0, 5, 2, 7), 0, out);
  int3 c = __builtin_shufflevector(a, b, 3, 1, 4);
  vstore4((int4)(c, 0), 1, out);
  int8 d = (int8)(a, 5, 6, 7, 8);
  int8 e = __builtin_shufflevector(d, d, 15, 14, 13, 12, 3, 2, 1, 0);
  vstore8(e, 1, out);
  char16 f = (char16)(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
  f.s0 = out[0] == 77 ? 9 : 0;
  char2 g = __builtin_shufflevector(f, f, 31, 12);
  out[16] = g.x;
  out[17] = g.y;
  float2 h = (float2)(-3.7f, 7.9f);
  int2 i = __builtin_convertvector(h, int2);
  out[18] = i.x;
  out[19] = i.y;
  constant char *text = "\u00e9\e";
  out[20] = (uchar)text[0];
  out[21] = text[2];
  int \u00e9tat = 2;
  switch (état) {
  case 2:
    int x = 10;
    out[22] = x;
  default:
    int y = 20;
    out[23] = y;
  }
}
