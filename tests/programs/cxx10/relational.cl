// Relational functions, whose results are bool and vectors of it, on numbers, infinities and NaN.
//! options: -cl-std=c++
//! spirv differs: clang has no OpenCL C++ 1.0
//! buffer out: int 35
//! launch: run(out, float 0.75, float -2.5, float 0x7f800000, float 0x7fc00000) global 1
//! expect out: 1 0 1 1 0 1 1 1 0 1 1 0 1 1 0 1 0 0 1 1 2 5 10 10 0 1 1 0 1 4 6 2 0 255088143 2
#include <opencl_math>
#include <opencl_memory>
#include <opencl_relational>
using namespace cl;

int number(bool4 bits) {
  int result = 0;
  for (int i = 0; i < 4; ++i)
    result |= bits[i] << i;
  return result;
}
kernel void run(global_ptr<int[]> out, float x, float y, float inf, float nan) {
  out[0] = isequal(x, x);
  out[1] = isequal(nan, nan);
  out[2] = isnotequal(x, nan);
  out[3] = isgreater(x, y);
  out[4] = isgreaterequal(nan, y);
  out[5] = isless(y, x);
  out[6] = islessequal(x, x);
  out[7] = islessgreater(x, y);
  out[8] = islessgreater(x, nan);
  out[9] = isordered(x, y);
  out[10] = isunordered(x, nan);
  out[11] = isfinite(inf);
  out[12] = isinf(-inf);
  out[13] = isnan(nan);
  out[14] = isnan(inf);
  out[15] = isnormal(x);
  out[16] = isnormal(0.0f);
  out[17] = isnormal(0x1p-140f);
  out[18] = signbit(y);
  out[19] = signbit(-0.0f);
  out[20] = number(isless(float4(x, y, nan, inf), 0.5f));
  out[21] = number(isunordered(float4(x, y, nan, inf), float4(nan, 1.0f, 1.0f, 1.0f)));
  out[22] = number(isinf(float4(x, inf, nan, -inf)));
  out[23] = number(signbit(float4(x, y, 0.0f, -inf)));
  out[24] = any(isnan(float16(x)));
  out[25] = all(isfinite(float3(x, y, 1.0f)));
  out[26] = any(bool2(false, true));
  out[27] = all(bool2(false, true));
  out[28] = any(true);
  out[29] = select(3, 4, true);
  out[30] = select(int3(1, 2, 3), int3(4, 5, 6), bool3(true, false, true)).z;
  out[31] = (int)select(long2(1l), long2(2l), isless(float2(x, y), 0.0f)).y;
  out[32] = (int)select(x, y, false);
  out[33] = bitselect(0x0f0f0f0f, 0x12345678, 0x00ffff00);
  out[34] = (int)bitselect(uchar4(1), uchar4(2), uchar4(3, 1, 2, 0)).x;
}
