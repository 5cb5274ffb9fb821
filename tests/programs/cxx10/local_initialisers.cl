// Local objects are initialised by one work-item of each work-group, before any reads them.
//! options: -cl-std=c++
//! spirv differs: clang has no OpenCL C++ 1.0
//! buffer out: int 8
//! launch: run(out, int 5) global 8 local 4
//! expect out: 112 113 114 115 112 113 114 115
#include <opencl_array>
#include <opencl_memory>
#include <opencl_synchronization>
#include <opencl_work_item>
using namespace cl;

struct base {
  int value;
  base(int n) : value(n * 20) {}
};
kernel void run(global_ptr<int[]> out, int n) {
  local<int> one{1};
  local<array<int, 3>> list = {1, 2, 3};
  static local<base> built(n);
  int i = (int)get_local_id(0);
  out[get_global_id(0)] = one + list[2] + list[1] + list[0] + n + built.value + i;
}
