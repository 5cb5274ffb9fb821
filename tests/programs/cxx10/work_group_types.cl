// Reductions, scans, broadcasts and votes in work-groups of two dimensions, of several types.
//! options: -cl-std=c++
//! spirv differs: clang has no OpenCL C++ 1.0
//! buffer out: int 64
//! launch: run(out) global 4x2 local 4x2
//! expect out: 8*-4 8*91 0 0 5 7 14 18 19 25 0 -35 -35 -49 -49 -49 -49 -49
//! expect out: 8*3 8*14 8*21 8*9
#include <opencl_memory>
#include <opencl_work_group>
#include <opencl_work_item>
using namespace cl;

kernel void run(global_ptr<int[]> out) {
  int i = (int)get_local_linear_id();
  // The numbers 0 to 7 in another order: 0 5 2 7 4 1 6 3.
  int x = i * 5 % 8;
  out[i] = work_group_reduce<work_group_op::min>(x - 4);
  float halves = work_group_reduce<work_group_op::add>((float)x + 0.5f);
  out[8 + i] = (int)(halves * 2.0f) + (int)work_group_reduce<work_group_op::max>((uint)x * 5u) - 8;
  out[16 + i] = (int)work_group_scan_exclusive<work_group_op::add>(0l + x);
  out[24 + i] = work_group_scan_inclusive<work_group_op::min>(-x * 7);
  out[32 + i] = work_group_broadcast(x, 3, 1);
  out[40 + i] = (int)work_group_broadcast(2.0f * (float)x, 3, 0);
  bool votes[] = {work_group_all(x < 8), work_group_all(x > 0), work_group_any(x == 3), work_group_any(x > 7), true};
  int number = 0;
  for (int bit = 0; bit < 5; ++bit)
    number |= votes[bit] << bit;
  out[48 + i] = number;
  // The greatest so far, and of those before.
  int up = work_group_scan_inclusive<work_group_op::max>(x);
  int before = work_group_scan_exclusive<work_group_op::max>(x);
  out[56 + i] = work_group_reduce<work_group_op::add>(up > (i ? before : -1) ? 3 : 0);
}
