// cl::printf, with vectors and strings.
//! options: -cl-std=c++
//! spirv differs: clang has no OpenCL C++ 1.0
//! buffer out: int 1
//! launch: run(out) global 1
//! prints: f4 = 1.00,2.00,3.00,4.00
//! prints: uc = 0xfa,0xfb,0xfc,0xfd
//! prints: a string and 7
//! expect out: 1
#include <opencl_memory>
#include <opencl_printf>

kernel void run(cl::global_ptr<int> out) {
  float4 f = float4(1.0f, 2.0f, 3.0f, 4.0f);
  uchar4 uc = uchar4(0xFA, 0xFB, 0xFC, 0xFD);
  cl::printf("f4 = %2.2v4hlf\n", f);
  cl::printf("uc = %#v4hhx\n", uc);
  cl::printf("%s and %d\n", "a string", 7);
  *out = 1;
}
