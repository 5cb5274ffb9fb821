// Trigonometric and hyperbolic functions, their inverses and those in units of pi, of scalars and vectors.
//! options: -cl-std=c++
//! spirv differs: clang has no OpenCL C++ 1.0
//! buffer out: float 24
//! launch: run(out, float 0.75, float 2.5) global 1
//! expect out: 0.722734272480011 1.566799283027649 0.23005345463752747 0.8480620980262756
//! expect out: 0.6931471824645996 0.26994654536247253 1.1902899742126465 0.972955048084259
//! expect out: 0.3788810670375824 2.8501358032226562 -0.09277357906103134 -0.8011435866355896
//! expect out: 1.2946833372116089 -0.7071067690849304 0.5984721183776855 6.050204277038574 1.0
//! expect out: 0.9315964579582214 0.6351489424705505 -1.0 2.1450164318084717 -0.681638777256012
//! expect out: 1.8622530698776245 0.722734272480011
//! tolerance out: absolute 1e-6 relative 1e-5 because functions may be off by some units in the last place
#include <opencl_math>
#include <opencl_memory>
using namespace cl;

float sines(float x) {
  float cosine;
  float sine = sincos(x, &cosine);
  return sine + 2.0f * cosine;
}
kernel void run(global_ptr<float[]> out, float x, float y) {
  out[0] = acos(x);
  out[1] = acosh(y);
  out[2] = acospi(x);
  out[3] = asin(x);
  out[4] = asinh(x);
  out[5] = asinpi(x);
  out[6] = atan(y);
  out[7] = atanh(x);
  out[8] = atanpi(y);
  out[9] = atan2(x, -y);
  out[10] = atan2pi(-x, y);
  out[11] = cos(y);
  out[12] = cosh(x);
  out[13] = cospi(x);
  out[14] = sin(y);
  out[15] = sinh(y);
  out[16] = sinpi(y);
  out[17] = tan(x);
  out[18] = tanh(x);
  out[19] = tanpi(x);
  out[20] = sines(x);
  out[21] = sin(float3(x, y, -x)).z;
  out[22] = atan2(float4(y), float4(x, -x, y, 1.0f)).y;
  out[23] = acos(float16(x)).sf;
}
