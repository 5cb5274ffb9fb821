// cl::convert_cast, as_type, vload, vstore and halves in memory.
//! options: -cl-std=c++
//! spirv differs: clang has no OpenCL C++ 1.0
//! buffer out: int 16
//! buffer bytes: uchar = 1 2 3 4 5 6 7 8 9 10 11 12
//! buffer halves: ushort = 0x3c00 0x4000 0x4200 0x4400 0 0 0 0
//! launch: run(out, bytes, halves) global 1
//! expect out: 255 0 127 -128 2 3 2 1 1065353216 15 30 1 1 2 10 -1
//! expect bytes: 1 2 3 4 9 10 11 8 9 10 11 12
//! expect halves: 0x3c00 0x4000 0x4200 0x4400 0x3555 0x3556 0x3c00 0x4200
#include <opencl_convert>
#include <opencl_memory>
#include <opencl_reinterpret>
#include <opencl_vector_load_store>
using namespace cl;

kernel void run(global_ptr<int[]> out, global_ptr<uchar> bytes, global_ptr<half> halves) {
  short4 s = short4(300, -5, 200, -200);
  uchar4 u = convert_cast<uchar4, saturate::on>(s);
  out[0] = u.x;
  out[1] = u.y;
  out[2] = convert_cast<char, saturate::on>((int)s.z);
  out[3] = convert_cast<char, saturate::on>((int)s.w);
  float2 f = float2(2.5f, 1.5f);
  int2 even = convert_cast<int2, rounding_mode::rte>(f);
  int2 up = convert_cast<int2, rounding_mode::rtp>(f);
  out[4] = even.x;
  out[5] = up.x;
  out[6] = even.y;
  out[7] = convert_cast<int2>(f).y;
  out[8] = as_type<int>(1.0f);
  int3 sum = int3(0);
  uchar3 loaded = vload<3>(1, bytes.get());
  for (int i = 0; i < 3; ++i)
    sum[i] = loaded[i];
  out[9] = sum.x + sum.y + sum.z;
  out[10] = convert_cast<int>(vload<2>(1, bytes.get()).x) * 10;
  out[11] = convert_cast<bool>(0.5f);
  out[12] = (int)vload_half<1>(0, halves.get());
  out[13] = (int)vload_half<2>(0, halves.get()).y;
  float4 h = vloada_half<4>(0, halves.get());
  out[14] = (int)(h.x + h.y + h.z + h.w);
  out[15] = convert_cast<float>(-1);
  vstore(uchar3(9, 10, 11) - uchar3(0, 0, 0), 0, bytes.get() + 4);
  vstore_half<rounding_mode::rtz>(1.0f / 3.0f, 4, halves.get());
  vstore_half<rounding_mode::rtp>(1.0f / 3.0f, 5, halves.get());
  vstorea_half(float2(1.0f, 3.0f), 3, halves.get());
}
