// With an option, kernels clear their local variables, and construct objects after that.
//! options: -cl-std=c++ -cl-zero-init-local-mem-vars
//! spirv differs: clang has no OpenCL C++ 1.0
//! buffer out: int 11
//! launch: fill(out) global 4 local 4
//! launch: run(out) global 4 local 4
//! expect out: 0 1 0 0 0 0 3 0 28 5 20
#include <opencl_array>
#include <opencl_memory>
#include <opencl_synchronization>
#include <opencl_work_item>
using namespace cl;

// Leaves something in local memory.
kernel void fill(global_ptr<int[]> out) {
  local<array<int, 64>> all;
  for (int i = (int)get_local_id(0); i < 64; i += 4)
    all[i] = i + 1;
  work_group_barrier(mem_fence::local);
  if (get_local_id(0) == 0)
    out[8] = all[27];
  if (get_local_id(0) == 1)
    out[9] = all[4];
}
struct part { int a; short b[3]; int4 c; };
struct counter {
  int started, other;
  counter() : started(3) {}
};
kernel void run(global_ptr<int[]> out) {
  local<int> number;
  local<array<int, 20>> list;
  local<part> whole;
  static local<counter> counted;
  int i = (int)get_local_id(0);
  if (i == 0) {
    int sum = 0;
    for (int x : list)
      sum += x == 0 ? 1 : 100;
    out[0] = number;
    out[1] = whole.a == 0;
    out[2] = whole.b[0] + whole.b[1] + whole.b[2];
    out[3] = whole.c.x + whole.c.w;
    out[4] = list[19];
    out[5] = counted.other;
    out[6] = counted.started;
    out[7] = number;
    out[10] = sum;
  }
}
