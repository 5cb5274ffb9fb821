// One number, or another one with its sign, through copysign or composed from bits.
//! quirk: merged-signs
//! buffer in: float = -2 3 -0.5 250 -inf 0
//! buffer out: float 5
//! buffer bits: float 5
//! launch: run(in, out) global 5
//! launch: merge(in, bits) global 5
//! expect out: -4.5 0.75 -375 250 -0
//! expect bits: -4.5 0.75 -375 250 -0

kernel void run(global const float *in, global float *out) {
  size_t i = get_global_id(0);
  float x = in[i], r = in[i + 1] * 1.5f;
  out[i] = x > 100.0f ? x : copysign(r, x);
}

kernel void merge(global const float *in, global float *out) {
  size_t i = get_global_id(0);
  float x = in[i], r = in[i + 1] * 1.5f;
  uint merged = as_uint(r) & 0x7fffffffu | as_uint(x) & 0x80000000u;
  out[i] = x > 100.0f ? x : as_float(merged);
}
