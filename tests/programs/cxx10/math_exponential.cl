// Powers, roots, logarithms, exponentials, gamma and error functions, native and half-precision ones.
//! options: -cl-std=c++
//! spirv differs: clang has no OpenCL C++ 1.0
//! buffer out: float 23
//! launch: run(out, float 0.75, float 2.5) global 1
//! expect out: 1.3572088479995728 0.4871392846107483 -0.421875 1.9881768226623535 1.3572088479995728
//! expect out: 0.6324555277824402 1.5811388492584229 0.28468286991119385 -0.056243717670440674
//! expect out: 0.9162907600402832 1.3219281435012817 0.3979400098323822 0.5596157908439636
//! expect out: 12.182494163513184 1.1169999837875366 5.656854152679443 5.6234130859375 0.7111556529998779
//! expect out: 0.28884437680244446 1.3293403387069702 2.610076665878296 1.9881768226623535
//! expect out: 2.117000102996826
//! tolerance out: absolute 1e-6 relative 1e-5 because functions may be off by some units in the last place
#include <opencl_math>
#include <opencl_memory>
using namespace cl;

float signed_gamma(float x) {
  int sign;
  float gamma = lgamma_r(x, &sign);
  return sign * fabs(gamma);
}
kernel void run(global_ptr<float[]> out, float x, float y) {
  out[0] = cbrt(y);
  out[1] = pow(x, y);
  out[2] = pown(-x, 3);
  out[3] = powr(y, x);
  out[4] = rootn(y, 3);
  out[5] = rsqrt(y);
  out[6] = sqrt(y);
  out[7] = lgamma(y);
  out[8] = signed_gamma(-y);
  out[9] = log(y);
  out[10] = log2(y);
  out[11] = log10(y);
  out[12] = log1p(x);
  out[13] = exp(y);
  out[14] = expm1(x);
  out[15] = exp2(y);
  out[16] = exp10(x);
  out[17] = erf(x);
  out[18] = erfc(x);
  out[19] = tgamma(y);
  out[20] = hypot(x, y);
  out[21] = pow(float2(x, y), float2(y, x)).y;
  out[22] = exp(float8(x)).s7;
}
