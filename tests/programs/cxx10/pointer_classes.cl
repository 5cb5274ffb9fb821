// Kernels take cl::global_ptr, constant_ptr and local_ptr as pointers, and structures through them.
//! options: -cl-std=c++
//! spirv differs: clang has no OpenCL C++ 1.0
//! buffer out: int 8
//! buffer in: int = 5 6 7 8
//! launch: run(out, in, local 16, int 10) global 4 local 4
//! expect out: 18 17 16 15 5 16 27 38
#include <opencl_memory>
#include <opencl_synchronization>
#include <opencl_work_item>
using namespace cl;

kernel void run(global_ptr<int[]> out, constant_ptr<int> in, local_ptr<int[]> shared, int more) {
  size_t i = get_local_id(0);
  constant_ptr<int> at = in + i;
  shared[i] = *at + more;
  work_group_barrier(mem_fence::local);
  out[i] = shared[3 - i];
  global_ptr<int> second(out.get() + 4);
  second += i;
  *second = in.get()[i] + more * i;
}
