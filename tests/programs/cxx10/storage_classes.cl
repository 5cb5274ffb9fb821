// Objects of cl::global, local, constant and priv: of numbers, arrays and classes, and their addresses.
//! options: -cl-std=c++
//! spirv differs: clang has no OpenCL C++ 1.0
//! buffer out: int 12
//! launch: first(out) global 4 local 4
//! launch: second(out) global 1
//! expect out: 7 8 9 10 26 106 4 100 3 110 12 40
#include <opencl_array>
#include <opencl_memory>
#include <opencl_synchronization>
#include <opencl_work_item>
using namespace cl;

struct counter {
  int value;
  int add(int n) { return value += n; }
};
global<int> total;
global<array<int, 4>> squares;
global<counter> counted;
constant<int> offset{7};
constant<int[3]> table = {1, 2, 3};

int via_generic(int *p) { return *p; }

kernel void first(global_ptr<int[]> out) {
  size_t i = get_local_id(0);
  local<array<int, 4>> shared;
  local<int> sum;
  priv<int> own;
  own = (int)i;
  shared[i] = own * own;
  if (i == 0)
    sum = 100;
  work_group_barrier(mem_fence::local);
  out[i] = own + offset;
  if (i == 0) {
    sum += shared[1] + shared[2] + table[0];
    out[4] = shared[3] + shared[2] + shared[1] + via_generic(&own) + 12;
    out[5] = via_generic(&sum);
    squares = shared;
    total = 4;
    counted.value = 10;
  }
}
kernel void second(global_ptr<int[]> out) {
  out[6] = total++;
  total *= 20;
  out[7] = *total.ptr();
  out[8] = table[2];
  out[9] = counted.add(total);
  counter *c = &counted;
  c->value = 12;
  out[10] = counted.ptr()->value;
  static global<int> kept;
  kept += squares[2];
  out[11] = kept * 10;
}
