// Pointers and references to arrays of unknown length in global and constant memory.
//! options: -cl-std=c++
//! spirv differs: clang has no OpenCL C++ 1.0
//! buffer from: int = 4 5 6 7
//! buffer out: int 4
//! launch: run(out, from) global 4
//! expect out: 14 12 10 9
#include <opencl_memory>
#include <opencl_work_item>
using namespace cl;

void twice(global<int[]> *out, int at, const int &value) { (*out)[at] = 2 * value; }
kernel void run(global<int[]> &out, constant<int[]> *from) {
  int i = get_global_id(0);
  int value = from->ptr()[3 - i];
  twice(&out, i, value);
  if (i == 3)
    out.ptr()[i] += out[i] == 2 * (*from)[0];
}
