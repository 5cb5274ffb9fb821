// Integer functions on scalars and vectors of several widths, at their edges.
//! options: -cl-std=c++
//! spirv differs: clang has no OpenCL C++ 1.0
//! buffer out: int 40
//! launch: run(out, int 1000000007, int -77777) global 1
//! expect out: 25 4 14 8 16 8 -1698035909 3 4660 -65531 77777 128 1000077784 200 2147483647 -2147483648 255
//! expect out: 0 499961115 499961115 2147483647 -5 3 -18108 -18109 3 2147483647 -155553 1000000007 -77777
//! expect out: -1999995 -2000000 5 -77777 127 24 3 1 64 3
#include <opencl_integer>
#include <opencl_limits>
#include <opencl_memory>
using namespace cl;

static constexpr int IMAX = numeric_limits<int>::max();
kernel void run(global_ptr<int[]> out, int a, int b) {
  out[0] = clz(77);
  out[1] = ctz(80);
  out[2] = clz((ushort)3);
  out[3] = ctz((char)0);
  out[4] = popcount(a);
  out[5] = popcount((uchar)255);
  out[6] = rotate(a, 8);
  out[7] = (int)rotate((uchar)0x81, (uchar)1);
  out[8] = (int)upsample((uchar)0x12, (uchar)0x34);
  out[9] = upsample((short)-1, (ushort)5);
  out[10] = (int)abs(b);
  out[11] = (int)abs((char)-128);
  out[12] = (int)abs_diff(a, b);
  out[13] = (int)abs_diff((char)-100, (char)100);
  out[14] = add_sat(a, IMAX);
  out[15] = sub_sat(b, IMAX);
  out[16] = (int)add_sat((uchar)200, (uchar)100);
  out[17] = (int)sub_sat((uchar)2, (uchar)3);
  out[18] = hadd(a, b);
  out[19] = rhadd(a, b);
  out[20] = hadd(IMAX, IMAX);
  out[21] = clamp(b, -5, 5);
  out[22] = (int)clamp((uchar)7, (uchar)1, (uchar)3);
  out[23] = mad_hi(a, b, 1);
  out[24] = mul_hi(a, b);
  out[25] = (int)mul_hi(0x80000000u, 6u);
  out[26] = mad_sat(a, 3, 1);
  out[27] = mad_sat(b, 2, 1);
  out[28] = max(a, b);
  out[29] = min(a, b);
  out[30] = mad24(1000, -2000, 5);
  out[31] = mul24(1000, -2000);
  out[32] = max(int4(a, b, 1, 2), 5).w;
  out[33] = min(int2(a, b), int2(3)).y;
  out[34] = add_sat(char4(100), char4(100, -100, 27, 28)).z;
  out[35] = clz(int8(1, 2, 4, 8, 16, 32, 64, 128)).s7;
  out[36] = abs(short3(-1, 2, -3)).z;
  out[37] = rotate(uint2(1u, 3u), uint2(31u)).y == 0x80000001u ? 1 : 0;
  out[38] = (int)popcount(ulong2(~0ul, 5ul)).x;
  out[39] = (int)(mul_hi(1l << 62, 12l));
}
