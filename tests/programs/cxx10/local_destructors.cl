// Objects in local memory are constructed once in each work-group, and destroyed, the last one first, when
// all of its work-items have ended the body, wherever they end it.
//! options: -cl-std=c++
//! spirv differs: clang has no OpenCL C++ 1.0
//! buffer out: int = 10*0
//! launch: run(out) global 8 local 4
//! launch: jump(out) global 4 local 4
//! launch: read(out) global 1
//! expect out: 21 21 10 26 5 1 2 0 0 321
#include <opencl_memory>
#include <opencl_work_item>
using namespace cl;

// Appends a digit to a number when it ends.
struct note {
  int digit;
  __global int *to;
  note(__global int *to, int digit) : digit(digit), to(to) {}
  ~note() { *to = *to * 10 + digit; }
};
// Adds what the work-items left.
struct sum {
  int slots[4];
  __global int *to;
  sum(__global int *to) : to(to) {}
  ~sum() {
    for (int slot : slots)
      *to += slot;
  }
};
kernel void run(global_ptr<int[]> out) {
  int i = (int)get_local_id(0), group = (int)get_group_id(0);
  local<note> first(out.get() + group, 1);
  local<note> second(out.get() + group, 2);
  local<sum> total(out.get() + 2 + group);
  total.slots[i] = (int)get_global_id(0);
  if (i == 1) {
    ++total.slots[i];
    return;
  }
  for (int n = 0;; ++n)
    if (n == i) {
      ++total.slots[i];
      return;
    }
}

// An array, and a body with 'goto'.
global<int> order;
struct cell {
  int n;
  cell() : n(7) {}
  ~cell() { order = order * 10 + n; }
};
kernel void jump(global_ptr<int[]> out) {
  int i = (int)get_local_id(0);
  local<cell[3]> cells;
  static local<note> five(out.get() + 4, 5);
  if (i < 3)
    cells[i].n = i + 1;
  int n = 0;
again:
  if (n > i)
    goto end;
  if (n == 2)
    return;
  ++n;
  goto again;
end:
  out[5 + i] = n;
}
kernel void read(global_ptr<int[]> out) { out[9] = order; }
