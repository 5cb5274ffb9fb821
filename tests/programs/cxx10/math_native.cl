// Functions of cl::native and cl::half_math, whose precision the device chooses or which is low.
//! options: -cl-std=c++
//! spirv differs: clang has no OpenCL C++ 1.0
//! buffer out: float 29
//! launch: run(out, float 0.75, float 2.5) global 1
//! expect out: 0.7316888570785522 2.117000102996826 1.6817928552627563 5.6234130859375 0.9162907600402832
//! expect out: 1.3219281435012817 0.3979400098323822 0.4000000059604645 0.6324555277824402
//! expect out: 0.681638777256012 1.5811388492584229 0.9315964579582214 0.30000001192092896
//! expect out: 1.9881768226623535 0.7316888570785522 2.117000102996826 1.6817928552627563 5.6234130859375
//! expect out: 0.9162907600402832 1.3219281435012817 0.3979400098323822 0.4000000059604645
//! expect out: 0.6324555277824402 0.681638777256012 1.5811388492584229 0.9315964579582214
//! expect out: 0.30000001192092896 1.9881768226623535 0.681638777256012
//! tolerance out: absolute 1e-6 relative 4e-3 because the device chooses their precision
#include <opencl_math>
#include <opencl_memory>
using namespace cl;

kernel void run(global_ptr<float[]> out, float x, float y) {
  out[0] = native::cos(x);
  out[1] = native::exp(x);
  out[2] = native::exp2(x);
  out[3] = native::exp10(x);
  out[4] = native::log(y);
  out[5] = native::log2(y);
  out[6] = native::log10(y);
  out[7] = native::recip(y);
  out[8] = native::rsqrt(y);
  out[9] = native::sin(x);
  out[10] = native::sqrt(y);
  out[11] = native::tan(x);
  out[12] = native::divide(x, y);
  out[13] = native::powr(y, x);
  out[14] = half_math::cos(x);
  out[15] = half_math::exp(x);
  out[16] = half_math::exp2(x);
  out[17] = half_math::exp10(x);
  out[18] = half_math::log(y);
  out[19] = half_math::log2(y);
  out[20] = half_math::log10(y);
  out[21] = half_math::recip(y);
  out[22] = half_math::rsqrt(y);
  out[23] = half_math::sin(x);
  out[24] = half_math::sqrt(y);
  out[25] = half_math::tan(x);
  out[26] = half_math::divide(x, y);
  out[27] = half_math::powr(y, x);
  out[28] = native::sin(float4(x)).w;
}
