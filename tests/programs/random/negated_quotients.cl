// Quotients of the smallest integer and a constant are negated: SwiftShader negates the constant instead,
// which changes nothing.
//! buffer out: int 4
//! launch: run(out, int 2147483647, int 3, int -2147483648) global 1
//! expect out: 1 -10 715827882 -1

kernel void run(global int *out, int a, int b, int c) {
  int2 quotients = as_int2(-as_uint2((int2)(INT_MIN, 32) / (int2)(a, b)));
  out[0] = quotients.x;
  out[1] = quotients.y;
  out[2] = -(INT_MIN / b);
  out[3] = -(c / INT_MIN);
}
