// Members of a packed structure that is an argument by value, at offsets 0, 1, 3, 5, 13, 17, 21 and 25: only
// the first is aligned.
//! buffer out: long 9
//! launch: run(out, uchar 200 + ushort 513 + ushort 65534 + long -81985529216486896 + int -7 + ushort2 3 65000 + float 2.5 + char -3) global 1
//! expect out: 200 513 65534 -81985529216486896 -7 3 65000 5 -3

struct __attribute__((packed)) record {
  uchar a;
  ushort b;
  ushort across_words;
  long c;
  int d;
  ushort2 e;
  float f;
  char g;
};

kernel void run(global long *out, struct record record) {
  out[0] = record.a;
  out[1] = record.b;
  out[2] = record.across_words;
  out[3] = record.c;
  out[4] = record.d;
  out[5] = record.e.x;
  out[6] = record.e.y;
  out[7] = (long)(record.f * 2);
  out[8] = record.g;
}
