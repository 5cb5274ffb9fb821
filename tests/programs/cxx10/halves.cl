// Arithmetic, vectors, functions and limits of half, and the class cl::fp16.
//! options: -cl-std=c++ -cl-fp16-enable
//! spirv differs: clang has no OpenCL C++ 1.0
//! needs: cl_khr_fp16
//! buffer out: float 16
//! buffer halves: ushort = 0x3c00 0xc100 0x7bff 0
//! launch: run(out, halves) global 1
//! expect out: 1 -2.5 -1.5 65504 2.5 1 0 3 2 1 5.75 -0.5 6 0.25 2 1
//! expect halves: 0x3c00 0xc100 0x7bff 0x4500
#include <opencl_convert>
#include <opencl_half>
#include <opencl_limits>
#include <opencl_math>
#include <opencl_memory>
#include <opencl_relational>
#include <opencl_vector_load_store>
using namespace cl;

half twice(half x) { return x * 2.0h; }
kernel void run(global_ptr<float[]> out, global_ptr<half> halves) {
  half a = halves.get()[0], b = halves.get()[1];
  out[0] = a;
  out[1] = b;
  out[2] = a + b;
  out[3] = numeric_limits<half>::max() == halves.get()[2] ? (float)halves.get()[2] : 0.0f;
  out[4] = fabs(b);
  out[5] = a > b;
  out[6] = isnan(a);
  half4 v(a, b, twice(a), -b);
  out[7] = v.x + v.z;
  bool4 positive = v > 0.0h;
  out[8] = positive.x + positive.y + positive.z - 0.0f;
  out[9] = isless(v, half4(0.0h)).y;
  out[10] = (float)(fma(v.z, -b, 0.75h));
  out[11] = convert_cast<half>(-0.5f);
  out[12] = vload<2>(0, halves.get()).x * 6.0h;
  out[13] = select(half2(a), half2(0.25h), bool2(false, true)).y;
  fp16 wrapped(b);
  wrapped += fp16(0.5f);
  out[14] = -(half)wrapped;
  out[15] = numeric_limits<half>::epsilon() == 0x1p-10h;
  vstore(half2(numeric_limits<half>::max(), 5.0h), 1, halves.get());
}
