// Operations that round are executed as written, even if they cancel for real numbers: sums and differences,
// quotients of products, conversions there and back.
//! buffer in: float = 1 1e8 3e38 -0.25 16777216
//! buffer out: float 6
//! buffer whole: int = 16777217 0
//! launch: run(in, out, whole) global 1
//! expect out: 0 1e8 inf 16777216 inf 0
//! expect whole: 16777216 0

kernel void run(global const float *in, global float *out, global int *whole) {
  float one = in[0], large = in[1], huge = in[2], part = in[3];
  out[0] = (one + large) - large;
  out[1] = (large - one) + one;
  out[2] = (huge * large) / large;
  out[3] = (one + in[4]) * one;
  // The sign of zero is lost by the conversion.
  out[4] = 1.0f / (float)(int)part;
  out[5] = (one + large) + -large;
  whole[0] = (int)(float)whole[0];
}
