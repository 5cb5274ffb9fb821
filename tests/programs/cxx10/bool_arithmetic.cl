// Arithmetic on vectors of bool has the type of its operands: each element is the value of the operation on
// numbers that are 0 or 1, as a bool. The elements are bytes to shifts.
//! options: -cl-std=c++
//! spirv differs: clang has no OpenCL C++ 1.0
//! buffer in: int = 0 0 1 1 0 1 0 1
//! buffer out: int 52
//! launch: run(in, out) global 1
//! expect out: 0 1 1 1  0 1 1 0  0 0 0 1  0 0 1 1
//! expect out: 0 0 0 0  0 0 1 1  0 1 1 1  0 1 1 0
//! expect out: 0 0 0 1  0 0 1 1  0 0 1 0  0 0 1 1  3 6 3 6
#include <opencl_convert>
#include <opencl_memory>
using namespace cl;

void put(global_ptr<int[]> out, int at, bool4 v) {
  int4 n = convert_cast<int4>(v);
  for (int i = 0; i < 4; ++i)
    out[at + i] = n[i];
}
kernel void run(global_ptr<int[]> in, global_ptr<int[]> out) {
  bool4 a(in[0] != 0, in[1] != 0, in[2] != 0, in[3] != 0), b(in[4] != 0, in[5] != 0, in[6] != 0, in[7] != 0);
  put(out, 0, a + b);                // 0 1 1 2
  put(out, 4, a - b);                // 0 -1 1 0
  put(out, 8, a * b);                // 0 0 0 1
  put(out, 12, a / (b | true));      // of ones
  put(out, 16, a % (b | true));
  put(out, 20, -a);                  // 0 0 -1 -1
  bool4 c = a;
  c += b;
  put(out, 24, c);
  c = a;
  c -= b;
  put(out, 28, c);
  c *= b & a | !(a | b);             // times 1 0 0 1, and 0 1 1 0 before: nothing
  c += a * b;                        // 0 0 0 1
  put(out, 32, c);
  put(out, 36, a << b);              // 0 0 1 2
  put(out, 40, a >> b);              // 0 0 1 0
  c = a;
  c <<= 7;                           // 0 0 128 128
  put(out, 44, c);
  int4 n = int4(3) << b;             // the type is that of the left operand
  for (int i = 0; i < 4; ++i)
    out[48 + i] = n[i];
}
