// One number, or the absolute value of another one with its sign, composed from bits in several ways. On
// processors with AVX-512, LLVM 15 makes wrong code of that.
//! buffer in: float = -2 3 -0.5 250 -inf 0
//! buffer united: float 5
//! buffer added: uint 5
//! buffer shifted: float 5
//! launch: unite(in, united) global 5
//! launch: add(in, added) global 5
//! launch: shift(in, shifted) global 5
//! expect united: -4.5 0.75 -375 250 -0
//! expect added: 0xc0900000 0x3f400000 0xc3bb8000 0x437a0000 0x80000000
//! expect shifted: -4.5 0.75 -375 250 -0

kernel void unite(global const float *in, global float *out) {
  size_t i = get_global_id(0);
  float x = in[i], r = in[i + 1] * 1.5f;
  out[i] = x > 100.0f ? x : as_float(as_uint(fabs(r)) | as_uint(x) & 0x80000000u);
}

kernel void add(global const float *in, global uint *out) {
  size_t i = get_global_id(0);
  float x = in[i], r = in[i + 1] * 1.5f;
  uint bits = as_uint(x);
  out[i] = x > 100.0f ? bits : as_uint(fabs(r)) + (bits & 0x80000000u);
}

kernel void shift(global const float *in, global float *out) {
  size_t i = get_global_id(0);
  float x = in[i], r = in[i + 1] * 1.5f;
  out[i] = x > 100.0f ? x : as_float(as_uint(fabs(r)) ^ as_uint(x) >> 31 << 31);
}
