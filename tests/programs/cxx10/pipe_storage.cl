// Pipes of the program keep their packets from launch to launch, and their places go around.
//! options: -cl-std=c++
//! spirv differs: clang has no OpenCL C++ 1.0
//! buffer out: int 24
//! launch: input(int 0) global 8 local 4
//! launch: between(out) global 8 local 4
//! launch: input(int 8) global 8 local 4
//! launch: between(out) global 8 local 4
//! launch: output(out) global 1
//! expect out: 0 1001 2004 3009 4016 5025 6036 7049 8064 9081 10100 11121 12144 13169 14196 15225
//! expect out: 16 20 0 12 0 40 7 0
#include <opencl_memory>
#include <opencl_pipe>
#include <opencl_work_item>
using namespace cl;

pipe_storage<int2, 12> first;
pipe_storage<float, 20> second;

kernel void input(int from) {
  auto p = make_pipe<pipe_access::write>(first);
  int i = (int)get_global_id(0) + from;
  p.write(int2(i, i * i));
}
kernel void between(global_ptr<int[]> out) {
  pipe<int2> from = first.get();
  auto to = second.get<pipe_access::write>();
  int2 pair;
  if (from.read(pair))
    to.write((float)(pair.x * 1000 + pair.y));
  if (get_global_id(0) == 0)
    out[19] = from.max_packets();
}
kernel void output(global_ptr<int[]> out) {
  static pipe_storage<char3, 40> third;
  auto p = make_pipe(second);
  out[16] = p.num_packets();
  out[17] = p.max_packets();
  float number;
  while (p.read(number))
    out[(int)number / 1000] = (int)number;
  out[18] = p.num_packets();
  auto put = third.get<pipe_access::write>();
  out[20] = put.num_packets();
  out[21] = put.max_packets();
  put.write(char3(7, 8, 9));
  out[22] = put.num_packets() + 6;
  out[23] = 0;
}
