// The second result of math functions through pointers to every address space, of scalars and vectors.
//! options: -cl-std=CL3.0
//! buffer whole: float 8
//! buffer exponents: int 6
//! buffer out: float 12
//! launch: run(whole, exponents, out, local 32) global 1
//! expect whole: 3 -4 7 2 2 -1 1 0
//! expect exponents: 4 2 -3 3 1 0
//! expect out: 0.75 0.25 0.5 0.75 0.5 0.5 0.5 0.75 0.5 1 3 -1

kernel void run(global float *whole, global int *exponents, global float *out, local float *shared) {
  // fract of a vector to global memory: 3.75 = 3 + 0.75, -3.75 = -4 + 0.25, 7.5 = 7 + 0.5, 2.75 = 2 + 0.75.
  float4 parts = fract((float4)(3.75f, -3.75f, 7.5f, 2.75f), (global float4 *)whole);
  vstore4(parts, 0, out);
  // modf to local and private memory, and through a generic pointer.
  float private_whole;
  out[4] = modf(2.5f, shared);
  out[5] = -modf(-1.5f, &private_whole);
  float *anywhere = (float *)(shared + 1);
  out[6] = modf(1.5f, anywhere);
  whole[4] = shared[0];
  whole[5] = private_whole;
  whole[6] = shared[1];
  // frexp: 12 = 0.75 * 2^4; remquo: 7 = 4 * 2 - 1 in the nearest; lgamma_r: gamma(-0.5) is negative.
  out[7] = frexp(12.0f, exponents);
  int2 two;
  float2 fractions = frexp((float2)(2.0f, 0.0625f), &two);
  out[8] = fractions.x;
  exponents[1] = two.x;
  exponents[2] = two.y;
  local int *shared_int = (local int *)(shared + 4);
  out[9] = remquo(13.0f, 4.0f, shared_int);
  exponents[3] = *shared_int;
  out[10] = fabs(remquo(5.0f, 8.0f, exponents + 4));
  int sign;
  float gamma = lgamma_r(-0.5f, &sign);
  out[11] = (float)sign;
  float cosine;
  whole[7] = sincos(0.0f, &cosine);
  exponents[5] = (int)cosine - 1;
}
