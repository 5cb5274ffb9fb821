// cl::atomic of pointers: a list that many work-items put nodes on, places that they share out, and methods.
//! options: -cl-std=c++
//! needs: cl_khr_int64_base_atomics cl_khr_int64_extended_atomics
//! spirv differs: clang has no OpenCL C++ 1.0
//! buffer numbers: int = 0..64
//! buffer out: int 16
//! launch: push(numbers) global 64 local 16
//! launch: look(numbers, out) global 1
//! launch: share(numbers) global 64 local 16
//! launch: methods(numbers, out) global 1
//! expect numbers: 64*-1
//! expect out: 64 2016 1 64  0 3 5 4  4 3 1 4  2 1 7 1
#include <opencl_atomic>
#include <opencl_memory>
#include <opencl_work_item>
using namespace cl;

struct node { node *next; int number; };
node nodes[64];
atomic<node *> head{nullptr};
atomic<int *> free_place;

kernel void push(global_ptr<int[]> numbers) {
  node *mine = nodes + get_global_id(0);
  mine->number = numbers[get_global_id(0)];
  // Bounded, so that it ends where a driver is wrong.
  for (int tries = 0; tries < 100000; tries++) {
    mine->next = head.load(memory_order_relaxed);
    if (head.compare_exchange_weak(mine->next, mine))
      break;
  }
}
kernel void look(global_ptr<int[]> numbers, global_ptr<int[]> out) {
  int count = 0, sum = 0;
  for (node *at = head; at && count < 1000; at = at->next) {
    count++;
    sum += at->number;
  }
  out[0] = count;
  out[1] = sum;
  free_place = &numbers[0];
}
// Each work-item gets a place of its own.
kernel void share(global_ptr<int[]> numbers) {
  int *mine = get_global_id(0) % 2 ? free_place++ : free_place.fetch_add(1, memory_order_relaxed);
  *mine = -1;
}
kernel void methods(global_ptr<int[]> numbers, global_ptr<int[]> out) {
  static int row[8] = {0, 1, 2, 3, 4, 5, 6, 7};
  static atomic<int *> at;
  local<atomic<int *>> near;
  out[2] = free_place.load() == &numbers[0] + 64;
  out[3] = (int)(free_place.load() - &numbers[0]);
  at = row;
  out[4] = *at.fetch_add(3);                       // 0, and then at 3
  out[5] = *at.load();
  out[6] = *(at += 2);                             // 5
  out[7] = *--at;                                  // 4
  out[8] = *at--;                                  // 4, and then at 3
  out[9] = *atomic_fetch_sub(&at, 2);              // 3, and then at 1
  out[10] = *atomic_load_explicit(&at, memory_order_acquire, memory_scope_device);
  int *expected = row + 2;
  bool is_done = at.compare_exchange_strong(expected, row + 7);
  out[11] = is_done ? 100 : *expected + 3;         // it is 1
  near.store(row + 2, memory_order_relaxed, memory_scope_work_group);
  out[12] = *near.exchange(row + 7);
  expected = row + 1;
  out[13] = at.compare_exchange_strong(expected, near, memory_order_seq_cst, memory_order_relaxed, memory_scope_device);
  out[14] = *at;
  atomic_store(&at, static_cast<int *>(nullptr));
  out[15] = at.load() == nullptr;
}
