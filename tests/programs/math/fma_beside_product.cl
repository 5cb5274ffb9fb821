// fma() rounds once even where the product has another use: a product's rounding error, and two sums with one
// product.
//! buffer x: float = 1.000244140625 1.000244140625 0.5 3
//! buffer out: float 4
//! launch: run(x, out) global 1
//! expect out: 1.00048828125 5.9604644775390625e-8 5.9604644775390625e-8 4.00048828125

// (1 + 2^-12)^2 = 1 + 2^-11 + 2^-24.
kernel void run(global const float *x, global float *out) {
  float product = x[0] * x[1];
  out[0] = product;
  out[1] = fma(x[0], x[1], -product);
  out[2] = fma(x[0], x[1], -1.00048828125f);
  out[3] = fma(x[0], x[1], x[3]);
}
