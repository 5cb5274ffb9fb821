// Reductions, scans, broadcasts and votes of work-groups.
//! options: -cl-std=c++
//! spirv differs: clang has no OpenCL C++ 1.0
//! buffer out: int 40
//! buffer in: int = 3 1 7 0 4 1 6 3
//! launch: run(out, in) global 8 local 8
//! expect out: 3 4 11 11 15 16 22 25 0 3 4 11 11 15 16 22 8*25 8*7 8*102
#include <opencl_memory>
#include <opencl_work_group>
#include <opencl_work_item>
using namespace cl;

kernel void run(global_ptr<int[]> out, global_ptr<int[]> in) {
  size_t i = get_local_id(0);
  int x = in[i];
  out[i] = work_group_scan_inclusive<work_group_op::add>(x);
  out[8 + i] = work_group_scan_exclusive<work_group_op::add>(x);
  out[16 + i] = work_group_reduce<work_group_op::add>(x);
  out[24 + i] = work_group_reduce<work_group_op::max>(x);
  out[32 + i] = work_group_broadcast(x, 2) - 7 + (work_group_all(x >= 0) ? 100 : 0) + (work_group_any(x == 6) ? 2 : 0);
}
