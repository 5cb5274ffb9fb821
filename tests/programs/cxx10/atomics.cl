// cl::atomic in global and local memory, flags, fences and the functions on them.
//! options: -cl-std=c++
//! spirv differs: clang has no OpenCL C++ 1.0
//! buffer out: int 8
//! launch: run(out) global 64 local 16
//! launch: read(out) global 1
//! expect out: 64 63 -5 128 16 1 255 9
#include <opencl_atomic>
#include <opencl_memory>
#include <opencl_synchronization>
#include <opencl_work_item>
using namespace cl;

atomic<int> count;
global<atomic<int>> greatest;
atomic<int> least;
global<atomic<uint>> bits;
atomic<int> exchanged;
atomic_flag once;
atomic<int> firsts;

kernel void run(global_ptr<int[]> out) {
  static global<atomic<int>> twice;
  local<atomic<int>> in_group;
  if (get_local_id(0) == 0)
    in_group.store(0, memory_order_relaxed, memory_scope_work_group);
  work_group_barrier(mem_fence::local);
  int i = (int)get_global_id(0);
  count++;
  greatest.fetch_max(i);
  least.fetch_min(-(i % 6), memory_order_relaxed);
  twice += 2;
  in_group.fetch_add(1, memory_order_relaxed, memory_scope_work_group);
  atomic_fetch_or(&bits, 1u << (i % 8));
  int expected = 0;
  exchanged.compare_exchange_strong(expected, 9);
  if (!once.test_and_set())
    firsts.fetch_add(1);
  atomic_fence(mem_fence::global, memory_order_acq_rel, memory_scope_device);
  work_group_barrier(mem_fence::local | mem_fence::global);
  if (get_local_id(0) == 0)
    out[4] = in_group.load();
  if (twice.load() == 128)
    out[3] = twice;
}
kernel void read(global_ptr<int[]> out) {
  out[0] = count;
  out[1] = greatest.load(memory_order_acquire);
  out[2] = atomic_load(&least);
  out[5] = firsts;
  out[6] = bits.load();
  out[7] = exchanged.exchange(4);
}
