// Rounding, remainders, parts of numbers, neighbours, minima and maxima.
//! options: -cl-std=c++
//! spirv differs: clang has no OpenCL C++ 1.0
//! buffer out: float 29
//! launch: run(out, float -2.75, float 1.5) global 1
//! expect out: -2.0 -3.0 -2.0 -3.0 2.0 2.0 -1.5 2.75 -3.125 -3.125 -1.25 0.25 30.5 -20.75 30.5625 59.25
//! expect out: 1.1920928955078125e-07 4.25 0.0 1.5 -2.75 -2.75 1.5 24.0 3.0 1.0 1.0 1.5 6.0
#include <opencl_math>
#include <opencl_memory>
#include <opencl_relational>
using namespace cl;

float fraction(float x) {
  float whole;
  float rest = fract(x, &whole);
  return rest + whole * 10.0f;
}
float parts(float x) {
  float whole;
  float rest = modf(x, &whole);
  return rest + whole * 10.0f;
}
float mantissa(float x) {
  int exponent;
  float rest = frexp(x, &exponent);
  return rest + exponent * 10.0f;
}
float quotient(float x, float y) {
  int bits;
  float rest = remquo(x, y, &bits);
  return rest + (bits & 7) * 10.0f;
}
kernel void run(global_ptr<float[]> out, float x, float y) {
  out[0] = ceil(x);
  out[1] = floor(x);
  out[2] = trunc(x);
  out[3] = round(x);
  out[4] = rint(y);
  out[5] = rint(y + 1.0f);
  out[6] = copysign(y, x);
  out[7] = fabs(x);
  out[8] = fma(x, y, 1.0f);
  out[9] = mad(x, y, 1.0f);
  out[10] = fmod(x, y);
  out[11] = remainder(x, y);
  out[12] = fraction(y + 2.0f);
  out[13] = parts(x);
  out[14] = mantissa(y + 3.0f);
  out[15] = quotient(-x * 3.0f, y);
  out[16] = nextafter(y, 2.0f) - y;
  out[17] = fdim(y, x);
  out[18] = fdim(x, y);
  out[19] = fmax(x, y);
  out[20] = fmin(x, y);
  out[21] = maxmag(x, y);
  out[22] = minmag(x, y);
  out[23] = ldexp(y, 4);
  out[24] = (float)ilogb(x * 4.0f);
  out[25] = logb(x);
  out[26] = isnan(nan(3u)) ? 1.0f : 0.0f;
  out[27] = fmax(float4(x, y, 0.0f, 1.0f), y).x;
  out[28] = ldexp(float2(x, y), int2(1, 2)).y;
}
