// The functions on atomic objects, with orders and scopes, in global and local memory, and loops.
//! options: -cl-std=c++
//! spirv differs: clang has no OpenCL C++ 1.0
//! buffer out: int 21
//! launch: run(out) global 32 local 8
//! launch: read(out) global 1
//! expect out: 496 465 31 3 255 170 85 32 1 7 28 28 28 28 5 -3 12 1 30 2 31
#include <opencl_array>
#include <opencl_atomic>
#include <opencl_memory>
#include <opencl_synchronization>
#include <opencl_work_item>
using namespace cl;

global<atomic<int>> sum, difference, greatest;
global<atomic<uint>> least{100u}, ors, xors, ands{255u};
atomic<int> swapped, weak;
atomic<float> total;

kernel void run(global_ptr<int[]> out) {
  local<array<atomic<int>, 2>> counts;
  int i = (int)get_global_id(0), in_group = (int)get_local_id(0);
  if (in_group < 2)
    atomic_init(&counts[in_group], 0);
  work_group_barrier(mem_fence::local);
  atomic_fetch_add(&sum, i);
  atomic_fetch_sub_explicit(&difference, -i, memory_order_relaxed, memory_scope_device);
  atomic_fetch_max(&greatest, i);
  atomic_fetch_min_explicit(&least, (uint)i + 3, memory_order_acq_rel, memory_scope_device);
  atomic_fetch_or_explicit(&ors, 1u << (i % 8), memory_order_release, memory_scope_all_svm_devices);
  atomic_fetch_xor(&xors, i < 8 && i % 2 == 1 ? 1u << i : 0u);
  atomic_fetch_and_explicit(&ands, ~(1u << (2 * (i % 4) + 1)), memory_order_acquire, memory_scope_device);
  // Five work-items double a number and add one.
  if (i >= 8 && i < 13) {
    int known = atomic_load_explicit(&swapped, memory_order_relaxed, memory_scope_device);
    while (!atomic_compare_exchange_strong_explicit(&swapped, &known, known * 2 + 1, memory_order_acq_rel,
                                                    memory_order_relaxed, memory_scope_device))
      ;
  }
  int expected = atomic_load(&weak);
  while (!weak.compare_exchange_weak(expected, expected + 1, memory_order_relaxed))
    ;
  float old = total.load(memory_order_relaxed);
  while (!atomic_compare_exchange_weak(&total, &old, old + 0.5f))
    ;
  counts[0].fetch_add(in_group, memory_order_relaxed, memory_scope_work_group);
  atomic_fetch_max_explicit(&counts[1], in_group, memory_order_relaxed, memory_scope_work_group);
  work_group_barrier(mem_fence::local);
  if (in_group == 0)
    out[10 + i / 8] = counts[0].load();
  if (i == 31)
    out[9] = atomic_load(&counts[1]);
}
kernel void read(global_ptr<int[]> out) {
  static global<atomic<int>> own;
  out[0] = atomic_load(&sum);
  out[1] = difference - 31;
  out[2] = greatest.exchange(5, memory_order_acquire);
  out[3] = (int)least.load();
  out[4] = (int)ors;
  out[5] = (int)atomic_load_explicit(&xors, memory_order_seq_cst, memory_scope_device);
  out[6] = (int)atomic_exchange(&ands, 0u);
  out[7] = weak;
  out[8] = atomic_is_lock_free(&sum);
  out[14] = greatest;
  own = 3;
  out[15] = -own--;
  out[16] = (own += 10);
  out[17] = (own ^= 13);
  own.store(20);
  int r = own.fetch_add(7);
  r += own.fetch_sub(7);
  r -= ++own;
  r += own.fetch_or(1);
  r -= own;
  r += (own &= 14);
  out[18] = r;
  out[19] = (int)(total.load() / 8.0f);
  out[20] = swapped;
}
