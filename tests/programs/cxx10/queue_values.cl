// Lambdas and functors that a kernel enqueues (OpenCL C++ §3.13): arguments and captures of several
// types, local memory, and enqueuing from what was enqueued. What is expected is what the specification
// says, by hand.
//! options: -cl-std=c++
//! needs: __opencl_c_device_enqueue
//! spirv differs: clang has no OpenCL C++ 1.0
//! buffer out: int = 24*0
//! buffer tile: int 8
//! buffer results: int = 6*0
//! buffer steps: int = 8*0
//! launch: values(out) global 1
//! launch: turned(tile, results) global 1
//! launch: repeated(steps) global 1
//! expect out: 7 -3 5 6 42 9 1 0 300 11 1 30 60 1 2 77 21 22 6*0
//! expect tile: 7 6 5 4 15 14 13 12
//! expect results: 1 0 120 1 0 0
//! expect steps: 6 6 6 6 6 6 6 6
#include <opencl_device_queue>
#include <opencl_memory>
#include <opencl_synchronization>
#include <opencl_work_item>
using namespace cl;

struct pair {
  char first;
  long second;
};
struct adder {
  int base;
  void operator()(global_ptr<int[]> out, int place) const { out[place] = base + (int)get_global_id(0); }
};
struct anything {
  template <class P, class T> void operator()(P out, T number) const { out[15] = number; }
};
global<int> counter{70};

kernel void values(global_ptr<int[]> out) {
  device_queue queue = get_default_device_queue();
  int3 three(5, 6, 42);
  pair both{2, 298};
  bool yes = true, no = false;
  queue.enqueue_kernel(enqueue_policy::wait_kernel, ndrange(1),
                       [=](short small) {
                         out[0] = 7;
                         out[1] = small;
                         out[2] = three.x;
                         out[3] = three.y;
                         out[4] = three.z;
                         out[6] = yes;
                         out[7] = no;
                         out[8] = both.first + both.second;
                       },
                       (short)-3);
  queue.enqueue_kernel(enqueue_policy::wait_kernel, ndrange(1), adder{9}, out, 5);
  int grown = 10;
  queue.enqueue_kernel(enqueue_policy::wait_kernel, ndrange(1),
                       [grown](global_ptr<int[]> out, bool truth, int2 pair) mutable {
                         grown++;
                         out[9] = grown;
                         out[10] = truth;
                         out[11] = pair.x;
                         out[12] = pair.y;
                       },
                       out, true, int2(30, 60));
  // A kernel for each functor and each list of types.
  queue.enqueue_kernel(enqueue_policy::wait_kernel, ndrange(1), [=](auto number) { out[13] = sizeof(number); }, (char)1);
  queue.enqueue_kernel(enqueue_policy::wait_kernel, ndrange(1), [=](auto number) { out[14] = sizeof(number); }, (short)1);
  queue.enqueue_kernel(enqueue_policy::wait_kernel, ndrange(1), anything{}, out, 77L);
  queue.enqueue_kernel(enqueue_policy::wait_kernel, ndrange{20, 2, 1}, [=]() { out[get_global_id(0) - 4] = get_global_id(0) + 1; });
}

// Work-items of a group turn what the others wrote.
kernel void turned(global_ptr<int[]> tile, global_ptr<int[]> results) {
  auto queue = get_default_device_queue();
  auto turn = [](global_ptr<int[]> out, local_ptr<int[]> part, int base, local_ptr<long[]> sums) {
    size_t id = get_local_id(0), group = get_group_id(0);
    part[id] = base + (int)get_global_id(0) + (int)group * 4;
    sums[id] = part[id];
    work_group_barrier(mem_fence::local);
    out[get_global_id(0)] = part[get_local_size(0) - 1 - id] + (int)(sums[id] - part[id]);
  };
  auto status = queue.enqueue_kernel(enqueue_policy::wait_kernel, ndrange(8, 4), turn, tile, local_ptr<int[]>::size_type(4), 4,
                                     local_ptr<long[]>::size_type(4));
  results[0] = status == enqueue_status::success;
  status = queue.enqueue_kernel(enqueue_policy::wait_kernel, ndrange(8, 4), turn, tile, local_ptr<int[]>::size_type(4), 4,
                                local_ptr<long[]>::size_type(0));
  results[1] = status == enqueue_status::success;
  status = queue.enqueue_kernel(enqueue_policy::no_wait, ndrange(1),
                                [](local_ptr<int[]> numbers, global_ptr<int[]> results) {
                                  for (int i = 0; i < 16; i++)
                                    numbers[i] = i;
                                  int sum = 0;
                                  for (int i = 0; i < 16; i++)
                                    sum += numbers[i];
                                  results[2] = sum;
                                },
                                local_ptr<int[]>::size_type(16), results);
  results[3] = status == enqueue_status::success;
}

// A functor that enqueues itself: that is not recursion.
struct step {
  int left;
  void operator()(global_ptr<int[]> sums) const {
    size_t id = get_global_id(0);
    sums[id] += left;
    if (left > 1 && id == 0)
      get_default_device_queue().enqueue_kernel(enqueue_policy::wait_kernel, ndrange(get_global_size(0), get_local_size(0)),
                                                step{left - 1}, sums);
  }
};
kernel void repeated(global_ptr<int[]> sums) {
  get_default_device_queue().enqueue_kernel(enqueue_policy::wait_kernel, ndrange(8, 4), step{3}, sums);
}
