// Buffers of any size are aligned for the largest vectors.
//! buffer a: uchar = 1
//! buffer b: uchar = 2 3
//! buffer c: uchar = 4 5 6
//! buffer d: long 1
//! buffer e: uchar = 7
//! buffer out: uint 5
//! launch: run(a, b, c, d, e, out) global 1
//! expect out: 0 0 0 0 0

kernel void run(global const uchar *a, global const uchar *b, global const uchar *c, global const long *d,
                global const uchar *e, global uint *out) {
  out[0] = (ulong)a & 127;
  out[1] = (ulong)b & 127;
  out[2] = (ulong)c & 127;
  out[3] = (ulong)d & 127;
  out[4] = (ulong)e & 127;
}
