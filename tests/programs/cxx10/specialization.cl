// A specialisation constant of a program in source has its default value.
//! options: -cl-std=c++
//! spirv differs: clang has no OpenCL C++ 1.0
//! buffer out: int 3
//! launch: run(out) global 4 local 4
//! expect out: 255 4 8
#include <opencl_memory>
#include <opencl_spec_constant>
#include <opencl_work_item>

cl::spec_constant<int, 1> plain{255};
cl::spec_constant<int, 2> size{4};

[[cl::required_work_group_size(size, 1, 1)]] kernel void run(cl::global_ptr<int[]> out) {
  out[0] = cl::get(plain);
  out[1] = cl::get_local_size(0);
  out[2] = size + size.get();
}
