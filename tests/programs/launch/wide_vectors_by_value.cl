// Vectors of 24 bytes and more as the last parameter, at the end of the push constants, and before other
// parameters.
//! options: -cl-std=CL3.0
//! buffer out: long 15
//! buffer more: float 13
//! launch: three(out, long4 1 -2 1311768467463790320 0) global 1
//! launch: four(out, long4 4 -5 6 -7311768467463790320) global 1
//! launch: eight(out, long8 8 9 10 11 12 13 -14 1511768467463790320) global 1
//! launch: floats(more, float8 1 2 3 4 5 6 7 8, long4 9 10 11 12, int 13) global 1
//! expect out: 1 -2 1311768467463790320 4 -5 6 -7311768467463790320 8 9 10 11 12 13 -14 1511768467463790320
//! expect more: 1 2 3 4 5 6 7 8 9 10 11 12 13

kernel void three(global long *out, long3 value) { vstore3(value, 0, out); }

kernel void four(global long *out, long4 value) { vstore4(value, 0, out + 3); }

kernel void eight(global long *out, long8 value) { vstore8(value, 0, out + 7); }

kernel void floats(global float *more, float8 first, long4 second, int last) {
  vstore8(first, 0, more);
  vstore4(convert_float4(second), 0, more + 8);
  more[12] = last;
}
