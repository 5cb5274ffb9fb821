// Limits of numbers and vectors, macros for them, and mathematical constants.
//! options: -cl-std=c++
//! spirv differs: clang has no OpenCL C++ 1.0
//! buffer out: int 33
//! launch: run(out) global 1
//! expect out: -128 255 -32768 1 1 1 1 31 9 24 9 128 -37 1 1 1 1 1 1 1 0 1 1 0 8 1 6 3141 3141 2718 1414
//! expect out: 693 2
#include <opencl_limits>
#include <opencl_math_constants>
#include <opencl_memory>
#include <opencl_relational>
using namespace cl;

kernel void run(global_ptr<int[]> out) {
  out[0] = numeric_limits<char>::min();
  out[1] = numeric_limits<uchar>::max();
  out[2] = numeric_limits<short>::lowest();
  out[3] = numeric_limits<uint>::max() == ~0u;
  out[4] = numeric_limits<long>::min() == -9223372036854775807l - 1;
  out[5] = numeric_limits<bool>::max();
  out[6] = numeric_limits<bool4>::is_vector;
  out[7] = numeric_limits<int>::digits;
  out[8] = numeric_limits<uint>::digits10;
  out[9] = numeric_limits<float>::digits;
  out[10] = numeric_limits<float>::max_digits10;
  out[11] = numeric_limits<float>::max_exponent;
  out[12] = numeric_limits<float>::min_exponent10;
  out[13] = numeric_limits<float>::infinity() > numeric_limits<float>::max();
  out[14] = isnan(numeric_limits<float>::quiet_NaN());
  out[15] = numeric_limits<float4>::max().z == 0x1.fffffep127f;
  out[16] = numeric_limits<float>::epsilon() == 0x1p-23f;
  out[17] = numeric_limits<float>::min() == 0x1p-126f;
  out[18] = numeric_limits<const int>::max() == 2147483647;
  out[19] = numeric_limits<int3>::lowest().y == numeric_limits<int>::lowest();
  out[20] = numeric_limits<uint>::is_signed;
  out[21] = numeric_limits<int>::is_exact;
  out[22] = numeric_limits<float>::round_style == round_to_nearest;
  out[23] = numeric_limits<void *>::is_specialized;
  out[24] = CHAR_BIT;
  out[25] = INT_MAX == 2147483647;
  out[26] = FLT_DIG;
  out[27] = (int)(M_PI_F * 1000.0f);
  out[28] = (int)(pi_v<float> * 1000.0f);
  out[29] = (int)(e_v<float> * 1000.0f);
  out[30] = (int)(sqrt2_v<float> * 1000.0f);
  out[31] = (int)(ln2_v<float> * 1000.0f);
  out[32] = FLT_RADIX;
}
